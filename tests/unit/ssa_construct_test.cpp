// All constructors against the program over variables: on random graphs, with undefined variables and with handlers, the
// results verify, run alike, and have the same phis.
#include "ssa/construct.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "interp/interpreter.h"
#include "ir/compact.h"
#include "ir/verify.h"
#include "ssa/redundant_phis.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid {
namespace {

using interp::Interpreter;
using interp::Outcome;
using interp::OutcomeKind;

/// A random graph of blocks over variables, as text. Every block burns fuel, so that all programs end; reads may meet
/// unassigned variables; some blocks protect a part of themselves by a handler.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::string make() {
    blocks_ = 1 + pick(pick(8) == 0 ? 60 : 12);
    variables_ = 1 + pick(6);
    out_ = "func @f(n: i64) -> i64 {\n  var fuel: i64\n  var acc: i64\n";
    for (uint32_t v = 0; v < variables_; ++v)
      out_ += "  var v" + std::to_string(v) + ": i64" + (pick(3) == 0 ? " zero" : "") + "\n";
    out_ += "entry:\n  set fuel, 40\n  set acc, %n\n";
    for (uint32_t v = 0; v < variables_; ++v)
      if (pick(2) == 0) out_ += "  set v" + std::to_string(v) + ", " + std::to_string(v) + "\n";
    out_ += "  jump " + block(pick(blocks_)) + "\n";
    for (uint32_t b = 0; b < blocks_; ++b) make_block(b);
    out_ += "exit:\n  %r = get acc\n  ret %r\n}\n";
    return out_;
  }

 private:
  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  static std::string block(uint32_t b) { return "block" + std::to_string(b); }
  std::string variable() { return "v" + std::to_string(pick(variables_)); }
  std::string value() { return "%t" + std::to_string(next_++); }

  void make_events() {
    for (uint32_t i = pick(4); i > 0; --i) {
      std::string a = value();
      switch (pick(5)) {
        case 0: out_ += "  set " + variable() + ", undef\n"; break;
        case 1: {
          std::string c = value(), d = value();
          out_ += "  " + a + " = is_defined " + variable() + "\n  " + c + " = zext i1 " + a + " to i64\n";
          add_to_result(c);
          break;
        }
        case 2: {
          out_ += "  " + a + " = get acc\n  set " + variable() + ", " + a + "\n";
          break;
        }
        default: {
          out_ += "  " + a + " = get " + variable() + "\n";
          add_to_result(a);
          if (pick(2) == 0) {
            std::string c = value();
            out_ += "  " + c + " = add i64 " + a + ", " + std::to_string(1 + pick(9)) + "\n  set " + variable() + ", " + c + "\n";
          }
        }
      }
    }
  }

  void add_to_result(const std::string& v) {
    std::string a = value(), b = value(), c = value();
    out_ += "  " + a + " = get acc\n  " + b + " = mul i64 " + a + ", 31\n  " + c + " = add i64 " + b + ", " + v +
            "\n  set acc, " + c + "\n";
  }

  void make_block(uint32_t b) {
    std::string name = block(b);
    out_ += name + ":\n";
    make_events();
    if (pick(3) == 0) {
      std::string token = value(), a = value(), c = value();
      out_ += "  " + token + " = enter " + name + ".handler, " + name + ".body\n" + name + ".body:\n";
      make_events();
      out_ += "  " + a + " = get acc\n  " + c + " = and i64 " + a + ", 1\n  " + value() + " = check_zero i64 " + c + "\n";
      make_events();
      out_ += "  leave " + token + "\n";
      if (pick(2) == 0) make_events();
      out_ += "  jump " + name + ".after\n" + name + ".handler:\n  pop_exception " + token + "\n";
      if (pick(2) == 0) make_events();
      out_ += "  jump " + name + ".after\n" + name + ".after:\n";
    }
    std::string f = value(), left = value(), more = value();
    out_ += "  " + f + " = get fuel\n  " + left + " = sub i64 " + f + ", 1\n  set fuel, " + left + "\n  " + more +
            " = sgt i64 " + left + ", 0\n  branch " + more + ", " + name + ".go, exit\n" + name + ".go:\n";
    std::string s = value(), t = value();
    out_ += "  " + s + " = get acc\n  " + t + " = and i64 " + s + ", 3\n";
    if (pick(3) == 0) {
      out_ += "  jump " + block(pick(blocks_)) + "\n";
    } else if (pick(2) == 0) {
      std::string u = value();
      out_ += "  " + u + " = eq i64 " + t + ", 1\n  branch " + u + ", " + block(pick(blocks_)) + ", " + block(pick(blocks_)) + "\n";
    } else {
      out_ += "  switch i64 " + t + ", exit, [0: " + block(pick(blocks_)) + ", 1: " + block(pick(blocks_)) + ", 2: " +
              block(pick(blocks_)) + "]\n";
    }
  }

  std::mt19937 random_;
  std::string out_;
  uint32_t blocks_ = 0, variables_ = 0, next_ = 0;
};

