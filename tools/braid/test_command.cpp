// braid test: finds golden files, runs them on several threads, and reports in the order of the files.
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#ifndef __wasi__
#include <atomic>
#include <thread>
#endif
#include <string>
#include <vector>

#include "base/number_text.h"
#include "commands.h"
#include "console.h"
#include "driver/golden.h"
#include "driver/load.h"

namespace braid::tool {
namespace {

bool is_directory(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_link(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

/// The golden files below a folder, sorted. Entries that begin with a dot are skipped, and links to folders, which may lead back.
bool find_files(const std::string& folder, std::vector<std::string>& files) {
  std::vector<std::string> work = {folder};
  size_t first = files.size();
  while (!work.empty()) {
    std::string path = work.back();
    work.pop_back();
    DIR* directory = ::opendir(path.c_str());
    if (directory == nullptr) return false;
    while (dirent* entry = ::readdir(directory)) {
      std::string name = entry->d_name;
      if (name.starts_with('.')) continue;
      std::string full = path + (path.ends_with('/') ? "" : "/") + name;
      if (is_directory(full)) {
        if (!is_link(full)) work.push_back(full);
      } else if (name.ends_with(".braid") || name.ends_with(".smp") || name.ends_with(".pa")) {
        files.push_back(full);
      }
    }
    ::closedir(directory);
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  return true;
}

struct Outcome {
  bool passed = false;
  bool rewritten = false;
  std::string report;
};

Outcome run_file(const std::string& path, const driver::GoldenOptions& options) {
  Outcome outcome;
  Expected<SourceFile> source = driver::load(path);
  if (!source) {
    outcome.report = render(source.error());
    return outcome;
  }
  driver::GoldenResult result = driver::run_golden(*source, options);
  outcome.passed = result.passed;
  outcome.report = std::move(result.report);
  if (!result.blessed) return outcome;
  outcome.rewritten = true;
  if (Expected<void> saved = driver::save(path, *result.blessed); !saved) {
    outcome.passed = false;
    outcome.report += render(saved.error());
  }
  return outcome;
}

std::vector<Outcome> run_files(const std::vector<std::string>& files, const driver::GoldenOptions& options,
                               [[maybe_unused]] size_t jobs) {
  std::vector<Outcome> outcomes(files.size());
#ifndef __wasi__
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < files.size(); i = next++) outcomes[i] = run_file(files[i], options);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(jobs, files.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
#else
  for (size_t i = 0; i < files.size(); ++i) outcomes[i] = run_file(files[i], options);
#endif
  return outcomes;
}

size_t default_jobs() {
#ifndef __wasi__
  return std::max(1u, std::thread::hardware_concurrency());
#else
  return 1;
#endif
}

}  // namespace

int test_command(const Arguments& arguments) {
  std::vector<std::string> paths = arguments.words;
  if (paths.empty()) paths = {"tests/files"};
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!is_directory(path)) {
      files.push_back(path);
    } else if (!find_files(path, files)) {
      report_error("cannot read the folder '" + path + "'");
      return exit_bad_input;
    }
  }
  size_t jobs = default_jobs();
  if (std::optional<std::string> given = arguments.value(Option::jobs)) {
    jobs = static_cast<size_t>(*parse_u64(*given));
    if (jobs == 0 || jobs > 1024) return usage_error(Command::test, "'--jobs' needs a number from 1 to 1024");
  }
  const driver::GoldenOptions options{arguments.has(Option::bless), arguments.has(Option::all_points)};
  size_t passed = 0, failed = 0;
  std::vector<Outcome> outcomes = run_files(files, options, jobs);
  for (size_t i = 0; i < files.size(); ++i) {
    ++(outcomes[i].passed ? passed : failed);
    if (outcomes[i].rewritten) write_out("blessed " + files[i] + "\n");
    if (!outcomes[i].passed) write_out("FAIL " + files[i] + "\n" + outcomes[i].report + "\n");
  }
  write_out(std::to_string(passed) + " passed, " + std::to_string(failed) + " failed\n");
  if (files.empty()) report_error("there are no golden files");
  return failed == 0 && !files.empty() ? exit_ok : exit_bad_input;
}

}  // namespace braid::tool
