#include "sea/phi_tables.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ir/eval_op.h"
#include "sea/columns.h"

namespace braid::sea {
namespace {

constexpr uint32_t most_ways = 32;
constexpr size_t most_values = 48;
constexpr uint32_t most_uses = 64;

class PhiTables {
 public:
  PhiTables(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done)
      : graph_(graph), rewriter_(rewriter), done_(done) {}

  /// False if that was the last.
  bool weigh(NodeId phi) {
    if (graph_.is_dead(phi) || !rewriter_.is_phi_of_constants(phi)) return true;
    region_ = graph_.input(phi, 0);
    ways_ = graph_.input_count(region_);
    values_.clear();
    columns_.clear();
    if (!add_phi(phi)) return true;
    for (size_t k = 0; k < values_.size(); ++k)
      if (!add_users(values_[k])) return true;
    bool made_constants = false;
    for (size_t k = 0; k < values_.size(); ++k) {
      if (graph_.is_dead(values_[k]) || graph_.is(values_[k], ir::Op::phi) || !is_same_everywhere(k)) continue;
      if (!rewrite(k)) return false;
      made_constants = true;
    }
    // What is left is weighed when the phi comes again.
    if (made_constants) return true;
    return gains() ? rewrite() : join(phi);
  }

 private:
  size_t find(NodeId n) const { return static_cast<size_t>(std::find(values_.begin(), values_.end(), n) - values_.begin()); }
  bool knows(NodeId n) const { return find(n) < values_.size(); }
  uint64_t column(NodeId n, uint32_t way) const {
    return graph_.is_constant(n) ? graph_.constant_value(n).bits : columns_[find(n) * ways_ + way];
  }

  bool add_phi(NodeId phi) {
    if (values_.size() == most_values) return false;
    values_.push_back(phi);
    for (uint32_t i = 0; i < ways_; ++i) columns_.push_back(graph_.constant_value(graph_.input(phi, i + 1)).bits);
    return true;
  }
  /// Those that hang on the same ways and nothing else. False if there are too many to look at.
  bool add_users(NodeId of) {
    users_.clear();
    graph_.for_each_use(of, [&](NodeId user, uint32_t) {
      users_.push_back(user);
      return users_.size() <= most_uses;
    });
    if (users_.size() > most_uses) return false;
    for (NodeId user : users_)
      if (!knows(user) && !add_operation(user)) return false;
    return true;
  }
  bool add_operation(NodeId n) {
    const uint32_t arity = graph_.input_count(n);
    std::optional<Kind> kind = graph_.module().types.single_kind(graph_.type(n));
    if (!floats(graph_, n) || graph_.payload(n) != 0 || arity == 0 || arity > 2 || !kind || !is_integer(*kind)) return true;
    for (uint32_t i = 0; i < arity; ++i) {
      NodeId input = graph_.input(n, i);
      if (is_none(input)) return true;
      if (graph_.is_constant(input) || knows(input)) continue;
      if (!rewriter_.is_phi_of_constants(input) || graph_.input(input, 0) != region_) return true;
      // Another phi of the region comes first, and then this operation by one of them.
      return add_phi(input) && (knows(n) || add_operation(n));
    }
    std::array<uint64_t, most_ways> results;
    for (uint32_t way = 0; way < ways_; ++way) {
      std::optional<uint64_t> result = value_on(n, way);
      if (!result) return true;
      results[way] = *result;
    }
    if (values_.size() == most_values) return false;
    values_.push_back(n);
    columns_.insert(columns_.end(), results.begin(), results.begin() + ways_);
    return true;
  }
  std::optional<uint64_t> value_on(NodeId n, uint32_t way) const {
    const NodeId left = graph_.input(n, 0), right = graph_.input(n, graph_.input_count(n) - 1);
    const uint64_t bits[] = {column(left, way), column(right, way)};
    return fold_operation(graph_, n, std::span(bits, graph_.input_count(n)));
  }

