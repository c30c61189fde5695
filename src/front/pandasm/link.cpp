#include "front/pandasm/link.h"

#include <string>

#include "front/pandasm/library.h"
#include "front/pandasm/renumber.h"
#include "front/pandasm/runtime_records.h"
#include "front/pandasm/static_values.h"

namespace braid::pandasm {

namespace {

class Linker {
 public:
  Linker(const SourceFile& source, Program& program) : source_(source), program_(program) {}

  Expected<Links> run() {
    add_runtime_records();
    number_records();
    number_fields();
    number_arrays();
    add_library_functions();
    number_functions();
    for (const Function& function : program_.functions) link_function(function);
    if (diagnostics_.has_errors()) return std::move(diagnostics_);
    for (uint32_t i = 0; i < program_.functions.size(); ++i) renumber_registers(program_, links_, i);
    return std::move(links_);
  }

 private:
  std::string text(Symbol symbol) const { return std::string(program_.symbols.view(symbol)); }
  void fail(uint32_t offset, std::string message) { diagnostics_.add(source_.error(offset, std::move(message))); }
  /// The entry of a symbol that may be younger than the table.
  template <typename T>
  static T find(const std::vector<T>& table, Symbol symbol, T otherwise) {
    return index(symbol) < table.size() ? table[index(symbol)] : otherwise;
  }
  template <typename T>
  void put(std::vector<T>& table, Symbol symbol, T value, T empty) {
    if (table.size() <= index(symbol)) table.resize(program_.symbols.size(), empty);
    table[index(symbol)] = value;
  }
  uint32_t record_named(Symbol name) const { return find(links_.records, name, unlinked); }

  void add_runtime_records() {
    std::vector<bool> declared(program_.symbols.size());
    for (const Record& record : program_.records) declared[index(record.name)] = true;
    for (const RuntimeRecord& known : runtime_records) {
      const Symbol name = program_.symbols.intern(known.name);
      if (index(name) < declared.size() && declared[index(name)]) continue;
      Record record{name, {}, {}, false, 0};
      record.attributes.push_back({program_.symbols.intern("external"), none_id<Symbol>, 0});
      program_.records.push_back(std::move(record));
    }
  }

  void number_records() {
    for (uint32_t i = 0; i < program_.records.size(); ++i) put(links_.records, program_.records[i].name, i, unlinked);
    links_.extends.assign(program_.records.size(), unlinked);
    for (uint32_t i = 0; i < program_.records.size(); ++i) {
      const Record& record = program_.records[i];
      if (const Attribute* extends = find_attribute(program_, record.attributes, "extends")) {
        links_.extends[i] = is_none(extends->value) ? unlinked : record_named(extends->value);
        if (links_.extends[i] == unlinked)
          fail(extends->offset, "no record is called '" + (is_none(extends->value) ? "" : text(extends->value)) + "'");
        else if (!can_be_extended(program_.records[links_.extends[i]]))
          fail(extends->offset, "the record '" + text(extends->value) + "' cannot be extended");
      }
    }
    for (const RuntimeRecord& known : runtime_records) {
      const uint32_t record = record_named(program_.symbols.intern(known.name));
      // The runtime makes such objects itself.
      if (const std::vector<Field>& fields = program_.records[record].fields; !fields.empty())
        fail(fields[0].offset, "the record '" + std::string(known.name) + "' is the runtime's, and has no such field");
      if (!known.extends.empty()) links_.extends[record] = record_named(program_.symbols.intern(known.extends));
    }
    const uint32_t object = record_named(program_.symbols.intern(runtime_records[0].name));
    for (uint32_t i = 0; i < program_.records.size(); ++i)
      if (i != object && links_.extends[i] == unlinked) links_.extends[i] = object;
    find_rings();
  }

  bool can_be_extended(const Record& record) const {
    for (const RuntimeRecord& known : runtime_records)
      if (!known.is_open && known.name == program_.symbols.view(record.name)) return false;
    return find_attribute(program_, record.attributes, "final") == nullptr;
  }

