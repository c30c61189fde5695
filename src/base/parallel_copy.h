// A parallel copy as a sequence of moves: all sources are read before any target is written.
//
// Moves whose target nobody reads any more go first; what remains are cycles, each broken by one temporary (Boissinot et
// al., "Revisiting out-of-SSA translation", 2009, algorithm 1). O(moves).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace braid {

struct Move {
  uint32_t to, from;
};

class ParallelCopy {
 public:
  /// Targets must be different. A move to itself does nothing.
  void add(uint32_t to, uint32_t from) {
    if (to != from) moves_.push_back({to, from});
  }
  bool empty() const { return moves_.empty(); }

  /// Calls `emit(to, from)` in order; `temporary()` answers a register that no move names. Forgets the moves.
  template <typename Emit, typename Temporary>
  void sequentialize(Emit&& emit, Temporary&& temporary) {
    if (moves_.size() == 1) {
      emit(moves_[0].to, moves_[0].from);
      moves_.clear();
      return;
    }
    number_registers();
    for (uint32_t i = 0; i < moves_.size(); ++i)
      if (readers_[target_[i]] == 0) ready_.push_back(i);
    for (uint32_t next = 0;; ++next) {
      drain(emit);
      while (next < moves_.size() && done_[next]) ++next;
      if (next == moves_.size()) break;
      // Only cycles are left. Saving the target of one move frees it; its reader then reads the copy.
      uint32_t saved = temporary();
      emit(saved, moves_[next].to);
      where_[target_[next]] = saved;
      ready_.push_back(next);
    }
    moves_.clear();
  }

 private:
  static constexpr uint32_t none = 0xffffffffu;

  void number_registers() {
    std::unordered_map<uint32_t, uint32_t> numbers;
    auto number = [&](uint32_t reg) {
      auto [at, is_new] = numbers.emplace(reg, static_cast<uint32_t>(where_.size()));
      if (is_new) {
        where_.push_back(reg);
        readers_.push_back(0);
        writer_.push_back(none);
      }
      return at->second;
    };
    where_.clear();
    readers_.clear();
    writer_.clear();
    target_.clear();
    source_.clear();
    ready_.clear();
    done_.assign(moves_.size(), false);
    for (uint32_t i = 0; i < moves_.size(); ++i) {
      target_.push_back(number(moves_[i].to));
      source_.push_back(number(moves_[i].from));
      ++readers_[source_[i]];
      writer_[target_[i]] = i;
    }
  }

  template <typename Emit>
  void drain(Emit&& emit) {
    while (!ready_.empty()) {
      uint32_t i = ready_.back();
      ready_.pop_back();
      emit(moves_[i].to, where_[source_[i]]);
      done_[i] = true;
      uint32_t freed = source_[i];
      if (--readers_[freed] == 0 && writer_[freed] != none && !done_[writer_[freed]]) ready_.push_back(writer_[freed]);
    }
  }

  std::vector<Move> moves_;
  std::vector<uint32_t> where_, readers_, writer_;  ///< by register number
  std::vector<uint32_t> target_, source_;           ///< by move
  std::vector<uint32_t> ready_;
  std::vector<bool> done_;
};

}  // namespace braid
