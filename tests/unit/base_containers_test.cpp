// Ids, maps, sets, rows, arena, hashing, interning, large arrays.
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/arena.h"
#include "base/bit_set.h"
#include "base/csr.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/id.h"
#include "base/id_map.h"
#include "base/large_memory.h"
#include "base/symbol_table.h"
#include "growth.h"

namespace braid {
namespace {

enum class Apple : uint32_t {};
enum class Pear : uint32_t {};
enum class Small : uint8_t {};

static_assert(Id<Apple> && !Id<Small> && !Id<uint32_t>);
static_assert(!std::is_convertible_v<Apple, Pear> && !std::is_convertible_v<uint32_t, Apple>);
static_assert(index(Apple{7}) == 7 && is_none(none_id<Apple>) && !is_none(Apple{0}));

template <class Map, class Key>
concept IndexableBy = requires(Map map, Key key) {
  map[key];
};
static_assert(IndexableBy<IdMap<Apple, int>, Apple>);
static_assert(!IndexableBy<IdMap<Apple, int>, Pear> && !IndexableBy<IdMap<Apple, int>, int>);

TEST(IdMap, PushGivesConsecutiveIds) {
  IdMap<Apple, std::string> map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.push("a"), Apple{0});
  EXPECT_EQ(map.push("b"), Apple{1});
  EXPECT_EQ(map[Apple{1}], "b");
  EXPECT_TRUE(map.contains(Apple{1}));
  EXPECT_FALSE(map.contains(Apple{2}));
  EXPECT_FALSE(map.contains(none_id<Apple>));
  map.resize(4, "x");
  EXPECT_EQ(map[Apple{3}], "x");
  EXPECT_EQ(map[Apple{0}], "a");
  map.assign(2, "y");
  EXPECT_EQ(std::vector<std::string>(map.begin(), map.end()), (std::vector<std::string>{"y", "y"}));
  map.clear();
  EXPECT_EQ(map.size(), 0u);
}

std::vector<size_t> elements(const BitSet& set) {
  std::vector<size_t> result;
  set.for_each([&](size_t i) { result.push_back(i); });
  return result;
}

TEST(BitSet, Basics) {
  BitSet set(130);
  EXPECT_TRUE(set.empty());
  for (size_t i : {0, 63, 64, 127, 128, 129}) set.set(i);
  EXPECT_EQ(elements(set), (std::vector<size_t>{0, 63, 64, 127, 128, 129}));
  EXPECT_EQ(set.count(), 6u);
  EXPECT_TRUE(set.test(64));
  EXPECT_FALSE(set.test(65));
  set.reset(64);
  EXPECT_FALSE(set.test(64));
  EXPECT_TRUE(set.insert(64));
  EXPECT_FALSE(set.insert(64));
  set.clear_all();
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.size(), 130u);
  set.set_all();
  EXPECT_EQ(set.count(), 130u);
}

TEST(BitSet, ShrinkingForgetsWhatIsBehindTheEnd) {
  BitSet set(100);
  set.set_all();
  set.resize(70);
  EXPECT_EQ(set.count(), 70u);
  set.resize(200);
  EXPECT_EQ(set.count(), 70u);
  set.resize(64);
  set.resize(65);
  EXPECT_FALSE(set.test(64));
  set.resize(0);
  EXPECT_TRUE(elements(set).empty());
  EXPECT_EQ(set, BitSet());
}

TEST(BitSet, OperationsMatchStdSet) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    size_t size = 1 + random() % 200;
    BitSet a(size), b(size);
    std::set<size_t> model_a, model_b;
    for (size_t i = 0; i < size; ++i) {
      if (random() % 3 == 0) a.set(i), model_a.insert(i);
      if (random() % 3 == 0) b.set(i), model_b.insert(i);
    }
    std::set<size_t> expected = model_a;
    BitSet result = a;
    bool changed = false;
    switch (random() % 3) {
      case 0:
        changed = result.union_with(b);
        expected.insert(model_b.begin(), model_b.end());
        break;
      case 1:
        changed = result.intersect(b);
        std::erase_if(expected, [&](size_t i) { return !model_b.count(i); });
        break;
      default:
        changed = result.subtract(b);
        std::erase_if(expected, [&](size_t i) { return model_b.count(i) != 0; });
    }
    EXPECT_EQ(elements(result), std::vector<size_t>(expected.begin(), expected.end()));
    EXPECT_EQ(changed, expected != model_a);
    EXPECT_EQ(result.count(), expected.size());
  }
}

