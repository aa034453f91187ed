#include "base/parallel.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace leeway;

TEST_CASE("chunks cover the range once, for every number of threads") {
  for (const unsigned threads : {1u, 2u, 3u, 7u}) {
    for (const std::size_t count : {0u, 1u, 2u, 100u}) {
      std::vector<int> visits(count, 0);
      parallel_chunks(count, threads, [&](unsigned, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      CHECK(visits == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("zero threads requested means at least one") {
  REQUIRE(thread_count(0) >= 1);
  REQUIRE(thread_count(5) == 5);
}
