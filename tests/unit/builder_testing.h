// What tests of the public Builder do with a function that is built.
#pragma once

#include <braid/braid.h>

#include <string>
#include <vector>

namespace braid {

/// Runs and renders: a value, `throws …`, or how it failed.
inline std::string outcome(const Func& f, std::vector<Value> arguments, const RunOptions& options = {}) {
  return run(f, arguments, options).message;
}

inline Value v(int64_t x) { return Value(x); }

}  // namespace braid
