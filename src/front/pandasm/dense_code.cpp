#include "front/pandasm/dense_code.h"

namespace braid::pandasm {

namespace {

struct Pair {
  Opcode first, second;
  DenseOp op;
};
constexpr Pair pairs[] = {
#define PAIR(first, second) {Opcode::first, Opcode::second, DenseOp::first##_##second},
#include "front/pandasm/pairs.def"
#undef PAIR
};

bool is_virtual(Opcode opcode) { return info(opcode).text.starts_with("call.virt"); }

class Decoder {
 public:
  Decoder(Vm& vm, uint32_t number) : vm_(vm), function_(vm.program().functions[number]), callees_(vm.links().callees[number]) {
    dense_.function = number;
    dense_.first_parameter = function_.local_count;
    dense_.frames = frames_of(function_);
    dense_.register_count = function_.local_count + static_cast<uint32_t>(function_.parameters.size());
  }

  DenseCode run() {
    dense_.code.reserve(function_.code.size());
    for (uint32_t pc = 0; pc < function_.code.size(); ++pc) dense_.code.push_back(decode(pc));
    pair_up();
    for (const Catch& handler : function_.catches)
      dense_.caught.push_back(handler.is_all ? none_id<ClassId> : vm_.classes().class_of(handler.exception));
    return std::move(dense_);
  }

 private:
  DenseInstruction decode(uint32_t pc) {
    const Instruction& from = function_.code[pc];
    DenseInstruction to{static_cast<DenseOp>(from.opcode)};
    if (has(from.opcode, calls)) {
      to.a = static_cast<uint32_t>(dense_.calls.size());
      dense_.calls.push_back(call_site(from));
      return to;
    }
    uint32_t* next[] = {&to.a, &to.b, &to.c};
    uint32_t count = 0;
    const OpcodeInfo& about = info(from.opcode);
    for (uint32_t i = 0, r = 0; i < about.operand_count(); ++i) {
      uint32_t& word = *next[count++];
      switch (about.what(i)) {
        case 'D': case 'S': case 'X': word = from.registers[r++]; break;
        case 'L': word = from.name - pc; break;
        case 'T': word = index(vm_.classes().class_of(function_.types[from.name])); break;
        case 'P': word = index(vm_.classes().field(vm_.links().fields[from.name])); break;
        case 'A': word = vm_.links().arrays[from.name]; break;
        case 'I': case 'F':
          // A wide one stands in the last two words, whatever comes before it.
          if (about.holds(i) == 'M' || about.holds(i) == 'd') {
            to.b = static_cast<uint32_t>(from.immediate);
            to.c = static_cast<uint32_t>(from.immediate >> 32);
          } else {
            word = static_cast<uint32_t>(from.immediate);
          }
          break;
        default: word = from.name; break;  // a text
      }
    }
    return to;
  }

  CallSite call_site(const Instruction& from) {
    CallSite site;
    site.callee = callees_[from.name];
    site.makes_object = makes_object(from.opcode);
    site.is_virtual = is_virtual(from.opcode);
    const std::vector<Type>& parameters = vm_.program().functions[site.callee].parameters;
    site.first_argument = static_cast<uint32_t>(dense_.arguments.size());
    site.argument_count = static_cast<uint32_t>(parameters.size());
    if (site.makes_object) --site.argument_count;
    const OpcodeInfo& about = info(from.opcode);
    if (about.what(1) == 'R') {
      for (uint32_t i = 0; i < site.argument_count; ++i) dense_.arguments.push_back(from.registers[0] + i);
    } else {
      dense_.arguments.insert(dense_.arguments.end(), from.registers, from.registers + from.register_count);
      if (about.acc_in == '?')
        dense_.arguments.insert(dense_.arguments.begin() + site.first_argument + static_cast<uint32_t>(from.immediate),
                                dense_.register_count);
    }
    if (site.makes_object) {
      site.made = vm_.classes().class_of(parameters[0]);
      site.initialises = vm_.classes()[site.made].record;
    } else if (!site.is_virtual) {
      site.initialises = vm_.classes().initialised_by_call(site.callee);
    }
    return site;
  }

  /// From the end, so that the second of a pair is not yet the first of another.
  void pair_up() {
    for (uint32_t pc = static_cast<uint32_t>(function_.code.size()); pc-- > 1;)
      for (const Pair& pair : pairs)
        if (function_.code[pc - 1].opcode == pair.first && function_.code[pc].opcode == pair.second)
          dense_.code[pc - 1].op = pair.op;
  }

  Vm& vm_;
  const Function& function_;
  const std::vector<uint32_t>& callees_;
  DenseCode dense_;
};

}  // namespace

DenseCode make_dense(Vm& vm, uint32_t function) { return Decoder(vm, function).run(); }

void watch_throws(DenseCode& dense, const Function& function) {
  if (!dense.replaced.empty()) return;
  for (uint32_t pc = 0; pc < dense.code.size(); ++pc) {
    dense.replaced.push_back(dense.code[pc].op);
    if (has(function.code[pc].opcode, throws)) dense.code[pc].op = DenseOp::watched;
  }
}

}  // namespace braid::pandasm
