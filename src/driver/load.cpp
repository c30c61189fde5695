#include "driver/load.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace braid::driver {
namespace {

Diagnostic cannot(std::string_view what, const std::string& path, int error) {
  Diagnostic diagnostic;
  diagnostic.message = "cannot " + std::string(what) + " '" + path + "': " + std::strerror(error);
  return diagnostic;
}

/// What no parser takes: positions in a text have 32 bits. Some inputs have no end.
constexpr size_t too_many_bytes = 0xffffffffu;

/// False on a read error, with errno set. It ends where the text is too long.
bool read_all(std::FILE* file, std::string& text) {
  char chunk[1 << 16];
  for (;;) {
    size_t count = std::fread(chunk, 1, sizeof chunk, file);
    text.append(chunk, count);
    if (text.size() >= too_many_bytes) {
      errno = EFBIG;
      return false;
    }
    if (count < sizeof chunk) return std::ferror(file) == 0;
  }
}

SourceFile source_of(std::string name, std::string text, ByteOrderMark mark) {
  constexpr std::string_view bytes = "\xEF\xBB\xBF";
  if (mark == ByteOrderMark::dropped && text.starts_with(bytes)) text.erase(0, bytes.size());
  return SourceFile(std::move(name), std::move(text));
}

}  // namespace

Expected<SourceFile> load(const std::string& path, ByteOrderMark mark) {
  std::string text;
  if (path == "-") {
    if (!read_all(stdin, text)) return cannot("read", "<stdin>", errno);
    return source_of("<stdin>", std::move(text), mark);
  }
  // Opening a directory succeeds on some systems; reading it then fails with a message that names no directory.
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return cannot("read", path, EISDIR);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return cannot("read", path, errno);
  bool complete = read_all(file, text);
  int error = errno;
  std::fclose(file);
  if (!complete) return cannot("read", path, error);
  return source_of(path, std::move(text), mark);
}

Expected<void> save(const std::string& path, std::string_view text) {
  bool to_stdout = path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) return cannot("write", path, errno);
  bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  complete = std::fflush(file) == 0 && complete;
  int error = errno;
  if (!to_stdout && std::fclose(file) != 0) complete = false;
  if (!complete) return cannot("write", to_stdout ? "<stdout>" : path, error);
  return {};
}

}  // namespace braid::driver
