// The public side of the sea.
#include <braid/sea.h>

#include <cassert>
#include <vector>

#include "ir/place.h"
#include "sea/add_exits.h"
#include "sea/build.h"
#include "sea/evaluate.h"
#include "sea/full_peepholes.h"
#include "sea/land.h"
#include "sea/print_text.h"

namespace braid {

struct Sea::Impl {
  Impl(ir::Module& m, Symbol name, ir::SigId signature, const ir::Place& place, SeaOptions options)
      : module(m),
        place(place.declaration),
        own(m, place.declaration == nullptr ? none_id<ir::FuncId> : place.declaration->id(), name, signature, false),
        graph(m), simplify(graph),
        builder(graph, options.peepholes ? static_cast<sea::Peepholes&>(simplify) : leave,
                {.single_region = options.single_region, .effects = true}) {}

  ir::Module& module;
  ir::Function* place;             ///< the declaration that the module has; null if the name is taken
  ir::Function own;                ///< it moves to its place when it has landed
  ir::Function* landed = nullptr;
  sea::Graph graph;
  sea::FullPeepholes simplify;
  sea::NoPeepholes leave;
  sea::Builder builder;
  bool finished = false;

  uint32_t find(std::string_view name) const {
    Symbol symbol = module.symbols.find(name);
    return is_none(symbol) ? sea::Scopes::no_slot : builder.scopes().find(symbol);
  }
};

namespace {

sea::NodeId node(Sea::Node n) { return static_cast<sea::NodeId>(n.id); }
Sea::Node node(sea::NodeId n) { return {index(n)}; }

/// As what was declared in contradiction to the module: the verifier reports it.
void note_mistake(ir::Module& m, std::string_view name, const std::string& mistake) {
  m.mistakes.push_back("in '@" + std::string(name) + "': " + mistake);
}

}  // namespace

Sea::Sea(Module& m, std::string_view name, std::span<const std::string> parameters, SeaOptions options) {
  ir::Module& module = m.ir();
  const Symbol symbol = module.symbol(name);
  const ir::SigId signature = module.signature({std::vector<Type>(parameters.size(), i64), i64});
  const ir::Place place = ir::declare_place(module, symbol, signature);
  if (place.mistake != nullptr) note_mistake(module, name, place.mistake);
  impl_ = std::make_unique<Impl>(module, symbol, signature, place, options);
  for (const std::string& parameter : parameters) {
    const Symbol known = module.symbol(parameter);
    impl_->own.param_names.push_back(known);
    impl_->builder.scopes().define(known, i64, impl_->builder.parameter(known));
  }
}
Sea::~Sea() = default;
Sea::Sea(Sea&&) noexcept = default;
Sea& Sea::operator=(Sea&&) noexcept = default;

// ---- values ----

Sea::Node Sea::constant(int64_t value) { return node(impl_->builder.constant(value)); }

Sea::Node Sea::op(std::string_view name, Node a, Node b) {
  std::optional<ir::Op> op = ir::find_op(name);
  assert(op && "no such operation");
  [[maybe_unused]] ir::TypeRule rule = ir::info(*op).rule;
  assert((rule == ir::TypeRule::int_binary || rule == ir::TypeRule::equality || rule == ir::TypeRule::signed_compare ||
          rule == ir::TypeRule::unsigned_compare) && "not an operation of two integers");
  return node(impl_->builder.binary(*op, node(a), node(b)));
}

Sea::Node Sea::negate(Node a) { return node(impl_->builder.unary(ir::Op::neg, node(a))); }
Sea::Node Sea::is_zero(Node a) { return node(impl_->builder.is_zero(node(a))); }

Sea::Node Sea::call(const Func& callee, std::span<const Node> arguments) {
  const ir::Signature& signature = callee.signature();
  const bool takes = signature.result == i64 && signature.params == std::vector<Type>(arguments.size(), i64);
  if (!takes || !ir::can_call(impl_->module, callee)) {
    const std::string name(callee.name_text());
    note_mistake(impl_->module, impl_->own.name_text(),
                 takes ? "'@" + name + "' is not in the module" : "'@" + name + "' does not take these arguments and return i64");
    return constant(0);
  }
  std::vector<sea::NodeId> inputs;
  for (Node argument : arguments) inputs.push_back(node(argument));
  return node(impl_->builder.call(callee.id(), inputs));
}

// ---- names ----

void Sea::open_scope() { impl_->builder.scopes().open_level(); }
void Sea::close_scope() { impl_->builder.scopes().close_level(); }

bool Sea::define(std::string_view name, Node value) {
  return impl_->builder.scopes().define(impl_->module.symbol(name), i64, node(value));
}

std::optional<Sea::Node> Sea::lookup(std::string_view name) {
  uint32_t slot = impl_->find(name);
  if (slot == sea::Scopes::no_slot) return std::nullopt;
  return node(impl_->builder.scopes().lookup(slot));
}

bool Sea::assign(std::string_view name, Node value) {
  uint32_t slot = impl_->find(name);
  if (slot == sea::Scopes::no_slot) return false;
  impl_->builder.scopes().assign(slot, node(value));
  return true;
}

// ---- control ----

void Sea::if_(Node condition) { impl_->builder.if_(node(condition)); }
void Sea::else_() { impl_->builder.else_(); }
void Sea::end_if() {
  [[maybe_unused]] bool merged = impl_->builder.end_if();
  assert(merged && "a side of the condition has defined a name");
}
void Sea::loop() { impl_->builder.loop(); }
void Sea::loop_while(Node condition) { impl_->builder.loop_while(node(condition)); }

bool Sea::break_() {
  if (!impl_->builder.in_loop()) return false;
  impl_->builder.break_();
  return true;
}

bool Sea::continue_() {
  if (!impl_->builder.in_loop()) return false;
  impl_->builder.continue_();
  return true;
}

void Sea::end_loop() { impl_->builder.end_loop(); }
void Sea::ret(Node value) { impl_->builder.ret(node(value)); }

// ---- the result ----

void Sea::finish() {
  if (impl_->finished) return;
  impl_->builder.finish();
  sea::add_exits(impl_->graph, true);
  impl_->finished = true;
}

std::string Sea::to_text() {
  finish();
  return sea::print_text(impl_->graph);
}

SeaResult Sea::evaluate(std::span<const int64_t> arguments, uint64_t most_rounds) {
  finish();
  sea::Evaluator evaluator;
  evaluator.limits.back_edges = most_rounds;
  evaluator.reset(impl_->graph);
  std::vector<uint64_t> bits(arguments.begin(), arguments.end());
  sea::Evaluation evaluation = evaluator.run(bits);
  SeaResult result;
  switch (evaluation.kind) {
    case sea::Evaluation::Kind::value: result.kind = SeaResult::Kind::value; break;
    case sea::Evaluation::Kind::fallthrough: result.kind = SeaResult::Kind::fallthrough; break;
    case sea::Evaluation::Kind::timeout: result.kind = SeaResult::Kind::timeout; break;
    default: result.kind = SeaResult::Kind::other; break;
  }
  result.value = static_cast<int64_t>(evaluation.bits);
  result.message = to_string(evaluation);
  return result;
}

Func& Sea::land() {
  Impl& impl = *impl_;
  if (impl.landed != nullptr) return *impl.landed;
  finish();
  sea::land(impl.graph, impl.own);
  if (impl.place != nullptr && ir::take_place(*impl.place, std::move(impl.own))) return *(impl.landed = impl.place);
  if (impl.place != nullptr) note_mistake(impl.module, impl.own.name_text(), "the function is defined twice");
  impl.own = ir::declaration_of(impl.own);
  return *(impl.landed = &impl.own);
}

}  // namespace braid
