#include "infer/infer.h"

#include <array>
#include <string_view>

#include "base/csr.h"
#include "ir/transfer.h"

namespace braid::infer {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;
using ir::Stmt;
using ir::TypeRule;

namespace {

/// How a statement is looked at. Nearly all statements have one of the first forms, which need no case distinction by rule.
enum class Form : uint8_t {
  wrapping,    ///< arithmetic that can give anything as soon as one operand can be anything
  comparison,
  phi,
  jump,
  branch,
  terminator,  ///< any other
  nothing,
  value,       ///< asks ir/transfer
};

/// Whether the column of traits names `terminator`.
constexpr bool is_terminator_word(std::string_view traits) { return traits.find("terminator") != std::string_view::npos; }

constexpr Form form_of(Op op, TypeRule rule, bool ends_block) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::xor_: return Form::wrapping;
    case Op::phi: return Form::phi;
    case Op::jump: return Form::jump;
    case Op::branch: return Form::branch;
    case Op::nothing: return Form::nothing;
    default: break;
  }
  if (ends_block) return Form::terminator;
  return rule == TypeRule::signed_compare || rule == TypeRule::unsigned_compare ? Form::comparison : Form::value;
}

constexpr std::array<Form, ir::op_count> forms = {
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) form_of(Op::id, TypeRule::rule, is_terminator_word(#traits)),
#include "ir/ops.def"
#undef OP
#undef SECTION
};

}  // namespace

class Engine {
 public:
  Engine(const ir::Function& f, const Summaries* summaries, Types& out)
      : f_(f), summaries_(summaries), out_(out), table_(f.module().types), stmts_(f.columns().stmts()),
        declared_(f.columns().types()), params_(f.signature().params), size_(f.size()) {
    out_.f_ = &f;
    out_.types_.assign(f.size(), none);
    out_.reachable_.resize(f.block_count());
    out_.open_.resize(f.edge_count());
    out_.ends_.assign(f.block_count(), 0);
    types_ = out_.types_.data();
  }

  void run() {
    if (f_.block_count() == 0) return;
    out_.reachable_.insert(index(f_.entry()));
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      if (out_.reachable_.test(b) && out_.ends_[b] == 0) visit(static_cast<BlockId>(b));
    if (columns_.empty() && blocks_.empty() && late_.empty()) return;
    collect_uses();
    for (uint32_t position : late_) look_again_at_users(position);
    while (work()) {}
  }

 private:
  static constexpr uint8_t few_steps = 3;

  struct Use {
    uint32_t user, operand;
  };

  // ---- types of operands ----

  Type type_of(uint32_t word) const {
    if (word < size_) return types_[word];
    return other_type(word);
  }
  Type other_type(uint32_t word) const {
    Operand operand = Operand::from_word(word);
    return operand.is_param() ? params_[operand.number()] : ir::value_type(f_, operand);
  }
  /// Whether nothing is known of a value but that it exists; for constants the answer is no.
  bool is_open(uint32_t word) const {
    if (word < size_) return types_[word].is_plain() && !types_[word].is_none();
    Operand operand = Operand::from_word(word);
    return operand.is_param() && params_[operand.number()].is_plain();
  }
  bool is_missing(uint32_t word) const { return word < size_ && types_[word].is_none(); }

  // ---- the first walk ----

  /// The statements of a block from a position on. The first time they come before their users, so that nobody must be told.
  void visit(BlockId b) { visit(b, f_.block(b).first); }
  void visit(BlockId b, uint32_t position) {
    const uint32_t end = f_.block(b).end;
    for (; position < end; ++position) {
      out_.ends_[index(b)] = position + 1;
      ++out_.steps_;
      const Stmt& s = stmts_[position];
      switch (forms[static_cast<unsigned>(s.op)]) {
        case Form::wrapping:
          if (is_missing(s.arg[0]) || is_missing(s.arg[1])) break;
          if (is_open(s.arg[0]) || is_open(s.arg[1])) {
            set(position, declared_[position]);
            break;
          }
          set(position, computed(position, s));
          break;
        case Form::comparison:
          if (is_open(s.arg[0]) && is_open(s.arg[1])) {
            set(position, declared_[position]);
            break;
          }
          set(position, computed(position, s));
          break;
        case Form::phi: set(position, entered(b, position, s)); break;
        case Form::jump: open(static_cast<EdgeId>(s.arg[0])); break;
        case Form::branch: branch(s); break;
        case Form::terminator: leave(position, s); break;
        case Form::nothing: break;
        case Form::value: {
          const Type type = computed(position, s);
          set(position, type);
          if (type.is_none() && never_ends(s)) return;
          break;
        }
      }
    }
  }

