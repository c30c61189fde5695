// The public functions of the text form.
#include <braid/text.h>

#include <utility>
#include <vector>

#include "ir/place.h"
#include "text/findings.h"
#include "text/parse.h"
#include "text/print.h"
#include "text/print_julia.h"

namespace braid {

std::string to_text(const Func& f) { return text::to_text(f); }
std::string to_text(const Module& m) { return text::to_text(m.ir()); }

std::string to_julia(const Func& f, bool colour) { return text::to_julia(f, colour); }

namespace {

/// What is wrong must not be called or run: of the functions that have come, only declarations stay, old ones as they were.
void drop_bodies(ir::Module& module, uint32_t first, std::vector<ir::Function> replaced) {
  for (ir::Function& declaration : replaced) {
    const ir::FuncId id = declaration.id();
    module.replace_function(id, std::move(declaration));
  }
  for (uint32_t i = first; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    if (!f.is_external()) module.replace_function(f.id(), ir::declaration_of(f));
  }
}

Expected<void> parse_valid(ir::Module& module, const SourceFile& source, std::vector<ir::Function>& replaced) {
  text::ParseOptions parse;
  parse.replaced = &replaced;
  Expected<text::SourceMap> positions = text::parse_into(module, source, parse);
  if (!positions) return positions.error();
  ir::VerifyOptions options;
  options.name = [&](const ir::Function& f, ir::Operand id) { return text::source_name(f, id, source, *positions); };
  std::vector<ir::Finding> findings = ir::verify(module, options);
  if (!findings.empty()) return text::describe(module, findings, source, &*positions);
  return {};
}

}  // namespace

Expected<void> parse_into(Module& m, std::string_view text, std::string_view file) {
  const uint32_t known = m.ir().function_count();
  std::vector<ir::Function> replaced;
  Expected<void> read = parse_valid(m.ir(), SourceFile{std::string(file), std::string(text)}, replaced);
  if (read)
    for (const ir::Function& declaration : replaced) m.ir().changes.push_back(declaration.id());
  else
    drop_bodies(m.ir(), known, std::move(replaced));
  return read;
}

Expected<Module> parse(std::string_view text, std::string_view file) {
  Module m;
  if (Expected<void> read = parse_into(m, text, file); !read) return read.error();
  return m;
}

}  // namespace braid
