// The includes of this tree go only upwards in the table of rooms; and the check finds a planted include that does not.
#include "layers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace braid::layers {
namespace {
namespace fs = std::filesystem;

Table real_table() { return read_table(fs::path(BRAID_SOURCE_DIR) / "cmake/rooms.txt"); }

// A small tree in a temporary folder, removed at the end.
class PlantedTree : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "braid_layers_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void plant(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::vector<std::string> faults() { return check_tree(root_, real_table()); }

  fs::path root_;
};

TEST(Layers, TableHasTheRowsOfTheDesign) {
  Table table = real_table();
  EXPECT_EQ(table.row_of_room.at("base"), 0);
  EXPECT_EQ(table.row_of_room.at("flow"), table.row_of_room.at("type"));
  EXPECT_LT(table.row_of_room.at("ir"), table.row_of_room.at("ssa"));
  EXPECT_EQ(table.row_of_room.at("tools"), 11);
  EXPECT_EQ(table.header_room.at("expected.h"), "base");
}

TEST(Layers, ThisTreeKeepsTheDirection) {
  for (const std::string& fault : check_tree(BRAID_SOURCE_DIR, real_table())) ADD_FAILURE() << fault;
}

TEST_F(PlantedTree, AcceptsEarlierRowsAndTheOwnRoom) {
  plant("src/base/id.h", "#include <vector>\n");
  plant("src/ir/stmt.h", "#include \"base/id.h\"\n#include <braid/expected.h>\n#include <braid/value.h>\n");
  plant("src/ir/stmt.cpp", "#include \"ir/stmt.h\"\n#include \"ops.def\"\n");
  plant("src/front/php/lexer.cpp", "#include \"front/php/lexer.h\"\n#include \"ir/stmt.h\"\n");
  plant("tools/braid/main.cpp", "#include \"options.h\"\n#include \"driver/session.h\"\n#include <braid/braid.h>\n");
  EXPECT_EQ(faults(), std::vector<std::string>{});
}

TEST_F(PlantedTree, RejectsALaterRow) {
  plant("src/base/id.h", "// why\n  #  include \"ir/stmt.h\"\n");
  ASSERT_EQ(faults().size(), 1u);
  EXPECT_EQ(faults()[0], "src/base/id.h:2: error: 'base' (row 0) includes 'ir/stmt.h' of 'ir' (row 2)");
}

TEST_F(PlantedTree, RejectsTheOwnRow) {
  plant("src/text/parse.cpp", "#include \"ssa/cytron.h\"\n");
  plant("src/front/php/lexer.cpp", "#include \"front/simple/lexer.h\"\n");
  EXPECT_EQ(faults().size(), 2u);
}

TEST_F(PlantedTree, RejectsAPublicHeaderOfALaterRoom) {
  plant("src/type/lattice.cpp", "#include <braid/value.h>\n");
  plant("src/interp/run.cpp", "#include <braid/braid.h>\n");
  EXPECT_EQ(faults().size(), 2u);
}

TEST_F(PlantedTree, RejectsAPublicHeaderThatNeedsAPrivateOne) {
  plant("include/braid/braid.h", "#include <braid/value.h>\n#include \"ir/stmt.h\"\n");
  ASSERT_EQ(faults().size(), 1u);
  EXPECT_EQ(faults()[0], "include/braid/braid.h:2: error: public header includes 'ir/stmt.h', which is not installed");
}

TEST_F(PlantedTree, RejectsDetoursAndUnknownRooms) {
  plant("src/ir/stmt.h", "#include \"../ssa/cytron.h\"\n#include \"attic/old.h\"\n");
  plant("src/attic/old.h", "");
  EXPECT_EQ(faults().size(), 3u);
}

}  // namespace
}  // namespace braid::layers
