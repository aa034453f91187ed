#include "datasets/npz.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "datasets/byte_stream.h"
#include "datasets/readers.h"
#include "datasets/vertex_numbering.h"
#include "datasets/write_graph.h"

namespace leeway {

namespace {

constexpr std::string_view kNpzMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;

/// The text after "'key':" in the header, without leading blanks.
std::string_view value_of(std::string_view header, std::string_view key) {
  const auto at = header.find(format("'{}'", key));
  if (at == header.npos) return {};
  const auto colon = header.find(':', at);
  if (colon == header.npos) return {};
  const auto begin = header.find_first_not_of(' ', colon + 1);
  return begin == header.npos ? std::string_view() : header.substr(begin);
}

std::string_view quoted(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) return {};
  return text.substr(1, text.find(text[0], 1) - 1);
}

template <class Number>
Number item(const std::string& bytes, std::size_t at) {
  Number value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::string npy_header(std::string_view type, const std::vector<std::uint64_t>& shape) {
  std::string sides;
  for (const std::uint64_t side : shape) sides += format("{}, ", side);
  std::string text =
      format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sides);
  const std::size_t whole = kNpzMagic.size() + 4 + text.size() + 1;
  text.append((kAlignment - whole % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header(kNpzMagic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

Result<NpyArray> NpyArray::parse(std::string bytes, std::string name) {
  const auto broken = [&](std::string_view why) {
    return fail(input_error(name, format("this is not a NumPy array: {}", why),
                            "save it again with NumPy"));
  };
  if (!std::string_view(bytes).starts_with(kNpzMagic) || bytes.size() < 12)
    return broken("its first bytes differ");
  const bool first_version = bytes[6] == 1;
  const std::size_t begin = first_version ? 10 : 12;
  const std::size_t length =
      first_version ? item<std::uint16_t>(bytes, 8) : item<std::uint32_t>(bytes, 8);
  if (bytes.size() < begin || bytes.size() - begin < length) return broken("it ends early");
  const std::string_view header(bytes.data() + begin, length);
  const std::string_view type = quoted(value_of(header, "descr"));
  std::string_view shape = value_of(header, "shape");
  if (type.size() < 3 || !shape.starts_with('(')) return broken("its header cannot be read");
  NpyArray array;
  array.begin_ = begin + length;
  array.kind_ = type[1];
  std::uint64_t item_size = 0;
  if (std::from_chars(type.data() + 2, type.data() + type.size(), item_size).ec != std::errc{} ||
      item_size == 0 || item_size > 1024)
    return broken("its type cannot be read");
  if (type[0] == '>') return broken("its numbers are big-endian");
  array.item_bytes_ = array.kind_ == 'U' ? 4 * item_size : item_size;
  array.count_ = 1;
  std::size_t dimensions = 0;
  shape = shape.substr(1, shape.find(')') - 1);
  while (!shape.empty()) {
    const auto digit = shape.find_first_of("0123456789");
    if (digit == shape.npos) break;
    shape.remove_prefix(digit);
    const auto [end, fault] =
        std::from_chars(shape.data(), shape.data() + shape.size(), array.count_);
    if (fault != std::errc{}) return broken("its shape cannot be read");
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
    ++dimensions;
  }
  if (dimensions > 1) return broken("it has more than one dimension");
  if ((bytes.size() - array.begin_) / array.item_bytes_ < array.count_)
    return broken("it ends early");
  array.bytes_ = std::move(bytes);
  array.name_ = std::move(name);
  return array;
}

Status NpyArray::check_numbers(bool whole) const {
  const std::string_view kinds = whole ? "iub" : "iubf";
  const bool sized = item_bytes_ == 1 || item_bytes_ == 2 || item_bytes_ == 4 || item_bytes_ == 8;
  if (kinds.find(kind_) != kinds.npos && sized && (kind_ != 'f' || item_bytes_ >= 4)) return {};
  return fail(input_error(name_,
                          format("holds items of type {}{}, but {} numbers are needed", kind_,
                                 item_bytes_, whole ? "whole" : "real"),
                          "convert it with NumPy: astype"));
}

std::int64_t NpyArray::whole(std::uint64_t place) const {
  const std::size_t at = begin_ + static_cast<std::size_t>(place) * item_bytes_;
  if (kind_ == 'f') return static_cast<std::int64_t>(real(place));
  const bool has_sign = kind_ == 'i';
  switch (item_bytes_) {
    case 1:
      return has_sign ? item<std::int8_t>(bytes_, at) : item<std::uint8_t>(bytes_, at);
    case 2:
      return has_sign ? item<std::int16_t>(bytes_, at) : item<std::uint16_t>(bytes_, at);
    case 4:
      return has_sign ? item<std::int32_t>(bytes_, at) : item<std::uint32_t>(bytes_, at);
    case 8:
      return item<std::int64_t>(bytes_, at);
    default:
      LEEWAY_UNREACHABLE("bytes of a number", item_bytes_);
  }
}

double NpyArray::real(std::uint64_t place) const {
  const std::size_t at = begin_ + static_cast<std::size_t>(place) * item_bytes_;
  if (kind_ == 'f')
    return item_bytes_ == 4 ? double{item<float>(bytes_, at)} : item<double>(bytes_, at);
  if (kind_ == 'u' && item_bytes_ == 8) return static_cast<double>(item<std::uint64_t>(bytes_, at));
  return static_cast<double>(whole(place));
}

std::string NpyArray::text() const {
  if (count_ != 1 || (kind_ != 'U' && kind_ != 'S')) return {};
  std::string letters = bytes_.substr(begin_, item_bytes_);
  letters.erase(std::remove(letters.begin(), letters.end(), '\0'), letters.end());
  return letters;
}

namespace {

constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kCentral = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  // the value is in the 64-bit extra field
constexpr std::uint16_t kVersion64 = 45;
constexpr std::uint16_t kPart64 = 1;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

/// Reads the little-endian numbers of a record. A read past the end returns 0 and makes `whole` false.
class RecordReader {
 public:
  RecordReader(std::string_view bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}
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

/// Offset of the end-of-central-directory record.
std::optional<std::uint64_t> find_end(std::string_view bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const std::size_t first = bytes.size() - std::min(bytes.size(), kEndBytes + kLongestComment);
  for (std::size_t at = bytes.size() - kEndBytes + 1; at-- > first;) {
    if (RecordReader(bytes, at).take<std::uint32_t>() == kEnd) return at;
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
      input_error(name_, "this is not a complete zip archive", "copy or download the file again");
  const auto end = find_end(bytes_);
  if (!end) return fail(broken);
  RecordReader last(bytes_, *end + 10);
  std::uint64_t count = last.take<std::uint16_t>();
  last.skip(4);
  std::uint64_t at = last.take<std::uint32_t>();
  if (*end >= kLocator64Bytes) {
    RecordReader locator(bytes_, *end - kLocator64Bytes);
    if (locator.take<std::uint32_t>() == kLocator64) {
      locator.skip(4);
      RecordReader end64(bytes_, locator.take<std::uint64_t>());
      if (end64.take<std::uint32_t>() != kEnd64) return fail(broken);
      end64.skip(28);
      count = end64.take<std::uint64_t>();
      end64.skip(8);
      at = end64.take<std::uint64_t>();
    }
  }
  RecordReader fields(bytes_, at);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (fields.take<std::uint32_t>() != kCentral) return fail(broken);
    ZipEntry entry;
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
    for (RecordReader part(extra, 0); part.at() + 4 <= extra.size();) {
      const auto kind = part.take<std::uint16_t>();
      const auto length = part.take<std::uint16_t>();
      const std::string_view content = part.text(length);
      if (kind != kPart64) continue;
      RecordReader wide(content, 0);
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
  for (const ZipEntry& entry : entries_) names.push_back(entry.name);
  return names;
}

const ZipArchive::ZipEntry* ZipArchive::find(std::string_view entry) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const ZipEntry& each) { return each.name == entry; });
  return found == entries_.end() ? nullptr : &*found;
}

Result<std::string> ZipArchive::read(std::string_view name) const {
  const ZipEntry* const entry = find(name);
  if (entry == nullptr) {
    return fail(input_error(name_, format("the archive has no entry {}", name),
                            "check that it is the file you mean"));
  }
  const Error broken = input_error(name_, format("the entry {} is damaged", name),
                                   "copy or download the file again");
  if ((entry->flags & kEncrypted) != 0)
    return fail(input_error(name_, "the archive is encrypted", "unpack it first"));
  RecordReader local(bytes_, entry->offset);
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
    return fail(input_error(name_, format("the entry {} uses an unsupported compression", name),
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
  std::string all;  // the checksum precedes the content in the archive
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
    append_raw<std::uint16_t>(record, kVersion64);
    append_raw<std::uint16_t>(record, 0);
    append_raw<std::uint16_t>(record, kStored);
    append_raw<std::uint32_t>(record,
                              0x00210000);  // 1 January 1980: equal content gives equal files
    append_raw<std::uint32_t>(record, checksum);
    append_raw<std::uint32_t>(record, kElsewhere);
    append_raw<std::uint32_t>(record, kElsewhere);
    append_raw<std::uint16_t>(record, static_cast<std::uint16_t>(name.size()));
  };
  std::string local;
  append_raw<std::uint32_t>(local, kLocal);
  common(local);
  append_raw<std::uint16_t>(local, 20);
  local += name;
  append_raw<std::uint16_t>(local, kPart64);
  append_raw<std::uint16_t>(local, 16);
  append_raw<std::uint64_t>(local, size);
  append_raw<std::uint64_t>(local, size);
  LEEWAY_TRY(put(local));
  LEEWAY_TRY(put(content));
  append_raw<std::uint32_t>(directory_, kCentral);
  append_raw<std::uint16_t>(directory_, kVersion64);
  common(directory_);
  append_raw<std::uint16_t>(directory_, 28);
  append_raw<std::uint16_t>(directory_, 0);
  append_raw<std::uint16_t>(directory_, 0);
  append_raw<std::uint16_t>(directory_, 0);
  append_raw<std::uint32_t>(directory_, 0);
  append_raw<std::uint32_t>(directory_, kElsewhere);
  directory_ += name;
  append_raw<std::uint16_t>(directory_, kPart64);
  append_raw<std::uint16_t>(directory_, 24);
  append_raw<std::uint64_t>(directory_, size);
  append_raw<std::uint64_t>(directory_, size);
  append_raw<std::uint64_t>(directory_, offset);
  ++entries_;
  return {};
}

Status ZipWriter::finish() {
  const std::uint64_t begin = written_;
  LEEWAY_TRY(put(directory_));
  const std::uint64_t end64 = written_;
  std::string end;
  append_raw<std::uint32_t>(end, kEnd64);
  append_raw<std::uint64_t>(end, 44);
  append_raw<std::uint16_t>(end, kVersion64);
  append_raw<std::uint16_t>(end, kVersion64);
  append_raw<std::uint32_t>(end, 0);
  append_raw<std::uint32_t>(end, 0);
  append_raw<std::uint64_t>(end, entries_);
  append_raw<std::uint64_t>(end, entries_);
  append_raw<std::uint64_t>(end, directory_.size());
  append_raw<std::uint64_t>(end, begin);
  append_raw<std::uint32_t>(end, kLocator64);
  append_raw<std::uint32_t>(end, 0);
  append_raw<std::uint64_t>(end, end64);
  append_raw<std::uint32_t>(end, 1);
  append_raw<std::uint32_t>(end, kEnd);
  append_raw<std::uint16_t>(end, 0);
  append_raw<std::uint16_t>(end, 0);
  append_raw<std::uint16_t>(end, static_cast<std::uint16_t>(entries_));
  append_raw<std::uint16_t>(end, static_cast<std::uint16_t>(entries_));
  append_raw<std::uint32_t>(end, kElsewhere);
  append_raw<std::uint32_t>(end, kElsewhere);
  append_raw<std::uint16_t>(end, 0);
  return put(end);
}

namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53
constexpr std::size_t kChunk = std::size_t{1} << 20;

Result<std::string> whole_file(const InputFile& file) {
  LEEWAY_ASSIGN(auto source, file.open());
  std::string bytes;
  for (std::size_t have = 0;; bytes.resize(have)) {
    bytes.resize(have + std::max(kChunk, have / 2));
    LEEWAY_ASSIGN(const std::size_t got, source->read(bytes.data() + have, bytes.size() - have));
    have += got;
    if (got > 0) continue;
    bytes.resize(have);
    return bytes;
  }
}

/// Converts a sparse matrix that scipy.sparse.save_npz wrote (csr, csc or coo) to edges.
class SparseMatrix {
 public:
  SparseMatrix(const ZipArchive& archive, std::string name, bool keep)
      : archive_(archive), name_(std::move(name)), keep_(keep) {}

  Result<ListedGraph> read() {
    LEEWAY_ASSIGN(const NpyArray kind, array("format"));
    LEEWAY_TRY(read_shape());
    LEEWAY_ASSIGN(const NpyArray values, array("data"));
    if (values.is_complex() && keep_) return fail(complex_values(values.name()));
    if (!values.is_complex()) LEEWAY_TRY(values.check_numbers(false));
    values_ = &values;
    whole_ = values.is_whole();
    const std::string format_name = kind.text();
    if (format_name == "csr" || format_name == "csc") {
      LEEWAY_TRY(read_compressed(format_name == "csr"));
    } else if (format_name == "coo") {
      LEEWAY_TRY(read_coordinates());
    } else {
      return fail(input_error(
          name_, format("sparse matrices of the format '{}' are not supported", format_name),
          "convert it with SciPy: matrix.tocsr()"));
    }
    LEEWAY_TRY(close_chunk());
    LEEWAY_TRY(check_vertex_count(graph_.shape.vertex_count, unpacked_, name_));
    graph_.edges.weight_kind = !keep_   ? WeightKind::None
                               : whole_ ? WeightKind::Integer
                                        : WeightKind::Real;
    return std::move(graph_);
  }

 private:
  Result<NpyArray> array(std::string_view entry) {
    const std::string file = format("{}.npy", entry);
    if (!archive_.has(file)) {
      return fail(input_error(name_, format("the archive has no array '{}'", entry),
                              "give a file that scipy.sparse.save_npz wrote"));
    }
    LEEWAY_ASSIGN(std::string bytes, archive_.read(file));
    unpacked_ += bytes.size();
    return NpyArray::parse(std::move(bytes), format("{}, array '{}'", name_, entry));
  }

  Result<NpyArray> whole_array(std::string_view entry) {
    LEEWAY_ASSIGN(NpyArray numbers, array(entry));
    LEEWAY_TRY(numbers.check_numbers(true));
    return numbers;
  }

  /// A square matrix becomes a graph; a rectangular one becomes a bipartite graph whose rows come first.
  Status read_shape() {
    LEEWAY_ASSIGN(const NpyArray shape, whole_array("shape"));
    if (shape.size() != 2 || shape.whole(0) < 0 || shape.whole(1) < 0)
      return fail(
          input_error(name_, "its shape is not that of a matrix", "save it again with SciPy"));
    rows_ = static_cast<std::uint64_t>(shape.whole(0));
    columns_ = static_cast<std::uint64_t>(shape.whole(1));
    const bool square = rows_ == columns_;
    const std::uint64_t count = square ? rows_ : rows_ + columns_;
    if (rows_ > kMostVertices || columns_ > kMostVertices || count > kMostVertices) {
      return fail(input_error(name_,
                              format("{} x {} is more than a graph may have ({} vertices)", rows_,
                                     columns_, kMostVertices),
                              "take a part of the matrix"));
    }
    first_column_ = square ? 0 : rows_;
    graph_.shape.vertex_count = static_cast<std::uint32_t>(count);
    graph_.shape.names = VertexNames::sequence(0, static_cast<std::uint32_t>(count));
    graph_.shape.directed = true;
    graph_.shape.left_count = square ? 0 : static_cast<std::uint32_t>(rows_);
    return {};
  }

  Status read_compressed(bool by_rows) {
    LEEWAY_ASSIGN(const NpyArray offsets, whole_array("indptr"));
    LEEWAY_ASSIGN(const NpyArray indices, whole_array("indices"));
    const std::uint64_t lists = by_rows ? rows_ : columns_;
    if (offsets.size() != lists + 1 || offsets.whole(0) != 0)
      return fail(
          input_error(offsets.name(), "does not fit the shape", "save it again with SciPy"));
    LEEWAY_TRY(check_length(indices, values_->size()));
    for (std::uint64_t list = 0; list < lists; ++list) {
      const std::int64_t begin = offsets.whole(list);
      const std::int64_t end = offsets.whole(list + 1);
      if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > indices.size())
        return fail(input_error(offsets.name(), format("item {} is out of order", list + 1),
                                "save it again with SciPy"));
      for (auto at = static_cast<std::uint64_t>(begin); at < static_cast<std::uint64_t>(end);
           ++at) {
        const auto here = static_cast<std::int64_t>(list);
        LEEWAY_TRY(by_rows ? add(here, indices.whole(at), at) : add(indices.whole(at), here, at));
      }
    }
    return {};
  }

  Status read_coordinates() {
    LEEWAY_ASSIGN(const NpyArray rows, whole_array("row"));
    LEEWAY_ASSIGN(const NpyArray columns, whole_array("col"));
    LEEWAY_TRY(check_length(rows, values_->size()));
    LEEWAY_TRY(check_length(columns, values_->size()));
    for (std::uint64_t at = 0; at < values_->size(); ++at)
      LEEWAY_TRY(add(rows.whole(at), columns.whole(at), at));
    return {};
  }

  static Status check_length(const NpyArray& numbers, std::uint64_t needed) {
    if (numbers.size() == needed) return {};
    return fail(input_error(numbers.name(),
                            format("{} items, but 'data' has {}", numbers.size(), needed),
                            "save it again with SciPy"));
  }

  Status add(std::int64_t row, std::int64_t column, std::uint64_t at) {
    if (row < 0 || column < 0 || static_cast<std::uint64_t>(row) >= rows_ ||
        static_cast<std::uint64_t>(column) >= columns_) {
      return fail(
          input_error(name_, format("entry {} is at ({}, {}), outside the matrix", at, row, column),
                      "save it again with SciPy"));
    }
    const VertexId source(static_cast<std::uint32_t>(row));
    const VertexId target(
        static_cast<std::uint32_t>(first_column_ + static_cast<std::uint64_t>(column)));
    if (keep_) {
      const double weight = values_->real(at);
      if (std::isnan(weight))
        return fail(input_error(name_, format("entry {} is not a number", at),
                                "drop it, or give it a value"));
      whole_ = whole_ && std::abs(weight) <= kLargestWhole;
      builder_.add(source, target, weight);
    } else {
      builder_.add(source, target);
    }
    return builder_.size() < kChunk ? Status{} : close_chunk();
  }

  Status close_chunk() {
    LEEWAY_ASSIGN(auto chunk, builder_.finish());
    graph_.edges.chunks.push_back(std::move(chunk));
    return {};
  }

  const ZipArchive& archive_;
  std::string name_;
  bool keep_;
  bool whole_ = false;
  std::uint64_t rows_ = 0, columns_ = 0, first_column_ = 0;
  std::uint64_t unpacked_ = 0;  // bytes of arrays
  const NpyArray* values_ = nullptr;
  EdgeChunkBuilder builder_;
  ListedGraph graph_;
};

}  // namespace

Result<ListedGraph> read_npz(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(const std::string bytes, whole_file(file));
  LEEWAY_ASSIGN(const ZipArchive archive, ZipArchive::open(bytes, file.name));
  return SparseMatrix(archive, file.name, keeps_weights(options)).read();
}

namespace {

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

/// Writes the adjacency matrix in csr format, for scipy.sparse.load_npz.
Status write_npz(const Graph& graph, ByteSink& sink) {
  static_assert(std::endian::native == std::endian::little,
                "arrays are written in memory byte order");
  static_assert(sizeof(VertexId) == sizeof(std::int32_t));
  if (graph.vertex_count() > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) {
    return fail(input_error("--to npz", "SciPy's indices hold no more than 2^31 - 1 vertices",
                            "write the binary format"));
  }
  const std::array<std::int64_t, 2> shape = {graph.vertex_count(), graph.vertex_count()};
  constexpr std::array<std::uint64_t, 1> kNoVertices = {
      0};  // a default-constructed graph has no offsets
  const std::span<const std::uint64_t> offsets =
      graph.offsets().empty() ? std::span<const std::uint64_t>(kNoVertices) : graph.offsets();
  ZipWriter zip(sink);
  const auto add = [&](std::string_view name, std::string_view type,
                       const std::vector<std::uint64_t>& sides, std::string_view bytes) {
    const std::string header = npy_header(type, sides);
    return zip.add(format("{}.npy", name), {header, bytes});
  };
  LEEWAY_TRY(add("indices", "<i4", {graph.arc_count()}, bytes_of(graph.targets())));
  LEEWAY_TRY(add("indptr", "<i8", {offsets.size()}, bytes_of(offsets)));
  LEEWAY_TRY(add("format", "|S3", {}, "csr"));
  LEEWAY_TRY(add("shape", "<i8", {2}, bytes_of(std::span<const std::int64_t>(shape))));
  if (graph.weight_kind() == WeightKind::Integer) {
    std::vector<std::int64_t> whole;
    whole.reserve(graph.arc_count());
    for (const double weight : graph.weights()) whole.push_back(static_cast<std::int64_t>(weight));
    LEEWAY_TRY(
        add("data", "<i8", {graph.arc_count()}, bytes_of(std::span<const std::int64_t>(whole))));
  } else if (graph.weighted()) {
    LEEWAY_TRY(add("data", "<f8", {graph.arc_count()}, bytes_of(graph.weights())));
  } else {
    LEEWAY_TRY(add("data", "|i1", {graph.arc_count()}, std::string(graph.arc_count(), '\1')));
  }
  return zip.finish();
}

}  // namespace leeway
