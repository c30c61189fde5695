// The SSA engine does what the direct interpreter does: by every constructor, after passes, when it is left at any
// state, when it is entered at any loop header, and while the collector runs at every chance.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "front/pandasm/pandasm.h"
#include "front/pandasm/ssa_engine.h"
#include "ir/verify.h"
#include "random_pandasm.h"
#include "text/print.h"

namespace braid::pandasm {
namespace {

struct Verified {
  SourceFile source;
  Program program;
  Links links;
  std::vector<FunctionTypes> types;
};

/// Nothing if the verifier does not accept it; other errors are the generator's.
std::optional<Verified> open(const std::string& text) {
  SourceFile source("random.pa", text);
  Expected<Program> program = parse(source);
  EXPECT_TRUE(program) << render(program.error()) << text;
  if (!program) return std::nullopt;
  Expected<Links> links = link(source, *program);
  EXPECT_TRUE(links) << render(links.error()) << text;
  if (!links) return std::nullopt;
  Expected<std::vector<FunctionTypes>> types = verify(source, *program, *links);
  if (!types) return std::nullopt;
  return Verified{std::move(source), std::move(*program), std::move(*links), std::move(*types)};
}

struct Ran {
  std::string output, result;
  bool operator==(const Ran&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Ran& ran) {
  return out << ran.result << " with output " << ran.output;
}

struct How {
  bool direct = false;
  ssa::Algorithm algorithm = ssa::Algorithm::regmap;
  bool passes = false;
  bool stress = false;    ///< of the collector
  uint32_t leave_at = 0;  ///< which question of `pa.stays` gets a no; 0: none is asked
  bool leave_always = false;
  bool inlines = false;
  uint32_t enter_after = 0;  ///< backward jumps to a header before SSA takes over
};

struct Counts {
  uint64_t leaves = 0, entries = 0, collections = 0, threw = 0;
};

passes::Pipeline all_passes() {
  passes::Pipeline pipeline;
  for (const passes::Pass& pass : passes::all_passes())
    if (!pass.is_on_request) pipeline.push_back(&pass);
  return pipeline;
}

Ran run(const Verified& v, const How& how, Counts& counts) {
  Ran ran;
  VmOptions vm_options;
  vm_options.heap.stress = how.stress;
  vm_options.output = [&](std::string_view text) { ran.output += text; };
  Vm vm(v.program, v.links, vm_options);
  uint32_t main = 0;
  for (uint32_t i = 0; i < v.program.functions.size(); ++i)
    if (v.program.symbols.view(v.program.functions[i].name) == "main") main = i;

  SsaOptions options;
  options.algorithm = how.algorithm;
  if (how.passes) options.passes = all_passes();
  if (how.inlines) options.passes = *passes::parse_pipeline("inline,simplify,simplify-edges,dce");
  uint32_t asked = 0;
  if (how.leave_at != 0 || how.leave_always)
    options.stays = [&](uint32_t) { return ++asked != how.leave_at && !how.leave_always; };
  std::optional<SsaEngine> engine;
  if (!how.direct) engine.emplace(v.source, v.types, vm, options);
  InterpreterOptions direct_options;
  if (how.enter_after != 0) direct_options.watcher = &*engine;
  direct_options.watch_after = how.enter_after == 0 ? 1 : how.enter_after;
  Interpreter direct(vm, v.types, direct_options);
  if (engine) engine->set_direct(direct);
  const RunResult result = how.direct || how.enter_after != 0 ? direct.call(main, {}) : engine->call(main, {});
  switch (result.kind) {
    case RunResult::Kind::returned: ran.result = std::to_string(static_cast<int32_t>(result.value)); break;
    case RunResult::Kind::threw:
      ran.result = "threw " + vm.describe(vm.pending());
      ++counts.threw;
      break;
    case RunResult::Kind::stopped: ran.result = "stopped"; break;
  }
  counts.collections += vm.heap().statistics().collections;
  if (engine) {
    counts.leaves += engine->statistics().leaves;
    counts.entries += engine->statistics().entries;
  }
  return ran;
}

/// Everything that is built from it verifies, before and after construction.
void check_ir(const Verified& v, uint32_t seed) {
  TranslationOptions options;
  options.may_leave = seed % 2 == 0;
  Translation translation(v.source, v.program, v.links, v.types, options);
  for (uint32_t f = 0; f < v.program.functions.size(); ++f)
    if (v.program.functions[f].has_body)
      for (bytecode::Pc header : translation.headers(f)) translation.add_entry(f, header);
  ir::Module& module = translation.module();
  for (int round = 0; round < 2; ++round) {
    const std::vector<ir::Finding> findings = ir::verify(module);
    ASSERT_TRUE(findings.empty()) << seed << ": " << findings[0].message << "\n" << text::to_text(module);
    if (round == 1) break;
    for (uint32_t i = 0; i < module.function_count(); ++i) {
      ir::Function& f = module.function(static_cast<ir::FuncId>(i));
      if (!f.is_external()) ssa::construct(f, {ssa::all_algorithms[seed % 3], ssa::Prune::pruned, nullptr});
    }
  }
}

TEST(PandasmSsa, RandomProgramsRunAlike) {
  const uint32_t rounds = 700;
  uint32_t rejected = 0, returned = 0, with_output = 0;
  Counts counts;
  for (uint32_t seed = 1; seed <= rounds; ++seed) {
    const std::string text = testing::RandomPandasm(seed).program();
    const std::optional<Verified> v = open(text);
    if (HasFailure()) return;
    if (!v) {
      ++rejected;
      continue;
    }
    check_ir(*v, seed);
    const Ran expected = run(*v, {.direct = true}, counts);
    returned += !expected.result.starts_with("threw");
    with_output += !expected.output.empty();
    const How ways[] = {
        {.algorithm = ssa::Algorithm::regmap},
        {.algorithm = ssa::Algorithm::cytron},
        {.algorithm = ssa::Algorithm::braun},
        {.passes = true},
        {.stress = true},
        {.leave_at = 1 + seed % 13},
        {.stress = seed % 3 == 0, .leave_always = true},
        {.enter_after = 1 + seed % 3},
        {.stress = seed % 3 == 1, .leave_at = 2 + seed % 5, .enter_after = 1},
        {.leave_always = true, .enter_after = 1},
        {.leave_at = 1 + seed % 17, .inlines = true},
        {.leave_at = 20 + seed % 17, .inlines = true, .enter_after = 1 + seed % 2},
    };
    for (const How& how : ways) {
      ASSERT_EQ(expected, run(*v, how, counts))
          << "seed " << seed << " way " << (&how - ways) << " by " << ssa::name(how.algorithm) << "\n"
          << text;
    }
  }
  std::printf(
      "%u of %u programs rejected, %u returned, %u with output; %llu leaves, %llu entries, %llu collections, %llu "
      "threw\n",
      rejected, rounds, returned, with_output, static_cast<unsigned long long>(counts.leaves),
      static_cast<unsigned long long>(counts.entries), static_cast<unsigned long long>(counts.collections),
      static_cast<unsigned long long>(counts.threw));
  EXPECT_GT(rejected, 0u);
  EXPECT_LT(rejected, rounds / 5);
  EXPECT_GT(returned, rounds / 5);
  EXPECT_GT(with_output, rounds / 5);
  EXPECT_GT(counts.leaves, rounds * 2);
  EXPECT_GT(counts.entries, rounds);
  EXPECT_GT(counts.collections, rounds * 10);
}

}  // namespace
}  // namespace braid::pandasm
