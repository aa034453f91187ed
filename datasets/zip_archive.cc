#include "leeway/datasets/zip_archive.h"

#include <algorithm>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/datasets/codecs.h"

namespace leeway {

namespace {

constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kCentral = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  // the value stands in the 64-bit part
constexpr std::uint16_t kVersion64 = 45;
constexpr std::uint16_t kPart64 = 1;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

/// Numbers of a record, least byte first; a read past the end gives zero and is noted.
class Fields {
 public:
  Fields(std::string_view bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}
  template <class Number>
  Number take() {
    Number value = 0;
    if (at_ > bytes_.size() || bytes_.size() - at_ < sizeof(Number)) {
      whole_ = false;
      return value;
    }
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      value = static_cast<Number>(
          value |
          static_cast<Number>(Number{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i)));
    at_ += sizeof(Number);
    return value;
  }
  void skip(std::uint64_t bytes) { at_ += bytes; }
  std::string_view text(std::size_t length) {
    if (at_ > bytes_.size() || bytes_.size() - at_ < length) {
      whole_ = false;
      return {};
    }
    at_ += length;
    return bytes_.substr(at_ - length, length);
  }
  [[nodiscard]] std::uint64_t at() const { return at_; }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  std::string_view bytes_;
  std::uint64_t at_;
  bool whole_ = true;
};

template <class Number>
void append(std::string& bytes, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
}

/// Where the record at the archive's end begins.
std::optional<std::uint64_t> find_end(std::string_view bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const std::size_t first = bytes.size() - std::min(bytes.size(), kEndBytes + kLongestComment);
  for (std::size_t at = bytes.size() - kEndBytes + 1; at-- > first;) {
    if (Fields(bytes, at).take<std::uint32_t>() == kEnd) return at;
  }
  return std::nullopt;
}

}  // namespace

Result<ZipArchive> ZipArchive::open(std::string_view bytes, std::string name) {
  ZipArchive archive(bytes, std::move(name));
  LEEWAY_TRY(archive.read_directory());
  return archive;
}

Status ZipArchive::read_directory() {
  const Error broken =
      input_error(name_, "this is no whole zip archive", "copy or download the file again");
  const auto end = find_end(bytes_);
  if (!end) return fail(broken);
  Fields last(bytes_, *end + 10);
  std::uint64_t count = last.take<std::uint16_t>();
  last.skip(4);
  std::uint64_t at = last.take<std::uint32_t>();
  if (*end >= kLocator64Bytes) {
    Fields locator(bytes_, *end - kLocator64Bytes);
    if (locator.take<std::uint32_t>() == kLocator64) {
      locator.skip(4);
      Fields end64(bytes_, locator.take<std::uint64_t>());
      if (end64.take<std::uint32_t>() != kEnd64) return fail(broken);
      end64.skip(28);
      count = end64.take<std::uint64_t>();
      end64.skip(8);
      at = end64.take<std::uint64_t>();
    }
  }
  Fields fields(bytes_, at);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (fields.take<std::uint32_t>() != kCentral) return fail(broken);
    Entry entry;
    fields.skip(4);
    entry.flags = fields.take<std::uint16_t>();
    entry.method = fields.take<std::uint16_t>();
    fields.skip(4);
    entry.checksum = fields.take<std::uint32_t>();
    entry.packed = fields.take<std::uint32_t>();
    entry.size = fields.take<std::uint32_t>();
    const auto name_length = fields.take<std::uint16_t>();
    const auto extra_length = fields.take<std::uint16_t>();
    const auto comment_length = fields.take<std::uint16_t>();
    fields.skip(8);
    entry.offset = fields.take<std::uint32_t>();
    entry.name = fields.text(name_length);
    const std::string_view extra = fields.text(extra_length);
    fields.skip(comment_length);
    if (!fields.whole()) return fail(broken);
    for (Fields part(extra, 0); part.at() + 4 <= extra.size();) {
      const auto kind = part.take<std::uint16_t>();
      const auto length = part.take<std::uint16_t>();
      const std::string_view content = part.text(length);
      if (kind != kPart64) continue;
      Fields wide(content, 0);
      for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.offset})
        if (*value == kElsewhere) *value = wide.take<std::uint64_t>();
      if (!wide.whole()) return fail(broken);
    }
    entries_.push_back(std::move(entry));
  }
  return {};
}

std::vector<std::string_view> ZipArchive::entries() const {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

const ZipArchive::Entry* ZipArchive::find(std::string_view entry) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& each) { return each.name == entry; });
  return found == entries_.end() ? nullptr : &*found;
}

