// Versions of slot maps against plain vectors.
#include "sea/slot_map.h"

#include <gtest/gtest.h>

#include <random>

namespace braid::sea {
namespace {

TEST(SeaSlotMap, LikeCopiesOfVectors) {
  int copies = 0, differences = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    uint32_t slots = seed % 3 == 0 ? 10 : seed % 3 == 1 ? 300 : 5000;
    SlotMaps maps;
    std::vector<SlotMaps::Version> versions(1);
    std::vector<std::vector<NodeId>> models(1, std::vector<NodeId>(slots, no_node));
    for (int step = 0; step < 200; ++step) {
      size_t which = random() % versions.size();
      switch (random() % 6) {
        case 0:
          if (versions.size() < 20) {
            versions.push_back(maps.copy(versions[which]));
            models.push_back(models[which]);
            ++copies;
          }
          break;
        case 1:
          if (versions.size() > 1) {
            maps.release(versions[which]);
            versions.erase(versions.begin() + static_cast<std::ptrdiff_t>(which));
            models.erase(models.begin() + static_cast<std::ptrdiff_t>(which));
          }
          break;
        case 2: {
          size_t other = random() % versions.size();
          uint32_t count = random() % slots + 1;
          std::vector<uint32_t> found, expected;
          maps.for_each_difference(versions[which], versions[other], count, [&](uint32_t slot) { found.push_back(slot); });
          for (uint32_t i = 0; i < count; ++i)
            if (models[which][i] != models[other][i]) expected.push_back(i);
          ASSERT_EQ(found, expected);
          differences += static_cast<int>(found.size());
          found.clear();
          expected.clear();
          maps.for_each(versions[which], count, [&](uint32_t slot) { found.push_back(slot); });
          for (uint32_t i = 0; i < count; ++i)
            if (!is_none(models[which][i])) expected.push_back(i);
          ASSERT_EQ(found, expected);
          break;
        }
        default: {
          uint32_t slot = random() % slots;
          NodeId value = static_cast<NodeId>(random() % 5);
          maps.set(versions[which], slot, value);
          models[which][slot] = value;
        }
      }
      uint32_t slot = random() % slots;
      which = random() % versions.size();
      ASSERT_EQ(maps.get(versions[which], slot), models[which][slot]);
    }
    for (SlotMaps::Version& version : versions) maps.release(version);
    EXPECT_EQ(maps.block_count(), 0u) << "blocks that nobody has";
  }
  std::printf("%d copies, %d differences\n", copies, differences);
  EXPECT_GT(copies, 2000);
  EXPECT_GT(differences, 10000);
}

}  // namespace
}  // namespace braid::sea
