// The public side of the sea.
#include <braid/sea.h>

#include <cassert>
#include <vector>

#include "sea/add_exits.h"
#include "sea/build.h"
#include "sea/evaluate.h"
#include "sea/full_peepholes.h"
#include "sea/land.h"
#include "sea/print_text.h"

namespace braid {

struct Sea::Impl {
  Impl(ir::Module& m, ir::Function& f, SeaOptions options)
      : module(m), function(f), graph(m), simplify(graph),
        builder(graph, options.peepholes ? static_cast<sea::Peepholes&>(simplify) : leave,
                {.single_region = options.single_region, .effects = true}) {}

  ir::Module& module;
  ir::Function& function;
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

ir::Function& declare(ir::Module& m, std::string_view name, std::span<const std::string> parameters) {
  assert(m.find_function(name) == nullptr && "the module has a function of this name");
  ir::Function& f = m.add_function(m.symbol(name), {std::vector<Type>(parameters.size(), i64), i64});
  for (const std::string& parameter : parameters) f.param_names.push_back(m.symbol(parameter));
  return f;
}

}  // namespace

Sea::Sea(Module& m, std::string_view name, std::span<const std::string> parameters, SeaOptions options)
    : impl_(std::make_unique<Impl>(m.ir(), declare(m.ir(), name, parameters), options)) {
  for (Symbol parameter : impl_->function.param_names)
    impl_->builder.scopes().define(parameter, i64, impl_->builder.parameter(parameter));
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
  finish();
  sea::land(impl_->graph, impl_->function);
  return impl_->function;
}

}  // namespace braid
