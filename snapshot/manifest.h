// The format of a snapshot: the header of a part and the manifest, which describes the job, its
// progress and the parts. docs/snapshots.md describes the format byte by byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace leeway::snapshot {

/// Counts of one node's snapshots in a run. Plain data.
struct Counts {
  std::uint64_t taken = 0;      ///< valid snapshots; counted by node 0
  std::uint64_t failed = 0;     ///< parts that could not be written
  std::uint64_t skipped = 0;    ///< parts skipped because the previous one was still being written
  std::uint64_t bytes = 0;      ///< bytes of all parts of valid snapshots; counted by node 0
  std::int64_t paused_ns = 0;   ///< total pause of the computation
  std::int64_t longest_ns = 0;  ///< longest pause for one snapshot
  std::int64_t written_ns = 0;  ///< total time from agreement to validity; counted by node 0
};

// Constants of the format.
inline constexpr std::array<char, 8> kPartMagic = {'L', 'W', 'Y', 'P', 'A', 'R', 'T', '\n'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::string_view kManifestTitle = "leeway snapshot";
inline constexpr std::string_view kManifestName = "manifest";
inline constexpr std::string_view kPartPrefix = "part-";
inline constexpr std::string_view kLockName = "lock";
inline constexpr std::string_view kRestartsName = "restarts";

/// The first 64 bytes of a part, little-endian. They are followed by `entries` vertex numbers of 4
/// bytes, their states, their results, and `own_bytes` of the engine, each padded to a multiple of
/// 8, and by the XXH64 of all preceding bytes.
struct PartHeader {
  std::array<char, 8> magic = kPartMagic;
  std::uint32_t version = kVersion;
  std::uint32_t part = 0;
  std::uint32_t parts = 0;
  std::uint32_t state_bytes = 0;  ///< size of an entry's state
  std::uint64_t number = 0;       ///< number of the snapshot
  std::uint64_t run = 0;  ///< random number of the run, so that parts of two runs are not mixed
  std::uint64_t entries = 0;
  std::uint32_t result_bytes = 0;  ///< size of an entry's result; 0: its state is its result
  std::uint32_t unused = 0;
  std::uint64_t own_bytes = 0;
};
static_assert(sizeof(PartHeader) == 64);

inline constexpr std::size_t kSumBytes = 8;

/// The properties that must be equal to resume a run from a snapshot.
struct Identity {
  std::string engine;
  std::string program;
  std::string graph;  ///< name of the graph; may differ
  std::string graph_hash;
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::vector<std::pair<std::string, std::string>> settings;  ///< settings that affect the result
};

struct PartSum {
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;
  friend bool operator==(const PartSum&, const PartSum&) = default;
};

/// Describes a snapshot: the job it belongs to, the progress of the run, and its parts. Plain data.
/// As text, one `name = value` per line; the last line is a checksum.
struct Manifest {
  Identity job;
  std::uint64_t number = 0;
  std::uint64_t run = 0;   ///< number of the run that wrote the parts
  std::int64_t taken = 0;  ///< seconds since 1970, by the clock of node 0
  std::string fabric;      ///< the fields from here to `nodes` may differ when resuming
  std::string scheduler;
  std::string consistency;
  std::uint32_t nodes = 0;
  std::uint64_t progress = 0;  ///< rounds run by every node, including those before a restart
  double seconds = 0;          ///< computation time so far, including that before a restart
  std::uint32_t state_bytes = 0;
  std::string result_type;     ///< f64, f32, u32, u64, or bytes
  std::vector<PartSum> parts;  ///< by node

  [[nodiscard]] std::uint64_t bytes() const;
};

[[nodiscard]] std::string to_text(const Manifest& manifest);
/// An Input error that names `path` if the text is damaged or of another version.
Result<Manifest> parse_manifest(std::string_view text, const std::string& path);

/// An Input error that names the difference, if any. `where`: the snapshot's path.
Status check_same_job(const Identity& snapshot, const Identity& run, const std::string& where);

}  // namespace leeway::snapshot
