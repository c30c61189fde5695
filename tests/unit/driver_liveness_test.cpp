// What `live` shows of functions with handlers, against a naive liveness from statement to statement, in
// which an exception goes from each statement that may throw to its handler.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "driver/display_names.h"
#include "driver/flow_facts.h"
#include "random_variable_programs.h"
#include "ssa/construct.h"
#include "ssa/tracks.h"
#include "text/parse.h"

namespace braid::driver {
namespace {

using ir::BlockId;
using ir::Op;
using ir::Operand;

using Names = std::set<std::string>;

class NaiveLiveness {
 public:
  explicit NaiveLiveness(const ir::Function& f)
      : f_(f), in_(f.block_count()), out_(f.block_count()), handlers_(f.block_count()) {
    find_handlers();
    for (bool changes = true; changes;) {
      changes = false;
      for (uint32_t b = f.block_count(); b-- > 0;)
        if (seen_[b]) changes |= walk(static_cast<BlockId>(b));
    }
  }
  const Names& live_in(uint32_t b) const { return in_[b]; }
  const Names& live_out(uint32_t b) const { return out_[b]; }
  /// What is live into a block of a region only because of an exception there.
  uint32_t kept_for_handlers = 0;

 private:
  /// Those that are open at the start of each block, the innermost last.
  void find_handlers() {
    std::vector<BlockId> work = {ir::Function::entry()};
    seen_[0] = true;
    while (!work.empty()) {
      BlockId b = work.back();
      work.pop_back();
      std::vector<BlockId> open = handlers_[index(b)];
      for (uint32_t i = f_.block(b).first; i < f_.block(b).end; ++i)
        if (f_.columns().stmt(i).op == Op::leave)
          open.resize(open.size() - f_.operand_count(f_.columns().stmt(i)));
      BlockId handler = none_id<BlockId>;
      f_.for_each_succ(b, [&](ir::EdgeId e) {
        if (f_.edge(e).kind == ir::EdgeKind::exceptional) handler = f_.edge(e).to;
      });
      f_.for_each_succ(b, [&](ir::EdgeId e) {
        BlockId to = f_.edge(e).to;
        if (seen_[index(to)]) return;
        seen_[index(to)] = true;
        handlers_[index(to)] = open;
        if (!is_none(handler) && to != handler) handlers_[index(to)].push_back(handler);
        work.push_back(to);
      });
    }
  }

  bool walk(BlockId b) {
    Names live;
    f_.for_each_succ(b, [&](ir::EdgeId e) {
      BlockId to = f_.edge(e).to;
      live.insert(in_[index(to)].begin(), in_[index(to)].end());
      for (uint32_t i = f_.block(to).first; i < f_.block(to).end && f_.columns().stmt(i).op == Op::phi; ++i)
        read(live, f_.arg(f_.columns().stmt(i), f_.edge(e).pred_index));
    });
    bool changes = live != out_[index(b)];
    out_[index(b)] = live;
    std::vector<BlockId> open = handlers_[index(b)];
    std::map<uint32_t, BlockId> goes_to;
    for (uint32_t i = f_.block(b).first; i < f_.block(b).end; ++i) {
      const ir::Stmt& s = f_.columns().stmt(i);
      if (s.op == Op::leave) open.resize(open.size() - f_.operand_count(s));
      if ((f_.traits(static_cast<ir::Ref>(i)) & ir::throws) != 0 && !open.empty()) goes_to[i] = open.back();
    }
    for (uint32_t i = f_.block(b).end; i-- > f_.block(b).first;) {
      const ir::Stmt& s = f_.columns().stmt(i);
      live.erase(value_name(static_cast<ir::Ref>(i)));
      if (s.op == Op::set) live.erase(variable_name(s));
      if (goes_to.contains(i))
        for (const std::string& name : in_[index(goes_to[i])]) kept_for_handlers += live.insert(name).second;
      bool asks = s.op == Op::is_defined &&
                  tracks_.flag_of(static_cast<ir::VarId>(s.arg[0])) != ssa::Tracks::no_track;
      if (s.op == Op::get || asks) live.insert(variable_name(s));
      if (s.op == Op::phi || s.op == Op::phi_c) continue;
      for (uint32_t k = 0; k < f_.operand_count(s); ++k)
        if (ir::info(s.op).kind_of(k) == ir::OperandKind::value) read(live, f_.args(s)[k]);
    }
    if (b == ir::Function::entry())
      for (uint32_t p = 0; p < f_.param_count(); ++p) live.erase(value_name(Operand::param(p)));
    changes |= live != in_[index(b)];
    in_[index(b)] = live;
    return changes;
  }

  void read(Names& live, uint32_t word) const {
    Operand value = Operand::from_word(word);
    if (value.is_param() || value.is_stmt()) live.insert(value_name(value));
  }
  const std::string& value_name(Operand value) const {
    return values_[value.is_param() ? value.number() : f_.param_count() + value.number()];
  }
  std::vector<std::string> name_values() const {
    std::vector<std::string> names(f_.param_count() + f_.size());
    text::StatementPrinter printer(f_);
    for (uint32_t p = 0; p < f_.param_count(); ++p) printer.append_value(names[p], Operand::param(p));
    for (uint32_t i = 0; i < f_.size(); ++i)
      printer.append_value(names[f_.param_count() + i], static_cast<ir::Ref>(i));
    return names;
  }
  std::string variable_name(const ir::Stmt& s) const { return names_[s.arg[0]]; }

  const ir::Function& f_;
  const ssa::Tracks tracks_{f_};
  std::vector<std::string> names_ = variable_names(f_), values_ = name_values();
  std::vector<bool> seen_ = std::vector<bool>(f_.block_count());  ///< reachable
  std::vector<Names> in_, out_;
  std::vector<std::vector<BlockId>> handlers_;
};

TEST(Liveness, HandlersReadWhatIsThereWhenSomethingThrows) {
  uint32_t entries = 0, kept = 0;
  auto compare = [&](const ir::Function& f, const std::string& text) {
    Expected<FlowFacts> facts = FlowFacts::find(f, all_facts);
    ASSERT_TRUE(facts);
    NaiveLiveness naive(f);
    auto names = [&](auto&& things) {
      Names all;
      for (flow::Variable v : things) all.insert(facts->live_things[index(v)].name);
      return all;
    };
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      flow::Node n = static_cast<flow::Node>(b);
      if (!facts->dominators.is_reachable(n)) continue;
      ASSERT_EQ(names(facts->live_in(n)), naive.live_in(b)) << "into block " << b << "\n" << text;
      ASSERT_EQ(names(facts->live_out(n)), naive.live_out(b)) << "out of block " << b << "\n" << text;
      entries += static_cast<uint32_t>(facts->live_in(n).size());
    }
    kept += naive.kept_for_handlers;
  };
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomVariableProgram program(seed);
    std::string text = program.make();
    if (program.node_count() > 60) continue;
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", text));
    ASSERT_TRUE(parsed);
    ir::Function& f = *parsed->module->find_function("f");
    compare(f, text);
    ssa::construct(f);
    compare(f, text);
    if (HasFatalFailure()) return;
  }
  std::printf("%u things live into blocks, %u kept for handlers\n", entries, kept);
  EXPECT_GT(entries, 10'000u);
  EXPECT_GT(kept, 1'000u);
}

}  // namespace
}  // namespace braid::driver
