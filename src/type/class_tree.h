// The classes of a module: a forest by single inheritance, as the type lattice sees it.
//
// Each class keeps one jump pointer besides its parent (Myers, "An applicative random-access stack", 1983),
// so that subclass tests and nearest common ancestors cost O(log depth) without any renumbering when classes
// are added.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/id.h"
#include "base/id_map.h"

namespace braid {

enum class ClassId : uint32_t {};

class ClassTree {
 public:
  /// Parents come first. Adding a class again gives the same id; with another parent it gives no id.
  ClassId add(std::string name, ClassId parent);
  ClassId find(std::string_view name) const;

  uint32_t size() const { return static_cast<uint32_t>(classes_.size()); }
  const std::string& name(ClassId id) const { return classes_[id].name; }
  ClassId parent(ClassId id) const { return classes_[id].parent; }

  /// A class is a subclass of itself.
  bool is_subclass(ClassId derived, ClassId base) const;
  /// No id when the two have different roots.
  ClassId common_ancestor(ClassId a, ClassId b) const;

 private:
  struct Class {
    std::string name;
    ClassId parent;
    ClassId jump;    // some ancestor; a root jumps to itself
    uint32_t depth;  // 0 for a root
  };

  ClassId ancestor_at(ClassId id, uint32_t depth) const;

  IdMap<ClassId, Class> classes_;
  std::unordered_map<std::string, ClassId> by_name_;
};

}  // namespace braid
