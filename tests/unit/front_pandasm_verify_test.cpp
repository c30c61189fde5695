// The verifier of pandasm: what it accepts, what it rejects and says, and that it does not depend on the number of
// registers.
#include "front/pandasm/verify.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "front/pandasm/listing.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/translation.h"

namespace braid::pandasm {
namespace {

/// The first line of the errors; empty if there are none.
std::string fault_of(const std::string& text) {
  SourceFile source("t.pa", text);
  Expected<Program> program = parse(source);
  if (!program) return render(program.error());
  Expected<Links> links = link(source, *program);
  if (!links) return render(links.error());
  Expected<std::vector<FunctionTypes>> types = verify(source, *program, *links);
  if (types) return {};
  const std::string all = render(types.error());
  return all.substr(0, all.find('\n'));
}

/// Around instructions: records, functions and fields of all kinds.
std::string with(const std::string& code, const std::string& result = "void") {
  return ".record A {\n  i32 x\n  f64 d\n  A next\n  i64 s <static>\n}\n.record B <extends=A> {}\n.record C {}\n"
         ".function void A.ctor(A a0, i32 a1) <ctor> {\n  return.void\n}\n"
         ".function A take(A a0, i32 a1, f64 a2) {\n  lda.obj a0\n  return.obj\n}\n"
         ".function " + result + " f(i32 a0, f64 a1, A a2, i32[] a3, B a4, C a5, A[] a6) {\n" + code + "\n}\n";
}

TEST(PandasmVerify, Accepts) {
  const std::string programs[] = {
      with("  lda a0\n  addi 1\n  sta v0\n  mov v1, v0\n  return.void"),
      with("  lda.64 a1\n  fadd2.64 a1\n  return.64", "f64"),
      with("  ldobj a2, A.x\n  stobj a2, A.x\n  ldobj.64 a2, A.d\n  ldobj.v.obj v0, a4, A.next\n  ldobj v0, A.x\n  return", "i32"),
      with("  ldstatic.64 A.s\n  ststatic.64 A.s\n  return.void"),
      with("  ldai 0\n  ldarr a3\n  starr a3, a0\n  lda.null\n  starr.obj a6, a0\n  return.void"),
      with("  call take, a4, a0, a1\n  return.obj", "A"),
      with("  lda.obj a2\n  sta.obj v0\n  mov v1, a0\n  mov.64 v2, a1\n  call.range take, v0\n  return.void"),
      with("  lda a0\n  call.acc take, a2, a1, 1\n  return.void"),
      with("  initobj A.ctor, a0\n  return.obj", "A"),
      with("  newobj v0, B\n  lda.obj v0\n  jeqz.obj end\n  checkcast B\nend:\n  return.obj", "A"),
      // The same register holds one thing, then another.
      with("  movi v0, 1\n  mov.null v0\n  fmovi v0, 1.0\n  lda v0\n  return", "f32"),
      // What paths have in common is what both are.
      with("  lda a0\n  jeqz other\n  mov.obj v0, a4\n  jmp end\nother:\n  mov.null v0\nend:\n  lda.obj v0\n  return.obj", "B"),
      with("  lda a0\n  jeqz other\n  mov.obj v0, a4\n  jmp end\nother:\n  mov.obj v0, a2\nend:\n  lda.obj v0\n  return.obj", "A"),
      // A register that holds different things where nobody reads it.
      with("  lda a0\n  jeqz other\n  movi v0, 1\n  jmp end\nother:\n  mov.null v0\nend:\n  return.void"),
      // A handler sees what was there before the instruction that throws, and the exception.
      with("begin:\n  movi v0, 1\n  div a0, a0\n  fmovi v0, 1.0\nend:\n  lda.null\n  return.obj\nhandler:\n  sta.obj v1\n  lda v0\n"
           "  addi 1\n  lda.obj v1\n  return.obj\n.catch panda.Error, begin, end, handler",
           "panda.Error"),
  };
  for (const std::string& program : programs) {
    EXPECT_EQ(fault_of(program), "") << program;
  }
}

struct Bad {
  const char* code;
  const char* error;
};

TEST(PandasmVerify, Rejects) {
  const Bad programs[] = {
      {"  lda v0\n  return.void", "v0 is not assigned on all paths to here"},
      {"  return", "the accumulator is not assigned on all paths to here"},
      {"  lda a0\n  jeqz end\n  movi v0, 1\nend:\n  lda v0\n  return.void", "v0 is not assigned on all paths to here"},
      {"  lda a1\n  return.void", "a1 holds f64, and i32 or f32 is needed"},
      {"  lda.obj a0\n  return.void", "a0 holds i32, and a reference is needed"},
      {"  lda a0\n  jeqz other\n  movi v0, 1\n  jmp end\nother:\n  mov.null v0\nend:\n  lda v0\n  return.void",
       "v0 holds different things, and i32 or f32 is needed"},
      {"  fldai 1.0\n  add2 a0\n  return.void", "the accumulator holds f32, and i32 is needed"},
      {"  ldai 1\n  return", "the function returns nothing"},
      {"", "the function has no instructions"},
      {"  return.void\n  nop", "the function does not end here"},
      {"  ldai 1", "the function does not end here"},
      {"  lda a0\n  jeqz end\nend:\n  nop", "the function does not end here"},
      {"  call take, a5, a0, a1\n  return.void", "a5 holds C, and argument 0 is A"},
      {"  call take, a2, a0\n  return.void", "the function takes 3 arguments, and gets 2"},
      {"  call.range take, a4\n  return.void", "a5 holds C, and argument 1 is i32"},
      {"  call.range take, a6\n  return.void", "the row of arguments runs out of the frame"},
      {"  call f, a0\n  sta v0\n  return.void", "the function takes 7 arguments, and gets 1"},
      {"  initobj f, a0\n  return.void", "this function is no constructor"},
      {"  call.virt f, a0\n  return.void", "a virtual call needs an object, and this function takes none"},
      {"  ldobj a5, A.x\n  return.void", "a5 holds C, which has no field 'A.x'"},
      {"  ldobj.obj a2, A.x\n  return.void", "the field 'A.x' is i32, which this instruction is not for"},
      {"  ldobj.64 a2, A.s\n  return.void", "the field 'A.s' is static"},
      {"  ldstatic A.x\n  return.void", "the field 'A.x' is not static"},
      {"  lda.obj a5\n  stobj.obj a2, A.next\n  return.void", "the accumulator holds C, and the field 'A.next' is A"},
      {"  stobj.v.obj a5, a2, A.next\n  return.void", "a5 holds C, and the field 'A.next' is A"},
      {"  ldai 0\n  ldarr.8 a3\n  return.void", "the elements of a3 are i32 in 32 bits, which this instruction is not for"},
      {"  ldai 0\n  ldarr a2\n  return.void", "a2 holds A, and an array is needed"},
      {"  lenarr a2\n  return.void", "a2 holds A, and an array is needed"},
      {"  newarr v0, a0, A\n  return.void", "newarr makes an array, and this type is none"},
      {"  newobj v0, i32\n  return.void", "newobj makes an object, and this type is not that of a record"},
      {"  lda.obj a2\n  checkcast i32\n  return.void", "this is not the type of a reference"},
      {"  throw a0", "a0 holds i32, and a reference is needed"},
      {"begin:\n  div a0, a0\n  movi v0, 1\nend:\n  return.void\nhandler:\n  lda v0\n  return.void\n.catchall begin, end, handler",
       "v0 is not assigned on all paths to here"},
      {"begin:\n  return.void\nend:\n.catchall end, begin, begin", "the range ends before it begins"},
  };
  for (const Bad& bad : programs) {
    const std::string fault = fault_of(with(bad.code));
    const size_t at = fault.find(": error: ");
    EXPECT_EQ(at == std::string::npos ? fault : fault.substr(at + 9), bad.error) << bad.code;
  }
}

TEST(PandasmVerify, RejectsResultsAndAny) {
  EXPECT_NE(fault_of(with("  lda.null\n  return.obj", "i32")).find("the accumulator holds null, and the function returns i32"), std::string::npos);
  EXPECT_NE(fault_of(with("  lda.obj a5\n  return.obj", "A")).find("the accumulator holds C, and the function returns A"), std::string::npos);
  EXPECT_NE(fault_of(".function void f(any a0) {\n  return.void\n}\n").find("values of type any are not supported"), std::string::npos);
}

TEST(PandasmVerify, Listing) {
  SourceFile source("t.pa", with("  lda a0\n  jeqz end\n  mov.obj a2, a4\nend:\n  lda.obj a2\n  return.obj", "A"));
  Expected<Program> program = parse(source);
  ASSERT_TRUE(program.has_value());
  Expected<Links> links = link(source, *program);
  ASSERT_TRUE(links.has_value());
  Expected<std::vector<FunctionTypes>> types = verify(source, *program, *links);
  ASSERT_TRUE(types.has_value());
  const std::string list = listing(*program, *links, *types);
  EXPECT_NE(list.find("block 0 -> 2 1:  # a0: i32, a2: A, a4: B\n"), std::string::npos) << list;
  EXPECT_NE(list.find("block 2:  # a2: A\n"), std::string::npos) << list;
}

/// A loop in a frame of so many registers, of which some are live; what states hold, as listed and as built.
std::pair<uint64_t, uint64_t> states_of(uint32_t live, uint32_t dead, uint32_t loops) {
  std::string text = ".function i32 f(i32 a0) {\n";
  for (uint32_t i = 0; i < live + dead; ++i) text += "  movi v" + std::to_string(i) + ", 1\n";
  for (uint32_t k = 0; k < loops; ++k) {
    const std::string label = "l" + std::to_string(k);
    text += label + ":\n  inci a0, -1\n  lda a0\n  jgtz " + label + "\n";
  }
  text += "  ldai 0\n";
  for (uint32_t i = 0; i < live; ++i) text += "  add2 v" + std::to_string(i) + "\n";
  SourceFile source("t.pa", text + "  return\n}\n");
  Expected<Program> program = parse(source);
  const Expected<Links> links = link(source, *program);
  const Expected<std::vector<FunctionTypes>> types = verify(source, *program, *links);
  const Translation translation(source, *program, *links, *types);
  const bytecode::BuildReport& report = translation.report();
  const std::string listed = std::to_string(report.states) + (report.states == 1 ? " state of " : " states of ") +
                             std::to_string(report.state_registers) + (report.state_registers == 1 ? " register\n" : " registers\n");
  EXPECT_NE(listing(*program, *links, *types).find(listed), std::string::npos) << listed;
  return {report.states, report.state_registers};
}

TEST(PandasmVerify, StatesGrowWithWhatIsLive) {
  using Size = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(states_of(0, 0, 0), Size(1, 0));
  for (uint32_t dead : {0u, 10u, 5000u}) {
    EXPECT_EQ(states_of(0, dead, 1), Size(2, 2)) << "the parameter, twice";
    EXPECT_EQ(states_of(7, dead, 1), Size(2, 9));
    EXPECT_EQ(states_of(7, dead, 20), Size(21, 1 + 20 * 8));
  }
  EXPECT_EQ(states_of(1000, 0, 20), Size(21, 1 + 20 * 1001));
}

/// Blocks with a few live registers each, of a frame with 60,000 of them.
TEST(PandasmVerify, ManyRegisters) {
  std::string text = ".function i32 f(i32 a0) {\n  movi v60000, 1\n";
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    text += "  lda a0\n  jeqz l" + n + "\n  movi v" + n + ", 2\n  lda v" + n + "\n  sta a0\nl" + n + ":\n";
  }
  text += "  lda v60000\n  return\n}\n";
  EXPECT_EQ(fault_of(text), "");
}

/// A frame is as large as what is used, and there may be more of it than fits into 16 bits.
TEST(PandasmVerify, RegistersWithoutLimit) {
  const std::string high = ".function i32 f(i32 a0, i32 a1) {\n  movi v1000000000, 1\n  movi v70001, 2\n  call.range f, v1000000000\n  lda v70001\n";
  EXPECT_EQ(fault_of(high + "  return\n}\n"), "");
  EXPECT_EQ(fault_of(high + "  lda v70002\n  return\n}\n"), "t.pa:6:3: error: v70002 is not assigned on all paths to here");
  EXPECT_EQ(fault_of(high + "  lda.64 v1000000000\n  return\n}\n"), "t.pa:6:3: error: v1000000000 holds i32, and i64 or f64 is needed");
  std::string many = ".function i32 f() {\n";
  for (int i = 0; i < 100'000; ++i) many += "  movi v" + std::to_string(i) + ", 1\n";
  EXPECT_EQ(fault_of(many + "  lda v99999\n  return\n}\n"), "");
}

}  // namespace
}  // namespace braid::pandasm
