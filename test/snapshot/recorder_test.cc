#include "snapshot/recorder.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "snapshot/folder.h"
#include "snapshot/source.h"
#include "test/snapshot/snapshot_support.h"

using namespace leeway;
using namespace leeway::snapshot;
using namespace std::chrono_literals;

namespace {

Instant at(double seconds) { return Instant(Duration(static_cast<Duration::rep>(seconds * 1e9))); }

/// Two nodes that agree on the snapshots that node 0 requests, like the engines.
struct TwoNodes {
  explicit TwoNodes(SnapshotOptions how, bool background)
      : plan(std::move(how)), first(plan, 0, background, true), second(plan, 1, background, false) {
    plan.of = a_manifest(0, 2);
    REQUIRE(first.open());
    number = first.next_number();
    first.begin(at(0));
  }
  void take(Recorder& recorder, std::uint32_t node) {
    Part* const part = recorder.blank();
    REQUIRE(part != nullptr);
    fill(*part, number, node, 2);
    recorder.write(now, rounds);
  }
  void take_both() {
    take(first, 0);
    take(second, 1);
    ++number;
  }
  void end() {
    first.end_writing();
    second.end_writing();
    first.close();
    second.close();
  }
  [[nodiscard]] bool due(double time, std::uint64_t count) {
    now = at(time);
    rounds = count;
    return first.should_request(now, rounds);
  }

  SnapshotOptions plan;
  Recorder first;
  Recorder second;
  std::uint64_t number = 0;
  Instant now{};
  std::uint64_t rounds = 0;
};

}  // namespace

TEST_CASE("a snapshot is due after its interval or rounds, and not before the last is finished") {
  const TestFolder here;
  TwoNodes nodes({.folder = here.path(), .every_seconds = 2}, false);
  REQUIRE_FALSE(nodes.due(1.9, 5));
  REQUIRE(nodes.due(2, 6));
  REQUIRE_FALSE(nodes.due(9, 9));  // the due snapshot has not been taken yet
  nodes.take_both();
  REQUIRE_FALSE(nodes.due(9.1, 10));
  REQUIRE(nodes.due(11.1, 11));
  nodes.take_both();
  nodes.end();
  REQUIRE(nodes.first.counts().taken == 2);
  REQUIRE(read_all(here.path()).error.empty());
}

TEST_CASE("the numbers of all runs have the same length on the wire") {
  for (int i = 0; i < 64; ++i) {
    const TestFolder here;
    const SnapshotOptions plan{.folder = here.path()};
    Recorder recorder(plan, 0, false, true);
    REQUIRE(recorder.open());
    ByteWriter out;
    out.varint(recorder.run());
    REQUIRE(out.span().size() == 10);
  }
}

TEST_CASE("a resumed run includes the rounds and seconds of the earlier run") {
  const TestFolder here;
  TwoNodes nodes({.folder = here.path(), .every_rounds = 1}, false);
  nodes.plan.rounds_before = 40;
  nodes.plan.seconds_before = 2.5;
  REQUIRE(nodes.due(0.5, 3));
  nodes.take_both();
  nodes.end();
  const auto source = Source::open(here.path());
  REQUIRE(source);
  REQUIRE(source->manifest().progress == 43);
  REQUIRE(source->manifest().seconds == Approx(3));
}

TEST_CASE("rounds are counted from the last snapshot") {
  const TestFolder here;
  TwoNodes nodes({.folder = here.path(), .every_rounds = 3}, false);
  REQUIRE_FALSE(nodes.due(100, 2));
  REQUIRE(nodes.due(100, 4));
  nodes.take_both();
  REQUIRE_FALSE(nodes.due(100, 6));
  REQUIRE(nodes.due(100, 7));
}

TEST_CASE("a request takes one snapshot immediately") {
  const TestFolder here;
  std::atomic<std::uint32_t> requests{0};
  TwoNodes nodes({.folder = here.path(), .requests = &requests}, true);
  REQUIRE_FALSE(nodes.due(1, 1));
  requests = 1;
  REQUIRE(nodes.due(2, 2));
  nodes.take_both();
  nodes.end();
  REQUIRE(numbers_in(here.path())->size() == 1);
}

TEST_CASE("a snapshot with a missing part at the end of the run is removed") {
  for (const bool background : {false, true}) {
    const TestFolder here;
    TwoNodes nodes({.folder = here.path(), .every_rounds = 1}, background);
    REQUIRE(nodes.due(1, 1));
    nodes.take(nodes.first, 0);
    nodes.end();
    REQUIRE(numbers_in(here.path())->empty());
    REQUIRE_FALSE(std::filesystem::exists(unfinished_folder_of(here.path(), 1)));
  }
}

TEST_CASE("if parts cannot be written the run continues, and tries the next snapshot") {
  for (const bool background : {false, true}) {
    const TestFolder here;
    const std::string folder = here.inside("snapshots");
    TwoNodes nodes({.folder = folder, .every_rounds = 1}, background);
    std::filesystem::remove_all(folder);
    REQUIRE(nodes.due(1, 1));
    nodes.take_both();
    while (nodes.second.failures() == 0 || nodes.first.failures() == 0)
      std::this_thread::sleep_for(1ms);
    nodes.first.note_failures(2);
    std::filesystem::create_directories(folder);
    while (!nodes.due(2, 2)) std::this_thread::sleep_for(1ms);
    nodes.take_both();
    nodes.end();
    REQUIRE(nodes.first.counts().taken == 1);
    REQUIRE(nodes.first.counts().failed == 1);
    REQUIRE(nodes.second.counts().failed == 1);
    REQUIRE(read_all(folder).error.empty());
  }
}

TEST_CASE("a part that another node could not write is not waited for") {
  const TestFolder here;
  TwoNodes nodes({.folder = here.path(), .every_rounds = 1}, true);
  REQUIRE(nodes.due(1, 1));
  nodes.take(nodes.first, 0);
  nodes.first.note_failures(1);
  while (!nodes.due(2, 2)) std::this_thread::sleep_for(1ms);
}
