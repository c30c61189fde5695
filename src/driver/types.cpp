#include "driver/types.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "driver/cfg.h"
#include "driver/display_names.h"
#include "infer/apply.h"
#include "infer/numeric.h"
#include "infer/phi_types.h"
#include "infer/pi.h"
#include "ir/compact.h"
#include "text/findings.h"
#include "text/statement_text.h"
#include "type/type_text.h"

namespace braid::driver {

using infer::PhiInput;
using infer::PhiRule;
using infer::TypedPhi;
using ir::BlockId;
using ir::Function;
using ir::Op;
using ir::Operand;

std::optional<mixed::Way> find_way(std::string_view name) {
  auto found = std::find(std::begin(way_names), std::end(way_names), name);
  if (found == std::end(way_names)) return std::nullopt;
  return static_cast<mixed::Way>(found - std::begin(way_names));
}

namespace {

std::vector<Function*> functions_of(Session& session, Function* only) {
  std::vector<Function*> functions;
  for (uint32_t i = 0; i < session.module().function_count(); ++i) {
    Function& f = session.module().function(static_cast<ir::FuncId>(i));
    if (!f.is_external() && (only == nullptr || only == &f)) functions.push_back(&f);
  }
  return functions;
}

/// In SSA, at rest. Functions without variables are not touched, so that errors have places in the source.
void take_to_ssa(Session& session, const std::vector<Function*>& functions) {
  std::vector<Function*> with_variables;
  for (Function* f : functions)
    if (!f->variables.empty()) with_variables.push_back(f);
  if (!with_variables.empty()) session.construct(with_variables, {});
  for (Function* f : functions)
    if (!f->is_at_rest()) ir::compact(*f);
}

std::string kinds_text(const TypeTable& table, KindSet kinds) { return to_string(table, Type{kinds}); }

/// One cell of the report: of a long list, how it begins and how many are left.
class ShortList {
 public:
  void add(std::string_view item) {
    if (++count_ <= most_shown) text_ += (text_.empty() ? "" : ", ") + std::string(item);
  }
  std::string text() const {
    return count_ <= most_shown ? text_ : text_ + " and " + std::to_string(count_ - most_shown) + " more";
  }

 private:
  static constexpr size_t most_shown = 16;
  std::string text_;
  size_t count_ = 0;
};

/// How the report calls the values of a function.
class ValueNames {
 public:
  explicit ValueNames(const Function& f) : f_(f), listing_(f) {
    listing_.find_names();
    listing_.find_uses();
  }
  std::string of(Operand value) const {
    std::string out;
    text::StatementText(listing_, out).append_value(value);
    const ir::VarId variable = value.is_stmt() ? f_.source_variable(value) : none_id<ir::VarId>;
    if (!is_none(variable) && f_.variables.contains(variable))
      out += " " + shown_name(f_.module().name(f_.variables[variable].name));
    return out;
  }

 private:
  const Function& f_;
  text::Listing listing_;
};

/// The phis of one function, from SSA to the end. Every phi has a location of its own meanwhile: it survives whatever
/// numbers and copies statements.
class PhiStory {
 public:
  PhiStory(Function& f, const TypesView& view) : f_(f), view_(view), table_(f.module().types) {}

  /// What it does before inference, to which all functions come in this form.
  void prepare() {
    before();
    mark();
    numeric_ = infer::commit_numerics(f_);
    note_commitments();
    infer::insert_pis(f_);
  }
  std::string resolve(const infer::Summaries& callees) {
    infer::infer_types(f_, &callees);
    resolution_ = mixed::resolve(f_, view_.way, {view_.budget}, &callees);
    after();
    unmark();
    return view_.has_report ? summary() + table() + rings_ : std::string();
  }

 private:
  struct Row {
    std::string name, block, inputs, type;
    PhiRule rule;
    bool is_committed = false, is_mixed = false;
    KindSet left = 0;  ///< in the end; 0 if no phi is left of it
    ir::Loc old_loc;
    const mixed::VersionedPhi* versions = nullptr;
  };