  void set(uint32_t position, Type type) {
    if (types_[position] == type) return;
    types_[position] = type;
    if (has_uses_) push_users(position);
    else if (stmts_[position].op == Op::upsilon) late_.push_back(position);
  }

  /// A throwing statement whose operands exist, but that has no result, or a pi of a type that its operand cannot have:
  /// control does not come behind it.
  bool never_ends(const Stmt& s) const {
    if (!ir::has(s.op, ir::throws) && s.op != Op::pi) return false;
    const ir::OpInfo& op = ir::info(s.op);
    std::span<const uint32_t> words = f_.args(s);
    for (uint32_t i = 0; i < words.size(); ++i)
      if (op.is_value(i) && type_of(words[i]).is_none()) return false;
    return true;
  }

  Type entered(BlockId b, uint32_t position, const Stmt& s) {
    const Type declared = declared_[position];
    std::span<const uint32_t> words = f_.args(s);
    Type type = none;
    f_.for_each_pred(b, [&](EdgeId e) {
      if (!out_.open_.test(index(e)) || type == declared) return;
      const uint32_t column = f_.edge(e).pred_index;
      if (column < words.size()) type = with_column(position, type, words[column]);
    });
    return type;
  }
  static bool is_undef(uint32_t word) { return Operand::from_word(word).is_undef(); }
  /// What a phi is when a column comes to it. One that is undefined brings no kind, but takes away what more is known: a use
  /// that traps must not become a constant that does not.
  Type with_column(uint32_t phi, Type type, uint32_t word) {
    if (is_undef(word))
      loosen(phi);
    else
      type = table_.join(type, within(type_of(word), declared_[phi]));
    return loosened(phi, type);
  }
  void loosen(uint32_t phi) {
    if (loose_.size() == 0) loose_.resize(size_);
    loose_.set(phi);
  }
  Type loosened(uint32_t phi, Type type) {
    return loose_.size() != 0 && loose_.test(phi) ? within(Type{table_.kinds(type)}, declared_[phi]) : type;
  }
  Type within(Type type, Type declared) { return type == declared ? type : table_.meet(type, declared); }

  /// Of everything but phis and terminators.
  Type computed(uint32_t position, const Stmt& s) {
    std::span<const uint32_t> words = f_.args(s);
    const ir::OpInfo& op = ir::info(s.op);
    if (s.op == Op::phi_c) return joined(position, words);
    operands_.clear();
    for (uint32_t i = 0; i < words.size(); ++i) operands_.push_back(op.is_value(i) ? type_of(words[i]) : none);
    Type type = ir::transfer(f_, s, declared_[position], operands_);
    if (s.op != Op::call || summaries_ == nullptr || type.is_none()) return type;
    const ir::FuncId callee = static_cast<ir::FuncId>(words[0]);
    if (!summaries_->contains(callee) || !(*summaries_)[callee].is_known || declared_[position] == void_type) return type;
    return table_.meet(type, (*summaries_)[callee].result);
  }
  /// A phi_c: what any of its upsilons stores. Once it was visited, each of them brings what is new of it, as a column does.
  Type joined(uint32_t position, std::span<const uint32_t> words) {
    Type type = none;
    out_.steps_ += words.size();
    for (uint32_t word : words) {
      type = table_.join(type, type_of(word));
      if (word < size_ && is_undef(f_.arg(stmts_[word], 0))) loosen(position);
    }
    return loosened(position, within(type, declared_[position]));
  }

  // ---- control ----

  void branch(const Stmt& s) {
    const Type condition = type_of(s.arg[0]);
    if (condition.is_none()) return;
    bool yes = true, no = true;
    if (!condition.is_plain()) {
      auto [low, high] = table_.range(condition, Kind::i1);
      yes = high != 0;
      no = low == 0;
    }
    if (yes) open(static_cast<EdgeId>(s.arg[1]));
    if (no) open(static_cast<EdgeId>(s.arg[2]));
  }

