#include "opt/dce.h"

#include <vector>

#include "base/bit_set.h"
#include "flow/orders.h"
#include "ir/compact.h"
#include "ir/graph_view.h"
#include "ir/order.h"

namespace braid::opt {

using namespace ir;

namespace {

class Marker {
 public:
  Marker(const Function& f, const flow::Graph& cfg) : f_(f), reached_(flow::reachable(cfg)), live_(f.dense_count()) {}

  bool is_live(Operand id) const { return live_.test(f_.dense(id)); }
  bool is_reached(BlockId b) const { return reached_.test(node(b)); }

  void mark(Operand id) {
    if ((id.is_stmt() || id.is_pending()) && live_.insert(f_.dense(id))) work_.push_back(id);
  }
  void drain() {
    while (!work_.empty()) {
      Operand id = work_.back();
      work_.pop_back();
      if (f_.op(id) == Op::phi)
        mark_columns(id);
      else
        mark_operands(id);
    }
  }

 private:
  void mark_operands(Operand id) {
    const Stmt& s = f_.stmt(id);
    const OpInfo& op = info(s.op);
    std::span<const uint32_t> words = f_.args(s);
    for (uint32_t i = 0; i < words.size(); ++i)
      if (op.is_value(i)) mark(Operand::from_word(words[i]));
  }
  /// Columns of dead edges are not read, nor are those of blocks that compaction is about to drop.
  void mark_columns(Operand phi) {
    std::span<const uint32_t> words = f_.args(f_.stmt(phi));
    f_.for_each_pred(f_.block_of(phi), [&](EdgeId e) {
      const Edge& edge = f_.edge(e);
      if (is_reached(edge.from) && edge.pred_index < words.size()) mark(Operand::from_word(words[edge.pred_index]));
    });
  }

  const Function& f_;
  IdSet<flow::Node> reached_;
  BitSet live_;
  std::vector<Operand> work_;
};

}  // namespace

void dce(Function& f) {
  Analyses analyses(f);
  dce(f, analyses);
}

void dce(Function& f, Analyses& analyses) {
  Marker marker(f, analyses.cfg());
  PendingLists lists(f);
  std::vector<Operand> statements;
  statements.reserve(f.dense_count());
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    BlockId block = static_cast<BlockId>(b);
    if (!marker.is_reached(block)) continue;
    for_each_statement(f, lists, block, [&](Operand id) {
      statements.push_back(id);
      if (f.traits(id) & keeps_alive) marker.mark(id);
    });
  }
  marker.drain();
  for (Operand id : statements)
    if (!marker.is_live(id)) f.erase(id);
  // What was erased is a hole that compaction finds.
  analyses.keep(compact(f));
}

}  // namespace braid::opt
