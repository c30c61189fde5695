#include "layers.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace braid::layers {
namespace fs = std::filesystem;

namespace {

// A public header that the table does not name belongs to the top of the library: only the tools stand above it.
const char* const top_room = "driver";

struct Include {
  int line;
  bool quoted;
  std::string path;
};

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*(["<])([^">]+)[">].*)re");
  std::vector<Include> found;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::smatch match;
    if (std::regex_match(text, match, pattern)) found.push_back({line, match[1] == "\"", match[2]});
  }
  return found;
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

// "ir/stmt.h" -> "ir", "front/php/lexer.h" -> "front/php": the front ends are rooms of their own.
std::string room_of_path(const std::string& path) {
  std::string first = first_folder(path);
  if (first != "front") return first;
  size_t end = path.find('/', 6);
  return path.substr(0, end);
}

class Checker {
 public:
  Checker(const fs::path& root, const Table& table) : root_(root), table_(table) {}

  std::vector<std::string> run() {
    for (const std::string& path : source_files()) check_file(path);
    return std::move(faults_);
  }

 private:
  std::vector<std::string> source_files() const {
    std::vector<std::string> files;
    for (const char* top : {"src", "tools", "include"}) {
      if (!fs::exists(root_ / top)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root_ / top)) {
        fs::path extension = entry.path().extension();
        if (extension == ".h" || extension == ".cpp" || extension == ".def" || extension == ".inc")
          files.push_back(entry.path().lexically_relative(root_).generic_string());
      }
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  int row_of(const std::string& room) const {
    auto found = table_.row_of_room.find(first_folder(room));
    return found == table_.row_of_room.end() ? -1 : found->second;
  }

  std::string owner_of_header(const std::string& name) const {
    auto found = table_.header_room.find(name);
    return found == table_.header_room.end() ? top_room : found->second;
  }

  void check_file(const std::string& path) {
    bool is_public = path.starts_with("include/braid/");
    std::string room;
    if (is_public) {
      room = owner_of_header(path.substr(14));
    } else if (path.starts_with("tools/")) {
      room = "tools";
    } else if (path.starts_with("src/")) {
      room = room_of_path(path.substr(4));
    }
    if (row_of(room) < 0) return fault(path, 1, "room '" + room + "' is not in cmake/rooms.txt");
    for (const Include& include : includes_of(root_ / path)) check_include(path, room, is_public, include);
  }

  void check_include(const std::string& path, const std::string& room, bool is_public, const Include& include) {
    std::string target;
    if (include.path.starts_with("braid/")) {
      target = owner_of_header(include.path.substr(6));
    } else if (!include.quoted) {
      return;  // a system header
    } else if (include.path.find("..") != std::string::npos) {
      return fault(path, include.line, "include of '" + include.path + "' leaves its folder; write \"room/file\"");
    } else if (is_public) {
      return fault(path, include.line, "public header includes '" + include.path + "', which is not installed");
    } else if (include.path.find('/') == std::string::npos) {
      return;  // a file beside this one
    } else {
      target = room_of_path(include.path);
    }
    if (target == room) return;
    int from = row_of(room);
    int to = row_of(target);
    if (to < 0) return fault(path, include.line, "include of '" + include.path + "': no such room");
    if (to < from) return;
    fault(path, include.line,
          "'" + room + "' (row " + std::to_string(from) + ") includes '" + include.path + "' of '" + target +
              "' (row " + std::to_string(to) + ")");
  }

  void fault(const std::string& path, int line, const std::string& message) {
    faults_.push_back(path + ":" + std::to_string(line) + ": error: " + message);
  }

  fs::path root_;
  const Table& table_;
  std::vector<std::string> faults_;
};

}  // namespace

Table read_table(const fs::path& file) {
  Table table;
  std::ifstream in(file);
  std::string text;
  while (std::getline(in, text)) {
    std::istringstream words(text);
    std::string first, word;
    if (!(words >> first) || first.starts_with("#")) continue;
    if (first == "header") {
      std::string header;
      words >> header >> word;
      table.header_room[header] = word;
      continue;
    }
    while (words >> word) table.row_of_room[word] = std::stoi(first);
  }
  return table;
}

std::vector<std::string> check_tree(const fs::path& root, const Table& table) {
  return Checker(root, table).run();
}

}  // namespace braid::layers
