// braid reduce: asks a shell command about candidates, in a file that it makes and removes.
#include <cstdio>
#include <cstdlib>
#ifndef __wasi__
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "commands.h"
#include "console.h"
#include "driver/load.h"
#include "driver/reduce.h"
#include "driver/simple_program.h"

namespace braid::tool {
namespace {

#ifndef __wasi__

/// One word for a shell.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A file for candidates, removed at the end. Its name ends as that of a program in the same language.
class CandidateFile {
 public:
  explicit CandidateFile(std::string_view ending) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr && *folder != 0 ? folder : "/tmp") + "/braid-reduce-XXXXXX" + std::string(ending);
    int file = ::mkstemps(path_.data(), static_cast<int>(ending.size()));
    exists_ = file >= 0;
    if (exists_) ::close(file);
  }
  ~CandidateFile() {
    if (exists_) ::unlink(path_.c_str());
  }
  CandidateFile(const CandidateFile&) = delete;
  CandidateFile& operator=(const CandidateFile&) = delete;

  bool exists() const { return exists_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool exists_ = false;
};

constexpr int command_not_found = 127, command_not_executable = 126;

int run_check(const std::string& command) {
  int status = std::system(command.c_str());
  if (status == -1) return command_not_executable;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif

}  // namespace

int reduce_command(const Arguments& arguments) {
  if (arguments.words.size() != 1) return usage_error(Command::reduce, "expected one file");
  std::string command = arguments.value(Option::check).value_or("");
  if (command.empty()) return usage_error(Command::reduce, "'--check' is missing");
#ifdef __wasi__
  report_error("there are no commands to run on this system");
  return exit_bad_input;
#else
  Expected<SourceFile> source = load_source(arguments, arguments.words[0]);
  if (!source) return bad_input(source.error());
  driver::ReduceOptions options;
  if (driver::is_simple_file(arguments.words[0]) || arguments.has(Option::language)) options.language = language_of(arguments);
  CandidateFile file(options.language ? ".smp" : ".braid");
  if (!file.exists()) {
    report_error("cannot make the file '" + file.path() + "'");
    return exit_bad_input;
  }
  std::string line = command + " " + quoted(file.path()) + " >/dev/null 2>&1 </dev/null";
  int last_code = 0;
  auto check = [&](const std::string& text) {
    if (!driver::save(file.path(), text)) return false;
    last_code = run_check(line);
    return last_code == 0;
  };
  if (arguments.has(Option::max_checks)) options.max_checks = number(arguments, Option::max_checks);
  Expected<driver::ReduceResult> result = driver::reduce(*source, check, options);
  if (!result) {
    int code = bad_input(result.error());
    if (last_code == command_not_found || last_code == command_not_executable)
      report_error("cannot run '" + command + "'");
    return code;
  }
  std::fprintf(stderr, "%llu of %llu %.*s left after %llu checks%s\n",
               static_cast<unsigned long long>(result->size_after),
               static_cast<unsigned long long>(result->size_before),
               static_cast<int>(result->unit.size()), result->unit.data(), static_cast<unsigned long long>(result->checks),
               result->ended_early ? "; there may be fewer" : "");
  return write_result(arguments, result->text);
#endif
}

}  // namespace braid::tool
