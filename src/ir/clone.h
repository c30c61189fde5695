// Copying blocks, for functions at rest and for walks, within a function or from another one: one algorithm over several ways to
// name statements.
//
// Host offers, of what is copied: `graph()` with blocks and edges, `statements(b)` (names in order), `terminator(b)`,
// `stmt(name)`, `read(name)` (with value operands as names, resolved); of the copies: `target()` with blocks and edges,
// `new_block`, `append`, `terminate` (block numbers in block slots), `copied_terminator`, `read_copy`, `set_operand`,
// `add_upsilon`. Everything is read before anything is written, so that copies are not copied again.
// Cost: O(what is copied + statements of the targets; if upsilons are copied, also of all handlers).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

struct CloneDraft {
  Op op;
  Type type;
  std::vector<uint32_t> words;
  Loc loc;
  uint8_t flags;
  VarId source_variable;
};

template <typename Host>
class BlockCloner {
 public:
  BlockCloner(Host& host, std::span<const BlockId> blocks) : host_(host), blocks_(blocks) {}

  /// What is not copied has this name for the copies. Before `run`.
  void rename(Operand name, Operand by) { name_of_.emplace(name.word(), by); }
  /// How the copies call it, after `run`.
  Operand renamed(Operand name) const {
    auto found = name_of_.find(name.word());
    return found == name_of_.end() ? name : found->second;
  }

  std::vector<BlockId> run() {
    read();
    for (size_t i = 0; i < blocks_.size(); ++i) copies_.push_back(host_.new_block());
    for (size_t i = 0; i < blocks_.size(); ++i) copy_of_.emplace(index(blocks_[i]), copies_[i]);
    for (Source& source : statements_) {
      // A phi has no operands at first: its columns come with the edges.
      if (source.draft.op == Op::phi) source.draft.words.clear();
      source.copy = host_.append(copies_[source.block], source.draft);
      name_of_.emplace(source.name.word(), source.copy);
    }
    for (Source& source : terminators_) copy_terminator(source);
    rename_operands(statements_);
    rename_operands(terminators_);
    fill_columns();
    feed_phi_cs();
    return std::move(copies_);
  }

 private:
  struct Source {
    size_t block;  ///< in blocks_
    Operand name;
    CloneDraft draft;
    Operand copy{};
  };
  struct CopiedEdge {
    EdgeId original, copy;
  };

