#include "sea/share_constants.h"

#include <array>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/hash_index.h"
#include "ir/bits.h"

namespace braid::sea {
namespace {

using ir::Op;

constexpr uint32_t most_uses = 16;
constexpr uint32_t most_edges = 5;  ///< the negative, one more, one less, and some that it is a multiple of

/// Another operation of the same value, and which number it needs to be there.
struct Form {
  enum Right : uint8_t { number, number_first, left_again, nothing };

  Op op;
  Right right;            ///< the number stands on the right, or on the left
  bool needs_number;
  NodeId left;
  uint64_t bits;  ///< of the number
  NodeId multiple = no_node;  ///< that stood there, and stands around it then
};

/// Numbers that may have been seen: what was not is told at once.
class SeenNumbers {
 public:
  explicit SeenNumbers(size_t count) : bits_(std::bit_ceil(count * 8 / 64 + 1)) {}

  /// Whether it may be there already.
  bool add(Kind kind, uint64_t bits) {
    const auto [word, bit] = place(kind, bits);
    const bool known = (bits_[word] & bit) != 0;
    bits_[word] |= bit;
    return known;
  }
  bool may_have(Kind kind, uint64_t bits) const {
    const auto [word, bit] = place(kind, bits);
    return (bits_[word] & bit) != 0;
  }

 private:
  std::pair<size_t, uint64_t> place(Kind kind, uint64_t bits) const {
    const uint64_t hash = hash_combine(static_cast<uint64_t>(kind), bits);
    return {hash / 64 & (bits_.size() - 1), uint64_t{1} << hash % 64};
  }

  std::vector<uint64_t> bits_;
};

class Forms {
 public:
  /// Of the constants in `there`, or more.
  Forms(const Graph& graph, const SeenNumbers& there) : graph_(graph), there_(there) {}

  /// For an operation that has this constant as an operand.
  std::optional<Form> find(NodeId user, uint32_t operand, Kind kind, uint64_t bits) const {
    const NodeOp op = graph_.op(user);
    if (!is_table_op(op) || kind == Kind::i1 || graph_.input_count(user) != 2) return std::nullopt;
    const NodeId value = graph_.input(user, 1 - operand);
    if (graph_.is_constant(value)) return std::nullopt;
    if (operand == 0) {
      if (table_op(op) != Op::sub) return std::nullopt;
      if (std::optional<Form> inside = with_number_inside(value, kind, bits, true)) return inside;
      return with_negative(value, kind, bits);
    }
    const int width = bit_width(kind);
    const uint64_t least = ir::canonical(kind, uint64_t{1} << (width - 1)), most = ~least;
    const uint64_t unsigned_most = ir::canonical(kind, ~uint64_t{0});
    auto with = [&](Op to, uint64_t number) {
      return Form{to, Form::number, true, value, ir::canonical(kind, number)};
    };
    auto unless = [&](uint64_t limit, Op to, uint64_t number) {
      return bits == limit ? std::nullopt : std::optional(with(to, number));
    };
    switch (table_op(op)) {
      case Op::shl:
        if (bits == 1) return doubled(value);
        return bits < static_cast<uint64_t>(width) ? std::optional(with(Op::mul, uint64_t{1} << bits)) : std::nullopt;
      case Op::mul: return bits == 2 ? doubled(value) : by_other_multiple(value, kind, bits);
      case Op::add:
        if (is_there(kind, 0 - bits)) return with(Op::sub, 0 - bits);
        if (std::optional<Form> inside = with_number_inside(value, kind, bits, false)) return inside;
        return with(Op::sub, 0 - bits);
      case Op::sub: return with(Op::add, 0 - bits);
      case Op::slt: return unless(least, Op::sle, bits - 1);
      case Op::sge: return unless(least, Op::sgt, bits - 1);
      case Op::sgt: return unless(most, Op::sge, bits + 1);
      case Op::sle: return unless(most, Op::slt, bits + 1);
      case Op::ult: return unless(0, Op::ule, bits - 1);
      case Op::uge: return unless(0, Op::ugt, bits - 1);
      case Op::ugt: return unless(unsigned_most, Op::uge, bits + 1);
      case Op::ule: return unless(unsigned_most, Op::ult, bits + 1);
      default: return std::nullopt;
    }
  }
  bool is_there(Kind kind, uint64_t bits) const {
    if (!there_.may_have(kind, ir::canonical(kind, bits))) return false;
    const NodeId n = graph_.find_constant(of(kind), ir::canonical(kind, bits));
    return !is_none(n) && graph_.has_uses(n);
  }

