// Leeway's binary graph file (.lwg), version 1: constants and layouts only. docs/format.md describes
// every byte. Everything is little-endian; sections begin at multiples of kPage and are zero-padded, so a
// mapped section can be used as an array where it lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "leeway/graph.h"
#include "leeway/result.h"

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

namespace leeway {

// The blocks that sections of binary graph files are checksummed by.

/// How many blocks a section of this size has.
[[nodiscard]] std::uint64_t block_count(std::uint64_t bytes);
/// The bytes of one block of a section.
[[nodiscard]] std::span<const std::byte> block_of(std::span<const std::byte> section,
                                                  std::uint64_t block);

// Leeway's binary graph files (.lwg): mapped, not parsed. Opening checks what is read (checksums, that
// offsets ascend and every target is a vertex), so no file, however broken, can lead a program out of
// bounds later. A file must not be changed while it is open; writing replaces it by another one.

/// True if a file of this name is written as, and taken for, a binary graph.
[[nodiscard]] inline bool is_binary_name(std::string_view path) { return path.ends_with(".lwg"); }
/// True if the file begins as a binary graph does.
[[nodiscard]] bool looks_like_binary(std::string_view first_bytes);

/// Writes aside and renames, so `path` holds the old file or the whole new one. With a partition,
/// vertices are grouped part by part, each part in the graph's order.
Status write_binary(const Graph& graph, const std::string& path,
                    const Partition* partition = nullptr);

/// The graph; its arrays are views of the mapped file. A partitioned file is put back into the order
/// the graph had, in memory of its own.
Result<Graph> open_binary(const std::string& path, unsigned threads = 0);

/// Part of a graph: some vertices with their out-arcs, which may lead to vertices outside. Vertices
/// are numbered by their place in the file ("file order", part by part if the file is partitioned).
struct BinaryPart {
  std::uint32_t total_vertices = 0;  ///< of the whole graph
  std::uint64_t total_arcs = 0;
  std::uint32_t first = 0;  ///< the part's vertices are first, first + 1, …
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< of the whole graph, in its original order
  Array<std::uint64_t> offsets;  ///< one a vertex and one more, from 0
  Array<VertexId> targets;       ///< in file order
  Array<double> weights;
  Array<double> imaginary;
  Array<VertexId> original;  ///< each vertex's place in the original graph; empty: unchanged
  Array<std::uint64_t>
      part_starts;  ///< where each part of the file begins, and the end; may be empty
  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(offsets.size() - 1);
  }
};

/// Reads the vertices [first, last) and nothing else of the file. Requires a range within the graph
/// (an Input error otherwise).
Result<BinaryPart> open_binary_range(const std::string& path, std::uint32_t first,
                                     std::uint32_t last);
/// What those vertices are called.
Result<VertexNames> open_binary_names(const std::string& path, std::uint32_t first,
                                      std::uint32_t last);
/// The original number of each vertex, in file order; empty if the file is not partitioned.
Result<Array<VertexId>> open_binary_original(const std::string& path);
/// What a file says of itself on its first page.
struct BinarySummary {
  std::uint32_t vertices = 0;
  std::uint64_t arcs = 0;
  bool directed = true;
  bool partitioned = false;
  WeightKind weight_kind = WeightKind::None;
  NameKind name_kind = NameKind::Sequence;
  std::uint32_t left_count = 0;
  std::uint64_t first_name = 0;
  std::uint64_t mark = 0;  ///< equal only for files of equal content
};
Result<BinarySummary> summarize_binary(const std::string& path);
/// Where `parts` ranges of vertices begin that weigh the same, a vertex as much as an arc if `arcs`; and the end. Of
/// the list of offsets it looks at few places, unchecked: a range is checked when it is opened.
Result<std::vector<std::uint64_t>> divide_binary(const std::string& path, std::uint32_t parts,
                                                 bool arcs);
/// Reads one part of a file written with a partition.
Result<BinaryPart> open_binary_part(const std::string& path, PartId part);
/// The partition stored in a file, by original vertices; an Input error if there is none.
Result<Partition> open_binary_partition(const std::string& path);

// A mapped .lwg file whose header has been found sound: sections are where the header says, of the sizes
// its counts demand. What is inside a section is only trusted after `check`. Not for use outside
// binary*.cc.

/// Immutable; safe to read from any thread. Kept alive by the arrays that view it.
class BinaryFile : public std::enable_shared_from_this<BinaryFile> {
 public:
  static Result<std::shared_ptr<const BinaryFile>> open(const std::string& path);
  ~BinaryFile();
  BinaryFile(const BinaryFile&) = delete;
  BinaryFile& operator=(const BinaryFile&) = delete;

  [[nodiscard]] const binary_format::Header& header() const { return header_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  template <class T>
  [[nodiscard]] std::span<const T> values(binary_format::Section section) const {
    const auto all = bytes(section);
    return {reinterpret_cast<const T*>(all.data()), all.size() / sizeof(T)};
  }
  /// `count` values from `first` on, which live as long as the array does.
  template <class T>
  [[nodiscard]] Array<T> view(binary_format::Section section, std::size_t first,
                              std::size_t count) const {
    return Array<T>::view(values<T>(section).subspan(first, count), shared_from_this());
  }
  template <class T>
  [[nodiscard]] Array<T> view(binary_format::Section section) const {
    return view<T>(section, 0, values<T>(section).size());
  }

  /// Verifies values [first, last) of a section: the checksums of the blocks they lie in, and that each
  /// is possible (offsets ascend and stay within their array, vertices exist, weights are finite).
  template <class T>
  [[nodiscard]] Status check(binary_format::Section section, std::uint64_t first,
                             std::uint64_t last, unsigned threads) const {
    return check_bytes(section, first * sizeof(T), last * sizeof(T), threads);
  }
  [[nodiscard]] Status check(binary_format::Section section, unsigned threads) const {
    return check_bytes(section, 0, bytes(section).size(), threads);
  }
  [[nodiscard]] Error damaged(std::string_view what) const;

 private:
  explicit BinaryFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] std::span<const std::byte> bytes(binary_format::Section section) const;
  Status map();
  Status read_table(std::span<const std::byte> page);
  [[nodiscard]] Status check_sizes() const;
  [[nodiscard]] Status check_bytes(binary_format::Section section, std::uint64_t begin,
                                   std::uint64_t end, unsigned threads) const;
  [[nodiscard]] bool possible(binary_format::Section section, std::uint64_t begin,
                              std::uint64_t end) const;

  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t first_checksum = 0;  ///< index of its first block in the Checksums section
  };
  std::string path_;
  binary_format::Header header_{};
  std::array<Extent, binary_format::kSectionKinds + 1> places_{};
  const std::byte* memory_ = nullptr;
};

}  // namespace leeway
