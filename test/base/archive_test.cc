// Structs as bytes: states of objects, and records that are checked when they are read.
#include "base/archive.h"

#include <array>
#include <catch2/catch.hpp>
#include <complex>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"

using namespace leeway;

namespace {

struct Point {
  int x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
struct WithArray {
  int numbers[3];
  std::vector<int> list;
};
struct Tree {
  int label = 0;
  std::vector<Tree> children;
};
class Closed {
 public:
  void set(int value) { value_ = value; }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_ = 0;
};
class ClosedList {
 public:
  void save(ByteWriter& out) const { save_all(out, list_); }
  void load(ByteReader& in) { load_all(in, list_); }
  std::vector<int>& list() { return list_; }

 private:
  std::vector<int> list_;
};
struct Everything {
  std::vector<double> numbers;
  std::vector<bool> bits;
  std::map<int, std::string> names;
  std::unordered_map<int, Point> points;
  std::optional<std::string> maybe;
  std::unique_ptr<Point> owned;
  std::priority_queue<std::pair<double, int>> best;
  std::array<std::vector<int>, 2> pair_of_lists;
  std::deque<Point> queue;
  std::set<int> chosen;
  std::complex<double> complex;
  Closed closed;
  ClosedList closed_list;
  WithArray with_array{};
  bool flag = false;
};

struct HasPointer {
  std::vector<int> list;
  const int* elsewhere;
};
struct OnlyPointer {
  int* elsewhere;
};
struct HasView {
  std::string_view text;
};
struct HasFunction {
  std::function<void()> call;
};
struct Derived : Point {
  std::vector<int> list;
};
class Hidden {
  std::vector<int> list_;
};

static_assert(kCanSave<Everything>);
static_assert(kCanSave<Tree>);
static_assert(!kCanSave<HasPointer>);
static_assert(!kCanSave<OnlyPointer>);
static_assert(!kCanSave<HasView>);
static_assert(!kCanSave<HasFunction>);
static_assert(!kCanSave<Derived>);
static_assert(!kCanSave<Hidden>);
static_assert(!kCanSave<std::shared_ptr<int>>);
static_assert(!kCanSave<std::variant<int, std::string>>);

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

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.colour, self.begin, self.tick);
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

template <class T>
T through_bytes(const T& value) {
  const std::vector<std::byte> bytes = archived(value);
  ByteReader in(bytes);
  T read{};
  load_all(in, read);
  CHECK_FALSE(in.failed());
  CHECK(in.at_end());
  return read;
}

struct Inner {
  std::uint64_t hits = 0;
  std::array<std::uint64_t, 3> by_age{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.hits, self.by_age);
  }
};

struct Outer {
  Inner inner;
  double seconds = 0;
  bool unlisted = false;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.inner, self.seconds);
  }
};

}  // namespace

TEST_CASE("every kind of member is saved and loaded") {
  Everything all;
  all.numbers = {1, 2.5};
  all.bits = {true, false, true};
  all.names = {{1, "one"}, {2, "two"}};
  all.points = {{3, {4, 5}}};
  all.maybe = "here";
  all.owned = std::make_unique<Point>(Point{1, 2});
  all.best.push({3, 1});
  all.best.push({9, 2});
  all.pair_of_lists[1] = {7};
  all.queue = {{1, 1}, {2, 2}};
  all.chosen = {5, 6};
  all.complex = {1, -1};
  all.closed.set(11);
  all.closed_list.list() = {8, 9};
  all.with_array = {{1, 2, 3}, {4}};
  all.flag = true;
  Everything read = through_bytes(all);
  CHECK(read.numbers == all.numbers);
  CHECK(read.bits == all.bits);
  CHECK(read.names == all.names);
  CHECK(read.points == all.points);
  CHECK(read.maybe == all.maybe);
  REQUIRE(read.owned != nullptr);
  CHECK(*read.owned == *all.owned);
  REQUIRE(read.best.size() == 2);
  CHECK(read.best.top().second == 2);
  CHECK(read.pair_of_lists == all.pair_of_lists);
  CHECK(read.queue == all.queue);
  CHECK(read.chosen == all.chosen);
  CHECK(read.complex == all.complex);
  CHECK(read.closed.get() == 11);
  CHECK(read.closed_list.list() == all.closed_list.list());
  CHECK(read.with_array.numbers[2] == 3);
  CHECK(read.with_array.list == all.with_array.list);
  CHECK(read.flag);
}

TEST_CASE("a tree and an empty state are saved") {
  const Tree read = through_bytes(Tree{1, {{2, {}}, {3, {{4, {}}}}}});
  REQUIRE(read.children.size() == 2);
  CHECK(read.children[1].children[0].label == 4);
  const Everything empty = through_bytes(Everything());
  CHECK(empty.owned == nullptr);
  CHECK_FALSE(empty.maybe.has_value());
}

TEST_CASE("a state that is cut off fails, and allocates no more than its bytes") {
  Everything all;
  all.numbers.assign(100, 1.5);
  all.names = {{1, "one"}};
  const std::vector<std::byte> bytes = archived(all);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::span<const std::byte>(bytes).first(size));
    Everything read;
    load_all(in, read);
    CHECK(in.failed());
    CHECK(read.numbers.size() <= all.numbers.size());
  }
}

TEST_CASE("a record is restored from its bytes, including nested lists") {
  Record back;
  REQUIRE(load_archived(archived(example()), back));
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
  const std::vector<std::byte> good = archived(example());
  Record record;
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_FALSE(load_archived(std::span(good).first(size), record));
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  CHECK_FALSE(load_archived(longer, record));
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::byte> bytes = good;
    bytes[at] = std::byte{value};
    return bytes;
  };
  CHECK_FALSE(load_archived(changed(0, 2), record));  // not a flag
  CHECK_FALSE(load_archived(changed(9, 2), record));  // not a colour
  const std::size_t stretch =
      good.size() - 2 * sizeof(double) - 1 - sizeof(std::uint32_t) - sizeof(Instant) - 1;
  CHECK_FALSE(load_archived(changed(stretch, 2), record));
}

TEST_CASE("arbitrary bytes give a valid record or an error") {
  const std::vector<std::byte> good = archived(example());
  Random random(20260101);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = good;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes)
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
    Record record;
    if (!load_archived(bytes, record)) continue;
    CHECK(record.colour <= Colour::Green);
    for (const Stretch& stretch : record.stretches) CHECK(stretch.colour <= Colour::Green);
  }
}

TEST_CASE("the difference of two records is that of each of their numbers") {
  const Outer all = difference(Outer{{9, {3, 2, 1}}, 2.5, true}, Outer{{4, {1, 1, 1}}, 1, false});
  CHECK(all.inner.hits == 5);
  CHECK(all.inner.by_age == std::array<std::uint64_t, 3>{2, 1, 0});
  CHECK(all.seconds == 1.5);
  CHECK(all.unlisted);
}