 private:
  static Form doubled(NodeId value) { return {Op::add, Form::left_again, false, value, 0}; }
  /// C - x is (-x) - (-C).
  std::optional<Form> with_negative(NodeId value, Kind kind, uint64_t bits) const {
    const NodeId negative = find_use(value, [&](NodeId user) { return graph_.is(user, Op::neg); });
    if (is_none(negative)) return std::nullopt;
    return Form{Op::sub, Form::number, true, negative, ir::canonical(kind, 0 - bits)};
  }
  /// x * C is -(x * -C), and x * (C / 2) added to itself.
  std::optional<Form> by_other_multiple(NodeId value, Kind kind, uint64_t bits) const {
    const uint64_t opposite = ir::canonical(kind, 0 - bits);
    const uint64_t half = ir::canonical(kind, static_cast<uint64_t>(static_cast<int64_t>(bits) / 2));
    uint64_t number = 0;
    const NodeId multiple = find_use(value, [&](NodeId user) {
      if (!graph_.is(user, Op::mul) || !graph_.is_constant(graph_.input(user, 1))) return false;
      number = graph_.constant_value(graph_.input(user, 1)).bits;
      return number == opposite || (number == half && bits % 2 == 0);
    });
    if (is_none(multiple)) return std::nullopt;
    const bool negates = number == opposite;
    return Form{negates ? Op::neg : Op::add, negates ? Form::nothing : Form::left_again, true, multiple, number};
  }
  /// x * F + C is (x + C / F) * F, and C - x * F is (C / F - x) * F, if the product is here only.
  std::optional<Form> with_number_inside(NodeId multiple, Kind kind, uint64_t bits, bool is_taken_away) const {
    const bool is_mul = graph_.is(multiple, Op::mul);
    if ((!is_mul && !graph_.is(multiple, Op::shl)) || !graph_.has_one_use(multiple) || graph_.is_kept(multiple)) return std::nullopt;
    const NodeId by = graph_.input(multiple, 1), value = graph_.input(multiple, 0);
    if (!graph_.is_constant(by)) return std::nullopt;
    const uint64_t number = graph_.constant_value(by).bits;
    if (!is_mul && number >= static_cast<uint64_t>(bit_width(kind))) return std::nullopt;
    const uint64_t times = is_mul ? number : uint64_t{1} << number;
    const auto factor = static_cast<int64_t>(times), all = static_cast<int64_t>(bits);
    // Twice something needs no number, and may come to that.
    if ((factor >= -1 && factor <= 2) || all % factor != 0) return std::nullopt;
    const auto inside = ir::canonical(kind, static_cast<uint64_t>(all / factor));
    if (is_taken_away) return Form{Op::sub, Form::number_first, true, value, inside, multiple};
    const uint64_t opposite = ir::canonical(kind, 0 - inside);
    const bool adds = is_there(kind, inside) || (!is_there(kind, opposite) && all / factor > 0);
    return Form{adds ? Op::add : Op::sub, Form::number, true, value, adds ? inside : opposite, multiple};
  }
  template <typename F>
  NodeId find_use(NodeId value, F&& f) const {
    NodeId found = no_node;
    uint32_t seen = 0;
    graph_.for_each_use(value, [&](NodeId user, uint32_t number) {
      if (number == 0 && f(user)) found = user;
      return is_none(found) && ++seen < most_uses;
    });
    return found;
  }

  const Graph& graph_;
  const SeenNumbers& there_;
};

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
    Form form;
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
      const std::optional<Form> form = forms_.find(user, number, kind, bits);
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
        if (const Form& form = uses_[k].form; form.needs_number && !is_like_the_last(offer.first_use, k) &&
                                              wanted.add(offer.kind, form.bits))
          wanted_twice.add(offer.kind, form.bits);
    for (const Offer& offer : offers_) {
      bool stays = true;
      for (uint32_t k = offer.first_use; k < offer.uses_end && stays; ++k) {
        const Form& form = uses_[k].form;
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
        const Form& form = uses_[k].form;
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
    const Form& last = uses_[use - 1].form;
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
    const Form& form = use.form;
    // What was converted before this may have taken the place of what was seen.
    NodeId left = form.left;
    while (!is_none(left) && graph_.is_dead(left)) left = graph_.replacement(left);
    if (is_none(left) || (!is_none(form.multiple) && graph_.input(use.user, form.right == Form::number_first ? 1 : 0) != form.multiple)) return true;
    const Type type = graph_.type(use.user);
    const ir::Loc loc = graph_.loc(use.user);
    auto make = [&](NodeOp op, std::initializer_list<NodeId> inputs) { return graph_.unify_new(graph_.make(op, type, inputs, 0, loc)); };
    const bool with_number = form.right == Form::number || form.right == Form::number_first;
    NodeId right = with_number ? rewriter_.constant(kind, form.bits, {}) : left;
    if (form.right == Form::number_first) std::swap(left, right);
    NodeId n = form.right == Form::nothing ? make(node_op(form.op), {left}) : make(node_op(form.op), {left, right});
    if (!is_none(form.multiple)) n = make(graph_.op(form.multiple), {n, graph_.input(form.multiple, 1)});
    graph_.replace(use.user, n);
    return done_(Rewrite::shared_constant, use.user);
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  SeenNumbers there_;
  const Forms forms_;
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
