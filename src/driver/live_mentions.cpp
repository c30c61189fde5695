#include "driver/live_mentions.h"

#include <algorithm>
#include <utility>

#include "driver/display_names.h"
#include "ir/graph_view.h"
#include "ssa/regions.h"
#include "ssa/tracks.h"
#include "text/print.h"

namespace braid::driver {

using flow::Node;
using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {

/// Blocks cut at assignments behind something that may throw, and behind the ends of regions.
class Pieces {
 public:
  explicit Pieces(const ir::Function& f)
      : regions_(f), of_statement_(f.size(), none_id<Node>), f_(f), count_(f.block_count()) {
    for (uint32_t b = 0; b < f.block_count(); ++b) cut(static_cast<BlockId>(b));
  }

  Node of(uint32_t statement) const { return of_statement_[statement]; }
  flow::Graph graph() const {
    Node entry = f_.block_count() == 0 ? none_id<Node> : ir::node(ir::Function::entry());
    return flow::Graph::from_edges(count_, entry, edges_);
  }

 private:
  void cut(BlockId b) {
    const ir::Block& block = f_.block(b);
    Node piece = ir::node(b);
    uint32_t region = regions_.at_start(b);
    bool may_have_thrown = false, has_left = false;
    for (uint32_t i = block.first; i < block.end; ++i) {
      Operand id = static_cast<ir::Ref>(i);
      Op op = f_.op(id);
      if (has_left || (may_have_thrown && op == Op::set)) {
        Node next = static_cast<Node>(count_++);
        edges_.push_back({piece, next});
        piece = next;
        may_have_thrown = has_left = false;
      }
      of_statement_[i] = piece;
      if (op == Op::leave) {
        region = regions_.left(region, f_.operand_count(f_.stmt(id)));
        has_left = true;
      }
      if ((f_.traits(id) & ir::throws) == 0 || may_have_thrown) continue;
      may_have_thrown = true;
      if (region != ssa::Regions::outside && !is_none(regions_[region].handler))
        edges_.push_back({piece, ir::node(regions_[region].handler)});
    }
    f_.for_each_succ(b, [&](EdgeId e) { edges_.push_back({piece, ir::node(f_.edge(e).to)}); });
  }

  ssa::Regions regions_;
  std::vector<Node> of_statement_;
  std::vector<flow::Edge> edges_;
  const ir::Function& f_;
  uint32_t count_;
};

/// An operand of a phi is read at the end of the block that the edge comes from; a handler's phi_c reads its
/// slots, not the upsilons.
class MentionFinder {
 public:
  MentionFinder(const ir::Function& f, LiveMentions& found) : f_(f), pieces_(f), found_(found) {}

  void run() {
    for (std::string& name : variable_names(f_)) found_.things.push_back({std::move(name), true});
    for (uint32_t b = 0; b < f_.block_count(); ++b) find_mentions(static_cast<BlockId>(b));
    add_values();
    auto rows = [&](const std::vector<Mention>& list) {
      return Csr<Node>::build(found_.things.size(), [&](auto&& emit) {
        for (const Mention& m : list) emit(m.thing, m.node);
      });
    };
    found_.pieces = pieces_.graph();
    found_.of_things.exposed_uses = rows(uses_);
    found_.of_things.definitions = rows(definitions_);
    auto order = [](const Mention& a, const Mention& b) {
      return std::pair(index(a.node), a.thing) < std::pair(index(b.node), b.thing);
    };
    auto equal = [](const Mention& a, const Mention& b) { return a.node == b.node && a.thing == b.thing; };
    std::sort(at_ends_.begin(), at_ends_.end(), order);
    at_ends_.erase(std::unique(at_ends_.begin(), at_ends_.end(), equal), at_ends_.end());
    found_.phi_operands = Csr<flow::Variable>::build(f_.block_count(), [&](auto&& emit) {
      for (const Mention& m : at_ends_) emit(index(m.node), static_cast<flow::Variable>(m.thing));
    });
  }

 private:
  struct Mention {
    uint32_t thing;
    Node node;
  };

  void find_mentions(BlockId b) {
    const ir::Block& block = f_.block(b);
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Stmt& s = f_.columns().stmt(i);
      if (s.op == Op::get || s.op == Op::set || s.op == Op::is_defined) mention_variable(s, pieces_.of(i));
      if (s.op == Op::phi_c) continue;
      if (s.op == Op::phi) {
        f_.for_each_pred(b, [&](EdgeId e) {
          read(Operand::from_word(f_.arg(s, f_.edge(e).pred_index)), f_.edge(e).from, none_id<Node>);
        });
        continue;
      }
      std::span<const uint32_t> words = f_.args(s);
      for (uint32_t k = 0; k < words.size(); ++k)
        if (ir::info(s.op).kind_of(k) == ir::OperandKind::value)
          read(Operand::from_word(words[k]), b, pieces_.of(i));
    }
  }

  void mention_variable(const ir::Stmt& s, Node piece) {
    uint32_t v = s.arg[0];
    if (s.op == Op::set) {
      if (std::exchange(defined_in_[v], piece) != piece) definitions_.push_back({v, piece});
      return;
    }
    // One that is always defined need not be kept for the question.
    bool is_read = s.op == Op::get || tracks_.flag_of(static_cast<ir::VarId>(v)) != ssa::Tracks::no_track;
    if (is_read && defined_in_[v] != piece) uses_.push_back({v, piece});
  }

  /// `piece`: of the reader; none for a phi, which reads at the end of the block.
  void read(Operand value, BlockId b, Node piece) {
    if (!value.is_param() && !value.is_stmt()) return;
    if (home(value) != b || is_none(piece)) reads_.push_back({value, b, piece});
  }
  BlockId home(Operand value) const { return value.is_param() ? ir::Function::entry() : f_.block_of(value); }

  /// Parameters first, then statements in their order.
  void add_values() {
    std::vector<LiveThing>& things = found_.things;
    auto number = [&](Operand value) {
      return value.is_param() ? value.number() : f_.param_count() + value.number();
    };
    std::vector<uint32_t> thing_of(f_.param_count() + f_.size(), 0);
    for (const Read& r : reads_) thing_of[number(r.value)] = 1;
    for (uint32_t n = 0; n < thing_of.size(); ++n) {
      if (thing_of[n] == 0) continue;
      bool is_param = n < f_.param_count();
      Operand value = is_param ? Operand::param(n) : Operand(static_cast<ir::Ref>(n - f_.param_count()));
      thing_of[n] = static_cast<uint32_t>(things.size());
      printer_.append_value(things.emplace_back(LiveThing{"", false}).name, value);
      definitions_.push_back(
          {thing_of[n], is_param ? ir::node(ir::Function::entry()) : pieces_.of(value.number())});
    }
    for (const Read& r : reads_) {
      uint32_t thing = thing_of[number(r.value)];
      if (is_none(r.piece)) at_ends_.push_back({thing, ir::node(r.block)});
      if (home(r.value) != r.block)
        uses_.push_back({thing, is_none(r.piece) ? last_piece(r.block) : r.piece});
    }
  }
  Node last_piece(BlockId b) const {
    const ir::Block& block = f_.block(b);
    return block.first == block.end ? ir::node(b) : pieces_.of(block.end - 1);
  }

  struct Read {
    Operand value;
    BlockId block;
    Node piece;
  };

  const ir::Function& f_;
  const Pieces pieces_;
  const ssa::Tracks tracks_{f_};
  LiveMentions& found_;
  text::StatementPrinter printer_{f_};
  std::vector<Node> defined_in_ = std::vector<Node>(f_.variables.size(), none_id<Node>);
  std::vector<Read> reads_;
  std::vector<Mention> uses_, definitions_, at_ends_;
};

}  // namespace

LiveMentions::LiveMentions(const ir::Function& f) { MentionFinder(f, *this).run(); }

}  // namespace braid::driver
