#include "datasets/binary.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "datasets/graph.h"
#include "datasets/readers.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

std::uint64_t block_count(std::uint64_t bytes) {
  return bytes / binary_format::kBlock + (bytes % binary_format::kBlock != 0 ? 1 : 0);
}

std::span<const std::byte> block_of(std::span<const std::byte> section, std::uint64_t block) {
  const std::size_t begin = block * binary_format::kBlock;
  return section.subspan(begin,
                         std::min<std::size_t>(binary_format::kBlock, section.size() - begin));
}

}  // namespace leeway

static_assert(std::endian::native == std::endian::little,
              "arrays are used in the byte order of the file");

namespace leeway {

namespace {

using namespace binary_format;

constexpr std::string_view kMakeAgain = "make the file again with `leeway convert`";
constexpr std::uint64_t kMostArcs = std::uint64_t{1} << 48;

class ReadOnlyFile {
 public:
  explicit ReadOnlyFile(const std::string& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~ReadOnlyFile() {
    if (value_ >= 0) ::close(value_);
  }
  ReadOnlyFile(const ReadOnlyFile&) = delete;
  ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

bool ascending(std::span<const std::uint64_t> values, std::uint64_t most) {
  bool fine = true;
  std::uint64_t before = 0;
  for (const std::uint64_t value : values) {
    fine &= before <= value;
    before = value;
  }
  return fine && before <= most;
}

bool all_below(std::span<const std::uint32_t> values, std::uint64_t bound) {
  std::uint32_t largest = 0;
  for (const std::uint32_t value : values) largest = std::max(largest, value);
  return values.empty() || largest < bound;
}

bool sound_weights(std::span<const double> values, bool whole) {
  constexpr double kMostWhole = 0x1p53;
  bool fine = true;
  for (const double value : values) {
    fine &= !std::isnan(value);  // infinite weights occur in published graph files
    if (whole) fine &= std::floor(value) == value && std::abs(value) <= kMostWhole;
  }
  return fine;
}

Status check_identity(const BinaryHeader& header, const std::string& path) {
  if (is_compressed({reinterpret_cast<const char*>(&header), sizeof header})) {
    return fail(input_error(path, "is compressed, but a binary graph is mapped from its file",
                            "unpack it: gunzip, zstd -d or xz -d"));
  }
  if (header.magic != kMagic) {
    return fail(
        input_error(path, "is not a binary graph", "give a file that `leeway convert` wrote"));
  }
  if (header.byte_order != kByteOrder) {
    const bool foreign = header.byte_order == kForeignOrder;
    return fail(input_error(
        path, foreign ? "was written by a machine of the other byte order" : "has a damaged header",
        std::string(kMakeAgain)));
  }
  if (header.version != kVersion) {
    return fail(input_error(
        path,
        format("has format version {}; this program reads version {}", header.version, kVersion),
        header.version > kVersion ? "use a newer leeway, or make the file again"
                                  : std::string(kMakeAgain)));
  }
  return {};
}

bool sound_counts(const BinaryHeader& header) {
  const bool partitioned = (header.flags & kPartitioned) != 0;
  const bool no_reserved = std::all_of(std::begin(header.reserved), std::end(header.reserved),
                                       [](std::uint64_t word) { return word == 0; });
  return (header.flags & ~(kDirected | kPartitioned)) == 0 &&
         header.weight_kind <= kComplexWeights && header.name_kind <= 2 &&
         header.vertex_count <= kMostVertices && header.arc_count <= kMostArcs &&
         header.left_count <= header.vertex_count && no_reserved &&
         (partitioned ? header.part_count > 0 && header.part_count <= (1u << 20)
                      : header.part_count == 0) &&
         header.first_name <= ~std::uint64_t{0} - header.vertex_count;
}

std::uint64_t expected_bytes(const BinaryHeader& header, Section section) {
  const std::uint64_t vertices = header.vertex_count;
  switch (section) {
    case Section::Offsets:
      return (vertices + 1) * 8;
    case Section::Targets:
      return header.arc_count * 4;
    case Section::Weights:
      return header.weight_kind > 0 ? header.arc_count * 8 : 0;
    case Section::Imaginary:
      return header.weight_kind == kComplexWeights ? header.arc_count * 8 : 0;
    case Section::NameNumbers:
      return header.name_kind == 0 ? 0 : (vertices + (header.name_kind == 2 ? 1 : 0)) * 8;
    case Section::NameOrder:
      return header.name_kind == 2 ? vertices * 4 : 0;
    case Section::Parts:
      return header.part_count > 0 ? (header.part_count + std::uint64_t{1}) * 8 : 0;
    case Section::Original:
      return header.part_count > 0 ? vertices * 4 : 0;
    case Section::NameText:
    case Section::Checksums:
      break;
  }
  LEEWAY_UNREACHABLE("section", static_cast<std::uint32_t>(section));
}

}  // namespace

Result<std::shared_ptr<const BinaryFile>> BinaryFile::open(const std::string& path) {
  std::shared_ptr<BinaryFile> file(new BinaryFile(path));
  LEEWAY_TRY(file->map());
  return std::shared_ptr<const BinaryFile>(std::move(file));
}

BinaryFile::~BinaryFile() {
  if (memory_ != nullptr) ::munmap(const_cast<std::byte*>(memory_), header_.file_bytes);
}

Error BinaryFile::damaged(std::string_view what) const {
  return input_error(path_, format("is damaged: {}", what), std::string(kMakeAgain));
}

std::span<const std::byte> BinaryFile::bytes(Section section) const {
  const Extent& place = places_[static_cast<std::size_t>(section)];
  return {memory_ + place.offset, place.bytes};
}

Status BinaryFile::map() {
  const ReadOnlyFile descriptor(path_);
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    const int reason = errno;
    return fail(cannot_open(path_, reason));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(
        input_error(path_, "is not a regular file", "give a file that `leeway convert` wrote"));
  }
  std::vector<std::byte> page(kPage);
  const ssize_t got = ::pread(descriptor.get(), page.data(), page.size(), 0);
  if (got < 0)
    return fail(system_error(path_, "read", errno, "check the disk, or name an ordinary file"));
  std::memcpy(&header_, page.data(), sizeof header_);
  BinaryHeader header = std::exchange(header_, BinaryHeader{});
  LEEWAY_TRY(check_identity(header, path_));
  if (static_cast<std::uint64_t>(got) < kPage) return fail(damaged("it ends within its header"));
  std::uint64_t sum = 0;
  std::memcpy(&sum, page.data() + kHeaderChecksumAt, sizeof sum);
  if (sum != checksum(std::span(page).first(kHeaderChecksumAt))) {
    return fail(damaged("the header's checksum is wrong"));
  }
  if (!sound_counts(header)) return fail(damaged("the header's counts are impossible"));
  if (header.file_bytes != static_cast<std::uint64_t>(status.st_size)) {
    return fail(damaged(
        format("the file has {} bytes, its header states {}", status.st_size, header.file_bytes)));
  }
  void* memory = ::mmap(nullptr, header.file_bytes, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (memory == MAP_FAILED) {
    return fail(system_error(path_, "map", errno, "use a machine with more memory"));
  }
  header_ = header;
  memory_ = static_cast<const std::byte*>(memory);
  LEEWAY_TRY(read_table(page));
  return check_sizes();
}

Status BinaryFile::read_table(std::span<const std::byte> page) {
  if (header_.section_count > kSectionKinds) return fail(damaged("it has too many sections"));
  std::uint64_t end = kPage;
  std::uint32_t last_kind = 0;
  std::uint64_t blocks = 0;
  for (std::uint32_t i = 0; i < header_.section_count; ++i) {
    SectionEntry entry{};
    std::memcpy(&entry, page.data() + sizeof(BinaryHeader) + i * sizeof entry, sizeof entry);
    const bool fits = entry.kind > last_kind && entry.kind <= kSectionKinds &&
                      entry.reserved == 0 && entry.offset % kPage == 0 && entry.offset >= end &&
                      entry.offset <= header_.file_bytes &&
                      entry.bytes <= header_.file_bytes - entry.offset;
    if (!fits) return fail(damaged(format("section {} of its table is impossible", i)));
    places_[entry.kind] = {entry.offset, entry.bytes, blocks};
    last_kind = entry.kind;
    end = entry.offset + entry.bytes;
    if (entry.kind != static_cast<std::uint32_t>(Section::Checksums))
      blocks += block_count(entry.bytes);
  }
  const auto sums = bytes(Section::Checksums);
  if (sums.size() != blocks * sizeof(std::uint64_t) ||
      checksum(sums) != header_.checksums_checksum) {
    return fail(damaged("its list of checksums is wrong"));
  }
  return {};
}

Status BinaryFile::check_sizes() const {
  for (const Section section :
       {Section::Offsets, Section::Targets, Section::Weights, Section::Imaginary,
        Section::NameNumbers, Section::NameOrder, Section::Parts, Section::Original}) {
    if (bytes(section).size() != expected_bytes(header_, section)) {
      return fail(
          damaged(format("section {} has the wrong size", static_cast<std::uint32_t>(section))));
    }
  }
  if (header_.name_kind != static_cast<std::uint32_t>(NameKind::Strings) &&
      !bytes(Section::NameText).empty()) {
    return fail(damaged("it has text for names that are numbers"));
  }
  return {};
}

bool BinaryFile::possible(Section section, std::uint64_t begin, std::uint64_t end) const {
  const auto words = values<std::uint64_t>(section);
  const auto whole_words = words.subspan(begin / 8, end / 8 - begin / 8);
  const auto halves = values<std::uint32_t>(section).subspan(begin / 4, end / 4 - begin / 4);
  const auto reals = values<double>(section).subspan(begin / 8, end / 8 - begin / 8);
  const bool text_names = header_.name_kind == static_cast<std::uint32_t>(NameKind::Strings);
  switch (section) {
    case Section::Offsets:
      return ascending(whole_words, header_.arc_count);
    case Section::Parts:
      return ascending(whole_words, header_.vertex_count);
    case Section::Targets:
    case Section::NameOrder:
    case Section::Original:
      return all_below(halves, header_.vertex_count);
    case Section::Weights:
      return sound_weights(reals,
                           header_.weight_kind == static_cast<std::uint32_t>(WeightKind::Integer));
    case Section::NameNumbers:
      return ascending(whole_words,
                       text_names ? bytes(Section::NameText).size() : ~std::uint64_t{0});
    case Section::Imaginary:
    case Section::NameText:
    case Section::Checksums:
      return true;
  }
  LEEWAY_UNREACHABLE("section", static_cast<std::uint32_t>(section));
}

Status BinaryFile::check_bytes(Section section, std::uint64_t begin, std::uint64_t end,
                               unsigned threads) const {
  const auto all = bytes(section);
  LEEWAY_CHECK(begin <= end);
  LEEWAY_CHECK(end <= all.size());
  if (begin == end) return {};
  const auto sums = values<std::uint64_t>(Section::Checksums);
  const std::uint64_t first_sum = places_[static_cast<std::size_t>(section)].first_checksum;
  const std::uint64_t first_block = begin / kBlock;
  const std::uint64_t blocks = (end - 1) / kBlock + 1 - first_block;
  std::atomic<bool> sums_fit = true;
  std::atomic<bool> values_fit = true;
  const auto work = [&](unsigned, std::size_t from, std::size_t to) {
    for (std::uint64_t block = first_block + from; block < first_block + to; ++block) {
      // The values are checked together with the checksum, while the block is in the processor's cache. The last word
      // of the previous block is included, to detect a descent between two blocks.
      const std::uint64_t here = std::max(begin, block * kBlock);
      if (sums[first_sum + block] != checksum(block_of(all, block))) sums_fit = false;
      if (!possible(section, here > begin ? here - 8 : here, std::min(end, (block + 1) * kBlock))) {
        values_fit = false;
      }
    }
  };
  const auto helpers = static_cast<unsigned>(std::min<std::uint64_t>(threads, (blocks + 7) / 8));
  parallel_chunks(blocks, std::max(1u, helpers), work);
  const auto number = static_cast<std::uint32_t>(section);
  if (!sums_fit) return fail(damaged(format("a checksum of section {} is wrong", number)));
  if (!values_fit) return fail(damaged(format("section {} holds impossible values", number)));
  return {};
}

namespace {

constexpr std::size_t kChunkArcs = std::size_t{1} << 20;

Result<EdgeList> list_arcs(const Graph& graph, bool keep) {
  EdgeList list;
  list.weight_kind = keep ? graph.weight_kind() : WeightKind::None;
  EdgeChunkBuilder builder;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const VertexId source(v);
    std::uint64_t arc = graph.offsets()[v];
    for (const VertexId target : graph.neighbors(source)) {
      if (list.weight_kind == WeightKind::None)
        builder.add(source, target);
      else
        builder.add(source, target, graph.weights()[arc]);
      ++arc;
    }
    if (builder.size() < kChunkArcs) continue;
    LEEWAY_ASSIGN(auto chunk, builder.finish());
    list.chunks.push_back(std::move(chunk));
  }
  LEEWAY_ASSIGN(auto chunk, builder.finish());
  list.chunks.push_back(std::move(chunk));
  return list;
}

}  // namespace

Result<Graph> map_binary(const InputFile& file, const LoadOptions& options) {
  if (file.path.empty()) {
    return fail(input_error(file.name, "a binary graph can only be mapped from a file",
                            "write it to a file first"));
  }
  return open_binary(file.path.string(), thread_count(options.threads), keeps_weights(options));
}

Result<ListedGraph> read_binary(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(const Graph graph, map_binary(file, options));
  ListedGraph listed;
  LEEWAY_ASSIGN(listed.edges, list_arcs(graph, keeps_weights(options)));
  LEEWAY_ASSIGN(listed.shape.names, copy_of(graph.names()));
  listed.shape.vertex_count = graph.vertex_count();
  listed.shape.directed = graph.directed();
  listed.shape.from_both_ends = !graph.directed();
  listed.shape.left_count = graph.left_count();
  return listed;
}

namespace {

using binary_format::Section;
using File = std::shared_ptr<const BinaryFile>;

/// True if the offsets begin at 0 and end at `end`.
template <class Value>
bool spans(std::span<const Value> offsets, std::uint64_t end) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == end;
}

/// True if section NameOrder lists the vertices in strictly ascending byte order of their names, hence each one once.
bool names_in_order(const BinaryFile& file) {
  const auto offsets = file.values<std::uint64_t>(Section::NameNumbers);
  const auto text = file.values<char>(Section::NameText);
  std::string_view before;
  bool first = true;
  for (const std::uint32_t vertex : file.values<std::uint32_t>(Section::NameOrder)) {
    const std::string_view name(text.data() + offsets[vertex],
                                offsets[vertex + std::size_t{1}] - offsets[vertex]);
    if (!first && before >= name) return false;
    before = name;
    first = false;
  }
  return true;
}

Result<VertexNames> open_names(const File& file, unsigned threads) {
  const auto& header = file->header();
  const auto count = static_cast<std::uint32_t>(header.vertex_count);
  const auto kind = static_cast<NameKind>(header.name_kind);
  if (kind == NameKind::Sequence) return VertexNames::sequence(header.first_name, count);
  LEEWAY_TRY(file->check(Section::NameNumbers, threads));
  const auto numbers = file->values<std::uint64_t>(Section::NameNumbers);
  if (kind == NameKind::Numbers) {
    if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) !=
        numbers.end()) {
      return fail(file->damaged("vertex names do not ascend"));
    }
    return VertexNames::numbers(file->view<std::uint64_t>(Section::NameNumbers));
  }
  LEEWAY_TRY(file->check(Section::NameText, threads));
  LEEWAY_TRY(file->check(Section::NameOrder, threads));
  if (!spans(numbers, file->values<char>(Section::NameText).size()) || !names_in_order(*file)) {
    return fail(file->damaged("vertex names are out of order"));
  }
  auto names = VertexNames::strings(file->view<std::uint64_t>(Section::NameNumbers),
                                    file->view<char>(Section::NameText),
                                    file->view<VertexId>(Section::NameOrder));
  LEEWAY_TRY(check_one_line(names, file->path()));
  return names;
}

