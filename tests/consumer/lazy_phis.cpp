// A parser of another language: a calculator in reverse notation with variables and loops, straight into a graph.
//
//   5 =x      pops into x          x          pushes x          + - * <      pops two, pushes one
//   [ ... ? ... ]                  while what stands before ? is not 0
#include <braid/braid.h>
#include <braid/sea.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

using namespace braid;

int main() {
  Module m;
  Sea sea(m, "factorial", {"n"});
  sea.define("product", sea.constant(1));
  std::istringstream program("[ 0 n < ? product n * =product n 1 - =n ] product");
  std::vector<Sea::Node> stack;
  auto pop = [&] {
    Sea::Node top = stack.back();
    stack.pop_back();
    return top;
  };
  for (std::string word; program >> word;) {
    if (word == "[") {
      sea.loop();
    } else if (word == "?") {
      sea.loop_while(pop());
    } else if (word == "]") {
      sea.end_loop();
    } else if (word[0] == '=') {
      sea.assign(word.substr(1), pop());
    } else if (word == "+" || word == "-" || word == "*" || word == "<") {
      Sea::Node b = pop(), a = pop();
      stack.push_back(sea.op(word == "+" ? "add" : word == "-" ? "sub" : word == "*" ? "mul" : "slt", a, b));
    } else if (std::optional<Sea::Node> value = sea.lookup(word)) {
      stack.push_back(*value);
    } else {
      stack.push_back(sea.constant(std::stoll(word)));
    }
  }
  sea.ret(pop());
  std::printf("%s\n", sea.to_text().c_str());
  std::printf("%s\n", sea.evaluate({5}).message.c_str());
  std::printf("%lld\n", static_cast<long long>(interpret(sea.land(), 20).as_i64()));
}
