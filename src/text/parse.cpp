// Reading a module: its declarations, then its functions.
#include "text/parse.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "base/stable_order.h"
#include "ir/language.h"
#include "text/function_reader.h"
#include "text/names.h"
#include "text/outline.h"
#include "text/reader.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

bool Reader::other_type(Type& out) {
  size_t position = cursor.offset();
  const char* first = cursor.at;
  std::string error;
  std::optional<Type> type = parse_type(module.types, cursor.text(), position, error, &module.symbols);
  if (!type) return cursor.fail_at(static_cast<uint32_t>(position), std::move(error));
  cursor.go_to(static_cast<uint32_t>(position));
  if (std::memchr(first, '\n', static_cast<size_t>(cursor.at - first)))
    return cursor.fail_at(first, "a type stands in one line");
  out = *type;
  return true;
}

bool Reader::signature(Signature& out) {
  if (!cursor.need('(', "before the types of the parameters")) return false;
  if (!cursor.take(')')) {
    do {
      if (!type(out.params.emplace_back())) return false;
    } while (cursor.take(','));
    if (!cursor.need(')', "behind the types of the parameters")) return false;
  }
  if (!cursor.take_arrow()) return cursor.fail("expected '->' and the type of the result");
  return type(out.result);
}

class ModuleReader {
 public:
  ModuleReader(Module& module, std::string_view text, const ParseOptions& options)
      : r_(module, text, options), c_(r_.cursor), replaced_(options.replaced), old_classes_(module.types.classes().size()),
        old_globals_(module.globals.size()), old_intrinsics_(module.intrinsics.size()) {}

  void read();

  Problems& problems() { return r_.problems; }
  SourceMap& positions() { return map_; }

 private:
  bool read_class();
  bool read_global();
  bool read_intrinsic();
  bool read_language();
  /// Null after an error.
  Function* read_header(bool external);
  /// What the module has of this name, for what the text declares or defines; null after an error.
  Function* find_known(Function& known, SigId signature, bool external, Traits traits, uint32_t offset);
  bool read_parameters(Signature& signature, std::vector<Symbol>& names);
  bool read_parameter_name(uint32_t number, Symbol& name);
  bool read_effects(Traits& traits);
  bool ends() { return c_.line_ends() || c_.fail("expected the end of the line, found " + c_.shown_token()); }

  Reader r_;
  Cursor& c_;
  SourceMap map_;
  std::vector<Function>* replaced_;
  size_t old_classes_, old_globals_, old_intrinsics_;  ///< that the module had before
  uint32_t header_stamp_ = 0;  ///< names of parameters, to find one that stands twice
  std::vector<uint32_t> header_names_;
};

void ModuleReader::read() {
  Outline outline = make_outline(c_);
  for (uint32_t offset : outline.classes) {
    c_.go_to(offset);
    read_class();
  }
  std::vector<Function*> functions;
  for (uint32_t offset : outline.declarations) {
    if (r_.problems.full()) return;
    c_.go_to(offset);
    std::string_view word = c_.name();
    if (word == "global")
      read_global();
    else if (word == "language")
      read_language();
    else if (word == "intrinsic")
      read_intrinsic();
    else if (word == "extern")
      read_header(true);
    else
      functions.push_back(read_header(false));
  }
  FunctionReader reader(r_, map_);
  for (size_t i = 0; i < functions.size() && !r_.problems.full(); ++i)
    if (functions[i]) reader.read(*functions[i], outline, outline.bodies[i]);
}

/// `class @Dog : @Animal`
bool ModuleReader::read_class() {
  c_.name();
  c_.blanks();
  uint32_t offset = c_.offset();
  std::string_view view;
  if (!c_.global_name(view, r_.scratch)) return false;
  std::string name(view);
  ClassId parent = none_id<ClassId>;
  if (c_.take(':')) {
    c_.blanks();
    uint32_t parent_offset = c_.offset();
    if (!c_.global_name(view, r_.scratch)) return false;
    parent = r_.module.types.find_class(view);
    if (is_none(parent))
      return c_.fail_at(parent_offset, "unknown class '@" + std::string(view) + "'; a class stands behind its parent");
  }
  if (const ClassId old = r_.module.types.find_class(name); !is_none(old)) {
    if (index(old) >= old_classes_) return c_.fail_at(offset, "class '@" + name + "' is defined twice");
    if (r_.module.types.classes().parent(old) != parent)
      return c_.fail_at(offset, "class '@" + name + "' is known with another parent");
    return ends();
  }
  r_.module.types.add_class(std::move(name), parent);
  return ends();
}

