// Rules run on numbers, by the evaluator of ops: what a solver cannot prove is tried at random.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "rule.h"

namespace braid::rulec {

/// A rule for one assignment of kinds, ready to be run many times.
class RuleRunner {
 public:
  RuleRunner(const Rule& rule, const Kinds& kinds);

  enum class Outcome : uint8_t { holds, does_not_apply, fails };
  /// Draws values for all variables, corners more often than others, and compares both sides.
  Outcome try_once(std::mt19937_64& random);
  /// What an expression was in the last try.
  uint64_t bits(NodeId id) const { return bits_[static_cast<uint32_t>(id)]; }
  /// The values of the last try, as text.
  std::string values() const;

 private:
  uint64_t evaluate(NodeId id) const;
  uint64_t draw(Kind kind, bool is_constant, std::mt19937_64& random) const;
  Kind kind(NodeId id) const { return kinds_[static_cast<uint32_t>(rule_[id].type)]; }
  void add_steps(NodeId id);

  const Rule& rule_;
  Kinds kinds_;
  std::vector<NodeId> steps_;                   ///< inputs first
  std::vector<std::vector<NodeId>> variables_;  ///< the nodes of each variable
  std::vector<uint64_t> bits_;                  ///< of each node
};

}  // namespace braid::rulec
