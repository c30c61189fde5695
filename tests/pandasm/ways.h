// All ways to run a pandasm program, which must not differ: by every constructor of SSA, after every pass, with collections
// everywhere, entered at loop headers and left at states, called by guess, with an exception at any instruction that
// may throw. Compared
// is what it prints, how it ends, where an exception came from, and what registers hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "front/pandasm/live_frame.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/ssa_engine.h"
#include "ir/verify.h"
#include "text/print.h"

namespace braid::pandasm::testing {

struct Verified {
  SourceFile source;
  Program program;
  Links links;
  std::vector<FunctionTypes> types;
  uint32_t main = 0;
};

/// Null if it is not a program, with the reason, or if it has no `main` without parameters.
inline std::unique_ptr<Verified> open(const std::string& text, Diagnostics& errors, bool& is_linked) {
  SourceFile source("random.pa", text);
  is_linked = false;
  Expected<Program> program = parse(source);
  if (!program) return errors = program.error(), nullptr;
  Expected<Links> links = link(source, *program);
  if (!links) return errors = links.error(), nullptr;
  is_linked = true;
  Expected<std::vector<FunctionTypes>> types = verify(source, *program, *links);
  if (!types) return errors = types.error(), nullptr;
  auto verified = std::make_unique<Verified>(
      Verified{std::move(source), std::move(*program), std::move(*links), std::move(*types)});
  for (; verified->main < verified->program.functions.size(); ++verified->main) {
    const Function& function = verified->program.functions[verified->main];
    if (verified->program.symbols.view(function.name) == "main" && function.has_body && function.parameters.empty()) return verified;
  }
  return nullptr;
}

struct Ran {
  bool is_whole = true;             ///< it has come to no limit of steps or memory, which are not the same for all
  std::string text;                 ///< what was printed, how it ended, where an exception came from
  std::vector<uint64_t> registers;  ///< of the frame that was left, when it ended
  bool operator==(const Ran&) const = default;
};
inline std::string to_string(const Ran& ran) {
  std::string text = ran.text + "\nregisters";
  for (uint64_t word : ran.registers) text += ' ' + std::to_string(word);
  return text;
}

struct How {
  bool is_direct = false;
  ssa::Algorithm algorithm = ssa::Algorithm::regmap;
  passes::Pipeline passes = {};
  bool stress = false;         ///< of the collector
  uint64_t leave_at = 0;       ///< which instruction that may throw is not executed in compiled code; of a direct run: only with what is live
  bool leave_always = false;
  uint32_t enter_after = 0;    ///< backward jumps to a header before SSA takes over
  uint64_t throw_at = 0;       ///< which instruction that may throw does
  bool lies = false;           ///< guesses on receivers are taken out of the air
  bool is_taken_over = false;  ///< frames are given to another interpreter at loop headers
  bool compares_entries = false;  ///< what is left right behind a header holds what the interpreter would
};

struct Counts {
  uint64_t leaves = 0, entries = 0, collections = 0, threw = 0, guesses_held = 0, guesses_failed = 0, rebuilt = 0, frames_compared = 0;
  uint64_t registers_compared = 0, objects = 0;
};

/// Hands every frame back as it is; every third one is run to its end by another interpreter.
struct OtherInterpreter final : LoopWatcher {
  Interpreter* other = nullptr;
  uint32_t asked = 0;
  LoopAnswer at_loop_header(const Frame& frame, uint32_t) override {
    if (++asked % 3 != 0) return {LoopAnswer::Kind::replaced, 0, {frame}};
    RunResult rest = other->resume({&frame, 1}, frame.depth - 1);
    if (rest.kind == RunResult::Kind::returned) return {LoopAnswer::Kind::returned, rest.value};
    return {LoopAnswer::Kind::threw, 0, {}, std::move(rest.trace)};
  }
};

/// Enters compiled code, which leaves at once; what it gives back is what the interpreter has when it comes there. Between a
/// header and the next instruction that may throw, nothing happens but to registers.
struct Comparing final : LoopWatcher {
  const Verified* program = nullptr;
  Vm* vm = nullptr;
  SsaEngine* engine = nullptr;
  uint64_t compared = 0;
  bool is_equal = true;

