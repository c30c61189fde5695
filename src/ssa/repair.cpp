#include "ssa/repair.h"

#include <unordered_map>

#include "ir/order.h"
#include "ssa/redundant_phis.h"

namespace braid::ssa {

using ir::Block;
using ir::BlockId;
using ir::EdgeId;
using ir::Function;
using ir::NewRef;
using ir::Op;
using ir::Operand;
using ir::Point;
using ir::Ref;

namespace {

/// The order of statements inside of blocks, found out block by block when it is asked for.
class LocalOrder {
 public:
  LocalOrder(const Function& f, RepairReport& report)
      : f_(f), report_(report), block_of_pending_(f.pending_count()) {
    for (uint32_t k = 0; k < f.pending_count(); ++k) {
      const Point& point = f.points()[k];
      BlockId b = point.of_block()              ? point.block()
                  : point.anchor().is_pending() ? block_of_pending_[point.anchor().number()]
                                                : f.block_of(point.anchor());
      block_of_pending_[k] = b;
      pending_in_[index(b)].push_back(k);
    }
    report.statements += f.pending_count();
  }

  /// Ascends along the block of `id`.
  uint32_t rank(BlockId b, Operand id) {
    if (id.is_stmt() && f_.block(b).more == Block::no_range && !pending_in_.contains(index(b)))
      return id.number();
    auto [found, is_new] = ranks_.try_emplace(index(b));
    if (is_new) find_order(b, found->second);
    return found->second.at(id.word());
  }

 private:
  using Ranks = std::unordered_map<uint32_t, uint32_t>;

  /// The walk of ir/order.h with numbers that count from 0 in the block.
  void find_order(BlockId b, Ranks& ranks) {
    std::vector<Operand> names;
    Ranks number;
    auto add = [&](Operand id) {
      number.emplace(id.word(), static_cast<uint32_t>(names.size()));
      names.push_back(id);
    };
    f_.for_each_range(b, [&](uint32_t first, uint32_t end) {
      for (uint32_t i = first; i < end; ++i) add(static_cast<Ref>(i));
    });
    uint32_t size = static_cast<uint32_t>(names.size());
    ir::PendingLists lists;
    if (auto waiting = pending_in_.find(index(b)); waiting != pending_in_.end()) {
      for (uint32_t k : waiting->second) add(static_cast<NewRef>(k));
      uint32_t count = static_cast<uint32_t>(names.size());
      for (uint32_t j = 0; j < waiting->second.size(); ++j) {
        const Point& point = f_.points()[waiting->second[j]];
        if (point.of_block())
          lists.add(j, point.side, 0, 1);
        else
          lists.add(j, point.side, number.at(point.anchor().word()), count);
      }
    }
    report_.statements += names.size();

    ir::InsertionWalk walk;
    auto visit = [&](uint32_t root) {
      walk.start(root);
      for (uint32_t at = walk.next(lists, size); at != ir::InsertionWalk::end; at = walk.next(lists, size))
        ranks.emplace(names[at].word(), static_cast<uint32_t>(ranks.size()));
    };
    auto visit_list = [&](Point::Side side) {
      constexpr uint32_t nobody = ir::PendingLists::nobody;
      for (uint32_t j = lists.next(side, 0, nobody); j != nobody; j = lists.next(side, 0, j)) visit(size + j);
    };
    visit_list(Point::Side::block_phis);
    for (uint32_t i = 0; i < size; ++i)
      if (names[i] != f_.terminator(b)) visit(i);
    visit_list(Point::Side::block_end);
    if (auto t = number.find(f_.terminator(b).word()); t != number.end()) visit(t->second);
  }

  const Function& f_;
  RepairReport& report_;
  std::vector<BlockId> block_of_pending_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> pending_in_;  ///< by block, in the order of insertion
  std::unordered_map<uint32_t, Ranks> ranks_;                       ///< by block
};

/// One value with all its definitions.
class ValueRepair {
 public:
  using Numbers = std::unordered_map<uint32_t, uint32_t>;  ///< word of a definition -> number of its value

  ValueRepair(Function& f, LocalOrder& order, const Numbers& numbers, RepairReport& report, Operand original)
      : f_(f),
        order_(order),
        numbers_(numbers),
        report_(report),
        original_(original),
        is_token_(f.op(original) == Op::enter) {
    add_definition(original);
  }

  void add_definition(Operand value) {
    definitions_[index(f_.block_of(value))].push_back(static_cast<uint32_t>(leaves_.size()));
    leaves_.push_back(value);
  }
  Operand original() const { return original_; }
  void add_users(std::span<const Operand> users) {
    for (Operand user : users) add_user(user);
  }
  /// All uses by one statement. It may be named several times in a row.
  void add_user(Operand user) {
    if (user == last_user_) return;
    last_user_ = user;
    if (f_.op(user) == Op::phi)
      add_phi_uses(user);
    else
      add_plain_uses(user);
  }

