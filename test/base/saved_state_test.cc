// States of objects as bytes.
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
#include "base/saved_state.h"

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
  void save(ByteWriter& out) const { save_state(list_, out); }
  void load(ByteReader& in) { load_state(in, list_); }
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

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  ByteWriter out;
  save_state(value, out);
  return out.take();
}

template <class T>
T through_bytes(const T& value) {
  const std::vector<std::byte> bytes = bytes_of(value);
  ByteReader in(bytes);
  T read{};
  load_state(in, read);
  CHECK_FALSE(in.failed());
  CHECK(in.at_end());
  return read;
}

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
  const std::vector<std::byte> bytes = bytes_of(all);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::span<const std::byte>(bytes).first(size));
    Everything read;
    load_state(in, read);
    CHECK(in.failed());
    CHECK(read.numbers.size() <= all.numbers.size());
  }
}
