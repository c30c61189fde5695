// Rules of exceptions: handlers, tokens, leaving, and where an exception is being handled. The flow is in handler_flow.h,
// the rules of phi_c and upsilon in verify_phi_c.cpp. O(blocks + edges + tokens left * log) beside these.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/handler_flow.h"
#include "ir/verify_phi_c.h"

namespace braid::ir {
namespace {

class HandlerCheck {
 public:
  explicit HandlerCheck(VerifyContext& context) : c(context), f(context.f), flow_(context) {}

  void run() {
    bool balanced = check_balance();
    check_tokens();
    for (uint32_t b = 0; b < c.block_count; ++b) {
      BlockId block = static_cast<BlockId>(b);
      if (!c.is_reachable(block)) continue;
      check_handler_block(block);
      check_events(block);
      check_return(block);
    }
    check_phi_cs(c, balanced ? &flow_ : nullptr);
  }

 private:
  // ---- the list of handlers ----

  bool check_balance() {
    bool balanced = true;
    for (uint32_t b = 0; b < c.block_count; ++b) {
      BlockId to = static_cast<BlockId>(b);
      if (!c.is_reachable(to)) continue;
      BlockId agrees = none_id<BlockId>;
      auto fits = [&](EdgeId e) { return flow_.same_handlers(flow_.along(e), flow_.at_start(to)); };
      f.for_each_pred(to, [&](EdgeId e) {
        if (is_none(agrees) && c.is_reachable(f.edge(e).from) && fits(e)) agrees = f.edge(e).from;
      });
      f.for_each_pred(to, [&](EdgeId e) {
        BlockId from = f.edge(e).from;
        if (!c.is_reachable(from) || fits(e)) return;
        balanced = false;
        std::string other = is_none(agrees) ? "on another path" : "from " + c.name(agrees);
        c.report(Rule::handler_balance, {}, to,
                 say("block ", c.name(to), " is entered with ", handlers(flow_.along(e)), " from ", c.name(from), ", with ",
                     handlers(flow_.at_start(to)), " ", other));
      });
    }
    return balanced;
  }

  std::string handlers(HandlerFlow::List list) const {
    if (list == HandlerFlow::empty) return "no handler";
    constexpr uint32_t shown = 4;
    std::string text = flow_.depth(list) == 1 ? "the handler " : say(flow_.depth(list), " handlers ");
    for (uint32_t i = 0; i < shown && list != HandlerFlow::empty; ++i, list = flow_.region(list).outer) {
      BlockId handler = flow_.region(list).handler;
      if (i != 0) text += ", ";
      text += is_none(handler) ? "none" : c.name(handler);
    }
    return text;
  }

  void check_tokens() {
    struct Opened {
      bool seen = false;
      BlockId handler{};
      uint32_t depth = 0;
    };
    std::unordered_map<uint32_t, Opened> opened;
    for (uint32_t b = 0; b < c.block_count; ++b) {
      BlockId block = static_cast<BlockId>(b);
      Operand t = f.terminator(block);
      if (!c.is_reachable(block) || f.op(t) != Op::enter || !flow_.is_token(t)) continue;
      Opened& other = opened[flow_.token(t)];
      uint32_t depth = flow_.depth(flow_.at_end(block));
      if (other.seen && (other.handler != flow_.handler_of(block) || other.depth != depth))
        c.report(Rule::token, t, block, "the token meets tokens of regions with another handler or depth");
      if (!other.seen) other = {true, flow_.handler_of(block), depth};
    }
    c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
      if (stmt.op == Op::pop_exception) {
        Operand operand = c.operand(stmt, 0);
        if (flow_.is_token(operand) && !opened.contains(flow_.token(operand)))
          c.report(Rule::token, id, say("the token ", c.name(operand), " comes from no enter"));
      }
      if (is_phi_like(stmt.op) || stmt.op == Op::upsilon || stmt.op == Op::leave || stmt.op == Op::pop_exception) return;
      if (stmt.op == Op::same) return;
      c.for_each_operand(stmt, c.block_of(id), [&](uint32_t, Operand operand) {
        if (flow_.is_token(operand))
          c.report(Rule::token, id, say(info(stmt.op).text, " uses the token ", c.name(operand), " as a value"));
      });
    });
  }

  void check_handler_block(BlockId b) {
    bool normal = false, exceptional = false;
    f.for_each_pred(b, [&](EdgeId e) { (f.edge(e).kind == EdgeKind::normal ? normal : exceptional) = true; });
    if (!exceptional) return;
    if (normal)
      c.report(Rule::handler_block, {}, b, say("handler block ", c.name(b), " is also entered by a normal edge"));
    c.for_each_in(b, [&](Operand id, uint32_t, const Stmt& stmt) {
      if (stmt.op == Op::phi) c.report(Rule::handler_block, id, b, say("phi in handler block ", c.name(b)));
    });
  }

  // ---- statements ----

  void check_events(BlockId b) {
    HandlerFlow::List list = flow_.at_start(b);
    uint32_t exceptions = flow_.exceptions_at_start(b);
    for (const HandlerFlow::Event& event : flow_.events(b)) {
      if (event.op == Op::leave) {
        check_leave(b, event.id, list);
        list = flow_.pop(list, f.operand_count(f.stmt(event.id)));
        continue;
      }
      if (exceptions == 0)
        c.report(Rule::exception_context, event.id, b,
                 say(info(event.op).text, " where no exception is being handled on every path"));
      exceptions = flow_.exceptions_after(event, exceptions);
    }
  }

  void check_leave(BlockId b, Operand id, HandlerFlow::List list) {
    const Stmt& stmt = f.stmt(id);
    uint32_t count = f.operand_count(stmt);
    if (count > flow_.depth(list)) {
      c.report(Rule::leave, id, b, say("leave of ", count, " regions where ", flow_.depth(list), " are open"));
      return;
    }
    expected_.clear();
    for (HandlerFlow::List at = list; expected_.size() < count; at = flow_.region(at).outer)
      expected_.push_back(flow_.region(at).token);
    left_.clear();
    for (uint32_t i = 0; i < count; ++i) left_.push_back(flow_.token(c.operand(stmt, i)));
    std::sort(expected_.begin(), expected_.end());
    std::sort(left_.begin(), left_.end());
    // What has no token cannot be left: the place is entered from several regions whose tokens do not meet.
    bool known = expected_.empty() || expected_.back() != HandlerFlow::no_token;
    if (!known || left_ != expected_)
      c.report(Rule::leave, id, b,
               count == 1 ? "leave does not name the token of the innermost region"
                          : "leave does not name the tokens of the innermost regions");
  }

  void check_return(BlockId b) {
    if (f.op(f.terminator(b)) != Op::ret) return;
    HandlerFlow::List list = flow_.at_end(b);
    if (list != HandlerFlow::empty)
      c.report(Rule::ret_handler, f.terminator(b), b, say("ret with ", handlers(list)));
  }

  VerifyContext& c;
  const Function& f;
  HandlerFlow flow_;
  std::vector<uint32_t> expected_, left_;
};

}  // namespace

void check_handlers(VerifyContext& c) {
  for (Op op : {Op::enter, Op::leave, Op::the_exception, Op::pop_exception, Op::phi_c, Op::upsilon})
    if (c.present[static_cast<unsigned>(op)]) return HandlerCheck(c).run();
}

}  // namespace braid::ir
