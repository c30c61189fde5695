// Variables to SSA: time and memory of each constructor for a unit of work, from a thousand statements to a million. The unit
// is a statement that goes in or comes out, or an operand of a phi. Each row is a shape; what counts is the worst of all
// doublings.
#include <bit>
#include <memory>
#include <vector>

#include "memory_meter.h"
#include "ssa/construct.h"
#include "subjects.h"
#include "variable_shapes.h"

namespace braid::bench {
namespace {

/// As many functions of a size as make up the largest one: the work is the same whatever the size, and no function is
/// constructed twice in a row, so that neither the caches nor the branch predictor know a small one by heart.
class Sample {
 public:
  Sample(Flow flow, bool many, uint32_t statements, uint32_t count, ssa::Algorithm algorithm)
      : options_{algorithm, ssa::Prune::pruned} {
    for (uint32_t i = 0; i < count; ++i) {
      const ir::Function& f = build(module_, flow, statements, variables_of(statements, many), i + 1);
      ir::Function copy = f;
      tool::AllocationMeter meter;
      meter.start();
      ssa::construct(copy, options_);
      double bytes = static_cast<double>(meter.stop()), work = units(f, copy);
      bytes_ = std::max(bytes_, bytes / work);
      units_ += work;
      functions_.push_back(&f);
    }
  }

  void measure(const Effort& effort) {
    double seconds = least_time(effort, [&](Stopwatch& watch) {
      std::vector<ir::Function> copies;
      copies.reserve(functions_.size());
      for (const ir::Function* f : functions_) copies.push_back(*f);
      watch.start();
      for (ir::Function& f : copies) ssa::construct(f, options_);
      watch.stop();
    });
    seconds_ = std::min(seconds_, seconds);
  }
  double nanoseconds() const { return seconds_ / units_ * 1e9; }
  double bytes() const { return bytes_; }

 private:
  ir::Module module_;
  std::vector<const ir::Function*> functions_;
  ssa::ConstructOptions options_;
  double seconds_ = std::numeric_limits<double>::infinity(), bytes_ = 0, units_ = 0;
};

struct Summary {
  std::string what;
  size_t larger = 1;  ///< of the two sizes where the time grows most
  double most_bytes = 0;
  std::vector<uint32_t> sizes;
  std::vector<std::unique_ptr<Sample>> samples;

  double ratio() const { return samples[larger]->nanoseconds() / samples[larger - 1]->nanoseconds(); }
  void find_worst() {
    for (size_t i = 1; i < samples.size(); ++i)
      if (double before = ratio(), now = samples[i]->nanoseconds() / samples[i - 1]->nanoseconds(); now > before) larger = i;
  }
};

/// A machine that slows down for a while slows down one size and not the next: what grows too much is measured again.
Summary summary_of(const Effort& effort, ssa::Algorithm algorithm, Flow flow, bool many) {
  Summary summary{std::string(name(flow)) + (many ? ", many variables" : ""), 1, 0, {}, {}};
  uint32_t largest = std::min(effort.largest, largest_size(flow, many));
  for (uint32_t parts = std::bit_floor(largest / 1000); parts != 0; parts /= 2) {
    summary.sizes.push_back(largest / parts);
    summary.samples.push_back(std::make_unique<Sample>(flow, many, largest / parts, parts, algorithm));
    summary.most_bytes = std::max(summary.most_bytes, summary.samples.back()->bytes());
  }
  Effort share = effort;
  share.seconds /= 4;
  for (auto& sample : summary.samples) sample->measure(share);
  summary.find_worst();
  for (int again = 0; again < 5 && summary.ratio() > 1.2; ++again) {
    for (size_t i : {summary.larger, summary.larger - 1}) summary.samples[i]->measure(share);
    summary.find_worst();
  }
  return summary;
}

}  // namespace

void measure_construct_growth(Table& table, const Effort& effort) {
  for (ssa::Algorithm algorithm : ssa::all_algorithms) {
    std::string title = "variables to SSA, " + std::string(ssa::name(algorithm));
    std::vector<std::pair<std::string, double>> bytes;
    table.section(title + ", worst doubling, per unit", "at half");
    for (Flow flow : growing_flows)
      for (bool many : {false, true}) {
        Summary summary = summary_of(effort, algorithm, flow, many);
        const Sample& whole = *summary.samples[summary.larger];
        const Sample& half = *summary.samples[summary.larger - 1];
        table.add({summary.what, summary.sizes[summary.larger], whole.nanoseconds(), half.nanoseconds(), "ns", Goal::at_most, 1.3});
        bytes.push_back({summary.what, summary.most_bytes});
      }
    table.section(title + ", peak memory per unit", "");
    for (const auto& [what, most] : bytes) table.add({what, 0, most, 0, "B", Goal::at_most, 100});
  }
}

}  // namespace braid::bench
