#include "opt/warnings.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "flow/orders.h"
#include "ir/graph_view.h"
#include "ir/order.h"
#include "opt/clean_graph.h"
#include "opt/shortest_ways.h"
#include "opt/warn_unassigned.h"
#include "text/print.h"

namespace braid::opt {

using namespace ir;

namespace {

/// Branches of a path that are shown; the last ones say most.
constexpr size_t most_branches = 8;

/// Whether a statement is there because someone wrote code: front ends also make jumps and ends of blocks of
/// their own.
bool is_code(const Function& f, Operand id) {
  switch (f.op(id)) {
    case Op::nothing:
    case Op::same:
    case Op::phi:
    case Op::jump:
    case Op::unreachable: return false;
    case Op::ret: return f.operand_count(f.stmt(id)) != 0;
    default: return true;
  }
}

class Finder {
 public:
  explicit Finder(const Function& f) : f_(f), lists_(f), reached_(flow::reachable(block_graph(f))) {}

  std::vector<Warning> run() {
    find_dead_code();
    find_end();
    for (const UnassignedUse& use : unassigned_uses(f_, reached_)) add_use(use);
    std::sort(found_.begin(), found_.end(),
              [](const Warning& a, const Warning& b) { return place(a) < place(b); });
    return std::move(found_);
  }

 private:
  /// No statement is warned about twice in the same way.
  static std::tuple<uint32_t, uint32_t, WarningKind> place(const Warning& w) {
    return {index(w.block), w.where.word(), w.kind};
  }

  std::string quoted(BlockId b) {
    if (!printer_) printer_ = std::make_unique<text::StatementPrinter>(f_);
    std::string out = "'";
    printer_->append_block(out, b);
    return out + "'";
  }
  bool is_dead(BlockId b) const { return !reached_.test(node(b)); }

  /// The first statement of a block that is code; `undef` if there is none.
  Operand first_code(BlockId b) const {
    Operand first;
    for_each_statement(f_, lists_, b, [&](Operand id) {
      if (first.is_undef() && is_code(f_, id)) first = id;
    });
    return first;
  }

  /// A region begins where dead code is entered, if at all, only from itself, and is what can be reached from
  /// there. Impossible edges count: they lead to the next line of the same dead code.
  void find_dead_code() {
    uint32_t count = f_.block_count();
    flow::Node root = static_cast<flow::Node>(count);
    flow::Graph graph = flow::Graph::build(count + 1, root, [&](auto&& emit) {
      for (uint32_t i = 0; i < count; ++i) {
        BlockId b = static_cast<BlockId>(i);
        if (!is_dead(b)) continue;
        emit(root, node(b));
        f_.for_each_succ(b, [&](EdgeId e) {
          if (is_dead(f_.edge(e).to)) emit(node(b), node(f_.edge(e).to));
        });
        if (BlockId next = f_.impossible(b); !is_none(next) && is_dead(next)) emit(node(b), node(next));
      }
    });
    IdSet<flow::Node> claimed(count + 1);
    claimed.insert(root);
    IdMap<BlockId, BlockId> stopped_by = ends_before_dead_code();
    for (flow::Node start : flow::reverse_post_order(graph)) {
      if (!claimed.insert(start)) continue;
      std::vector<flow::Node> region = {start};
      for (size_t at = 0; at < region.size(); ++at)
        for (flow::Node next : graph.successors.row(region[at]))
          if (claimed.insert(next)) region.push_back(next);
      std::sort(region.begin(), region.end());
      add_region(region, stopped_by);
    }
  }

  /// For a dead block: a live one with an impossible edge to it.
  IdMap<BlockId, BlockId> ends_before_dead_code() const {
    IdMap<BlockId, BlockId> ends(f_.block_count(), none_id<BlockId>);
    for (uint32_t i = f_.block_count(); i > 0; --i) {
      BlockId b = static_cast<BlockId>(i - 1), next = f_.impossible(b);
      if (!is_dead(b) && !is_none(next)) ends[next] = b;
    }
    return ends;
  }

  void add_region(const std::vector<flow::Node>& region, const IdMap<BlockId, BlockId>& stopped_by) {
    for (flow::Node n : region) {
      Operand first = first_code(block(n));
      if (first.is_undef()) continue;
      found_.push_back({WarningKind::unreachable_code, block(n), first, "code will never be executed", {}});
      for (flow::Node m : region) {
        BlockId end = stopped_by[block(m)];
        if (is_none(end)) continue;
        found_.back().notes.push_back({end, f_.terminator(end), "control does not go on behind this"});
        break;
      }
      return;
    }
  }

  void find_end() {
    std::string what = f_.result_type() == void_type ? "control reaches the open end of function '"
                                                     : "control reaches the end of non-void function '";
    for (uint32_t i = 0; i < f_.block_count(); ++i) {
      BlockId b = static_cast<BlockId>(i);
      Operand t = f_.terminator(b);
      if (is_dead(b) || f_.op(t) != Op::unreachable || !(f_.stmt(t).flags & end_of_function)) continue;
      found_.push_back({WarningKind::end_of_function, b, t, what + std::string(f_.name_text()) + "'", {}});
      return;
    }
  }