Result<std::string> ZipArchive::read(std::string_view name) const {
  const Entry* const entry = find(name);
  if (entry == nullptr) {
    return fail(input_error(name_, format("the archive has no entry {}", name),
                            "check that it is the file you mean"));
  }
  const Error broken = input_error(name_, format("the entry {} is damaged", name),
                                   "copy or download the file again");
  if ((entry->flags & kEncrypted) != 0)
    return fail(input_error(name_, "the archive is encrypted", "unpack it first"));
  Fields local(bytes_, entry->offset);
  if (local.take<std::uint32_t>() != kLocal) return fail(broken);
  local.skip(22);
  const auto name_length = local.take<std::uint16_t>();
  const auto extra_length = local.take<std::uint16_t>();
  local.skip(std::uint64_t{name_length} + extra_length);
  if (!local.whole() || local.at() > bytes_.size() || bytes_.size() - local.at() < entry->packed)
    return fail(broken);
  const std::string_view packed = bytes_.substr(local.at(), entry->packed);
  std::string content;
  if (entry->method == kStored) {
    content = packed;
  } else if (entry->method == kDeflated) {
    LEEWAY_ASSIGN(content, inflate_entry(packed, entry->size, name_));
  } else {
    return fail(input_error(name_, format("the entry {} is packed in a way not known here", name),
                            "save it again with NumPy or SciPy"));
  }
  if (content.size() != entry->size || crc32_of(content) != entry->checksum) return fail(broken);
  return content;
}

Status ZipWriter::put(std::string_view bytes) {
  written_ += bytes.size();
  return sink_.write(bytes);
}

Status ZipWriter::add(std::string_view name, const std::vector<std::string_view>& pieces) {
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  std::string all;  // the checksum stands before the content
  for (const std::string_view piece : pieces) size += piece.size();
  if (pieces.size() == 1) {
    checksum = crc32_of(pieces.front());
  } else {
    all.reserve(size);
    for (const std::string_view piece : pieces) all += piece;
    checksum = crc32_of(all);
  }
  const std::string_view content = pieces.size() == 1 ? pieces.front() : std::string_view(all);
  const std::uint64_t offset = written_;
  const auto common = [&](std::string& record) {
    append<std::uint16_t>(record, kVersion64);
    append<std::uint16_t>(record, 0);
    append<std::uint16_t>(record, kStored);
    append<std::uint32_t>(record,
                          0x00210000);  // the first of January 1980: the same file each time
    append<std::uint32_t>(record, checksum);
    append<std::uint32_t>(record, kElsewhere);
    append<std::uint32_t>(record, kElsewhere);
    append<std::uint16_t>(record, static_cast<std::uint16_t>(name.size()));
  };
  std::string local;
  append<std::uint32_t>(local, kLocal);
  common(local);
  append<std::uint16_t>(local, 20);
  local += name;
  append<std::uint16_t>(local, kPart64);
  append<std::uint16_t>(local, 16);
  append<std::uint64_t>(local, size);
  append<std::uint64_t>(local, size);
  LEEWAY_TRY(put(local));
  LEEWAY_TRY(put(content));
  append<std::uint32_t>(directory_, kCentral);
  append<std::uint16_t>(directory_, kVersion64);
  common(directory_);
  append<std::uint16_t>(directory_, 28);
  append<std::uint16_t>(directory_, 0);
  append<std::uint16_t>(directory_, 0);
  append<std::uint16_t>(directory_, 0);
  append<std::uint32_t>(directory_, 0);
  append<std::uint32_t>(directory_, kElsewhere);
  directory_ += name;
  append<std::uint16_t>(directory_, kPart64);
  append<std::uint16_t>(directory_, 24);
  append<std::uint64_t>(directory_, size);
  append<std::uint64_t>(directory_, size);
  append<std::uint64_t>(directory_, offset);
  ++entries_;
  return {};
}

Status ZipWriter::finish() {
  const std::uint64_t begin = written_;
  LEEWAY_TRY(put(directory_));
  const std::uint64_t end64 = written_;
  std::string end;
  append<std::uint32_t>(end, kEnd64);
  append<std::uint64_t>(end, 44);
  append<std::uint16_t>(end, kVersion64);
  append<std::uint16_t>(end, kVersion64);
  append<std::uint32_t>(end, 0);
  append<std::uint32_t>(end, 0);
  append<std::uint64_t>(end, entries_);
  append<std::uint64_t>(end, entries_);
  append<std::uint64_t>(end, directory_.size());
  append<std::uint64_t>(end, begin);
  append<std::uint32_t>(end, kLocator64);
  append<std::uint32_t>(end, 0);
  append<std::uint64_t>(end, end64);
  append<std::uint32_t>(end, 1);
  append<std::uint32_t>(end, kEnd);
  append<std::uint16_t>(end, 0);
  append<std::uint16_t>(end, 0);
  append<std::uint16_t>(end, static_cast<std::uint16_t>(entries_));
  append<std::uint16_t>(end, static_cast<std::uint16_t>(entries_));
  append<std::uint32_t>(end, kElsewhere);
  append<std::uint32_t>(end, kElsewhere);
  append<std::uint16_t>(end, 0);
  return put(end);
}

}  // namespace leeway
