// Protected regions: which handlers an assignment must be reported to.
//
// A region is an `enter` with a handler; regions nest. A forward walk over the reachable blocks; the verifier has proved
// that all paths into a block agree. O(statements) for functions with handlers, nothing for others.
#pragma once

#include <cstdint>
#include <vector>

#include "flow/bypass.h"
#include "ir/function.h"

namespace braid::ssa {

class Regions {
 public:
  static constexpr uint32_t outside = 0xffffffffu;
  struct Region {
    ir::BlockId handler;  ///< none if it cannot be reached
    uint32_t outer;
  };

  explicit Regions(const ir::Function& f);

  bool any() const { return !regions_.empty(); }
  /// The innermost region at the start of a block.
  uint32_t at_start(ir::BlockId b) const { return start_.empty() ? outside : start_[index(b)]; }
  const Region& operator[](uint32_t region) const { return regions_[region]; }
  /// After a `leave` with so many tokens.
  uint32_t left(uint32_t region, uint32_t tokens) const {
    for (; tokens > 0 && region != outside; --tokens) region = regions_[region].outer;
    return region;
  }
  bool is_handler(ir::BlockId b) const { return !handlers_.empty() && handlers_[index(b)]; }
  /// What exceptions may bring to each handler comes from blocks up to which number, by the numbers of `bypass`.
  std::vector<flow::Bypass::Barrier> barriers(const flow::Bypass& bypass) const;

 private:
  std::vector<Region> regions_;
  std::vector<uint32_t> start_;
  std::vector<bool> handlers_;
};

}  // namespace braid::ssa