  struct Stopping final : LoopWatcher {
    std::optional<Frame> frame;
    LoopAnswer at_loop_header(const Frame& at, uint32_t count) override {
      if (count != 0) return {};
      frame = at;
      return {LoopAnswer::Kind::stopped};
    }
  };

  LoopAnswer at_loop_header(const Frame& frame, uint32_t count) override {
    LoopAnswer answer = engine->at_loop_header(frame, count);
    if (answer.kind != LoopAnswer::Kind::replaced || answer.frames.size() != 1) return answer;
    Stopping stopping;
    InterpreterOptions options;
    options.watcher = &stopping;
    options.watch_after = 0xffffffffu;
    options.watch_at = 1;
    Interpreter other(*vm, program->types, options);
    other.resume({&frame, 1});
    if (stopping.frame) forget_dead(*vm, program->types, *stopping.frame);
    is_equal = is_equal && stopping.frame && stopping.frame->pc == answer.frames[0].pc &&
               stopping.frame->registers == answer.frames[0].registers;
    ++compared;
    return answer;
  }
};

class Tried {
 public:
  Tried(const Verified& program, uint64_t seed, Counts& counts) : v_(program), seed_(seed), counts_(counts) {}

  uint64_t max_steps = 100'000;
  uint64_t max_heap = uint64_t{64} << 20;

  /// How many instructions that may throw the last direct run has come to.
  uint64_t throwing() const { return throwing_; }

  Ran run(const How& how) {
    Ran ran;
    VmOptions vm_options;
    vm_options.heap.stress = how.stress;
    vm_options.output = [&](std::string_view text) { ran.text += text; };
    vm_options.heap.max_bytes = max_heap;
    Vm vm(v_.program, v_.links, vm_options);
    InterpreterOptions options;
    options.max_steps = max_steps;
    options.watch_after = std::max(how.enter_after, 1u);
    options.keeps_registers = how.leave_at != 0;
    constexpr uint64_t never = uint64_t{1} << 60;
    options.throw_at = !how.is_direct ? 0 : how.throw_at != 0 ? how.throw_at : how.leave_at != 0 ? 0 : never;
    Interpreter other(vm, v_.types);
    OtherInterpreter taking_over;
    taking_over.other = &other;
    if (how.is_taken_over) options.watcher = &taking_over;
    LiveFrameRunner live(vm, v_.types, options);
    if (how.is_direct && how.leave_at != 0) {
      options.watcher = &live;
      options.watch_at = how.leave_at;
      options.watch_after = 0xffffffffu;
    }
    uint64_t asked = 0;
    Interpreter* direct = nullptr;
    std::optional<SsaEngine> engine;
    if (!how.is_direct) engine.emplace(v_.source, v_.types, vm, ssa_options(how, asked, direct));
    Comparing comparing;
    if (engine && how.enter_after != 0) options.watcher = &*engine;
    if (engine && how.compares_entries) {
      comparing.program = &v_;
      comparing.vm = &vm;
      comparing.engine = &*engine;
      options.watcher = &comparing;
    }
    Interpreter interpreter(vm, v_.types, options);
    direct = &interpreter;
    if (engine) engine->set_direct(interpreter);
    const bool begins_direct = how.is_direct || how.enter_after != 0;
    const RunResult result = begins_direct ? interpreter.call(v_.main, {}) : engine->call(v_.main, {});
    tell(ran, vm, result);
    ran.is_whole = result.kind != RunResult::Kind::stopped && ran.text.find("OutOfMemory") == std::string::npos;
    if (how.is_direct && how.throw_at == 0 && how.leave_at == 0) throwing_ = never - interpreter.throws_in();
    // Frames that were inlined are left together; the outermost is another one then.
    if (how.leave_at != 0 && how.passes.empty()) ran.registers = how.is_direct ? live.registers() : engine->left_registers();
    counts_.registers_compared += !ran.registers.empty();
    counts_.collections += vm.heap().statistics().collections;
    counts_.objects += vm.heap().statistics().allocated_objects;
    counts_.frames_compared += comparing.compared;
    if (!comparing.is_equal) ran.text += " (a frame was not given back as it should be)";
    if (engine) count(engine->statistics());
    return ran;
  }

