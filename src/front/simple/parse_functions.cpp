// Functions: their parameters, and who calls whom.
#include <algorithm>
#include <utility>

#include "front/simple/common.h"
#include "front/simple/parser.h"
#include "sea/optimise.h"

namespace braid::simple {

Parser::Context::Context(std::unique_ptr<sea::Graph> building, const ParseOptions& options, size_t text_size,
                         LimitedRewrites* limited)
    : graph(std::move(building)) {
  graph->reserve(static_cast<uint32_t>(text_size / 2 + 16));
  if (options.peepholes) {
    auto full = std::make_unique<sea::FullPeepholes>(*graph);
    full_peepholes = full.get();
    full->set_observer(limited != nullptr ? limited : options.observer);
    peepholes = std::move(full);
    if (limited != nullptr) peepholes = std::make_unique<LimitedPeepholes>(*graph, std::move(peepholes), *limited);
  } else {
    peepholes = std::make_unique<sea::NoPeepholes>();
  }
  builder = std::make_unique<sea::Builder>(*graph, *peepholes,
                                           sea::BuildOptions{.single_region = options.single_region, .effects = true});
}

std::unique_ptr<LimitedRewrites> Parser::limit_rewrites() {
  if (!options_.limit) return nullptr;
  return std::make_unique<LimitedRewrites>(options_, [this] {
    const std::optional<size_t> offset = is_optimising_ ? std::nullopt : std::optional(lexer_.offset());
    return LimitedRewrites::Place{context_->name, context_->graph.get(), offset};
  });
}

std::unique_ptr<sea::Graph> Parser::finish_graph() {
  const bool optimises = options_.peepholes && (limited_ == nullptr || !limited_->is_over());
  builder().finish(!optimises);
  if (optimises) {
    const sea::BegunWork begun = context_->full_peepholes->begun();
    sea::OptimiseOptions options;
    options.begun = &begun;
    options.observer = limited_ != nullptr ? limited_.get() : options_.observer;
    is_optimising_ = true;
    sea::optimise(builder().graph(), options);
    is_optimising_ = false;
  }
  // In large graphs, room that nothing was written to costs no memory.
  constexpr uint32_t most_copied = 1 << 12;
  std::unique_ptr<sea::Graph> built = std::move(context_->graph);
  if (options_.pool != nullptr || built->size() > most_copied) return built;
  std::unique_ptr<sea::Graph> kept = built->copy_for_keeping();
  pool_.give(std::move(built));
  return kept;
}

/// Declared where it is called first, or defined.
Parser::Function& Parser::function(Symbol name, uint32_t parameters, size_t offset) {
  auto [found, is_new] = functions_.try_emplace(index(name), Function{ir::FuncId{}, parameters, offset});
  if (!is_new) {
    found->second.offset = std::min(found->second.offset, offset);  // a call in an argument of another ends before it
    return found->second;
  }
  function_order_.push_back(name);
  ir::Signature signature{std::vector<Type>(parameters, i64), i64};
  ir::Function* known = module_.find_function(name);
  if (known == nullptr)
    found->second.id = module_.add_function(name, std::move(signature)).id();
  else if (known->signature() == signature)
    found->second.id = known->id();
  else
    fail(offset, "the module has another function '" + std::string(module_.name(name)) + "'");
  return found->second;
}

/// `int a, int b ->`, or nothing if that is not what follows.
std::vector<Symbol> Parser::parse_parameters() {
  size_t begin = lexer_.offset();
  std::vector<Symbol> names;
  while (take(Token::int_) && lexer_.token() == Token::name) {
    names.push_back(module_.symbol(lexer_.text()));
    lexer_.next();
    if (take(Token::arrow)) return names;
    if (!take(Token::comma)) break;
  }
  lexer_.go_to(begin);
  return {};
}

/// Behind `val NAME = {`.
bool Parser::begin_function(std::string_view name, size_t offset) {
  Symbol symbol = module_.symbol(name);
  if (!at_top()) fail_nested_function(offset);
  std::vector<Symbol> parameters = parse_parameters();
  uint32_t count = static_cast<uint32_t>(parameters.size());
  auto context = std::make_unique<Context>(pool_.take(module_), options_, 128, limited_.get());
  context->name = symbol;
  context->parameters = count;
  context->id = name == "main" ? reject_main(offset) : define_function(name, parameters, offset);
  outer_.push_back(std::exchange(context_, std::move(context)));
  builder_ = context_->builder.get();
  for (Symbol parameter : parameters)
    if (!scopes().define(parameter, i64, builder().parameter(parameter)))
      fail(offset, "two parameters are called '" + std::string(module_.name(parameter)) + "'");
  context_->fixed.assign(scopes().name_count(), false);
  open_block(Frame::Kind::function);
  return true;
}

ir::FuncId Parser::reject_main(size_t offset) {
  fail(offset, "'main' is the program itself");
  return program_.functions[0].id;
}

ir::FuncId Parser::define_function(std::string_view name, const std::vector<Symbol>& parameters, size_t offset) {
  uint32_t count = static_cast<uint32_t>(parameters.size());
  Symbol symbol = module_.symbol(name);
  Function& self = function(symbol, count, offset);
  if (scopes().find(symbol) != sea::Scopes::no_slot) {
    fail(offset, "redefining name '" + std::string(name) + "'");
    self.reported = true;
  }
  if (self.defined) {
    fail(offset, "redefining function '" + std::string(name) + "'");
    self.reported = true;
  }
  if (at_top()) {
    defines_function_.resize(std::max<size_t>(defines_function_.size(), index(symbol) + 1));
    defines_function_[index(symbol)] = true;
  }
  self.defined = true;
  module_.function(self.id).param_names = parameters;
  self.parameters = count;
  return self.id;
}

void Parser::end_function() {
  if (builder().reachable()) builder().ret(builder().constant(0));
  program_.functions.push_back({context_->name, context_->id, context_->parameters, finish_graph()});
  context_ = std::move(outer_.back());
  outer_.pop_back();
  builder_ = context_->builder.get();
}

void Parser::fail_count(const EarlyCall& call, uint32_t parameters) {
  fail(call.offset, "'" + std::string(module_.name(call.name)) + "' takes " + std::to_string(parameters) +
                        (parameters == 1 ? " argument" : " arguments") + ", not " + std::to_string(call.arguments));
}

/// What can be said of calls only when all functions are known.
void Parser::check_functions() {
  for (const EarlyCall& call : early_calls_) {
    const Function& function = functions_.at(index(call.name));
    if (function.defined && !function.reported && function.parameters != call.arguments) fail_count(call, function.parameters);
  }
  for (Symbol name : function_order_) {
    const Function& function = functions_.at(index(name));
    if (!function.defined && !function.reported) fail(function.offset, "undefined function '" + std::string(module_.name(name)) + "'");
  }
}

}  // namespace braid::simple
