#include "snapshot/source.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "snapshot/folder.h"
#include "test/snapshot/snapshot_support.h"

using namespace leeway;
using namespace leeway::snapshot;

namespace fs = std::filesystem;

namespace {

struct Entry {
  std::uint32_t vertex;
  double state;
  std::uint64_t version = 0;
};

Part part_of(const std::vector<Entry>& entries, std::uint32_t node, std::uint64_t run,
             bool copies) {
  Part part;
  part.shape({.part = node,
              .parts = 3,
              .state_bytes = sizeof(double),
              .run = run,
              .entries = entries.size(),
              .result_bytes = copies ? 8U : 0U});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    part.vertices()[i] = entries[i].vertex;
    std::memcpy(&part.states()[i * 8], &entries[i].state, 8);
    if (copies) std::memcpy(&part.results()[i * 8], &entries[i].version, 8);
  }
  return part;
}

/// Node `node` of three has every third vertex with value `state`, and these copies.
void save(const std::string& folder, std::uint32_t node, double state,
          const std::vector<Entry>& copies = {}, std::uint64_t run = 77) {
  std::vector<Entry> mine;
  for (std::uint32_t v = node; v < kVertices; v += 3) mine.push_back({v, state});
  Part own = part_of(mine, node, run, false);
  Part others = part_of(copies, node, run, true);
  REQUIRE(write_salvaged(folder, a_manifest(0, 3), own, others));
}

struct Seen {
  std::vector<double> states;
  std::vector<bool> known;
};

Seen seen_of(const Source& source) {
  std::vector<std::uint32_t> vertices(kVertices);
  std::iota(vertices.begin(), vertices.end(), 0U);
  const auto states = source.states_of(vertices, sizeof(double));
  REQUIRE(states);
  Seen seen{std::vector<double>(kVertices), states->known};
  std::memcpy(seen.states.data(), states->bytes.data(), states->bytes.size());
  return seen;
}

}  // namespace

TEST_CASE("values of surviving nodes replace those of the snapshot, which is used for the rest") {
  const TestFolder here;
  put_snapshot(here.path(), 3);
  save(here.path(), 0, 100);
  save(here.path(), 2, 300, {{1, 7, 5}, {0, 1, 9}});
  const auto source = Source::open_for(here.path(), a_manifest(0, 3).job);
  REQUIRE(source);
  REQUIRE(source->manifest().number == 1);
  REQUIRE(source->salvaged().size() == 1);
  REQUIRE(source->salvaged()[0].nodes() == std::vector<std::uint32_t>{0, 2});
  const Seen seen = seen_of(*source);
  REQUIRE(seen.known.empty());
  REQUIRE(seen.states[0] == 100);  // the home's value takes precedence over copies
  REQUIRE(seen.states[2] == 300);
  REQUIRE(seen.states[1] == 7);        // a copy of a lost vertex
  REQUIRE(seen.states[4] == 4 * 1.5);  // a lost vertex without a copy
}

TEST_CASE("of several copies the newest version is used") {
  const TestFolder here;
  put_snapshot(here.path(), 3);
  save(here.path(), 0, 100, {{1, 5, 2}, {4, 6, 3}, {7, 9, 0}});
  save(here.path(), 2, 300, {{1, 4, 3}, {4, 8, 2}});
  const Seen seen = seen_of(*Source::open_for(here.path(), a_manifest(0, 3).job));
  REQUIRE(seen.states[1] == 4);
  REQUIRE(seen.states[4] == 6);
  REQUIRE(seen.states[7] == 7 * 1.5);  // that copy was never filled
}

TEST_CASE("without a snapshot vertices without owner or copy are unknown") {
  const TestFolder here;
  save(here.path(), 0, 100);
  save(here.path(), 2, 300, {{4, 6, 3}});
  REQUIRE_FALSE(Source::open(here.path()));
  const auto source = Source::open_for(here.path(), a_manifest(0, 3).job);
  REQUIRE(source);
  const Seen seen = seen_of(*source);
  const std::vector<bool> known = {true, false, true, true, true, true, true, false, true, true};
  REQUIRE(seen.known == known);
  REQUIRE(seen.states[4] == 6);
}

TEST_CASE("values of a later loss take precedence over those of an earlier one") {
  const TestFolder here;
  put_snapshot(here.path(), 3);
  save(here.path(), 0, 100, {}, 77);
  save(here.path(), 1, 200, {}, 77);
  save(here.path(), 0, 101, {}, 78);
  const Seen seen = seen_of(*Source::open_for(here.path(), a_manifest(0, 3).job));
  REQUIRE(seen.states[0] == 101);
  REQUIRE(seen.states[1] == 200);
  REQUIRE(seen.states[2] == 2 * 1.5);
}

TEST_CASE("damaged files, and those of another job, are not used") {
  const TestFolder here;
  put_snapshot(here.path(), 3);
  save(here.path(), 0, 100);
  save(here.path(), 2, 300);
  const std::string path = Salvage::all_in(here.path()).at(0).path() + "/" + part_name(0);
  const auto whole = bytes_of(path);
  const Manifest manifest = a_manifest(0, 3);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    put_bytes(path, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    const Seen seen = seen_of(*Source::open_for(here.path(), manifest.job));
    REQUIRE(seen.states[0] == 0);
    REQUIRE(seen.states[2] == 300);
  }
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    auto bytes = whole;
    bytes[at] ^= std::byte{1};
    put_bytes(path, bytes);
    REQUIRE(seen_of(*Source::open_for(here.path(), manifest.job)).states[0] == 0);
  }
  Identity other = manifest.job;
  other.graph_hash = "another";
  REQUIRE_FALSE(Source::open_for(here.path(), other));
  fs::remove_all(folder_of(here.path(), 1));
  REQUIRE_FALSE(Source::open_for(here.path(), other));
}

TEST_CASE("salvaged files are removed with the next snapshot, and no others") {
  const TestFolder here;
  put_snapshot(here.path(), 3);
  save(here.path(), 0, 100);
  put_bytes(Salvage::all_in(here.path()).at(0).path() + "/mine", {});
  save(here.path(), 0, 101, {}, 78);
  REQUIRE(Salvage::all_in(here.path()).size() == 2);
  Identity other = a_manifest(0, 3).job;
  remove_salvaged_of_others(here.path(), other);
  REQUIRE(Salvage::all_in(here.path()).size() == 2);
  remove_salvaged(here.path(), 78);
  REQUIRE(Salvage::all_in(here.path()).size() == 1);
  REQUIRE(Salvage::all_in(here.path())[0].manifest().run == 78);
  other.graph_hash = "another";
  remove_salvaged_of_others(here.path(), other);
  REQUIRE(Salvage::all_in(here.path()).empty());
  std::size_t left = 0;
  for (const auto& entry : fs::recursive_directory_iterator(here.path()))
    left += entry.path().filename() == "mine" ? 1 : 0;
  REQUIRE(left == 1);
}
