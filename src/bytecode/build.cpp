#include "bytecode/build.h"

#include <algorithm>

#include "bytecode/emitter.h"
#include "bytecode/order.h"
#include "bytecode/tokens.h"
#include "ssa/pair_map.h"

namespace braid::bytecode {

using ir::Op;
using ir::Operand;

namespace {

/// Lists of registers, one behind the other, each by number.
class Rows {
 public:
  size_t count() const { return ends_.size(); }
  std::span<const uint32_t> operator[](size_t row) const {
    const uint32_t first = row == 0 ? 0 : ends_[row - 1];
    return std::span(items_).subspan(first, ends_[row] - first);
  }
  void add(std::span<const uint32_t> items) {
    const size_t first = items_.size();
    items_.insert(items_.end(), items.begin(), items.end());
    const auto begin = items_.begin() + static_cast<ptrdiff_t>(first);
    std::sort(begin, items_.end());
    items_.erase(std::unique(begin, items_.end()), items_.end());
    ends_.push_back(static_cast<uint32_t>(items_.size()));
  }
  void clear() {
    items_.clear();
    ends_.clear();
  }

 private:
  std::vector<uint32_t> items_, ends_;
};

}  // namespace

class Builder final : Emitter::Ways {
 public:
  Builder(const Code& code, const Blocks& blocks, RegisterLiveness& liveness, Translator& translator, BlockId start,
          ir::Function& f, const BuildOptions& options)
      : code_(code), blocks_(blocks), liveness_(liveness), translator_(translator), start_(start), f_(f),
        options_(options), order_(build_order(code, blocks, start)),
        emitter_(f, translator, code.register_count(), *this), tokens_(f, blocks.list_count()),
        block_of_(blocks.size(), none_id<ir::BlockId>), handler_of_(blocks.list_count(), none_id<ir::BlockId>) {}

  /// `assign` gives registers their first values.
  template <typename Assign>
  BuildReport run(bool at_start, Assign&& assign) {
    make_room();
    const ir::BlockId entry = f_.new_block(f_.module().symbol("entry"));
    for (const BuildOrder::Step& step : order_.steps)
      (step.is_list ? handler_of_[step.number] : block_of_[step.number]) = f_.new_block();
    list_ = no_handlers;
    emitter_.start_block(entry);
    assign();
    declare_unassigned();
    emitter_.live_out_ = liveness_.live_in(start_);
    if (at_start && options_.safepoints) stop(Op::safepoint, start_);
    emitter_.end();
    f_.jump(entry, target(blocks_[start_].first));
    for (const BuildOrder::Step& step : order_.steps) {
      if (step.is_list)
        dispatch(static_cast<HandlerListId>(step.number));
      else
        block(static_cast<BlockId>(step.number));
    }
    fill_crossings();
    tokens_.finish();
    return report_;
  }
  Emitter& emitter() { return emitter_; }

 private:
  /// An edge between blocks with different handlers.
  struct Crossing {
    ir::BlockId block;
    BlockId to;
    HandlerListId from;
  };

  /// As much as most functions need: what grows is copied, and its memory is touched twice.
  void make_room() {
    size_t ways = 0, crossings = 0, ranges = 0;
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
      const BlockId b = static_cast<BlockId>(i);
      ways += blocks_.successors(b).size();
      for (BlockId to : blocks_.successors(b)) crossings += handlers(to) != handlers(b);
    }
    for (const BuildOrder::Step& step : order_.steps)
      if (step.is_list) ranges += blocks_.ranges(static_cast<HandlerListId>(step.number)).size();
    const size_t blocks = 1 + order_.steps.size() + ranges + crossings;
    f_.reserve(static_cast<uint32_t>(2 * code_.size() + 2 * blocks), static_cast<uint32_t>(blocks),
               static_cast<uint32_t>(1 + ways + 2 * ranges + 2 * crossings));
  }

  /// Reading such a register ends the program: its variable has no value.
  void declare_unassigned() {
    uint32_t place = 0;
    for (flow::Variable v : liveness_.live_in(start_)) {
      if (!emitter_.is_known(index(v))) {
        report_.unassigned.push_back(index(v));
        emitter_.declare(index(v), translator_.type_at(start_, place, index(v)));
      }
      ++place;
    }
  }

  /// The handlers of a block; those of a list to which nothing throws are none.
  HandlerListId handlers(BlockId b) const {
    const HandlerListId list = blocks_[b].handlers;
    return order_.list_is_reached[index(list)] ? list : no_handlers;
  }

  ir::BlockId target(Pc pc) override {
    const BlockId to = blocks_.block_of(pc);
    if (handlers(to) == list_) return block_of_[index(to)];
    const ir::BlockId there = block_of_[index(to)];
    if (const uint32_t* known = crossing_of_.find(there, index(list_))) return crossings_[*known].block;
    crossing_of_.set(there, index(list_), static_cast<uint32_t>(crossings_.size()));
    crossings_.push_back({f_.new_block(), to, list_});
    return crossings_.back().block;
  }

