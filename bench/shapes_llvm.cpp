// The shapes through LLVM's IRBuilder, in the fastest way there is: no names, phis placed by hand where they are needed,
// with room for their operands. That is the work which Braid's Builder does for its user.
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <vector>

#include "shapes.h"

namespace braid::bench {
namespace {

using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Value;

struct Emitter {
  llvm::Function& function;
  llvm::LLVMContext& context;
  llvm::IRBuilder<> b;
  llvm::Type* i64;

  explicit Emitter(llvm::Function& f) : function(f), context(f.getContext()), b(context), i64(b.getInt64Ty()) {
    b.SetInsertPoint(block());
  }
  BasicBlock* block() { return BasicBlock::Create(context, "", &function); }
  PHINode* phi(Value* first, BasicBlock* from) {
    PHINode* made = b.CreatePHI(i64, 2);
    made->addIncoming(first, from);
    return made;
  }
  PHINode* phi(Value* first, BasicBlock* from, Value* second, BasicBlock* other) {
    PHINode* made = phi(first, from);
    made->addIncoming(second, other);
    return made;
  }
};

void straight(Emitter& e, uint32_t count) {
  llvm::IRBuilder<>& b = e.b;
  Value *x = e.function.getArg(0), *y = e.function.getArg(1), *z = e.function.getArg(2);
  for (uint32_t i = 0; i < count; ++i) {
    x = b.CreateAdd(x, y);
    y = b.CreateXor(y, z);
    z = b.CreateMul(z, x);
    x = b.CreateSub(x, z);
    y = b.CreateAnd(y, x);
    z = b.CreateOr(z, y);
  }
  b.CreateRet(b.CreateAdd(b.CreateAdd(x, y), z));
}

void diamonds(Emitter& e, uint32_t count) {
  llvm::IRBuilder<>& b = e.b;
  Value *x = e.function.getArg(0), *y = e.function.getArg(1), *z = e.function.getArg(2);
  for (uint32_t i = 0; i < count; ++i) {
    BasicBlock *then = e.block(), *otherwise = e.block(), *after = e.block();
    b.CreateCondBr(b.CreateICmpSLT(x, y), then, otherwise);
    b.SetInsertPoint(then);
    Value* sum = b.CreateAdd(x, z);
    b.CreateBr(after);
    b.SetInsertPoint(otherwise);
    Value* difference = b.CreateSub(y, z);
    b.CreateBr(after);
    b.SetInsertPoint(after);
    x = e.phi(sum, then, x, otherwise);
    y = e.phi(y, then, difference, otherwise);
    z = b.CreateXor(z, x);
    z = b.CreateAdd(z, y);
  }
  b.CreateRet(b.CreateAdd(b.CreateAdd(x, y), z));
}

void loops(Emitter& e, uint32_t count) {
  llvm::IRBuilder<>& b = e.b;
  Value *i = e.function.getArg(0), *j = e.function.getArg(1), *k = e.function.getArg(2), *n = e.function.getArg(3);
  for (uint32_t c = 0; c < count; ++c) {
    BasicBlock* before = b.GetInsertBlock();
    BasicBlock *head1 = e.block(), *body1 = e.block(), *head2 = e.block(), *body2 = e.block(), *head3 = e.block();
    BasicBlock *body3 = e.block(), *after3 = e.block(), *after2 = e.block(), *after1 = e.block();
    b.CreateBr(head1);
    b.SetInsertPoint(head1);
    PHINode *i1 = e.phi(i, before), *j1 = e.phi(j, before), *k1 = e.phi(k, before);
    b.CreateCondBr(b.CreateICmpSLT(i1, n), body1, after1);
    b.SetInsertPoint(body1);
    b.CreateBr(head2);
    b.SetInsertPoint(head2);
    PHINode *j2 = e.phi(j1, body1), *k2 = e.phi(k1, body1);
    b.CreateCondBr(b.CreateICmpSLT(j2, n), body2, after2);
    b.SetInsertPoint(body2);
    b.CreateBr(head3);
    b.SetInsertPoint(head3);
    PHINode* k3 = e.phi(k2, body2);
    b.CreateCondBr(b.CreateICmpSLT(k3, n), body3, after3);
    b.SetInsertPoint(body3);
    k3->addIncoming(b.CreateAdd(k3, j2), body3);
    b.CreateBr(head3);
    b.SetInsertPoint(after3);
    k2->addIncoming(b.CreateSub(k3, i1), after3);
    j2->addIncoming(b.CreateAdd(j2, i1), after3);
    b.CreateBr(head2);
    b.SetInsertPoint(after2);
    Value* difference = b.CreateSub(j2, k2);
    j1->addIncoming(difference, after2);
    i1->addIncoming(b.CreateAdd(i1, difference), after2);
    k1->addIncoming(k2, after2);
    b.CreateBr(head1);
    b.SetInsertPoint(after1);
    i = b.CreateXor(i1, n);
    j = j1;
    k = k1;
  }
  b.CreateRet(b.CreateAdd(b.CreateAdd(i, j), k));
}

/// The same programs over variables in stack slots, as a front end writes them that leaves phis to mem2reg.
struct SlotEmitter : Emitter {
  std::vector<llvm::AllocaInst*> slots;

