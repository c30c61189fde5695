#include "text/print_julia.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>
#include <vector>

#include "base/number_text.h"
#include "ir/order.h"
#include "ir/strings.h"
#include "text/listing.h"
#include "text/names.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

namespace {

uint32_t digit_count(uint32_t number) {
  uint32_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

/// How Julia would call the operation, in ten columns.
std::string_view call_label(const Stmt& stmt) {
  TypeRule rule = info(stmt.op).rule;
  if (stmt.op == Op::call) return "   invoke ";
  if (stmt.op == Op::call_indirect) return "  dynamic ";
  bool computes = rule >= TypeRule::int_binary && rule <= TypeRule::int_to_ptr;
  if (computes || stmt.op == Op::intrinsic || rule == TypeRule::ptr_add || rule == TypeRule::ptr_diff)
    return "intrinsic ";
  return "  builtin ";
}

class JuliaPrinter {
 public:
  JuliaPrinter(const Function& f, std::string& out, bool colour)
      : f_(f), out_(out), colour_(colour), listing_(f), lists_(f) {}

  void print() {
    if (f_.is_external()) return;
    listing_.find_names();
    listing_.order_edges();
    find_used();
    for (uint32_t b = 0; b < f_.block_count(); ++b) print_block(static_cast<BlockId>(b));
    print_strays();
  }

 private:
  /// A statement, or a `goto` that Julia's form needs beside it.
  struct Line {
    Operand id;
    BlockId extra_target;
  };

  uint32_t number_of(Operand id) const { return f_.dense(id) + 1; }

  void find_used() {
    used_ = BitSet(f_.dense_count());
    in_block_ = BitSet(f_.size());
    uint32_t last = 0;
    auto use = [&](Operand operand) {
      if (operand.tag() > Operand::Tag::pending || !operand_exists(f_, operand)) return;
      used_.set(f_.dense(operand));
      last = std::max(last, number_of(operand));
    };
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      BlockId block = static_cast<BlockId>(b);
      for_each_statement(f_, lists_, block, [&](Operand id) {
        if (id.is_stmt()) in_block_.set(id.number());
        const Stmt& stmt = f_.stmt(id);
        std::span<const uint32_t> words = f_.args(stmt);
        if (stmt.op == Op::phi) {
          for (EdgeId e : listing_.edges_into(block)) use(phi_operand(stmt, e));
        } else if (info(stmt.op).arity_ok(static_cast<uint32_t>(words.size()))) {
          for (uint32_t i = 0; i < words.size(); ++i)
            if (info(stmt.op).is_value(i)) use(Operand::from_word(words[i]));
        }
      });
    }
    number_width_ = last == 0 ? 0 : digit_count(last);
  }

  Operand phi_operand(const Stmt& phi, EdgeId e) const {
    uint32_t i = f_.edge(e).pred_index;
    return i < f_.operand_count(phi) ? f_.operand(phi, i) : Operand::undef();
  }

  // ---- blocks and lines ----

  void print_block(BlockId b) {
    lines_.clear();
    for_each_statement(f_, lists_, b, [&](Operand id) {
      lines_.push_back({id, none_id<BlockId>});
      if (is_terminator(f_.op(id))) add_goto(b, f_.stmt(id));
    });
    if (lines_.empty()) {
      print_block_start(b);
      out_.back() = '\n';
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (i == 0)
        print_block_start(b);
      else
        print_gutter(i + 1 == lines_.size() ? "└" : "│", i + 1 == lines_.size() ? "─" : " ");
      print_line(b, lines_[i]);
      out_ += '\n';
    }
  }

  /// Statements that stand in no block: the graph is inconsistent.
  void print_strays() {
    for (uint32_t i = 0; i < f_.size(); ++i) {
      if (in_block_.test(i)) continue;
      out_ += "!!! ";
      for (uint32_t k = 0; k < digit_count(f_.block_count()); ++k) out_ += "─";
      out_ += ' ';
      print_line(Function::entry(), {static_cast<Ref>(i), none_id<BlockId>});
      out_ += '\n';
    }
  }

  /// The way that Julia takes by falling through is a line of its own where it leads elsewhere.
  void add_goto(BlockId b, const Stmt& stmt) {
    LiveTerminator live = live_terminator(f_, stmt);
    if (live.op != Op::branch && live.op != Op::enter) return;
    BlockId target = f_.edge(static_cast<EdgeId>(f_.arg(stmt, 1))).to;
    if (index(target) != index(b) + 1) lines_.push_back({Operand::undef(), target});
  }

  void print_block_start(BlockId b) {
    uint32_t preds = 0;
    for (EdgeId e : listing_.edges_into(b)) preds += f_.edge(e).kind == EdgeKind::exceptional ? 2 : 1;
    append_number(out_, index(b) + 1);
    out_ += preds <= 1 ? " ─" : " ┄";
    for (uint32_t k = digit_count(index(b) + 1); k < digit_count(f_.block_count()); ++k) out_ += "─";
    out_ += ' ';
  }

  void print_gutter(std::string_view corner, std::string_view fill) {
    out_ += corner;
    for (uint32_t k = 0; k < 1 + digit_count(f_.block_count()); ++k) out_ += fill;
    out_ += ' ';
  }

  void print_line(BlockId b, const Line& line) {
    bool green = colour_ && line.id.is_pending();
    if (green) out_ += "\x1b[32m";
    if (!line.id.is_undef() && used_.test(f_.dense(line.id))) {
      uint32_t number = number_of(line.id);
      out_ += '%';
      append_number(out_, number);
      out_.append(number_width_ - digit_count(number) + 1, ' ');
      out_ += "= ";
    } else {
      out_.append(number_width_ + 4, ' ');
    }
    if (line.id.is_undef()) {
      out_ += "goto ";
      print_block_number(line.extra_target);
    } else {
      print_statement(b, line.id);
    }
    if (green) out_ += "\x1b[39m";
  }

  // ---- statements ----

  void print_statement(BlockId b, Operand id) {
    const Stmt& stmt = f_.stmt(id);
    if (is_terminator(stmt.op)) return print_terminator(stmt);
    uint32_t count = f_.operand_count(stmt);
    if (!info(stmt.op).arity_ok(count)) {
      out_ += info(stmt.op).text;
      return print_type(f_.type(id));
    }
    switch (stmt.op) {
      case Op::nothing: out_ += "nothing"; break;
      case Op::same: print_value(f_.operand(stmt, 0)); break;
      case Op::phi: print_phi(b, stmt); break;
      case Op::phi_c: print_list("φᶜ (", stmt, 0); break;
      case Op::upsilon: print_list("ϒ (", stmt, 0); break;
      case Op::pi:
        out_ += "π (";
        print_value(f_.operand(stmt, 0));
        out_ += ", ";
        append_type_name(f_.type(id));
        out_ += ')';
        return;
      case Op::get: listing_.append_variable(out_, static_cast<VarId>(f_.arg(stmt, 0))); break;
      case Op::set:
        listing_.append_variable(out_, static_cast<VarId>(f_.arg(stmt, 0)));
        out_ += " = ";
        print_value(f_.operand(stmt, 1));
        return;
      case Op::leave: return print_expression("leave", stmt);
      case Op::pop_exception: print_expression("pop_exception", stmt); break;
      case Op::the_exception: print_expression("the_exception", stmt); break;
      case Op::throw_undef: print_expression("throw_undef_if_not", stmt); break;
      case Op::is_defined: print_expression("isdefined", stmt); break;
      default: print_call(id, stmt); break;
    }
    print_type(f_.type(id));
  }

  void print_terminator(const Stmt& stmt) {
    LiveTerminator live = live_terminator(f_, stmt);
    switch (live.op) {
      case Op::jump:
        out_ += "goto ";
        print_target(stmt, live.target);
        break;
      case Op::branch:
        out_ += "goto ";
        print_target(stmt, 2);
        out_ += " if not ";
        print_value(f_.operand(stmt, 0));
        break;
      case Op::switch_: print_switch(stmt, live.target); break;
      case Op::ret:
        out_ += "return ";
        if (f_.operand_count(stmt) == 0)
          out_ += "nothing";
        else
          print_value(f_.operand(stmt, 0));
        break;
      case Op::enter:
        out_ += "enter ";
        if (is_live(f_, f_.arg(stmt, 0)))
          print_target(stmt, 0);
        else
          out_ += "#0";
        break;
      case Op::unreachable: out_ += "unreachable"; break;
      default:
        out_ += "  builtin ";
        print_list(std::string(info(stmt.op).text) + "(", stmt, 0);
        print_type(none);
        break;
    }
  }

  void print_switch(const Stmt& stmt, uint32_t default_operand) {
    out_ += "switch ";
    print_value(f_.operand(stmt, 0));
    out_ += " (";
    for (uint32_t i = 3; i < f_.operand_count(stmt); i += 2) {
      if (i == default_operand || !is_live(f_, f_.arg(stmt, i))) continue;
      print_value(f_.operand(stmt, i - 1));
      out_ += " => ";
      print_target(stmt, i);
      out_ += ", ";
    }
    out_ += "else => ";
    print_target(stmt, default_operand);
    out_ += ')';
  }

  void print_phi(BlockId b, const Stmt& stmt) {
    out_ += "φ (";
    bool first = true;
    for (EdgeId e : listing_.edges_into(b)) {
      if (!first) out_ += ", ";
      first = false;
      print_block_number(f_.edge(e).from);
      out_ += " => ";
      print_value(phi_operand(stmt, e));
    }
    out_ += ')';
  }

  void print_call(Operand id, const Stmt& stmt) {
    out_ += call_label(stmt);
    uint32_t first = 1;
    if (stmt.op == Op::call) {
      print_operand(stmt, 0);
    } else if (stmt.op == Op::call_indirect) {
      print_value(f_.operand(stmt, 1));
      first = 2;
    } else if (stmt.op == Op::intrinsic) {
      print_operand(stmt, 0);
    } else {
      out_ += info(stmt.op).text;
      first = 0;
    }
    out_ += '(';
    bool any = info(stmt.op).shown == TypeShown::convert;
    if (any) append_type_name(f_.type(id));
    for (uint32_t i = first; i < f_.operand_count(stmt); ++i) {
      if (any) out_ += ", ";
      any = true;
      print_operand(stmt, i);
      if (Operand operand = f_.operand(stmt, i); stmt.op == Op::call && operand_exists(f_, operand)) print_type(f_.type_of(operand));
    }
    out_ += ')';
  }

  void print_list(std::string_view before, const Stmt& stmt, uint32_t first) {
    out_ += before;
    for (uint32_t i = first; i < f_.operand_count(stmt); ++i) {
      if (i > first) out_ += ", ";
      print_operand(stmt, i);
    }
    out_ += ')';
  }

  void print_expression(std::string_view head, const Stmt& stmt) {
    out_ += "$(Expr(:";
    out_ += head;
    for (uint32_t i = 0; i < f_.operand_count(stmt); ++i) {
      out_ += ", ";
      Operand operand = f_.operand(stmt, i);
      bool quoted = info(stmt.op).is_value(i) && !operand.is_constant();
      if (quoted) out_ += ":(";
      if (info(stmt.op).kind_of(i) == OperandKind::variable) out_ += ':';
      print_operand(stmt, i);
      if (quoted) out_ += ')';
    }
    out_ += "))";
  }

  // ---- operands and types ----

  void print_block_number(BlockId b) {
    out_ += '#';
    append_number(out_, index(b) + 1);
  }
  void print_target(const Stmt& stmt, uint32_t i) {
    print_block_number(f_.edge(static_cast<EdgeId>(f_.arg(stmt, i))).to);
  }

  void print_operand(const Stmt& stmt, uint32_t i) {
    const Module& module = f_.module();
    uint32_t word = f_.arg(stmt, i);
    switch (info(stmt.op).kind_of(i)) {
      case OperandKind::value: print_value(Operand::from_word(word)); break;
      case OperandKind::variable: listing_.append_variable(out_, static_cast<VarId>(word)); break;
      case OperandKind::function:
        if (FuncId id = static_cast<FuncId>(word); module.has_function(id)) out_ += module.function(id).name_text();
        break;
      case OperandKind::global:
        if (GlobalId id = static_cast<GlobalId>(word); module.globals.contains(id))
          out_ += module.name(module.globals[id].name);
        break;
      case OperandKind::intrinsic:
        if (IntrinsicId id = static_cast<IntrinsicId>(word); module.intrinsics.contains(id))
          out_ += module.name(module.intrinsics[id].name);
        break;
      case OperandKind::symbol:
        out_ += ':';
        if (Symbol symbol = static_cast<Symbol>(word); module.symbols.contains(symbol)) out_ += module.name(symbol);
        break;
      case OperandKind::type: append_type(out_, f_.module().types, Type{word}, &f_.module().symbols); break;
      case OperandKind::block:
      case OperandKind::signature:
      case OperandKind::immediate: append_number(out_, word); break;
    }
  }

  void print_value(Operand operand) {
    const ConstTable& constants = f_.module().constants;
    if (operand.is_constant() && constants.contains(operand)) return print_constant(constants.value(operand));
    if (operand.is_stmt() || operand.is_pending()) {
      out_ += '%';
      append_number(out_, number_of(operand));
    } else if (operand.is_param()) {
      out_ += '_';
      append_number(out_, operand.number() + 1);
    } else {
      out_ += "#undef";
    }
  }

  void print_constant(Constant constant) {
    Kind kind = static_cast<Kind>(std::countr_zero(constant.type.bits));
    if (kind == Kind::i1) {
      out_ += constant.bits ? "true" : "false";
    } else if (is_integer(kind)) {
      append_i64(out_, static_cast<int64_t>(constant.bits));
    } else if (kind == Kind::f64) {
      append_decimal_float(out_, std::bit_cast<double>(constant.bits));
    } else if (kind == Kind::f32) {
      append_decimal_float(out_, std::bit_cast<float>(static_cast<uint32_t>(constant.bits)));
      out_ += "f0";
    } else if (Symbol symbol = literal_symbol(f_.module(), constant.bits); kind == Kind::string && !is_none(symbol)) {
      append_quoted(out_, f_.module().name(symbol));
    } else if (constant.bits == 0) {
      out_ += "null";
    } else {
      append_hex(out_, constant.bits);
    }
  }

  void print_type(Type type) {
    out_ += "::";
    append_type_name(type);
  }
  void append_type_name(Type type) {
    if (type == void_type)
      out_ += "Nothing";
    else if (type == none)
      out_ += "Union{}";
    else
      append_type(out_, f_.module().types, type, &f_.module().symbols);
  }

  const Function& f_;
  std::string& out_;
  bool colour_;
  Listing listing_;
  PendingLists lists_;
  BitSet used_, in_block_;
  uint32_t number_width_ = 0;
  std::vector<Line> lines_;
};

}  // namespace

void append_julia(std::string& out, const Function& f, bool colour) { JuliaPrinter(f, out, colour).print(); }

std::string to_julia(const Function& f, bool colour) {
  std::string out;
  append_julia(out, f, colour);
  return out;
}

}  // namespace braid::text
