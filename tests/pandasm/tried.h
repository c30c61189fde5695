// A pandasm program that is run in one way or another: what it prints, how it ends, where an exception came from, and what registers hold
// are there to be compared (ways.h). What was built for a run is used again by the next one that needs the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "front/pandasm/live_frame.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/ssa_engine.h"
#include "ir/compact.h"
#include "ir/settle.h"
#include "ir/verify.h"
#include "ssa/regmap.h"
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
  std::vector<uint64_t> registers;  ///< of the frames that were left, when they ended, the innermost first
  uint32_t frames = 1;              ///< how many they were
  uint64_t asked = 0;               ///< of compiled code: instructions that may throw and that it came to
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
  uint32_t leave_frames = 1;   ///< … of a direct run: in so many frames
  bool leave_always = false;
  uint32_t enter_after = 0;    ///< backward jumps to a header before SSA takes over
  uint64_t throw_at = 0;       ///< which instruction that may throw does
  bool lies = false;           ///< guesses on receivers are taken out of the air
  bool is_profiled = false;    ///< … or are what a whole run has met, so that none fails
  bool is_taken_over = false;  ///< frames are given to another interpreter at loop headers
  bool compares_entries = false;  ///< what is left right behind a header holds what the interpreter would
};

struct Counts {
  uint64_t leaves = 0, entries = 0, collections = 0, threw = 0, guesses_held = 0, guesses_failed = 0, rebuilt = 0, frames_compared = 0;
  uint64_t registers_compared = 0, objects = 0;
  uint64_t inlined_frames_left = 0;  ///< callers whose registers were compared, too
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

/// Which receivers a virtual call has, taken out of the air.
inline Receivers lie(const Verified& v, uint64_t seed, uint32_t function, bytecode::Pc pc) {
  static constexpr const char* names[] = {"A", "B", "C"};
  const uint64_t random = mix64(mix64(seed * 31 + function) + pc);
  if (random % 4 == 3) return {};
  const Symbol name = v.program.symbols.find(names[random % 3]);
  if (is_none(name) || index(name) >= v.links.records.size()) return {};
  return {true, v.links.records[index(name)]};
}

/// A world to run a program in, which can begin anew. Code that was built stays.
class Image {
 public:
  Image(const Verified& program, const How& how, uint64_t seed, uint64_t max_steps, uint64_t max_heap)
      : v_(program), how_(how), seed_(seed), vm_(program.program, program.links, vm_options(how, max_heap)) {
    if (how.is_direct) return;
    if (how.is_profiled) {
      profile_.emplace(vm_, v_.types);
      profile_->call(v_.main, {});
    }
    engine_.emplace(v_.source, v_.types, vm_, ssa_options(max_steps));
  }

  /// Whether what was built is what another run needs.
  bool serves(const How& how) const {
    return how.is_direct == how_.is_direct && how.stress == how_.stress && how.algorithm == how_.algorithm && how.passes == how_.passes &&
           how.lies == how_.lies && how.is_profiled == how_.is_profiled && asks(how) == asks(how_) &&
           (!engine_ || engine_->statistics().rebuilt == 0);
  }

  /// For a run of its own.
  void begin(const How& how) {
    how_ = how;
    asked_ = 0;
    output_.clear();
    vm_.restart();
    if (engine_) engine_->restart();
  }
  void set_direct(Interpreter& direct) {
    direct_ = &direct;
    if (engine_) engine_->set_direct(direct);
  }

  Vm& vm() { return vm_; }
  SsaEngine* engine() { return engine_ ? &*engine_ : nullptr; }
  std::string& output() { return output_; }
  uint64_t asked() const { return asked_; }

 private:
  static bool asks(const How& how) { return how.throw_at != 0 || how.leave_at != 0 || how.leave_always; }

  VmOptions vm_options(const How& how, uint64_t max_heap) {
    VmOptions options;
    options.heap.stress = how.stress;
    options.heap.max_bytes = max_heap;
    options.output = [this](std::string_view text) { output_ += text; };
    return options;
  }

  SsaOptions ssa_options(uint64_t max_steps) {
    SsaOptions options;
    options.max_steps = max_steps * 256;
    options.algorithm = how_.algorithm;
    options.passes = how_.passes;
    if (how_.lies) options.receivers = [this](uint32_t function, bytecode::Pc pc) { return lie(v_, seed_, function, pc); };
    if (profile_) options.receivers = [this](uint32_t function, bytecode::Pc pc) { return profile_->receivers_at(function, pc); };
    if (asks(how_)) options.stays = [this](uint32_t) { return stays(); };
    return options;
  }

  bool stays() {
    ++asked_;
    if (asked_ == how_.throw_at) direct_->throw_at(1);
    return asked_ != how_.throw_at && asked_ != how_.leave_at && !how_.leave_always;
  }

  const Verified& v_;
  How how_;
  const uint64_t seed_;
  std::string output_;
  Vm vm_;
  std::optional<Interpreter> profile_;
  std::optional<SsaEngine> engine_;
  Interpreter* direct_ = nullptr;
  uint64_t asked_ = 0;
};

class Tried {
 public:
  Tried(const Verified& program, uint64_t seed, Counts& counts) : v_(program), seed_(seed), counts_(counts) {}

