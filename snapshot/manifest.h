// What a snapshot is of: the job it belongs to, how far that had come, and the parts it consists of. Plain data,
// and its form as text, one `name = value` a line, the last its checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/result.h"

namespace leeway::snapshot {

/// What must be the same where a run is to go on from a snapshot.
struct Identity {
  std::string engine;
  std::string program;
  std::string graph;  ///< as it was named, which may differ
  std::string graph_hash;
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::vector<std::pair<std::string, std::string>> settings;  ///< that decide the result
};

struct PartSum {
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;
  friend bool operator==(const PartSum&, const PartSum&) = default;
};

struct Manifest {
  Identity job;
  std::uint64_t number = 0;
  std::uint64_t run = 0;   ///< whose parts these are
  std::int64_t taken = 0;  ///< seconds since 1970, of node 0's machine
  std::string fabric;      ///< these four may differ, too
  std::string scheduler;
  std::string consistency;
  std::uint32_t nodes = 0;
  std::uint64_t progress = 0;  ///< rounds that every node has run, those before a restart counted
  double seconds = 0;          ///< of computation until then, those before a restart counted
  std::uint32_t state_bytes = 0;
  std::string result_type;     ///< f64, f32, u32, u64, or bytes
  std::vector<PartSum> parts;  ///< by node

  [[nodiscard]] std::uint64_t bytes() const;
};

[[nodiscard]] std::string to_text(const Manifest& manifest);
/// An Input error that names `path` for what is damaged or of another version.
Result<Manifest> parse_manifest(std::string_view text, const std::string& path);

/// An Input error that says what differs, if anything does. `where`: the snapshot.
Status check_same_job(const Identity& snapshot, const Identity& run, const std::string& where);

}  // namespace leeway::snapshot