  /// Each record is passed once: a walk upwards ends at what an earlier one has seen.
  void find_rings() {
    std::vector<uint32_t> walk_of(program_.records.size(), unlinked);
    for (uint32_t i = 0; i < program_.records.size(); ++i) {
      uint32_t at = i;
      for (; at != unlinked && walk_of[at] == unlinked; at = links_.extends[at]) walk_of[at] = i;
      if (at == unlinked || walk_of[at] != i) continue;
      fail(program_.records[at].offset, "the record '" + text(program_.records[at].name) + "' extends itself");
      links_.extends[at] = unlinked;
    }
  }

  void number_fields() {
    for (uint32_t i = 0; i < program_.records.size(); ++i) {
      const Record& record = program_.records[i];
      for (uint32_t k = 0; k < record.fields.size(); ++k) {
        check_type(record.fields[k].type, record.fields[k].offset);
        check_value(record.fields[k]);
        const Symbol name = program_.symbols.intern(text(record.name) + "." + text(record.fields[k].name));
        if (find(links_.fields, name, FieldLink{}).record != unlinked)
          fail(record.fields[k].offset, "the field '" + text(name) + "' is there already");
        put(links_.fields, name, FieldLink{i, k}, FieldLink{});
      }
    }
  }

  void number_arrays() {
    for (uint32_t i = 0; i < program_.arrays.size(); ++i) {
      const ConstantArray& array = program_.arrays[i];
      if (find(links_.arrays, array.name, unlinked) != unlinked)
        fail(array.offset, "the array '" + text(array.name) + "' is there already");
      put(links_.arrays, array.name, i, unlinked);
    }
  }

  /// A static field that is a number starts with one.
  void check_value(const Field& field) {
    const Attribute* value = find_attribute(program_, field.attributes, "value");
    if (value == nullptr || field.type.dimensions != 0 || field.type.primitive == Primitive::record) return;
    if (!static_value(program_, field)) fail(value->offset, "the value does not fit the field");
  }

  /// What is called and is not there may be one of the library; which of several, the number of arguments says.
  void add_library_functions() {
    std::vector<bool> declared(program_.symbols.size());
    for (const Function& function : program_.functions) declared[index(function.name)] = true;
    std::vector<Function> added;
    for (Function& function : program_.functions) {
      for (const Instruction& instruction : function.code) {
        if (!has(instruction.opcode, calls)) continue;
        FunctionName& callee = function.callees[instruction.name];
        if (index(callee.name) >= declared.size() || declared[index(callee.name)]) continue;
        add_library_function(callee, instruction, added);
      }
    }
    for (Function& function : added) program_.functions.push_back(std::move(function));
  }

  void add_library_function(FunctionName& callee, const Instruction& instruction, std::vector<Function>& added) {
    size_t arguments = instruction.register_count + (info(instruction.opcode).acc_in == '?' ? 1u : 0u);
    if (callee.has_signature && !callee.parameters.empty()) arguments = callee.parameters.size() - 1;
    std::optional<Function> found = declare_library(program_, program_.symbols.view(callee.name), arguments);
    if (!found) return;
    if (!callee.has_signature) callee.parameters = found->parameters;
    callee.has_signature = true;
    if (callee.parameters != found->parameters) return;
    for (const Function& other : added)
      if (other.name == found->name && other.parameters == found->parameters) return;
    added.push_back(std::move(*found));
  }

  /// Functions of one name make a list, by their order.
  void number_functions() {
    next_overload_.assign(program_.functions.size(), unlinked);
    for (uint32_t i = static_cast<uint32_t>(program_.functions.size()); i-- > 0;) {
      const Function& function = program_.functions[i];
      check_type(function.result, function.offset);
      for (const Type& parameter : function.parameters) check_type(parameter, function.offset);
      next_overload_[i] = find(overloads_, function.name, unlinked);
      for (uint32_t other = next_overload_[i]; other != unlinked; other = next_overload_[other])
        if (program_.functions[other].parameters == function.parameters)
          fail(program_.functions[other].offset,
               "the function '" + text(function.name) + "' with these parameters is there already");
      put(overloads_, function.name, i, unlinked);
    }
  }

