// Random walks: every edit operation, on functions and inside of walks, against the naive model of ir_edit_model.h.
#include <csignal>
#include <cstdio>
#include <functional>

#include <gtest/gtest.h>

#include "ir/verify.h"
#include "ir_edit_walk.h"
#include "text/print_julia.h"

namespace braid::ir::model {
namespace {

/// The statements and edges of a function, word by word.
std::string dump(const Function& f) {
  std::string text;
  auto add = [&](uint32_t number) { text += std::to_string(number) + " "; };
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block& block = f.block(static_cast<BlockId>(b));
    text += "\nblock ";
    for (uint32_t number : {block.first, block.end, block.pred_count, block.terminator.word(), index(block.name)}) add(number);
    f.for_each_pred(static_cast<BlockId>(b), [&](EdgeId e) {
      const ir::Edge& edge = f.edge(e);
      text += "edge ";
      for (uint32_t number : {index(edge.from), uint32_t{edge.slot}, edge.pred_index}) add(number);
    });
  }
  for (uint32_t i = 0; i < f.dense_count(); ++i) {
    Operand id = f.from_dense(i);
    text += "\n" + std::string(info(f.op(id)).text) + " ";
    add(f.type(id).bits);
    add(index(f.loc(id)));
    add(f.stmt(id).flags);
    for (uint32_t word : f.args(f.stmt(id))) add(word);
  }
  return text;
}

void show(const Function& f) {
  PendingLists lists(f);
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    std::printf("block %s:\n", std::string(f.module().name(f.block(static_cast<BlockId>(b)).name)).c_str());
    for_each_statement(f, lists, static_cast<BlockId>(b), [&](Operand id) {
      std::printf("  #%u %s%u = %s", index(f.loc(id)), id.is_pending() ? "+" : "", id.number(), std::string(info(f.op(id)).text).c_str());
      for (uint32_t i = 0; i < f.operand_count(f.stmt(id)); ++i) {
        if (!info(f.op(id)).is_value(i)) {
          std::printf(" [%u]", f.arg(f.stmt(id), i));
          continue;
        }
        Operand o = f.operand(id, i);
        if (o.is_stmt() || o.is_pending()) std::printf(" #%u", index(f.loc(o)));
        else std::printf(" w%x", o.word());
      }
      std::printf("\n");
    });
  }
}
/// `compact` does what a walk without edits does, and a function at rest stays as it is.
bool compact_twice(Walker& w, CompactOptions options) {
  w.log.push_back("compact");
  Function copy = w.function;
  compact(copy, options);
  if (!w.run_walk(options, 0)) return false;
  if (dump(copy) != dump(w.function)) return w.fail("compact and a walk without edits differ");
  return true;
}

/// At most three compactions leave nothing to do: the second places what was inserted behind and drops what the first
/// left as `nothing`, the third folds phis that have lost columns.
bool comes_to_rest(Walker& w) {
  for (int i = 0; i < 8; ++i) {
    std::string before = dump(w.function);
    if (!compact_twice(w, {})) return false;
    if (dump(w.function) == before) {
      if (w.function.pending_count() != 0 || !w.function.is_at_rest()) return w.fail("the function is not at rest");
      for (uint32_t i = 0; i < w.function.size(); ++i)
        if (w.function.op(static_cast<Ref>(i)) <= Op::same) return w.fail("an erased statement is left");
      return true;
    }
  }
  return w.fail("compaction never comes to an end");
}

/// The finished part is a function whose graph is sound, whatever its operands are.
void check_finished_part(Walker& w) {
  Function part = w.walk->finished_part();
  for (const Finding& finding : verify(part))
    for (const VerifyRule& rule : verify_rules())
      if (rule.name == finding.rule && rule.subject == "Graph")
        w.fail("the finished part breaks the rule " + std::string(finding.rule) + ": " + finding.message);
  if (text::to_julia(*w.walk).find("─\n") == std::string::npos) w.fail("there is no rule below what is emitted");
}

