// How a snapshot lies on the disk, in constants; docs/snapshots.md describes it byte by byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leeway::snapshot {

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

}  // namespace leeway::snapshot
