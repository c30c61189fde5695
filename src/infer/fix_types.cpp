#include "infer/fix_types.h"

#include "infer/split_constants.h"

namespace braid::infer {

using ir::Op;
using ir::Operand;

namespace {

class Fixing {
 public:
  explicit Fixing(ir::Function& f) : f_(f), table_(f.module().types), web_of_(f.dense_count()), said_(f.dense_count()) {
    for (uint32_t d = 0; d < web_of_.size(); ++d) web_of_[d] = d;
  }

  FixedTypes run() {
    for_each_operand([&](Operand id, uint32_t, Operand operand) {
      if (is_open(id) && is_open(operand)) web_of_[root(f_.dense(id))] = root(f_.dense(operand));
    });
    for_each_operand([&](Operand id, uint32_t i, Operand operand) { listen(id, i, operand); });
    for (uint32_t d = 0; d < web_of_.size(); ++d)
      if (is_open(f_.from_dense(d))) decide(d);
    // Types are set when all webs are decided: an open one is known by its type.
    for (const auto& [id, type] : types_) f_.set_type(id, type);
    SplitConstants split = split_constants(f_);
    out_.constants = split.operands;
    out_.bad_constants = std::move(split.conflicts);
    drop_pis();
    return std::move(out_);
  }

 private:
  struct Said {
    Type type = none;
    Operand by = Operand::undef();
    bool by_input = false, is_told = false;
  };

  bool is_open(Operand id) const {
    if (!id.is_stmt() && !id.is_pending()) return false;
    const Op op = f_.op(id);
    return (op == Op::phi || op == Op::phi_c || op == Op::upsilon) && f_.type(id) == any;
  }
  uint32_t root(uint32_t d) {
    while (web_of_[d] != d) d = web_of_[d] = web_of_[web_of_[d]];
    return d;
  }
  template <typename Visit>
  void for_each_operand(Visit&& visit) {
    for (uint32_t d = 0; d < f_.dense_count(); ++d) {
      const Operand id = f_.from_dense(d);
      const ir::OpInfo& op = ir::info(f_.op(id));
      for (uint32_t i = 0; i < f_.operand_count(f_.stmt(id)); ++i)
        if (op.is_value(i)) visit(id, i, f_.resolve(f_.operand(id, i)));
    }
  }

  void listen(Operand id, uint32_t i, Operand operand) {
    if (is_open(id)) {
      if (is_open(operand) || operand.is_undef() || operand.is_erased() || is_integer_constant(operand)) return;
      return say(root(f_.dense(id)), f_.type_of(operand), operand, true);
    }
    if (is_open(operand)) return say(root(f_.dense(operand)), needed_type(f_, id, i), id, false);
    // A value of one writer that came here from another block.
    if (f_.op(id) != Op::pi || is_integer_constant(operand) || operand.is_undef() || operand.is_erased()) return;
    const Type held{table_.kinds(f_.type_of(operand))}, wanted{table_.kinds(f_.type(id))};
    if (held != wanted && !(is_reference(held) && is_reference(wanted))) out_.conflicts.push_back({operand, id, held, wanted});
  }
  bool is_integer_constant(Operand operand) const {
    return operand.is_constant() && f_.module().constants.value(operand).type == i64;
  }

  void say(uint32_t web, Type type, Operand by, bool by_input) {
    const KindSet kinds = table_.kinds(type);
    if (kinds == 0 || kinds == any.bits) return;  // it says nothing
    const Type plain{kinds};
    Said& said = said_[web];
    if (said.type == none) {
      said = {plain, by, by_input, false};
      return;
    }
    said.by_input = said.by_input || by_input;
    if (said.type == plain) return;
    if (is_reference(said.type) && is_reference(plain)) {
      said.type = table_.join(said.type, plain);
      return;
    }
    if (said.is_told) return;
    said.is_told = true;
    out_.conflicts.push_back({said.by, by, said.type, plain});
  }
  static bool is_reference(Type type) {
    return (type.bits & ~(ref | object_type | array_type | string_type | null_type).bits) == 0;
  }
  void decide(uint32_t d) {
    const uint32_t web = root(d);
    const Said& said = said_[web];
    if (d == web) ++out_.webs;
    if (d == web && said.type != none && !said.by_input) ++out_.by_users;
    types_.push_back({f_.from_dense(d), said.type == none ? i64 : said.type});
  }

  /// Those that say what is known by now.
  void drop_pis() {
    for (uint32_t d = 0; d < f_.dense_count(); ++d) {
      const Operand id = f_.from_dense(d);
      if (f_.op(id) != Op::pi) continue;
      if (const Operand of = f_.resolve(f_.operand(id, 0)); table_.leq(f_.type_of(of), f_.type(id))) f_.replace(id, of);
    }
  }

  struct Decided {
    Operand id;
    Type type;
  };
  ir::Function& f_;
  TypeTable& table_;
  std::vector<uint32_t> web_of_;  ///< union-find, by dense number
  std::vector<Said> said_;        ///< by web
  std::vector<Decided> types_;
  FixedTypes out_;
};

}  // namespace

FixedTypes fix_types(ir::Function& f) { return Fixing(f).run(); }

}  // namespace braid::infer
