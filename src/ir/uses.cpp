// Two passes over the statements: count, then fill.
#include "ir/uses.h"

namespace braid::ir {
namespace {

template <typename F>
void for_each_use(const Function& f, F&& visit) {
  uint32_t count = f.dense_count(), size = f.size();
  for (uint32_t user = 0; user < count; ++user) {
    Operand id = f.from_dense(user);
    const Stmt& s = f.stmt(id);
    const OpInfo& op = info(s.op);
    std::span<const uint32_t> words = f.args(s);
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!op.is_value(i)) continue;
      Operand used = Operand::from_word(words[i]);
      if (used.is_stmt() || used.is_pending()) visit(used.is_stmt() ? used.number() : size + used.number(), id);
    }
  }
}

}  // namespace

Uses::Uses(const Function& f) : size_(f.size()) {
  uint32_t count = f.dense_count();
  starts_.assign(count + 1, 0);
  uint32_t total = 0;
  for_each_use(f, [&](uint32_t used, Operand) {
    ++starts_[used + 1];
    ++total;
  });
  for (uint32_t i = 0; i < count; ++i) starts_[i + 1] += starts_[i];
  users_.resize(total);
  // Filling moves each start to its row's end; shifting by one row restores them.
  for_each_use(f, [&](uint32_t used, Operand user) { users_[starts_[used]++] = user; });
  for (uint32_t i = count; i > 0; --i) starts_[i] = starts_[i - 1];
  starts_[0] = 0;
}

}  // namespace braid::ir
