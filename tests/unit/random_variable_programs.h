// Random functions with variables, for tests of what takes them to SSA: structured, reducible and irreducible graphs of 1 to
// 1,000 nodes; regions with handlers (nested, left early, with loops inside, with shared handlers, entered from several
// places, with exceptions thrown again); variables of three types that may be undefined, with each of the three meanings; if
// wanted, frame states.
// A node of the graph becomes one or a few blocks of text. O(nodes), iterative.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace braid {

/// Where the generator's decisions come from: given bytes first (a fuzzer turns them), then a generator seeded by them.
class Choices {
 public:
  explicit Choices(uint32_t seed) : random_(seed) {}
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {
    uint32_t seed = 0;
    for (uint32_t i = 0; i < 4 && i < bytes.size(); ++i) seed = seed << 8 | bytes[i];
    random_.seed(seed);
  }

  uint32_t pick(uint32_t below) {
    if (bytes_.size() < 2) return static_cast<uint32_t>(random_() % below);
    uint32_t value = static_cast<uint32_t>(bytes_[0] | bytes_[1] << 8);
    size_t used = below <= 256 ? 1 : 2;
    if (used == 1) value &= 0xff;
    bytes_ = bytes_.subspan(used);
    return value % below;
  }
  bool one_in(uint32_t n) { return pick(n) == 0; }

 private:
  std::span<const uint8_t> bytes_;
  std::mt19937 random_;
};

/// Makes one program, `@f(n: i64) -> i64`. It calls `@see(mark, value)` to be observed, and `@risk(value)`, which may throw.
class RandomVariableProgram {
 public:
  enum class Shape : uint8_t { structured, reducible, irreducible };

  explicit RandomVariableProgram(uint32_t seed) : choices_(seed) {}
  /// A fuzzer finds the most in the largest programs, and would try few others.
  explicit RandomVariableProgram(std::span<const uint8_t> bytes) : choices_(bytes), most_nodes_(250) {}

  /// Some of the blocks also make a frame state and, a few assignments later, use it.
  void add_states() { has_states_ = true; }

