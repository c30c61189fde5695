#include "sea/share_constants.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/hash_index.h"
#include "sea/constant_forms.h"

namespace braid::sea {
namespace {

using ir::Op;

constexpr uint32_t most_uses = 16;
constexpr uint32_t most_edges = 5;  ///< the negative, one more, one less, and some that it is a multiple of

/// Each use of a constant that could do with one other is an edge between the two; of each edge, one end must be there. The
/// fewest that do: leaves go first, whose neighbours do for them.
class Sharing {
 public:
  Sharing(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done, std::span<const NodeId> constants)
      : graph_(graph), rewriter_(rewriter), done_(done), there_(constants.size()), forms_(graph, there_) {
    for (NodeId constant : constants)
      if (graph_.is_constant(constant)) there_.add(kind_of(constant), graph_.constant_value(constant).bits);
    constexpr size_t soon = 8;
    for (size_t i = 0; i < constants.size(); ++i) {
      if (i + 2 * soon < constants.size()) graph_.expect_read(constants[i + 2 * soon]);
      if (i + soon < constants.size()) graph_.expect_read_of_uses(constants[i + soon]);
      if (graph_.is_constant(constants[i]) && !graph_.is_kept(constants[i])) offer(constants[i]);
    }
  }

  void run() {
    find_choices();
    find_edges();
    for (uint32_t i = 0; i < values_.size() && !is_none(values_[i].node); ++i)
      if (!values_[i].seen && improves(i) && !convert()) return;
  }

 private:
  /// A constant of which all uses have another form.
  struct Offer {
    NodeId constant;
    Kind kind;
    uint32_t first_use, uses_end;
    uint64_t bits;
  };
  struct Use {
    NodeId user;
    ConstantForm form;
  };
  /// A number that is there, and need not be, or that is not there and might be.
  struct Value {
    NodeId node;
    Kind kind;
    bool seen = false;
    bool decided = false, taken = false;
    uint8_t edges = 0, edges_left = 0;
    std::array<uint32_t, most_edges> near{};
    uint32_t first_use = 0, uses_end = 0;
    uint64_t bits;
  };

  /// Of an integer; void if it is none.
  Kind kind_of(NodeId constant) const {
    const std::optional<Kind> kind = graph_.module().types.single_kind(graph_.constant_value(constant).type);
    return kind && is_integer(*kind) ? *kind : Kind::void_;
  }
  void offer(NodeId constant) {
    const uint64_t bits = graph_.constant_value(constant).bits;
    const Kind kind = kind_of(constant);
    if (kind == Kind::void_) return;
    const auto first = static_cast<uint32_t>(uses_.size());
    bool all = true;
    graph_.for_each_use(constant, [&](NodeId user, uint32_t number) {
      all = uses_.size() - first < most_uses;
      if (!all) return false;
      const std::optional<ConstantForm> form = forms_.find(user, number, kind, bits);
      all = form && (!form->needs_number || form->bits != bits);
      if (all) uses_.push_back({user, *form});
      return all;
    });
    const auto end = static_cast<uint32_t>(uses_.size());
    if (!all || end == first) return uses_.resize(first);
    offers_.push_back({constant, kind, first, end, bits});
  }

  /// Without those of which each other form needs a number that is not there and that nobody else could do with: they stay.
  void find_choices() {
    SeenNumbers wanted(uses_.size()), wanted_twice(uses_.size());
    for (const Offer& offer : offers_)
      for (uint32_t k = offer.first_use; k < offer.uses_end; ++k)
        if (const ConstantForm& form = uses_[k].form; form.needs_number && !is_like_the_last(offer.first_use, k) &&
                                              wanted.add(offer.kind, form.bits))
          wanted_twice.add(offer.kind, form.bits);
    for (const Offer& offer : offers_) {
      bool stays = true;
      for (uint32_t k = offer.first_use; k < offer.uses_end && stays; ++k) {
        const ConstantForm& form = uses_[k].form;
        stays = form.needs_number && !there_.may_have(offer.kind, form.bits) && !wanted_twice.may_have(offer.kind, form.bits);
      }
      if (stays || !is_new(offer.kind, offer.bits)) continue;
      values_.back().node = offer.constant;
      values_.back().first_use = offer.first_use;
      values_.back().uses_end = offer.uses_end;
    }
  }

  uint32_t value(Kind kind, uint64_t bits) {
    const auto next = static_cast<uint32_t>(values_.size());
    const auto hash = static_cast<uint32_t>(hash_combine(static_cast<uint64_t>(kind), bits));
    const uint32_t at =
        index_.find_or_add(hash, next, [&](uint32_t i) { return values_[i].kind == kind && values_[i].bits == bits; });
    if (at == next) values_.push_back({.node = no_node, .kind = kind, .bits = bits});
    return at;
  }
  bool is_new(Kind kind, uint64_t bits) {
    const size_t known = values_.size();
    return value(kind, bits) == known;
  }