  void leave(uint32_t position, const Stmt& s) {
    std::span<const uint32_t> words = f_.args(s);
    if (s.op == Op::ret) {
      const Type type = words.empty() ? void_type : type_of(words[0]);
      out_.result_ = table_.join(out_.result_, type);
      return;
    }
    if (s.op == Op::enter) set(position, declared_[position]);
    if (s.op == Op::switch_) return take_cases(words);
    f_.for_each_target(s, [&](EdgeId e) { open(e); });
  }
  void take_cases(std::span<const uint32_t> words) {
    const Type value = type_of(words[0]);
    if (value.is_none()) return;
    std::optional<Kind> kind = table_.single_kind(value);
    bool others = true;
    if (kind && !value.is_plain()) {
      auto [low, high] = table_.range(value, *kind);
      uint64_t inside = 0;
      for (uint32_t i = 2; i + 1 < words.size(); i += 2) {
        const int64_t bits = static_cast<int64_t>(f_.module().constants.value(Operand::from_word(words[i])).bits);
        if (bits < low || bits > high) continue;
        ++inside;
        open(static_cast<EdgeId>(words[i + 1]));
      }
      others = inside != static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    } else {
      for (uint32_t i = 2; i + 1 < words.size(); i += 2) open(static_cast<EdgeId>(words[i + 1]));
    }
    if (others) open(static_cast<EdgeId>(words[1]));
  }

  void open(EdgeId e) {
    if (is_none(e) || f_.edge(e).dead || !out_.open_.insert(index(e))) return;
    const BlockId to = f_.edge(e).to;
    const bool is_new = out_.reachable_.insert(index(to));
    if (out_.ends_[index(to)] == 0) {
      // The first walk comes to blocks further down by itself.
      if (is_new && (has_uses_ || index(to) < index(f_.edge(e).from))) blocks_.push_back(to);
      return;
    }
    flow_in(to, f_.edge(e).pred_index);
  }
  /// An edge into a block that was visited: its phis take the column.
  void flow_in(BlockId to, uint32_t column) {
    const ir::Block& block = f_.block(to);
    for (uint32_t p = block.first; p < block.end && ir::may_precede_phi(stmts_[p].op); ++p) {
      if (stmts_[p].op != Op::phi) continue;
      std::span<const uint32_t> words = f_.args(stmts_[p]);
      if (column >= words.size() || types_[p] == declared_[p]) continue;
      const Type type = type_of(words[column]);
      if (type != types_[p] && (!type.is_none() || is_undef(words[column]))) columns_.push_back({p, column});
    }
  }

  // ---- what grew after its users had been visited ----

  void collect_uses() {
    has_uses_ = true;
    uses_.build_again(size_, [&](auto&& emit) {
      for (uint32_t p = 0; p < size_; ++p) {
        const ir::OpInfo& op = ir::info(stmts_[p].op);
        std::span<const uint32_t> words = f_.args(stmts_[p]);
        for (uint32_t i = 0; i < words.size(); ++i)
          if (words[i] < size_ && op.is_value(i)) emit(words[i], Use{p, i});
      }
    });
    waiting_.resize(size_);
    grown_.assign(size_, 0);
    // Columns are numbered from 0 in each block, as the list of its predecessors is.
    first_column_.assign(f_.block_count() + 1, 0);
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      first_column_[b + 1] = first_column_[b] + f_.block(static_cast<BlockId>(b)).pred_count;
    edge_of_column_.assign(first_column_.back(), ir::EdgeId{});
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      f_.for_each_pred(static_cast<BlockId>(b), [&](EdgeId e) { edge_of_column_[column_of(e)] = e; });
  }

  uint32_t column_of(EdgeId e) const { return first_column_[index(f_.edge(e).to)] + f_.edge(e).pred_index; }
  BlockId block_of(uint32_t position) const { return f_.block_of(static_cast<ir::Ref>(position)); }
  bool is_visited(uint32_t position) const { return position < out_.ends_[index(block_of(position))]; }

