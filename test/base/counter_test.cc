#include "leeway/base/counter.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace leeway;

TEST_CASE("a counter bumped by four threads loses nothing") {
  Counter counter;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) counter.add();
    });
  }
  for (auto& thread : threads) thread.join();
  REQUIRE(counter.value() == 40'000);
}

TEST_CASE("every value falls into the bucket whose bounds enclose it") {
  for (std::uint64_t value = 0; value < 5'000; ++value) {
    const std::size_t bucket = Histogram::bucket_of(value);
    CHECK(Histogram::lower_bound(bucket) <= value);
    CHECK(value < Histogram::lower_bound(bucket + 1));
  }
  REQUIRE(Histogram::bucket_of(~std::uint64_t{0}) == Histogram::kBuckets - 1);
}

TEST_CASE("a histogram knows count, mean, maximum and quantiles of small values exactly") {
  Histogram histogram;
  for (std::uint64_t value = 0; value < 10; ++value) histogram.add(value, 10);
  REQUIRE(histogram.count() == 100);
  REQUIRE(histogram.mean() == Approx(4.5));
  REQUIRE(histogram.max() == 9);
  REQUIRE(histogram.quantile(0.5) == 4);
  REQUIRE(histogram.quantile(0.0) == 0);
  REQUIRE(histogram.quantile(1.0) == 9);
}

TEST_CASE("an empty histogram answers zeros") {
  const Histogram histogram;
  REQUIRE(histogram.mean() == 0.0);
  REQUIRE(histogram.quantile(0.99) == 0);
}