Status check_partition(const BinaryFile& file, unsigned threads) {
  LEEWAY_TRY(file.check(Section::Parts, threads));
  if (!spans(file.values<std::uint64_t>(Section::Parts), file.header().vertex_count)) {
    return fail(file.damaged("its parts do not cover its vertices"));
  }
  return {};
}

/// Verifies that section Original is a permutation of the vertices.
Status check_original(const BinaryFile& file, unsigned threads) {
  LEEWAY_TRY(file.check(Section::Original, threads));
  std::vector<bool> taken(file.header().vertex_count, false);
  for (const std::uint32_t vertex : file.values<std::uint32_t>(Section::Original)) {
    if (taken[vertex]) return fail(file.damaged("a vertex occurs twice in its partition"));
    taken[vertex] = true;
  }
  return {};
}

/// Restores the original vertex order in the arrays of a partitioned file.
Status restore_order(const BinaryFile& file, GraphArrays& parts) {
  const auto original = file.values<VertexId>(Section::Original);
  const auto count = original.size();
  const GraphArrays grouped = std::exchange(parts, GraphArrays{});
  LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(count + 1));
  LEEWAY_ASSIGN(parts.targets, Array<VertexId>::make(grouped.targets.size()));
  LEEWAY_ASSIGN(parts.weights, Array<double>::make(grouped.weights.size()));
  const auto offsets = parts.offsets.mutable_span();
  for (std::size_t i = 0; i < count; ++i) {
    offsets[original[i].index() + 1] = grouped.offsets[i + 1] - grouped.offsets[i];
  }
  for (std::size_t v = 0; v < count; ++v) offsets[v + 1] += offsets[v];
  std::vector<std::pair<VertexId, std::uint64_t>>
      list;  // target and arc; sorting by both keeps the order of duplicates
  for (std::size_t i = 0; i < count; ++i) {
    list.clear();
    for (std::uint64_t arc = grouped.offsets[i]; arc < grouped.offsets[i + 1]; ++arc) {
      list.emplace_back(original[grouped.targets[arc].index()], arc);
    }
    std::sort(list.begin(), list.end());
    std::uint64_t at = offsets[original[i].index()];
    for (const auto& [target, from] : list) {
      parts.targets.mutable_span()[at] = target;
      if (!parts.weights.empty()) parts.weights.mutable_span()[at] = grouped.weights[from];
      ++at;
    }
  }
  return {};
}