  void before() {
    const infer::Types types = infer::infer(f_);
    const infer::PhiTypes phis = infer::type_phis(f_, types);
    for (const TypedPhi& phi : phis.phis) {
      Row row;
      row.rule = phi.rule;
      row.old_loc = f_.loc(phi.phi);
      rows_.push_back(std::move(row));
      phis_.push_back(phi.phi);
    }
    if (view_.has_report) describe(phis);
  }
  /// What flows in, by the names that the program has now.
  void describe(const infer::PhiTypes& phis) {
    const ValueNames names(f_);
    const std::vector<std::string> blocks = shown_names(block_names(f_));
    for (size_t i = 0; i < rows_.size(); ++i) {
      const TypedPhi& phi = phis.phis[i];
      Row& row = rows_[i];
      row.name = names.of(phi.phi);
      row.block = blocks[index(f_.block_of(phi.phi))];
      ShortList inputs;
      for (const PhiInput& input : phi.inputs) {
        const std::string kind = input.is_literal          ? "numeric"
                                 : input.value.is_undef() ? "undef"
                                                          : kinds_text(table_, table_.kinds(input.type));
        inputs.add(blocks[index(f_.edge(input.edge).from)] + ": " + kind);
      }
      row.inputs = inputs.text();
      row.type = kinds_text(table_, table_.kinds(phi.type));
    }
    for (const infer::PhiRing& ring : phis.rings) {
      rings_ += "ring: ";
      for (size_t i = 0; i < ring.members.size(); ++i) rings_ += (i == 0 ? "" : ", ") + names.of(ring.members[i]);
      rings_ += "; what enters: ";
      for (size_t i = 0; i < ring.entering.size(); ++i) rings_ += (i == 0 ? "" : ", ") + names.of(ring.entering[i]);
      rings_ += "; its type: " + kinds_text(table_, table_.kinds(ring.type)) + "\n";
    }
  }

  void mark() {
    const Symbol file = f_.module().symbol("phi");
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      const ir::Loc loc = f_.module().location(file, i, 0);
      row_of_.emplace(index(loc), i);
      f_.set_loc(phis_[i], loc);
    }
    // Copies have no names: what has none must not look like one.
    const std::vector<std::string> blocks = block_names(f_);
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      const BlockId block = static_cast<BlockId>(b);
      if (!is_none(f_.block(block).name)) continue;
      f_.set_block_name(block, f_.module().symbol(blocks[b]));
      named_.insert(index(f_.block(block).name));
    }
  }
  void unmark() {
    for (uint32_t p = 0; p < f_.size(); ++p) {
      const Operand id = static_cast<ir::Ref>(p);
      if (auto found = row_of_.find(index(f_.loc(id))); found != row_of_.end()) f_.set_loc(id, rows_[found->second].old_loc);
    }
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      const BlockId block = static_cast<BlockId>(b);
      if (named_.contains(index(f_.block(block).name))) f_.set_block_name(block, none_id<Symbol>);
    }
  }

  template <typename Visit>
  void for_each_marked_phi(Visit&& visit) {
    for (uint32_t p = 0; p < f_.size(); ++p) {
      const Operand id = static_cast<ir::Ref>(p);
      if (f_.op(id) != Op::phi) continue;
      if (auto found = row_of_.find(index(f_.loc(id))); found != row_of_.end()) visit(id, rows_[found->second]);
    }
  }
  void note_commitments() {
    for_each_marked_phi([&](Operand phi, Row& row) {
      if (row.rule != PhiRule::numeric) return;
      row.is_committed = true;
      for (uint32_t i = 0; i < f_.operand_count(f_.stmt(phi)); ++i)
        row.is_committed &= !infer::is_numeric_literal(f_, f_.operand(phi, i));
    });
  }
  void after() {
    for (const mixed::VersionedPhi& phi : resolution_.versions.phis)
      if (auto found = row_of_.find(index(phi.loc)); found != row_of_.end()) rows_[found->second].versions = &phi;
    for_each_marked_phi([&](Operand phi, Row& row) {
      row.left |= table_.kinds(f_.type(phi));
      row.is_mixed |= table_.storage(f_.type(phi)) == Storage::mixed;
    });
  }

  static std::string counted(uint32_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
  }
  std::string summary() const {
    uint32_t counts[4] = {};
    for (const Row& row : rows_) ++counts[static_cast<int>(row.rule)];
    std::string text = "@" + shown_name(f_.name_text()) + ": " + counted(static_cast<uint32_t>(rows_.size()), "phi");
    if (!rows_.empty())
      text += ", " + std::to_string(counts[0]) + " of one type, " + std::to_string(counts[1]) + " numeric, " +
              std::to_string(counts[2]) + " mixed";
    const mixed::VersionReport& versions = resolution_.versions;
    if (versions.rounds != 0)
      text += "; " + counted(versions.copied, "statement") + " copied in " + counted(versions.rounds, "round");
    else if (versions.ended_by_budget)
      text += "; no statements copied";
    if (versions.rounds != 0 || versions.ended_by_budget) text += ", the budget is " + std::to_string(view_.budget);
    if (versions.ended_by_budget) text += ", and ended";
    const mixed::VariantReport& variants = resolution_.variants;
    if (variants.phis + variants.operations != 0)
      text += "; " + counted(variants.phis, "phi") + " of variants with " +
              counted(variants.conversions, "conversion") + ", " + counted(variants.operations, "operation") + " on them with " + counted(variants.fast_paths, "fast path");
    if (versions.has_states_elsewhere) text += "; no versions, because a save state is used outside of its block";
    return text + "\n";
  }
  std::string table() const {
    if (rows_.empty()) return {};
    std::vector<std::vector<std::string>> table = {{"phi", "block", "in", "type", "rule", "resolution", "copies", "cost"}};
    for (const Row& row : rows_)
      table.push_back({row.name, row.block, row.inputs, row.type, std::string(to_string(row.rule)), resolution(row),
                       copies(row), row.versions == nullptr ? "0" : std::to_string(row.versions->cost)});
    return table_text(table);
  }
  std::string resolution(const Row& row) const {
    if (row.is_committed) return "f64";
    if (row.rule == PhiRule::same) return row.left != 0 ? "one variable" : "not needed";
    const bool has_versions = row.versions != nullptr && row.versions->versions.size() > 1;
    std::string text;
    if (has_versions) {
      text = "version";
      for (KindSet kinds : row.versions->versions)
        if (kinds != 0) text += (text == "version" ? " " : ", ") + kinds_text(table_, kinds);
    }
    if (has_versions && !row.is_mixed) return text;
    if (!row.is_mixed) return row.left != 0 ? "narrowed to " + kinds_text(table_, row.left) : "not needed";
    return text + (has_versions ? "; " : "") + (view_.way == mixed::Way::version ? "stays mixed" : "variant");
  }
  std::string copies(const Row& row) const {
    ShortList blocks;
    if (row.versions != nullptr)
      for (Symbol name : row.versions->copied) blocks.add(is_none(name) ? "-" : shown_name(f_.module().name(name)));
    const std::string text = blocks.text();
    return text.empty() ? "-" : text;
  }

  Function& f_;
  const TypesView view_;
  TypeTable& table_;
  std::vector<Row> rows_;
  std::vector<Operand> phis_;
  std::unordered_map<uint32_t, uint32_t> row_of_;  ///< by location
  std::unordered_set<uint32_t> named_;  ///< symbols of names that blocks have for the report only
  std::string rings_;
  infer::NumericReport numeric_;
  mixed::Resolution resolution_;
};

