// The bucket queue compared with an ordered map, for close and distant ranks.
#include "base/bucket_queue.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "base/random.h"

using namespace leeway;

TEST_CASE("vertices are returned bucket by bucket, despite additions in between") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BucketQueue queue(0.5);
    std::map<std::size_t, std::vector<std::uint32_t>> expected;
    const auto far = std::exp2(static_cast<double>(random.below(60)));
    std::uint32_t vertex = 0;
    const auto add = [&] {
      const double rank = static_cast<double>(random.below(1000)) / 1000 * far;
      queue.add(vertex, rank);
      expected[queue.bucket_of(rank)].push_back(vertex++);
    };
    for (int i = 0; i < 20; ++i) add();
    std::vector<std::uint32_t> work;
    while (!expected.empty()) {
      REQUIRE_FALSE(queue.empty());
      REQUIRE(queue.lowest() <= expected.begin()->first);
      REQUIRE(queue.take(work) == expected.begin()->first);
      std::sort(work.begin(), work.end());
      REQUIRE(work == expected.begin()->second);
      expected.erase(expected.begin());
      work.clear();
      // Below, among and above the current ranks.
      if (vertex < 200 && random.below(2) == 0) add();
    }
    REQUIRE(queue.empty());
    REQUIRE(queue.take(work) == BucketQueue::none());
    REQUIRE(work.empty());
  }
}

TEST_CASE("ranks beyond the range of buckets share the last one") {
  BucketQueue queue(1e-300);
  queue.add(1, std::numeric_limits<double>::infinity());
  queue.add(2, 1e300);
  queue.add(3, 0);
  queue.add(4, -1);
  std::vector<std::uint32_t> work;
  CHECK(queue.take(work) == 0u);
  CHECK(work == std::vector<std::uint32_t>{3, 4});
  work.clear();
  CHECK(queue.take(work) == queue.bucket_of(1e300));
  CHECK(work.size() == 2);
}
