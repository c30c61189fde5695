// All ways to run a pandasm program, which must not differ: by every constructor of SSA, after every pass, with collections everywhere,
// entered at loop headers and left at states, called by guess, with an exception at any instruction that may throw. Compared is what it
// prints, how it ends, where an exception came from, and what registers hold.
#pragma once

#include <iterator>
#include <map>
#include <tuple>

#include "opt/inline.h"
#include "tried.h"

namespace braid::pandasm::testing {

inline passes::Pipeline default_passes() {
  passes::Pipeline pipeline;
  for (const passes::Pass& pass : passes::all_passes())
    if (!pass.is_on_request) pipeline.push_back(&pass);
  return pipeline;
}

inline passes::Pipeline pipeline(std::string_view text) { return *passes::parse_pipeline(text); }

/// The functions of random programs are larger than what anyone would inline.
inline constexpr passes::Pass inlines_much{
    "inline",
    +[](ir::Function& f, ir::Analyses& analyses) {
      opt::inline_calls(f, {.most_statements = 3000, .budget = 6000});
      analyses.keep(ir::Analysis::none);
    },
    passes::needs(passes::Analysis::none), passes::keeps(passes::Analysis::none), "", true};
inline passes::Pipeline inlining(std::string_view then) {
  passes::Pipeline passes = pipeline(then);
  passes.insert(passes.begin(), &inlines_much);
  return passes;
}

/// Some way to run a program, and what it must be equal to.
struct Way {
  const char* name;
  enum class Points : uint8_t {
    one,
    rounds,    ///< it depends on how often a loop goes round before it is entered
    throwing,  ///< it depends on an instruction that may throw
  } points;
  How (*how)(uint64_t seed, uint64_t point);
  How (*like)(uint64_t point) = nullptr;  ///< null: the plain run
  uint64_t likely = ~uint64_t{0};         ///< of points that are drawn: what lies behind is hardly ever come to
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
    {"entered", Way::Points::rounds,
     [](uint64_t seed, uint64_t round) { return How{.stress = seed % 8 == 0, .enter_after = static_cast<uint32_t>(round)}; }},
    {"entered and left", Way::Points::throwing,
     [](uint64_t seed, uint64_t point) {
       return How{.stress = seed % 3 == 1, .leave_at = point, .enter_after = 1 + static_cast<uint32_t>(seed % 2)};
     },
     nullptr, 11},
    {"left at once where entered", Way::Points::one,
     [](uint64_t, uint64_t) { return How{.leave_always = true, .enter_after = 1, .compares_entries = true}; }},
    {"left", Way::Points::throwing, [](uint64_t, uint64_t point) { return How{.leave_at = point}; }, left_alone},
    {"left always", Way::Points::one, [](uint64_t seed, uint64_t) { return How{.stress = seed % 3 == 0, .leave_always = true}; }},
    {"inlined by guess", Way::Points::one,
     [](uint64_t seed, uint64_t) {
       return How{.passes = pipeline("inline,simplify,simplify-edges,dce"), .stress = seed % 5 == 0, .lies = true};
     }},
    {"inlined by guess and left", Way::Points::throwing,
     [](uint64_t, uint64_t point) { return How{.passes = pipeline("inline,simplify,dce"), .leave_at = point, .lies = true}; }},
    {"inlined and left", Way::Points::throwing,
     [](uint64_t, uint64_t point) { return How{.passes = inlining("simplify,dce"), .leave_at = point, .is_profiled = true}; },
     left_alone},
    {"inlined by guess, entered, optimised", Way::Points::rounds,
     [](uint64_t seed, uint64_t round) {
       return How{.passes = pipeline("inline,sea,dce"), .enter_after = static_cast<uint32_t>(round), .lies = seed % 2 == 0};
     }},
    {"throwing", Way::Points::throwing, [](uint64_t, uint64_t point) { return How{.throw_at = point}; }, thrown},
    {"throwing and collecting", Way::Points::throwing,
     [](uint64_t, uint64_t point) { return How{.is_direct = true, .stress = true, .throw_at = point}; }, thrown},
    {"throwing where it is inlined", Way::Points::throwing,
     [](uint64_t, uint64_t point) { return How{.passes = inlining("simplify"), .throw_at = point}; }, thrown},
};
inline constexpr size_t way_count = std::size(ways);

constexpr uint64_t most_rounds = 3;

/// How many points a way has, in a program that comes to so many instructions that may throw.
inline uint64_t point_count(const Way& way, uint64_t throwing) {
  switch (way.points) {
    case Way::Points::one: return 1;
    case Way::Points::rounds: return most_rounds;
    case Way::Points::throwing: break;
  }
  return std::max<uint64_t>(throwing, 1);
}
inline uint64_t drawn_point(const Way& way, uint64_t throwing, uint64_t random) {
  return 1 + random % std::min(point_count(way, throwing), way.likely);
}

/// One program in all ways that anyone asks for.
class Compared {
 public:
  Compared(Tried& tried, const Ran& plain, uint64_t seed) : tried_(tried), plain_(plain), seed_(seed) {}

  /// Whether it does the same in some way at some point: empty if so, or if that cannot be told.
  std::string difference(const Way& way, uint64_t point) {
    const How how = way.how(seed_, point);
    Ran actual = tried_.run(how);
    is_behind_all_ = how.leave_at > actual.asked;
    const Ran& expected = way.like == nullptr ? plain_ : like(way, point, actual.frames);
    if (!expected.is_whole || !actual.is_whole) return {};
    if (way.like == nullptr) actual.registers.clear();
    if (expected.text == actual.text && expected.registers == actual.registers) return {};
    return std::string(way.name) + ", point " + std::to_string(point) + "\nexpected " + to_string(expected) + "\nactual " + to_string(actual);
  }
  /// In all points.
  std::string difference_anywhere(const Way& way, uint64_t throwing) {
    const uint64_t count = point_count(way, throwing);
    for (uint64_t point = 1; point <= count; ++point) {
      std::string found = difference(way, point);
      if (!found.empty()) return found;
      if (is_behind_all_) break;
    }
    return {};
  }

 private:
  /// Ways that must be equal to the same run share it.
  const Ran& like(const Way& way, uint64_t point, uint32_t frames) {
    auto [known, is_new] = known_.try_emplace({way.like, point, frames});
    if (is_new) {
      How how = way.like(point);
      how.leave_frames = frames;
      known->second = tried_.run(how);
    }
    return known->second;
  }

  Tried& tried_;
  const Ran& plain_;
  const uint64_t seed_;
  std::map<std::tuple<How (*)(uint64_t), uint64_t, uint32_t>, Ran> known_;
  bool is_behind_all_ = false;  ///< the last point was not come to, nor are those behind it
};

}  // namespace braid::pandasm::testing