  ir::BlockId only_target(Pc pc) override {
    if (handlers(blocks_.block_of(pc)) == list_) return block_of_[index(blocks_.block_of(pc))];
    leave();
    list_ = no_handlers;
    return target(pc);
  }

  void leave() override {
    if (list_ == no_handlers) return;
    tokens_.leaves(emitter_.emit(Op::leave, void_type, {Operand::undef()}), emitter_.block_, list_);
  }

  void block(BlockId b) {
    const Block& about = blocks_[b];
    list_ = handlers(b);
    current_ = b;
    is_live_found_ = false;
    throws_seen_ = 0;
    emitter_.start_block(block_of_[index(b)]);
    if (list_ != no_handlers) {
      tokens_.starts_in(block_of_[index(b)], list_);
      if (about.may_throw) emitter_.set_handled(liveness_.live_in_handlers(list_));
    }
    emitter_.live_out_ = liveness_.live_out(b);
    uint32_t place = 0;
    for (flow::Variable v : liveness_.live_in(b)) emitter_.declare(index(v), translator_.type_at(b, place++, index(v)));
    if (order_.is_header[index(b)]) header(b);
    for (Pc pc = about.first; pc < about.end; ++pc) {
      decoded_.clear();
      code_.decode(pc, decoded_);
      emitter_.start_instruction(pc, &decoded_, translator_.location(pc));
      if (decoded_.may_throw) before_throw(pc);
      translator_.translate(pc, emitter_);
    }
    if (!emitter_.is_ended()) emitter_.jump();
  }

  std::span<const uint32_t> live_before() override { return row_of(before_); }
  std::span<const uint32_t> live_meanwhile() override {
    return options_.call_states ? row_of(meanwhile_) : std::span<const uint32_t>();
  }
  std::span<const uint32_t> row_of(const Rows& rows) {
    if (!decoded_.may_throw) return {};
    if (!is_live_found_) find_live(current_);
    return rows[rows.count() - throws_seen_];
  }

  /// The registers that are live before each instruction that may throw, and those that are needed when it has called
  /// someone: behind it, and in a handler if it throws. The last instruction comes first.
  void find_live(BlockId b) {
    is_live_found_ = true;
    before_.clear();
    meanwhile_.clear();
    next_.clear();
    if (options_.call_states)
      for (flow::Variable v : liveness_.live_out(b)) next_.push_back(index(v));
    Decoded decoded;
    liveness_.for_each_backwards(b, [&](Pc pc, const std::vector<bool>&) {
      if (blocks_.may_throw(pc)) before_.add(liveness_.members());
      if (!options_.call_states) return;
      if (blocks_.may_throw(pc)) {
        decoded.clear();
        code_.decode(pc, decoded);
        for (uint32_t written : decoded.writes) std::erase(next_, written);
        for (flow::Variable v : liveness_.live_in_handlers(list_)) next_.push_back(index(v));
        meanwhile_.add(next_);
      }
      next_.assign(liveness_.members().begin(), liveness_.members().end());
    });
  }

  void before_throw(Pc pc) {
    ++throws_seen_;
    if (list_ != no_handlers) emitter_.write_back_handled();
    const Operand stays = translator_.stays(pc, emitter_);
    if (!stays.is_undef()) emitter_.emit(Op::guard, void_type, {stays, counted(emitter_.state())});
  }

  void header(BlockId b) {
    ++report_.loop_headers;
    if (options_.osr_states) stop(Op::osr_state, b);
    if (options_.safepoints) stop(Op::safepoint, b);
  }

  /// A place where the runtime may look at the registers, at the start of a block.
  void stop(Op op, BlockId b) {
    if (emitter_.state_.is_undef()) {
      at_start_.clear();
      for (flow::Variable v : liveness_.live_in(b)) at_start_.push_back(index(v));
      emitter_.start_state(blocks_[b].first, at_start_, translator_.location(blocks_[b].first));
      counted(emitter_.state());
    }
    emitter_.emit(op, void_type, {emitter_.state_});
  }

  Operand counted(Operand state) {
    ++report_.states;
    report_.state_registers += (f_.operand_count(f_.stmt(state)) - 3) / 2;
    return state;
  }

  /// The handler of a region: the ranges are asked in their order.
  void dispatch(HandlerListId list) {
    ++report_.regions;
    ir::BlockId at = handler_of_[index(list)];
    list_ = no_handlers;
    emitter_.start_block(at);
    emitter_.start_instruction(0, nullptr, {});
    const Operand exception = emitter_.emit(Op::the_exception, ref, {});
    tokens_.handles(emitter_.emit(Op::pop_exception, void_type, {Operand::undef()}), at, list);
    for (uint32_t number : code_.written_by_throw())
      if (is_read(list, number)) emitter_.write(number, translator_.stored_type(ref), exception);
    emitter_.write_back();
    for (uint32_t range : blocks_.ranges(list)) {
      const TryRange& about = code_.tries()[range];
      if (about.takes_all) {
        f_.jump(at, target(about.handler));
        return;
      }
      const Operand takes = translator_.takes(range, exception, emitter_);
      const ir::BlockId next = f_.new_block();
      f_.branch(at, takes, target(about.handler), next);
      at = next;
      emitter_.start_block(at);
    }
    f_.throw_value(at, exception);
  }