Result<WeightKind> kept_kind(const BinaryFile& file, bool with_weights) {
  if (!with_weights) return WeightKind::None;
  const std::uint32_t kind = file.header().weight_kind;
  if (kind == binary_format::kComplexWeights) return fail(complex_values(file.path()));
  return static_cast<WeightKind>(kind);
}

Status check_arcs(const BinaryFile& file, std::uint64_t first, std::uint64_t last,
                  WeightKind weights, unsigned threads) {
  LEEWAY_TRY(file.check<VertexId>(Section::Targets, first, last, threads));
  if (weights == WeightKind::None) return {};
  return file.check<double>(Section::Weights, first, last, threads);
}

}  // namespace

bool looks_like_binary(std::string_view first_bytes) {
  const auto& magic = binary_format::kMagic;
  return first_bytes.starts_with(std::string_view(magic.data(), magic.size()));
}

Result<Graph> open_binary(const std::string& path, unsigned threads, bool with_weights) {
  threads = thread_count(threads);
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  LEEWAY_ASSIGN(const WeightKind weights, kept_kind(*file, with_weights));
  LEEWAY_TRY(file->check(Section::Offsets, threads));
  if (!spans(file->values<std::uint64_t>(Section::Offsets), header.arc_count)) {
    return fail(file->damaged("its offsets do not cover its arcs"));
  }
  LEEWAY_TRY(check_arcs(*file, 0, header.arc_count, weights, threads));
  GraphArrays parts;
  parts.offsets = file->view<std::uint64_t>(Section::Offsets);
  parts.targets = file->view<VertexId>(Section::Targets);
  if (with_weights) parts.weights = file->view<double>(Section::Weights);
  if ((header.flags & binary_format::kPartitioned) != 0) {
    LEEWAY_TRY(check_partition(*file, threads));
    LEEWAY_TRY(check_original(*file, threads));
    LEEWAY_TRY(restore_order(*file, parts));
  }
  parts.directed = (header.flags & binary_format::kDirected) != 0;
  parts.weight_kind = weights;
  parts.left_count = header.left_count;
  LEEWAY_ASSIGN(parts.names, open_names(file, threads));
  return Graph(std::move(parts));
}

