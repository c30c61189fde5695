#include "foreign_program.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "subjects.h"

extern char** environ;

namespace braid::bench {

ForeignProgram::ForeignProgram(std::string suffix, std::vector<std::string> command) : command_(std::move(command)) {
  const char* folder = std::getenv("TMPDIR");
  path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/braid_bench_" + std::to_string(getpid()) + suffix;
  command_.push_back(path_);
}

ForeignProgram::~ForeignProgram() { unlink(path_.c_str()); }

double ForeignProgram::seconds(const std::string& text, int64_t answer) const {
  std::FILE* file = std::fopen(path_.c_str(), "w");
  if (file == nullptr) fail("cannot write " + path_);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  std::vector<char*> arguments;
  for (const std::string& word : command_) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) fail("cannot run " + command_[0]);
  int status = 0;
  rusage usage;
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != (answer & 127))
    fail(command_[0] + " does not give the same answer");
  auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace braid::bench