  explicit SlotEmitter(llvm::Function& f) : Emitter(f) {
    for (unsigned i = 0; i < 4; ++i) slots.push_back(b.CreateAlloca(i64));
    for (unsigned i = 0; i < 4; ++i) b.CreateStore(f.getArg(i), slots[i]);
  }
  Value* get(unsigned v) { return b.CreateLoad(i64, slots[v]); }
  void set(unsigned v, Value* value) { b.CreateStore(value, slots[v]); }
  void update(unsigned to, llvm::Instruction::BinaryOps op, unsigned left, unsigned right) {
    Value* first = get(left);
    set(to, b.CreateBinOp(op, first, get(right)));
  }
  Value* less(unsigned left, unsigned right) {
    Value* first = get(left);
    return b.CreateICmpSLT(first, get(right));
  }
  void ret() {
    Value* sum = b.CreateAdd(get(0), get(1));
    b.CreateRet(b.CreateAdd(sum, get(2)));
  }
};

using Ops = llvm::Instruction;

void straight(SlotEmitter& e, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    e.update(0, Ops::Add, 0, 1);
    e.update(1, Ops::Xor, 1, 2);
    e.update(2, Ops::Mul, 2, 0);
    e.update(0, Ops::Sub, 0, 2);
    e.update(1, Ops::And, 1, 0);
    e.update(2, Ops::Or, 2, 1);
  }
  e.ret();
}

void diamonds(SlotEmitter& e, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    BasicBlock *then = e.block(), *otherwise = e.block(), *after = e.block();
    e.b.CreateCondBr(e.less(0, 1), then, otherwise);
    e.b.SetInsertPoint(then);
    e.update(0, Ops::Add, 0, 2);
    e.b.CreateBr(after);
    e.b.SetInsertPoint(otherwise);
    e.update(1, Ops::Sub, 1, 2);
    e.b.CreateBr(after);
    e.b.SetInsertPoint(after);
    e.update(2, Ops::Xor, 2, 0);
    e.update(2, Ops::Add, 2, 1);
  }
  e.ret();
}

void loops(SlotEmitter& e, uint32_t count) {
  constexpr unsigned i = 0, j = 1, k = 2, n = 3;
  for (uint32_t c = 0; c < count; ++c) {
    BasicBlock* after[3];
    BasicBlock* head[3];
    for (unsigned level : {i, j, k}) {
      head[level] = e.block();
      after[level] = e.block();
      BasicBlock* body = e.block();
      e.b.CreateBr(head[level]);
      e.b.SetInsertPoint(head[level]);
      e.b.CreateCondBr(e.less(level, n), body, after[level]);
      e.b.SetInsertPoint(body);
    }
    e.update(k, Ops::Add, k, j);
    e.b.CreateBr(head[k]);
    e.b.SetInsertPoint(after[k]);
    e.update(k, Ops::Sub, k, i);
    e.update(j, Ops::Add, j, i);
    e.b.CreateBr(head[j]);
    e.b.SetInsertPoint(after[j]);
    e.update(j, Ops::Sub, j, k);
    e.update(i, Ops::Add, i, j);
    e.b.CreateBr(head[i]);
    e.b.SetInsertPoint(after[i]);
    e.update(i, Ops::Xor, i, n);
  }
  e.ret();
}

llvm::Function& new_function(llvm::Module& module) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  llvm::FunctionType* type = llvm::FunctionType::get(i64, {i64, i64, i64, i64}, false);
  return *llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
}

template <class E>
void emit(E& e, Shape shape, uint32_t statements) {
  uint32_t count = pieces(shape, statements);
  switch (shape) {
    case Shape::straight: straight(e, count); break;
    case Shape::diamonds: diamonds(e, count); break;
    case Shape::loops: loops(e, count); break;
  }
}

}  // namespace

void promote(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  llvm::AssumptionCache assumptions(f);
  std::vector<llvm::AllocaInst*> slots;
  for (llvm::Instruction& i : f.getEntryBlock())
    if (auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i); slot != nullptr && llvm::isAllocaPromotable(slot))
      slots.push_back(slot);
  llvm::PromoteMemToReg(slots, dominators, &assumptions);
}

llvm::Function& build_and_promote(llvm::Module& module, Shape shape, uint32_t statements) {
  llvm::Function& function = new_function(module);
  SlotEmitter e(function);
  emit(e, shape, statements);
  promote(function);
  return function;
}

llvm::Function& build(llvm::Module& module, Shape shape, uint32_t statements) {
  llvm::Function& function = new_function(module);
  Emitter e(function);
  emit(e, shape, statements);
  return function;
}

}  // namespace braid::bench