  /// Somebody else needs it.
  bool is_exposed(NodeId n) const {
    bool exposed = graph_.is_kept(n);
    graph_.for_each_use(n, [&](NodeId user, uint32_t) {
      exposed = exposed || !knows(user);
      return !exposed;
    });
    return exposed;
  }
  Kind kind(NodeId n) const { return *graph_.module().types.single_kind(graph_.type(n)); }
  std::span<const uint64_t> column(size_t k) const { return std::span(columns_).subspan(k * ways_, ways_); }
  bool is_same_everywhere(size_t k) const {
    return std::ranges::all_of(column(k), [&](uint64_t bits) { return bits == column(k)[0]; });
  }
  bool are_equal(size_t a, size_t b) const {
    return kind(values_[a]) == kind(values_[b]) && std::ranges::equal(column(a), column(b));
  }

  /// Operations that others need must be there, as phis or constants; phis that others use stay; all else would go.
  bool gains() {
    exposed_.clear();
    going_.clear();
    for (size_t k = 0; k < values_.size(); ++k) {
      const bool exposed = is_exposed(values_[k]), is_phi = graph_.is(values_[k], ir::Op::phi);
      if (exposed) exposed_.push_back(k);
      if (!exposed || !is_phi) going_.push_back(values_[k]);
    }
    size_t made = 0;
    needed_.clear();
    for (size_t i = 0; i < exposed_.size(); ++i) {
      const size_t k = exposed_[i];
      if (graph_.is(values_[k], ir::Op::phi)) continue;
      for (uint64_t bits : column(k)) needed_.push_back({kind(values_[k]), bits});
      bool there = false;
      for (size_t j = 0; j < exposed_.size() && !there; ++j)
        there = are_equal(exposed_[j], k) && (j < i || graph_.is(values_[exposed_[j]], ir::Op::phi));
      made += !there;
    }
    made += find_missing_constants();
    return made < going_.size() + constants_going();
  }
  /// So many of those that are needed are not there.
  size_t find_missing_constants() {
    std::ranges::sort(needed_);
    needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
    size_t missing = 0;
    for (const auto& [kind, bits] : needed_) missing += is_none(graph_.find_constant(of(kind), bits));
    return missing;
  }
  size_t constants_going() {
    constants_.clear();
    for (NodeId n : going_)
      for (uint32_t i = 0; i < graph_.input_count(n); ++i)
        if (NodeId input = graph_.input(n, i); graph_.is_constant(input)) constants_.push_back(input);
    std::ranges::sort(constants_);
    constants_.erase(std::unique(constants_.begin(), constants_.end()), constants_.end());
    size_t count = 0;
    for (NodeId n : constants_) {
      const std::pair value(kind(n), graph_.constant_value(n).bits);
      bool goes = !graph_.is_kept(n) && !std::ranges::binary_search(needed_, value);
      graph_.for_each_use(n, [&](NodeId user, uint32_t) {
        goes = goes && std::ranges::find(going_, user) != going_.end();
        return goes;
      });
      count += goes;
    }
    return count;
  }

