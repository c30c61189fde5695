// A function in SSA as text that does not depend on the order of its blocks, phis and upsilons, nor on numbers of values.
//
// Statements that are no phis are known by their place. Phis are told apart by refinement: at first by block and type, then
// by what their operands are known as, until no round tells more of them apart; so phis that feed each other in rings are
// compared as well. Of several upsilons of one phi_c with no other statement between them only the last counts. O(operands)
// per round, and at most as many rounds as there are phis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/function.h"

namespace braid {

class CanonicalForm {
 public:
  /// The function is at rest; what it has is known by hashes.
  explicit CanonicalForm(const ir::Function& f) : f_(f), known_(f.size(), 0), place_(f.size(), 0) {
    find_order();
    uint32_t place = 0;
    for (uint32_t b = 0; b < order_.size(); ++b) {
      const ir::Block& block = f.block(order_[b]);
      for (uint32_t i = block.first; i < block.end; ++i) {
        ir::Op op = f.columns().stmt(i).op;
        if (ir::is_phi_like(op)) {
          phis_.push_back(i);
          known_[i] = mix(mix(static_cast<uint64_t>(op), b), f.columns().type(i).bits);
        } else if (op != ir::Op::upsilon && op != ir::Op::nothing) {
          known_[i] = mix(1, ++place);
        }
        place_[i] = place;
      }
    }
    refine();
  }

  /// A line per phi, sorted in each block, and per other statement.
  std::string text() const {
    std::string out;
    std::vector<uint64_t> phis;
    for (ir::BlockId b : order_) {
      const ir::Block& block = f_.block(b);
      out += "block " + std::to_string(number_[index(b)]) + "\n";
      phis.clear();
      for (uint32_t i = block.first; i < block.end; ++i)
        if (ir::is_phi_like(f_.columns().stmt(i).op)) phis.push_back(known_[i]);
      std::sort(phis.begin(), phis.end());
      for (uint64_t phi : phis) out += "phi " + std::to_string(phi) + "\n";
      for (uint32_t i = block.first; i < block.end; ++i) append(out, i);
    }
    return out;
  }

 private:
  static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
    return x ^ (x >> 32);
  }
  uint64_t known(uint32_t word) const {
    ir::Operand operand = ir::Operand::from_word(word);
    return operand.is_stmt() ? known_[operand.number()] : mix(2, word);
  }

  /// Breadth first from the entry: the order in which a function keeps its blocks means nothing.
  void find_order() {
    number_.assign(f_.block_count(), 0);
    std::vector<bool> seen(f_.block_count(), false);
    seen[0] = true;
    order_.push_back(ir::Function::entry());
    for (uint32_t i = 0; i < order_.size(); ++i) {
      number_[index(order_[i])] = i;
      f_.for_each_succ(order_[i], [&](ir::EdgeId e) {
        ir::BlockId to = f_.edge(e).to;
        if (!seen[index(to)]) order_.push_back(to);
        seen[index(to)] = true;
      });
    }
  }

  void refine() {
    size_t classes = 0;
    std::vector<uint64_t> next(phis_.size()), sorted;
    while (true) {
      sorted.clear();
      for (uint32_t i : phis_) sorted.push_back(known_[i]);
      std::sort(sorted.begin(), sorted.end());
      size_t now = static_cast<size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
      if (now == classes) return;
      classes = now;
      for (size_t p = 0; p < phis_.size(); ++p) next[p] = refined(phis_[p]);
      for (size_t p = 0; p < phis_.size(); ++p) known_[phis_[p]] = next[p];
    }
  }

  uint64_t refined(uint32_t phi) const {
    const ir::Stmt& s = f_.columns().stmt(phi);
    uint64_t hash = known_[phi];
    if (s.op == ir::Op::phi) {
      for (uint32_t word : f_.args(s)) hash = mix(hash, known(word));
      return hash;
    }
    std::vector<uint32_t> upsilons;
    for (uint32_t word : f_.args(s)) upsilons.push_back(ir::Operand::from_word(word).number());
    std::sort(upsilons.begin(), upsilons.end());
    for (size_t i = 0; i < upsilons.size(); ++i) {
      bool is_overwritten = i + 1 < upsilons.size() && place_[upsilons[i + 1]] == place_[upsilons[i]];
      if (!is_overwritten)
        hash = mix(mix(hash, place_[upsilons[i]]), known(f_.args(f_.columns().stmt(upsilons[i]))[0]));
    }
    return hash;
  }

  void append(std::string& out, uint32_t i) const {
    const ir::Stmt& s = f_.columns().stmt(i);
    if (ir::is_phi_like(s.op) || s.op == ir::Op::upsilon || s.op == ir::Op::nothing) return;
    const ir::OpInfo& op = ir::info(s.op);
    out += std::string(op.text);
    std::span<const uint32_t> words = f_.args(s);
    for (uint32_t k = 0; k < words.size(); ++k) {
      uint64_t what = words[k];
      if (op.is_value(k)) what = known(words[k]);
      else if (op.kind_of(k) == ir::OperandKind::block)
        what = number_[index(f_.edge(static_cast<ir::EdgeId>(words[k])).to)];
      out += " " + std::to_string(what);
    }
    out += "\n";
  }

  const ir::Function& f_;
  std::vector<ir::BlockId> order_;
  std::vector<uint32_t> number_;  ///< by block: its place in the order
  std::vector<uint64_t> known_;  ///< by statement
  std::vector<uint32_t> place_;  ///< by statement: how many that are no phis and upsilons came until then
  std::vector<uint32_t> phis_;
};

}  // namespace braid
