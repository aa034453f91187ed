// A folder of its own for each test, and snapshots of a job of ten vertices to put there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "snapshot/manifest.h"
#include "snapshot/recorder.h"

namespace leeway::snapshot {

/// Removed with all it holds.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string inside(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline constexpr std::uint32_t kVertices = 10;

[[nodiscard]] Manifest a_manifest(std::uint64_t number, std::uint32_t nodes);
/// Of node `node` of `nodes`, which has every nodes-th vertex; vertex v's state is v times 1.5.
void fill(Part& part, std::uint64_t number, std::uint32_t node, std::uint32_t nodes);
/// A whole snapshot of as many nodes, committed.
void put_snapshot(const std::string& folder, std::uint32_t nodes, std::uint32_t kept = 2);
/// What the snapshot at `path` says of every vertex; its error as text if it cannot be read.
struct Read {
  std::vector<double> states;
  std::string error;
};
[[nodiscard]] Read read_all(const std::string& path);

[[nodiscard]] std::vector<std::byte> bytes_of(const std::string& path);
void put_bytes(const std::string& path, const std::vector<std::byte>& bytes);

}  // namespace leeway::snapshot
