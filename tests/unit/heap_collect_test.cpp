// The heap: every question has an answer for any bits, exactly what is reachable survives, and limits hold.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "heap/heap.h"

namespace braid::heap {
namespace {

struct Roots final : RootSource {
  std::vector<Reference> held;
  void visit_roots(RootVisitor& visitor) override {
    for (Reference reference : held) visitor.visit(reference);
  }
};

Class object_of(uint32_t fields, std::vector<uint32_t> references) {
  return {Shape::object, Element::bits8, fields, std::move(references)};
}
Class array_of(Element element) { return {Shape::array, element, 0, {}}; }
Class string_class() { return {Shape::string, Element::bits8, 0, {}}; }

TEST(Heap, AnswersForAnyBits) {
  Heap heap;
  const ClassId pair = heap.add_class(object_of(2, {0})), bytes = heap.add_class(array_of(Element::bits8)),
                text = heap.add_class(string_class());
  const Reference object = heap.new_object(pair), array = heap.new_array(bytes, 5), string = heap.new_string(text, "abc");
  EXPECT_EQ(heap.text(string), "abc");
  EXPECT_EQ(heap.length(string), 3u);
  EXPECT_EQ(heap.length(array), 5u);
  EXPECT_EQ(heap.length(object), 0u);
  EXPECT_EQ(heap.class_of(object), pair);
  EXPECT_EQ(*heap.field(object, 1), 0u);
  EXPECT_EQ(heap.field(object, 2), nullptr);
  EXPECT_EQ(heap.field(array, 0), nullptr);
  EXPECT_EQ(heap.elements(array, Element::bits16).data, nullptr);
  EXPECT_EQ(heap.elements(array, Element::bits8).length, 5u);
  EXPECT_EQ(heap.text(array), "");
  EXPECT_EQ(heap.new_object(bytes), null);
  EXPECT_EQ(heap.new_array(pair, 1), null);
  EXPECT_EQ(heap.new_string(static_cast<ClassId>(77), "x"), null);
  EXPECT_EQ((object | array | string) >> 63, 0u);

  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = random() >> (random() % 64);
    if (bits == object || bits == array || bits == string) continue;
    EXPECT_FALSE(heap.is_object(bits));
    EXPECT_TRUE(is_none(heap.class_of(bits)));
    EXPECT_EQ(heap.length(bits), 0u);
    EXPECT_EQ(heap.field(bits, 0), nullptr);
    EXPECT_EQ(heap.elements(bits, Element::bits8).data, nullptr);
    EXPECT_TRUE(heap.text(bits).empty());
  }
  heap.collect();  // nobody holds them
  EXPECT_FALSE(heap.is_object(object));
  const Reference next = heap.new_object(pair);
  EXPECT_NE(next, object);  // also where the place is the same
  EXPECT_FALSE(heap.is_object(object));
}

/// Against a model that keeps everything and finds what is reachable by a plain search.
TEST(Heap, KeepsExactlyWhatIsReachable) {
  struct Made {
    ClassId id;
    std::vector<uint64_t> words;  ///< of references: those of the heap
    std::string text;
  };
  uint64_t collections = 0, freed = 0, checked = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    HeapOptions options;
    options.stress = seed % 4 == 0;
    Heap heap(options);
    Roots roots;
    heap.add_roots(roots);
    const ClassId plain = heap.add_class(object_of(2, {})), linked = heap.add_class(object_of(4, {1, 3})),
                  row = heap.add_class(array_of(Element::reference)), text = heap.add_class(string_class());
    heap.add_class(array_of(Element::bits64));
    std::map<Reference, Made> made;
    auto is_reference = [&](const Made& one, size_t i) { return one.id == row || (one.id == linked && i % 2 == 1); };
    auto reachable = [&] {
      std::set<Reference> found;
      std::vector<Reference> work;
      auto visit = [&](Reference r) {
        if (made.contains(r) && found.insert(r).second) work.push_back(r);
      };
      for (Reference r : roots.held) visit(r);
      while (!work.empty()) {
        const Made& one = made[work.back()];
        work.pop_back();
        for (size_t i = 0; i < one.words.size(); ++i)
          if (is_reference(one, i)) visit(one.words[i]);
      }
      return found;
    };
    auto word = [&](const Made& one, Reference r, size_t i) -> uint64_t& {
      if (one.id == plain || one.id == linked) return *heap.field(r, static_cast<uint32_t>(i));
      return static_cast<uint64_t*>(heap.elements(r, one.id == row ? Element::reference : Element::bits64).data)[i];
    };
    auto any_held = [&]() -> Reference { return roots.held.empty() ? null : roots.held[random() % roots.held.size()]; };
    auto check = [&] {
      const std::set<Reference> living = reachable();
      for (auto at = made.begin(); at != made.end();) {
        if (!living.contains(at->first)) {
          EXPECT_FALSE(heap.is_object(at->first));
          at = made.erase(at);
          ++freed;
          continue;
        }
        const Made& one = at->second;
        ASSERT_EQ(heap.class_of(at->first), one.id);
        if (one.id == text) {
          EXPECT_EQ(heap.text(at->first), one.text);
        }
        for (size_t i = 0; i < one.words.size(); ++i) EXPECT_EQ(word(one, at->first, i), one.words[i]);
        ++checked;
        ++at;
      }
    };
    for (int step = 0; step < 400; ++step) {
      switch (random() % 8) {
        case 0: case 1: case 2: {
          const ClassId id = static_cast<ClassId>(random() % heap.class_count());
          const uint32_t size = random() % 6;
          Made one{id, {}, {}};
          Reference r;
          if (id == text) {
            one.text.assign(size, static_cast<char>('a' + random() % 26));
            r = heap.new_string(id, one.text);
          } else if (id == plain || id == linked) {
            one.words.resize(id == plain ? 2 : 4);
            r = heap.new_object(id);
          } else {
            one.words.resize(size);
            r = heap.new_array(id, size);
          }
          ASSERT_NE(r, null);
          made[r] = one;
          roots.held.push_back(r);
          if (options.stress) check();
          break;
        }
        case 3: case 4: case 5: {
          const Reference to = any_held();
          auto found = made.find(to);
          if (found == made.end() || found->second.words.empty()) break;
          const size_t i = random() % found->second.words.size();
          const uint64_t value = is_reference(found->second, i) && random() % 8 != 0 ? any_held() : random();
          found->second.words[i] = word(found->second, to, i) = value;
          break;
        }
        case 6:
          if (!roots.held.empty()) roots.held.erase(roots.held.begin() + static_cast<ptrdiff_t>(random() % roots.held.size()));
          break;
        default:
          if (random() % 4 != 0) break;
          heap.collect();
          check();
      }
    }
    heap.collect();
    check();
    collections += heap.statistics().collections;
    EXPECT_EQ(heap.statistics().allocated_objects - heap.statistics().freed_objects, made.size());
    roots.held.clear();
    heap.collect();
    EXPECT_EQ(heap.statistics().bytes, 0u);
  }
  std::printf("%llu collections, %llu objects freed, %llu looked at\n", static_cast<unsigned long long>(collections),
              static_cast<unsigned long long>(freed), static_cast<unsigned long long>(checked));
  EXPECT_GT(collections, 1000u);
  EXPECT_GT(freed, 1500u);
  EXPECT_GT(checked, 5000u);
}

