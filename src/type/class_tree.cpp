// See class_tree.h.
#include "type/class_tree.h"

#include <algorithm>
#include <utility>

namespace braid {

ClassId ClassTree::add(std::string name, ClassId parent) {
  const auto id = static_cast<ClassId>(classes_.size());
  const auto [known, is_new] = by_name_.try_emplace(name, id);
  if (!is_new) return classes_[known->second].parent == parent ? known->second : none_id<ClassId>;
  if (is_none(parent)) {
    classes_.push({std::move(name), parent, id, 0});
    return id;
  }
  const Class& above = classes_[parent];
  const Class& far = classes_[above.jump];
  // Two jumps of the same length in a row become one twice as long.
  const bool doubled = above.depth - far.depth == far.depth - classes_[far.jump].depth;
  const ClassId jump = doubled ? far.jump : parent;
  const uint32_t depth = above.depth + 1;
  classes_.push({std::move(name), parent, jump, depth});
  return id;
}

ClassId ClassTree::find(std::string_view name) const {
  const auto known = by_name_.find(std::string(name));
  return known == by_name_.end() ? none_id<ClassId> : known->second;
}

ClassId ClassTree::ancestor_at(ClassId id, uint32_t depth) const {
  while (classes_[id].depth > depth) {
    const Class& here = classes_[id];
    id = classes_[here.jump].depth >= depth ? here.jump : here.parent;
  }
  return id;
}

bool ClassTree::is_subclass(ClassId derived, ClassId base) const {
  return ancestor_at(derived, classes_[base].depth) == base;
}

ClassId ClassTree::common_ancestor(ClassId a, ClassId b) const {
  const uint32_t depth = std::min(classes_[a].depth, classes_[b].depth);
  a = ancestor_at(a, depth);
  b = ancestor_at(b, depth);
  while (a != b) {
    if (classes_[a].depth == 0) return none_id<ClassId>;
    // The shape of the jumps depends on the depth alone, so both sides stay level.
    const bool leap = classes_[a].jump != classes_[b].jump;
    a = leap ? classes_[a].jump : classes_[a].parent;
    b = leap ? classes_[b].jump : classes_[b].parent;
  }
  return a;
}

}  // namespace braid
