// Leeway's binary graph file (.lwg), version 1: constants and layouts only. docs/format.md describes
// every byte. Everything is little-endian; sections begin at multiples of kPage and are zero-padded, so a
// mapped section can be used as an array where it lies.
#pragma once

#include <array>
#include <cstdint>

namespace leeway::binary_format {

inline constexpr std::array<char, 8> kMagic = {'\x89', 'L', 'W', 'G', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t kVersion = 1;
/// Written as a 32-bit number; a machine of the other byte order reads kForeignOrder.
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint32_t kForeignOrder = 0x04030201;
inline constexpr std::uint64_t kPage = 4096;
/// Sections are checksummed by blocks of this many bytes, the last one shorter.
inline constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;

enum Flag : std::uint32_t {
  kDirected = 1,
  kPartitioned = 2,  ///< vertices stand part by part; sections Parts and Original are present
};

/// In this order in the file; each at most once.
enum class Section : std::uint32_t {
  Offsets = 1,      ///< u64 × (vertices + 1)
  Targets = 2,      ///< u32 × arcs
  Weights = 3,      ///< f64 × arcs, unless weight kind 0
  Imaginary = 4,    ///< f64 × arcs, with weight kind 3
  NameNumbers = 5,  ///< u64: × vertices with name kind 1, × (vertices + 1) with name kind 2
  NameText = 6,     ///< bytes, with name kind 2
  NameOrder = 7,    ///< u32 × vertices, with name kind 2
  Parts = 8,        ///< u64 × (parts + 1): where each part's vertices begin
  Original = 9,     ///< u32 × vertices: the place each vertex had in the unpartitioned graph
  Checksums = 10,   ///< u64: one XXH64 a block of each section before, in order
};
inline constexpr std::uint32_t kSectionKinds = 10;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint32_t flags;
  std::uint32_t weight_kind;
  std::uint32_t name_kind;
  std::uint32_t left_count;
  std::uint64_t vertex_count;
  std::uint64_t arc_count;
  std::uint64_t first_name;  ///< what vertex 0 is called, with name kind 0
  std::uint32_t part_count;  ///< 0 without kPartitioned
  std::uint32_t section_count;
  std::uint64_t file_bytes;
  std::uint64_t checksums_checksum;  ///< XXH64 of the Checksums section
  std::uint64_t reserved[4];         ///< zero
};
static_assert(sizeof(Header) == 112);

/// Follows the header, `section_count` times.
struct SectionEntry {
  std::uint32_t kind;      ///< a Section
  std::uint32_t reserved;  ///< zero
  std::uint64_t offset;    ///< from the start of the file, a multiple of kPage
  std::uint64_t bytes;     ///< without padding
};
static_assert(sizeof(SectionEntry) == 24);

/// The header, its section table, zeros, and in the last eight bytes of the first page the XXH64 of all
/// before them.
inline constexpr std::uint64_t kHeaderChecksumAt = kPage - 8;
static_assert(sizeof(Header) + kSectionKinds * sizeof(SectionEntry) <= kHeaderChecksumAt);

}  // namespace leeway::binary_format
