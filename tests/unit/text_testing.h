// What the tests of the text form share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "text/equal.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::text {

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The sources of tests/files/text, in the order of their names.
inline std::vector<std::filesystem::path> sample_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(BRAID_SOURCE_DIR "/tests/files/text"))
    if (entry.path().extension() == ".braid") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The module, or null and a failed test.
inline std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Expected<ParsedModule> result = parse_module(SourceFile("test", text));
  if (!result) {
    ADD_FAILURE() << render(result.error());
    return nullptr;
  }
  return std::move(result->module);
}

/// `line:column: message` of every error, one per line.
inline std::string errors_of(const std::string& text, const ParseOptions& options = {}) {
  Expected<ParsedModule> result = parse_module(SourceFile("test", text), options);
  std::string list;
  for (const Diagnostic& error : result.error()) {
    if (error.line != 0) list += std::to_string(error.line) + ":" + std::to_string(error.column) + ": ";
    list += error.message + "\n";
  }
  return list;
}

/// Prints the module, reads that, and expects the same module and the same text again.
inline void expect_round_trip(const ir::Module& module) {
  std::string text = to_text(module);
  std::unique_ptr<ir::Module> again = parsed(text);
  ASSERT_NE(again, nullptr) << text;
  std::string difference;
  EXPECT_TRUE(ir_equal(module, *again, &difference)) << difference << "\n" << text;
  std::string second = to_text(*again);
  std::unique_ptr<ir::Module> third = parsed(second);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(to_text(*third), second);
}

}  // namespace braid::text