/// Phis of unknown type are errors.
std::vector<ir::Finding> unknown_phis(const Function& f) {
  std::vector<ir::Finding> findings;
  const infer::Types types = infer::infer(f);
  const infer::PhiTypes phis = infer::type_phis(f, types);
  for (const TypedPhi& phi : phis.phis)
    if (phi.rule == PhiRule::unknown)
      findings.push_back({"phi-type", f.id(), f.block_of(phi.phi), phi.phi,
                          "the type of this phi is unknown: " + phi.reason});
  return findings;
}

}  // namespace

Expected<std::string> resolve_types(Session& session, Function* only, const TypesView& view) {
  const std::vector<Function*> functions = functions_of(session, only);
  take_to_ssa(session, functions);
  std::vector<ir::Finding> findings;
  for (Function* f : functions) {
    std::vector<ir::Finding> found = unknown_phis(*f);
    findings.insert(findings.end(), found.begin(), found.end());
  }
  if (!findings.empty()) return session.describe(findings);
  session.note_change();
  std::vector<PhiStory> stories;
  stories.reserve(functions.size());
  for (Function* f : functions) stories.emplace_back(*f, view).prepare();
  std::vector<ir::FuncId> callees;
  for (const Function* f : functions) infer::append_callees(*f, callees);
  const infer::Summaries summaries = infer::summarise(session.module(), callees);
  std::string out;
  for (PhiStory& story : stories) {
    if (!out.empty()) out += '\n';
    out += story.resolve(summaries);
  }
  return out;
}

std::string show_phi_graph(Session& session, Function* only) {
  const std::vector<Function*> functions = functions_of(session, only);
  take_to_ssa(session, functions);
  std::string out;
  for (Function* f : functions) {
    const infer::Types types = infer::infer(*f);
    const ValueNames names(*f);
    out += "digraph \"" + dot_escaped(f->name_text()) + "\" {\n";
    for (const TypedPhi& phi : infer::type_phis(*f, types).phis)
      for (const PhiInput& input : phi.inputs)
        out += "  \"" + dot_escaped(names.of(input.value)) + "\" -> \"" + dot_escaped(names.of(phi.phi)) + "\"\n";
    out += "}\n";
  }
  return out;
}

}  // namespace braid::driver