  /// A phi that stands twice in one sum or product, and nowhere else, stands there once, with each of its columns taken twice.
  bool join(NodeId phi) {
    users_.clear();
    graph_.for_each_use(phi, [&](NodeId user, uint32_t) {
      users_.push_back(user);
      return users_.size() <= 2;
    });
    if (graph_.is_kept(phi) || !is_integer(kind(phi))) return true;
    if (users_.size() == 1) return join_with_another(phi, users_[0]);
    if (users_.size() != 2) return true;
    if (exposed_.size() == 2) return join_exposed();
    const NodeOp op = graph_.op(users_[0]);
    if (!can_be_sorted(op) || graph_.op(users_[1]) != op) return true;
    if (!find_chain(users_[0], users_[1]) && !find_chain(users_[1], users_[0])) return true;
    going_.assign(1, phi);
    if (!fold_columns(op, phi, phi, 1)) return true;
    NodeId sum = other_operand(chain_[0], phi);
    for (size_t i = 1; i + 1 < chain_.size(); ++i) sum = make_in_chain(chain_[i], sum, other_operand(chain_[i], chain_[i - 1]));
    const NodeId top = chain_.back();
    sum = make_in_chain(top, sum, make_phi(phi, columns_));
    graph_.replace(top, sum);
    return done_(Rewrite::phi_table, top);
  }
  static bool can_be_sorted(NodeOp op) { return op == ir::Op::add || op == ir::Op::mul; }
  /// What two phis give together, way by way. Whether nodes are saved, `saved` of them without what happens to constants.
  bool fold_columns(NodeOp op, NodeId a, NodeId b, size_t saved) {
    columns_.clear();
    needed_.clear();
    for (uint32_t i = 1; i <= ways_; ++i) {
      const uint64_t both[] = {graph_.constant_value(graph_.input(a, i)).bits, graph_.constant_value(graph_.input(b, i)).bits};
      columns_.push_back(*ir::fold(table_op(op), kind(a), kind(a), both));
      needed_.push_back({kind(a), columns_.back()});
    }
    const size_t made = find_missing_constants();
    return made < saved + constants_going();
  }

  /// Two phis of the region that stand in one sum or product, and nowhere else, with other terms between them, become one.
  bool join_with_another(NodeId phi, NodeId user) {
    const NodeOp op = graph_.op(user);
    if (!can_be_sorted(op)) return true;
    climb(user, chain_);
    users_.clear();
    graph_.for_each_use(region_, [&](NodeId other, uint32_t number) {
      if (number == 0 && other != phi && rewriter_.is_phi_of_constants(other)) users_.push_back(other);
      return users_.size() <= most_uses;
    });
    for (NodeId other : users_) {
      if (!graph_.has_one_use(other) || graph_.is_kept(other) || kind(other) != kind(phi)) continue;
      const NodeId above = graph_.first_use(other).user;
      if (graph_.op(above) != op || above == user) continue;
      climb(above, path_);
      const auto meets = [&](NodeId n) { return std::ranges::find(chain_, n) != chain_.end(); };
      const auto meeting = std::ranges::find_if(path_, meets);
      if (meeting == path_.end()) continue;
      going_ = {phi, other};
      if (fold_columns(op, phi, other, 2)) return join(phi, other, *meeting);
    }
    return true;
  }
  /// The same for two values of the table, if nobody uses the others.
  bool join_exposed() {
    const NodeId a = values_[exposed_[0]], b = values_[exposed_[1]];
    const NodeId user_of_a = only_user_outside(a), user_of_b = only_user_outside(b);
    if (is_none(user_of_a) || is_none(user_of_b) || user_of_a == user_of_b || kind(a) != kind(b)) return true;
    const NodeOp op = graph_.op(user_of_a);
    if (!can_be_sorted(op) || graph_.op(user_of_b) != op) return true;
    climb(user_of_a, chain_);
    climb(user_of_b, path_);
    const auto meets = [&](NodeId n) { return std::ranges::find(chain_, n) != chain_.end(); };
    const auto meeting = std::ranges::find_if(path_, meets);
    if (meeting == path_.end()) return true;
    std::vector<uint64_t> both;
    needed_.clear();
    for (uint32_t way = 0; way < ways_; ++way) {
      const uint64_t operands[] = {column(a, way), column(b, way)};
      both.push_back(*ir::fold(table_op(op), kind(a), kind(a), operands));
      needed_.push_back({kind(a), both.back()});
    }
    going_ = values_;
    const size_t made = 1 + find_missing_constants();
    if (made >= values_.size() + 1 + constants_going()) return true;
    columns_ = std::move(both);
    return join(a, b, *meeting);
  }
  NodeId only_user_outside(NodeId n) const {
    NodeId found = no_node;
    uint32_t count = 0;
    graph_.for_each_use(n, [&](NodeId user, uint32_t) {
      if (!knows(user)) {
        found = user;
        ++count;
      }
      return count < 2;
    });
    return count == 1 && !graph_.is_kept(n) ? found : no_node;
  }
  /// `chain_` and `path_` lead from their users up to where they meet.
  bool join(NodeId phi, NodeId other, NodeId meeting) {
    NodeId right = make_phi(phi, columns_);
    for (size_t i = 0; path_[i] != meeting; ++i) right = make_in_chain(path_[i], other_operand(path_[i], i == 0 ? other : path_[i - 1]), right);
    if (chain_[0] != meeting) {
      NodeId left = other_operand(chain_[0], phi);
      size_t i = 1;
      for (; chain_[i] != meeting; ++i) left = make_in_chain(chain_[i], left, other_operand(chain_[i], chain_[i - 1]));
      right = make_in_chain(meeting, left, right);
    }
    graph_.replace(meeting, right);
    return done_(Rewrite::phi_table, meeting);
  }
  /// An operation and those above it of the same op, each the only use of the one before.
  void climb(NodeId from, std::vector<NodeId>& chain) const {
    chain.assign(1, from);
    while (chain.size() < most_values && graph_.has_one_use(chain.back()) && !graph_.is_kept(chain.back())) {
      const NodeId next = graph_.first_use(chain.back()).user;
      if (graph_.op(next) != graph_.op(from)) return;
      chain.push_back(next);
    }
  }
  /// From one operation up to another.
  bool find_chain(NodeId from, NodeId to) {
    climb(from, chain_);
    const auto end = std::ranges::find(chain_, to);
    if (end == chain_.end() || end == chain_.begin()) return false;
    chain_.erase(end + 1, chain_.end());
    return true;
  }
  NodeId other_operand(NodeId n, NodeId operand) const {
    return graph_.input(n, graph_.input(n, 0) == operand ? 1 : 0);
  }
  /// What was declared of the old one is not true of it: it is another part of the sum.
  NodeId make_in_chain(NodeId like, NodeId left, NodeId right) {
    return graph_.unify_new(graph_.make(graph_.op(like), of(kind(like)), {left, right}, 0, graph_.loc(like)));
  }

