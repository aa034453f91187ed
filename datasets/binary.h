// Leeway's binary graph file (.lwg), version 1: the layout of the file (docs/format.md describes every byte), functions
// that open, summarize and write such files, and the mapped file itself. A file is mapped, not parsed. Opening verifies
// what it reads (checksums, ascending offsets, targets below the vertex count), so a damaged file cannot cause an
// out-of-bounds access later. A file must not be modified while it is open; writers replace it by a new file.
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
#include "base/result.h"
#include "datasets/graph.h"

// Everything is little-endian. Sections begin at multiples of kPage and are zero-padded, so a mapped section can be used
// as an array in place.
namespace leeway::binary_format {

inline constexpr std::array<char, 8> kMagic = {'\x89', 'L', 'W', 'G', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t kVersion = 1;
/// Stored as a 32-bit number; a machine of the opposite byte order reads kForeignOrder.
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint32_t kForeignOrder = 0x04030201;
inline constexpr std::uint64_t kPage = 4096;
/// Bytes of a block with one checksum; the last block of a section may be shorter.
inline constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;

/// Weight kind of files with complex weights, which earlier versions wrote. Such a file can be opened without weights.
inline constexpr std::uint32_t kComplexWeights = 3;

enum Flag : std::uint32_t {
  kDirected = 1,
  kPartitioned = 2,  ///< vertices are grouped by part; sections Parts and Original are present
};

/// Sections occur in this order in the file, each at most once.
enum class Section : std::uint32_t {
  Offsets = 1,      ///< u64 × (vertices + 1)
  Targets = 2,      ///< u32 × arcs
  Weights = 3,      ///< f64 × arcs, unless weight kind 0
  Imaginary = 4,    ///< f64 × arcs, with kComplexWeights; never read
  NameNumbers = 5,  ///< u64: × vertices with name kind 1, × (vertices + 1) with name kind 2
  NameText = 6,     ///< bytes, with name kind 2
  NameOrder = 7,    ///< u32 × vertices, with name kind 2
  Parts = 8,        ///< u64 × (parts + 1): first vertex of each part, then the vertex count
  Original = 9,     ///< u32 × vertices: index of each vertex in the unpartitioned graph
  Checksums = 10,   ///< u64: one XXH64 for each block of the preceding sections, in order
};
inline constexpr std::uint32_t kSectionKinds = 10;

struct BinaryHeader {
  std::array<char, 8> magic;
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint32_t flags;
  std::uint32_t weight_kind;
  std::uint32_t name_kind;
  std::uint32_t left_count;
  std::uint64_t vertex_count;
  std::uint64_t arc_count;
  std::uint64_t first_name;  ///< name of vertex 0, with name kind 0
  std::uint32_t part_count;  ///< 0 without kPartitioned
  std::uint32_t section_count;
  std::uint64_t file_bytes;
  std::uint64_t checksums_checksum;  ///< XXH64 of the Checksums section
  std::uint64_t reserved[4];         ///< zero
};
static_assert(sizeof(BinaryHeader) == 112);

/// The section table: `section_count` entries that follow the header.
struct SectionEntry {
  std::uint32_t kind;      ///< a Section
  std::uint32_t reserved;  ///< zero
  std::uint64_t offset;    ///< from the start of the file, a multiple of kPage
  std::uint64_t bytes;     ///< without padding
};
static_assert(sizeof(SectionEntry) == 24);

/// The first page holds the header, the section table and zeros; its last eight bytes hold the XXH64 of the bytes before
/// them.
inline constexpr std::uint64_t kHeaderChecksumAt = kPage - 8;
static_assert(sizeof(BinaryHeader) + kSectionKinds * sizeof(SectionEntry) <= kHeaderChecksumAt);

}  // namespace leeway::binary_format

namespace leeway {

/// Number of checksum blocks in a section of this size.
[[nodiscard]] std::uint64_t block_count(std::uint64_t bytes);
[[nodiscard]] std::span<const std::byte> block_of(std::span<const std::byte> section,
                                                  std::uint64_t block);

/// True if a file of this name is read and written as a binary graph.
[[nodiscard]] inline bool is_binary_name(std::string_view path) { return path.ends_with(".lwg"); }
/// True if the file begins with the magic number of a binary graph.
[[nodiscard]] bool looks_like_binary(std::string_view first_bytes);

/// Writes a temporary file and renames it, so `path` holds either the old file or the complete new one. With a
/// partition, vertices are grouped by part; within a part they keep the graph's order.
Status write_binary(const Graph& graph, const std::string& path,
                    const Partition* partition = nullptr);

/// The arrays of the graph are views of the mapped file. For a partitioned file the original vertex order is restored in
/// newly allocated arrays. Without weights, those of the file are neither read nor checked. An Input error with weights if
/// they are complex.
Result<Graph> open_binary(const std::string& path, unsigned threads = 0, bool with_weights = true);

/// A range of vertices with their out-arcs, whose targets may be outside the range. Vertices are numbered in file order
/// (grouped by part if the file is partitioned).
struct BinaryPart {
  std::uint32_t total_vertices = 0;  ///< of the whole graph
  std::uint64_t total_arcs = 0;
  std::uint32_t first = 0;  ///< the range is first, first + 1, …
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< of the whole graph, in its original order
  Array<std::uint64_t> offsets;  ///< vertex_count() + 1 values, starting at 0
  Array<VertexId> targets;       ///< in file order
  Array<double> weights;
  Array<VertexId> original;  ///< index of each vertex in the original graph; empty: unchanged
  Array<std::uint64_t>
      part_starts;  ///< first vertex of each part of the file, then the vertex count; may be empty
  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(offsets.size() - 1);
  }
};

/// Reads only the vertices [first, last). An Input error if the range exceeds the graph.
Result<BinaryPart> open_binary_range(const std::string& path, std::uint32_t first,
                                     std::uint32_t last, bool with_weights = true);
/// Names of the vertices [first, last).
Result<VertexNames> open_binary_names(const std::string& path, std::uint32_t first,
                                      std::uint32_t last);
/// The original number of each vertex, in file order; empty if the file is not partitioned.
Result<Array<VertexId>> open_binary_original(const std::string& path);
/// Contents of a file's header.
struct BinarySummary {
  std::uint32_t vertices = 0;
  std::uint64_t arcs = 0;
  bool directed = true;
  bool partitioned = false;
  WeightKind weight_kind = WeightKind::None;
  NameKind name_kind = NameKind::Sequence;
  std::uint32_t left_count = 0;
  std::uint64_t first_name = 0;
  std::uint64_t mark = 0;  ///< differs between files of different content
};
/// Without weights, their kind is None; with them, a file with complex weights is an Input error.
Result<BinarySummary> summarize_binary(const std::string& path, bool with_weights = true);
/// First vertices of `parts` ranges of about equal weight, then the vertex count. A vertex weighs 1, plus its out-arcs if
/// `arcs`. Reads only a few offsets and does not verify them: a range is verified when it is opened.
Result<std::vector<std::uint64_t>> divide_binary(const std::string& path, std::uint32_t parts,
                                                 bool arcs);
/// Reads one part of a file written with a partition.
Result<BinaryPart> open_binary_part(const std::string& path, PartId part);
/// The partition stored in a file, indexed by original vertices; an Input error if there is none.
Result<Partition> open_binary_partition(const std::string& path);

/// A mapped .lwg file whose header has been verified: sections are within the file and have the sizes that the counts in
/// the header imply. The contents of a section may be used only after `check`. Immutable and safe to read from any
/// thread. Arrays that view the file keep it mapped. Only for binary*.cc.
class BinaryFile : public std::enable_shared_from_this<BinaryFile> {
 public:
  static Result<std::shared_ptr<const BinaryFile>> open(const std::string& path);
  ~BinaryFile();
  BinaryFile(const BinaryFile&) = delete;
  BinaryFile& operator=(const BinaryFile&) = delete;

  [[nodiscard]] const binary_format::BinaryHeader& header() const { return header_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  template <class T>
  [[nodiscard]] std::span<const T> values(binary_format::Section section) const {
    const auto all = bytes(section);
    return {reinterpret_cast<const T*>(all.data()), all.size() / sizeof(T)};
  }
  /// A view of `count` values starting at `first`; it keeps the file mapped.
  template <class T>
  [[nodiscard]] Array<T> view(binary_format::Section section, std::size_t first,
                              std::size_t count) const {
    return Array<T>::view(values<T>(section).subspan(first, count), shared_from_this());
  }
  template <class T>
  [[nodiscard]] Array<T> view(binary_format::Section section) const {
    return view<T>(section, 0, values<T>(section).size());
  }

  /// Verifies values [first, last) of a section: the checksums of the blocks that contain them, and each value (offsets
  /// ascend and stay within their array, vertices exist, weights are not NaN). At most `threads` threads.
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
  binary_format::BinaryHeader header_{};
  std::array<Extent, binary_format::kSectionKinds + 1> places_{};
  const std::byte* memory_ = nullptr;
};

}  // namespace leeway