  void run() {
    search();
    phis_.remove_redundant();
    insert_phis();
    for (const Use& use : uses_) f_.set_operand(use.user, use.operand, resolved(use.word));
  }

 private:
  struct Use {
    Operand user;
    uint32_t operand;
    uint32_t word;
  };

  // Definitions are parameters by their number in leaves_, blocks that need the value at their start are
  // buffered statements by their number in blocks_: so ssa/redundant_phis.h tells them apart.
  static uint32_t leaf_word(uint32_t leaf) { return Operand::param(leaf).word(); }

  bool is_definition(uint32_t word) const {
    auto found = numbers_.find(word);
    return found != numbers_.end() && found->second == numbers_.at(original_.word());
  }

  uint32_t at_start(BlockId b) {
    auto [found, is_new] = number_of_.try_emplace(index(b), static_cast<uint32_t>(blocks_.size()));
    if (is_new) blocks_.push_back(b);
    return PhiCandidates::word_of(found->second);
  }
  uint32_t at_end(BlockId b) {
    auto found = definitions_.find(index(b));
    if (found == definitions_.end()) return at_start(b);
    std::vector<uint32_t>& leaves = found->second;
    uint32_t last = leaves[0];
    for (uint32_t leaf : leaves)
      if (leaf != last && order_.rank(b, leaves_[leaf]) > order_.rank(b, leaves_[last])) last = leaf;
    return leaf_word(last);
  }
  uint32_t before(BlockId b, Operand user) {
    auto found = definitions_.find(index(b));
    if (found == definitions_.end()) return at_start(b);
    uint32_t at = order_.rank(b, user), best = no_leaf, best_rank = 0;
    for (uint32_t leaf : found->second) {
      uint32_t rank = order_.rank(b, leaves_[leaf]);
      if (rank >= at || (best != no_leaf && rank < best_rank)) continue;
      best = leaf;
      best_rank = rank;
    }
    return best == no_leaf ? at_start(b) : leaf_word(best);
  }

  void add_plain_uses(Operand user) {
    const ir::Stmt& s = f_.stmt(user);
    std::span<const uint32_t> words = f_.args(s);
    uint32_t reaching = 0;
    bool is_known = false;
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!ir::info(s.op).is_value(i) || !is_definition(words[i])) continue;
      if (!is_known) reaching = before(f_.block_of(user), user);
      is_known = true;
      uses_.push_back({user, i, reaching});
    }
  }
  void add_phi_uses(Operand phi) {
    f_.for_each_pred(f_.block_of(phi), [&](EdgeId e) {
      uint32_t column = f_.edge(e).pred_index;
      if (is_definition(f_.operand(phi, column).word()))
        uses_.push_back({phi, column, at_end(f_.edge(e).from)});
    });
  }

  /// What comes in by an edge. There is no token before its enter: a handler gets the one that the body
  /// starts with.
  uint32_t incoming(EdgeId e) {
    if (is_token_ && f_.edge(e).kind == ir::EdgeKind::exceptional) at_start(body_of(e));
    return at_end(f_.edge(e).from);
  }
  BlockId body_of(EdgeId to_handler) const {
    Operand enter = f_.terminator(f_.edge(to_handler).from);
    return f_.edge(static_cast<EdgeId>(f_.arg(f_.stmt(enter), 1))).to;
  }

  void search() {
    report_.uses += uses_.size();
    for (size_t i = 0; i < blocks_.size(); ++i) {
      BlockId b = blocks_[i];
      phis_.begin_operands(PhiCandidates::number(phis_.add()));
      if (b == Function::entry()) phis_.add_operand(Operand::undef().word());
      f_.for_each_pred(b, [&](EdgeId e) { phis_.add_operand(incoming(e)); });
    }
    report_.blocks += blocks_.size();
    report_.edges += phis_.operand_count();
  }

  Operand resolved(uint32_t word) {
    Operand operand = Operand::from_word(phis_.resolved(word));
    if (operand.is_pending()) return phi_of_[operand.number()];
    return operand.is_undef() ? operand : leaves_[operand.number()];
  }