  std::string make() {
    shape_ = static_cast<Shape>(pick(3));
    node_budget_ = one_in(200) ? 200 + pick(most_nodes_ - 199) : one_in(10) ? 1 + pick(100) : 1 + pick(14);
    is_marked_ = !one_in(3);
    has_fuel_ = node_budget_ > 30 || !one_in(12);
    has_regions_ = !one_in(4);
    make_regions();
    if (node_budget_ > 1 && !one_in(4)) add_tail();
    for (uint32_t r = 0; r < regions_.size(); ++r) connect(r);
    declare();
    for (uint32_t n = 0; n < nodes_.size(); ++n) write_node(n);
    write_landings();
    label("exit");
    out_ += "  %result = get acc\n  ret %result\n}\nextern @see(i64, i64) -> i64\nextern @risk(i64) -> i64\n";
    arguments_[0] = static_cast<int64_t>(pick(8)) - 2;
    for (size_t i = 1; i < arguments_.size(); ++i)
      for (int part = 0; part < 3; ++part) arguments_[i] = arguments_[i] * 65'536 + pick(65'536);
    return out_;
  }

  Shape shape() const { return shape_; }
  uint32_t node_count() const { return static_cast<uint32_t>(nodes_.size()); }
  bool is_sparse() const { return is_sparse_; }      ///< large, with many variables that few blocks mention
  bool has_states() const { return has_states_; }    ///< its variables must not be put into memory
  bool has_fuel() const { return has_fuel_; }        ///< it ends; others may run for ever
  bool is_marked() const { return is_marked_; }      ///< every block but the entry calls `@see` with a mark of its own
  uint32_t mark_count() const { return next_mark_; }
  std::span<const int64_t> arguments() const { return arguments_; }  ///< for some runs
  std::span<const uint32_t> handler_marks() const { return handler_marks_; }

 private:
  static constexpr uint32_t nobody = 0xffffffffu;
  enum class NodeKind : uint8_t { plain, enter, handler };
  struct Node {
    uint32_t region;
    NodeKind kind = NodeKind::plain;
    uint32_t child = nobody;         ///< of an enter: the region
    bool burns = false;              ///< may close a cycle without going back to an earlier node
    bool prefers_last = false;       ///< of two targets
    std::vector<uint32_t> targets;   ///< of an enter: where its region goes on
    uint32_t stop = nobody;          ///< where it goes when the fuel is used up: forward, so that the rest runs once
  };
  struct Region {
    uint32_t parent = nobody, depth = 0, handler = nobody;
    uint32_t out = nobody;           ///< the node behind it
    uint32_t stop = nobody;          ///< … when the fuel is used up
    bool shares_handler = false;
    std::vector<uint32_t> members, enters;
    std::vector<std::string> enter_blocks;
  };
  enum class Meaning : uint8_t { throws, zero, reject };
  enum class VariableType : uint8_t { i64, i1, f64 };
  struct Variable {
    VariableType type;
    Meaning meaning;
    bool is_risky;  ///< may be undefined
  };

  uint32_t pick(uint32_t below) { return choices_.pick(below); }
  bool one_in(uint32_t n) { return choices_.one_in(n); }
  uint32_t exit() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t region_of(uint32_t node) const { return node == exit() ? 0 : nodes_[node].region; }

  // ---- the graph ----

  uint32_t add_node(uint32_t region, NodeKind kind, uint32_t child = nobody) {
    nodes_.push_back({region, kind, child, false, false, {}, nobody});
    uint32_t node = static_cast<uint32_t>(nodes_.size() - 1);
    regions_[region].members.push_back(node);
    if (kind == NodeKind::enter) regions_[child].enters.push_back(node);
    return node;
  }

  void make_regions() {
    struct Work {
      uint32_t region, budget;
    };
    regions_.emplace_back();
    std::vector<Work> work = {{0, node_budget_}};
    while (!work.empty()) {
      auto [region, budget] = work.back();
      work.pop_back();
      std::vector<uint32_t> children;
      // Handlers and regions that are shared across a large part would make the program skip that part.
      auto near = [&] { return children[children.size() - 1 - pick(std::min(2u, static_cast<uint32_t>(children.size())))]; };
      while (budget > 0) {
        if (has_regions_ && budget >= 3 && regions_[region].depth < 4 && one_in(4)) {
          uint32_t child = static_cast<uint32_t>(regions_.size());
          uint32_t depth = regions_[region].depth + 1;
          regions_.emplace_back();
          regions_[child].parent = region;
          regions_[child].depth = depth;
          uint32_t enter = add_node(region, NodeKind::enter, child);
          bool shares = !children.empty() && one_in(4);
          uint32_t inside = 1 + pick(std::min(budget - 2, one_in(10) ? 60u : 6u));
          budget -= 1 + inside;
          if (shares) {
            Region& other = regions_[near()];
            regions_[child].handler = other.handler;
            regions_[child].shares_handler = other.shares_handler = nodes_[enter].burns = true;
          } else {
            regions_[child].handler = add_node(region, NodeKind::handler, child);
            --budget;
          }
          work.push_back({child, inside});
          children.push_back(child);
          continue;
        }
        --budget;
        if (!children.empty() && one_in(10)) {
          uint32_t again = add_node(region, NodeKind::enter, near());
          nodes_[again].burns = true;
        } else {
          add_node(region, NodeKind::plain);
        }
      }
    }
  }

  /// All of it once more: other arguments take other ways.
  void add_tail() {
    uint32_t tail = add_node(0, NodeKind::plain);
    regions_[0].members.pop_back();
    regions_[0].out = regions_[0].stop = tail;
    nodes_[tail].targets = {exit(), 0};
    nodes_[tail].stop = exit();
    nodes_[tail].prefers_last = true;
  }

  /// Gives the members of a region their targets. Regions around it are done: it knows where it goes on.
  void connect(uint32_t r) {
    Region& region = regions_[r];
    if (r != 0) {
      region.out = nodes_[region.enters[0]].targets[0];
      region.stop = nodes_[region.enters[0]].stop;
    } else if (region.out == nobody) {
      region.out = region.stop = exit();
    }
    std::vector<uint32_t> line;  // what may be gone to, in order
    for (uint32_t n : region.members)
      if (nodes_[n].kind != NodeKind::handler) line.push_back(n);
    if (shape_ == Shape::structured) connect_structured(line, region);
    else if (shape_ == Shape::reducible) connect_reducible(line, region);
    else connect_at_random(line, region);
    for (uint32_t n : region.members) {
      if (nodes_[n].kind == NodeKind::handler) connect_handler(n, region, line);
      if (r != 0 && nodes_[n].kind != NodeKind::enter && one_in(8)) leave_early(n, r);
    }
  }

  /// Behind the last region of this handler, so that structured programs do not go back.
  void connect_handler(uint32_t handler, const Region& region, const std::vector<uint32_t>& line) {
    for (uint32_t n : region.members) {
      if (nodes_[n].kind != NodeKind::enter || regions_[nodes_[n].child].handler != handler) continue;
      nodes_[handler].targets = {nodes_[n].targets[0]};
      nodes_[handler].stop = nodes_[n].stop;
    }
    if (shape_ == Shape::irreducible && one_in(2))
      nodes_[handler].targets = {line[pick(static_cast<uint32_t>(line.size()))]};
  }

  void leave_early(uint32_t node, uint32_t r) {
    while (regions_[r].parent != 0 && one_in(2)) r = regions_[r].parent;
    uint32_t target = regions_[r].out;
    if (shape_ == Shape::irreducible) {
      const std::vector<uint32_t>& members = regions_[regions_[r].parent].members;
      uint32_t any = members[pick(static_cast<uint32_t>(members.size()))];
      if (nodes_[any].kind != NodeKind::handler) target = any;
    }
    nodes_[node].targets.push_back(target);
  }

  void connect_structured(const std::vector<uint32_t>& line, const Region& region) {
    struct Part {
      uint32_t first, end, next, stop;  // members of the line, and the node behind them, also without fuel
    };
    std::vector<Part> work = {{0, static_cast<uint32_t>(line.size()), region.out, region.stop}};
    while (!work.empty()) {
      Part part = work.back();
      work.pop_back();
      uint32_t size = part.end - part.first;
      Node& head = nodes_[line[part.first]];
      head.stop = part.stop;
      if (size == 1) {
        head.targets = {part.next};
        continue;
      }
      uint32_t middle = part.first + 1 + pick(size - 1);
      uint32_t kind = head.kind == NodeKind::plain ? pick(6) : 0;
      if (size > 6 && kind <= 3) kind = 0;  // in a long if much would never run
      if (kind <= 1) {  // one after the other
        if (head.kind != NodeKind::plain) middle = part.first + 1;
        work.push_back({part.first, middle, line[middle], line[middle]});
        work.push_back({middle, part.end, part.next, part.stop});
      } else if (kind <= 3) {  // if, with or without else
        head.targets = {middle == part.first + 1 ? part.next : line[part.first + 1], line[middle]};
        head.prefers_last = middle == part.first + 1;
        if (middle != part.first + 1) work.push_back({part.first + 1, middle, part.next, part.stop});
        work.push_back({middle, part.end, part.next, part.stop});
      } else if (kind == 4 || nodes_[line[part.end - 1]].kind != NodeKind::plain) {  // while
        head.targets = {part.next, line[part.first + 1]};
        head.prefers_last = true;
        work.push_back({part.first + 1, part.end, line[part.first], part.stop});
      } else {  // do while
        nodes_[line[part.end - 1]].targets = {line[part.first], part.next};
        nodes_[line[part.end - 1]].stop = part.stop;
        work.push_back({part.first, part.end - 1, line[part.end - 1], line[part.end - 1]});
      }
    }
  }

  /// Loops are nested intervals of the line; edges go forward, not into the middle of a loop, or back to a head around.
  void connect_reducible(const std::vector<uint32_t>& line, const Region& region) {
    uint32_t count = static_cast<uint32_t>(line.size());
    std::vector<uint32_t> end(count, 0);  // of the loop with this head, or 0
    std::vector<uint32_t> around;         // heads
    for (uint32_t i = 0; i < count; ++i) {
      while (!around.empty() && end[around.back()] <= i) around.pop_back();
      uint32_t limit = around.empty() ? count : end[around.back()];
      if (!one_in(4)) continue;
      end[i] = i + 1 + pick(std::min(limit - i, 20u));
      around.push_back(i);
    }
    around.clear();
    for (uint32_t i = 0; i < count; ++i) {
      while (!around.empty() && end[around.back()] <= i) around.pop_back();
      if (end[i] != 0) around.push_back(i);
      auto forward = [&] {
        uint32_t to = i + 1 + (one_in(2) ? 0 : pick(4));
        if (to >= count) return region.out;
        for (uint32_t k = i + 1; k < to; ++k)
          if (end[k] > to) return line[k];
        return line[to];
      };
      Node& node = nodes_[line[i]];
      node.targets = {one_in(6) ? forward() : i + 1 == count ? region.out : line[i + 1]};
      node.stop = i + 1 == count ? region.stop : line[i + 1];
      if (node.kind != NodeKind::plain) continue;
      for (uint32_t more = pick(3); more > 0; --more)
        node.targets.push_back(!around.empty() && one_in(2) ? line[around[pick(static_cast<uint32_t>(around.size()))]] : forward());
    }
  }

  void connect_at_random(const std::vector<uint32_t>& line, const Region& region) {
    uint32_t count = static_cast<uint32_t>(line.size());
    for (uint32_t i = 0; i < count; ++i) {
      Node& node = nodes_[line[i]];
      uint32_t next = i + 1 == count ? region.out : line[i + 1];
      node.targets = {one_in(10) ? line[pick(count)] : next};
      node.stop = i + 1 == count ? region.stop : next;
      if (node.kind != NodeKind::plain) continue;
      for (uint32_t more = pick(4); more > 0; --more) node.targets.push_back(line[pick(count)]);
      if (node.targets.size() > 1 && one_in(2)) std::swap(node.targets.front(), node.targets.back());
    }
  }

  // ---- the text ----

  static std::string block(uint32_t node) { return "node" + std::to_string(node); }
  std::string target(uint32_t node) const { return node == exit() ? "exit" : block(node); }
  std::string value() { return "%t" + std::to_string(next_value_++); }
  std::string emit(const std::string& text) {
    std::string v = value();
    out_ += "  " + v + " = " + text + "\n";
    return v;
  }

  void label(const std::string& name, bool is_handler = false) {
    current_ = name;
    out_ += name + ":\n";
    if (is_marked_) see(is_handler);
  }
  void see(bool is_handler = false) {
    if (is_handler) handler_marks_.push_back(next_mark_);
    std::string acc = emit("get acc");
    emit("call @see(" + std::to_string(next_mark_++) + ", " + acc + ")");
  }

  void declare() {
    static constexpr const char* types[] = {"i64", "i1", "f64"};
    static constexpr const char* meanings[] = {"", " zero", " reject"};
    out_ = "func @f(n: i64) -> i64 {\n  var fuel: i64\n  var acc: i64\n";
    uint32_t count = 1 + pick(one_in(8) ? 20 : 6);
    if (node_budget_ > 20 && one_in(2)) count += node_budget_ / 3;  // each is mentioned in few blocks
    is_sparse_ = node_budget_ > 60 && count > node_budget_ / 4;
    for (uint32_t v = 0; v < count; ++v) {
      variables_.push_back({static_cast<VariableType>(one_in(3) ? 1 + pick(2) : 0), static_cast<Meaning>(pick(3)), one_in(2)});
      out_ += "  var v" + std::to_string(v) + ": " + types[static_cast<unsigned>(variables_[v].type)] +
              meanings[static_cast<unsigned>(variables_[v].meaning)] + "\n";
    }
    out_ += "entry:\n  set fuel, " + std::to_string(10 + 5 * node_budget_) + "\n  set acc, %n\n";
    for (uint32_t v = 0; v < count; ++v)
      if (!variables_[v].is_risky || one_in(3)) assign(v);
    out_ += "  jump node0\n";
  }

  std::string mixed(const std::string& with) {
    std::string product = emit("mul i64 " + emit("get acc") + ", 6364136223846793005");
    return emit("add i64 " + product + ", " + with);
  }
  void add_to_result(const std::string& v) { out_ += "  set acc, " + mixed(v) + "\n"; }
  std::string bits_of_result(uint32_t mask) {
    std::string high = emit("lshr i64 " + emit("get acc") + ", " + std::to_string(33 + pick(24)));
    return emit("and i64 " + high + ", " + std::to_string(mask));
  }
  std::string condition() { return emit("eq i64 " + bits_of_result(one_in(2) ? 1 : 3) + ", 1"); }
  std::string rare_condition() { return emit("eq i64 " + bits_of_result(one_in(2) ? 3 : 7) + ", 1"); }

  void assign(uint32_t v) {
    std::string i = one_in(3) ? std::to_string(pick(5)) : one_in(2) ? "%n" : emit("get acc");
    if (variables_[v].type == VariableType::i1) i = emit("sgt i64 " + i + ", 2");
    if (variables_[v].type == VariableType::f64) i = emit("sitofp i64 " + i + " to f64");
    out_ += "  set v" + std::to_string(v) + ", " + i + "\n";
  }

  /// The variable as i64.
  std::string read(uint32_t v) {
    std::string i = emit("get v" + std::to_string(v));
    if (variables_[v].type == VariableType::i1) return emit("zext i1 " + i + " to i64");
    if (variables_[v].type == VariableType::f64) return emit("bitcast f64 " + i + " to i64");
    return i;
  }

  void write_read(uint32_t v, bool in_region) {
    const Variable& variable = variables_[v];
    bool is_free = !variable.is_risky || variable.meaning == Meaning::zero ||
                   (variable.meaning == Meaning::throws && (in_region || one_in(2 + node_budget_)));
    if (!is_free) {  // assigned where it is not defined
      std::string defined = emit("is_defined v" + std::to_string(v));
      std::string name = "m" + std::to_string(next_value_++);
      out_ += "  branch " + defined + ", " + name + ".have, " + name + ".lack\n";
      label(name + ".lack");
      assign(v);
      out_ += "  jump " + name + ".have\n";
      label(name + ".have");
    }
    std::string i = read(v);
    add_to_result(i);
    uint32_t to = pick(static_cast<uint32_t>(variables_.size()));
    if (one_in(3) && variables_[to].type == VariableType::i64)
      out_ += "  set v" + std::to_string(to) + ", " + (one_in(2) ? i : emit("add i64 " + i + ", 1")) + "\n";
  }

  /// A state, assignments to what its registers were read from, and its user, often behind a join of ways. Guards fail seldom.
  void write_state() {
    std::string registers = "0: %n, 1: " + emit("get acc");
    if (one_in(2)) registers += ", 2: " + emit("get fuel");
    for (uint32_t v = 0; v < variables_.size() && v < 4; ++v)
      if (!variables_[v].is_risky || variables_[v].meaning == Meaning::zero)
        registers += ", " + std::to_string(3 + v) + ": " + emit("get v" + std::to_string(v));
    const std::string position = std::to_string(next_value_);
    std::string caller;
    if (one_in(3)) caller = " caller " + emit("save_state " + position + " aftercall [0: %n]");
    const std::string state = emit("save_state " + position + " reexecute" + caller + " [" + registers + "]");
    for (uint32_t count = pick(3); count > 0; --count) assign(pick(static_cast<uint32_t>(variables_.size())));
    if (one_in(2)) add_to_result(position);
    if (!is_marked_ && one_in(2)) {
      const std::string name = "s" + position, condition_text = condition();
      out_ += "  branch " + condition_text + ", " + name + ".yes, " + name + ".on\n";
      label(name + ".yes");
      assign(pick(static_cast<uint32_t>(variables_.size())));
      if (one_in(2)) out_ += "  safepoint " + state + "\n";
      out_ += "  jump " + name + ".on\n";
      label(name + ".on");
    }
    if (one_in(3)) {
      out_ += "  safepoint " + state + "\n";
    } else {
      std::string bits = bits_of_result(63);
      std::string holds = emit("ne i64 " + bits + ", 1");
      out_ += "  guard " + holds + ", " + state + "\n";
    }
  }

  void write_events(bool in_region) {
    if (has_states_ && one_in(2)) write_state();
    for (uint32_t count = pick(4); count > 0; --count) {
      uint32_t v = pick(static_cast<uint32_t>(variables_.size()));
      switch (pick(in_region ? 9 : 7)) {
        case 0:
          if (variables_[v].is_risky) out_ += "  set v" + std::to_string(v) + ", undef\n";
          break;
        case 1: add_to_result(emit("zext i1 " + emit("is_defined v" + std::to_string(v)) + " to i64")); break;
        case 2:
        case 3: assign(v); break;
        case 4:
        case 5: write_read(v, in_region); break;
        case 6:
          if (!is_marked_) see();
          break;
        case 7: emit("check_zero i64 " + bits_of_result(7)); break;
        default: add_to_result(emit("call @risk(" + bits_of_result(3) + ")"));
      }
    }
  }

  std::string token(uint32_t region) const { return "%k" + std::to_string(region); }

  /// Leaves what is open in region `from` but not around the target, and goes there.
  void write_jump(uint32_t from, uint32_t to) {
    std::vector<std::string> tokens;
    for (; from != region_of(to); from = regions_[from].parent) tokens.push_back(token(from));
    bool at_once = one_in(2);
    for (size_t i = 0; i < tokens.size(); ++i)
      out_ += (i == 0 ? "  leave " : at_once ? ", " : "\n  leave ") + tokens[i];
    out_ += (tokens.empty() ? "  jump " : "\n  jump ") + target(to) + "\n";
  }

  void write_handler(uint32_t n) {
    const Node& node = nodes_[n];
    const Region& inside = regions_[node.child];
    bool is_alone = !inside.shares_handler && inside.enters.size() == 1;
    bool again = one_in(node.region == 0 ? 4 + node_budget_ : 4);
    std::string exception;
    if (again || one_in(2)) exception = emit("the_exception");
    if (again) {
      std::string condition_text = condition();
      out_ += "  branch " + condition_text + ", " + block(n) + ".again, " + block(n) + ".caught\n";
      label(block(n) + ".again");
      if (one_in(2)) write_events(node.region != 0);
      out_ += "  throw " + exception + "\n";
      label(block(n) + ".caught");
    }
    if (is_alone && !one_in(4)) out_ += "  pop_exception " + token(node.child) + "\n";
    else if (node.region != 0 && one_in(2)) out_ += "  pop_exception " + token(node.region) + "\n";
  }

  void write_throw(uint32_t n) {
    std::string condition_text = rare_condition();
    out_ += "  branch " + condition_text + ", " + block(n) + ".throw, " + block(n) + ".on\n";
    label(block(n) + ".throw");
    if (one_in(2)) {
      std::string boxed = emit("box i64 " + emit("get acc"));
      out_ += "  throw " + boxed + "\n";
    } else {
      out_ += "  check_true i1 false\n  unreachable\n";
    }
    label(block(n) + ".on");
  }

  void write_fuel(uint32_t n) {
    std::string left = emit("sub i64 " + emit("get fuel") + ", 1");
    out_ += "  set fuel, " + left + "\n";
    if (one_in(2)) add_to_result(left);
    std::string more = emit("sgt i64 " + left + ", 0");
    uint32_t stop = nodes_[n].stop;
    bool leaves = region_of(stop) != nodes_[n].region;
    out_ += "  branch " + more + ", " + block(n) + ".go, " + (leaves ? block(n) + ".stop" : target(stop)) + "\n";
    if (leaves) {
      label(block(n) + ".stop");
      write_jump(nodes_[n].region, stop);
    }
    label(block(n) + ".go");
  }

  void write_node(uint32_t n) {
    const Node& node = nodes_[n];
    bool in_region = node.region != 0;
    label(block(n), node.kind == NodeKind::handler);
    if (node.kind == NodeKind::handler) write_handler(n);
    write_events(in_region);
    if (in_region && one_in(4)) write_throw(n);
    bool goes_back = node.burns;
    if (node.kind != NodeKind::enter)
      for (uint32_t to : node.targets) goes_back = goes_back || to <= n;
    if (goes_back && has_fuel_) write_fuel(n);
    if (node.kind == NodeKind::enter) return write_enter(n);
    if (node.targets.size() == 1) return write_jump(node.region, node.targets[0]);
    write_choice(n);
  }

  void write_enter(uint32_t n) {
    Region& child = regions_[nodes_[n].child];
    std::string name = token(nodes_[n].child), first = block(child.members[0]);
    if (child.enters.size() > 1) {
      name += "_" + std::to_string(child.enter_blocks.size());
      first = "land" + std::to_string(nodes_[n].child);
    }
    child.enter_blocks.push_back(current_);
    out_ += "  " + name + " = enter " + block(child.handler) + ", " + first + "\n";
  }

  /// Where a region is entered from several places, their tokens meet.
  void write_landings() {
    for (uint32_t r = 1; r < regions_.size(); ++r) {
      const Region& region = regions_[r];
      if (region.enters.size() < 2) continue;
      out_ += "land" + std::to_string(r) + ":\n  " + token(r) + " = phi token [";
      for (size_t i = 0; i < region.enter_blocks.size(); ++i)
        out_ += (i == 0 ? "" : ", ") + region.enter_blocks[i] + ": " + token(r) + "_" + std::to_string(i);
      out_ += "]\n";
      if (is_marked_) see();
      out_ += "  jump " + block(region.members[0]) + "\n";
    }
  }

  void write_choice(uint32_t n) {
    const Node& node = nodes_[n];
    if (!one_in(4)) add_to_result(std::to_string(n));
    std::vector<std::string> names;
    for (size_t i = 0; i < node.targets.size(); ++i)
      names.push_back(region_of(node.targets[i]) == node.region ? target(node.targets[i])
                                                                : block(n) + ".leave" + std::to_string(i));
    if (names.size() == 2) {
      std::string condition_text = node.prefers_last ? rare_condition() : condition();
      out_ += "  branch " + condition_text + ", " + names[0] + ", " + names[1] + "\n";
    } else {
      std::string bits = bits_of_result(3);
      out_ += "  switch i64 " + bits + ", " + names[0] + ", [";
      for (size_t i = 1; i < names.size(); ++i) out_ += (i == 1 ? "" : ", ") + std::to_string(i) + ": " + names[i];
      out_ += "]\n";
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (region_of(node.targets[i]) == node.region) continue;
      label(names[i]);
      write_jump(node.region, node.targets[i]);
    }
  }

  Choices choices_;
  uint32_t most_nodes_ = 1000;
  Shape shape_ = Shape::structured;
  uint32_t node_budget_ = 0;
  bool is_sparse_ = false;
  bool is_marked_ = false, has_fuel_ = false, has_regions_ = false, has_states_ = false;
  std::vector<Node> nodes_;
  std::vector<Region> regions_;
  std::vector<Variable> variables_;
  std::string out_, current_;
  uint32_t next_value_ = 0, next_mark_ = 0;
  std::array<int64_t, 3> arguments_ = {};
  std::vector<uint32_t> handler_marks_;
};

}  // namespace braid