  void find_edges() {
    const auto count = static_cast<uint32_t>(values_.size());
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t k = values_[i].first_use; k < values_[i].uses_end; ++k) {
        const ConstantForm& form = uses_[k].form;
        if (!form.needs_number || is_like_the_last(values_[i].first_use, k)) continue;
        const Kind kind = values_[i].kind;
        const size_t known = values_.size();
        const uint32_t other = value(kind, form.bits);
        if (other == known) values_[other].taken = forms_.is_there(kind, form.bits);  // and must be
        if (values_[i].edges == most_edges || values_[other].edges == most_edges) {
          values_[i].taken = true;
          continue;
        }
        connect(i, other);
        connect(other, i);
      }
  }
  bool is_like_the_last(uint32_t first, uint32_t use) const {
    if (use == first) return false;
    const ConstantForm& last = uses_[use - 1].form;
    return last.needs_number && last.bits == uses_[use].form.bits;
  }
  void connect(uint32_t from, uint32_t to) {
    Value& value = values_[from];
    for (uint32_t i = 0; i < value.edges; ++i)
      if (value.near[i] == to) return;
    value.near[value.edges++] = to;
    ++value.edges_left;
  }

  /// Of all that hang together with this one.
  bool improves(uint32_t first) {
    group_.assign(1, first);
    values_[first].seen = true;
    size_t there = 0;
    for (size_t k = 0; k < group_.size(); ++k) {
      const Value& value = values_[group_[k]];
      there += !is_none(value.node);
      for (uint32_t i = 0; i < value.edges && !value.taken; ++i)
        if (Value& other = values_[value.near[i]]; !other.seen) {
          other.seen = !other.taken;  // what must be there belongs to many
          group_.push_back(value.near[i]);
        }
    }
    size_t needed = 0;
    for (uint32_t i : group_)
      if (values_[i].taken) decide(i);
    leaves_.clear();
    for (uint32_t i : group_)
      if (values_[i].edges_left == 1) leaves_.push_back(i);
    size_t next = 0;
    for (;;) {
      while (!leaves_.empty()) {
        const uint32_t leaf = leaves_.back();
        leaves_.pop_back();
        if (values_[leaf].decided || values_[leaf].edges_left != 1) continue;
        for (uint32_t i = 0; i < values_[leaf].edges; ++i)
          if (const uint32_t by = values_[leaf].near[i]; !values_[by].decided) {
            needed += take(by);
            break;
          }
      }
      while (next < group_.size() && (values_[group_[next]].decided || values_[group_[next]].edges_left == 0)) ++next;
      if (next == group_.size()) return needed < there;
      needed += take(group_[next]);
    }
  }
  size_t take(uint32_t i) {
    values_[i].taken = true;
    decide(i);
    return 1;
  }
  void decide(uint32_t i) {
    if (std::exchange(values_[i].decided, true)) return;
    for (uint32_t k = 0; k < values_[i].edges; ++k) {
      Value& other = values_[values_[i].near[k]];
      if (!other.decided && --other.edges_left == 1) leaves_.push_back(values_[i].near[k]);
    }
  }

  bool convert() {
    for (uint32_t i : group_) {
      const Value value = values_[i];
      if (value.taken || is_none(value.node)) continue;
      for (uint32_t k = value.first_use; k < value.uses_end; ++k)
        if (!graph_.is_dead(uses_[k].user) && !convert(uses_[k], value.kind)) return false;
    }
    return true;
  }
  bool convert(const Use& use, Kind kind) {
    const ConstantForm& form = use.form;
    // What was converted before this may have taken the place of what was seen.
    NodeId left = form.left;
    while (!is_none(left) && graph_.is_dead(left)) left = graph_.replacement(left);
    const uint32_t other_operand = form.right == ConstantForm::number_first ? 1 : 0;
    if (is_none(left)) return true;
    if (!is_none(form.multiple) && (graph_.input(use.user, other_operand) != form.multiple || !graph_.has_one_use(form.multiple)))
      return true;
    // What was declared of the whole is not true of what stands in the multiple.
    const bool is_inside = !is_none(form.multiple);
    const Type type = graph_.type(use.user);
    const ir::Loc loc = graph_.loc(use.user);
    auto make = [&](NodeOp op, Type of, std::initializer_list<NodeId> inputs) {
      return graph_.unify_new(graph_.make(op, of, inputs, 0, loc));
    };
    const bool with_number = form.right == ConstantForm::number || form.right == ConstantForm::number_first;
    NodeId right = with_number ? rewriter_.constant(kind, form.bits, {}) : left;
    if (form.right == ConstantForm::number_first) std::swap(left, right);
    const Type inner = is_inside ? of(kind) : type;
    NodeId n = form.right == ConstantForm::nothing ? make(node_op(form.op), inner, {left}) : make(node_op(form.op), inner, {left, right});
    if (is_inside) n = make(graph_.op(form.multiple), type, {n, graph_.input(form.multiple, 1)});
    graph_.replace(use.user, n);
    return done_(Rewrite::shared_constant, use.user);
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  SeenNumbers there_;
  const ConstantForms forms_;
  std::vector<Use> uses_;      ///< of each offer, one behind the other
  std::vector<Offer> offers_;
  std::vector<Value> values_;  ///< those that are there come first
  HashIndex index_;
  std::vector<uint32_t> group_, leaves_;
};

}  // namespace

void share_constants(Graph& graph, Rewriter& rewriter, std::span<const NodeId> constants,
                     const std::function<bool(Rewrite, NodeId)>& done) {
  Sharing(graph, rewriter, done, constants).run();
}

}  // namespace braid::sea
