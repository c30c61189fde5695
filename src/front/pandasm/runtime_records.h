// The records that every program knows (runtime_records.def).
#pragma once

#include <string_view>

namespace braid::pandasm {

struct RuntimeRecord {
  std::string_view name, extends;
  bool is_open;  ///< others may extend it
};
inline constexpr RuntimeRecord runtime_records[] = {
#define RECORD(name, extends, is_open) {name, extends, is_open},
#include "front/pandasm/runtime_records.def"
#undef RECORD
};

/// An exception or an error of the runtime.
constexpr bool is_runtime_throwable(std::string_view name) {
  if (name == "panda.Exception" || name == "panda.Error") return true;
  for (const RuntimeRecord& record : runtime_records)
    if (record.name == name) return is_runtime_throwable(record.extends);
  return false;
}

}  // namespace braid::pandasm
