// Writes .lwg files: the sections in order, with their checksums, then the header page. With a partition, vertices are
// grouped by part first.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "base/unfinished_file.h"
#include "datasets/binary.h"
#include "datasets/byte_stream.h"
#include "datasets/vertex_numbering.h"

static_assert(std::endian::native == std::endian::little,
              "arrays are written in memory byte order");

namespace leeway {

namespace {

using namespace binary_format;

/// A temporary file that `keep` renames to its final name once it is complete. It is removed if it was not kept.
class ReplacementFile {
 public:
  explicit ReplacementFile(std::string path) : path_(std::move(path)) {}
  ~ReplacementFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  Status open() {
    LEEWAY_ASSIGN(const bool replaceable, may_replace(path_));
    if (!replaceable) {
      return fail(input_error(path_, "a device or a pipe cannot hold a binary graph",
                              "name a file, or write another format"));
    }
    temporary_ = UnfinishedFile(format("{}.writing-{}", path_, ::getpid()));
    descriptor_ = temporary_.create();
    if (descriptor_ < 0) {
      return fail(error("create", "check the folder's name and permissions"));
    }
    return {};
  }
  Status write(std::span<const std::byte> bytes, std::uint64_t offset) {
    while (!bytes.empty()) {
      const ssize_t done =
          ::pwrite(descriptor_, bytes.data(), std::min(bytes.size(), kLargestWrite),
                   static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return fail(error("write", "free some disk space"));
      bytes = bytes.subspan(static_cast<std::size_t>(done));
      offset += static_cast<std::uint64_t>(done);
    }
    return {};
  }
  Status keep() {
    if (::fsync(descriptor_) != 0) return fail(error("write", "free some disk space"));
    mark_written(descriptor_, path_);
    if (::rename(temporary_.path().c_str(), path_.c_str()) != 0) {
      return fail(error("rename to", "give a name that is not a folder"));
    }
    temporary_.keep();
    const auto folder = std::filesystem::path(path_).parent_path();
    const int directory =
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      ::fsync(directory);  // makes the rename durable; the content is already synced
      ::close(directory);
    }
    return {};
  }

 private:
  [[nodiscard]] Error error(std::string_view action, std::string remedy) const {
    return system_error(path_, action, errno, std::move(remedy));
  }
  static constexpr std::size_t kLargestWrite = std::size_t{1} << 30;

  std::string path_;
  UnfinishedFile temporary_;
  int descriptor_ = -1;
};

class BinaryWriter {
 public:
  explicit BinaryWriter(const std::string& path) : file_(path) {}

  Status open() { return file_.open(); }

  template <class T>
  Status section(Section kind, std::span<const T> values) {
    return raw_section(kind, std::as_bytes(values), true);
  }

  Status finish(BinaryHeader header) {
    header.checksums_checksum = checksum(std::as_bytes(std::span(checksums_)));
    LEEWAY_TRY(raw_section(Section::Checksums, std::as_bytes(std::span(checksums_)), false));
    LEEWAY_TRY(pad_to(end_));
    header.section_count = static_cast<std::uint32_t>(table_.size());
    header.file_bytes = end_;
    std::vector<std::byte> page(kPage);
    std::memcpy(page.data(), &header, sizeof header);
    std::memcpy(page.data() + sizeof header, table_.data(), table_.size() * sizeof(SectionEntry));
    const std::uint64_t sum = checksum(std::span(page).first(kHeaderChecksumAt));
    std::memcpy(page.data() + kHeaderChecksumAt, &sum, sizeof sum);
    LEEWAY_TRY(file_.write(page, 0));
    return file_.keep();
  }

 private:
  Status raw_section(Section kind, std::span<const std::byte> bytes, bool summed) {
    table_.push_back({static_cast<std::uint32_t>(kind), 0, end_, bytes.size()});
    LEEWAY_TRY(file_.write(bytes, end_));
    for (std::uint64_t block = 0; summed && block < block_count(bytes.size()); ++block) {
      checksums_.push_back(checksum(block_of(bytes, block)));
    }
    written_ = end_ + bytes.size();
    end_ = (written_ + kPage - 1) / kPage * kPage;
    return {};
  }
  /// Writes the zeros after the last section; padding between sections stays a hole in the file.
  Status pad_to(std::uint64_t end) {
    const std::vector<std::byte> zeros(end - std::min(end, written_));
    return file_.write(zeros, written_);
  }

