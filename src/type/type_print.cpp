// Printing types; see type_text.h for the grammar. Linear in the text; recursion is as deep as tuples may
// nest.
#include "base/number_text.h"
#include "type/type_text.h"

namespace braid {

namespace {

bool is_bare_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '_' && c != '.' && c != '$') return false;
  }
  return true;
}

void append_quoted(std::string& out, std::string_view name) {
  out += '"';
  for (char c : name) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7f) {
      out += "\\x";
      out += "0123456789abcdef"[code >> 4];
      out += "0123456789abcdef"[code & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_class_name(std::string& out, std::string_view name) {
  if (is_bare_name(name))
    out += name;
  else
    append_quoted(out, name);
}

void append_elements(std::string& out, const TypeTable& table, std::span<const Type> elements,
                     const SymbolTable* symbols) {
  out += '(';
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out += ", ";
    append_type(out, table, elements[i], symbols);
  }
  out += elements.size() == 1 ? ",)" : ")";
}

void append_part(std::string& out, const TypeTable& table, Type type, Kind kind, const SymbolTable* symbols) {
  if (kind == Kind::tuple && table.has_elements(type)) {
    append_elements(out, table, table.elements(type), symbols);
    return;
  }
  out += kind_name(kind);
  if (is_integer(kind)) {
    const auto [lo, hi] = table.range(type, kind);
    if (table.range(of(kind), kind) == std::pair(lo, hi)) return;
    out += lo == hi ? '=' : '[';
    append_i64(out, lo);
    if (lo == hi) return;
    out += "..";
    append_i64(out, hi);
    out += ']';
  } else if (is_float(kind)) {
    const std::optional<uint64_t> bits = table.known_float(type, kind);
    if (!bits) return;
    out += '=';
    if (kind == Kind::f32) {
      append_hex_float(out, std::bit_cast<float>(static_cast<uint32_t>(*bits)));
    } else {
      append_hex_float(out, std::bit_cast<double>(*bits));
    }
  } else if (kind == Kind::string) {
    const std::optional<uint32_t> symbol = table.known_string(type);
    if (!symbol) return;
    out += '=';
    if (symbols && symbols->contains(static_cast<Symbol>(*symbol))) {
      append_quoted(out, symbols->view(static_cast<Symbol>(*symbol)));
    } else {
      out += '#';
      append_i64(out, *symbol);
    }
  } else if (kind == Kind::object || kind == Kind::ref) {
    const std::optional<KnownClass> known = table.known_class(type, kind);
    if (!known) return;
    out += ':';
    append_class_name(out, table.classes().name(known->id));
    if (known->exact) out += '!';
  }
}

}  // namespace

void append_type(std::string& out, const TypeTable& table, Type type, const SymbolTable* symbols) {
  if (type.is_plain()) {
    if (std::has_single_bit(type.bits)) {
      out += kind_name(static_cast<Kind>(std::countr_zero(type.bits)));
      return;
    }
    if (type == none || type == any) {
      out += type == none ? "none" : "any";
      return;
    }
  }
  const size_t start = out.size();
  for (KindSet rest = table.kinds(type); rest != 0; rest &= rest - 1) {
    if (out.size() > start) out += '|';
    append_part(out, table, type, static_cast<Kind>(std::countr_zero(rest)), symbols);
  }
}

std::string to_string(const TypeTable& table, Type type) {
  std::string out;
  append_type(out, table, type);
  return out;
}

}  // namespace braid