TEST(IdSet, HoldsIdsOfOneKind) {
  IdSet<Apple> set(10), other(10);
  EXPECT_TRUE(set.insert(Apple{3}));
  other.set(Apple{9});
  EXPECT_TRUE(set.union_with(other));
  EXPECT_FALSE(set.union_with(other));
  std::vector<Apple> seen;
  set.for_each([&](Apple apple) { seen.push_back(apple); });
  EXPECT_EQ(seen, (std::vector<Apple>{Apple{3}, Apple{9}}));
  EXPECT_TRUE(set.intersect(other));
  EXPECT_EQ(set, other);
  EXPECT_TRUE(set.subtract(other));
  EXPECT_TRUE(set.empty());
}

TEST(Csr, KeepsOrderWithinRows) {
  std::vector<uint32_t> rows{2, 0, 2, 4, 0, 2};
  std::vector<int> items{10, 11, 12, 13, 14, 10};
  Csr<int> csr = Csr<int>::from_arrays(5, rows, items);
  auto row = [&](size_t i) { return std::vector<int>(csr.row(i).begin(), csr.row(i).end()); };
  EXPECT_EQ(row(0), (std::vector<int>{11, 14}));
  EXPECT_EQ(row(1), std::vector<int>{});
  EXPECT_EQ(row(2), (std::vector<int>{10, 12, 10}));
  EXPECT_EQ(row(3), std::vector<int>{});
  EXPECT_EQ(row(4), std::vector<int>{13});
  EXPECT_EQ(csr.row(Apple{2}).size(), 3u);
  EXPECT_EQ(csr.row_count(), 5u);
  EXPECT_EQ(csr.item_count(), 6u);
  EXPECT_EQ(csr.start(2), 2u);
}

TEST(Csr, EmptyAndReuse) {
  Csr<int> csr;
  EXPECT_EQ(csr.row_count(), 0u);
  csr.build_again(0, [](auto&&) {});
  EXPECT_EQ(csr.row_count(), 0u);
  csr.build_again(3, [](auto&& emit) { emit(1, 5); });
  EXPECT_EQ(csr.row(1)[0], 5);
  csr.build_again(2, [](auto&& emit) { emit(0, 6), emit(1, 7); });
  EXPECT_EQ(csr.row_count(), 2u);
  EXPECT_EQ(csr.row(0).size(), 1u);
  EXPECT_EQ(csr.row(1)[0], 7);
}

TEST(Csr, MatchesVectorOfVectors) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    size_t row_count = 1 + random() % 20;
    std::vector<std::vector<uint32_t>> model(row_count);
    std::vector<uint32_t> rows(random() % 100), items(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<uint32_t>(random() % row_count);
      items[i] = static_cast<uint32_t>(random());
      model[rows[i]].push_back(items[i]);
    }
    auto csr = Csr<uint32_t>::from_arrays(row_count, rows, items);
    for (size_t i = 0; i < row_count; ++i) {
      EXPECT_EQ(std::vector<uint32_t>(csr.row(i).begin(), csr.row(i).end()), model[i]);
    }
  }
}

TEST(Arena, AlignsAndDoesNotOverlap) {
  Arena arena;
  std::mt19937 random(3);
  std::vector<std::pair<unsigned char*, size_t>> blocks;
  for (int i = 0; i < 3000; ++i) {
    size_t size = random() % 50 == 0 ? random() % 5000 : random() % 40;
    size_t alignment = size_t{1} << random() % 7;
    auto* block = static_cast<unsigned char*>(arena.allocate(size, alignment));
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
    std::memset(block, i & 0xff, size);
    blocks.push_back({block, size});
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t k = 0; k < blocks[i].second; ++k) ASSERT_EQ(blocks[i].first[k], i & 0xff);
  }
}