  /// Everything that is built from it verifies, before and after construction. Answers what does not.
  std::string check_ir() const {
    TranslationOptions options;
    options.may_leave = seed_ % 2 == 0;
    options.guesses = options.build.call_states = seed_ % 3 == 0;
    options.receivers = [this](uint32_t function, bytecode::Pc pc) { return lie(function, pc); };
    Translation translation(v_.source, v_.program, v_.links, v_.types, options);
    for (uint32_t f = 0; f < v_.program.functions.size(); ++f)
      if (v_.program.functions[f].has_body)
        for (bytecode::Pc header : translation.headers(f)) translation.add_entry(f, header);
    ir::Module& module = translation.module();
    for (int round = 0; round < 2; ++round) {
      const std::vector<ir::Finding> findings = ir::verify(module);
      if (!findings.empty()) return findings[0].message + "\n" + text::to_text(module);
      if (round == 1) break;
      for (uint32_t i = 0; i < module.function_count(); ++i) {
        ir::Function& f = module.function(static_cast<ir::FuncId>(i));
        if (!f.is_external()) ssa::construct(f, {ssa::all_algorithms[seed_ % 3], ssa::Prune::pruned, nullptr});
      }
    }
    return {};
  }

 private:
  SsaOptions ssa_options(const How& how, uint64_t& asked, Interpreter*& direct) {
    SsaOptions options;
    options.max_steps = max_steps * 256;
    options.algorithm = how.algorithm;
    options.passes = how.passes;
    if (how.lies) options.receivers = [this](uint32_t function, bytecode::Pc pc) { return lie(function, pc); };
    if (how.throw_at != 0)
      options.stays = [&asked, &direct, at = how.throw_at](uint32_t) {
        if (++asked != at) return true;
        direct->throw_at(1);
        return false;
      };
    else if (how.leave_at != 0 || how.leave_always)
      options.stays = [&asked, at = how.leave_at, always = how.leave_always](uint32_t) { return ++asked != at && !always; };
    return options;
  }

  Receivers lie(uint32_t function, bytecode::Pc pc) const {
    static constexpr const char* names[] = {"A", "B", "C"};
    const uint64_t random = mix64(mix64(seed_ * 31 + function) + pc);
    if (random % 4 == 3) return {};
    const Symbol name = v_.program.symbols.find(names[random % 3]);
    if (is_none(name) || index(name) >= v_.links.records.size()) return {};
    return {true, v_.links.records[index(name)]};
  }

  void tell(Ran& ran, Vm& vm, const RunResult& result) {
    switch (result.kind) {
      case RunResult::Kind::returned: ran.text += " = " + std::to_string(static_cast<int64_t>(result.value)); break;
      case RunResult::Kind::stopped: ran.text += " stops"; break;
      case RunResult::Kind::threw:
        ++counts_.threw;
        ran.text += " throws " + vm.describe(vm.pending());
        for (const TraceEntry& entry : result.trace)
          ran.text += "\n  at " + std::to_string(entry.function) + ":" + std::to_string(entry.pc);
        break;
    }
  }

  void count(const SsaStatistics& statistics) {
    counts_.leaves += statistics.leaves;
    counts_.entries += statistics.entries;
    counts_.guesses_held += statistics.checked_guesses - statistics.failed_guesses;
    counts_.guesses_failed += statistics.failed_guesses;
    counts_.rebuilt += statistics.rebuilt;
  }