std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Expected<text::ParsedModule> module = text::parse_module(SourceFile("random", text));
  if (!module) {
    ADD_FAILURE() << render(module.error()) << text;
    return nullptr;
  }
  return std::move(module->module);
}

std::vector<Outcome> run_all(ir::Module& module) {
  interp::RunOptions options;
  options.max_steps = 1'000'000;
  Interpreter interpreter(module, options);
  std::vector<Outcome> outcomes;
  for (int64_t n : {-3, 0, 1, 2, 7}) {
    Value argument(n);
    outcomes.push_back(interpreter.run(module.function(ir::FuncId{0}), {&argument, 1}));
  }
  return outcomes;
}

uint32_t count_phis(const ir::Function& f, ir::Op op) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f.size(); ++i) count += f.columns().stmt(i).op == op;
  return count;
}

struct Form {
  ssa::ConstructOptions options;
  const char* name;
};
constexpr Form forms[] = {
    {{ssa::Algorithm::cytron, ssa::Prune::pruned}, "cytron pruned"},
    {{ssa::Algorithm::braun, ssa::Prune::pruned}, "braun"},
    {{ssa::Algorithm::regmap, ssa::Prune::pruned}, "regmap"},
    {{ssa::Algorithm::cytron, ssa::Prune::semi}, "cytron semi-pruned"},
    {{ssa::Algorithm::cytron, ssa::Prune::minimal}, "cytron minimal"},
};

TEST(Construct, AllAgreeWithTheProgramOverVariables) {
  uint32_t ended = 0, threw = 0, runs = 0, with_phis = 0, phi_cs = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::string text = Generator(seed).make();
    std::unique_ptr<ir::Module> original = parsed(text);
    ASSERT_NE(original, nullptr);
    std::vector<ir::Finding> wrong = ir::verify(*original);
    ASSERT_TRUE(wrong.empty()) << wrong[0].message << "\n" << text;
    std::vector<Outcome> expected = run_all(*original);
    for (const Outcome& outcome : expected) {
      ++runs;
      ended += outcome.kind == OutcomeKind::value;
      threw += outcome.kind == OutcomeKind::exception;
    }
    uint32_t pruned_phis = 0, pruned_phi_cs = 0;
    for (const Form& form : forms) {
      std::unique_ptr<ir::Module> module = parsed(text);
      ir::Function& f = module->function(ir::FuncId{0});
      ssa::construct(f, form.options);
      std::vector<ir::Finding> findings = ir::verify(f);
      ASSERT_TRUE(findings.empty()) << form.name << ", seed " << seed << ": " << findings[0].message << "\n"
                                    << text << text::to_text(f);
      std::vector<Outcome> got = run_all(*module);
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(interp::to_string(got[i]), interp::to_string(expected[i]))
            << form.name << ", seed " << seed << "\n" << text << text::to_text(f);
      ssa::remove_redundant_phis(f);
      ASSERT_TRUE(ir::verify(f).empty()) << form.name << ", seed " << seed;
      uint32_t phis = count_phis(f, ir::Op::phi), phi_c = count_phis(f, ir::Op::phi_c);
      if (&form == &forms[0]) {
        pruned_phis = phis;
        pruned_phi_cs = phi_c;
        with_phis += phis != 0;
        phi_cs += phi_c;
      } else if (form.options.prune == ssa::Prune::pruned) {
        ASSERT_EQ(phis, pruned_phis) << form.name << ", seed " << seed << "\n" << text << text::to_text(f);
        ASSERT_EQ(phi_c, pruned_phi_cs) << form.name << ", seed " << seed << "\n" << text << text::to_text(f);
      } else {
        ASSERT_GE(phis, pruned_phis) << form.name << ", seed " << seed;
      }
    }
  }
  std::printf("%u runs: %u%% ended with a value, %u%% with an exception; %u programs with phis, %u phi_cs\n", runs,
              100 * ended / runs, 100 * threw / runs, with_phis, phi_cs);
  EXPECT_GE(100 * ended / runs, 20u);
  EXPECT_GE(100 * threw / runs, 10u);
  EXPECT_GE(with_phis, 1000u);
  EXPECT_GE(phi_cs, 1000u);
}

}  // namespace
}  // namespace braid
