#include "base/log.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

using namespace leeway;

namespace {

/// Runs `use` with a stream in memory and returns its contents.
template <class Use>
std::string written(Use&& use) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  use(stream);
  std::fclose(stream);
  std::string result(text, size);
  std::free(text);
  return result;
}

}  // namespace

TEST_CASE("silent progress writes nothing") {
  ManualClock clock;
  REQUIRE(written([&](std::FILE* stream) {
            Progress progress(ProgressStyle::Silent, clock, stream);
            progress.start("reading", 10, "lines");
            clock.advance(std::chrono::seconds(60));
            progress.update(10);
          }).empty());
}

TEST_CASE("plain progress writes whole lines, after a second and then every five") {
  ManualClock clock;
  const std::string text = written([&](std::FILE* stream) {
    Progress progress(ProgressStyle::Plain, clock, stream);
    progress.start("reading", 200, "lines");
    for (std::uint64_t half = 1; half <= 23; ++half) {
      clock.advance(std::chrono::milliseconds(500));
      progress.update(half * 5);
    }
  });
  REQUIRE(text ==
          "reading: 10 lines of 200 (5 %), 1.0 s, 10 a second, 19 s left\n"
          "reading: 60 lines of 200 (30 %), 6.0 s, 10 a second, 14 s left\n"
          "reading: 110 lines of 200 (55 %), 11.0 s, 10 a second, 9 s left\n");
}

TEST_CASE(
    "iterations without a limit show what the last one changed, and long times are in minutes") {
  ManualClock clock;
  const std::string text = written([&](std::FILE* stream) {
    Progress progress(ProgressStyle::Plain, clock, stream);
    progress.start("computing", 0, "iterations");
    clock.advance(std::chrono::seconds(2));
    progress.update(40, 12345);
    progress.start("computing", 1000, "ticks");
    clock.advance(std::chrono::seconds(10));
    progress.update(10);
    clock.advance(std::chrono::seconds(5));
    progress.update(1000);
  });
  REQUIRE(text ==
          "computing: 40 iterations, 2.0 s, 20 a second, the last changed 12,345 values of node 0\n"
          "computing: 10 ticks of 1,000 (1 %), 10.0 s, 1.0 a second, 16 min left\n"
          "computing: 1,000 ticks of 1,000 (100 %), 15.0 s, 66 a second\n");
}

TEST_CASE("work of less than a second leaves no plain line") {
  ManualClock clock;
  REQUIRE(written([&](std::FILE* stream) {
            Progress progress(ProgressStyle::Plain, clock, stream);
            progress.start("reading", 10, "lines");
            clock.advance(std::chrono::milliseconds(900));
            progress.update(10);
          }).empty());
}

TEST_CASE("live progress rewrites its line and clears it at the end") {
  ManualClock clock;
  const std::string text = written([&](std::FILE* stream) {
    Progress progress(ProgressStyle::Live, clock, stream);
    progress.start("reading", 0, "lines");
    clock.advance(std::chrono::seconds(1));
    progress.add(2);
    clock.advance(std::chrono::milliseconds(50));
    progress.add(3);
    progress.start("sorting");
    clock.advance(std::chrono::milliseconds(100));
    progress.tick();
  });
  REQUIRE(text == "\r\x1b[Kreading: 2 lines, 1.0 s, 2.0 a second\r\x1b[Ksorting: 0.1 s\r\x1b[K");
}

TEST_CASE("a ticker shows work that reports no progress", "[clock]") {
  const SteadyClock clock;
  const std::string text = written([&](std::FILE* stream) {
    Progress progress(ProgressStyle::Live, clock, stream);
    progress.start("thinking");
    const ProgressTicker ticker(progress, ProgressStyle::Live);
    std::this_thread::sleep_for(std::chrono::milliseconds(350));
  });
  REQUIRE(text.find("thinking: 0.") != std::string::npos);
}

TEST_CASE("a file is not a terminal, and quiet overrides everything") {
  std::FILE* file = std::tmpfile();
  REQUIRE(progress_style(file, false) == ProgressStyle::Plain);
  REQUIRE(progress_style(file, true) == ProgressStyle::Silent);
  std::fclose(file);
}