TEST(Arena, ArraysTextAndMove) {
  Arena arena;
  std::span<uint64_t> zeros = arena.make_array<uint64_t>(1000);
  for (uint64_t zero : zeros) EXPECT_EQ(zero, 0u);
  std::string_view text = arena.copy("hello");
  std::string_view empty = arena.copy("");
  Arena moved = std::move(arena);
  EXPECT_EQ(text, "hello");
  EXPECT_EQ(empty, "");
  EXPECT_GE(moved.capacity(), 8000u);
  EXPECT_EQ(arena.capacity(), 0u);
  EXPECT_EQ(arena.copy("again"), "again");
  moved.clear();
  EXPECT_EQ(moved.capacity(), 0u);
}

TEST(Hash, DependsOnEveryByteAndOnLength) {
  std::mt19937 random(4);
  for (size_t length = 0; length < 70; ++length) {
    std::string text(length, '\0');
    for (char& c : text) c = static_cast<char>(random());
    uint64_t hash = hash_bytes(text);
    EXPECT_EQ(hash, hash_bytes(std::string(text)));
    EXPECT_NE(hash, hash_bytes(text + '\0'));
    for (size_t i = 0; i < length; ++i) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ (1 << random() % 8));
      EXPECT_NE(hash, hash_bytes(other)) << "length " << length << " byte " << i;
    }
  }
}

TEST(Hash, LowBitsSpread) {
  std::set<uint64_t> buckets, mixed, combined;
  for (int i = 0; i < 4096; ++i) {
    buckets.insert(hash_bytes("v" + std::to_string(i)) & 0xffff);
    mixed.insert(mix64(static_cast<uint64_t>(i) << 40) & 0xffff);
    combined.insert(hash_combine(static_cast<uint64_t>(i & 63), static_cast<uint64_t>(i >> 6)) & 0xffff);
  }
  // 4096 random values in 65536 buckets leave about 3971 different ones.
  EXPECT_GT(buckets.size(), 3900u);
  EXPECT_GT(mixed.size(), 3900u);
  EXPECT_GT(combined.size(), 3900u);
  EXPECT_NE(hash_combine(1, 2), hash_combine(2, 1));
}

TEST(HashIndex, KeepsWhatHasTheSameHashApart) {
  std::vector<uint32_t> numbers;
  HashIndex index;
  auto position_of = [&](uint32_t number) {
    const uint32_t next = static_cast<uint32_t>(numbers.size());
    const uint32_t found = index.find_or_add(number % 7, next, [&](uint32_t other) { return numbers[other] == number; });
    if (found == next) numbers.push_back(number);
    return found;
  };
  for (uint32_t number = 0; number < 100; ++number) EXPECT_EQ(position_of(3 * number), number);
  for (uint32_t number = 0; number < 100; ++number) EXPECT_EQ(position_of(3 * number), number);
  EXPECT_EQ(position_of(1), 100u);
}

