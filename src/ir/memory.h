// The memory of one run: flat, checked, zeroed, the same addresses in every engine.
//
//   0           nothing: null and small offsets from it are bad addresses
//   4096        constant globals, not writable; then the other globals, each in the order of the module
//   above       stack slots, last in first out with the activations
//   bit 62      function addresses: 16 bytes apart, neither readable nor writable
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/id_map.h"
#include "ir/module.h"

namespace braid::ir {

class Memory {
 public:
  static constexpr uint64_t first_address = 4096;

  /// Empties the memory and lays out the globals. False if they need more than `limit` bytes.
  bool reset(const Module& module, uint64_t limit) {
    limit_ = limit;
    bytes_.clear();
    global_addresses_.assign(module.globals.size(), 0);
    if (!place_globals(module, true)) return false;
    writable_start_ = bytes_.size();
    return place_globals(module, false);
  }
  uint64_t global_address(GlobalId id) const { return global_addresses_[id]; }

  /// The bytes at an address, or null if one of them is outside.
  const uint8_t* readable(uint64_t address, uint64_t size) const { return at(address, size, 0); }
  uint8_t* writable(uint64_t address, uint64_t size) {
    return const_cast<uint8_t*>(at(address, size, writable_start_));
  }

  /// A new zeroed piece, or nothing if it does not fit the limit.
  std::optional<uint64_t> allocate(uint64_t size, uint32_t align) {
    if (align == 0) align = 1;
    uint64_t start = (first_address + bytes_.size() + align - 1) / align * align - first_address;
    if (size == 0) size = 1;  // every slot has its own address
    if (start > limit_ || size > limit_ - start) return std::nullopt;
    bytes_.resize(static_cast<size_t>(start + size), 0);
    return first_address + start;
  }
  /// Everything allocated after `mark()` goes away by `release`.
  uint64_t mark() const { return bytes_.size(); }
  void release(uint64_t mark) { bytes_.resize(static_cast<size_t>(mark)); }

  static constexpr uint64_t function_address(FuncId id) { return function_bit | uint64_t{index(id)} << 4; }
  /// The function at an address; none if it is not the address of one.
  static FuncId function_at(const Module& module, uint64_t address) {
    uint64_t number = (address & ~function_bit) >> 4;
    if ((address & function_bit) == 0 || (address & 15) != 0 || number >= module.function_count()) return none_id<FuncId>;
    return static_cast<FuncId>(number);
  }

 private:
  static constexpr uint64_t function_bit = uint64_t{1} << 62;

  const uint8_t* at(uint64_t address, uint64_t size, uint64_t start) const {
    uint64_t offset = address - first_address;
    if (offset < start || offset >= bytes_.size() || size > bytes_.size() - offset) return nullptr;
    return bytes_.data() + offset;
  }
  bool place_globals(const Module& module, bool constant) {
    for (uint32_t i = 0; i < module.globals.size(); ++i) {
      GlobalId id = static_cast<GlobalId>(i);
      const Global& global = module.globals[id];
      if (global.constant != constant) continue;
      std::optional<uint64_t> address = allocate(global.size, global.align);
      if (!address) return false;
      global_addresses_[id] = *address;
      size_t copied = std::min<size_t>(global.initial.size(), static_cast<size_t>(global.size));
      if (copied != 0) std::memcpy(bytes_.data() + (*address - first_address), global.initial.data(), copied);
    }
    return true;
  }

  std::vector<uint8_t> bytes_;
  uint64_t limit_ = 0;
  uint64_t writable_start_ = 0;
  IdMap<GlobalId, uint64_t> global_addresses_;
};

}  // namespace braid::ir
