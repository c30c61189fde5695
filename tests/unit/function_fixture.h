// A function from text, with its parts by name.
#pragma once

#include "ir/verify.h"
#include "text_testing.h"

namespace braid::ir {

/// What the verifier found, one line each.
inline std::string rules_and_messages(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += "[" + std::string(finding.rule) + "] " + finding.message + "\n";
  return text;
}

/// A module from text, its function `@f`, and ways to name its parts.
class FunctionFixture : public ::testing::Test {
 protected:
  std::unique_ptr<Module> m;
  Function* f = nullptr;

  void read(const std::string& source) {
    m = text::parsed(source);
    ASSERT_NE(m, nullptr);
    f = m->find_function("f");
    ASSERT_NE(f, nullptr);
    ASSERT_EQ(rules_and_messages(verify(*f)), "");
  }
  static Operand at(uint32_t position) { return static_cast<Ref>(position); }
  BlockId block(std::string_view name) {
    for (uint32_t b = 0; b < f->block_count(); ++b)
      if (BlockId id = static_cast<BlockId>(b); !is_none(f->block(id).name) && m->name(f->block(id).name) == name) return id;
    ADD_FAILURE() << "no block " << name;
    return Function::entry();
  }
  uint32_t live_pred_count(BlockId b) const {
    uint32_t count = 0;
    f->for_each_pred(b, [&](EdgeId) { ++count; });
    return count;
  }
};

}  // namespace braid::ir