/// `global @table: 16 align 8 const = "ab\00\ff"`
bool ModuleReader::read_global() {
  c_.blanks();
  uint32_t offset = c_.offset();
  std::string_view view;
  if (!c_.global_name(view, r_.scratch)) return false;
  Global global;
  global.name = r_.module.symbol(view);
  const GlobalId old = r_.module.find_global(global.name);
  if (!is_none(old) && index(old) >= old_globals_)
    return c_.fail_at(offset, "global '@" + std::string(view) + "' is defined twice");
  if (!c_.need(':', "and the size of the global") ||
      !c_.number(global.size, std::numeric_limits<int64_t>::max(), "a size in bytes"))
    return false;
  if (c_.take_word("align")) {
    uint64_t align = 0;
    c_.blanks();
    uint32_t align_offset = c_.offset();
    if (!c_.number(align, uint64_t{1} << 31, "an alignment")) return false;
    if (!std::has_single_bit(align)) return c_.fail_at(align_offset, "an alignment is a power of two");
    global.align = static_cast<uint32_t>(align);
  }
  global.constant = c_.take_word("const");
  if (c_.take('=')) {
    c_.blanks();
    uint32_t data_offset = c_.offset();
    if (!c_.quoted(r_.scratch)) return false;
    if (r_.scratch.size() > global.size)
      return c_.fail_at(data_offset, std::to_string(r_.scratch.size()) + " bytes do not fit a global of " +
                                         std::to_string(global.size));
    global.initial.assign(r_.scratch.begin(), r_.scratch.end());
  }
  if (is_none(old)) r_.module.add_global(std::move(global));
  else if (r_.module.globals[old] != global)
    return c_.fail_at(offset, "global '@" + std::string(r_.module.name(global.name)) + "' is known with another size or other bytes");
  return ends();
}

/// `language php`
bool ModuleReader::read_language() {
  c_.blanks();
  uint32_t offset = c_.offset();
  std::string_view name = c_.name();
  LanguageId id = find_language(name);
  if (id == LanguageId::none) return c_.fail_at(offset, "unknown language '" + std::string(name) + "'");
  if (r_.module.language != LanguageId::none && r_.module.language != id)
    return c_.fail_at(offset, "the module has another language already");
  r_.module.language = id;
  return ends();
}

/// `intrinsic sat.add(i64, i64) -> i64 pure`
bool ModuleReader::read_intrinsic() {
  c_.blanks();
  uint32_t offset = c_.offset();
  std::string name;
  if (*c_.at == '"') {
    if (!c_.quoted(name)) return false;
  } else {
    name = c_.name();
  }
  if (name.empty()) return c_.fail_at(offset, "expected the name of an intrinsic");
  Signature signature;
  Traits traits = no_traits;
  if (!r_.signature(signature) || !read_effects(traits)) return false;
  Symbol symbol = r_.module.symbol(name);
  SigId id = r_.module.signature(signature);
  if (IntrinsicId old = r_.module.find_intrinsic(symbol); !is_none(old)) {
    const Intrinsic& found = r_.module.intrinsics[old];
    if (index(old) >= old_intrinsics_) return c_.fail_at(offset, "intrinsic '" + name + "' is defined twice");
    if (found.signature != id || found.traits != traits)
      return c_.fail_at(offset, "intrinsic '" + name + "' is known with another signature or other effects");
    return ends();
  }
  Intrinsic intrinsic;
  intrinsic.name = symbol;
  intrinsic.signature = id;
  intrinsic.traits = traits;
  const IntrinsicId added = r_.module.add_intrinsic(std::move(intrinsic));
  map_.intrinsics_.resize(index(added) + 1, SourceMap::unknown);
  map_.intrinsics_[added] = offset;
  return ends();
}

/// `func @sum(n: i64) -> i64 {`, with `open` before the bracket, or `extern @print(i64) -> void host`
Function* ModuleReader::read_header(bool external) {
  c_.blanks();
  uint32_t offset = c_.offset();
  std::string_view view;
  if (!c_.global_name(view, r_.scratch)) return nullptr;
  Symbol name = r_.module.symbol(view);
  Signature signature;
  std::vector<Symbol> names;
  if (!read_parameters(signature, names)) return nullptr;
  if (c_.take_arrow() && !r_.type(signature.result)) return nullptr;
  Traits traits = any_effect;
  bool is_open = !external && c_.take_word("open");
  if (external ? !read_effects(traits) : !c_.need('{', "at the end of the function's header")) return nullptr;
  if (!ends()) return nullptr;
  const SigId id = r_.module.signature(std::move(signature));
  Function* f = r_.module.find_function(name);
  if (f != nullptr) {
    f = find_known(*f, id, external, traits, offset);
    if (f == nullptr) return nullptr;
  } else {
    f = &r_.module.add_function(name, id, external);
    f->external_traits = traits;
  }
  if (!external || f->param_names.empty()) f->param_names = std::move(names);
  map_.functions_.resize(std::max<size_t>(map_.functions_.size(), index(f->id()) + 1));
  map_.functions_[f->id()].header = offset;
  r_.is_open.resize(std::max<size_t>(r_.is_open.size(), index(f->id()) + 1), false);
  r_.is_open[index(f->id())] = is_open;
  return f;
}

