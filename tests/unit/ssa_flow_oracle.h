// What minimal pruned SSA is, straight from its definition and as slow as that is: dominators by removing nodes one after
// another, frontiers by looking at all pairs, liveness by repeating until nothing changes.
#pragma once

#include <cstdint>
#include <vector>

namespace braid {

struct FlowModel {
  struct Access {
    bool is_write;
    uint32_t variable;
  };
  struct Block {
    std::vector<Access> accesses;
    std::vector<uint32_t> successors;
  };
  uint32_t variable_count = 0;
  std::vector<Block> blocks;  ///< block 0 is the entry; every variable gets a value before it

  std::vector<bool> reachable(uint32_t without = 0xffffffffu) const {
    std::vector<bool> seen(blocks.size(), false);
    std::vector<uint32_t> work;
    if (without != 0) {
      seen[0] = true;
      work.push_back(0);
    }
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      for (uint32_t s : blocks[b].successors)
        if (s != without && !seen[s]) {
          seen[s] = true;
          work.push_back(s);
        }
    }
    return seen;
  }

  /// `[a][b]`: every way to b leads through a. Only for reachable b.
  std::vector<std::vector<bool>> dominance() const {
    std::vector<bool> all = reachable();
    std::vector<std::vector<bool>> result(blocks.size(), std::vector<bool>(blocks.size(), false));
    for (uint32_t a = 0; a < blocks.size(); ++a) {
      std::vector<bool> rest = reachable(a);
      for (uint32_t b = 0; b < blocks.size(); ++b) result[a][b] = all[a] && all[b] && !rest[b];
    }
    return result;
  }

  /// `[b][v]`: v is read on some way from the start of b before it is written.
  std::vector<std::vector<bool>> live_in() const {
    std::vector<std::vector<bool>> live(blocks.size(), std::vector<bool>(variable_count, false));
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = static_cast<uint32_t>(blocks.size()); b-- > 0;) {
        std::vector<bool> now(variable_count, false);
        for (uint32_t s : blocks[b].successors)
          for (uint32_t v = 0; v < variable_count; ++v)
            if (live[s][v]) now[v] = true;
        for (size_t i = blocks[b].accesses.size(); i-- > 0;)
          now[blocks[b].accesses[i].variable] = !blocks[b].accesses[i].is_write;
        changed |= now != live[b];
        live[b] = std::move(now);
      }
    }
    return live;
  }

  /// `[b][v]`: minimal pruned SSA has a phi for v in b: b is in the iterated dominance frontier of the blocks that write v,
  /// the entry among them, and v is live there.
  std::vector<std::vector<bool>> minimal_phis() const {
    uint32_t count = static_cast<uint32_t>(blocks.size());
    std::vector<bool> is_reachable = reachable();
    std::vector<std::vector<bool>> dominates = dominance(), live = live_in();
    // The frontier of a: a dominates a predecessor of b, but not b strictly.
    std::vector<std::vector<uint32_t>> frontier(count);
    for (uint32_t a = 0; a < count; ++a) {
      std::vector<bool> in(count, false);
      for (uint32_t p = 0; p < count; ++p)
        if (is_reachable[p] && dominates[a][p])
          for (uint32_t b : blocks[p].successors)
            if (a == b || !dominates[a][b]) in[b] = true;
      for (uint32_t b = 0; b < count; ++b)
        if (in[b]) frontier[a].push_back(b);
    }
    std::vector<std::vector<bool>> result(count, std::vector<bool>(variable_count, false));
    for (uint32_t v = 0; v < variable_count; ++v) {
      std::vector<bool> defines(count, false);
      defines[0] = true;
      for (uint32_t b = 0; b < count; ++b)
        for (const Access& access : blocks[b].accesses)
          if (is_reachable[b] && access.is_write && access.variable == v) defines[b] = true;
      std::vector<bool> phi(count, false);
      for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < count; ++a)
          if (defines[a] || phi[a])
            for (uint32_t b : frontier[a])
              if (!phi[b]) phi[b] = changed = true;
      }
      for (uint32_t b = 0; b < count; ++b) result[b][v] = phi[b] && live[b][v];
    }
    return result;
  }
};

}  // namespace braid
