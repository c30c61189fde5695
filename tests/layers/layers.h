// The direction of the rooms: reads the table in cmake/rooms.txt and every include of a source tree, and reports each
// include that does not go to an earlier row. Linear in the size of the sources.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace braid::layers {

struct Table {
  std::map<std::string, int> row_of_room;          // "front" stands for every front/<name>
  std::map<std::string, std::string> header_room;  // public header -> the room that implements it
};

Table read_table(const std::filesystem::path& file);

/// All faults of the tree at `root` (its src/, tools/ and include/braid/), as "path:line: error: ...", in path order.
std::vector<std::string> check_tree(const std::filesystem::path& root, const Table& table);

}  // namespace braid::layers
