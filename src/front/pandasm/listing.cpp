#include "front/pandasm/listing.h"

#include "base/number_text.h"
#include "bytecode/build.h"
#include "front/pandasm/code.h"
#include "front/pandasm/pandasm.h"

namespace braid::pandasm {

using bytecode::Block;
using bytecode::BlockId;
using bytecode::Pc;

namespace {

class Lister {
 public:
  Lister(const Program& program, const Links& links, uint32_t function, const FunctionTypes& types, std::string& out)
      : program_(program), function_(program.functions[function]), code_(program, links, function), blocks_(*types.blocks),
        live_(code_, blocks_, types.liveness), types_(types), value_types_(program, links), out_(out) {}

  void run() {
    head();
    Pc next = 0;
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      const BlockId id = static_cast<BlockId>(b);
      unreachable(next, blocks_[id].first);
      block(id);
      next = blocks_[id].end;
    }
    unreachable(next, code_.size());
    out_ += "}\n";
  }

 private:
  void head() {
    append_signature(out_, program_, function_);
    out_ += " {  # ";
    count(code_.size(), "instruction");
    out_ += ", ";
    count(code_.register_count(), "register");
    out_ += ", ";
    count(blocks_.size(), "block");
    states();
    out_ += '\n';
  }
  /// What SSA code keeps of its registers at its start and at loop headers.
  void states() {
    size_t registers = live_.live_in(static_cast<BlockId>(0)).size();
    const std::vector<BlockId> headers = bytecode::loop_headers(code_, blocks_);
    for (BlockId header : headers) registers += live_.live_in(header).size();
    out_ += ", ";
    count(1 + headers.size(), "state");
    out_ += " of ";
    count(registers, "register");
  }

  void count(size_t number, std::string_view what) {
    append_u64(out_, number);
    out_ += ' ';
    out_ += what;
    if (number != 1) out_ += 's';
  }

  void block(BlockId id) {
    const Block& block = blocks_[id];
    out_ += "block ";
    append_u64(out_, index(id));
    if (block.is_handler) out_ += " handler";
    if (block.handlers != bytecode::no_handlers) {
      out_ += " in";
      for (uint32_t range : blocks_.ranges(block.handlers)) {
        out_ += " try ";
        append_u64(out_, range);
        out_ += " (block ";
        append_u64(out_, index(blocks_.block_of(code_.tries()[range].handler)));
        out_ += ')';
      }
    }
    if (!blocks_.successors(id).empty()) {
      out_ += " ->";
      for (BlockId to : blocks_.successors(id)) {
        out_ += ' ';
        append_u64(out_, index(to));
      }
    }
    out_ += ':';
    uint32_t type = types_.first_type[index(id)];
    for (flow::Variable v : live_.live_in(id)) {
      out_ += type == types_.first_type[index(id)] ? "  # " : ", ";
      append_name(out_, index(v));
      out_ += ": " + value_types_.text(types_.types[type++]);
    }
    out_ += '\n';

    // Liveness comes backwards, and lines go forwards.
    lines_.clear();
    live_.for_each_backwards(id, [&](Pc, const std::vector<bool>& live) { lines_.push_back(registers(live)); });
    for (Pc pc = block.first; pc < block.end; ++pc) instruction(pc, lines_[block.end - 1 - pc]);
  }

  void instruction(Pc pc, std::string_view live) {
    const size_t start = out_.size();
    std::string number;
    append_u64(number, pc);
    out_.append(number.size() < 6 ? 6 - number.size() : 1, ' ');
    out_ += number;
    out_ += "  ";
    append_instruction(out_, program_, function_, pc);
    if (live.empty()) {
      out_ += '\n';
      return;
    }
    const size_t width = out_.size() - start;
    out_.append(width < 44 ? 44 - width : 1, ' ');
    out_ += "# ";
    out_ += live;
    out_ += '\n';
  }

  std::string registers(const std::vector<bool>& live) const {
    std::string text;
    for (uint32_t r = 0; r < live.size(); ++r) {
      if (!live[r]) continue;
      if (!text.empty()) text += ' ';
      append_name(text, r);
    }
    return text;
  }

  void append_name(std::string& text, uint32_t r) const {
    if (r == code_.accumulator())
      text += "acc";
    else
      append_register(text, function_, r);
  }

  void unreachable(Pc from, Pc to) {
    if (from == to) return;
    out_ += "unreachable:\n";
    for (Pc pc = from; pc < to; ++pc) instruction(pc, {});
  }

  const Program& program_;
  const Function& function_;
  FunctionCode code_;
  const bytecode::Blocks& blocks_;
  bytecode::RegisterLiveness live_;
  const FunctionTypes& types_;
  ValueTypes value_types_;
  std::string& out_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string listing(const Program& program, const Links& links, const std::vector<FunctionTypes>& types) {
  std::string out;
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    if (!program.functions[i].has_body) continue;
    if (!out.empty()) out += '\n';
    Lister(program, links, i, types[i], out).run();
  }
  return out;
}

}  // namespace braid::pandasm
