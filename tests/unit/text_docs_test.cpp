// The examples of docs/text.md.
#include "text_testing.h"

namespace braid::text {
namespace {

TEST(Docs, ExamplesAreModules) {
  std::string text = read_all(BRAID_SOURCE_DIR "/docs/text.md");
  const std::string open = "```braid\n", close = "```\n";
  size_t count = 0;
  for (size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    size_t first = at + open.size();
    size_t last = text.find(close, first);
    ASSERT_NE(last, std::string::npos);
    std::unique_ptr<ir::Module> module = parsed(text.substr(first, last - first));
    ASSERT_NE(module, nullptr);
    expect_round_trip(*module);
    at = last;
    ++count;
  }
  EXPECT_GE(count, 7u);
}

}  // namespace
}  // namespace braid::text
