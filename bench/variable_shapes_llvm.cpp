// A function with variables as LLVM IR: the same blocks, a stack slot for each variable.
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "subjects.h"
#include "variable_shapes.h"

namespace braid::bench {

using ir::Op;
using ir::Operand;

namespace {

class Translation {
 public:
  Translation(const ir::Function& from, llvm::Function& to)
      : from_(from), to_(to), b_(to.getContext()), i64_(b_.getInt64Ty()), values_(from.size()) {}

  void run() {
    for (uint32_t i = 0; i < from_.block_count(); ++i)
      blocks_.push_back(llvm::BasicBlock::Create(to_.getContext(), "", &to_));
    b_.SetInsertPoint(blocks_[0]);
    for (size_t v = 0; v < from_.variables.size(); ++v) slots_.push_back(b_.CreateAlloca(i64_));
    for (uint32_t i = 0; i < from_.block_count(); ++i) {
      b_.SetInsertPoint(blocks_[i]);
      const ir::Block& block = from_.block(static_cast<ir::BlockId>(i));
      for (uint32_t k = block.first; k < block.end; ++k) statement(k);
    }
  }

 private:
  llvm::Value* value(Operand operand) {
    if (operand.is_stmt()) return values_[operand.number()];
    if (operand.is_param()) return to_.getArg(operand.number());
    return b_.getInt64(from_.module().constants.value(operand).bits);
  }
  llvm::BasicBlock* target(uint32_t edge) { return blocks_[index(from_.edge(static_cast<ir::EdgeId>(edge)).to)]; }

  void statement(uint32_t position) {
    const ir::Stmt& s = from_.columns().stmt(position);
    std::span<const uint32_t> words = from_.args(s);
    auto operand = [&](uint32_t i) { return value(Operand::from_word(words[i])); };
    switch (s.op) {
      case Op::get: values_[position] = b_.CreateLoad(i64_, slots_[words[0]]); break;
      case Op::set: b_.CreateStore(operand(1), slots_[words[0]]); break;
      case Op::add: values_[position] = b_.CreateAdd(operand(0), operand(1)); break;
      case Op::slt: values_[position] = b_.CreateICmpSLT(operand(0), operand(1)); break;
      case Op::jump: b_.CreateBr(target(words[0])); break;
      case Op::branch: b_.CreateCondBr(operand(0), target(words[1]), target(words[2])); break;
      case Op::ret: b_.CreateRet(operand(0)); break;
      case Op::switch_: {
        llvm::SwitchInst* made = b_.CreateSwitch(operand(0), target(words[1]), static_cast<unsigned>(words.size() / 2));
        for (uint32_t i = 2; i < words.size(); i += 2)
          made->addCase(llvm::cast<llvm::ConstantInt>(operand(i)), target(words[i + 1]));
        break;
      }
      default: fail("no translation of " + std::string(ir::info(s.op).text));
    }
  }

  const ir::Function& from_;
  llvm::Function& to_;
  llvm::IRBuilder<> b_;
  llvm::Type* i64_;
  std::vector<llvm::Value*> values_;
  std::vector<llvm::BasicBlock*> blocks_;
  std::vector<llvm::AllocaInst*> slots_;
};

}  // namespace

llvm::Function& translate(llvm::Module& module, const ir::Function& f) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  llvm::FunctionType* type = llvm::FunctionType::get(i64, {i64, i64}, false);
  llvm::Function* made = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  Translation(f, *made).run();
  return *made;
}

}  // namespace braid::bench
