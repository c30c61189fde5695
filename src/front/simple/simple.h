// The Simple language: parsed straight into graphs, in one pass and without a tree.
//
// Two languages: `simple8` is chapter 8 of the original, with its grammar, its quirks and its error texts; `simple` is
// today's Simple without memory. docs/simple.md describes both.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "sea/build.h"
#include "sea/graph_pool.h"
#include "sea/rewrite.h"

namespace braid::simple {

enum class Language : uint8_t { simple, simple8 };
inline constexpr Language all_languages[] = {Language::simple, Language::simple8};
constexpr std::string_view name(Language language) { return language == Language::simple8 ? "simple8" : "simple"; }

/// How far rewrites go, for those who look at them one by one.
struct RewriteLimit {
  static constexpr uint64_t none = ~uint64_t{0};
  uint64_t rewrites = none;  ///< after so many, at least one, every node is left as it is made, and the optimiser leaves the graph alone
  uint64_t within = none;    ///< so many steps within rewrites are done: see sea::RewriteObserver
};

struct ParseOptions {
  Language language = Language::simple;
  bool peepholes = true;
  bool single_region = false;            ///< see sea::BuildOptions
  std::optional<int64_t> assumed_arg;    ///< what `arg` is known to be
  sea::RewriteObserver* observer = nullptr;  ///< hears of every rewrite
  std::optional<RewriteLimit> limit;         ///< then the trail of the program is kept
  sea::GraphPool* pool = nullptr;            ///< where graphs come from, and where those of invalid programs go
};

struct FunctionGraph {
  Symbol name;
  ir::FuncId id;
  uint32_t parameters = 1;
  std::unique_ptr<sea::Graph> graph;
};

/// How many rewrites there were, and the last one.
struct RewriteTrail {
  struct Within {
    uint64_t step;
    sea::Rewrite rule;
  };
  uint64_t rewrites = 0;
  sea::Rewrite last{};
  uint64_t node = 0;                ///< the number of the node that it was done at
  Symbol function{};
  std::optional<size_t> offset;     ///< where the parser was; none behind it, in the optimiser
  std::vector<Within> within;       ///< the rules that simplified what it made
};

/// The functions are declared in the module, and have no bodies there.
struct Program {
  std::vector<FunctionGraph> functions;  ///< the first one is the program itself, `main`, with its parameter `arg`
  std::string shown;                     ///< what `#showGraph;` has printed
  RewriteTrail trail;                    ///< only with a limit

  sea::Graph& main() const { return *functions[0].graph; }
};

/// Errors have positions in `source`; in `simple8` there is one, with the original's text.
Expected<Program> parse(ir::Module& module, const SourceFile& source, const ParseOptions& options = {});

}  // namespace braid::simple