bool run_seed(Walker& w) {
  w.at_step = [&] {
    if (w.random.chance(3)) check_finished_part(w);
  };
  w.build();
  uint32_t rounds = 1 + w.random.below(3);
  for (uint32_t round = 0; round < rounds; ++round) {
    if (std::getenv("BRAID_SHOW")) show(w.function);
    for (uint32_t edits = w.random.below(12); edits > 0 && w.failure.empty(); --edits) w.edit();
    if (!w.failure.empty()) return false;
    CompactOptions options{.count_uses = w.random.chance(40), .remove_dead = w.random.chance(20), .fold_branches = w.random.chance(30)};
    if (w.random.chance(15)) {
      if (!compact_twice(w, options)) return false;
    } else if (!w.run_walk(options, 2 + w.random.below(8))) {
      return false;
    }
  }
  return comes_to_rest(w);
}

void report(const Walker& w, uint64_t seed) {
  std::string text;
  for (const std::string& line : w.log) text += "  " + line + "\n";
  if (std::getenv("BRAID_SHOW")) show(w.function);
  ADD_FAILURE() << "seed " << seed << "\n" << text << "seed " << seed << ": " << w.failure;
}

/// An assertion in the library tells its seed and the edits before it, too.
const Walker* crash_report = nullptr;
uint64_t crash_seed = 0;
void on_abort(int) {
  if (std::getenv("BRAID_SHOW")) show(crash_report->function), std::fflush(stdout);
  for (const std::string& line : crash_report->log) std::fprintf(stderr, "  %s\n", line.c_str());
  std::fprintf(stderr, "seed %lu\n", static_cast<unsigned long>(crash_seed));
}

/// What the default run must have done, each at least fifty times.
constexpr const char* operations[] = {
    "add upsilon", "clone blocks", "end block here", "erase", "erase NewRef", "erase ahead", "erase behind", "erase here",
    "erase used", "insert after", "insert after pending", "insert ahead after", "insert ahead after the visited",
    "insert ahead before", "insert at end", "insert at start", "insert before", "insert before pending",
    "insert behind after NewRef", "insert behind after Ref", "insert behind before NewRef", "insert behind before Ref",
    "insert copy", "insert here", "insert phi", "insert phi ahead", "insert phi here", "impossible successor", "merge blocks", "new block",
    "new block in the walk", "no impossible successor", "overwrite", "overwrite NewRef", "overwrite behind", "overwrite terminator", "redirect edge",
    "remove edge", "remove edge ahead", "remove edge behind", "remove edge to the current block", "replace",
    "replace NewRef", "replace ahead", "replace behind", "replace here", "set column", "set operand", "set operand NewRef",
    "set operand ahead", "set operand behind", "set type", "split block", "split block with pending", "split edge", "terminate again", "use counts checked",
    "vanished at once", "walks that moved blocks", "walks with unreachable blocks"};

void expect_coverage(Coverage& coverage) {
  for (const char* what : operations) EXPECT_GE(coverage[what], 50u) << what;
  for (auto& [what, times] : coverage) EXPECT_GE(times, 50u) << what;
  EXPECT_GE(coverage["walks with forward references"] * 100, coverage["walks"] * 30);
  EXPECT_GE(coverage["walks that dropped blocks"] * 100, coverage["walks"] * 20);
}

TEST(CompactRandom, EveryEditAgreesWithTheModel) {
  std::signal(SIGABRT, on_abort);
  Coverage coverage;
  uint64_t first = 1, count = 2500;
  if (const char* seed = std::getenv("BRAID_SEED")) first = std::strtoull(seed, nullptr, 10), count = 1;
  if (const char* seeds = std::getenv("BRAID_SEEDS")) count = std::strtoull(seeds, nullptr, 10);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Walker w(seed, coverage);
    crash_report = &w;
    crash_seed = seed;
    if (!run_seed(w)) {
      report(w, seed);
      return;
    }
  }
  for (auto& [what, times] : coverage) std::printf("%8lu %s\n", static_cast<unsigned long>(times), what.c_str());
  if (count >= 2500) expect_coverage(coverage);
}

}  // namespace
}  // namespace braid::ir::model