  void insert_phis() {
    phi_of_.resize(blocks_.size());
    Type type = f_.type_of(original_);
    for (Operand value : leaves_) type = f_.module().types.join(type, f_.type_of(value));
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
      if (!phis_.stays(i)) continue;
      bool in_handler = is_handler(blocks_[i]);
      std::vector<uint32_t> words(in_handler ? 0 : f_.block(blocks_[i]).pred_count, Operand::undef().word());
      ir::Inst phi = f_.make(in_handler ? Op::phi_c : Op::phi, type, words, f_.loc(original_));
      phi_of_[i] = f_.insert(Function::phis_of(blocks_[i]), phi);
      ++(in_handler ? report_.phi_cs : report_.phis);
    }
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
      if (!phis_.stays(i)) continue;
      std::span<const uint32_t> operands = phis_.operands(i);
      size_t at = 0;
      bool in_handler = is_handler(blocks_[i]);
      f_.for_each_pred(blocks_[i], [&](EdgeId e) {
        Operand value = resolved(operands[at++]);
        if (in_handler)
          store(phi_of_[i], e, value, type);
        else
          f_.set_operand(phi_of_[i], f_.edge(e).pred_index, value);
      });
    }
  }
  bool is_handler(BlockId b) const {
    bool found = false;
    f_.for_each_pred(b, [&](EdgeId e) { found = f_.edge(e).kind == ir::EdgeKind::exceptional; });
    return found;
  }
  void store(Operand phi_c, EdgeId e, Operand value, Type type) {
    Point place = f_.at_end(f_.edge(e).from);
    if (is_token_) {
      BlockId body = body_of(e);
      value = resolved(at_start(body));
      place = f_.at_start(body);
    }
    f_.add_upsilon(phi_c, f_.insert(place, f_.make(Op::upsilon, type, {value}, f_.loc(original_))));
  }

  static constexpr uint32_t no_leaf = 0xffffffffu;

  Function& f_;
  LocalOrder& order_;
  const Numbers& numbers_;
  RepairReport& report_;
  Operand original_;
  bool is_token_;
  Operand last_user_;
  std::vector<Operand> leaves_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> definitions_;  ///< by block: leaves
  std::vector<Use> uses_;
  std::vector<BlockId> blocks_;                       ///< where the value is needed at the start
  std::unordered_map<uint32_t, uint32_t> number_of_;  ///< by block: number in blocks_
  PhiCandidates phis_;                                ///< one for each of them
  std::vector<Operand> phi_of_;
};

}  // namespace

RepairReport repair(Function& f, std::span<const NewDefinition> definitions, const ir::Uses& uses,
                    std::span<const Operand> changed) {
  RepairReport report;
  if (definitions.empty()) return report;
  const uint32_t known = uses.statement_count();
  LocalOrder order(f, report);
  std::vector<ValueRepair> values;
  ValueRepair::Numbers number_of;
  for (const NewDefinition& definition : definitions) {
    if (f.op(definition.original) == Op::upsilon) continue;
    auto [found, is_new] =
        number_of.try_emplace(definition.original.word(), static_cast<uint32_t>(values.size()));
    uint32_t number = found->second;
    if (is_new) values.emplace_back(f, order, number_of, report, definition.original);
    values[number].add_definition(definition.value);
    number_of.emplace(definition.value.word(), number);
  }

  auto look_at = [&](Operand user) {
    ++report.statements;
    const ir::Stmt& s = f.stmt(user);
    std::span<const uint32_t> words = f.args(s);
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!ir::info(s.op).is_value(i)) continue;
      if (auto found = number_of.find(words[i]); found != number_of.end())
        values[found->second].add_user(user);
    }
  };
  for (ValueRepair& value : values) value.add_users(uses.of(value.original()));
  for (uint32_t i = known; i < f.size(); ++i) look_at(static_cast<Ref>(i));
  for (uint32_t k = 0; k < f.pending_count(); ++k) look_at(static_cast<NewRef>(k));
  for (Operand user : changed) look_at(user);
  for (ValueRepair& value : values) value.run();
  return report;
}

std::vector<NewDefinition> definitions_of_copies(const Function& f, std::span<const BlockId> blocks,
                                                 std::span<const BlockId> copies) {
  std::vector<NewDefinition> definitions;
  // What cloning leaves out has no copy.
  auto statements = [&](BlockId b) {
    std::vector<Operand> found;
    f.for_each_range(b, [&](uint32_t first, uint32_t end) {
      for (uint32_t i = first; i < end; ++i)
        if (f.op(static_cast<Ref>(i)) > Op::same) found.push_back(static_cast<Ref>(i));
    });
    return found;
  };
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::vector<Operand> originals = statements(blocks[i]), made = statements(copies[i]);
    for (size_t k = 0; k < originals.size(); ++k)
      if (f.type(originals[k]) != void_type && f.op(originals[k]) != Op::upsilon)
        definitions.push_back({originals[k], made[k]});
  }
  return definitions;
}

}  // namespace braid::ssa
