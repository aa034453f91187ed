#include "test/snapshot/snapshot_support.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "snapshot/folder.h"
#include "snapshot/source.h"

namespace leeway::snapshot {

Manifest a_manifest(std::uint64_t number, std::uint32_t nodes) {
  Manifest manifest;
  manifest.job = {.engine = "vertex",
                  .program = "sssp",
                  .graph = "roads.gr",
                  .graph_hash = "00112233445566aa",
                  .vertices = kVertices,
                  .arcs = 20,
                  .settings = {{"source", "a \\ b\nc"}, {"damping", "0.85"}}};
  manifest.number = number;
  manifest.run = 77;
  manifest.taken = 1'700'000'000;
  manifest.fabric = "ofi";
  manifest.scheduler = "aap";
  manifest.consistency = "rcp";
  manifest.nodes = nodes;
  manifest.progress = 12;
  manifest.seconds = 3.25;
  manifest.state_bytes = sizeof(double);
  manifest.result_type = "f64";
  return manifest;
}

void fill(Part& part, std::uint64_t number, std::uint32_t node, std::uint32_t nodes) {
  std::vector<std::uint32_t> mine;
  for (std::uint32_t v = node; v < kVertices; v += nodes) mine.push_back(v);
  part.shape({.part = node,
              .parts = nodes,
              .state_bytes = sizeof(double),
              .number = number,
              .run = 77,
              .entries = mine.size()});
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const double state = mine[i] * 1.5;
    part.vertices()[i] = mine[i];
    std::memcpy(&part.states()[i * sizeof state], &state, sizeof state);
  }
}

void put_snapshot(const std::string& path, std::uint32_t nodes, std::uint32_t kept) {
  auto folder = Folder::open(path, 77, kept);
  REQUIRE(folder);
  const std::uint64_t number = (*folder)->next_number();
  for (std::uint32_t node = 0; node < nodes; ++node) {
    REQUIRE_FALSE((*folder)->complete(number, nodes));
    Part part;
    fill(part, number, node, nodes);
    REQUIRE(write_part(path, number, node, part.sealed()));
  }
  REQUIRE((*folder)->complete(number, nodes));
  REQUIRE((*folder)->commit(a_manifest(number, nodes)));
}

Read read_all(const std::string& path) {
  Read read;
  const auto source = Source::open(path);
  if (!source) {
    read.error = source.error().to_string();
    return read;
  }
  read.states.resize(kVertices);
  const Status status = source->each_part([&](const Part& part) -> Status {
    for (std::size_t i = 0; i < part.header().entries; ++i)
      std::memcpy(&read.states[part.vertices()[i]], &part.states()[i * sizeof(double)],
                  sizeof(double));
    return {};
  });
  if (!status) read.error = status.error().to_string();
  return read;
}

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void put_bytes(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace leeway::snapshot