  void read() {
    bool has_upsilons = false;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      for (Operand name : host_.statements(blocks_[i])) {
        Op op = host_.stmt(name).op;
        if (is_terminator(op) || op <= Op::same) continue;
        has_upsilons |= op == Op::upsilon;
        statements_.push_back({i, name, host_.read(name)});
      }
      Operand t = host_.terminator(blocks_[i]);
      if (!t.is_undef()) read_terminator(i, t);
    }
    if (!has_upsilons) return;
    for (uint32_t b = 0; b < host_.graph().block_count(); ++b) {
      EdgeId e = host_.graph().block(static_cast<BlockId>(b)).first_pred;
      if (is_none(e) || host_.graph().edge(e).kind != EdgeKind::exceptional) continue;
      for (Operand name : host_.statements(static_cast<BlockId>(b)))
        if (host_.stmt(name).op == Op::phi_c) phi_cs_.push_back({0, name, host_.read(name)});
    }
  }

  /// Reads a terminator without its dead edges, and the phis of the blocks that it leads to.
  void read_terminator(size_t block, Operand name) {
    CloneDraft draft = host_.read(name);
    if (draft.op == Op::switch_) {
      draft.words = host_.graph().live_switch(draft.words);
      if (draft.words.empty()) draft.op = Op::unreachable;
    }
    for (uint32_t i = 0; i < draft.words.size(); ++i) {
      EdgeId e = static_cast<EdgeId>(draft.words[i]);
      if (info(draft.op).kind_of(i) != OperandKind::block || is_none(e)) continue;
      if (host_.graph().edge(e).dead) {
        draft.words[i] = index(none_id<EdgeId>);
        continue;
      }
      BlockId to = host_.graph().edge(e).to;
      auto [target, is_new] = phis_of_.try_emplace(index(to));
      if (!is_new) continue;
      for (Operand phi : host_.statements(to))
        if (host_.stmt(phi).op == Op::phi) target->second.push_back({0, phi, host_.read(phi)});
    }
    terminators_.push_back({block, name, std::move(draft)});
  }

  void copy_terminator(Source& source) {
    CloneDraft draft = source.draft;
    std::vector<EdgeId> originals;
    for (uint32_t i = 0; i < draft.words.size(); ++i) {
      if (info(draft.op).kind_of(i) != OperandKind::block) continue;
      EdgeId e = static_cast<EdgeId>(draft.words[i]);
      originals.push_back(e);
      if (is_none(e)) continue;
      BlockId to = host_.graph().edge(e).to;
      auto inside = copy_of_.find(index(to));
      draft.words[i] = index(inside == copy_of_.end() ? to : inside->second);
    }
    host_.terminate(copies_[source.block], draft);
    source.copy = host_.copied_terminator(copies_[source.block]);
    name_of_.emplace(source.name.word(), source.copy);
    CloneDraft made = host_.read_copy(source.copy);
    size_t next = 0;
    for (uint32_t i = 0; i < made.words.size(); ++i) {
      if (info(made.op).kind_of(i) != OperandKind::block) continue;
      EdgeId original = originals[next++];
      if (!is_none(original)) edges_.push_back({original, static_cast<EdgeId>(made.words[i])});
    }
  }

  void rename_operands(const std::vector<Source>& sources) {
    for (const Source& source : sources) {
      if (source.draft.op == Op::phi) continue;
      for (uint32_t i = 0; i < source.draft.words.size(); ++i) {
        if (!info(source.draft.op).is_value(i)) continue;
        Operand before = Operand::from_word(source.draft.words[i]), after = renamed(before);
        if (before != after) host_.set_operand(source.copy, i, after);
      }
    }
  }

  /// The column of a copied edge says what the column of the original says, in terms of the copies.
  void fill_columns() {
    for (const CopiedEdge& pair : edges_) {
      const Edge original = host_.graph().edge(pair.original), copy = host_.target().edge(pair.copy);
      const bool is_inside = copy_of_.contains(index(original.to));
      for (const Source& phi : phis_of_.at(index(original.to))) {
        Operand value;
        if (original.pred_index < phi.draft.words.size())
          value = renamed(Operand::from_word(phi.draft.words[original.pred_index]));
        host_.set_operand(is_inside ? renamed(phi.name) : phi.name, copy.pred_index, value);
      }
    }
  }

  void feed_phi_cs() {
    for (const Source& phi_c : phi_cs_) {
      if (name_of_.contains(phi_c.name.word())) continue;
      for (uint32_t word : phi_c.draft.words)
        if (auto found = name_of_.find(word); found != name_of_.end()) host_.add_upsilon(phi_c.name, found->second);
    }
  }

  Host& host_;
  std::span<const BlockId> blocks_;
  std::vector<BlockId> copies_;
  std::unordered_map<uint32_t, BlockId> copy_of_;
  std::vector<Source> statements_, terminators_, phi_cs_;
  std::unordered_map<uint32_t, std::vector<Source>> phis_of_;  ///< of every block that a copied one leads to
  std::unordered_map<uint32_t, Operand> name_of_;              ///< word of the original -> copy
  std::vector<CopiedEdge> edges_;
};

/// The body of a function inside of another one.
struct CopiedBody {
  struct Return {
    BlockId block;  ///< without a terminator
    Operand value;  ///< undef if there is none
  };
  std::vector<BlockId> blocks;      ///< the entry first
  std::vector<Return> returns;
  std::vector<Operand> outermost;   ///< its states without a caller
};
/// Copies all blocks of `callee`, a function of the same module that is at rest, with these operands in the place of its parameters.
/// The locations of the copies say that they stand in the place of what is at `call`.
CopiedBody copy_body(Function& f, const Function& callee, std::span<const Operand> arguments, Loc call);

template <typename Host>
std::vector<BlockId> clone_blocks_in(Host& host, std::span<const BlockId> blocks) {
  return BlockCloner<Host>(host, blocks).run();
}

}  // namespace braid::ir
