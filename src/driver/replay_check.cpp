// A program in Simple, parsed with more and more of its rewrites.
#include <algorithm>
#include <cassert>
#include <memory>
#include <optional>
#include <utility>

#include "driver/step_check.h"
#include "sea/check_steps.h"

namespace braid::driver {
namespace {

class ReplayCheck {
 public:
  ReplayCheck(const SourceFile& source, const simple::ParseOptions& options, std::span<const std::vector<uint64_t>> arguments,
              const ReplayOptions& replay)
      : source_(source), options_(options), replay_(replay), results_(arguments, step_options_) {
    step_options_.prepare = [this](sea::Evaluator& evaluator) {
      for (const simple::FunctionGraph& function : parsed_->program.functions) evaluator.define(function.id, *function.graph);
    };
  }

  Expected<StepCheck> run() {
    simple::ParseOptions plain = options_;
    plain.peepholes = false;
    if (std::optional<Diagnostics> errors = parse(plain)) return std::move(*errors);
    look();
    uint64_t nodes = 1;
    for (const simple::FunctionGraph& function : parsed_->program.functions) nodes += function.graph->size();
    StepCheck check;
    parse_up_to({});
    check.count = parsed_->program.trail.rewrites;
    const uint64_t looks = std::max(replay_.most_nodes / nodes, replay_.least_looks);
    check.every = std::max<uint64_t>(1, (check.count + looks - 1) / looks);
    for (uint64_t sound = 0; sound < check.count;) {
      const uint64_t next = std::min(sound + check.every, check.count);
      if (look_after(next)) {
        check.fault = first_fault(sound, next);
        return check;
      }
      sound = next;
    }
    // What the compiler does is not cut off anywhere.
    parse(options_);
    if (std::optional<sea::ResultChange> change = look())
      check.fault = "behind the last step: " + to_string(*change);
    return check;
  }

 private:
  struct Parsed {
    ir::Module module;  // outlives the graphs
    simple::Program program;
  };
  using Change = std::optional<sea::ResultChange>;

  /// A module of its own for each, as if nothing had been parsed before.
  std::optional<Diagnostics> parse(const simple::ParseOptions& options) {
    parsed_ = std::make_unique<Parsed>();
    Expected<simple::Program> program =
        replay_.parse ? replay_.parse(parsed_->module, source_, options) : simple::parse(parsed_->module, source_, options);
    if (!program) return std::move(program).error();
    parsed_->program = std::move(*program);
    return std::nullopt;
  }
  Change look() { return results_.look(parsed_->program.main()); }
  void parse_up_to(simple::RewriteLimit limit) {
    simple::ParseOptions options = options_;
    options.limit = limit;
    parse(options);
  }
  Change look_after(uint64_t rewrites, uint64_t within = simple::RewriteLimit::none) {
    parse_up_to({rewrites, within});
    return look();
  }

  /// One by one: all is well after `sound` rewrites, and not after `broken`.
  std::string first_fault(uint64_t sound, uint64_t broken) {
    uint64_t step = sound + 1;
    Change change = look_after(step);
    while (!change && step < broken) change = look_after(++step);
    assert(change && "the result is not the same each time");
    const simple::RewriteTrail trail = std::move(parsed_->program.trail);
    std::string text;
    if (parsed_->program.functions.size() > 1) text = "@" + std::string(parsed_->module.name(trail.function)) + ": ";
    text += "step " + std::to_string(step) + ", ";
    text += guilty_rule(step, trail) + " at node " + std::to_string(trail.node);
    if (trail.offset) {
      const LineColumn at = source_.line_column(*trail.offset);
      text += ", when " + source_.name() + " was read up to " + std::to_string(at.line) + ":" + std::to_string(at.column);
    }
    return text + ": " + to_string(*change);
  }

  /// A rewrite may have others inside, which have simplified what it makes. They are let go ahead one by one, too.
  std::string guilty_rule(uint64_t step, const simple::RewriteTrail& trail) {
    std::vector<simple::RewriteTrail::Within> within = trail.within;
    std::ranges::sort(within, {}, &simple::RewriteTrail::Within::step);
    const std::string outer(name_of(trail.last));
    std::string guilty = outer;
    for (const simple::RewriteTrail::Within& inner : within) {
      const Change change = look_after(step, inner.step - 1);
      const simple::RewriteTrail& now = parsed_->program.trail;
      if (change && now.last == trail.last && now.node == trail.node) return guilty;
      guilty = std::string(name_of(inner.rule)) + " inside of " + outer;
    }
    return guilty;
  }

  const SourceFile& source_;
  const simple::ParseOptions& options_;
  const ReplayOptions& replay_;
  sea::StepOptions step_options_;
  std::unique_ptr<Parsed> parsed_;
  sea::StepResults results_;
};

}  // namespace

Expected<StepCheck> check_each_step(const SourceFile& source, const simple::ParseOptions& options,
                                    std::span<const int64_t> arguments, const ReplayOptions& replay) {
  std::vector<std::vector<uint64_t>> lists;
  for (int64_t argument : arguments) lists.push_back({static_cast<uint64_t>(argument)});
  return ReplayCheck(source, options, lists, replay).run();
}

}  // namespace braid::driver