Result<BinaryPart> open_binary_range(const std::string& path, std::uint32_t first,
                                     std::uint32_t last, bool with_weights) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  if (first > last || last > header.vertex_count) {
    return fail(input_error(path,
                            format("vertices {} to {} requested, but the file has {}", first, last,
                                   header.vertex_count),
                            "request vertices that the file has"));
  }
  LEEWAY_TRY(file->check<std::uint64_t>(Section::Offsets, first, last + std::uint64_t{1}, 1));
  const auto offsets = file->values<std::uint64_t>(Section::Offsets);
  const std::uint64_t begin = offsets[first];
  const std::uint64_t arcs = offsets[last] - begin;
  BinaryPart part;
  LEEWAY_ASSIGN(part.weight_kind, kept_kind(*file, with_weights));
  LEEWAY_TRY(check_arcs(*file, begin, begin + arcs, part.weight_kind, 1));
  part.total_vertices = static_cast<std::uint32_t>(header.vertex_count);
  part.total_arcs = header.arc_count;
  part.first = first;
  part.directed = (header.flags & binary_format::kDirected) != 0;
  part.left_count = header.left_count;
  LEEWAY_ASSIGN(part.offsets, Array<std::uint64_t>::make(last - first + std::size_t{1}));
  for (std::size_t i = 0; i < part.offsets.size(); ++i) {
    part.offsets.mutable_span()[i] = offsets[first + i] - begin;
  }
  part.targets = file->view<VertexId>(Section::Targets, begin, arcs);
  if (part.weight_kind != WeightKind::None)
    part.weights = file->view<double>(Section::Weights, begin, arcs);
  if ((header.flags & binary_format::kPartitioned) != 0) {
    LEEWAY_TRY(check_partition(*file, 1));
    LEEWAY_TRY(file->check<VertexId>(Section::Original, first, last, 1));
    part.original = file->view<VertexId>(Section::Original, first, last - first);
    part.part_starts = file->view<std::uint64_t>(Section::Parts);
  }
  return part;
}

