#include <catch2/catch.hpp>

#include "test/protocol/state_table.h"

using namespace leeway::testing;

namespace {

const char* const kDocument = "docs/protocol.md";

void same_as_documented(const Table& observed, const Table& documented) {
  REQUIRE(documented.size() == observed.size());
  for (std::size_t i = 0; i < observed.size(); ++i) {
    INFO("documented: " << to_markdown(documented[i]));
    INFO("observed:   " << to_markdown(observed[i]));
    CHECK(observed[i] == documented[i]);
  }
}

std::string cell(const Table& table, std::string_view state, std::string_view event,
                 std::size_t column) {
  for (const TableRow& row : table) {
    if (row.state == state && row.event == event) return row.outcomes[column];
  }
  return "no such pair";
}

}  // namespace

TEST_CASE("the cache agrees with docs/protocol.md in every state on every event") {
  same_as_documented(observe_cache(), read_table(kDocument, "cache table"));
}

TEST_CASE("the directory agrees with docs/protocol.md in every state on every event") {
  same_as_documented(observe_directory(), read_table(kDocument, "directory table"));
}

TEST_CASE("the documented cache table is ASPIRE's Figure 3") {
  const Table table = read_table(kDocument, "cache table");
  REQUIRE(table.size() == 5 * 16);
  REQUIRE(cell(table, "Absent", "fetch", 0) == "Fetching; cache miss; Read");
  REQUIRE(cell(table, "Fetching", "reply same", 0) == "Stale; installs 5");
  REQUIRE(cell(table, "Fetching", "reply newer", 0) == "Shared; installs 9");
  REQUIRE(cell(table, "Shared", "fetch", 0) == "Shared; current hit");
  REQUIRE(cell(table, "Shared", "invalidate newer", 0) == "Stale; Ack");
  REQUIRE(cell(table, "Stale", "fetch", 0) == "Refreshing; stale hit; Read");
  REQUIRE(cell(table, "Stale", "fetch", 1) == "Stale; stale hit");
  REQUIRE(cell(table, "Stale", "fetch", 2) == "Refreshing; stale miss; Read");
  REQUIRE(cell(table, "Shared", "evict", 0) == "Absent; Evict");
  // An acquire makes each mode strict until the copy is current.
  for (const char* state : {"Absent", "Fetching", "Shared", "Stale", "Refreshing"}) {
    for (const std::size_t column : {0, 1, 2})
      REQUIRE(cell(table, state, "acquire, fetch", column) == cell(table, state, "fetch", 2));
  }
  REQUIRE(cell(table, "Absent", "evict", 0) == "bug");
}

TEST_CASE("the documented directory table is ASPIRE's Figure 4") {
  const Table table = read_table(kDocument, "directory table");
  REQUIRE(table.size() == 4 * 14);
  REQUIRE(cell(table, "no sharer", "read", 0) == "shared {2}; Reply to 2");
  REQUIRE(cell(table, "shared", "evict", 0) == "no sharer {}");
  REQUIRE(cell(table, "shared", "old evict", 0) == "shared {1}");
  REQUIRE(cell(table, "shared", "wrote", 0) == "queued {1}; version +1");
  REQUIRE(cell(table, "queued", "flush", 0) == "shared {1}; Invalidate to 1");
  REQUIRE(cell(table, "queued", "flush", 1) == "unacked {1}; Invalidate to 1");
  REQUIRE(cell(table, "queued", "flush", 2) == "unacked {1}; push to 1");
  REQUIRE(cell(table, "unacked", "ack", 1) == "shared {1}");
}