  void check_type(const Type& type, uint32_t offset) {
    if (type.primitive == Primitive::record && record_named(type.record) == unlinked)
      fail(offset, "no record is called '" + text(type.record) + "'");
  }

  void link_function(const Function& function) {
    std::vector<uint32_t>& callees = links_.callees.emplace_back();
    callees.assign(function.callees.size(), unlinked);
    for (const Catch& handler : function.catches)
      if (!handler.is_all) {
        check_type(handler.exception, handler.offset);
        if (handler.exception.primitive != Primitive::record || handler.exception.dimensions != 0)
          fail(handler.offset, "a handler takes objects of a record");
      }
    for (const Instruction& instruction : function.code) {
      const OpcodeInfo& about = info(instruction.opcode);
      for (uint32_t i = 0; i < about.operand_count(); ++i) {
        const Symbol symbol = static_cast<Symbol>(instruction.name);
        switch (about.what(i)) {
          case 'T': check_type(function.types[instruction.name], instruction.offset); break;
          case 'M': callees[instruction.name] = find_function(function.callees[instruction.name], instruction.offset); break;
          case 'P': link_field(symbol, instruction.offset); break;
          case 'A':
            if (find(links_.arrays, symbol, unlinked) == unlinked)
              fail(instruction.offset, "no array is called '" + text(symbol) + "'");
            break;
          default: break;
        }
      }
    }
  }

  uint32_t find_function(const FunctionName& name, uint32_t offset) {
    uint32_t found = find(overloads_, name.name, unlinked);
    if (found == unlinked) {
      fail(offset, "no function is called '" + text(name.name) + "'");
      return unlinked;
    }
    if (!name.has_signature) {
      if (next_overload_[found] != unlinked)
        fail(offset, "several functions are called '" + text(name.name) + "'; say which with its parameters");
      return found;
    }
    while (found != unlinked && program_.functions[found].parameters != name.parameters) found = next_overload_[found];
    if (found == unlinked) fail(offset, "no function '" + text(name.name) + "' has these parameters");
    return found;
  }

  /// A record has the fields of those that it extends.
  void link_field(Symbol symbol, uint32_t offset) {
    if (find(links_.fields, symbol, FieldLink{}).record != unlinked) return;
    const std::string name = text(symbol);
    const size_t dot = name.rfind('.');
    const Symbol owner = dot == std::string::npos ? none_id<Symbol> : program_.symbols.find(name.substr(0, dot));
    uint32_t record = is_none(owner) ? unlinked : record_named(owner);
    if (record == unlinked) return fail(offset, "no record has a field '" + name + "'");
    for (; record != unlinked; record = links_.extends[record]) {
      const Symbol wanted = program_.symbols.find(text(program_.records[record].name) + name.substr(dot));
      const FieldLink link = is_none(wanted) ? FieldLink{} : find(links_.fields, wanted, FieldLink{});
      if (link.record == unlinked) continue;
      put(links_.fields, symbol, link, FieldLink{});
      return;
    }
    fail(offset, "the record '" + text(owner) + "' has no field '" + name.substr(dot + 1) + "'");
  }

  const SourceFile& source_;
  Program& program_;
  Diagnostics diagnostics_;
  Links links_;
  std::vector<uint32_t> overloads_;       ///< by symbol, the first function of this name
  std::vector<uint32_t> next_overload_;   ///< by function
};

}  // namespace

Expected<Links> link(const SourceFile& source, Program& program) { return Linker(source, program).run(); }

const Attribute* find_attribute(const Program& program, std::span<const Attribute> attributes, std::string_view key) {
  for (const Attribute& attribute : attributes)
    if (program.symbols.view(attribute.key) == key) return &attribute;
  return nullptr;
}

}  // namespace braid::pandasm
