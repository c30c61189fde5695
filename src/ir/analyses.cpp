#include "ir/analyses.h"

#include <bit>
#include <chrono>

namespace braid::ir {
namespace {

/// Counts and times what is built while it lives.
class Meter {
 public:
  Meter(AnalysisCosts* costs, Analysis analysis) {
    if (costs == nullptr) return;
    cost_ = &(*costs)[static_cast<size_t>(std::countr_zero(static_cast<uint8_t>(analysis)))];
    start_ = std::chrono::steady_clock::now();
  }
  ~Meter() {
    if (cost_ == nullptr) return;
    ++cost_->built;
    cost_->milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

 private:
  AnalysisCost* cost_ = nullptr;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

void Analyses::build_graph() {
  if (cfg_ != nullptr) return;
  Meter meter(costs_, Analysis::cfg);
  cfg_ = std::make_shared<const flow::Graph>(block_graph(*f_));
}

const flow::Graph& Analyses::cfg() {
  asked_ = asked_ | Analysis::cfg;
  build_graph();
  return *cfg_;
}

const BlockDominance& Analyses::dominators() {
  asked_ = asked_ | Analysis::dominators;
  if (dominators_) return *dominators_;
  build_graph();
  Meter meter(costs_, Analysis::dominators);
  return dominators_.emplace(cfg_);
}

const Uses& Analyses::uses() {
  asked_ = asked_ | Analysis::uses;
  if (uses_) return *uses_;
  Meter meter(costs_, Analysis::uses);
  return uses_.emplace(*f_);
}

void Analyses::forget(Analysis set) {
  if (contains(set, Analysis::cfg)) cfg_.reset();
  if (contains(set, Analysis::dominators)) dominators_.reset();
  if (contains(set, Analysis::uses)) uses_.reset();
}

Analysis Analyses::held() const {
  return (cfg_ != nullptr ? Analysis::cfg : Analysis::none) | (dominators_ ? Analysis::dominators : Analysis::none) |
         (uses_ ? Analysis::uses : Analysis::none);
}

Analysis Analyses::outdated() const {
  Analysis wrong = Analysis::none;
  if (cfg_ != nullptr && *cfg_ != block_graph(*f_)) wrong = wrong | Analysis::cfg;
  if (dominators_ && *dominators_ != BlockDominance(*f_)) wrong = wrong | Analysis::dominators;
  if (uses_ && *uses_ != Uses(*f_)) wrong = wrong | Analysis::uses;
  return wrong;
}

}  // namespace braid::ir