  ReplacementFile file_;
  std::vector<SectionEntry> table_;
  std::vector<std::uint64_t> checksums_;
  std::uint64_t written_ = 0;
  std::uint64_t end_ = kPage;
};

BinaryHeader header_of(const Graph& graph) {
  BinaryHeader header{};
  header.magic = kMagic;
  header.byte_order = kByteOrder;
  header.version = kVersion;
  header.flags = graph.directed() ? kDirected : 0u;
  header.weight_kind = static_cast<std::uint32_t>(graph.weight_kind());
  header.name_kind = static_cast<std::uint32_t>(graph.names().kind());
  header.left_count = graph.left_count();
  header.vertex_count = graph.vertex_count();
  header.arc_count = graph.arc_count();
  header.first_name = graph.names().first();
  return header;
}

/// The graph's arrays with the vertices grouped by part.
struct Grouped {
  Array<std::uint64_t> offsets;
  Array<VertexId> targets;
  Array<double> weights;
  std::vector<VertexId> original;
  std::vector<std::uint64_t> starts;
};

/// Within a part, original vertex numbers ascend.
void order_by_part(const Partition& partition, Grouped& grouped) {
  grouped.starts.assign(partition.part_count + std::size_t{1}, 0);
  for (const PartId part : partition.owner) ++grouped.starts[part.index() + 1];
  std::partial_sum(grouped.starts.begin(), grouped.starts.end(), grouped.starts.begin());
  std::vector<std::uint64_t> next = grouped.starts;
  grouped.original.resize(partition.owner.size());
  for (std::uint32_t v = 0; v < partition.owner.size(); ++v) {
    grouped.original[next[partition.owner[v].index()]++] = VertexId(v);
  }
}

Result<Grouped> group(const Graph& graph, const Partition& partition) {
  Grouped grouped;
  order_by_part(partition, grouped);
  const std::uint32_t count = graph.vertex_count();
  std::vector<VertexId> place(count);
  for (std::uint32_t i = 0; i < count; ++i) place[grouped.original[i].index()] = VertexId(i);
  LEEWAY_ASSIGN(grouped.offsets, Array<std::uint64_t>::make(count + std::size_t{1}));
  LEEWAY_ASSIGN(grouped.targets, Array<VertexId>::make(graph.arc_count()));
  LEEWAY_ASSIGN(grouped.weights, Array<double>::make(graph.weights().size()));
  std::vector<std::pair<VertexId, std::uint64_t>>
      list;  // target and arc; sorting by both keeps the order of duplicates
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VertexId vertex = grouped.original[i];
    list.clear();
    std::uint64_t arc = graph.offsets()[vertex.index()];
    for (const VertexId target : graph.neighbors(vertex))
      list.emplace_back(place[target.index()], arc++);
    std::sort(list.begin(), list.end());
    for (const auto& [target, from] : list) {
      grouped.targets.mutable_span()[at] = target;
      if (!grouped.weights.empty()) grouped.weights.mutable_span()[at] = graph.weights()[from];
      ++at;
    }
    grouped.offsets.mutable_span()[i + std::size_t{1}] = at;
  }
  return grouped;
}

Status write_names(const VertexNames& names, BinaryWriter& writer) {
  if (names.kind() == NameKind::Sequence) return {};
  LEEWAY_TRY(writer.section(Section::NameNumbers, names.ids().span()));
  if (names.kind() == NameKind::Numbers) return {};
  LEEWAY_TRY(writer.section(Section::NameText, names.text().span()));
  return writer.section(Section::NameOrder, names.sorted().span());
}

Status write_arrays(std::span<const std::uint64_t> offsets, std::span<const VertexId> targets,
                    std::span<const double> weights, BinaryWriter& writer) {
  LEEWAY_TRY(writer.section(Section::Offsets, offsets));
  LEEWAY_TRY(writer.section(Section::Targets, targets));
  if (!weights.empty()) LEEWAY_TRY(writer.section(Section::Weights, weights));
  return {};
}

}  // namespace

Status write_binary(const Graph& graph, const std::string& path, const Partition* partition) {
  LEEWAY_TRY(check_one_line(graph.names(), "vertex names"));
  BinaryWriter writer(path);
  LEEWAY_TRY(writer.open());
  BinaryHeader header = header_of(graph);
  constexpr std::uint64_t kNoVertices[] = {0};  // a default-constructed graph has no offsets
  const auto offsets =
      graph.offsets().empty() ? std::span<const std::uint64_t>(kNoVertices) : graph.offsets();
  if (partition == nullptr) {
    LEEWAY_TRY(write_arrays(offsets, graph.targets(), graph.weights(), writer));
    LEEWAY_TRY(write_names(graph.names(), writer));
    return writer.finish(header);
  }
  LEEWAY_CHECK(partition->owner.size() == graph.vertex_count());
  header.flags |= kPartitioned;
  header.part_count = partition->part_count;
  LEEWAY_ASSIGN(const Grouped grouped, group(graph, *partition));
  LEEWAY_TRY(
      write_arrays(grouped.offsets.span(), grouped.targets.span(), grouped.weights.span(), writer));
  LEEWAY_TRY(write_names(graph.names(), writer));
  LEEWAY_TRY(writer.section(Section::Parts, std::span<const std::uint64_t>(grouped.starts)));
  LEEWAY_TRY(writer.section(Section::Original, std::span<const VertexId>(grouped.original)));
  return writer.finish(header);
}

}  // namespace leeway
