#include "infer/phi_types.h"

#include <algorithm>
#include <unordered_map>

#include "flow/strong_components.h"
#include "ir/transfer.h"

namespace braid::infer {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

std::string_view to_string(PhiRule rule) {
  constexpr std::string_view words[] = {"same", "numeric", "mixed", "unknown"};
  return words[static_cast<int>(rule)];
}

bool is_numeric_literal(const ir::Function& f, Operand operand) {
  if (!operand.is_constant()) return false;
  const ir::Constant constant = f.module().constants.value(operand);
  if (constant.type != i64) return false;
  const int64_t value = static_cast<int64_t>(constant.bits);
  const double as_float = static_cast<double>(value);
  // The largest integers round up to a float that no integer is.
  return as_float < 0x1p63 && static_cast<int64_t>(as_float) == value;
}

namespace {

class PhiTyping {
 public:
  PhiTyping(const ir::Function& f, const Types& types) : f_(f), types_(types), table_(f.module().types) {}

  PhiTypes run() {
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      if (types_.is_reachable(static_cast<BlockId>(b))) collect(static_cast<BlockId>(b));
    find_rings();
    for (TypedPhi& phi : out_.phis) classify(phi);
    return std::move(out_);
  }

 private:
  bool is_member(Operand operand) const { return operand.is_stmt() && node_of_.contains(operand.number()); }

  void collect(BlockId b) {
    for (uint32_t p = f_.block(b).first; p < types_.end_of(b); ++p) {
      const Operand id = static_cast<ir::Ref>(p);
      const Op op = f_.op(id);
      if (op != Op::phi && op != Op::pi) continue;
      if (f_.type(id) == token_type) continue;
      node_of_.emplace(p, static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back(id);
      if (op == Op::pi) continue;
      TypedPhi phi{id, {}, types_.at(p), PhiRule::same, TypedPhi::no_ring, {}};
      f_.for_each_pred(b, [&](EdgeId e) {
        if (!types_.is_open(e)) return;
        const Operand value = f_.operand(id, f_.edge(e).pred_index);
        phi.inputs.push_back({e, value, value.is_undef() ? none : types_.of(value), is_numeric_literal(f_, value)});
      });
      out_.phis.push_back(std::move(phi));
    }
  }

  template <typename F>
  void for_each_input(Operand member, F&& visit) const {
    if (f_.op(member) == Op::pi) return visit(f_.operand(member, 0));
    f_.for_each_pred(f_.block_of(member), [&](EdgeId e) {
      if (types_.is_open(e)) visit(f_.operand(member, f_.edge(e).pred_index));
    });
  }

  void find_rings() {
    std::vector<flow::Edge> edges;
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      for_each_input(nodes_[n], [&](Operand value) {
        if (!is_member(value)) return;
        edges.push_back({static_cast<flow::Node>(node_of_.at(value.number())), static_cast<flow::Node>(n)});
      });
    if (edges.empty()) return;
    const flow::Graph graph = flow::Graph::from_edges(nodes_.size(), flow::Node{0}, edges);
    flow::StrongComponents components(graph);
    std::vector<PhiRing> rings;
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      components.search(static_cast<flow::Node>(n), [](uint32_t) { return true; },
                        [&](std::span<const flow::Node> ring) {
                          if (ring.size() > 1) add_ring(ring, rings);
                        });
    std::sort(rings.begin(), rings.end(), [](const PhiRing& a, const PhiRing& b) {
      return a.members[0].number() < b.members[0].number();
    });
    out_.rings = std::move(rings);
    std::unordered_map<uint32_t, uint32_t> ring_of;
    for (uint32_t r = 0; r < out_.rings.size(); ++r)
      for (Operand member : out_.rings[r].members) ring_of.emplace(member.number(), r);
    for (TypedPhi& phi : out_.phis)
      if (auto found = ring_of.find(phi.phi.number()); found != ring_of.end()) phi.ring = found->second;
  }

  void add_ring(std::span<const flow::Node> nodes, std::vector<PhiRing>& rings) {
    PhiRing ring;
    for (flow::Node n : nodes) ring.members.push_back(nodes_[index(n)]);
    std::sort(ring.members.begin(), ring.members.end(), [](Operand a, Operand b) { return a.number() < b.number(); });
    auto is_inside = [&](Operand value) {
      return value.is_stmt() && std::binary_search(ring.members.begin(), ring.members.end(), value,
                                                   [](Operand a, Operand b) { return a.number() < b.number(); });
    };
    std::unordered_map<uint32_t, bool> seen;
    for (Operand member : ring.members)
      for_each_input(member, [&](Operand value) {
        if (is_inside(value) || !seen.emplace(value.word(), true).second) return;
        ring.entering.push_back(value);
        ring.is_numeric = ring.is_numeric && is_literal_or_float(value);
        if (!value.is_undef()) ring.type = table_.join(ring.type, types_.of(value));
      });
    rings.push_back(std::move(ring));
  }

  void classify(TypedPhi& phi) {
    const KindSet kinds = table_.kinds(phi.type);
    if (kinds == 0) {
      phi.rule = PhiRule::unknown;
      phi.reason = reason(phi);
      return;
    }
    if (table_.storage(phi.type) != Storage::mixed) return;
    phi.rule = PhiRule::mixed;
    if (kinds != (i64 | f64).bits) return;
    // Through other phis of its ring, too, nothing but literals and floats comes in.
    const bool is_numeric = phi.ring != TypedPhi::no_ring
                                ? out_.rings[phi.ring].is_numeric
                                : std::all_of(phi.inputs.begin(), phi.inputs.end(),
                                              [&](const PhiInput& input) { return is_literal_or_float(input.value); });
    if (is_numeric) phi.rule = PhiRule::numeric;
  }
  bool is_literal_or_float(Operand value) const {
    return is_numeric_literal(f_, value) || (!value.is_undef() && table_.kinds(types_.of(value)) == f64.bits);
  }
  std::string reason(const TypedPhi& phi) const {
    if (phi.inputs.empty()) return "no edge brings it a value";
    const bool all_undef =
        std::all_of(phi.inputs.begin(), phi.inputs.end(), [](const PhiInput& input) { return input.value.is_undef(); });
    if (all_undef) return "it is undefined on every edge";
    if (phi.ring != TypedPhi::no_ring) {
      const PhiRing& ring = out_.rings[phi.ring];
      if (std::all_of(ring.entering.begin(), ring.entering.end(), [](Operand value) { return value.is_undef(); }))
        return "nothing that is defined enters its ring of phis";
    }
    return "what flows in has no type either";
  }

  const ir::Function& f_;
  const Types& types_;
  TypeTable& table_;
  PhiTypes out_;
  std::vector<Operand> nodes_;                      ///< phis and pis
  std::unordered_map<uint32_t, uint32_t> node_of_;  ///< by position
};

}  // namespace

PhiTypes type_phis(const ir::Function& f, const Types& types) { return PhiTyping(f, types).run(); }

}  // namespace braid::infer