Function* ModuleReader::find_known(Function& known, SigId signature, bool external, Traits traits, uint32_t offset) {
  auto refuse = [&](const char* why) {
    c_.fail_at(offset, "function '@" + std::string(known.name_text()) + "' is " + why);
    return nullptr;
  };
  if (!known.is_external() || map_.function(known.id()) != SourceMap::unknown) return refuse("defined twice");
  if (known.signature_id() != signature) return refuse("known with another signature");
  if (external) return known.external_traits == traits ? &known : refuse("known with other effects");
  Function body(r_.module, known.id(), known.name(), signature, false);
  std::swap(known, body);
  if (replaced_ != nullptr) replaced_->push_back(std::move(body));
  return &known;
}

/// Types with or without names; names that no parameter has are left out at the end.
bool ModuleReader::read_parameters(Signature& signature, std::vector<Symbol>& names) {
  ++header_stamp_;
  if (!c_.need('(', "before the parameters")) return false;
  if (c_.take(')')) return true;
  do {
    Symbol name = none_id<Symbol>;
    if (!read_parameter_name(static_cast<uint32_t>(signature.params.size()), name)) return false;
    if (!r_.type(signature.params.emplace_back())) return false;
    if (is_none(name)) continue;
    names.resize(signature.params.size(), none_id<Symbol>);
    names.back() = name;
  } while (c_.take(','));
  return c_.take(')') || c_.fail("expected ',' or ')', found " + c_.shown_token());
}

/// `n:`, or `arg0:` for no name, or `arg0 "any name":`. Nothing before a type alone.
bool ModuleReader::read_parameter_name(uint32_t number, Symbol& name) {
  c_.blanks();
  const char* first = c_.at;
  std::string_view word = c_.name();
  c_.blanks();
  bool is_name = !word.empty() && (*c_.at == ':' || *c_.at == '"');
  // `ref:Dog` is a type; a parameter called `ref` has a space behind the colon.
  if ((word == "ref" || word == "object") && *c_.at == ':' && !is(c_.at[1], blank)) is_name = false;
  if (!is_name) {
    c_.at = first;
    return true;
  }
  int64_t own = number_behind(param_prefix, word);
  if (own >= 0 && own != int64_t{number})
    return c_.fail_at(first, "'" + std::string(word) + "' stands for parameter " + std::to_string(own) + " without a name");
  if (*c_.at == '"') {
    if (own < 0) return c_.fail("a parameter with a name in quotes is called '" + std::string(param_prefix) +
                                std::to_string(number) + "'");
    if (!c_.quoted(r_.scratch)) return false;
    name = r_.module.symbol(r_.scratch);
  } else if (own < 0) {
    name = r_.module.symbol(word);
    if (index(name) >= header_names_.size()) header_names_.resize(index(name) + index(name) / 2 + 16, 0);
    if (header_names_[index(name)] == header_stamp_)
      return c_.fail_at(first, "parameter '" + std::string(word) + "' is defined twice");
    header_names_[index(name)] = header_stamp_;
  }
  return c_.need(':', "behind the name of a parameter");
}

/// Any effect if nothing is written.
bool ModuleReader::read_effects(Traits& traits) {
  traits = any_effect;
  if (c_.take_word("pure")) {
    traits = no_traits;
    return true;
  }
  Traits found = no_traits;
  for (bool more = true; more;) {
    more = false;
    for (const TraitWord& known : trait_words) {
      if (!c_.take_word(known.word)) continue;
      found |= known.trait;
      more = true;
    }
  }
  if (found != no_traits) traits = found;
  return true;
}

Expected<SourceMap> parse_into(Module& module, const SourceFile& source, const ParseOptions& options) {
  if (source.size() >= std::numeric_limits<uint32_t>::max()) {
    Diagnostics diagnostics;
    diagnostics.error("the file has 4 GiB or more", source.name());
    return diagnostics;
  }
  ModuleReader reader(module, source.text(), options);
  reader.read();
  if (reader.problems().empty()) return std::move(reader.positions());

  std::vector<Problem>& list = reader.problems().list();
  const size_t dropped = reader.problems().dropped();
  Diagnostics diagnostics(list.size() + 1);
  for (uint32_t i : stable_order(list.size(), [&](uint32_t k) { return list[k].offset; }))
    diagnostics.add(source.error(list[i].offset, std::move(list[i].message)));
  if (dropped != 0)
    diagnostics.error("too many errors: " + std::string(reader.problems().full() ? "at least " : "") + std::to_string(dropped) + " more",
                      source.name());
  return diagnostics;
}

Expected<ParsedModule> parse_module(const SourceFile& source, const ParseOptions& options) {
  auto module = std::make_unique<Module>();
  Expected<SourceMap> positions = parse_into(*module, source, options);
  if (!positions) return std::move(positions.error());
  return ParsedModule{std::move(module), std::move(*positions)};
}

}  // namespace braid::text
