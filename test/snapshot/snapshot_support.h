// Snapshots of a job with ten vertices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "snapshot/manifest.h"
#include "snapshot/recorder.h"
#include "test/support/test_folder.h"

namespace leeway::snapshot {

using leeway::testing::TestFolder;

inline constexpr std::uint32_t kVertices = 10;

[[nodiscard]] Manifest a_manifest(std::uint64_t number, std::uint32_t nodes);
/// Fills the part of node `node` of `nodes`, which has every nodes-th vertex; vertex v's state is v
/// times 1.5.
void fill(Part& part, std::uint64_t number, std::uint32_t node, std::uint32_t nodes);
/// Commits a complete snapshot of `nodes` nodes.
void put_snapshot(const std::string& folder, std::uint32_t nodes, std::uint32_t kept = 2);
/// The state of every vertex in the snapshot at `path`, or the error message if it cannot be read.
struct Read {
  std::vector<double> states;
  std::string error;
};
[[nodiscard]] Read read_all(const std::string& path);

[[nodiscard]] std::vector<std::byte> bytes_of(const std::string& path);
void put_bytes(const std::string& path, const std::vector<std::byte>& bytes);

}  // namespace leeway::snapshot
