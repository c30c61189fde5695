// Reading the body of one function.
//
// Blocks exist before the first statement is read: the outline knows the labels. A value that is not known yet leaves a
// mark in its operand and an entry in `fixups_`. A phi is appended as a placeholder, because the edges into its block are
// known only at the end: then every phi gets its operands in one go. So do buffered statements, whose numbers and anchors
// may stand further down.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/outline.h"
#include "text/reader.h"

namespace braid::text {

struct PlainOp;

class FunctionReader {
 public:
  FunctionReader(Reader& reader, SourceMap& positions) : r_(reader), c_(reader.cursor), map_(positions) {}

  /// Reads the body; errors go to the reader's list.
  void read(ir::Function& f, const Outline& outline, const Outline::Body& body);

 private:
  static constexpr uint32_t unknown = 0xffffffffu;
  /// Stands in an operand whose value is not known yet: a tag that no finished function holds.
  static constexpr ir::Operand forward = ir::Operand::make(ir::Operand::Tag::old, 0);
  /// Stand in for phis and for `same` and `nothing` among them, so that edges made meanwhile do not touch these.
  static constexpr ir::Op phi_placeholder = ir::Op::the_exception, same_placeholder = ir::Op::leave;

  /// Where the name on the left side of a statement is kept.
  struct Slot {
    enum class Kind : uint8_t { nothing, numbered, named, buffered } kind = Kind::nothing;
    uint32_t index = 0;
  };
  /// The statement being read.
  struct Draft {
    ir::Op op;
    uint32_t offset;         ///< of the statement
    uint32_t first_operand;  ///< offset of the first operand
    Slot result;
    Type shown;              ///< behind the op
    Type type;               ///< behind the operands, if `has_type`
    bool has_type;
    uint8_t flags;
    ir::Loc loc;
    ir::VarId variable;
    ir::BlockId impossible;
  };
  struct Forward {
    uint32_t operand, offset;
  };
  static constexpr uint32_t buffered_bit = 0x80000000u;
  struct Fixup {
    uint32_t id;  ///< a position, or an entry of `buffered_` with `buffered_bit`
    uint32_t operand, offset;
    uint32_t word = unknown;
  };
  struct ShownCheck {
    uint32_t id, offset;
    Type shown;
  };
  /// A statement whose type does not follow from what stands above it.
  struct Untyped {
    uint32_t offset;
    std::vector<uint32_t> uses;  ///< offsets of the names in it that were not known yet
  };
  struct PhiEntry {
    ir::BlockId from;
    ir::Operand value;  ///< `forward` if the name at `value_offset` is not known yet
    uint32_t offset, value_offset;
  };
  struct PhiList {
    uint32_t id;  ///< as in Fixup
    ir::BlockId block;
    uint32_t first, count;
  };
  struct Overwrite {
    uint32_t position;
    ir::Stmt stmt;
  };
  struct Buffered {
    ir::Inst inst;
    uint32_t offset = 0;
    uint32_t number = unknown;         ///< as the text names it
    ir::Point::Side side = ir::Point::Side::after;
    ir::BlockId block{};
    uint32_t position = unknown;       ///< of the anchor, if that is a statement of the vector
    uint32_t anchor = unknown;         ///< the anchor's entry in `buffered_`, if it is one
    uint32_t anchor_offset = unknown;  ///< where the anchor is named, if it is
  };

  // read_function.cpp: lines, blocks, variables, and what remains for the end
  void start_names();
  void make_blocks();
  void read_lines(uint32_t end);
  bool read_label();
  void start_block(ir::BlockId block);
  bool read_variable();
  void end_block();
  void finish();
  bool lookup_fixups();
  void judge_untyped();
  void fail_unknown(uint32_t offset);
  void check_shown_types();
  bool fill_phis();
  bool fill_phi(const PhiList& list);
  bool fill_plain_phi(const PhiList& list);
  void note_edges_into(ir::BlockId block);
  void apply_fixups();
  /// `id` as in Fixup.
  ir::Operand id_of(uint32_t id) const {
    if (id & buffered_bit) return static_cast<ir::NewRef>(buffered_rank_[id & ~buffered_bit]);
    return static_cast<ir::Ref>(id);
  }
  bool has_problems() const { return r_.problems.size() != problems_before_; }
  std::string shown_block(ir::BlockId b) const;

  // read_plain.cpp: lines as the printer writes them
  struct PlainLine;
  void read_plain_lines(size_t& label);
  const char* read_plain(PlainLine line);
  const char* read_plain_phi(PlainLine line, Type shown, uint32_t result, uint32_t offset);
  const char* read_plain_end(PlainLine line, const PlainOp& op, uint32_t offset);
  uint32_t plain_value(PlainLine& line, Type type);
  uint32_t plain_literal(const char*& at, Type type);
  uint32_t plain_name(const char*& at);
  uint32_t plain_block(PlainLine& line);
  uint32_t plain_named_block(const char*& at);
  void append_plain(const ir::Inst& inst, uint32_t result, uint32_t offset);

  // read_buffered.cpp: the insertion buffer
  bool read_buffered();
  bool find_anchors();
  bool order_buffered();
  bool find_depths(std::vector<uint32_t>& depths);
  bool numbers_can_stay();
  void insert_buffered();

