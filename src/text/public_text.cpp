// The public functions of the text form.
#include <braid/text.h>

#include "text/findings.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid {

std::string to_text(const Func& f) { return text::to_text(f); }
std::string to_text(const Module& m) { return text::to_text(m.ir()); }

Expected<void> parse_into(Module& m, std::string_view text, std::string_view file) {
  SourceFile source{std::string(file), std::string(text)};
  Expected<text::SourceMap> positions = text::parse_into(m.ir(), source);
  if (!positions) return positions.error();
  ir::VerifyOptions options;
  options.name = [&](const ir::Function& f, ir::Operand id) { return text::source_name(f, id, source, *positions); };
  std::vector<ir::Finding> findings = ir::verify(m.ir(), options);
  if (!findings.empty()) return text::describe(m.ir(), findings, source, &*positions);
  return {};
}

Expected<Module> parse(std::string_view text, std::string_view file) {
  Module m;
  if (Expected<void> read = parse_into(m, text, file); !read) return read.error();
  return m;
}

}  // namespace braid
