#include "transport/launch.h"

#include <catch2/catch.hpp>
#include <string>

using namespace leeway;

namespace {

LaunchRoom room(std::uint64_t memory, std::uint64_t processes, std::uint64_t descriptors) {
  return {
      {memory, "the memory that is free"}, {processes, "ulimit -u"}, {descriptors, "ulimit -n"}};
}

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30U;

/// The number of processes that the error message suggests; it must blame `limit`.
std::uint32_t offered(std::uint32_t nodes, std::uint32_t here, const LaunchRoom& room,
                      const std::string& limit) {
  const Status refused = admit_processes(nodes, here, room);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::Input);
  CHECK(refused.error().what.find(std::to_string(nodes)) == 0u);
  CHECK(refused.error().what.find(limit) != std::string::npos);
  const std::string& remedy = refused.error().remedy;
  return static_cast<std::uint32_t>(std::stoul(remedy.substr(remedy.find("-n ") + 3)));
}

}  // namespace

TEST_CASE("a launch that has room for all processes is admitted") {
  CHECK(admit_processes(16, 16, room(8 * kGigabyte, 1000, 1024)).has_value());
  CHECK(admit_processes(16, 16, LaunchRoom{}).has_value());
}

TEST_CASE("a refused launch is offered the greatest number that is admitted") {
  const LaunchRoom little = room(kGigabyte, 100'000, 100'000);
  const LaunchRoom few = room(64 * kGigabyte, 100, 100'000);
  const LaunchRoom closed = room(64 * kGigabyte, 100'000, 256);
  const std::pair<LaunchRoom, std::string> rooms[] = {
      {little, "the memory that is free"}, {few, "ulimit -u"}, {closed, "ulimit -n"}};
  for (const auto& [tight, limit] : rooms) {
    const std::uint32_t fits = offered(100'000, 100'000, tight, limit);
    CHECK(fits > 0);
    CHECK(admit_processes(fits, fits, tight).has_value());
    CHECK_FALSE(admit_processes(fits + 1, fits + 1, tight).has_value());
  }
}

TEST_CASE("processes on other machines need no memory here, but descriptors everywhere") {
  CHECK(admit_processes(300, 4, room(kGigabyte, 100, 4096)).has_value());
  CHECK(offered(3000, 4, room(kGigabyte, 100, 4096), "ulimit -n") < 3000);
}

TEST_CASE("the number that fits grows with the memory, which each pair of processes uses") {
  CHECK(most_that_fit(1000, 10, 0) == 100);
  CHECK(most_that_fit(1000, 10, 1) == 27);  // 27 * (10 + 27) = 999
  CHECK(most_that_fit(9, 10, 0) == 0);
}

TEST_CASE("this machine has memory for one process, but not for a hundred million") {
  CHECK(admit_processes(1, 1, launch_room()).has_value());
  CHECK_FALSE(admit_processes(100'000'000, 100'000'000, launch_room()).has_value());
}