  // read_statement.cpp: one statement
  bool read_statement(bool buffered);
  bool read_result();
  bool read_operation();
  bool read_generic(const ir::OpInfo& op);
  bool read_phi();
  bool read_list(char open, char close, const char* where);
  bool read_call();
  bool read_indirect_call();
  bool read_intrinsic(std::string_view name, const char* place);
  bool read_save_state();
  bool read_switch();
  bool read_trailing();
  bool read_attribute();
  bool read_location();
  bool check_shown();
  /// The operand words as a statement without its columns; a phi gets its operands at the end of the function.
  ir::Stmt make_stmt() {
    size_t count = d_.op == ir::Op::phi ? 0 : words_.size();
    if (count > 3) return make_pooled();
    auto word = [&](size_t i) { return i < count ? words_[i] : 0; };
    return {d_.op, static_cast<uint8_t>(count), d_.flags, {word(0), word(1), word(2)}};
  }
  ir::Stmt make_pooled();
  bool derive_type(const ir::Stmt& stmt, Type& type);
  bool emit();
  bool emit_terminator();
  void note_forwards(uint32_t id);
  bool define(const Slot& slot, ir::Operand value);
  void define_after_error();

  // read_operand.cpp: operands
  bool read_operand(ir::OperandKind kind);
  bool read_value();
  bool read_named_value();
  bool read_other_value();
  bool read_literal(Type type);
  bool read_integer(Kind kind);
  bool read_float(Kind kind);
  bool read_address(Kind kind);
  bool read_block_operand();
  /// The block with a label that is not `b` with a number; `unknown` if there is none.
  uint32_t named_block(std::string_view name) const;
  bool read_variable_operand();
  bool literal_fails(Type type);
  Type context_type();
  uint32_t& numbered(uint32_t number);
  bool scan_value_name(Slot& slot);
  uint32_t word_of(const Slot& slot);
  uint32_t lookup(uint32_t offset);

  void push(ir::Operand value) { words_.push_back(value.word()); }
  void push(uint32_t word) { words_.push_back(word); }

  /// Numbers are by far the most frequent names: `%n`, at the `%`, moves behind it. -1 for any other name.
  int64_t scan_number() {
    const char* at = c_.at + 1;
    uint32_t number = 0;
    for (; is(*at, decimal); ++at) number = number * 10 + static_cast<uint32_t>(*at - '0');
    size_t length = static_cast<size_t>(at - c_.at);
    constexpr size_t safe_length = 10;  // up to here the number fits
    if (length == 1 || length > safe_length || is(*at, name_part) || (c_.at[1] == '0' && length > 2)) return -1;
    if (number >= number_limit_) return -1;
    c_.at = at;
    return number;
  }
  /// A value that is such a name, of a statement that stands further up.
  bool take_known_value() {
    const char* first = c_.at;
    if (*first != '%') return false;
    int64_t number = scan_number();
    if (number >= 0 && static_cast<size_t>(number) < numbered_.size()) {
      if (uint32_t word = numbered_[static_cast<size_t>(number)]; word != unknown) {
        push(word);
        return true;
      }
    }
    c_.at = first;
    return false;
  }

  Reader& r_;
  Cursor& c_;
  SourceMap& map_;
  ir::Function* f_ = nullptr;
  uint32_t stamp_ = 0;           ///< the number of this function, counted from 1
  size_t problems_before_ = 0;
  uint32_t number_limit_ = 0;    ///< names `%n` below it are kept in a flat array

  Draft d_{};
  std::vector<uint32_t> words_;
  std::vector<Forward> forwards_;

  std::vector<uint32_t> numbered_;         ///< `%n`: the operand word, or `unknown`
  std::vector<uint32_t> buffered_names_;   ///< `%+k`: the entry of `buffered_`, or `unknown`
  std::vector<uint32_t> blocks_by_number_; ///< `bN`
  std::span<const Outline::Label> labels_; ///< by block

  ir::BlockId block_ = none_id<ir::BlockId>;
  bool block_ended_ = false;     ///< it has its terminator
  bool terminator_failed_ = false;
  bool block_has_tail_ = false;  ///< it has buffered statements at its end
  bool in_prefix_ = false;       ///< only phis and what counts as such so far
  uint32_t block_first_ = 0;     ///< the position of the block's first statement
  uint32_t waiting_before_ = unknown;  ///< offset of a buffered statement that waits for the one below

  std::vector<Fixup> fixups_;
  std::vector<ShownCheck> shown_checks_;
  std::vector<Untyped> untyped_;
  std::vector<PhiEntry> phi_entries_;
  std::vector<PhiList> phi_lists_;
  std::vector<Overwrite> overwrites_;
  std::vector<Buffered> buffered_;
  std::vector<uint32_t> buffered_order_;   ///< rank -> entry
  std::vector<uint32_t> buffered_rank_;    ///< entry -> rank

  // Filling phis: the edges into `edges_block_`, and per source block where they begin and which comes next.
  struct SourceEdges {
    uint32_t block_stamp = 0, first = 0, count = 0, phi_stamp = 0, next = 0;
  };
  std::vector<SourceEdges> source_edges_;
  uint32_t edges_stamp_ = 0, phi_stamp_ = 0;
  ir::BlockId edges_block_ = none_id<ir::BlockId>;
  uint64_t phi_operands_ = 0;
};

}  // namespace braid::text
