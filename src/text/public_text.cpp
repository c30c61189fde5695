// The public functions of the text form.
#include <braid/text.h>

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

/// What is wrong must not be called or run: of the functions that have come, only declarations stay.
void drop_bodies(ir::Module& module, uint32_t first) {
  for (uint32_t i = first; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    if (!f.is_external()) module.replace_function(f.id(), ir::declaration_of(f));
  }
}

Expected<void> parse_valid(ir::Module& module, const SourceFile& source) {
  Expected<text::SourceMap> positions = text::parse_into(module, source);
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
  Expected<void> read = parse_valid(m.ir(), SourceFile{std::string(file), std::string(text)});
  if (!read) drop_bodies(m.ir(), known);
  return read;
}

Expected<Module> parse(std::string_view text, std::string_view file) {
  Module m;
  if (Expected<void> read = parse_into(m, text, file); !read) return read.error();
  return m;
}

}  // namespace braid
