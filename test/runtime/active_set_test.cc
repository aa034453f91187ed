// One thread stores a value and adds a vertex, another takes the vertex and reads the value, in
// every interleaving of atomic operations.
#include "runtime/vertex/active_set.h"

#include <catch2/catch.hpp>
#include <memory>

#include "test/support/interleavings.h"

using namespace leeway;
using testing::BufferedRef;
using testing::Exploration;
using testing::explore;
using testing::Scenario;

namespace {

/// The faulty version: does not write a bit that is already set.
template <template <class> class Ref>
class LookingSet : public BasicActiveSet<Ref> {
 public:
  using BasicActiveSet<Ref>::BasicActiveSet;
  void add(std::uint32_t index) {
    if (!this->contains(index)) BasicActiveSet<Ref>::add(index);
  }
};

/// One thread stores and adds `adders` times; one takes twice. The vertex was added before.
template <class Set>
Exploration explore_takes(std::uint32_t adders) {
  using Word = BufferedRef<std::uint64_t>;
  struct Shared {
    Set set{64, 2};
    std::uint64_t values[2] = {};
    std::uint64_t seen[2] = {};

    void take() {
      set.take(0, 64, [this](std::uint32_t) {
        for (int i = 0; i < 2; ++i) seen[i] = Word(values[i]).load();
      });
    }
  };
  return explore([=] {
    const auto shared = std::make_shared<Shared>();
    shared->set.add(3);
    Scenario scenario;
    for (std::uint32_t i = 0; i < adders; ++i) {
      scenario.threads.push_back([=] {
        Word(shared->values[i]).store(1, std::memory_order_release);
        shared->set.add(3);
      });
    }
    scenario.threads.push_back([=] {
      shared->take();
      shared->take();
    });
    scenario.holds = [=] {
      shared->take();
      for (std::uint32_t i = 0; i < adders; ++i) {
        if (shared->seen[i] != 1) return false;
      }
      return true;
    };
    return scenario;
  });
}

}  // namespace

TEST_CASE("a vertex runs after the stores before its addition, in every interleaving") {
  for (const std::uint32_t adders : {1u, 2u}) {
    const Exploration all = explore_takes<BasicActiveSet<BufferedRef>>(adders);
    INFO(all.runs << " runs");
    CHECK_FALSE(all.wrong());
    CHECK(all.runs > 5);
  }
}

TEST_CASE("an addition that checks the bit first loses a vertex") {
  CHECK(explore_takes<LookingSet<BufferedRef>>(1).wrong());
}
