// What the proofs take an operation to mean is what the evaluator of ops does: for all operands of 8 bits,
// for corners and random operands of the other widths. Each operation is one query of ground facts, which the
// solver must not refute.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ir/eval_op.h"
#include "smt.h"
#include "solver.h"

namespace braid::rulec {
namespace {

using ir::Op;
using ir::TypeRule;

constexpr Kind int_kinds[] = {Kind::i1, Kind::i8, Kind::i16, Kind::i32, Kind::i64};
constexpr Kind float_kinds[] = {Kind::f32, Kind::f64};

/// The bits that the evaluator gives; of an operation that reports overflow, the field.
uint64_t evaluated(Op op, Kind from, Kind to, uint32_t field, std::span<const uint64_t> operands) {
  if (ir::info(op).rule == TypeRule::overflow) {
    auto answer = ir::fold_overflow(op, from, operands);
    return field == 0 ? answer->value : uint64_t{answer->overflow};
  }
  return ir::fold(op, from, to, operands).value();
}

std::vector<uint64_t> corners(Kind kind) {
  std::vector<uint64_t> words;
  if (kind == Kind::f64)
    for (uint64_t magnitude :
         {0x0ull, 0x1ull, 0x000fffffffffffffull, 0x0010000000000000ull, 0x3fe0000000000000ull,
          0x3ff0000000000000ull, 0x3ff8000000000000ull, 0x4000000000000000ull, 0x4330000000000001ull,
          0x7fefffffffffffffull, 0x7ff0000000000000ull, 0x7ff0000000000001ull, 0x7ff8000000000000ull,
          0x7ff8000000000005ull})
      words.insert(words.end(), {magnitude, magnitude | 0x8000000000000000ull});
  else if (kind == Kind::f32)
    for (uint64_t magnitude :
         {0x0u, 0x1u, 0x007fffffu, 0x00800000u, 0x3f000000u, 0x3f800000u, 0x3fc00000u, 0x40000000u,
          0x4b000001u, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fc00005u})
      words.insert(words.end(), {magnitude, magnitude | 0x80000000u});
  else
    for (int bit : {0, 1, 2, 3, 5, 6, 7, 14, 15, 30, 31, 32, 62, 63})
      for (uint64_t around : {~uint64_t{0}, uint64_t{0}, uint64_t{1}})
        words.push_back(ir::canonical(kind, (uint64_t{1} << bit) + around));
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

struct Question {
  Op op;
  Kind from, to;
  uint32_t field;
  Form form = Form::plain;
  std::string name() const {
    return std::string(ir::info(op).text) + " of " + std::string(kind_name(from)) + " to " +
           std::string(kind_name(to)) + (field == 0 ? "" : ", the flag") +
           (form == Form::plain ? "" : ", in another form");
  }
};

class Facts {
 public:
  Facts(const Question& question, std::mt19937_64& random) : q_(question), random_(random) {
    from_ = smt_kind(q_.from);
    to_ = smt_kind(q_.to);
    count_ = ir::info(q_.op).fixed_count;
    function_ = smt_name(q_.op, from_, to_, q_.field);
    result_width_ = ir::info(q_.op).rule == TypeRule::overflow && q_.field == 1 ? 1 : to_.width;
  }

  /// Definition, facts and question; nothing if the operation has no meaning to the solver.
  std::string text(uint64_t& facts) {
    std::optional<std::string> definition = smt_definition(q_.op, from_, to_, q_.field);
    if (q_.form != Form::plain) {
      definition.reset();
      for (const std::string& text : smt_definitions_in(q_.form, q_.op, from_, true))
        definition = definition.value_or("") + text;
    }
    if (!definition) return {};
    std::string all = q_.from == Kind::i8 && count_ <= 2 ? every_case(facts) : some_cases(facts);
    return "(push)\n" + *definition + all + "(check-sat)\n(pop)\n";
  }

 private:
  uint64_t result(std::span<const uint64_t> operands) const {
    return evaluated(q_.op, q_.from, q_.to, q_.field, operands);
  }
  static uint64_t word_of_i8(uint32_t i) { return ir::canonical(Kind::i8, i); }

  /// One fact per first operand: the results for all second operands, side by side.
  std::string every_case(uint64_t& facts) const {
    facts += count_ == 1 ? 256 : 65536;
    std::string row, text;
    if (count_ == 1) {
      std::string expected;
      row = "(concat";
      for (uint32_t a = 0; a < 256; ++a) {
        row += " (" + function_ + " " + smt_bits(8, a) + ")";
        uint64_t word = word_of_i8(a);
        expected += binary(result({&word, 1}));
      }
      return "(assert (not (= " + row + ") #b" + expected + ")))\n";
    }
    row = "(define-fun row ((a (_ BitVec 8))) (_ BitVec " + std::to_string(256 * result_width_) + ") (concat";
    for (uint32_t b = 0; b < 256; ++b) row += " (" + function_ + " a " + smt_bits(8, b) + ")";
    text = row + "))\n(assert (not (and";
    for (uint32_t a = 0; a < 256; ++a) {
      std::string expected;
      for (uint32_t b = 0; b < 256; ++b) {
        const uint64_t words[] = {word_of_i8(a), word_of_i8(b)};
        expected += binary(result(words));
      }
      text += "\n(= (row " + smt_bits(8, a) + ") #b" + expected + ")";
    }
    return text + ")))\n";
  }
  std::string binary(uint64_t bits) const {
    std::string text;
    for (uint32_t at = result_width_; at-- > 0;) text += bits >> at & 1 ? '1' : '0';
    return text;
  }

  std::string some_cases(uint64_t& facts) {
    std::string text = "(assert (not (and true";
    const std::vector<uint64_t> words = corners(q_.from);
    auto add = [&](std::vector<uint64_t> operands) {
      if (q_.op == Op::select) operands[0] &= 1;
      text += "\n(= (" + function_;
      for (uint32_t i = 0; i < count_; ++i)
        text += " " + smt_bits(q_.op == Op::select && i == 0 ? 1 : from_.width, operands[i]);
      text += ") " + smt_bits(result_width_, result(std::span(operands).first(count_))) + ")";
      ++facts;
    };
    for (uint64_t a : words)
      for (uint64_t b : words) {
        add({a, b, random_()});
        if (count_ == 1) break;
      }
    for (int i = 0; i < 300; ++i)
      add({ir::canonical(q_.from, random_()), ir::canonical(q_.from, random_()),
           ir::canonical(q_.from, random_())});
    return text + ")))\n";
  }

  Question q_;
  std::mt19937_64& random_;
  SmtKind from_, to_;
  uint32_t count_ = 0, result_width_ = 0;
  std::string function_;
};

/// All operations that rules may use, at all their kinds.
std::vector<Question> questions() {
  std::vector<Question> all;
  for (unsigned i = 0; i < ir::op_count; ++i) {
    const Op op = static_cast<Op>(i);
    switch (ir::info(op).rule) {
      case TypeRule::int_binary:
      case TypeRule::int_unary:
        for (Kind kind : int_kinds) {
          all.push_back({op, kind, kind, 0});
          for (Form form : other_forms) all.push_back({op, kind, kind, 0, form});
        }
        break;
      case TypeRule::overflow:
        for (Kind kind : int_kinds)
          for (uint32_t field : {0u, 1u}) all.push_back({op, kind, kind, field});
        break;
      case TypeRule::equality:
      case TypeRule::signed_compare:
      case TypeRule::unsigned_compare:
        for (Kind kind : int_kinds) all.push_back({op, kind, Kind::i1, 0});
        break;
      case TypeRule::float_binary:
      case TypeRule::float_unary:
        for (Kind kind : float_kinds) all.push_back({op, kind, kind, 0});
        break;
      case TypeRule::float_compare:
        for (Kind kind : float_kinds) all.push_back({op, kind, Kind::i1, 0});
        break;
      case TypeRule::int_narrow:
      case TypeRule::int_extend:
        for (Kind from : int_kinds)
          for (Kind to : int_kinds)
            if (ir::info(op).rule == TypeRule::int_narrow ? bit_width(to) < bit_width(from)
                                                          : bit_width(from) < bit_width(to))
              all.push_back({op, from, to, 0});
        break;
      case TypeRule::bitcast: all.push_back({op, Kind::i64, Kind::f64, 0}); break;
      case TypeRule::ptr_to_int: all.push_back({op, Kind::ptr, Kind::i64, 0}); break;
      case TypeRule::int_to_ptr: all.push_back({op, Kind::i64, Kind::ptr, 0}); break;
      case TypeRule::ptr_add: all.push_back({op, Kind::ptr, Kind::ptr, 0}); break;
      case TypeRule::ptr_diff: all.push_back({op, Kind::ptr, Kind::i64, 0}); break;
      case TypeRule::select:
        for (Kind kind : int_kinds) all.push_back({op, kind, kind, 0});
        break;
      default: break;
    }
  }
  return all;
}

TEST(RulesMeaning, IsThatOfTheEvaluator) {
  std::mt19937_64 random(7);
  std::vector<Question> asked;
  std::string text;
  uint64_t facts = 0;
  for (const Question& question : questions()) {
    std::string part = Facts(question, random).text(facts);
    if (part.empty()) continue;
    asked.push_back(question);
    text += part;
  }
  const SolverRun run = ask_solver(text);
  ASSERT_EQ(run.error, "");
  ASSERT_EQ(run.answers.size(), asked.size());
  for (size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(run.answers[i], Answer::unsat) << asked[i].name();
  std::printf("%zu meanings, %llu facts\n", asked.size(), static_cast<unsigned long long>(facts));
  EXPECT_GT(asked.size(), 280u);
  EXPECT_GT(facts, 2'000'000u);
}

/// Forms stand in for operations only at more than 8 bits: there the meaning is compared for all operands.
TEST(RulesMeaning, OtherForms) {
  for (Form form : other_forms) {
    EXPECT_TRUE(smt_definitions_in(form, Op::urem, smt_kind(Kind::i8)).empty());
    EXPECT_EQ(smt_definitions_in(form, Op::urem, smt_kind(Kind::i16)).size(), 2u);
  }
}

/// The solver does refute a wrong fact.
TEST(RulesMeaning, WrongFactsAreRefuted) {
  const SolverRun run =
      ask_solver(*smt_definition(Op::sdiv, smt_kind(Kind::i8), smt_kind(Kind::i8)) +
                 "(push)\n(assert (not (= (sdiv.i8 #x80 #xff) #x80)))\n(check-sat)\n(pop)\n(assert (not (= "
                 "(sdiv.i8 #x80 #xff) #x7f)))\n(check-sat)\n");
  ASSERT_EQ(run.error, "");
  EXPECT_EQ(run.answers, (std::vector<Answer>{Answer::unsat, Answer::sat}));
}

}  // namespace
}  // namespace braid::rulec
