#include "front/pandasm/hierarchy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "front/pandasm/pandasm.h"

namespace braid::pandasm {

Hierarchy::Hierarchy(const Program& program, const Links& links)
    : program_(program), links_(links), object_(find_record("panda.Object")) {
  number_records();
  place_functions();
  find_overridden();
  find_needs();
}

uint32_t Hierarchy::find_record(std::string_view name) const {
  const Symbol symbol = program_.symbols.find(name);
  return is_none(symbol) || index(symbol) >= links_.records.size() ? unlinked : links_.records[index(symbol)];
}

/// A walk from the top, so that the numbers of a record and of all that extend it are one range.
void Hierarchy::number_records() {
  const uint32_t count = static_cast<uint32_t>(program_.records.size());
  std::vector<uint32_t> first_child(count, unlinked), next_sibling(count, unlinked);
  for (uint32_t i = count; i-- > 0;) {
    const uint32_t above = links_.extends[i];
    if (above == unlinked) continue;
    next_sibling[i] = first_child[above];
    first_child[above] = i;
  }
  order_.resize(count);
  uint32_t at = object_;
  for (bool is_new = true;;) {
    if (is_new) {
      order_[at].first = static_cast<uint32_t>(top_down_.size());
      top_down_.push_back(at);
      if (first_child[at] != unlinked) {
        at = first_child[at];
        continue;
      }
    }
    order_[at].end = static_cast<uint32_t>(top_down_.size());
    if (at == object_) break;
    is_new = next_sibling[at] != unlinked;
    at = is_new ? next_sibling[at] : links_.extends[at];
  }
}

void Hierarchy::place_functions() {
  functions_.resize(program_.functions.size());
  initialisers_.assign(program_.records.size(), unlinked);
  functions_of_key_.resize(1);
  std::unordered_map<std::string, uint32_t> keys;
  for (uint32_t i = 0; i < program_.functions.size(); ++i) {
    const Function& function = program_.functions[i];
    FunctionPlace& place = functions_[i];
    const std::string_view name = program_.symbols.view(function.name);
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) continue;
    place.owner = find_record(name.substr(0, dot));
    if (place.owner == unlinked) continue;
    auto has_attribute = [&](std::string_view key) { return find_attribute(program_, function.attributes, key) != nullptr; };
    if (has_attribute("cctor")) {
      if (function.has_body && function.parameters.empty()) initialisers_[place.owner] = i;
      continue;
    }
    const Type self{Primitive::record, 0, program_.records[place.owner].name};
    place.is_instance = !function.parameters.empty() && function.parameters[0] == self && !has_attribute("static");
    if (!place.is_instance || has_attribute("ctor")) continue;
    std::string key(name.substr(dot));
    for (size_t k = 1; k < function.parameters.size(); ++k) append_type(key += ',', program_, function.parameters[k]);
    append_type(key += ':', program_, function.result);
    place.key = keys.try_emplace(std::move(key), static_cast<uint32_t>(keys.size() + 1)).first->second;
    functions_of_key_.resize(keys.size() + 1);
    functions_of_key_[place.key].push_back(i);
    virtual_functions_[uint64_t{place.owner} << 32 | place.key] = i;
  }
}

/// In the order of the tree the functions of one key that are open above a record are a stack; the top one is
/// overridden by the
/// record's own.
void Hierarchy::find_overridden() {
  std::vector<uint32_t> stack;
  for (std::vector<uint32_t> by_owner : functions_of_key_) {
    auto place = [&](uint32_t function) { return std::pair(order_[functions_[function].owner].first, function); };
    std::sort(by_owner.begin(), by_owner.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    stack.clear();
    for (uint32_t function : by_owner) {
      while (!stack.empty() && !is_subrecord(functions_[function].owner, functions_[stack.back()].owner)) stack.pop_back();
      if (!stack.empty()) functions_[stack.back()].is_overridden = true;
      stack.push_back(function);
    }
  }
}

void Hierarchy::find_needs() {
  needs_initialising_.assign(program_.records.size(), false);
  for (uint32_t record : top_down_) {
    const uint32_t above = links_.extends[record];
    needs_initialising_[record] =
        initialisers_[record] != unlinked || (above != unlinked && needs_initialising_[above]);
  }
}

uint32_t Hierarchy::find_virtual(uint32_t record, uint32_t function) const {
  const FunctionPlace& place = functions_[function];
  if (place.key == 0 || !is_subrecord(record, place.owner)) return function;
  for (;; record = links_.extends[record])
    if (auto own = virtual_functions_.find(uint64_t{record} << 32 | place.key); own != virtual_functions_.end())
      return own->second;
}

uint32_t Hierarchy::only_implementation(uint32_t function) const {
  const FunctionPlace& place = functions_[function];
  if (place.key == 0) return program_.functions[function].has_body ? function : unlinked;
  uint32_t found = unlinked;
  for (uint32_t other : functions_of_key_[place.key]) {
    if (!program_.functions[other].has_body || !is_subrecord(functions_[other].owner, place.owner)) continue;
    if (found != unlinked) return unlinked;
    found = other;
  }
  return found;
}

}  // namespace braid::pandasm
