#include "sea/share_constants.h"

#include <vector>

#include "base/hash.h"
#include "base/hash_index.h"
#include "ir/bits.h"

namespace braid::sea {
namespace {

using ir::Op;

constexpr uint32_t most_uses = 16;

struct Form {
  Op op;
  bool doubles;    ///< the other operand takes the place of the constant
  uint64_t bits;   ///< otherwise, the constant that it needs
};

/// Another form of an operation whose right operand is this constant.
std::optional<Form> other_form(NodeOp op, Kind kind, uint64_t bits) {
  if (!is_table_op(op) || kind == Kind::i1) return std::nullopt;
  const int width = bit_width(kind);
  const uint64_t least = ir::canonical(kind, uint64_t{1} << (width - 1)), most = ~least;
  auto with = [&](Op to, uint64_t value) { return Form{to, false, ir::canonical(kind, value)}; };
  switch (table_op(op)) {
    case Op::shl:
      if (bits == 1) return Form{Op::add, true, 0};
      return std::nullopt;
    case Op::add: return with(Op::sub, 0 - bits);
    case Op::slt:
      if (bits != least) return with(Op::sle, bits - 1);
      return std::nullopt;
    case Op::sgt:
      if (bits != most) return with(Op::sge, bits + 1);
      return std::nullopt;
    case Op::ult:
      if (bits != 0) return with(Op::ule, bits - 1);
      return std::nullopt;
    case Op::ugt:
      if (bits != ~uint64_t{0}) return with(Op::uge, bits + 1);
      return std::nullopt;
    default: return std::nullopt;
  }
}

class Sharing {
 public:
  Sharing(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done)
      : graph_(graph), rewriter_(rewriter), done_(done) {}

  void run(std::span<const NodeId> constants) {
    constexpr size_t soon = 8;
    for (size_t i = 0; i < constants.size(); ++i) {
      if (i + 2 * soon < constants.size()) graph_.expect_read(constants[i + 2 * soon]);
      if (i + soon < constants.size()) graph_.expect_read_of_uses(constants[i + soon]);
      const NodeId constant = constants[i];
      if (graph_.is_dead(constant) || graph_.is_kept(constant)) continue;
      if (!find_forms(constant)) continue;
      bool all = true;
      for (const Form& form : forms_) all = all && (form.doubles || exists(form.bits));
      if (all) {
        if (!convert()) return;
        continue;
      }
      // Two constants that could both be one that is not there: one less, too.
      bool one = true;
      for (const Form& form : forms_) one = one && !form.doubles && form.bits == forms_[0].bits;
      if (!one) continue;
      const NodeId other = first_that_wants(forms_[0].bits, constant);
      if (other == constant) continue;
      if (!convert()) return;
      if (!graph_.is_dead(other) && find_forms(other) && !convert()) return;
    }
  }

 private:
  /// The uses of a constant and their other forms; false if one has none.
  bool find_forms(NodeId constant) {
    const ir::Constant value = graph_.constant_value(constant);
    std::optional<Kind> kind = graph_.module().types.single_kind(value.type);
    if (!kind || !is_integer(*kind)) return false;
    kind_ = *kind;
    uses_.clear();
    forms_.clear();
    bool all = true;
    graph_.for_each_use(constant, [&](NodeId user, uint32_t number) {
      all = uses_.size() < most_uses && number == 1 && graph_.input(user, 0) != constant;
      if (!all) return false;
      std::optional<Form> form = other_form(graph_.op(user), kind_, value.bits);
      all = form && (form->doubles || form->bits != value.bits);
      if (!all) return false;
      uses_.push_back(user);
      forms_.push_back(*form);
      return true;
    });
    return all && !uses_.empty();
  }

  bool exists(uint64_t bits) const {
    NodeId n = graph_.find_constant(of(kind_), bits);
    return !is_none(n) && graph_.has_uses(n);
  }

  /// Of the constants that could all be this one, the first that was asked for.
  NodeId first_that_wants(uint64_t bits, NodeId constant) {
    const auto next = static_cast<uint32_t>(wanted_.size());
    const auto hash = static_cast<uint32_t>(hash_combine(static_cast<uint64_t>(kind_), bits));
    const uint32_t at = wanted_index_.find_or_add(
        hash, next, [&](uint32_t i) { return wanted_[i].kind == kind_ && wanted_[i].bits == bits; });
    if (at == next) wanted_.push_back({kind_, bits, constant});
    return wanted_[at].by;
  }

  bool convert() {
    for (size_t i = 0; i < uses_.size(); ++i) {
      NodeId value = graph_.input(uses_[i], 0);
      NodeId other = forms_[i].doubles ? value : rewriter_.constant(kind_, forms_[i].bits, {});
      NodeId n = graph_.make(forms_[i].op, graph_.type(uses_[i]), {value, other}, 0, graph_.loc(uses_[i]));
      graph_.replace(uses_[i], graph_.unify_new(n));
      if (!done_(Rewrite::shared_constant, uses_[i])) return false;
    }
    return true;
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  Kind kind_{};
  std::vector<NodeId> uses_;
  std::vector<Form> forms_;
  struct Wanted {
    Kind kind;
    uint64_t bits;
    NodeId by;
  };
  std::vector<Wanted> wanted_;  ///< constants that are not there
  HashIndex wanted_index_;
};

}  // namespace

void share_constants(Graph& graph, Rewriter& rewriter, std::span<const NodeId> constants,
                     const std::function<bool(Rewrite, NodeId)>& done) {
  Sharing(graph, rewriter, done).run(constants);
}

}  // namespace braid::sea