Result<BinaryPart> open_binary_part(const std::string& path, PartId part) {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  {
    LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
    if (part.value() >= file->header().part_count) {
      return fail(input_error(
          path, format("part {} requested, but the file has {}", part, file->header().part_count),
          "write the file with one part for each node"));
    }
    LEEWAY_TRY(check_partition(*file, 1));
    const auto starts = file->values<std::uint64_t>(Section::Parts);
    first = static_cast<std::uint32_t>(starts[part.index()]);
    last = static_cast<std::uint32_t>(starts[part.index() + 1]);
  }
  return open_binary_range(path, first, last);
}

Result<Array<VertexId>> open_binary_original(const std::string& path) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  if (file->header().part_count == 0) return Array<VertexId>();
  LEEWAY_TRY(check_original(*file, 1));
  return file->view<VertexId>(Section::Original, 0, file->header().vertex_count);
}

Result<Partition> open_binary_partition(const std::string& path) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  if (file->header().part_count == 0) {
    return fail(
        input_error(path, "holds no partition", "write it with one, or choose a partitioner"));
  }
  LEEWAY_TRY(check_partition(*file, 1));
  LEEWAY_TRY(check_original(*file, 1));
  const auto starts = file->values<std::uint64_t>(Section::Parts);
  const auto original = file->values<VertexId>(Section::Original);
  Partition partition;
  partition.part_count = file->header().part_count;
  LEEWAY_ASSIGN(partition.owner, Array<PartId>::make(original.size()));
  for (std::uint32_t part = 0; part < partition.part_count; ++part) {
    for (std::uint64_t i = starts[part]; i < starts[part + std::size_t{1}]; ++i) {
      partition.owner.mutable_span()[original[i].index()] = PartId(part);
    }
  }
  return partition;
}

