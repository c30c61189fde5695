// Printing pandasm.
#include <bit>

#include "base/number_text.h"
#include "front/pandasm/literal.h"
#include "front/pandasm/pandasm.h"

namespace braid::pandasm {

namespace {

class Printer {
 public:
  Printer(const Program& program, std::string& out) : program_(program), out_(out) {}

  void program() {
    if (!is_none(program_.language)) line(".language ", text(program_.language));
    for (const Record& record : program_.records) this->record(record);
    for (const ConstantArray& array : program_.arrays) this->array(array);
    for (const Function& function : program_.functions) this->function(function);
  }

  void instruction(const Function& function, uint32_t pc) {
    const Instruction& instruction = function.code[pc];
    const OpcodeInfo& about = info(instruction.opcode);
    out_ += about.text;
    uint32_t next_register = 0;
    bool first = true;
    auto separate = [&] {
      out_ += first ? " " : ", ";
      first = false;
    };
    for (uint32_t i = 0; i < about.operand_count(); ++i) {
      if (about.what(i) == 'V') {
        for (; next_register < instruction.register_count; ++next_register) {
          separate();
          append_register(out_, function, instruction.registers[next_register]);
        }
        continue;
      }
      separate();
      switch (about.what(i)) {
        case 'L': label(function, instruction.name); break;
        case 'T': type(function.types[instruction.name]); break;
        case 'M': callee(function.callees[instruction.name]); break;
        case 'P': case 'A': out_ += text(static_cast<Symbol>(instruction.name)); break;
        case 'G': append_quoted(out_, text(static_cast<Symbol>(instruction.name))); break;
        case 'I': append_i64(out_, static_cast<int64_t>(instruction.immediate)); break;
        case 'K': append_u64(out_, instruction.immediate); break;
        case 'F': real(instruction.immediate, about.holds(i) == 'd'); break;
        default: append_register(out_, function, instruction.registers[next_register++]);
      }
    }
  }

  void signature(const Function& function) {
    out_ += ".function ";
    type(function.result);
    out_ += ' ';
    out_ += text(function.name);
    out_ += '(';
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      if (i != 0) out_ += ", ";
      type(function.parameters[i]);
      out_ += " a";
      append_u64(out_, i);
    }
    out_ += ')';
  }

  void type(const Type& type) {
    out_ += type.primitive == Primitive::record ? text(type.record) : name(type.primitive);
    for (uint32_t i = 0; i < type.dimensions; ++i) out_ += "[]";
  }

 private:
  std::string_view text(Symbol symbol) const { return program_.symbols.view(symbol); }
  void line(std::string_view head, std::string_view rest) {
    out_ += head;
    out_ += rest;
    out_ += '\n';
  }

  void attributes(const std::vector<Attribute>& attributes) {
    if (attributes.empty()) return;
    out_ += " <";
    for (const Attribute& attribute : attributes) {
      if (&attribute != attributes.data()) out_ += ", ";
      out_ += text(attribute.key);
      if (is_none(attribute.value)) continue;
      out_ += '=';
      if (is_name(text(attribute.value)) || parse_integer(text(attribute.value)))
        out_ += text(attribute.value);
      else
        append_quoted(out_, text(attribute.value));
    }
    out_ += '>';
  }

  void record(const Record& record) {
    out_ += ".record ";
    out_ += text(record.name);
    attributes(record.attributes);
    if (record.has_body) {
      out_ += " {\n";
      for (const Field& field : record.fields) {
        out_ += "  ";
        type(field.type);
        out_ += ' ';
        out_ += text(field.name);
        attributes(field.attributes);
        out_ += '\n';
      }
      out_ += '}';
    }
    out_ += "\n\n";
  }

  void array(const ConstantArray& array) {
    out_ += ".array ";
    out_ += text(array.name);
    if (array.has_element_type) {
      out_ += ' ';
      type(array.element);
      out_ += ' ';
      append_u64(out_, array.literals.size());
    }
    out_ += " {";
    for (const Literal& literal : array.literals) {
      out_ += array.has_element_type ? " " : "\n  ";
      if (!array.has_element_type) {
        type(literal.type);
        out_ += ' ';
      }
      switch (literal.form) {
        case Literal::Form::integer: append_i64(out_, static_cast<int64_t>(literal.bits)); break;
        case Literal::Form::real: real(literal.bits, literal.type.primitive == Primitive::f64); break;
        case Literal::Form::text: append_quoted(out_, text(static_cast<Symbol>(literal.bits))); break;
      }
    }
    out_ += array.has_element_type ? " }\n\n" : "\n}\n\n";
  }

  void function(const Function& function) {
    signature(function);
    attributes(function.attributes);
    if (function.has_body) {
      out_ += " {\n";
      code(function);
      out_ += '}';
    }
    out_ += "\n\n";
  }

  void code(const Function& function) {
    size_t next_label = 0;
    for (uint32_t pc = 0; pc <= function.code.size(); ++pc) {
      for (; next_label < function.labels.size() && function.labels[next_label].pc == pc; ++next_label)
        line(text(function.labels[next_label].name), ":");
      if (pc == function.code.size()) break;
      out_ += "  ";
      instruction(function, pc);
      out_ += '\n';
    }
    for (const Catch& handler : function.catches) {
      out_ += handler.is_all ? ".catchall " : ".catch ";
      if (!handler.is_all) {
        type(handler.exception);
        out_ += ", ";
      }
      label(function, handler.begin);
      out_ += ", ";
      label(function, handler.end);
      out_ += ", ";
      label(function, handler.handler);
      if (handler.handler_end != Catch::no_pc) {
        out_ += ", ";
        label(function, handler.handler_end);
      }
      out_ += '\n';
    }
  }

  /// Labels are in the order of their places.
  void label(const Function& function, uint32_t pc) {
    size_t low = 0, high = function.labels.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (function.labels[middle].pc < pc)
        low = middle + 1;
      else
        high = middle;
    }
    out_ += text(function.labels[low].name);
  }

  void callee(const FunctionName& callee) {
    out_ += text(callee.name);
    if (!callee.has_signature) return;
    out_ += ":(";
    for (const Type& parameter : callee.parameters) {
      if (&parameter != callee.parameters.data()) out_ += ',';
      type(parameter);
    }
    out_ += ')';
  }

  /// A number if it reads back as the same bits; the bits if it is none.
  void real(uint64_t bits, bool is_f64) {
    std::string decimal;
    if (is_f64)
      append_decimal_float(decimal, std::bit_cast<double>(bits));
    else
      append_decimal_float(decimal, std::bit_cast<float>(static_cast<uint32_t>(bits)));
    if (parse_real(decimal, is_f64) == bits)
      out_ += decimal;
    else
      append_hex(out_, bits);
  }

  const Program& program_;
  std::string& out_;
};

}  // namespace

std::string print(const Program& program) {
  std::string out;
  Printer(program, out).program();
  return out;
}

void append_type(std::string& out, const Program& program, const Type& type) { Printer(program, out).type(type); }

void append_signature(std::string& out, const Program& program, const Function& function) {
  Printer(program, out).signature(function);
}

void append_register(std::string& out, const Function& function, uint32_t number) {
  const bool is_local = number < function.local_count;
  out += is_local ? 'v' : 'a';
  const bool has_name = is_local && !function.local_names.empty();
  append_u64(out, has_name ? function.local_names[number] : is_local ? number : number - function.local_count);
}

void append_instruction(std::string& out, const Program& program, const Function& function, uint32_t pc) {
  Printer(program, out).instruction(function, pc);
}

}  // namespace braid::pandasm
