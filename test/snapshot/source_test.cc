#include "snapshot/source.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/bytes.h"
#include "snapshot/folder.h"
#include "test/snapshot/snapshot_support.h"

using namespace leeway;
using namespace leeway::snapshot;

namespace fs = std::filesystem;

namespace {

void require_whole(const Read& read) {
  REQUIRE(read.error.empty());
  for (std::uint32_t v = 0; v < kVertices; ++v) REQUIRE(read.states[v] == v * 1.5);
}

}  // namespace

TEST_CASE("a snapshot returns the stored states, for every number of parts") {
  for (const std::uint32_t nodes : {1U, 2U, 3U, 10U, 12U}) {
    const TestFolder here;
    put_snapshot(here.path(), nodes);
    require_whole(read_all(here.path()));
    require_whole(read_all(folder_of(here.path(), 1)));
  }
}

TEST_CASE("the states of a list of vertices are returned in its order") {
  const TestFolder here;
  put_snapshot(here.path(), 3);
  const auto source = Source::open_for(here.path(), a_manifest(1, 3).job);
  REQUIRE(source);
  const std::vector<std::uint32_t> vertices = {7, 0, 9, 4};
  const auto bytes = source->states_of(vertices, sizeof(double));
  REQUIRE(bytes);
  std::vector<double> states(vertices.size());
  REQUIRE(bytes->size() == states.size() * sizeof(double));
  std::memcpy(states.data(), bytes->data(), bytes->size());
  REQUIRE(states == std::vector<double>{7 * 1.5, 0, 9 * 1.5, 4 * 1.5});
  REQUIRE_FALSE(source->states_of(std::vector<std::uint32_t>{kVertices}, sizeof(double)));
  REQUIRE_FALSE(source->states_of(vertices, sizeof(float)));
}

TEST_CASE("a snapshot of another job is refused for a run") {
  const TestFolder here;
  put_snapshot(here.path(), 3);
  Identity other = a_manifest(1, 3).job;
  other.graph_hash = "another";
  REQUIRE_FALSE(Source::open_for(here.path(), other));
}

TEST_CASE("other folders next to the snapshots are ignored") {
  const TestFolder here;
  fs::create_directories(here.inside(".salvaged-000000000000004d"));
  REQUIRE(read_all(here.path()).error.find("no snapshot") != std::string::npos);
  put_snapshot(here.path(), 2);
  require_whole(read_all(here.path()));
}

TEST_CASE("a part that is truncated at any byte, or of which any bit differs, is refused") {
  const TestFolder here;
  put_snapshot(here.path(), 2);
  const std::string path = folder_of(here.path(), 1) + "/" + part_name(1);
  const auto whole = bytes_of(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put_bytes(path, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    REQUIRE(read_all(here.path()).error.find(part_name(1)) != std::string::npos);
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    auto flipped = whole;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    put_bytes(path, flipped);
    REQUIRE(read_all(here.path()).error.find(part_name(1)) != std::string::npos);
  }
  put_bytes(path, whole);
  require_whole(read_all(here.path()));
}

TEST_CASE("a part of another version is refused with its version") {
  const TestFolder here;
  put_snapshot(here.path(), 1);
  const std::string path = folder_of(here.path(), 1) + "/" + part_name(0);
  auto bytes = bytes_of(path);
  bytes[8] = std::byte{2};
  put_bytes(path, bytes);
  REQUIRE(read_all(here.path()).error.find("version 2") != std::string::npos);
}

TEST_CASE("a complete part of another snapshot is refused") {
  const TestFolder here;
  put_snapshot(here.path(), 2);
  put_snapshot(here.path(), 2);
  fs::copy_file(folder_of(here.path(), 1) + "/" + part_name(0),
                folder_of(here.path(), 2) + "/" + part_name(0),
                fs::copy_options::overwrite_existing);
  REQUIRE(read_all(folder_of(here.path(), 2)).error.find("belongs to another") !=
          std::string::npos);
}

TEST_CASE("if the newest snapshot is damaged the previous one is used") {
  const TestFolder here;
  put_snapshot(here.path(), 2);
  put_snapshot(here.path(), 2);
  put_bytes(folder_of(here.path(), 2) + "/manifest", {});
  const auto source = Source::open(here.path());
  REQUIRE(source);
  REQUIRE(source->manifest().number == 1);
  fs::remove(folder_of(here.path(), 1) + "/" + part_name(1));
  const auto none = Source::open(here.path());
  REQUIRE_FALSE(none);
  REQUIRE(none.error().where.find("000002/manifest") != std::string::npos);
}

TEST_CASE("a folder without snapshots, and one that does not exist, are refused") {
  const TestFolder here;
  REQUIRE(read_all(here.path()).error.find("no snapshot") != std::string::npos);
  REQUIRE_FALSE(read_all(here.inside("nowhere")).error.empty());
}

TEST_CASE("restarts are counted, and the lost rounds and seconds are added up") {
  const TestFolder here;
  put_snapshot(here.path(), 1);
  REQUIRE(note_restart(here.path(), 1.5, "killed"));
  REQUIRE(note_restart(here.path(), 0.25, "killed again"));
  const auto source = Source::open(here.path());
  REQUIRE(source);
  REQUIRE(source->restarts() == 2);
  REQUIRE(source->lost_seconds() == 1.75);
}
