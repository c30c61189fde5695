#include "sea/phi_tables.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ir/eval_op.h"

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
    return made_constants || !gains() || rewrite();
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
      std::optional<uint64_t> result = value_on(n, *kind, way);
      if (!result) return true;
      results[way] = *result;
    }
    if (values_.size() == most_values) return false;
    values_.push_back(n);
    columns_.insert(columns_.end(), results.begin(), results.begin() + ways_);
    return true;
  }
  std::optional<uint64_t> value_on(NodeId n, Kind kind, uint32_t way) const {
    NodeId left = graph_.input(n, 0), right = graph_.input(n, graph_.input_count(n) - 1);
    const uint64_t bits[] = {column(left, way), column(right, way)};
    if (graph_.op(n) == NodeOp::is_zero) return bits[0] == 0 ? 1 : 0;
    std::optional<Kind> from = graph_.module().types.single_kind(graph_.type(left));
    if (!from) return std::nullopt;
    return ir::fold(table_op(graph_.op(n)), *from, is_comparison(graph_.op(n)) ? Kind::i1 : kind,
                    std::span(bits, graph_.input_count(n)));
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
    std::ranges::sort(needed_);
    needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
    for (const auto& [kind, bits] : needed_) made += is_none(graph_.find_constant(of(kind), bits));
    return made < going_.size() + constants_going();
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

  bool rewrite() {
    for (size_t k : exposed_)
      if (!graph_.is_dead(values_[k]) && !graph_.is(values_[k], ir::Op::phi) && !rewrite(k)) return false;
    return true;
  }
  bool rewrite(size_t k) {
    NodeId n = values_[k];
    std::vector<NodeId> inputs{region_};
    for (uint64_t bits : column(k)) inputs.push_back(rewriter_.constant(kind(n), bits, graph_.loc(n)));
    NodeId by = inputs[1];
    if (!is_same_everywhere(k)) {
      by = graph_.make(node_op(ir::Op::phi), graph_.type(n), inputs, 0, graph_.loc(n));
      graph_.set_note(by, graph_.note(values_[0]));
      NodeId known = graph_.unify(by);
      if (known != by) graph_.kill(by);
      by = known;
    }
    graph_.replace(n, by);
    return done_(Rewrite::phi_table, n);
  }

  Graph& graph_;
  Rewriter& rewriter_;
  const std::function<bool(Rewrite, NodeId)>& done_;
  NodeId region_ = no_node;
  uint32_t ways_ = 0;
  std::vector<NodeId> values_;      ///< phis of constants at the region, and operations on them, behind what they use
  std::vector<uint64_t> columns_;   ///< what each is, way by way
  std::vector<NodeId> users_, going_, constants_;
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
