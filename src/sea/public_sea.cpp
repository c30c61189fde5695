// The public side of the sea.
#include <braid/sea.h>

#include <algorithm>
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
  bool failed = false;  ///< a mistake was made: nothing is built any more

  /// A condition or loop that is open.
  struct Open {
    bool is_loop;
    uint32_t levels, names;   ///< in front of it
    bool has_part = false;    ///< a condition its other side, a loop its condition
  };
  std::vector<Open> open;
  uint32_t outer_levels = 0;  ///< of scopes, that nobody closes

  /// Whether something may be built. Afterwards nothing is, if there was a mistake.
  bool may_build() {
    return !failed && !(finished && mistake("something is built behind the end"));
  }
  /// True.
  bool mistake(std::string_view what);
  bool may_leave_loop();
  bool check(bool holds, std::string_view what) { return holds || !mistake(what); }
  /// The innermost of all that is open is of this kind, and all scopes in it are closed.
  bool is_in(bool is_loop, std::string_view what) {
    return may_build() && check(!open.empty() && open.back().is_loop == is_loop, what) &&
           check(builder.scopes().level_count() == open.back().levels, "a scope is still open");
  }
  void begin(bool is_loop) { open.push_back({is_loop, builder.scopes().level_count(), builder.scopes().name_count()}); }

  Sea::Node node(sea::NodeId n) const { return {index(n), this}; }
  /// What a node is now; none after a mistake.
  sea::NodeId known(Sea::Node n) {
    if (!may_build() || !check(n.sea == this && n.id < graph.size(), "a node of another Sea")) return sea::no_node;
    sea::NodeId now = static_cast<sea::NodeId>(n.id);
    while (!is_none(now) && graph.is_dead(now)) now = graph.replacement(now);
    check(!is_none(now), "a node that is no more: the loop around it is closed");
    return now;
  }
  /// What was asked for after a mistake. Nobody looks at it.
  Sea::Node nothing() const { return {0, this}; }

  uint32_t find(std::string_view name) const {
    Symbol symbol = module.symbols.find(name);
    const uint32_t slot = is_none(symbol) ? sea::Scopes::no_slot : builder.scopes().find(symbol);
    return slot == 0 ? sea::Scopes::no_slot : slot;  // the first name is that of what happens, which is the builder's
  }
};

namespace {

/// As what was declared in contradiction to the module: the verifier reports it.
void note_mistake(ir::Module& m, std::string_view name, const std::string& mistake) {
  m.mistakes.push_back("in '@" + std::string(name) + "': " + mistake);
}

}  // namespace

bool Sea::Impl::mistake(std::string_view what) {
  if (!failed) note_mistake(module, own.name_text(), std::string(what));
  return failed = true;
}

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
    const bool is_new = impl_->builder.scopes().define(known, i64, impl_->builder.parameter(known));
    impl_->check(is_new, "two parameters have the name '" + parameter + "'");
  }
  impl_->outer_levels = impl_->builder.scopes().level_count();
}
Sea::~Sea() = default;
Sea::Sea(Sea&&) noexcept = default;
Sea& Sea::operator=(Sea&&) noexcept = default;

// ---- values ----

Sea::Node Sea::constant(int64_t value) {
  return impl_->may_build() ? impl_->node(impl_->builder.constant(value)) : impl_->nothing();
}

Sea::Node Sea::op(std::string_view name, Node a, Node b) {
  std::optional<ir::Op> op = ir::find_op(name);
  const ir::TypeRule rule = op ? ir::info(*op).rule : ir::TypeRule{};
  const bool is_known = op && (rule == ir::TypeRule::int_binary || rule == ir::TypeRule::equality ||
                               rule == ir::TypeRule::signed_compare || rule == ir::TypeRule::unsigned_compare);
  if (!is_known) impl_->mistake("'" + std::string(name) + "' is not an operation of two integers");
  const sea::NodeId left = impl_->known(a), right = impl_->known(b);
  return impl_->failed ? impl_->nothing() : impl_->node(impl_->builder.binary(*op, left, right));
}

Sea::Node Sea::negate(Node a) {
  const sea::NodeId known = impl_->known(a);
  return is_none(known) ? impl_->nothing() : impl_->node(impl_->builder.unary(ir::Op::neg, known));
}
Sea::Node Sea::is_zero(Node a) {
  const sea::NodeId known = impl_->known(a);
  return is_none(known) ? impl_->nothing() : impl_->node(impl_->builder.is_zero(known));
}

Sea::Node Sea::call(const Func& callee, std::span<const Node> arguments) {
  if (!impl_->may_build()) return impl_->nothing();
  const ir::Signature& signature = callee.signature();
  const bool takes = signature.result == i64 && signature.params == std::vector<Type>(arguments.size(), i64);
  if (!takes || !ir::can_call(impl_->module, callee)) {
    const std::string name(callee.name_text());
    note_mistake(impl_->module, impl_->own.name_text(),
                 takes ? "'@" + name + "' is not in the module" : "'@" + name + "' does not take these arguments and return i64");
    return constant(0);
  }
  std::vector<sea::NodeId> inputs;
  for (Node argument : arguments) inputs.push_back(impl_->known(argument));
  return impl_->failed ? impl_->nothing() : impl_->node(impl_->builder.call(callee.id(), inputs));
}