TEST(Heap, LongChainsNeedNoStack) {
  HeapOptions options;
  options.max_bytes = uint64_t{256} << 20;
  Heap heap(options);
  Roots roots;
  heap.add_roots(roots);
  const ClassId node = heap.add_class(object_of(1, {0}));
  roots.held.push_back(heap.new_object(node));
  constexpr uint64_t length = 1'000'000;
  for (uint64_t i = 1; i < length; ++i) {
    const Reference next = heap.new_object(node);
    ASSERT_NE(next, null);
    *heap.field(next, 0) = roots.held[0];
    roots.held[0] = next;
  }
  heap.collect();
  EXPECT_EQ(heap.statistics().allocated_objects - heap.statistics().freed_objects, length);
  roots.held[0] = *heap.field(roots.held[0], 0);
  heap.collect();
  EXPECT_EQ(heap.statistics().freed_objects, 1u);
}

TEST(Heap, TheLimitHolds) {
  HeapOptions options;
  options.max_bytes = 10000;
  Heap heap(options);
  Roots roots;
  heap.add_roots(roots);
  const ClassId bytes = heap.add_class(array_of(Element::bits8)), text = heap.add_class(string_class());
  EXPECT_EQ(heap.new_array(bytes, 10000), null);
  EXPECT_EQ(heap.new_array(bytes, 0xffffffffu), null);
  // What nobody holds makes room.
  for (int i = 0; i < 1000; ++i) EXPECT_NE(heap.new_array(bytes, 5000), null);
  // What is held does not.
  size_t count = 0;
  for (Reference r; (r = heap.new_array(bytes, 900)) != null; ++count) roots.held.push_back(r);
  EXPECT_GE(count, 10u);
  EXPECT_LE(heap.statistics().most_bytes, 10000u);
  roots.held.clear();
  EXPECT_NE(heap.new_array(bytes, 9000), null);
  // The text of a string that is collected while another is made of it.
  const Reference long_text = heap.new_string(text, std::string(6000, 'x'));
  const Reference copy = heap.new_string(text, heap.text(long_text));
  EXPECT_EQ(heap.text(copy), std::string(6000, 'x'));
}

TEST(Heap, IsAsNewOnceItIsCleared) {
  HeapOptions options;
  options.max_bytes = 1 << 16;
  Heap heap(options);
  Roots roots;
  heap.add_roots(roots);
  const ClassId pair = heap.add_class(object_of(2, {0}));
  const Reference first = heap.new_object(pair);
  *heap.field(first, 1) = 7;
  roots.held = {first};
  for (int i = 0; i < 10000; ++i) heap.new_object(pair);
  EXPECT_GT(heap.statistics().collections, 0u);
  for (int round = 0; round < 3; ++round) {
    heap.clear();
    EXPECT_FALSE(heap.is_object(first));
    EXPECT_EQ(heap.statistics().bytes, 0u);
    EXPECT_EQ(heap.statistics().collections, 0u);
    EXPECT_EQ(heap.new_object(pair), first) << "numbers are given away in the same order";
    EXPECT_EQ(*heap.field(first, 1), 0u);
    for (int i = 0; i < 10000; ++i) ASSERT_NE(heap.new_object(pair), null);
    EXPECT_TRUE(heap.is_object(first)) << "sources of roots stay";
  }
}

TEST(Heap, CollectsNowAndThen) {
  Heap heap;
  Roots roots;
  heap.add_roots(roots);
  const ClassId bytes = heap.add_class(array_of(Element::bits8));
  for (int i = 0; i < 100000; ++i) {
    ASSERT_NE(heap.new_array(bytes, 100), null);
    heap.safepoint();
  }
  EXPECT_GT(heap.statistics().collections, 3u);
  EXPECT_LT(heap.statistics().collections, 100u);
  EXPECT_LT(heap.statistics().most_bytes, uint64_t{4} << 20);
  heap.remove_roots(roots);
  roots.held.push_back(heap.new_array(bytes, 1));
  heap.collect();
  EXPECT_FALSE(heap.is_object(roots.held[0]));
}

}  // namespace
}  // namespace braid::heap
