#include "base/symbol_table.h"

#include <cstring>

namespace braid {

SymbolTable::SymbolTable(const SymbolTable& other) : index_(other.index_) {
  size_t bytes = 0;
  for (std::string_view text : other.texts_) bytes += text.size();
  char* at = static_cast<char*>(arena_.allocate(bytes, 1));
  texts_.reserve(other.texts_.size());
  for (std::string_view text : other.texts_) {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    texts_.emplace_back(at, text.size());
    at += text.size();
  }
}

}  // namespace braid