  void push_users(uint32_t position) {
    for (const Use& use : uses_.row(position)) {
      if (!is_visited(use.user)) continue;
      if (stmts_[use.user].op == Op::phi_c) {
        columns_.push_back(use);
      } else if (stmts_[use.user].op == Op::phi) {
        const EdgeId e = edge_of_column_[first_column_[index(block_of(use.user))] + use.operand];
        if (out_.open_.test(index(e))) columns_.push_back(use);
      } else if (waiting_.insert(use.user)) {
        list_.push_back(use.user);
      }
    }
  }

  /// Of an upsilon that the first walk came to. All that a phi_c gets that way it gets at once, as phis do: that is one step.
  void look_again_at_users(uint32_t upsilon) {
    for (const Use& use : uses_.row(upsilon))
      if (is_visited(use.user) && waiting_.insert(use.user)) list_.push_back(use.user);
  }

  bool work() {
    if (!columns_.empty()) {
      const Use column = columns_.back();
      columns_.pop_back();
      ++out_.steps_;
      raise(column.user, with_column(column.user, types_[column.user], f_.arg(stmts_[column.user], column.operand)));
    } else if (!blocks_.empty()) {
      const BlockId b = blocks_.back();
      blocks_.pop_back();
      if (out_.ends_[index(b)] == 0) visit(b);
    } else if (next_ < list_.size()) {
      look_again(list_[next_++]);
    } else {
      return false;
    }
    return true;
  }

  void look_again(uint32_t position) {
    waiting_.reset(position);
    ++out_.steps_;
    const Stmt& s = stmts_[position];
    switch (forms[static_cast<unsigned>(s.op)]) {
      case Form::branch: return branch(s);
      case Form::terminator: return leave(position, s);
      case Form::jump:
      case Form::nothing:
      case Form::phi: return;
      default: break;
    }
    const Type old = types_[position];
    raise(position, computed(position, s));
    if (!old.is_none() || types_[position].is_none()) return;
    // Control may have stopped here.
    const BlockId b = block_of(position);
    if (out_.ends_[index(b)] == position + 1) visit(b, position + 1);
  }

  /// Types only grow. What closes rings is widened, so that they end.
  void raise(uint32_t position, Type type) {
    const Type old = types_[position];
    type = table_.join(old, type);
    if (type == old) return;
    if (ir::is_phi_like(stmts_[position].op) && ++grown_[position] > few_steps) {
      grown_[position] = few_steps;
      type = table_.meet(table_.widen(old, type), ceiling(position));
    }
    set(position, type);
  }
  /// No wider than what its operands are declared to be: a pi may know the end of a range that widening would pass.
  Type ceiling(uint32_t position) {
    const Type declared = declared_[position];
    if (stmts_[position].op != Op::phi) return declared;
    Type type = none;
    for (uint32_t word : f_.args(stmts_[position])) {
      type = table_.join(type, word < size_ ? declared_[word] : other_type(word));
      if (type == declared) return declared;
    }
    return table_.meet(type, declared);
  }

  const ir::Function& f_;
  const Summaries* summaries_;
  Types& out_;
  TypeTable& table_;
  const Stmt* stmts_;
  const Type* declared_;
  std::span<const Type> params_;
  const uint32_t size_;
  Type* types_;
  std::vector<Type> operands_;

  std::vector<Use> columns_;          ///< phis, with the column that has something new
  std::vector<BlockId> blocks_;       ///< reachable, not visited, and the first walk has passed them
  std::vector<uint32_t> late_;        ///< upsilons: their phi_c may stand further up

  BitSet loose_;                      ///< phis with a column that is undefined

  bool has_uses_ = false;
  Csr<Use> uses_;
  BitSet waiting_;
  std::vector<uint8_t> grown_;
  std::vector<uint32_t> first_column_;
  std::vector<EdgeId> edge_of_column_;
  std::vector<uint32_t> list_;
  size_t next_ = 0;
};

Type Types::of(Operand operand) const {
  if (operand.is_stmt()) return types_[operand.number()];
  return ir::value_type(*f_, operand);
}

Types infer(const ir::Function& f, const Summaries* summaries) {
  assert(f.is_at_rest() && "inference needs a function at rest");
  Types types;
  Engine(f, summaries, types).run();
  return types;
}

}  // namespace braid::infer
