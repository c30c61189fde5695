#include "ssa/redundant_phis.h"

#include <algorithm>
#include <utility>

#include "flow/dominators.h"
#include "ir/compact.h"
#include "ir/operand.h"

namespace braid::ssa {

using ir::Operand;

namespace {
bool is_phi(uint32_t word) { return Operand::from_word(word).is_pending(); }
uint32_t number(uint32_t word) { return Operand::from_word(word).number(); }
uint32_t word_of(uint32_t phi) { return Operand(static_cast<ir::NewRef>(phi)).word(); }
}  // namespace

void find_redundant_phis(std::span<const uint32_t> first_operand, std::span<const uint32_t> operands,
                         std::vector<uint32_t>& value) {
  // Paths are shortened on the way, so that long ones are walked once.
  auto resolved = [&](uint32_t word) {
    uint32_t root = word;
    while (is_phi(root) && value[number(root)] != root) root = value[number(root)];
    while (word != root) word = std::exchange(value[number(word)], root);
    return root;
  };
  std::vector<uint32_t> nodes;  // words, by node - 1; phis first
  std::vector<uint32_t> node_of(value.size());
  for (uint32_t p = 0; p < value.size(); ++p) {
    if (value[p] != word_of(p)) continue;
    nodes.push_back(word_of(p));
    node_of[p] = static_cast<uint32_t>(nodes.size());
  }
  size_t phi_count = nodes.size();
  auto for_each_operand = [&](auto&& visit) {
    for (uint32_t n = 1; n <= phi_count; ++n) {
      uint32_t p = number(nodes[n - 1]);
      for (uint32_t i = first_operand[p]; i < first_operand[p + 1]; ++i) visit(n, resolved(operands[i]));
    }
  };
  std::vector<uint32_t> leaves;
  for_each_operand([&](uint32_t, uint32_t word) {
    if (!is_phi(word)) leaves.push_back(word);
  });
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  nodes.insert(nodes.end(), leaves.begin(), leaves.end());

  auto node_of_word = [&](uint32_t word) {
    if (is_phi(word)) return node_of[number(word)];
    auto at = std::lower_bound(leaves.begin(), leaves.end(), word);
    return static_cast<uint32_t>(phi_count + 1 + static_cast<size_t>(at - leaves.begin()));
  };
  constexpr flow::Node root{0};
  flow::Graph graph = flow::Graph::build(nodes.size() + 1, root, [&](auto&& emit) {
    for (size_t n = phi_count + 1; n <= nodes.size(); ++n) emit(root, static_cast<flow::Node>(n));
    for_each_operand([&](uint32_t phi, uint32_t word) {
      emit(static_cast<flow::Node>(node_of_word(word)), static_cast<flow::Node>(phi));
    });
  });
  flow::Dominators dominators(graph);
  for (flow::Node top : dominators.children(root))
    for (flow::Node n : dominators.dominated_by(top))
      if (n != top) value[number(nodes[index(n) - 1])] = nodes[index(top) - 1];
  for (uint32_t n = 1; n <= phi_count; ++n)
    if (!dominators.is_reachable(static_cast<flow::Node>(n)))
      value[number(nodes[n - 1])] = Operand::undef().word();
}

void remove_redundant_phis(ir::Function& f) {
  if (!f.is_at_rest()) ir::compact(f);
  std::vector<ir::Ref> phis;
  std::vector<uint32_t> number_of(f.size(), 0xffffffffu);
  for (uint32_t i = 0; i < f.size(); ++i) {
    if (!ir::is_phi_like(f.columns().stmt(i).op)) continue;
    number_of[i] = static_cast<uint32_t>(phis.size());
    phis.push_back(static_cast<ir::Ref>(i));
  }
  // An upsilon is what it stores.
  auto named = [&](Operand operand) {
    if (operand.is_stmt() && f.op(operand) == ir::Op::upsilon) operand = f.operand(operand, 0);
    bool is_one = operand.is_stmt() && number_of[operand.number()] != 0xffffffffu;
    return is_one ? word_of(number_of[operand.number()]) : operand.word();
  };
  std::vector<uint32_t> first_operand, operands, value;
  for (uint32_t p = 0; p < phis.size(); ++p) {
    first_operand.push_back(static_cast<uint32_t>(operands.size()));
    value.push_back(word_of(p));
    for (uint32_t word : f.args(f.stmt(phis[p]))) operands.push_back(named(Operand::from_word(word)));
  }
  first_operand.push_back(static_cast<uint32_t>(operands.size()));
  find_redundant_phis(first_operand, operands, value);
  bool changed = false;
  for (uint32_t p = 0; p < phis.size(); ++p) {
    if (value[p] == word_of(p)) continue;
    Operand stands_for = Operand::from_word(value[p]);
    f.replace(phis[p], is_phi(value[p]) ? Operand(phis[number(value[p])]) : stands_for);
    changed = true;
  }
  if (changed) ir::compact(f);
}

}  // namespace braid::ssa
