// Functions: their parameters, and who calls whom.
#include <utility>

#include "front/simple/common.h"
#include "front/simple/parser.h"
#include "sea/optimise.h"

namespace braid::simple {

Parser::Context::Context(ir::Module& module, const ParseOptions& options, size_t text_size)
    : graph(sea::new_graph(options.pool, module)) {
  graph->reserve(static_cast<uint32_t>(text_size / 2 + 16));
  if (options.peepholes) {
    auto full = std::make_unique<sea::FullPeepholes>(*graph);
    full_peepholes = full.get();
    full->set_observer(options.observer);
    peepholes = std::move(full);
  } else {
    peepholes = std::make_unique<sea::NoPeepholes>();
  }
  builder = std::make_unique<sea::Builder>(*graph, *peepholes,
                                           sea::BuildOptions{.single_region = options.single_region, .effects = true});
}

void Parser::finish_graph() {
  builder().finish();
  if (!options_.peepholes) return;
  const sea::BegunWork begun = context_->full_peepholes->begun();
  sea::OptimiseOptions options;
  options.begun = &begun;
  options.observer = options_.observer;
  sea::optimise(builder().graph(), options);
}

/// Declared where it is called first, or defined; a later mention with another number of parameters is an error there.
Parser::Function& Parser::function(Symbol name, uint32_t parameters, size_t offset) {
  auto [found, is_new] = functions_.try_emplace(index(name), Function{ir::FuncId{}, parameters, offset});
  if (!is_new) return found->second;
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
  if (frames_.back().kind != Frame::Kind::program)
    fail(offset, "a function is defined at the top of the program, not inside of anything");
  std::vector<Symbol> parameters = parse_parameters();
  uint32_t count = static_cast<uint32_t>(parameters.size());
  auto context = std::make_unique<Context>(module_, options_, 128);
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
  if (scopes().find(symbol) != sea::Scopes::no_slot) fail(offset, "redefining name '" + std::string(name) + "'");
  Function& self = function(symbol, count, offset);
  if (self.defined) fail(offset, "redefining function '" + std::string(name) + "'");
  if (!self.defined && self.parameters != count)
    fail(self.offset, "'" + std::string(name) + "' takes " + std::to_string(count) + (count == 1 ? " argument" : " arguments") + ", not " +
                          std::to_string(self.parameters));
  self.defined = true;
  module_.function(self.id).param_names = parameters;
  self.parameters = count;
  return self.id;
}

void Parser::end_function() {
  if (builder().reachable()) builder().ret(builder().constant(0));
  finish_graph();
  program_.functions.push_back({context_->name, context_->id, context_->parameters, std::move(context_->graph)});
  context_ = std::move(outer_.back());
  outer_.pop_back();
  builder_ = context_->builder.get();
}

void Parser::check_functions() {
  for (Symbol name : function_order_) {
    const Function& function = functions_.at(index(name));
    if (!function.defined && !function.reported) fail(function.offset, "undefined function '" + std::string(module_.name(name)) + "'");
  }
}

}  // namespace braid::simple