  void add_use(const UnassignedUse& use) {
    const Variable& variable = f_.variables[use.variable];
    std::string name =
        is_none(variable.name) ? "without a name" : "'" + std::string(f_.module().name(variable.name)) + "'";
    Warning warning{use.certain ? WarningKind::uninitialised : WarningKind::maybe_uninitialised,
                    use.block,
                    use.get,
                    "variable " + name + (use.certain ? " is" : " may be") + " used uninitialised",
                    {}};
    if (use.unset.is_undef())
      warning.notes.push_back(
          {Function::entry(), {}, "nothing is assigned to it at the start of the function"});
    else
      warning.notes.push_back({use.path.front().block, use.unset, "it becomes unassigned here"});
    add_branches(use, warning);
    found_.push_back(std::move(warning));
  }

  /// The last branches on the path, and how many there are before them.
  void add_branches(const UnassignedUse& use, Warning& warning) {
    if (use.path.size() < 2) return;
    if (!ways_) ways_ = std::make_unique<ShortestWays>(f_);
    struct Branch {
      BlockId from, to;
    };
    std::vector<Branch> last;
    BlockId first = none_id<BlockId>;
    size_t count = 0;
    for (size_t i = use.path.size() - 1; i > 0; --i) {
      BlockId from = use.path[i - 1].block, to = use.path[i].block;
      size_t here = use.path[i].jumped ? ways_->branches(to) - ways_->branches(from) : ways_->is_branch(from);
      if (here == 0) continue;
      count += here;
      first = use.path[i].jumped ? ways_->next_branch(from) : from;
      for (; here > 0 && last.size() < most_branches; --here) {
        if (use.path[i].jumped) to = ways_->behind_last_branch(to);
        last.push_back({use.path[i].jumped ? ways_->before(to) : from, to});
        to = last.back().from;
      }
    }
    if (count > last.size())
      warning.notes.push_back({first, f_.terminator(first),
                               "control goes on over " + std::to_string(count - last.size()) + " more branches"});
    for (size_t i = last.size(); i > 0; --i)
      warning.notes.push_back(
          {last[i - 1].from, f_.terminator(last[i - 1].from), "control goes from here to block " + quoted(last[i - 1].to)});
  }

  const Function& f_;
  PendingLists lists_;
  IdSet<flow::Node> reached_;
  std::unique_ptr<text::StatementPrinter> printer_;  ///< made for the first name that is needed
  std::unique_ptr<ShortestWays> ways_;               ///< likewise for the first path
  std::vector<Warning> found_;
};

/// Gives what is said about a function its place.
class Placer {
 public:
  Placer(const Function& f, const SourceFile* source, const text::SourceMap* positions)
      : f_(f), lists_(f), source_(source), positions_(source == nullptr ? nullptr : positions) {}

  Diagnostic at(Severity severity, BlockId block, Operand where, std::string message,
                std::string rule = {}) const {
    if (positions_ != nullptr) {
      uint32_t offset = text::SourceMap::unknown;
      if (!where.is_undef()) offset = positions_->statement(f_.id(), where);
      if (offset == text::SourceMap::unknown) offset = positions_->block(f_.id(), block);
      if (offset != text::SourceMap::unknown)
        return source_->diagnostic(severity, offset, std::move(message), std::move(rule));
    }
    Diagnostic diagnostic{
        severity, source_ == nullptr ? "" : source_->name(), 0, 0, std::move(message), {}, std::move(rule)};
    Loc loc = place_of(block, where);
    if (loc == Loc{}) return diagnostic;
    const Location& location = f_.module().location(loc);
    if (!is_none(location.file)) diagnostic.file = std::string(f_.module().name(location.file));
    diagnostic.line = location.line;
    diagnostic.column = location.column;
    return diagnostic;
  }

 private:
  bool exists(Operand where) const {
    return where.is_pending() || (where.is_stmt() && where.number() < f_.size());
  }
  /// The location of the statement, or of the first one in its block that has one; where a block lacks its
  /// terminator, that of the last one.
  Loc place_of(BlockId block, Operand where) const {
    bool is_end = !where.is_undef() && !exists(where);
    Loc loc = exists(where) ? f_.loc(where) : Loc{};
    if (loc == Loc{})
      for_each_statement(f_, lists_, block, [&](Operand id) {
        if (f_.loc(id) != Loc{} && (is_end || loc == Loc{})) loc = f_.loc(id);
      });
    return loc;
  }

  const Function& f_;
  PendingLists lists_;
  const SourceFile* source_;
  const text::SourceMap* positions_;
};

}  // namespace

std::string_view name(WarningKind kind) {
  constexpr std::string_view names[] = {"unreachable-code", "end-of-function", "uninitialised",
                                        "maybe-uninitialised"};
  return names[static_cast<unsigned>(kind)];
}

std::vector<Warning> find_warnings(const Function& f) {
  if (f.block_count() == 0) return {};
  bool any_open = false;
  for (uint32_t b = 0; b < f.block_count() && !any_open; ++b)
    any_open = f.terminator(static_cast<BlockId>(b)).is_undef();
  if (!any_open) return Finder(f).run();
  Function ended = f;
  end_open_blocks(ended);
  return Finder(ended).run();
}

void warnings(const Function& f, Diagnostics& diagnostics, const SourceFile* source,
              const text::SourceMap* positions) {
  Placer placer(f, source, positions);
  for (Warning& warning : find_warnings(f)) {
    diagnostics.add(placer.at(Severity::warning, warning.block, warning.where, std::move(warning.message),
                              std::string(name(warning.kind))));
    for (WarningNote& note : warning.notes)
      diagnostics.add(placer.at(Severity::note, note.block, note.where, std::move(note.message)));
  }
}

}  // namespace braid::opt