  const Verified& v_;
  const uint64_t seed_;
  Counts& counts_;
  uint64_t throwing_ = 0;
};

inline passes::Pipeline default_passes() {
  passes::Pipeline pipeline;
  for (const passes::Pass& pass : passes::all_passes())
    if (!pass.is_on_request) pipeline.push_back(&pass);
  return pipeline;
}

inline passes::Pipeline pipeline(std::string_view text) { return *passes::parse_pipeline(text); }

/// Some way to run a program, and what it must be equal to.
struct Way {
  const char* name;
  enum class Points : uint8_t { one, throwing } points;  ///< whether it depends on an instruction that may throw
  How (*how)(uint64_t seed, uint64_t point);
  How (*like)(uint64_t point) = nullptr;                 ///< null: the plain run
};

inline How left_alone(uint64_t point) { return {.is_direct = true, .leave_at = point}; }
inline How thrown(uint64_t point) { return {.is_direct = true, .throw_at = point}; }

inline constexpr Way ways[] = {
    {"cytron", Way::Points::one, [](uint64_t, uint64_t) { return How{.algorithm = ssa::Algorithm::cytron}; }},
    {"braun", Way::Points::one, [](uint64_t, uint64_t) { return How{.algorithm = ssa::Algorithm::braun}; }},
    {"regmap", Way::Points::one, [](uint64_t, uint64_t) { return How{.algorithm = ssa::Algorithm::regmap}; }},
    {"one pass", Way::Points::one,
     [](uint64_t seed, uint64_t) {
       const passes::Pipeline all = default_passes();
       return How{.algorithm = ssa::all_algorithms[seed % 3], .passes = {all[mix64(seed) % all.size()]}};
     }},
    {"all passes", Way::Points::one, [](uint64_t, uint64_t) { return How{.passes = default_passes()}; }},
    {"collecting in bytecode", Way::Points::one, [](uint64_t, uint64_t) { return How{.is_direct = true, .stress = true}; }},
    {"collecting in SSA", Way::Points::one,
     [](uint64_t seed, uint64_t) { return How{.algorithm = ssa::all_algorithms[seed % 3], .stress = true}; }},
    {"taken over", Way::Points::one,
     [](uint64_t, uint64_t) { return How{.is_direct = true, .stress = true, .is_taken_over = true}; }},
    {"entered", Way::Points::one,
     [](uint64_t seed, uint64_t) { return How{.stress = seed % 8 == 0, .enter_after = 1 + static_cast<uint32_t>(seed % 3)}; }},
    {"entered and left", Way::Points::throwing,
     [](uint64_t seed, uint64_t point) {
       return How{.stress = seed % 3 == 1, .leave_at = 1 + point % 11, .enter_after = 1 + static_cast<uint32_t>(seed % 2)};
     },
     [](uint64_t) { return How{.is_direct = true}; }},
    {"left at once where entered", Way::Points::one,
     [](uint64_t, uint64_t) { return How{.leave_always = true, .enter_after = 1, .compares_entries = true}; }},
    {"left", Way::Points::throwing, [](uint64_t, uint64_t point) { return How{.leave_at = point}; }, left_alone},
    {"left always", Way::Points::one, [](uint64_t seed, uint64_t) { return How{.stress = seed % 3 == 0, .leave_always = true}; }},
    {"inlined by guess", Way::Points::one,
     [](uint64_t seed, uint64_t) {
       return How{.passes = pipeline("inline,simplify,simplify-edges,dce"), .stress = seed % 5 == 0, .lies = true};
     }},
    {"inlined by guess and left", Way::Points::throwing,
     [](uint64_t, uint64_t point) { return How{.passes = pipeline("inline,simplify,dce"), .leave_at = point, .lies = true}; },
     [](uint64_t) { return How{.is_direct = true}; }},
    {"inlined by guess, entered, optimised", Way::Points::one,
     [](uint64_t seed, uint64_t) {
       return How{.passes = pipeline("inline,sea,dce"), .enter_after = 1 + static_cast<uint32_t>(seed % 4), .lies = seed % 2 == 0};
     }},
    {"throwing", Way::Points::throwing, [](uint64_t, uint64_t point) { return How{.throw_at = point}; }, thrown},
    {"throwing and collecting", Way::Points::throwing,
     [](uint64_t, uint64_t point) { return How{.is_direct = true, .stress = true, .throw_at = point}; }, thrown},
    {"throwing where it is inlined", Way::Points::throwing,
     [](uint64_t, uint64_t point) { return How{.passes = pipeline("inline,simplify"), .throw_at = point}; }, thrown},
};
inline constexpr size_t way_count = std::size(ways);

/// Whether a program does the same in some way, at some instruction that may throw: empty if so, or if that cannot be told.
inline std::string difference(Tried& tried, const Ran& plain, const Way& way, uint64_t seed, uint64_t point) {
  const Ran expected = way.like == nullptr ? plain : tried.run(way.like(point));
  Ran actual = tried.run(way.how(seed, point));
  if (!expected.is_whole || !actual.is_whole) return {};
  if (expected.registers.empty()) actual.registers.clear();
  if (expected == actual) return {};
  return std::string(way.name) + ", point " + std::to_string(point) + "\nexpected " + to_string(expected) + "\nactual " + to_string(actual);
}

}  // namespace braid::pandasm::testing
