#include "base/fields.h"
#include "base/bytes.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/random.h"

using namespace leeway;

namespace {

enum class Colour : std::uint8_t { Red, Green };
constexpr Colour last_of(Colour) { return Colour::Green; }

struct Sample {
  Instant at{};
  std::uint32_t count = 0;
  std::optional<double> moved;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.at, self.count, self.moved);
  }
};

struct Stretch {
  Colour colour = Colour::Red;
  Instant begin{};
  std::uint32_t tick = 0;

  static constexpr bool kCopiedRaw = true;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.colour, self.begin);
  }
};

struct Record {
  bool done = false;
  std::int64_t waited = 0;
  Colour colour = Colour::Red;
  std::vector<Sample> samples;
  std::vector<Stretch> stretches;
  std::vector<double> reals;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.done, self.waited, self.colour, self.samples, self.stretches, self.reals);
  }
};

Record example() {
  Record record{.done = true, .waited = -5, .colour = Colour::Green};
  record.samples = {{Instant(Duration(70)), 3, 1.5}, {Instant(Duration(90)), 400, std::nullopt}};
  record.stretches = {{Colour::Green, Instant(Duration(80)), 7}};
  record.reals = {0.25, -1e300};
  return record;
}

}  // namespace

TEST_CASE("a record is restored from its bytes, including nested lists") {
  Record back;
  REQUIRE(read_record(record_bytes(example()), back));
  CHECK(back.done);
  CHECK(back.waited == -5);
  CHECK(back.colour == Colour::Green);
  REQUIRE(back.samples.size() == 2);
  CHECK(back.samples[0].at == Instant(Duration(70)));
  CHECK(back.samples[0].moved == 1.5);
  CHECK(back.samples[1].count == 400);
  CHECK_FALSE(back.samples[1].moved);
  REQUIRE(back.stretches.size() == 1);
  CHECK(back.stretches[0].tick == 7);
  CHECK(back.reals == example().reals);
}

TEST_CASE("all instants of a record are shifted together") {
  Record record = example();
  shift_times(record, Duration(60));
  CHECK(record.samples[1].at == Instant(Duration(30)));
  CHECK(record.stretches[0].begin == Instant(Duration(20)));
  CHECK(record.waited == -5);
}

TEST_CASE("invalid bytes are refused") {
  const std::vector<std::byte> good = record_bytes(example());
  Record record;
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_FALSE(read_record(std::span(good).first(size), record));
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  CHECK_FALSE(read_record(longer, record));
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::byte> bytes = good;
    bytes[at] = std::byte{value};
    return bytes;
  };
  CHECK_FALSE(read_record(changed(0, 2), record));   // not a flag
  CHECK_FALSE(read_record(changed(11, 2), record));  // not a colour
  const std::size_t stretch = good.size() - 2 * sizeof(double) - 1 - sizeof(Stretch);
  CHECK_FALSE(read_record(changed(stretch, 2), record));
}

TEST_CASE("arbitrary bytes give a valid record or an error") {
  const std::vector<std::byte> good = record_bytes(example());
  Random random(20260101);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = good;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes)
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
    Record record;
    if (!read_record(bytes, record)) continue;
    CHECK(record.colour <= Colour::Green);
    for (const Stretch& stretch : record.stretches) CHECK(stretch.colour <= Colour::Green);
  }
}
