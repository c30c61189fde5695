// What blocks have assigned, and what was there before: a log whose end stands in the Builder's table, so that an assignment
// writes its entry without a call.
#pragma once

#include <braid/builder.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "base/resize_memory.h"

namespace braid::ssa {

class ChangeLog {
 public:
  using Change = detail::VariableChange;
  static_assert(std::is_trivially_copyable_v<Change>);

  explicit ChangeLog(detail::VariableTable& table) : table_(table) {}
  ~ChangeLog() { std::free(table_.log); }
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;

  uint32_t size() const { return table_.log_size; }
  Change& operator[](uint32_t i) {
    assert(i < size());
    return table_.log[i];
  }
  /// One more, which the caller writes next.
  Change& add() {
    if (table_.log_size == table_.log_room) [[unlikely]] grow();
    return table_.log[table_.log_size++];
  }
  void clear() { table_.log_size = 0; }

 private:
  [[gnu::noinline]] void grow() {
    uint32_t room = std::max(64u, 2 * table_.log_room);
    table_.log = resize_memory(table_.log, room);
    table_.log_room = room;
  }

  detail::VariableTable& table_;
};

}  // namespace braid::ssa