namespace {

/// Names of the vertices [first, last) of a file whose names are text.
Result<VertexNames> text_names(const BinaryFile& file, std::uint32_t first, std::uint32_t last) {
  const auto offsets = file.values<std::uint64_t>(Section::NameNumbers);
  const std::uint64_t begin = offsets[first];
  const std::uint64_t end = offsets[last];
  LEEWAY_TRY(file.check<char>(Section::NameText, begin, end, 1));
  const std::uint32_t count = last - first;
  LEEWAY_ASSIGN(auto starts, Array<std::uint64_t>::make(count + std::size_t{1}));
  for (std::size_t i = 0; i < starts.size(); ++i)
    starts.mutable_span()[i] = offsets[first + i] - begin;
  LEEWAY_ASSIGN(auto text, Array<char>::copy_of(
                               file.values<char>(Section::NameText).subspan(begin, end - begin)));
  LEEWAY_ASSIGN(auto sorted, Array<VertexId>::make(count));
  const auto order = sorted.mutable_span();
  for (std::uint32_t i = 0; i < count; ++i) order[i] = VertexId(i);
  const auto name = [&](VertexId v) {
    return std::string_view(text.data() + starts[v.index()],
                            starts[v.index() + 1] - starts[v.index()]);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return name(a) < name(b); });
  auto names = VertexNames::strings(std::move(starts), std::move(text), std::move(sorted));
  LEEWAY_TRY(check_one_line(names, file.path()));
  return names;
}

}  // namespace

