// The record of a node: its table of counters, how records of nodes combine, and how they travel.
#include "runtime/cluster/record.h"

#include <catch2/catch.hpp>
#include <set>
#include <string_view>

using namespace leeway;

TEST_CASE("each counter has a row, a separate key and an explanation") {
  std::set<std::string_view> keys;
  std::size_t at = 0;
  for (const CounterRow& row : kCounters) {
    CAPTURE(row.key);
    CHECK(static_cast<std::size_t>(row.counter) == at++);
    CHECK(keys.insert(row.key).second);
    CHECK(!row.explanation.empty());
    CHECK((row.unit == CountUnit::Nanoseconds) == row.key.ends_with("_seconds"));
  }
}

TEST_CASE("counts of nodes are summed, or the greatest counts") {
  Counters all;
  for (const std::uint64_t each : {3, 7, 5}) {
    Counters node;
    for (const CounterRow& row : kCounters) node[row.counter] = each;
    all.add(node);
  }
  for (const CounterRow& row : kCounters)
    CHECK(all[row.counter] == (row.combining == Combining::Most ? 7 : 15));
}

TEST_CASE("a record keeps all that is sent") {
  NodeRecord record{.begin = Instant(Duration(100)), .end = Instant(Duration(400))};
  record.trace = true;
  for (const CounterRow& row : kCounters)
    record.counters[row.counter] = 1000 + static_cast<std::uint64_t>(row.counter);
  record.ended(
      {.at = Instant(Duration(200)), .visited = 4, .changed = 2, .residual = Residual{1, 2}});
  record.span(Activity::Barrier, Instant(Duration(200)), Instant(Duration(250)));
  record.span(Activity::Compute, Instant(Duration(250)),
              Instant(Duration(250)));  // empty: left out
  NodeRecord back;
  REQUIRE(load_archived(archived(record), back));
  CHECK(archived(back) == archived(record));
  CHECK(back.counters[Counter::Iterations] ==
        1001 + static_cast<std::uint64_t>(Counter::Iterations));
  REQUIRE(back.spans.size() == 1);
  start_at_zero(std::span(&back, 1));
  CHECK(back.begin == Instant());
  CHECK(back.end == Instant(Duration(300)));
  CHECK(back.iterations.at(0).at == Instant(Duration(100)));
  CHECK(back.spans.at(0).end == Instant(Duration(150)));
  const std::vector<std::byte> bytes = archived(record);
  CHECK_FALSE(load_archived(std::span(bytes).first(bytes.size() - 1), back));
}
