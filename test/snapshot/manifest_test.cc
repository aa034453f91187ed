#include "snapshot/manifest.h"

#include <catch2/catch.hpp>

#include "test/snapshot/snapshot_support.h"

using namespace leeway;
using namespace leeway::snapshot;

namespace {

Manifest with_parts() {
  Manifest manifest = a_manifest(5, 2);
  manifest.parts = {{100, 0xabc}, {200, 0xffffffffffffffff}};
  return manifest;
}

}  // namespace

TEST_CASE("a manifest is unchanged after it was written and read") {
  const Manifest manifest = with_parts();
  const auto read = parse_manifest(to_text(manifest), "here");
  REQUIRE(read);
  REQUIRE(to_text(*read) == to_text(manifest));
  REQUIRE(read->job.settings == manifest.job.settings);
  REQUIRE(read->parts == manifest.parts);
  REQUIRE(read->bytes() == 300);
}

TEST_CASE("a manifest that is truncated, or of which one bit differs, is refused") {
  const std::string text = to_text(with_parts());
  for (std::size_t size = 0; size < text.size(); ++size)
    REQUIRE_FALSE(parse_manifest(text.substr(0, size), "here"));
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    REQUIRE_FALSE(parse_manifest(flipped, "here"));
  }
}

TEST_CASE("a manifest of another version is refused by its version") {
  std::string text = to_text(with_parts());
  text.replace(0, text.find('\n'), "leeway snapshot 2");
  const auto read = parse_manifest(text, "here");
  REQUIRE_FALSE(read);
  REQUIRE(read.error().what.find("version ' 2'") != std::string::npos);
}

TEST_CASE("a run with different settings is refused with the difference") {
  const Identity then = a_manifest(1, 1).job;
  REQUIRE(check_same_job(then, then, "here"));
  Identity now = then;
  now.graph = "another name of the same graph";
  REQUIRE(check_same_job(then, now, "here"));
  const auto what = [&](auto&& change) {
    Identity other = then;
    change(other);
    const Status same = check_same_job(then, other, "here");
    REQUIRE_FALSE(same);
    return same.error().to_string();
  };
  REQUIRE(what([](Identity& job) { job.program = "bfs"; }).find("program sssp") !=
          std::string::npos);
  REQUIRE(what([](Identity& job) { job.engine = "pie"; }).find("engine vertex") !=
          std::string::npos);
  REQUIRE(what([](Identity& job) { job.graph_hash = "0"; }).find("graph") != std::string::npos);
  REQUIRE(what([](Identity& job) { job.settings[1].second = "0.9"; }).find("--damping 0.85") !=
          std::string::npos);
  REQUIRE(what([](Identity& job) { job.settings.pop_back(); }).find("has none") !=
          std::string::npos);
  REQUIRE(what([](Identity& job) { job.settings.emplace_back("ldbc", "yes"); }).find("--ldbc") !=
          std::string::npos);
}