  uint64_t max_steps = 100'000;
  uint64_t max_heap = uint64_t{64} << 20;

  /// How many instructions that may throw the last direct run has come to.
  uint64_t throwing() const { return throwing_; }

  Ran run(const How& how) {
    Image& image = image_for(how);
    Vm& vm = image.vm();
    SsaEngine* engine = image.engine();
    InterpreterOptions options;
    options.max_steps = max_steps;
    options.watch_after = std::max(how.enter_after, 1u);
    options.keeps_registers = how.leave_at != 0;
    constexpr uint64_t never = uint64_t{1} << 60;
    options.throw_at = !how.is_direct ? 0 : how.throw_at != 0 ? how.throw_at : how.leave_at != 0 ? 0 : never;
    std::optional<Interpreter> other;
    OtherInterpreter taking_over;
    if (how.is_taken_over) {
      taking_over.other = &other.emplace(vm, v_.types);
      options.watcher = &taking_over;
    }
    std::optional<LiveFrameRunner> live;
    if (how.is_direct && how.leave_at != 0) {
      options.watcher = &live.emplace(vm, v_.types, options);
      options.watch_at = how.leave_at;
      options.watch_after = 0xffffffffu;
    }
    Comparing comparing;
    if (engine != nullptr && how.enter_after != 0) options.watcher = engine;
    if (engine != nullptr && how.compares_entries) {
      comparing.program = &v_;
      comparing.vm = &vm;
      comparing.engine = engine;
      options.watcher = &comparing;
    }
    Interpreter interpreter(vm, v_.types, options);
    image.set_direct(interpreter);
    if (live) live->set_direct(interpreter, how.leave_frames);
    const bool begins_direct = how.is_direct || how.enter_after != 0;
    const RunResult result = begins_direct ? interpreter.call(v_.main, {}) : engine->call(v_.main, {});
    Ran ran;
    ran.text = image.output();
    tell(ran, vm, result);
    ran.is_whole = result.kind != RunResult::Kind::stopped && ran.text.find("OutOfMemory") == std::string::npos;
    ran.asked = image.asked();
    if (how.is_direct && how.throw_at == 0 && how.leave_at == 0) throwing_ = never - interpreter.throws_in();
    // Where a guess may have failed before, or code is entered again, the frames that were left last are others.
    if (live) ran.registers = live->registers();
    else if (how.leave_at != 0 && !how.lies && how.enter_after == 0) ran.registers = engine->left_registers();
    if (engine != nullptr && engine->left_frames() != 0) ran.frames = engine->left_frames();
    counts_.registers_compared += !ran.registers.empty();
    if (live) counts_.inlined_frames_left += how.leave_frames - 1;
    counts_.collections += vm.heap().statistics().collections;
    counts_.objects += vm.heap().statistics().allocated_objects;
    counts_.frames_compared += comparing.compared;
    if (!comparing.is_equal) ran.text += " (a frame was not given back as it should be)";
    if (engine != nullptr) count(engine->statistics());
    return ran;
  }

  /// With variables, and with the phis and upsilons of their construction.
  static bool settles_as_it_compacts(ir::Module& module) {
    for (uint32_t i = 0; i < module.function_count(); ++i) {
      ir::Function& f = module.function(static_cast<ir::FuncId>(i));
      if (f.is_external()) continue;
      for (int round = 0; round < 2; ++round) {
        ir::Function compacted = f;
        ir::settle(f);
        // What stands in a good order already stays in it.
        ir::compact(f);
        ir::compact(compacted);
        if (text::to_text(compacted) != text::to_text(f)) return false;
        if (round == 0) ssa::construct_regmap(f, nullptr);
      }
    }
    return true;
  }

  /// Everything that is built from it verifies, before and after construction. Answers what does not.
  std::string check_ir() const {
    TranslationOptions options;
    options.may_leave = seed_ % 2 == 0;
    options.guesses = options.build.call_states = seed_ % 3 == 0;
    options.receivers = [this](uint32_t function, bytecode::Pc pc) { return lie(v_, seed_, function, pc); };
    Translation translation(v_.source, v_.program, v_.links, v_.types, options);
    for (uint32_t f = 0; f < v_.program.functions.size(); ++f)
      if (v_.program.functions[f].has_body)
        for (bytecode::Pc header : translation.headers(f)) translation.add_entry(f, header);
    ir::Module& module = translation.module();
    if (seed_ % 16 == 0) {
      Translation other(v_.source, v_.program, v_.links, v_.types, options);
      if (!settles_as_it_compacts(other.module())) return "a plain copy is not what compaction gives";
    }
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
  Image& image_for(const How& how) {
    std::unique_ptr<Image>& image = images_[how.is_direct];
    if (image == nullptr || !image->serves(how)) image = std::make_unique<Image>(v_, how, seed_, max_steps, max_heap);
    image->begin(how);
    return *image;
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
  std::unique_ptr<Image> images_[2];  ///< the last one of compiled code, and the last one of the direct interpreter
};

}  // namespace braid::pandasm::testing