TEST(HashIndex, AsksNobodyAboutOtherHashes) {
  HashIndex index;
  for (uint32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(index.find_or_add(i << 16, i, [](uint32_t) { return true; }), i);  // all of them in one run of slots
}

TEST(HashIndex, OfFewThingsAndOfMany) {
  std::vector<uint32_t> numbers;
  SmallHashIndex index;
  auto find = [&](uint32_t number) {
    return index.find(number % 3, [&](uint32_t other) { return numbers[other] == number; });
  };
  for (uint32_t count = 0; count < 40; ++count) {
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(find(5 * i), i) << count;
    EXPECT_EQ(find(5 * count), SmallHashIndex::nobody) << count;
    index.add(5 * count % 3);
    numbers.push_back(5 * count);
  }
}

TEST(LargeMemory, KeepsWhatIsThere) {
  std::vector<uint32_t> things = {1, 2, 3};
  for (size_t count : {size_t{2}, size_t{1000}, size_t{5} << 20}) {
    reserve_large(things, count);
    EXPECT_GE(things.capacity(), count);
    EXPECT_EQ(things, (std::vector<uint32_t>{1, 2, 3}));
  }
  const uint32_t* data = things.data();
  things.resize(size_t{5} << 20, 7);
  EXPECT_EQ(things.data(), data);
  EXPECT_EQ(things[2] + things.back(), 10u);
  // Ranges without a whole page, and none at all.
  prefer_large_pages(things.data() + 1, 8);
  prefer_large_pages(nullptr, 0);
}

TEST(SymbolTable, EqualTextIsTheSameSymbol) {
  SymbolTable table;
  EXPECT_TRUE(is_none(table.find("a")));
  Symbol a = table.intern("a");
  EXPECT_EQ(a, Symbol{0});
  EXPECT_EQ(table.intern(std::string("a")), a);
  Symbol empty = table.intern("");
  EXPECT_EQ(empty, Symbol{1});
  EXPECT_EQ(table.view(empty), "");
  EXPECT_EQ(table.find("a"), a);
  EXPECT_EQ(table.find(""), empty);
  EXPECT_TRUE(is_none(table.find("b")));
  EXPECT_EQ(table.size(), 2u);
  Symbol with_zero = table.intern(std::string_view("a\0b", 3));
  EXPECT_NE(with_zero, a);
  EXPECT_EQ(table.view(with_zero).size(), 3u);
}

TEST(SymbolTable, MatchesStdMapAndViewsStayValid) {
  SymbolTable table;
  std::map<std::string, Symbol> model;
  std::vector<std::string_view> views;
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string text = "name_" + std::to_string(random() % 8000);
    if (random() % 100 == 0) text.append(random() % 3000, 'x');
    Symbol symbol = table.intern(text);
    auto [at, is_new] = model.emplace(text, symbol);
    EXPECT_EQ(at->second, symbol);
    if (is_new) {
      EXPECT_EQ(index(symbol), views.size());
      views.push_back(table.view(symbol));
    }
  }
  EXPECT_EQ(table.size(), model.size());
  for (const auto& [text, symbol] : model) {
    EXPECT_EQ(table.view(symbol), text);
    EXPECT_EQ(views[index(symbol)], text);
    EXPECT_EQ(table.find(text), symbol);
  }
}

TEST(SymbolTable, CopyIsIndependentAndMoveKeepsViews) {
  SymbolTable table;
  for (int i = 0; i < 1000; ++i) table.intern("s" + std::to_string(i));
  SymbolTable copy = table;
  EXPECT_NE(copy.view(Symbol{5}).data(), table.view(Symbol{5}).data());
  copy.intern("only in the copy");
  EXPECT_TRUE(is_none(table.find("only in the copy")));
  std::string_view view = table.view(Symbol{7});
  SymbolTable moved = std::move(table);
  EXPECT_EQ(view.data(), moved.view(Symbol{7}).data());
  moved = copy;
  EXPECT_EQ(moved.size(), 1001u);
  for (int i = 0; i < 1000; ++i) {
    std::string text = "s" + std::to_string(i);
    EXPECT_EQ(moved.find(text), static_cast<Symbol>(i));
    EXPECT_EQ(moved.view(static_cast<Symbol>(i)), text);
  }
  SymbolTable empty_copy{SymbolTable()};
  EXPECT_EQ(empty_copy.intern("x"), Symbol{0});
}

TEST(SymbolTable, GrowsLinearly) {
  auto names = [](size_t count) {
    std::vector<std::string> result;
    for (size_t i = 0; i < count; ++i) result.push_back("block" + std::to_string(i));
    return result;
  };
  double ratio = growth_ratio(50000, names, [](const std::vector<std::string>& texts) {
    SymbolTable table;
    for (const std::string& text : texts) table.intern(text);
  });
  EXPECT_LT(ratio, 3.0);
}

}  // namespace
}  // namespace braid
