#include "dsm/value_store.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

using namespace leeway;

namespace {

constexpr std::uint32_t kSizes[] = {1,  2,  3,  4,  5,   6,    7,      8,        9,
                                    15, 16, 17, 63, 100, 4096, 65'535, 64 * 1024};

/// Each byte follows from the first, so a torn value is detected.
void fill(std::uint8_t seed, std::vector<std::byte>& value) {
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::byte>(seed + i * 7);
}

bool whole(std::span<const std::byte> value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != static_cast<std::byte>(static_cast<std::size_t>(value[0]) + i * 7))
      return false;
  }
  return true;
}

struct Triple {
  std::uint64_t a, b, c;
};

}  // namespace

TEST_CASE("a value of every size is loaded as stored, and its neighbours are unchanged") {
  for (const std::uint32_t size : kSizes) {
    INFO(size);
    auto store = ValueStore::make(size, 5).value();
    std::vector<std::byte> value(size), found(size);
    for (std::uint8_t place = 0; place < 5; ++place) {
      fill(place, value);
      store.store(place, value);
    }
    for (std::uint8_t place = 0; place < 5; ++place) {
      fill(place, value);
      store.load(place, found.data());
      REQUIRE(found == value);
    }
  }
}

TEST_CASE("gathering values equals loading them one by one") {
  for (const std::uint32_t size : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 100u}) {
    auto store = ValueStore::make(size, 40).value();
    std::vector<std::byte> value(size), one_by_one, gathered(20 * size);
    for (std::uint8_t place = 0; place < 40; ++place) {
      fill(place, value);
      store.store(place, value);
    }
    std::vector<LocalIndex> places;
    for (std::uint32_t i = 0; i < 20; ++i) {
      places.emplace_back(i * 17 % 40);
      store.load(places.back().index(), value.data());
      one_by_one.insert(one_by_one.end(), value.begin(), value.end());
    }
    store.gather(places, gathered.data());
    REQUIRE(gathered == one_by_one);
  }
}

TEST_CASE("readers never see a torn value while two writers store") {
  for (const std::uint32_t size : kSizes) {
    auto store = ValueStore::make(size, 1).value();
    std::vector<std::byte> first(size);
    fill(0, first);
    store.store(0, first);
    const int rounds = size > 1000 ? 300 : 20'000;
    std::atomic<int> torn{0}, writing{2};
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 2; ++writer) {
      threads.emplace_back([&, writer] {
        std::vector<std::byte> value(size);
        for (int i = 0; i < rounds; ++i) {
          fill(static_cast<std::uint8_t>(2 * i + writer), value);
          store.store(0, value);
        }
        --writing;
      });
    }
    for (int reader = 0; reader < 2; ++reader) {
      threads.emplace_back([&] {
        std::vector<std::byte> value(size);
        while (writing > 0) {
          store.load(0, value.data());
          if (!whole(value)) ++torn;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    INFO(size << " bytes");
    REQUIRE(torn == 0);
  }
}

TEST_CASE("a typed read of a wide value is never torn") {
  auto store = ValueStore::make(sizeof(Triple), 2).value();
  std::atomic<bool> writing{true};
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < 200'000; ++i) store.store_as(1, Triple{i, 2 * i, 3 * i});
    writing = false;
  });
  int torn = 0;
  while (writing) {
    const Triple value = store.load_as<Triple>(1);
    if (value.b != 2 * value.a || value.c != 3 * value.a) ++torn;
  }
  writer.join();
  CHECK(torn == 0);
}