Result<VertexNames> open_binary_names(const std::string& path, std::uint32_t first,
                                      std::uint32_t last) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  const auto kind = static_cast<NameKind>(header.name_kind);
  if (kind == NameKind::Sequence)
    return VertexNames::sequence(header.first_name + first, last - first);
  const std::uint64_t extra = kind == NameKind::Strings ? 1 : 0;
  LEEWAY_TRY(file->check<std::uint64_t>(Section::NameNumbers, first, last + extra, 1));
  if (kind == NameKind::Strings) return text_names(*file, first, last);
  const auto numbers =
      file->values<std::uint64_t>(Section::NameNumbers).subspan(first, last - first);
  if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) != numbers.end())
    return fail(file->damaged("vertex names do not ascend"));
  return VertexNames::numbers(file->view<std::uint64_t>(Section::NameNumbers, first, last - first));
}

Result<BinarySummary> summarize_binary(const std::string& path, bool with_weights) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  BinarySummary summary;
  summary.vertices = static_cast<std::uint32_t>(header.vertex_count);
  summary.arcs = header.arc_count;
  summary.directed = (header.flags & binary_format::kDirected) != 0;
  summary.partitioned = (header.flags & binary_format::kPartitioned) != 0;
  LEEWAY_ASSIGN(summary.weight_kind, kept_kind(*file, with_weights));
  summary.name_kind = static_cast<NameKind>(header.name_kind);
  summary.left_count = header.left_count;
  summary.first_name = header.first_name;
  summary.mark = header.checksums_checksum ^ header.arc_count;
  return summary;
}

Result<std::vector<std::uint64_t>> divide_binary(const std::string& path, std::uint32_t parts,
                                                 bool arcs) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto offsets = file->values<std::uint64_t>(Section::Offsets);
  const std::uint64_t count = file->header().vertex_count;
  const auto before = [&](std::uint64_t vertex) { return vertex + (arcs ? offsets[vertex] : 0); };
  std::vector<std::uint64_t> firsts(parts + std::size_t{1}, 0);
  firsts.back() = count;
  for (std::uint32_t part = 1; part < parts && count > 0; ++part) {
    const std::uint64_t goal = before(count) / parts * part + before(count) % parts * part / parts;
    std::uint64_t low = firsts[part - std::size_t{1}];
    std::uint64_t high = count;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (before(middle) < goal)
        low = middle + 1;
      else
        high = middle;
    }
    firsts[part] = low;
  }
  return firsts;
}

}  // namespace leeway
