#include "leeway/base/progress.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

using namespace leeway;

namespace {

/// Runs `use` with a stream in memory and returns what was written.
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
            Progress progress("reading", 10, "lines", ProgressStyle::Silent, clock, stream);
            clock.advance(std::chrono::seconds(60));
            progress.update(10);
          }).empty());
}

TEST_CASE("plain progress writes whole lines, and not more often than every five seconds") {
  ManualClock clock;
  const std::string text = written([&](std::FILE* stream) {
    Progress progress("reading", 200, "lines", ProgressStyle::Plain, clock, stream);
    for (std::uint64_t second = 1; second <= 12; ++second) {
      clock.advance(std::chrono::seconds(1));
      progress.update(second * 10);
    }
  });
  REQUIRE(text ==
          "reading: 50 lines of 200 (25 %), 10 lines/s\n"
          "reading: 100 lines of 200 (50 %), 10 lines/s\n");
}

TEST_CASE("live progress rewrites its line and clears it at the end") {
  ManualClock clock;
  const std::string text = written([&](std::FILE* stream) {
    Progress progress("reading", 0, "lines", ProgressStyle::Live, clock, stream);
    clock.advance(std::chrono::seconds(1));
    progress.update(5, "from here");
  });
  REQUIRE(text == "\r\x1b[Kreading: 5 lines, 5 lines/s, from here\r\x1b[K");
}

TEST_CASE("a file is not a terminal, and quiet wins over everything") {
  std::FILE* file = std::tmpfile();
  REQUIRE(progress_style(file, false) == ProgressStyle::Plain);
  REQUIRE(progress_style(file, true) == ProgressStyle::Silent);
  std::fclose(file);
}
