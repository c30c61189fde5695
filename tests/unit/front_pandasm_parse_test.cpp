// Reading and printing pandasm: what is printed reads back the same, every operand form of every instruction, and
// bad programs.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "front/pandasm/link.h"
#include "front/pandasm/listing.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/verify.h"

namespace braid::pandasm {
namespace {

std::string errors_of(const std::string& text) {
  SourceFile source("t.pa", text);
  Expected<Program> program = parse(source);
  if (!program) return render(program.error());
  Expected<Links> links = link(source, *program);
  return links ? "" : render(links.error());
}

std::string reprinted(const std::string& text) {
  SourceFile source("t.pa", text);
  Expected<Program> program = parse(source);
  return program ? print(*program) : render(program.error());
}

TEST(PandasmParse, EveryInstructionReadsBack) {
  std::string text = ".record R {\n  i32 f\n}\n\n.array A i32 2 { 1 -2 }\n\n.function void g(i32 a0, R a1) {\n";
  for (uint32_t i = 0; i < opcode_count; ++i) {
    const OpcodeInfo& about = info(static_cast<Opcode>(i));
    text += std::string("  ") + std::string(about.text);
    bool first = true;
    for (uint32_t k = 0; k < about.operand_count(); ++k) {
      text += first ? " " : ", ";
      first = false;
      switch (about.what(k)) {
        case 'D': text += "v" + std::to_string(k); break;
        case 'S': case 'X': case 'R': text += "a" + std::to_string(k % 2); break;
        case 'V': text += "v3, a0"; break;
        case 'K': text += "1"; break;
        case 'I': text += about.holds(k) == 'n' ? "-8" : about.holds(k) == 'b' ? "-128" : "-2147483648"; break;
        case 'F': text += "1.5"; break;
        case 'L': text += "start"; break;
        case 'T': text += "R[]"; break;
        case 'M': text += "g:(i32,R)"; break;
        case 'P': text += "R.f"; break;
        case 'G': text += "\"a\\\"b\\n\""; break;
        case 'A': text += "A"; break;
      }
    }
    text += '\n';
  }
  // Labels print at their place, and one is used.
  text.replace(text.find("  nop"), 0, "start:\n");
  text += "}\n\n";
  EXPECT_EQ(reprinted(text), text);
  EXPECT_EQ(errors_of(text), "");
}

TEST(PandasmParse, NumbersAndTexts) {
  const std::string text =
      ".function void f() {\n"
      "  ldai 0x10\n  ldai 010\n  ldai 0b101\n  ldai -0x1\n  ldai 4294967295\n  ldai.64 0xffffffffffffffff\n"
      "  subi 0xC8\n  inci v0, 15\n  fldai.64 0x3ff8000000000000\n  fldai 0x7fc00000\n  fldai.64 -0x10\n  fldai 2\n"
      "  lda.str \"\\x41\\102\\t\\v\\\\\"\n}\n\n";
  EXPECT_EQ(reprinted(text),
            ".function void f() {\n"
            "  ldai 16\n  ldai 8\n  ldai 5\n  ldai -1\n  ldai -1\n  ldai.64 -1\n"
            "  subi -56\n  inci v0, -1\n  fldai.64 1.5\n  fldai 0x7fc00000\n  fldai.64 -16.0\n  fldai 2.0\n"
            "  lda.str \"AB\\t\\v\\\\\"\n}\n\n");
}

TEST(PandasmParse, RecordsAttributesArraysAndHandlers) {
  const std::string text =
      ".language PandaAssembly\n"
      ".record panda.String <external>\n\n"
      ".record a.B <extends=panda.Object, final> {\n  i32[][] x <static>\n  panda.String s\n}\n\n"
      ".array names panda.String 2 { \"a\" \"b\" }\n\n"
      ".array mixed {\n  i32 1\n  f64 0.5\n}\n\n"
      ".function a.B a.B.make(i32[] a0) <static>\n\n"
      ".function void v1() {\n"
      "v1:\n"
      "  jmp v1\n"
      "end:\n"
      "  return.void\n"
      ".catch panda.Error, v1, end, end\n"
      ".catchall v1, end, end, v1\n"
      "}\n\n";
  EXPECT_EQ(reprinted(text), text);
}

struct Bad {
  const char* text;
  const char* error;
};

TEST(PandasmParse, BadPrograms) {
  const Bad programs[] = {
      {".functoin void f() {}", "t.pa:1:1: error: expected .record, .function or .array, found '.functoin', did you mean '.function'?"},
      {".function void f() {\n  mvo v0, v1\n}", "t.pa:2:3: error: no instruction is called 'mvo', did you mean 'mov'?"},
      {".function void f() {\n  mov v0\n}", "t.pa:2:9: error: expected ','"},
      {".function void f() {\n  mov v0, 1\n}", "t.pa:2:11: error: expected a register, found '1'"},
      {".function void f() {\n  lda v1073741824\n}", "t.pa:2:7: error: the last register is v1073741823"},
      {".function void f() {\n  lda v99999999999999999999999\n}", "t.pa:2:7: error: the last register is v1073741823"},
      {".function void f(i32 a0) {\n  lda a1\n}", "t.pa:2:7: error: the function has 1 parameters"},
      {".function void f(i32 a1) {}", "t.pa:1:22: error: expected 'a0', the parameter's name, found 'a1'"},
      {".function void f(void a0) {}", "t.pa:1:18: error: a parameter cannot be void"},
      {".function void f() {\n  addi 256\n}", "t.pa:2:8: error: 256 does not fit into 8 bits"},
      {".function void f() {\n  ldai 08\n}", "t.pa:2:8: error: '08' is not a number"},
      {".function void f() {\n  jmp x\n}", "t.pa:2:7: error: the function has no label 'x'"},
      {".function void f() {\n  jmp x\nx:\n}", "t.pa:2:7: error: no instruction stands behind the label 'x'"},
      {".function void f() {\nx:\nx:\n  nop\n}", "t.pa:3:1: error: the label 'x' is there already"},
      {".function void f() {\n  lda.str \"a\n}", "t.pa:2:11: error: the text is not closed in this line"},
      {".function void f() {\n  lda.str \"a\\q\"\n}", "t.pa:2:13: error: this escape means nothing"},
      {".function void f() {\n  nop nop\n}", "t.pa:2:7: error: expected the end of the line, found 'nop'"},
      {".function void f() {\n  nop\n", "t.pa:3:1: error: expected '}' at the end of the function"},
      {".function void f() {\n  call g\n}", "t.pa:2:3: error: no function is called 'g'"},
      {".function void f() {\n  call.acc f, 1\n}", "t.pa:2:15: error: the accumulator cannot be argument 1 of 1"},
      {".function void f() {\n  call f, v0, v1, v2, v3, v4\n}", "t.pa:2:27: error: a call has at most 4 registers; use the form with .range"},
      {".function void f(i32 a0) {}\n.function void f(i64 a0) {}\n.function void g() {\n  call f, v0\n}",
       "t.pa:4:3: error: several functions are called 'f'; say which with its parameters"},
      {".function void f(i32 a0) {}\n.function void g() {\n  call f:(i64), v0\n}", "t.pa:3:3: error: no function 'f' has these parameters"},
      {".function void f(i32 a0) {}\n.function void f(i32 a0) {}", "t.pa:2:16: error: the function 'f' with these parameters is there already"},
      {".function X f() {}", "t.pa:1:13: error: no record is called 'X'"},
      {".record R {}\n.record R {}", "t.pa:2:9: error: the record 'R' is there already"},
      {".record R <extends=S> {}\n.record S <extends=R> {}", "t.pa:1:9: error: the record 'R' extends itself"},
      {".record R {\n  i32 x\n  i64 x\n}", "t.pa:3:3: error: the field 'R.x' is there already"},
      {".record R {\n  void x\n}", "t.pa:2:3: error: a field cannot be void"},
      {".record R <final, final> {}", "t.pa:1:19: error: the attribute 'final' is given twice"},
      {".record R {}\n.function void f() {\n  ldstatic R.x\n}", "t.pa:3:3: error: the record 'R' has no field 'x'"},
      {".function void f() {\n  ldstatic Q.x\n}", "t.pa:2:3: error: no record has a field 'Q.x'"},
      {".function void f() {\n  lda.const v0, A\n}", "t.pa:2:3: error: no array is called 'A'"},
      {".array A i32 3 { 1 2 }", "t.pa:1:8: error: the array says it has 3 elements, and has 2"},
      {".array A i32 1 { x }", "t.pa:1:18: error: 'x' is not a number"},
      {".array A i8 3 { -128 255 300 }", "t.pa:1:26: error: 300 does not fit into 8 bits"},
      {".array A {\n  u16 65536\n  i32 1\n}", "t.pa:2:7: error: 65536 does not fit into 16 bits"},
      {".array A i32 2 { 1 2\n.record R {}", "t.pa:2:1: error: expected '}' at the end of the array, found '.record'"},
      {".record R {}\n.language L", "t.pa:2:1: error: .language stands before everything else"},
      {".record R <finla> {}", "t.pa:1:12: error: there is no attribute 'finla' here, did you mean 'final'?"},
      {".record R <static> {}", "t.pa:1:12: error: there is no attribute 'static' here"},
      {".record R {\n  i32 x <ctor>\n}", "t.pa:2:10: error: there is no attribute 'ctor' here"},
      {".record R <extends> {}", "t.pa:1:12: error: the attribute 'extends' needs a value"},
      {".record R <final=1> {}", "t.pa:1:12: error: the attribute 'final' has no value"},
      {".record R <extends=> {}", "t.pa:1:20: error: expected a value, found '>'"},
      {".record R {\n  i32 x\n", "t.pa:3:1: error: expected '}'"},
      {".record R {\n  void[] x\n}", "t.pa:2:10: error: an array of void"},
      {".function void f() <external> {\n  return.void\n}", "t.pa:1:31: error: a function that is external has no body"},
      {".function void f() <native> {\n  return.void\n}", "t.pa:1:29: error: a function that is native has no body"},
      {".function void f() <noimpl> {\n  return.void\n}", "t.pa:1:29: error: a function that is noimpl has no body"},
      {".function void 3x() {}", "t.pa:1:16: error: '3x' is not a name"},
      {".function void f() {\n3x:\n  nop\n}", "t.pa:2:1: error: '3x' is not a name"},
      {".function ( f() {}", "t.pa:1:11: error: expected a type, found '('"},
      {".function void f() {\n  , v0\n}", "t.pa:2:3: error: expected an instruction, found ','"},
      {".function void f() {\n  jmp ,\n}", "t.pa:2:7: error: expected a label, found ','"},
      {".function void f() {\n  lda.str x\n}", "t.pa:2:11: error: expected a text, found 'x'"},
      {".function void f() {\n  movi v0, \"x\"\n}", "t.pa:2:12: error: expected a number, found 'x'"},
      {".array A i32 { 1 }", "t.pa:1:14: error: expected the number of elements, found '{'"},
      {".array A i32 1 1", "t.pa:1:16: error: expected '{', found '1'"},
      {".array A i32 1 { , }", "t.pa:1:18: error: expected a literal, found ','"},
  };
  for (const Bad& bad : programs) {
    const std::string errors = errors_of(bad.text);
    EXPECT_EQ(errors.substr(0, errors.find('\n')), bad.error) << bad.text;
  }
  std::string deep = ".record R {\n  i32";
  for (int i = 0; i < 256; ++i) deep += "[]";
  EXPECT_NE(errors_of(deep + " x\n}\n").find("an array has at most 255 dimensions"), std::string::npos);
  const std::string several = errors_of(".function void f() {\n  bad1\n  lda v0\n  jmp nowhere\n}\n.function i32 g( {\n}\n");
  EXPECT_NE(several.find("t.pa:2:3:"), std::string::npos) << several;
  EXPECT_NE(several.find("t.pa:4:7:"), std::string::npos) << several;
  EXPECT_NE(several.find("t.pa:6:"), std::string::npos) << several;
}

TEST(PandasmParse, FieldsOfWhatARecordExtends) {
  EXPECT_EQ(errors_of(".record A {\n  i32 x\n}\n.record B <extends=A> {}\n.function void f() {\n  mov.null v0\n  ldobj v0, B.x\n}"),
            "");
}

/// Whatever stands there, there is an answer, and what is read is listed.
TEST(PandasmParse, Garbage) {
  const std::string good =
      ".record R <extends=panda.Error> {\n  i32 f <static>\n}\n.array A { i32 1\n f64 2.5\n}\n"
      ".function i32 m(i32 a0, R[] a1) <static> {\nx: lda a0\n  sta v0\n  jeqz y\n  mov.obj v1, a1\n  call.range m:(i32,R[]), v0\n  sta v2\n  jmp x\n"
      "y: lda.str \"t\\n\"\n  ldai 3\n  return\n.catch R, x, y, y\n.catchall x, y, y, y\n}\n";
  const std::string pieces[] = {"{", "}", "(", ")", "<", ">", "=", "[", "]", ",", ":", "\n", "\"", "#", ".function ", "v9", " jmp ", "-"};
  std::mt19937 random(5);
  uint32_t accepted = 0, verified = 0;
  for (int round = 0; round < 10000; ++round) {
    std::string text = good;
    for (uint32_t n = 1 + random() % 3; n != 0; --n) {
      const size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 12);
      else if (random() % 2 == 0)
        text.insert(at, pieces[random() % std::size(pieces)]);
      else
        text[at] = static_cast<char>(random() % 256);
      if (text.empty()) text = "x";
    }
    SourceFile source("t.pa", text);
    Expected<Program> program = parse(source);
    if (!program) continue;
    Expected<Links> links = link(source, *program);
    if (!links) continue;
    ++accepted;
    if (Expected<std::vector<FunctionTypes>> types = verify(source, *program, *links)) {
      const std::string list = listing(*program, *links, *types);
      ASSERT_TRUE(!list.empty() || program->functions.empty() || !program->functions[0].has_body);
      ++verified;
    }
    SourceFile again("again.pa", print(*program));
    Expected<Program> reread = parse(again);
    ASSERT_TRUE(reread.has_value()) << render(reread.error()) << text;
    ASSERT_EQ(print(*reread), again.text()) << text;
  }
  std::printf("%u of 10000 programs read, %u verified\n", accepted, verified);
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(verified, 50u);
}

}  // namespace
}  // namespace braid::pandasm