// ---- names ----

void Sea::open_scope() {
  if (impl_->may_build()) impl_->builder.scopes().open_level();
}

void Sea::close_scope() {
  if (!impl_->may_build()) return;
  const uint32_t outside = impl_->open.empty() ? impl_->outer_levels : impl_->open.back().levels;
  if (impl_->check(impl_->builder.scopes().level_count() > outside, "a scope is closed that is not open here"))
    impl_->builder.scopes().close_level();
}

bool Sea::define(std::string_view name, Node value) {
  const sea::NodeId known = impl_->known(value);
  return !is_none(known) && impl_->builder.scopes().define(impl_->module.symbol(name), i64, known);
}

std::optional<Sea::Node> Sea::lookup(std::string_view name) {
  uint32_t slot = impl_->find(name);
  if (slot == sea::Scopes::no_slot) return std::nullopt;
  return impl_->may_build() ? impl_->node(impl_->builder.scopes().lookup(slot)) : impl_->nothing();
}

bool Sea::assign(std::string_view name, Node value) {
  uint32_t slot = impl_->find(name);
  if (slot == sea::Scopes::no_slot) return false;
  if (const sea::NodeId known = impl_->known(value); !is_none(known)) impl_->builder.scopes().assign(slot, known);
  return true;
}

// ---- control ----

void Sea::if_(Node condition) {
  const sea::NodeId known = impl_->known(condition);
  if (is_none(known)) return;
  impl_->begin(false);
  impl_->builder.if_(known);
}

void Sea::else_() {
  if (!impl_->is_in(false, "an else without its if")) return;
  Impl::Open& top = impl_->open.back();
  if (!impl_->check(!top.has_part, "a condition has two elses")) return;
  top.has_part = true;
  impl_->builder.else_();
}

void Sea::end_if() {
  if (!impl_->is_in(false, "the end of a condition that is not open")) return;
  impl_->open.pop_back();
  impl_->check(impl_->builder.end_if(), "a side of a condition has defined a name");
}

void Sea::loop() {
  if (!impl_->may_build()) return;
  impl_->begin(true);
  impl_->builder.loop();
}

void Sea::loop_while(Node condition) {
  const sea::NodeId known = impl_->known(condition);
  if (!impl_->is_in(true, "the condition of a loop outside of it")) return;
  Impl::Open& top = impl_->open.back();
  if (!impl_->check(!top.has_part, "a loop has two conditions")) return;
  if (!impl_->check(impl_->builder.scopes().name_count() == top.names, "a name is defined in front of the condition of its loop"))
    return;
  top.has_part = true;
  impl_->builder.loop_while(known);
}

/// Whether there is a loop around this that can be left here.
bool Sea::Impl::may_leave_loop() {
  if (!builder.in_loop() || !may_build()) return false;
  const auto loop = std::find_if(open.rbegin(), open.rend(), [](const Open& one) { return one.is_loop; });
  return check(loop->has_part, "a loop is left in front of its condition");
}

bool Sea::break_() {
  if (impl_->may_leave_loop()) impl_->builder.break_();
  return impl_->builder.in_loop();
}

bool Sea::continue_() {
  if (impl_->may_leave_loop()) impl_->builder.continue_();
  return impl_->builder.in_loop();
}

void Sea::end_loop() {
  if (!impl_->is_in(true, "the end of a loop that is not open")) return;
  if (!impl_->check(impl_->open.back().has_part, "a loop without a condition")) return;
  impl_->open.pop_back();
  impl_->builder.end_loop();
}

void Sea::ret(Node value) {
  if (const sea::NodeId known = impl_->known(value); !is_none(known)) impl_->builder.ret(known);
}

// ---- the result ----

void Sea::finish() {
  if (impl_->finished || impl_->failed) return;
  if (!impl_->check(impl_->open.empty(), "a condition or loop is still open")) return;
  impl_->builder.finish();
  sea::add_exits(impl_->graph, true);
  impl_->finished = true;
}

std::string Sea::to_text() {
  finish();
  return impl_->failed ? std::string() : sea::print_text(impl_->graph);
}

SeaResult Sea::evaluate(std::span<const int64_t> arguments, uint64_t most_rounds) {
  finish();
  if (impl_->failed) return {SeaResult::Kind::other, 0, "a mistake was made in building it"};
  if (arguments.size() != impl_->own.param_count()) return {SeaResult::Kind::other, 0, "it takes other arguments"};
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
  if (impl.failed) {
    impl.own = ir::declaration_of(impl.own);
    return *(impl.landed = impl.place != nullptr ? impl.place : &impl.own);
  }
  sea::land(impl.graph, impl.own);
  if (impl.place != nullptr && ir::take_place(*impl.place, std::move(impl.own))) return *(impl.landed = impl.place);
  if (impl.place != nullptr) note_mistake(impl.module, impl.own.name_text(), "the function is defined twice");
  impl.own = ir::declaration_of(impl.own);
  return *(impl.landed = &impl.own);
}

}  // namespace braid
