// Programs from text, and runs of them, for the tests of passes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "interp/interpreter.h"
#include "ir/verify.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::opt {

struct Program {
  explicit Program(const std::string& text) {
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("test", text));
    EXPECT_TRUE(parsed.has_value()) << render(parsed.error()) << text;
    if (parsed) module = std::move(parsed->module);
    expect_valid("as written");
  }
  ir::Function& function(const char* name = "f") { return *module->find_function(name); }
  void expect_valid(const std::string& when) {
    for (const ir::Finding& finding : ir::verify(*module))
      ADD_FAILURE() << when << ": " << finding.message << " [" << finding.rule << "]\n" << text::to_text(*module);
  }
  std::string run(const std::vector<Value>& arguments, uint64_t steps = 100'000) {
    interp::RunOptions options;
    options.max_steps = steps;
    return to_string(interp::Interpreter(*module, options).run(function(), arguments));
  }
  std::string text() { return text::to_text(*module); }

  std::unique_ptr<ir::Module> module;
};

}  // namespace braid::opt
