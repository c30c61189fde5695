// Classes of values by union-find; members of a class are chained.
#include "interp/coalesce.h"

#include <algorithm>
#include <numeric>

namespace braid::interp {
namespace {

using ir::Op;
using ir::Operand;

constexpr size_t max_uses = 64;
constexpr size_t max_blocks = 64;
constexpr uint32_t max_members = 8;

class Coalescer {
 public:
  Coalescer(const Analysis& analysis, Layouts& layouts)
      : analysis_(analysis), layouts_(layouts), f_(analysis.function()), root_(f_.dense_count()),
        next_(f_.dense_count()), size_(f_.dense_count(), 1), live_index_(f_.dense_count(), none) {
    std::iota(root_.begin(), root_.end(), 0u);
    std::iota(next_.begin(), next_.end(), 0u);
  }

  std::vector<uint32_t> run() {
    // Loops first: their moves are the ones that are repeated.
    for (bool back_edges : {true, false})
      for (const Analysis::Block& block : analysis_.blocks()) merge_phis(block, back_edges);
    for (uint32_t dense = 0; dense < root_.size(); ++dense) root_[dense] = find(dense);
    return std::move(root_);
  }

 private:
  static constexpr uint32_t none = 0xffffffffu;

  /// Block numbers, ascending.
  struct Live {
    bool known = true;
    std::vector<uint32_t> in, out;
  };

  bool is_candidate(uint32_t dense) const {
    if (analysis_.is_flagged(dense) || analysis_.is_pinned(dense) || !analysis_.owns_registers(dense)) return false;
    Operand id = f_.from_dense(dense);
    if (f_.op(id) == Op::phi_c || f_.op(id) == Op::enter) return false;
    return layouts_.of(f_.type(id)).form == Layout::Form::scalar;
  }

  void merge_phis(const Analysis::Block& block, bool back_edges) {
    uint32_t number = analysis_.number_of(block.id);
    for (uint32_t dense : analysis_.statements(block)) {
      const ir::Stmt& s = f_.stmt(f_.from_dense(dense));
      if (s.op != Op::phi) break;
      if (!is_candidate(dense)) continue;
      f_.for_each_pred(block.id, [&](ir::EdgeId e) {
        const ir::Edge& edge = f_.edge(e);
        uint32_t from = analysis_.number_of(edge.from);
        if (from == Analysis::unreachable || (from >= number) != back_edges) return;
        if (edge.pred_index >= f_.operand_count(s)) return;
        Analysis::Place place = analysis_.place(analysis_.resolve(f_.operand(s, edge.pred_index)));
        if (place.offset != 0 || (!place.owner.is_stmt() && !place.owner.is_pending())) return;
        uint32_t other = f_.dense(place.owner);
        if (is_candidate(other) && analysis_.position_of(other) != Analysis::unreachable) merge(dense, other);
      });
    }
  }

  void merge(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b || size_[a] + size_[b] > max_members) return;
    uint32_t x = a;
    do {
      uint32_t y = b;
      do {
        if (interfere(x, y)) return;
        y = next_[y];
      } while (y != b);
      x = next_[x];
    } while (x != a);
    root_[b] = a;
    size_[a] += size_[b];
    std::swap(next_[a], next_[b]);
  }

  uint32_t find(uint32_t dense) {
    while (root_[dense] != dense) dense = root_[dense] = root_[root_[dense]];
    return dense;
  }

  /// All phis of a block are defined at once, at an odd position before its first statement.
  uint32_t definition(uint32_t dense) const {
    uint32_t position = analysis_.position_of(dense);
    if (f_.op(f_.from_dense(dense)) != Op::phi) return 2 * position + 1;
    return 2 * analysis_.blocks()[analysis_.block_at(position)].first;
  }
  uint32_t block_of(uint32_t dense) const { return analysis_.block_at(analysis_.position_of(dense)); }

  bool interfere(uint32_t a, uint32_t b) {
    return !live(a).known || !live(b).known || alive_at_definition(a, b) || alive_at_definition(b, a);
  }
  bool alive_at_definition(uint32_t value, uint32_t other) {
    uint32_t block = block_of(other), position = definition(other);
    if (block_of(value) == block && definition(value) >= position) return definition(value) == position;
    const Live& where = live(value);
    if (std::binary_search(where.out.begin(), where.out.end(), block)) return true;
    const Analysis::Block& range = analysis_.blocks()[block];
    for (Analysis::Use use : analysis_.uses(value))
      if (use.position > position && use.position / 2 >= range.first && use.position / 2 < range.end) return true;
    return false;
  }

  const Live& live(uint32_t dense) {
    if (live_index_[dense] == none) {
      live_index_[dense] = static_cast<uint32_t>(lives_.size());
      lives_.push_back(walk(dense));
    }
    return lives_[live_index_[dense]];
  }
  Live walk(uint32_t dense) {
    Live result;
    std::span<const Analysis::Use> uses = analysis_.uses(dense);
    uint32_t home = block_of(dense);
    std::vector<uint32_t> work;
    auto add = [&](uint32_t block) {
      if (std::find(result.in.begin(), result.in.end(), block) != result.in.end()) return;
      result.in.push_back(block);
      work.push_back(block);
    };
    if (uses.size() > max_uses) return {false, {}, {}};
    for (Analysis::Use use : uses) {
      uint32_t block = analysis_.block_at(use.position / 2);
      if (block != home) add(block);
    }
    while (!work.empty()) {
      const Analysis::Block& block = analysis_.blocks()[work.back()];
      work.pop_back();
      if (block.is_handler || result.in.size() > max_blocks) return {false, {}, {}};
      f_.for_each_pred(block.id, [&](ir::EdgeId e) {
        uint32_t from = analysis_.number_of(f_.edge(e).from);
        if (from == Analysis::unreachable || result.in.size() > max_blocks) return;
        if (std::find(result.out.begin(), result.out.end(), from) == result.out.end()) result.out.push_back(from);
        if (from != home) add(from);
      });
    }
    std::sort(result.in.begin(), result.in.end());
    std::sort(result.out.begin(), result.out.end());
    return result;
  }

  const Analysis& analysis_;
  Layouts& layouts_;
  const ir::Function& f_;
  std::vector<uint32_t> root_, next_, size_, live_index_;
  std::vector<Live> lives_;
};

}  // namespace

std::vector<uint32_t> coalesce(const Analysis& analysis, Layouts& layouts) {
  return Coalescer(analysis, layouts).run();
}

}  // namespace braid::interp