  bool rewrite() {
    for (size_t k : exposed_)
      if (!graph_.is_dead(values_[k]) && !graph_.is(values_[k], ir::Op::phi) && !rewrite(k)) return false;
    return true;
  }
  bool rewrite(size_t k) {
    NodeId n = values_[k];
    const NodeId by = make_phi(n, column(k));
    graph_.replace(n, by);
    return done_(Rewrite::phi_table, n);
  }
  /// A phi of the type of another value, or a constant if all columns are the same.
  NodeId make_phi(NodeId like, std::span<const uint64_t> column) {
    if (std::ranges::all_of(column, [&](uint64_t bits) { return bits == column[0]; }))
      return rewriter_.constant(kind(like), column[0], graph_.loc(like));
    std::vector<NodeId> inputs{region_};
    for (uint64_t bits : column) inputs.push_back(rewriter_.constant(kind(like), bits, graph_.loc(like)));
    const NodeId phi = graph_.make(node_op(ir::Op::phi), of(kind(like)), inputs, 0, graph_.loc(like));
    graph_.set_note(phi, graph_.note(values_[0]));
    return graph_.unify_new(phi);
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  NodeId region_ = no_node;
  uint32_t ways_ = 0;
  std::vector<NodeId> values_;      ///< phis of constants at the region, and operations on them, behind what they use
  std::vector<uint64_t> columns_;   ///< what each is, way by way
  std::vector<NodeId> users_, going_, constants_;
  std::vector<NodeId> chain_, path_;  ///< operations from the use of a phi upwards
  std::vector<size_t> exposed_;
  std::vector<std::pair<Kind, uint64_t>> needed_;
};

}  // namespace

void make_phi_tables(Graph& graph, Rewriter& rewriter, std::span<const NodeId> phis,
                     const std::function<bool(Rewrite, NodeId)>& done) {
  PhiTables tables(graph, rewriter, done);
  for (NodeId phi : phis)
    if (!tables.weigh(phi)) return;
}

}  // namespace braid::sea
