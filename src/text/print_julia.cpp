#include "text/print_julia.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/bit_set.h"
#include "ir/order.h"
#include "text/julia_statement.h"
#include "text/listing.h"
#include "text/names.h"

namespace braid::text {

using namespace ir;

namespace {

constexpr std::string_view red = "\x1b[31m", green = "\x1b[32m", plain = "\x1b[39m";

uint32_t digit_count(uint32_t number) {
  uint32_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

/// A block, or what stands of it on one side of a compaction's rule.
struct Part {
  BlockId block;
  bool begins = true, ends = true;
};

/// What is printed of a function: all of it, or of a compaction what is emitted or what is ahead.
enum class Side : uint8_t { whole, emitted, ahead };

class JuliaPrinter {
 public:
  JuliaPrinter(const Function& f, std::string& out, bool colour, Side side = Side::whole, const Compact* walk = nullptr)
      : f_(f), out_(out), colour_(colour), side_(side), walk_(walk), listing_(f), lists_(f),
        statement_(listing_, out, walk), used_(f.dense_count()) {
    listing_.find_names();
    if (walk == nullptr)
      listing_.order_edges();
    else
      listing_.order_edges(*walk);
  }

  void print() {
    BitSet in_block(f_.size());
    for_each_block([&](BlockId b) {
      for_each(b, [&](Operand id) {
        if (id.is_stmt()) in_block.set(id.number());
      });
    });
    for_each_use([&](Operand operand) { mark(operand); });
    for_each_block([&](BlockId b) { print_part({b}, static_cast<BlockId>(index(b) + 1)); });
    print_strays(in_block);
  }

  /// Calls `visit(Operand)` for the value operands of all statements on this side.
  template <typename Visit>
  void for_each_use(Visit&& visit) const {
    for_each_block([&](BlockId b) {
      for_each(b, [&](Operand id) {
        const Stmt& stmt = f_.stmt(id);
        std::span<const uint32_t> words = f_.args(stmt);
        if (stmt.op == Op::phi) {
          for (EdgeId e : listing_.edges_into(b)) visit(statement_.phi_operand(stmt, e));
        } else if (info(stmt.op).arity_ok(static_cast<uint32_t>(words.size()))) {
          for (uint32_t i = 0; i < words.size(); ++i)
            if (info(stmt.op).is_value(i)) visit(Operand::from_word(words[i]));
        }
      });
    });
  }

  /// The statement is used: it shows its number.
  void mark(Operand operand) {
    if (operand.tag() > Operand::Tag::pending || !operand_exists(f_, operand)) return;
    used_.set(f_.dense(operand));
    number_width_ = std::max(number_width_, digit_count(statement_.number_of(operand)));
  }

  bool has_statements(BlockId b) const {
    bool any = false;
    for_each(b, [&](Operand) { any = true; });
    return any;
  }

  /// `next` is the block that is printed behind it.
  void print_part(Part part, BlockId next) {
    lines_.clear();
    for_each(part.block, [&](Operand id) {
      lines_.push_back({id, none_id<BlockId>});
      if (is_terminator(f_.op(id))) add_goto(next, f_.stmt(id));
    });
    if (lines_.empty() && part.begins) {
      print_block_start(part.block);
      out_.back() = '\n';
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      bool is_last = part.ends && i + 1 == lines_.size();
      if (i == 0 && part.begins)
        print_block_start(part.block);
      else
        print_gutter(is_last ? "└" : "│", is_last ? "─" : " ");
      print_line(part.block, lines_[i]);
      out_ += '\n';
    }
  }

 private:
  /// A statement, or a `goto` that Julia's form needs beside it.
  struct Line {
    Operand id;
    BlockId extra_target;
  };

  template <typename Visit>
  void for_each_block(Visit&& visit) const {
    for (uint32_t b = 0; b < f_.block_count(); ++b) visit(static_cast<BlockId>(b));
  }
  /// Calls `visit(Operand)` for the statements of a block on this side.
  template <typename Visit>
  void for_each(BlockId b, Visit&& visit) const {
    if (side_ == Side::ahead)
      walk_->for_each_ahead(b, [&](OldRef old) { visit(f_.from_dense(index(old))); });
    else
      for_each_statement(f_, lists_, b, visit);
  }

  /// Statements that stand in no block: the graph is inconsistent.
  void print_strays(const BitSet& in_block) {
    for (uint32_t i = 0; i < f_.size(); ++i) {
      if (in_block.test(i)) continue;
      out_ += "!!! ";
      for (uint32_t k = 0; k < digit_count(f_.block_count()); ++k) out_ += "─";
      out_ += ' ';
      print_line(Function::entry(), {static_cast<Ref>(i), none_id<BlockId>});
      out_ += '\n';
    }
  }

  /// The way that Julia takes by falling through is a line of its own where it leads elsewhere.
  void add_goto(BlockId next, const Stmt& stmt) {
    LiveTerminator live = live_terminator(f_, stmt);
    if (live.op != Op::branch && live.op != Op::enter) return;
    BlockId target = f_.edge(static_cast<EdgeId>(f_.arg(stmt, 1))).to;
    if (target != next) lines_.push_back({Operand::undef(), target});
  }

  void print_block_start(BlockId b) {
    uint32_t preds = 0;
    for (EdgeId e : listing_.edges_into(b)) preds += f_.edge(e).kind == EdgeKind::exceptional ? 2 : 1;
    append_number(out_, index(b) + 1);
    out_ += preds <= 1 ? " ─" : " ┄";
    for (uint32_t k = digit_count(index(b) + 1); k < digit_count(f_.block_count()); ++k) out_ += "─";
    out_ += ' ';
  }

  void print_gutter(std::string_view corner, std::string_view fill) {
    out_ += corner;
    for (uint32_t k = 0; k < 1 + digit_count(f_.block_count()); ++k) out_ += fill;
    out_ += ' ';
  }

  void print_line(BlockId b, const Line& line) {
    bool is_green = colour_ && line.id.is_pending();
    if (is_green) out_ += green;
    if (!line.id.is_undef() && used_.test(f_.dense(line.id))) {
      uint32_t number = statement_.number_of(line.id);
      out_ += '%';
      append_number(out_, number);
      out_.append(number_width_ - digit_count(number) + 1, ' ');
      out_ += "= ";
    } else {
      out_.append(number_width_ + 4, ' ');
    }
    if (line.id.is_undef())
      statement_.append_goto(line.extra_target);
    else
      statement_.append(b, line.id, true);
    if (is_green) out_ += plain;
  }

  const Function& f_;
  std::string& out_;
  bool colour_;
  Side side_;
  const Compact* walk_;
  Listing listing_;
  PendingLists lists_;
  JuliaStatement statement_;
  BitSet used_;
  uint32_t number_width_ = 0;
  std::vector<Line> lines_;
};

/// Both sides of the rule. A statement that only the other side uses shows its number, too.
class CompactionPrinter {
 public:
  CompactionPrinter(const Compact& walk, std::string& out, bool colour)
      : walk_(walk),
        out_(out),
        colour_(colour),
        part_(walk.emitted_part()),
        emitted_(part_, out, colour, Side::emitted, &walk),
        ahead_(walk.old_function(), out, colour, Side::ahead, &walk) {}

  void print() {
    find_uses();
    list_parts();
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (i == emitted_count_) print_rule();
      BlockId next = i + 1 < parts_.size() ? parts_[i + 1].block : none_id<BlockId>;
      (i < emitted_count_ ? emitted_ : ahead_).print_part(parts_[i], next);
    }
    if (emitted_count_ == parts_.size()) print_rule();
  }

 private:
  using Tag = Operand::Tag;

  void find_uses() {
    const Function& old = walk_.old_function();
    emitted_.for_each_use([&](Operand operand) {
      if (operand.is_old()) operand = walk_.renamed(operand.old_ref());
      if (operand.is_old())
        ahead_.mark(old.from_dense(operand.number()));
      else
        emitted_.mark(operand);
    });
    ahead_.for_each_use([&](Operand operand) {
      if (operand.tag() == Tag::final_stmt) return emitted_.mark(Operand::make(Tag::stmt, operand.number()));
      if (operand.tag() == Tag::final_pending) return emitted_.mark(Operand::make(Tag::pending, operand.number()));
      ahead_.mark(operand);
      if (operand.is_stmt() || operand.is_pending())
        emitted_.mark(walk_.renamed(static_cast<OldRef>(old.dense(operand))));
    });
  }

  /// In the order of the walk; then the rest of the block under way, and the blocks ahead by their numbers.
  void list_parts() {
    BlockId open = none_id<BlockId>;
    for (BlockId b : walk_.emitted_blocks()) {
      bool is_done = walk_.is_finished(b) || !ahead_.has_statements(b);
      if (!is_done) open = b;
      if (is_done || emitted_.has_statements(b)) parts_.push_back({b, true, is_done});
    }
    emitted_count_ = parts_.size();
    bool is_split = emitted_count_ > 0 && !parts_.back().ends;
    if (!is_none(open)) parts_.push_back({open, !is_split, true});
    for (uint32_t i = 0; i < walk_.old_function().block_count(); ++i)
      if (BlockId b = static_cast<BlockId>(i); b != open && ahead_.has_statements(b)) parts_.push_back({b});
  }

  /// As wide as Julia makes it where it does not know how wide the screen is.
  void print_rule() {
    constexpr uint32_t columns = 80;
    if (colour_) out_ += red;
    for (uint32_t k = digit_count(walk_.old_size()) + 1; k < columns; ++k) out_ += "─";
    if (colour_) out_ += plain;
    out_ += '\n';
  }

  const Compact& walk_;
  std::string& out_;
  bool colour_;
  const Function part_;
  JuliaPrinter emitted_, ahead_;
  std::vector<Part> parts_;
  size_t emitted_count_ = 0;
};

}  // namespace

void append_julia(std::string& out, const Function& f, bool colour) {
  if (!f.is_external()) JuliaPrinter(f, out, colour).print();
}

std::string to_julia(const Function& f, bool colour) {
  std::string out;
  append_julia(out, f, colour);
  return out;
}

void append_julia(std::string& out, const Compact& walk, bool colour) { CompactionPrinter(walk, out, colour).print(); }

std::string to_julia(const Compact& walk, bool colour) {
  std::string out;
  append_julia(out, walk, colour);
  return out;
}

std::string to_julia(const Function& f, Operand id) {
  Listing listing(f);
  listing.find_names();
  listing.order_edges();
  std::string out;
  JuliaStatement statement(listing, out);
  // Behind an empty block comes the first statement of the next one.
  std::vector<uint32_t> first(f.block_count(), f.size() + 1);
  PendingLists lists(f);
  for (uint32_t b = f.block_count(); b-- > 0;) {
    if (b + 1 < f.block_count()) first[b] = first[b + 1];
    BlockCursor cursor(f, lists);
    cursor.start(static_cast<BlockId>(b));
    if (uint32_t dense = cursor.next(); dense != BlockCursor::end) first[b] = dense + 1;
  }
  statement.name_blocks_by(first);
  statement.append(f.block_of(id), id, false);
  return out;
}

}  // namespace braid::text
