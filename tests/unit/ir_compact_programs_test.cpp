// Compaction of the sample programs: at every step of a walk the finished part is a function that verifies, and its
// statements are the emitted ones; the result verifies and is at rest, so that compacting it again changes nothing.
#include "ir/compact.h"

#include "function_fixture.h"

namespace braid::ir {
namespace {

struct Program {
  std::string path;
  std::unique_ptr<Module> module;
};

/// The programs of two folders that can be read and that verify.
std::vector<Program> programs() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"opt", "run"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(BRAID_SOURCE_DIR "/tests/files/") + folder))
      if (entry.path().extension() == ".braid") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Program> list;
  for (const std::filesystem::path& file : files) {
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile(file.string(), text::read_all(file)));
    if (parsed && verify(*parsed->module).empty()) list.push_back({file.string(), std::move(parsed->module)});
  }
  return list;
}

template <typename F>
void for_each_function(const std::vector<Program>& list, F&& visit) {
  for (const Program& program : list)
    for (uint32_t i = 0; i < program.module->function_count(); ++i)
      if (Function& f = program.module->function(static_cast<FuncId>(i)); !f.is_external()) {
        SCOPED_TRACE(program.path + " @" + std::string(f.name_text()));
        visit(f);
      }
}

/// The finished part says what the walk says of each statement; operands that are ahead are `undef` there, block operands
/// and phi columns are renumbered.
void expect_emitted(const Compact& walk, const Function& part) {
  ASSERT_GE(part.size(), walk.size());
  for (uint32_t i = 0; i < walk.size(); ++i) {
    Ref r = static_cast<Ref>(i);
    const Stmt &emitted = walk.stmt(r), &shown = part.stmt(r);
    if (emitted.op == Op::upsilon && shown.op == Op::nothing) continue;  // its phi_c is ahead
    ASSERT_EQ(shown.op, emitted.op) << i;
    EXPECT_EQ(part.type(r), walk.type(r)) << i;
    EXPECT_EQ(part.loc(r), walk.loc(r)) << i;
    EXPECT_EQ(shown.flags & ~unfinished, emitted.flags) << i;
    if (emitted.op == Op::phi || emitted.op == Op::phi_c) continue;
    ASSERT_EQ(part.operand_count(shown), walk.args(emitted).size()) << i;
    for (uint32_t k = 0; k < walk.args(emitted).size(); ++k) {
      if (info(emitted.op).kind_of(k) == OperandKind::block) continue;
      uint32_t word = walk.args(emitted)[k];
      if (Operand operand = Operand::from_word(word); info(emitted.op).is_value(k) && operand.is_old()) {
        operand = walk.renamed(operand.old_ref());
        word = (operand.is_old() ? Operand::undef() : operand).word();
      }
      EXPECT_EQ(part.arg(shown, k), word) << i << " operand " << k;
    }
  }
}

TEST(CompactPrograms, TheFinishedPartVerifiesAtEveryStep) {
  std::vector<Program> list = programs();
  ASSERT_GE(list.size(), 40u);
  uint32_t steps = 0;
  for_each_function(list, [&](Function& f) {
    Compact walk(f);
    for (Ref r : walk) {
      Function part = walk.finished_part();
      EXPECT_EQ(rules_and_messages(verify(part)), "") << "after %" << index(r) << "\n" << text::to_text(part);
      expect_emitted(walk, part);
      ++steps;
    }
    EXPECT_EQ(rules_and_messages(verify(walk.finished_part())), "") << "after all";
    walk.finish();
    EXPECT_EQ(rules_and_messages(verify(f)), "");
  });
  EXPECT_GE(steps, 300u);
}

TEST(CompactPrograms, CompactingAgainChangesNothing) {
  std::vector<Program> list = programs();
  for (bool fold : {false, true}) {
    for_each_function(list, [&](Function& f) {
      compact(f, {.fold_branches = fold});
      EXPECT_EQ(f.pending_count(), 0u);
      // A folded branch may leave a phi that lost its column late: that is the next compaction's.
      if (fold) compact(f);
      EXPECT_TRUE(f.is_at_rest());
      std::string once = text::to_text(f);
      if (!fold) {
        EXPECT_EQ(rules_and_messages(verify(f)), "") << once;
      }
      Function before = f;
      compact(f);
      EXPECT_EQ(text::to_text(f), once);
      std::string difference;
      EXPECT_TRUE(text::ir_equal(before, f, &difference)) << difference;
      EXPECT_EQ(before.size(), f.size());
    });
  }
}

}  // namespace
}  // namespace braid::ir
