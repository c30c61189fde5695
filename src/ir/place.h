// Where a function stands while it is built: its module has a declaration of it, so that nobody falls over half of one.
// The body takes its place when it is done; if it never is, the declaration stays.
#pragma once

#include "ir/function.h"

namespace braid::ir {

struct Place {
  Function* declaration = nullptr;  ///< null: the module has something else of this name, or it is none
  const char* mistake = nullptr;    ///< … what, in words
};
/// The declaration of this name and signature that the module has, or a new one.
Place declare_place(Module& module, Symbol name, SigId signature);
/// Puts the body in its place. False if the module has got another body there in the meantime.
bool take_place(Function& declaration, Function&& body);
/// Whether the module has a function of this id, which calls of `callee` then mean.
bool can_call(const Module& module, const Function& callee);
/// A function without its body.
Function declaration_of(const Function& f);

}  // namespace braid::ir
