// The report on phis: it grows with the program, and is made only if it is wanted.
#include "driver/types.h"

#include <gtest/gtest.h>

#include <memory>

#include "driver/display_names.h"
#include "numbered.h"

namespace braid::driver {
namespace {

/// Two phis of `count` ways and one, behind as many phis of one way.
std::string ways_that_meet(size_t count) {
  const std::string way = "k#:\n  %v# = phi i64 [k~: %w~]\n  %w# = add i64 %v#, 1\n  %c# = eq i64 %w#, #\n  branch %c#, k^, j\n";
  return "func @f(x: i64) -> i64 {\nentry:\n  %w0 = sub i64 %x, %x\n  jump k0\n"
         "k0:\n  %c0 = eq i64 %w0, 0\n  branch %c0, k1, j\n" +
         numbered(way, 1, count) + numbered("k#:\n  jump j\nj:\n", count) +
         "  %p = phi i64 [" + numbered("k#: %w#, ", 0, count) + numbered("k#: %x]\n", count) +
         "  %q = phi i64 [" + numbered("k#: #, ", 0, count) + numbered("k#: 7]\n", count) +
         "  %r = add i64 %p, %q\n  ret %r\n}\n";
}

std::string report_on(const std::string& text, bool has_report) {
  Expected<Session> session = Session::open_valid(SourceFile("t.braid", text));
  EXPECT_TRUE(session) << (session ? "" : render(session.error()));
  Expected<std::string> report = resolve_types(*session, nullptr, {.has_report = has_report});
  EXPECT_TRUE(report) << (report ? "" : render(report.error()));
  return report ? *report : std::string();
}

TEST(TypesReport, GrowsWithTheProgram) {
  const std::string small = report_on(ways_that_meet(200), true), large = report_on(ways_that_meet(800), true);
  EXPECT_LT(large.size(), 5 * small.size());
  EXPECT_NE(large.find("k15: i64 and 785 more | i64"), std::string::npos) << large.substr(0, 2000);
}

TEST(TypesReport, IsMadeIfItIsWanted) {
  EXPECT_EQ(report_on(ways_that_meet(3), false), "");
  EXPECT_NE(report_on(ways_that_meet(3), true).find("k0: i64, k1: i64, k2: i64, k3: i64"), std::string::npos);
}

TEST(TableText, ColumnsAreNotAsWideAsVeryWideCells) {
  const std::string wide(1000, 'x');
  const std::string text = table_text({{"a", "b"}, {wide, "1"}, {"four", "2"}});
  EXPECT_EQ(text, "a    | b\n-----+--\n" + wide + " | 1\nfour | 2\n");
}

}  // namespace
}  // namespace braid::driver
