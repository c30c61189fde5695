// The verifier's parts in their order, and the rules of modules.
#include "ir/verify.h"

#include <bit>
#include <limits>
#include <unordered_set>

#include "ir/verify_context.h"
#include "type/type_text.h"

namespace braid::ir {
namespace {

constexpr auto rules = [] {
  std::array<VerifyRule, 0
#define SUBJECT(title)
#define RULE(id, name, doc) +1
#include "ir/verify_rules.def"
#undef RULE
#undef SUBJECT
             >
      table{};
  size_t next = 0;
  std::string_view subject;
#define SUBJECT(title) subject = title;
#define RULE(id, name, doc) table[next++] = {name, subject, doc};
#include "ir/verify_rules.def"
#undef RULE
#undef SUBJECT
  return table;
}();

constexpr std::string_view name_of(Rule rule) { return rules[static_cast<size_t>(rule)].name; }

void check_function(VerifyContext& c) {
  bool types_readable = check_tables(c);
  if (c.f.is_external()) {
    if (c.block_count != 0) c.report(Rule::external, {}, Function::entry(), "an external function has blocks");
    return;
  }
  if (!check_graph(c)) return;
  check_values(c);
  check_undef(c);
  if (!types_readable) return;
  check_types(c);
  check_handlers(c);
  check_states(c);
}

class ModuleCheck {
 public:
  ModuleCheck(const Module& module, std::vector<Finding>& findings, uint32_t limit)
      : module_(module), findings_(findings), limit_(limit) {}

  void run() {
    for (uint32_t i = 0; i < module_.function_count(); ++i)
      check_name("function", "@", module_.function(static_cast<FuncId>(i)).name());
    names_.clear();
    for (const Global& global : module_.globals) {
      check_name("global", "@", global.name);
      check_global(global);
    }
    names_.clear();
    for (uint32_t i = 0; i < module_.intrinsics.size(); ++i) {
      const Intrinsic& intrinsic = module_.intrinsics[static_cast<IntrinsicId>(i)];
      check_name("intrinsic", "", intrinsic.name);
      const size_t before = findings_.size();
      check_signature(intrinsic);
      for (size_t k = before; k < findings_.size(); ++k) findings_[k].intrinsic = static_cast<IntrinsicId>(i);
    }
  }

 private:
  void report(Rule rule, std::string message) {
    if (findings_.size() < limit_)
      findings_.push_back({name_of(rule), none_id<FuncId>, none_id<BlockId>, Operand::undef(), std::move(message)});
  }
  void check_name(std::string_view what, std::string_view sigil, Symbol name) {
    if (!module_.symbols.contains(name))
      report(Rule::names, say("the name of a declared ", what, " does not exist"));
    else if (!names_.insert(index(name)).second)
      report(Rule::names, say("two ", what, "s have the name ", sigil, module_.name(name)));
  }
  void check_signature(const Intrinsic& intrinsic) {
    if (!module_.symbols.contains(intrinsic.name) || index(intrinsic.signature) >= module_.signature_count()) return;
    const Signature& signature = module_.signature(intrinsic.signature);
    auto check = [&](Type type, const std::string& what) {
      if (is_value_type(module_.types, type)) return;
      bool exists = type.is_plain() ? type.bits >> kind_count == 0 : type.table_index() < module_.types.size();
      report(Rule::signature, say(what, " of intrinsic ", module_.name(intrinsic.name), " cannot have the type ",
                                  exists ? to_string(module_.types, type) : "that does not exist"));
    };
    for (size_t i = 0; i < signature.params.size(); ++i) check(signature.params[i], say("parameter ", i));
    if (signature.result != void_type) check(signature.result, "the result");
  }
  void check_global(const Global& global) {
    if (!module_.symbols.contains(global.name)) return;
    std::string_view name = module_.name(global.name);
    if (!std::has_single_bit(global.align))
      report(Rule::global, say("the alignment of @", name, ", ", global.align, ", is not a power of two"));
    if (global.size > uint64_t{std::numeric_limits<int64_t>::max()})
      report(Rule::global, say("@", name, " has ", global.size, " bytes, more than any memory"));
    if (global.initial.size() > global.size)
      report(Rule::global, say("@", name, " has ", global.size, " bytes, but ", global.initial.size(), " initial ones"));
  }

  const Module& module_;
  std::vector<Finding>& findings_;
  uint32_t limit_;
  std::unordered_set<uint32_t> names_;
};

}  // namespace

std::span<const VerifyRule> verify_rules() { return rules; }

std::vector<Finding> verify(const Function& f, const VerifyOptions& options) {
  VerifyContext context(f, options);
  check_function(context);
  return context.take_findings();
}

std::vector<Finding> verify(const Module& module, const VerifyOptions& options) {
  std::vector<Finding> findings;
  ModuleCheck(module, findings, options.limit).run();
  for (uint32_t i = 0; i < module.function_count() && findings.size() < options.limit; ++i) {
    VerifyOptions rest{options.limit - static_cast<uint32_t>(findings.size()), options.name};
    for (Finding& finding : verify(module.function(static_cast<FuncId>(i)), rest)) findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace braid::ir
