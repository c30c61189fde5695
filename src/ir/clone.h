// Copying blocks, for functions at rest and for walks: one algorithm over two ways to name statements.
//
// Host offers: edges and blocks of `graph()`, `statements(b)` (names in order), `stmt(name)`, `words(name)` (value words as
// names), `type(name)`, `loc(name)`, `phis(b)`, `new_block`, `append`, `terminate`, `terminator(b)`, `raw_words(name)`,
// `set_operand`. Cost: O(what is copied + phi operands of the targets).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/compact.h"

namespace braid::ir {

template <typename Host>
std::vector<BlockId> clone_blocks_in(Host& host, std::span<const BlockId> blocks) {
  std::vector<BlockId> copies;
  std::unordered_map<uint32_t, BlockId> copy_of;
  for (BlockId b : blocks) {
    copies.push_back(host.new_block(host.graph().block(b).name));
    copy_of.emplace(index(b), copies.back());
  }

  // Statements first, with the originals' operands; phis without any: their columns come with the edges.
  struct Copied {
    Operand from, to;
  };
  std::vector<Copied> copied;
  std::unordered_map<uint32_t, Operand> name_of;
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (Operand name : host.statements(blocks[i])) {
      Op op = host.stmt(name).op;
      if (is_terminator(op) || op == Op::nothing) continue;
      std::vector<uint32_t> words;
      if (op != Op::phi) words = host.words(name);
      Operand copy = host.append(copies[i], {op, host.type(name), words, host.loc(name)});
      copied.push_back({name, copy});
      name_of.emplace(name.word(), copy);
    }
  }

  // Then terminators, with edges to the copies where those exist.
  struct CopiedEdge {
    EdgeId from, to;
  };
  std::vector<CopiedEdge> edges;
  for (size_t i = 0; i < blocks.size(); ++i) {
    Operand name = host.terminator(blocks[i]);
    if (name.is_undef()) continue;
    Op op = host.stmt(name).op;
    std::vector<uint32_t> words = host.words(name), originals = words;
    for (uint32_t slot = 0; slot < words.size(); ++slot) {
      if (info(op).kind_of(slot) != OperandKind::block) continue;
      EdgeId e = static_cast<EdgeId>(words[slot]);
      words[slot] = index(none_id<BlockId>);
      if (is_none(e) || host.graph().edge(e).dead) continue;
      BlockId to = host.graph().edge(e).to;
      auto inside = copy_of.find(index(to));
      words[slot] = index(inside == copy_of.end() ? to : inside->second);
    }
    host.terminate(copies[i], {op, host.type(name), words, host.loc(name)});
    Operand copy = host.terminator(copies[i]);
    copied.push_back({name, copy});
    name_of.emplace(name.word(), copy);
    std::vector<uint32_t> made = host.words(copy);
    for (uint32_t slot = 0; slot < words.size(); ++slot)
      if (info(op).kind_of(slot) == OperandKind::block && words[slot] != index(none_id<BlockId>))
        edges.push_back({static_cast<EdgeId>(originals[slot]), static_cast<EdgeId>(made[slot])});
  }

  auto renamed = [&](Operand name) {
    auto found = name_of.find(name.word());
    return found == name_of.end() ? name : found->second;
  };
  for (const Copied& pair : copied) {
    Op op = host.stmt(pair.to).op;
    if (op == Op::phi) continue;
    std::vector<uint32_t> words = host.words(pair.to);
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!info(op).is_value(i)) continue;
      Operand before = Operand::from_word(words[i]), after = renamed(before);
      if (before != after) host.set_operand(pair.to, i, after);
    }
  }
  // The new column of each phi says what the original's column says, in terms of the copies.
  for (const CopiedEdge& pair : edges) {
    const Edge original = host.graph().edge(pair.from), copy = host.graph().edge(pair.to);
    for (Operand phi : host.phis(original.to)) {
      std::vector<uint32_t> words = host.words(phi);
      Operand value = renamed(Operand::from_word(words[original.pred_index]));
      Operand target = original.to == copy.to ? phi : renamed(phi);
      host.set_operand(target, copy.pred_index, value);
    }
  }
  return copies;
}

}  // namespace braid::ir
