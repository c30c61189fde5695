// The sea of nodes: parsing Simple straight into graphs with peepholes, the shapes on which the original goes
// quadratic or worse, the tool from a cold start, the graph evaluator, and random programs through all
// engines.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "engines_agree.h"
#include "front/simple/simple.h"
#include "sea/evaluate.h"
#include "subjects.h"

extern char** environ;

namespace braid::bench {
namespace {

using simple::Language;

std::string number(uint64_t value) { return std::to_string(value); }

/// Statements of all kinds in the mixture of ordinary programs.
std::string mixed(uint32_t lines) {
  std::string text = "int a=1; int b=arg; int c=3;\n";
  for (uint32_t i = 0; i < lines; i += 8) {
    text += "a=a*3+b-" + number(i % 97) + ";\n";
    text += "if(a<b+" + number(i) + ") {\n  c=c+a/7;\n} else {\n  b=b-c*2;\n}\n";
    text += i % 64 == 0 ? "while(c<b) c=c*2+a;\n" : "c=(a+b)*(c-" + number(i % 13) + ");\n";
    text += "int v" + number(i) + "=a+b*c;\n";
  }
  return text + "return a+b+c;\n";
}
std::string loops_in_arms(uint32_t n) {
  std::string text = "int v=1;\n";
  for (uint32_t i = 0; i < n; ++i) text += "if(arg<" + number(i) + ") while(v<" + number(i) + ") v=v*3;\n";
  return text + "return v;\n";
}
std::string sequential_ifs(uint32_t n) {
  std::string text = "int v=1;\n";
  for (uint32_t i = 0; i < n; ++i) text += "if(arg==" + number(i) + ") v=v+" + number(i) + ";\n";
  return text + "return v;\n";
}
std::string ways_out(uint32_t n) {
  std::string text = "while(arg<1000) {\narg=arg+1;\n";
  for (uint32_t i = 0; i < n; ++i) text += "if(arg==" + number(i) + ") " + (i % 2 == 0 ? "break;\n" : "continue;\n");
  return text + "}\nreturn arg;\n";
}
std::string sums(uint32_t n) {
  std::string text = "int a=arg;\n";
  for (uint32_t i = 0; i < n; ++i) text += "int v" + number(i) + "=arg/" + number(i + 2) + ";\n";
  for (uint32_t i = 0; i < n; ++i) text += "a=a+v" + number(n - 1 - i) + ";\n";
  return text + "return a;\n";
}
std::string nested_blocks(uint32_t n) {
  return std::string(n, '{') + "arg=arg+1;" + std::string(n, '}') + "return arg;\n";
}
std::string nested_ifs(uint32_t n) {
  std::string text;
  for (uint32_t i = 0; i < n; ++i) text += "if(arg<" + number(2 * n - i) + ") { arg=arg+1;\n";
  return text + std::string(n, '}') + "return arg;\n";
}
std::string repeated(uint32_t n, std::string_view statement) {
  std::string text;
  for (uint32_t i = 0; i < n; ++i) text += statement;
  return text + "return arg;\n";
}

simple::ParseOptions options_for(Language language, bool peepholes = true) {
  simple::ParseOptions options;
  options.language = language;
  options.peepholes = peepholes;
  return options;
}

struct ParseTime {
  double seconds;
  uint64_t nodes;
};

ParseTime parse_time(Stopwatch& watch, const std::string& text, Language language, bool peepholes = true) {
  SourceFile source("program.smp", text);
  ir::Module module;
  watch.start();
  Expected<simple::Program> program = simple::parse(module, source, options_for(language, peepholes));
  watch.stop();
  if (!program) fail("a program does not parse: " + program.error()[0].message);
  return {watch.seconds(), program->main().size()};
}

struct Family {
  std::string_view name;
  std::string (*make)(uint32_t);
  uint32_t size;
};
constexpr Family families[] = {
    {"mixed statements", mixed, 200'000},          {"if(arg<i) while(v<i) v=v*3;", loops_in_arms, 10'000},
    {"if(arg==i) v=v+i;", sequential_ifs, 50'000}, {"a=a+vK;", sums, 50'000},
    {"if(arg==i) break; or continue;", ways_out, 50'000},
    {"blocks in blocks", nested_blocks, 100'000},  {"ifs in ifs", nested_ifs, 100'000},
};

void measure_parsing(Table& table, const Effort& effort) {
  for (Language language : simple::all_languages) {
    std::string title = "parsing " + std::string(simple::name(language)) + " with peepholes";
    // Peepholes may make nodes of their own, and need not make those that are there: the program says how many it has.
    table.section(title + ", per node of the program", "");
    std::string large = mixed(effort.largest / 5);
    Stopwatch unused;
    const uint64_t nodes = parse_time(unused, large, language, false).nodes;
    double seconds = least_time(effort, [&](Stopwatch& watch) { parse_time(watch, large, language); });
    table.add(
        {"mixed statements", nodes, seconds * 1e9 / static_cast<double>(nodes), 0, "ns", Goal::at_most, 100});

    table.section(title + ", per statement", "at a tenth");
    for (const Family& family : families) {
      uint32_t size = std::min(family.size, effort.largest / 5);
      std::string whole = family.make(size), tenth = family.make(size / 10);
      Times times = interleave(
          effort, [&](Stopwatch& watch) { parse_time(watch, whole, language); },
          [&](Stopwatch& watch) { parse_time(watch, tenth, language); });
      table.add({std::string(family.name), size, times.ours * 1e9 / size, times.theirs * 1e9 / (size / 10),
                 "ns", Goal::at_most, 1.2});
    }
  }
}

/// The tool beside this program, once from its start to its end.
void measure_tool(Table& table, const Effort& effort) {
  table.section("braid sea, from a cold start", "");
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  std::string tool(self, length > 0 ? static_cast<size_t>(length) : 0);
  self[tool.size()] = 0;
  tool = tool.substr(0, tool.rfind('/')) + "/braid";
  if (access(tool.c_str(), X_OK) != 0) {
    table.note("the tool is not there: " + tool);
    return;
  }
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      std::string(folder == nullptr ? "/tmp" : folder) + "/braid_bench_" + std::to_string(getpid()) + ".smp";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) fail("cannot write " + path);
  std::string text = mixed(64'000);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  for (Language language : simple::all_languages) {
    const std::string name(simple::name(language));
    std::string command = "'" + std::string(self) + "' --measure-child '" + tool + "' sea '" + path + "' --language=" +
                          name + " --eval=3";
    double seconds = std::numeric_limits<double>::infinity(), megabytes = seconds;
    for (uint32_t i = 0; i < effort.repetitions; ++i) {
      std::FILE* answer = popen(command.c_str(), "r");
      double time = 0, memory = 0;
      bool sound = answer != nullptr && std::fscanf(answer, "%lf %lf", &time, &memory) == 2;
      if (answer == nullptr || pclose(answer) != 0 || !sound) fail("the tool fails");
      seconds = std::min(seconds, time);
      megabytes = std::min(megabytes, memory);
    }
    table.add({"64,000 lines of " + name + ", time", 64'000, seconds, 0, "s", Goal::at_most, 0.15});
    table.add({"64,000 lines of " + name + ", memory", 64'000, megabytes, 0, "MB", Goal::at_most, 64});
  }
  unlink(path.c_str());
}

/// A program that is parsed once and evaluated often.
struct Subject {
  Subject(const std::string& text, bool peepholes) : source("program.smp", text) {
    Expected<simple::Program> parsed =
        simple::parse(module, source, options_for(Language::simple8, peepholes));
    if (!parsed) fail("a program does not parse");
    program = std::move(*parsed);
    evaluator.limits.back_edges = std::numeric_limits<uint64_t>::max() - 1;
  }
  double evaluate(Stopwatch& watch, int64_t argument) {
    evaluator.reset(program.main());
    watch.start();
    sea::Evaluation result = evaluator.run(argument);
    watch.stop();
    if (!result.is_value()) fail("an evaluation does not end well: " + to_string(result));
    return watch.seconds();
  }
  SourceFile source;
  ir::Module module;
  simple::Program program;
  sea::Evaluator evaluator;
};

void measure_evaluator(Table& table, const Effort& effort) {
  table.section("evaluating graphs, per statement", "at a tenth");
  uint32_t statements = effort.largest / 10;
  for (std::string_view statement : {"arg=arg+arg;", "arg=arg*arg;"}) {
    Subject whole(repeated(statements, statement), false), tenth(repeated(statements / 10, statement), false);
    Times times = interleave(
        effort, [&](Stopwatch& watch) { whole.evaluate(watch, 3); },
        [&](Stopwatch& watch) { tenth.evaluate(watch, 3); });
    table.add({std::string(statement) + " without peepholes", statements, times.ours * 1e9 / statements,
               times.theirs * 1e9 / (statements / 10), "ns", Goal::at_most, 1.5});
  }
  table.section("evaluating loops, per iteration", "");
  constexpr std::pair<std::string_view, std::string_view> loops[] = {
      {"count", "int i=0; while(i<arg) i=i+1; return i;"},
      {"sum", "int s=0; int i=0; while(i<arg) { s=s+i; i=i+1; } return s;"},
      {"with a condition",
       "int s=0; int i=0; while(i<arg) { if(s<1000) s=s+i; else s=s-900; i=i+1; } return s;"},
  };
  constexpr int64_t iterations = 2'000'000;
  for (const auto& [name, text] : loops) {
    Subject subject{std::string(text), true};
    double seconds = least_time(effort, [&](Stopwatch& watch) { subject.evaluate(watch, iterations); });
    table.add({std::string(name), 0, seconds * 1e9 / iterations, 0, "ns", Goal::at_most, 25});
  }
}

void measure_programs(Table& table, const Effort& effort) {
  using namespace simple_testing;
  table.section("random programs, all engines, each", "");
  double both = 0;
  for (Dialect dialect : {Dialect::simple8, Dialect::simple}) {
    constexpr uint64_t programs = 2048;
    EnginesAgree engines({.dialect = dialect, .back_edges = 100});
    double seconds = least_time(effort, [&](Stopwatch& watch) {
      watch.start();
      for (uint64_t seed = 0; seed < programs; seed += EnginesAgree::best_batch)
        if (!engines.check_random(seed, EnginesAgree::best_batch).empty()) fail("the engines do not agree");
      watch.stop();
    });
    std::string name = dialect == Dialect::simple8 ? "simple8" : "simple";
    table.add({name + ", " + number(engines.coverage.nodes_before / engines.coverage.programs) + " nodes",
               programs, seconds * 1e6 / programs, 0, "us"});
    both += seconds * 1e6 / programs;
  }
  // As the tests run them: as many in one language as in the other.
  table.add({"of both languages", 0, both / 2, 0, "us", Goal::at_most, 1e6 / 30'000});
}

}  // namespace

int measure_child(char** command) {
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int status = posix_spawn(&child, command[0], &quiet, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&quiet);
  rusage usage;
  if (status != 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0)
    return 1;
  auto part = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  std::printf("%f %f\n", part(usage.ru_utime) + part(usage.ru_stime),
              static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}

void measure_sea(Table& table, const Effort& effort) {
  measure_parsing(table, effort);
  measure_tool(table, effort);
  measure_evaluator(table, effort);
  measure_programs(table, effort);
}

}  // namespace braid::bench