  /// Whether a handler of the list reads a register as the throw has left it.
  bool is_read(HandlerListId list, uint32_t number) const {
    return std::ranges::any_of(blocks_.ranges(list), [&](uint32_t range) {
      const auto live = liveness_.live_in(blocks_.block_of(code_.tries()[range].handler));
      return std::ranges::binary_search(live, static_cast<flow::Variable>(number));
    });
  }

  /// Blocks between regions. All of them are known by now, and so is how often each region is entered.
  void fill_crossings() {
    std::vector<uint32_t> entered(blocks_.list_count(), 0);
    for (const Crossing& crossing : crossings_) ++entered[index(handlers(crossing.to))];
    for (const Crossing& crossing : crossings_) {
      const ir::BlockId to = block_of_[index(crossing.to)];
      if (crossing.from != no_handlers) {
        tokens_.starts_in(crossing.block, crossing.from);
        tokens_.leaves(f_.append(crossing.block, f_.make(Op::leave, void_type, {Operand::undef()})), crossing.block,
                       crossing.from);
      }
      const HandlerListId list = handlers(crossing.to);
      if (list == no_handlers) {
        f_.jump(crossing.block, to);
        continue;
      }
      const ir::BlockId handler = handler_of_[index(list)];
      if (entered[index(list)] == 1) {
        f_.enter(crossing.block, handler, to);
        tokens_.enters(crossing.block, list);
        continue;
      }
      const ir::BlockId body = f_.new_block();
      const Operand token = f_.enter(crossing.block, handler, body);
      const Operand upsilon = f_.append(body, f_.make(Op::upsilon, token_type, {token}));
      f_.jump(body, to);
      tokens_.enters(crossing.block, body, upsilon, list);
    }
  }

  const Code& code_;
  const Blocks& blocks_;
  RegisterLiveness& liveness_;
  Translator& translator_;
  const BlockId start_;
  ir::Function& f_;
  const BuildOptions options_;
  const BuildOrder order_;
  Emitter emitter_;
  Tokens tokens_;
  std::vector<ir::BlockId> block_of_;    ///< by block
  std::vector<ir::BlockId> handler_of_;  ///< by list
  HandlerListId list_ = no_handlers;     ///< of the block that is being filled
  BlockId current_{};                    ///< that block
  uint32_t throws_seen_ = 0;             ///< instructions of it that may throw, up to the current one
  bool is_live_found_ = false;           ///< of the block: `before_` and `meanwhile_`
  std::vector<Crossing> crossings_;
  ssa::PairMap crossing_of_;                                ///< by target and list
  Rows before_, meanwhile_;                                 ///< of the instructions of the block that may throw
  std::vector<uint32_t> next_;                          ///< while they are found
  std::vector<uint32_t> at_start_;
  Decoded decoded_;
  BuildReport report_;
};

std::vector<BlockId> loop_headers(const Code& code, const Blocks& blocks) {
  std::vector<BlockId> found;
  if (blocks.size() == 0) return found;
  const BuildOrder order = build_order(code, blocks, static_cast<BlockId>(0));
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (order.is_header[b]) found.push_back(static_cast<BlockId>(b));
  return found;
}

BuildReport build(const Code& code, const Blocks& blocks, RegisterLiveness& liveness, Translator& translator,
                  ir::Function& f, const BuildOptions& options) {
  Builder builder(code, blocks, liveness, translator, static_cast<BlockId>(0), f, options);
  return builder.run(true, [&] { translator.start(builder.emitter()); });
}

BuildReport build_entry(const Code& code, const Blocks& blocks, RegisterLiveness& liveness, Translator& translator,
                        BlockId header, ir::Function& f, const BuildOptions& options) {
  Builder builder(code, blocks, liveness, translator, header, f, options);
  return builder.run(false, [&] {
    uint32_t place = 0;
    for (flow::Variable v : liveness.live_in(header)) {
      builder.emitter().write(index(v), translator.type_at(header, place, index(v)), translator.entry_value(place));
      ++place;
    }
  });
}

ir::Signature entry_signature(const RegisterLiveness& liveness, const Translator& translator, BlockId header,
                              Type result) {
  ir::Signature signature;
  signature.result = result;
  uint32_t place = 0;
  for (flow::Variable v : liveness.live_in(header))
    signature.params.push_back(translator.type_at(header, place++, index(v)));
  return signature;
}

}  // namespace braid::bytecode
