#include "leeway/datasets/binary_file.h"

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
#include <utility>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/base/checksum.h"
#include "leeway/base/format.h"
#include "leeway/base/parallel.h"
#include "leeway/datasets/binary_blocks.h"
#include "leeway/datasets/graph.h"

static_assert(std::endian::native == std::endian::little,
              "arrays are read as they lie in the file");

namespace leeway {

namespace {

using namespace binary_format;

constexpr std::string_view kMakeAgain = "make the file again with `leeway convert`";
constexpr std::uint64_t kMostVertices = 0xfffffffe;
constexpr std::uint64_t kMostArcs = std::uint64_t{1} << 48;

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
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
    fine &= !std::isnan(value);  // files of the field do hold infinite weights
    if (whole) fine &= std::floor(value) == value && std::abs(value) <= kMostWhole;
  }
  return fine;
}

Status check_identity(const Header& header, const std::string& path) {
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

bool sound_counts(const Header& header) {
  const bool partitioned = (header.flags & kPartitioned) != 0;
  const bool no_reserved = std::all_of(std::begin(header.reserved), std::end(header.reserved),
                                       [](std::uint64_t word) { return word == 0; });
  return (header.flags & ~(kDirected | kPartitioned)) == 0 && header.weight_kind <= 3 &&
         header.name_kind <= 2 && header.vertex_count <= kMostVertices &&
         header.arc_count <= kMostArcs && header.left_count <= header.vertex_count && no_reserved &&
         (partitioned ? header.part_count > 0 && header.part_count <= (1u << 20)
                      : header.part_count == 0) &&
         header.first_name <= ~std::uint64_t{0} - header.vertex_count;
}

std::uint64_t expected_bytes(const Header& header, Section section) {
  const std::uint64_t vertices = header.vertex_count;
  switch (section) {
    case Section::Offsets:
      return (vertices + 1) * 8;
    case Section::Targets:
      return header.arc_count * 4;
    case Section::Weights:
      return header.weight_kind > 0 ? header.arc_count * 8 : 0;
    case Section::Imaginary:
      return header.weight_kind == 3 ? header.arc_count * 8 : 0;
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
  const Descriptor descriptor(path_);
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    const int reason = errno;
    return fail(input_error(path_,
                            format("cannot open: {}", std::generic_category().message(reason)),
                            "check the file's name and permissions"));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(
        input_error(path_, "is not a regular file", "give a file that `leeway convert` wrote"));
  }
  std::vector<std::byte> page(kPage);
  const ssize_t got = ::pread(descriptor.get(), page.data(), page.size(), 0);
  if (got < 0) return fail(system_error(path_, "read", errno, "check the disk"));
  std::memcpy(&header_, page.data(), sizeof header_);
  Header header = std::exchange(header_, Header{});
  LEEWAY_TRY(check_identity(header, path_));
  if (static_cast<std::uint64_t>(got) < kPage) return fail(damaged("it ends within its header"));
  std::uint64_t sum = 0;
  std::memcpy(&sum, page.data() + kHeaderChecksumAt, sizeof sum);
  if (sum != checksum(std::span(page).first(kHeaderChecksumAt))) {
    return fail(damaged("the header's checksum is wrong"));
  }
  if (!sound_counts(header)) return fail(damaged("the header's counts are impossible"));
  if (header.file_bytes != static_cast<std::uint64_t>(status.st_size)) {
    return fail(
        damaged(format("{} bytes where its header says {}", status.st_size, header.file_bytes)));
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
    std::memcpy(&entry, page.data() + sizeof(Header) + i * sizeof entry, sizeof entry);
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
    case Section::Imaginary:
      return sound_weights(reals, false);
    case Section::NameNumbers:
      return ascending(whole_words,
                       text_names ? bytes(Section::NameText).size() : ~std::uint64_t{0});
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
      // Bounds beside the checksum: the block is in the cache. One word of the block before, so that a
      // descent between two blocks is seen.
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

}  // namespace leeway
