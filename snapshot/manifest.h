// What a run's snapshots came to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "leeway/result.h"

namespace leeway::snapshot {

/// What it came to on one node. Plain data.
struct Counts {
  std::uint64_t taken = 0;      ///< whole and valid; node 0's
  std::uint64_t failed = 0;     ///< parts that could not be written
  std::uint64_t skipped = 0;    ///< parts left out because the one before was still being written
  std::uint64_t bytes = 0;      ///< of all parts of those taken; node 0's
  std::int64_t paused_ns = 0;   ///< the computation stood still for, in all
  std::int64_t longest_ns = 0;  ///< and for one snapshot at the most
  std::int64_t written_ns = 0;  ///< from the agreement until it was valid, in all; node 0's
};

// How a snapshot lies on the disk, in constants; docs/snapshots.md describes it byte by byte.
inline constexpr std::array<char, 8> kPartMagic = {'L', 'W', 'Y', 'P', 'A', 'R', 'T', '\n'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::string_view kManifestTitle = "leeway snapshot";
inline constexpr std::string_view kManifestName = "manifest";
inline constexpr std::string_view kPartPrefix = "part-";
inline constexpr std::string_view kLockName = "lock";
inline constexpr std::string_view kRestartsName = "restarts";

/// The first 64 bytes of a part, little-endian. Behind it: `entries` vertex numbers of 4 bytes, filled up to a
/// multiple of 8; their states; their results; `own_bytes` of the engine's; each filled up to a multiple of 8; and at
/// last the XXH64 of everything before it.
struct PartHeader {
  std::array<char, 8> magic = kPartMagic;
  std::uint32_t version = kVersion;
  std::uint32_t part = 0;
  std::uint32_t parts = 0;
  std::uint32_t state_bytes = 0;  ///< of one entry
  std::uint64_t number = 0;       ///< of the snapshot
  std::uint64_t run = 0;          ///< drawn by each run, so that parts of two are not mixed
  std::uint64_t entries = 0;
  std::uint32_t result_bytes = 0;  ///< of one entry; 0: its state is its result
  std::uint32_t unused = 0;
  std::uint64_t own_bytes = 0;
};
static_assert(sizeof(PartHeader) == 64);

inline constexpr std::size_t kSumBytes = 8;

// What a snapshot calls the type of its results.
template <class T>
struct TypeName {
  static std::string text() {
    if constexpr (!std::is_arithmetic_v<T>) return "bytes";
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    return kind + std::to_string(8 * sizeof(T));
  }
};
/// So many of a type: f32x8.
template <class T, std::size_t N>
struct TypeName<std::array<T, N>> {
  static std::string text() { return TypeName<T>::text() + 'x' + std::to_string(N); }
};

template <class T>
[[nodiscard]] std::string type_name() {
  return TypeName<T>::text();
}

// What a snapshot is of: the job it belongs to, how far that had come, and the parts it consists of. Plain data,
// and its form as text, one `name = value` a line, the last its checksum.

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
