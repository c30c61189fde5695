// The shapes through LLVM's IRBuilder, in the fastest way there is: no names, phis placed by hand where they are needed,
// with room for their operands. That is the work which Braid's Builder does for its user.
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

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

}  // namespace

llvm::Function& build(llvm::Module& module, Shape shape, uint32_t statements) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  llvm::FunctionType* type = llvm::FunctionType::get(i64, {i64, i64, i64, i64}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  Emitter e(*function);
  uint32_t count = pieces(shape, statements);
  switch (shape) {
    case Shape::straight: straight(e, count); break;
    case Shape::diamonds: diamonds(e, count); break;
    case Shape::loops: loops(e, count); break;
  }
  return *function;
}

}  // namespace braid::bench
