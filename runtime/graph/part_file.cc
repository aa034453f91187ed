#include "runtime/graph/part_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/format.h"
#include "base/unfinished_file.h"

namespace leeway {

namespace {

// The file: length and checksum of the archived header, 8 bytes each; the header; the sections. All are padded to kAlign.
constexpr std::size_t kAlign = 8;
constexpr std::size_t kSections = 6;

struct PartFileHeader {
  GraphTotals totals;
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;
  std::vector<std::uint64_t> firsts;
  NodeId self{0};
  NameKind name_kind = NameKind::Sequence;
  std::uint64_t first_name = 0;
  std::uint32_t name_count = 0;
  std::array<std::uint64_t, kSections> bytes{};
  std::array<std::uint64_t, kSections> checksums{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.totals.vertices, self.totals.arcs, self.totals.directed,
                    self.totals.weight_kind, self.totals.left_count, self.directed,
                    self.weight_kind, self.left_count, self.firsts, self.self, self.name_kind,
                    self.first_name, self.name_count, self.bytes, self.checksums);
  }
};

std::size_t padded(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

std::array<std::span<const std::byte>, kSections> sections_of(const GraphPart& part) {
  const GraphArrays& lists = part.lists;
  return {std::as_bytes(lists.offsets.span()),      std::as_bytes(lists.targets.span()),
          std::as_bytes(lists.weights.span()),      std::as_bytes(lists.names.ids().span()),
          std::as_bytes(lists.names.text().span()), std::as_bytes(lists.names.sorted().span())};
}

bool write_padded(std::FILE* file, std::span<const std::byte> bytes) {
  constexpr std::array<std::byte, kAlign> kZeros{};
  const std::size_t rest = padded(bytes.size()) - bytes.size();
  return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
         std::fwrite(kZeros.data(), 1, rest, file) == rest;
}

Error damaged(const std::string& path) {
  return environment_error(path, "this file of a part of the graph is damaged",
                           "start the job again");
}

/// Keeps a file mapped.
struct MappedPart {
  const std::byte* memory = nullptr;
  std::size_t bytes = 0;

  MappedPart() = default;
  MappedPart(const MappedPart&) = delete;
  MappedPart& operator=(const MappedPart&) = delete;
  ~MappedPart() {
    if (memory != nullptr) ::munmap(const_cast<std::byte*>(memory), bytes);
  }
};

Result<std::shared_ptr<const MappedPart>> map_part(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(system_error(path, "open", errno, "start the job again"));
  struct stat about {};
  const auto mapped = std::make_shared<MappedPart>();
  void* memory = MAP_FAILED;
  if (::fstat(file, &about) == 0 && about.st_size > 0) {
    mapped->bytes = static_cast<std::size_t>(about.st_size);
    memory = ::mmap(nullptr, mapped->bytes, PROT_READ, MAP_PRIVATE, file, 0);
  }
  ::close(file);
  if (memory == MAP_FAILED) return fail(damaged(path));
  mapped->memory = static_cast<const std::byte*>(memory);
  return mapped;
}

/// Takes the sections from the mapped file, one after the other.
class SectionReader {
 public:
  SectionReader(std::shared_ptr<const MappedPart> file, const PartFileHeader& header,
                std::size_t at)
      : file_(std::move(file)), header_(header), at_(at) {}

  template <class T>
  Array<T> next() {
    const std::size_t bytes = header_.bytes[section_];
    const std::uint64_t sum = header_.checksums[section_++];
    if (!good_ || bytes > file_->bytes - at_ || bytes % sizeof(T) != 0) return bad<T>();
    const std::span<const std::byte> all(file_->memory + at_, bytes);
    if (checksum(all) != sum) return bad<T>();
    at_ = std::min(file_->bytes, at_ + padded(bytes));
    if (bytes == 0) return {};
    return Array<T>::view({reinterpret_cast<const T*>(all.data()), bytes / sizeof(T)}, file_);
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  template <class T>
  Array<T> bad() {
    good_ = false;
    return {};
  }

  std::shared_ptr<const MappedPart> file_;
  const PartFileHeader& header_;
  std::size_t at_;
  std::size_t section_ = 0;
  bool good_ = true;
};

VertexNames read_names(SectionReader& in, const PartFileHeader& header) {
  auto numbers = in.next<std::uint64_t>();
  auto text = in.next<char>();
  auto sorted = in.next<VertexId>();
  if (!in.good() || header.name_kind == NameKind::Sequence)
    return VertexNames::sequence(header.first_name, header.name_count);
  if (header.name_kind == NameKind::Numbers) return VertexNames::numbers(std::move(numbers));
  return VertexNames::strings(std::move(numbers), std::move(text), std::move(sorted));
}

}  // namespace

Status write_part_file(const GraphPart& part, const std::string& path) {
  const auto sections = sections_of(part);
  const VertexNames& names = part.lists.names;
  PartFileHeader header{.totals = part.totals,
                        .directed = part.lists.directed,
                        .weight_kind = part.lists.weight_kind,
                        .left_count = part.lists.left_count,
                        .firsts = part.ranges.firsts(),
                        .self = part.self,
                        .name_kind = names.kind(),
                        .first_name = names.first(),
                        .name_count = names.count()};
  for (std::size_t i = 0; i < kSections; ++i) {
    header.bytes[i] = sections[i].size();
    header.checksums[i] = checksum(sections[i]);
  }
  const std::vector<std::byte> head = archived(header);
  const std::array<std::uint64_t, 2> begin = {head.size(), checksum(head)};
  UnfinishedFile temporary(path + ".part");
  const int descriptor = temporary.create();
  std::FILE* const file = descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb");
  bool good = file != nullptr && write_padded(file, std::as_bytes(std::span(begin))) &&
              write_padded(file, head);
  for (const auto& section : sections) good = good && write_padded(file, section);
  if (file != nullptr) good = std::fclose(file) == 0 && good;
  if (!good || std::rename(temporary.path().c_str(), path.c_str()) != 0)
    return fail(system_error(path, "write", errno, "free some disk space"));
  temporary.keep();
  return {};
}

Result<GraphPart> open_part_file(const std::string& path) {
  LEEWAY_ASSIGN(const auto file, map_part(path));
  std::array<std::uint64_t, 2> begin{};
  if (file->bytes < sizeof begin) return fail(damaged(path));
  std::memcpy(begin.data(), file->memory, sizeof begin);
  const std::size_t room = file->bytes - sizeof begin;
  if (begin[0] > room) return fail(damaged(path));
  const std::span<const std::byte> head(file->memory + sizeof begin, begin[0]);
  PartFileHeader header;
  if (checksum(head) != begin[1] || !load_archived(head, header)) return fail(damaged(path));
  SectionReader in(file, header, std::min(file->bytes, sizeof begin + padded(head.size())));
  GraphPart part;
  part.totals = header.totals;
  part.ranges = VertexRanges(header.firsts);
  part.self = header.self;
  part.lists.directed = header.directed;
  part.lists.weight_kind = header.weight_kind;
  part.lists.left_count = header.left_count;
  part.lists.offsets = in.next<std::uint64_t>();
  part.lists.targets = in.next<VertexId>();
  part.lists.weights = in.next<double>();
  part.lists.names = read_names(in, header);
  if (!in.good()) return fail(damaged(path));
  return part;
}

}  // namespace leeway
