#include "leeway/datasets/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"

namespace leeway {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;

/// What stands behind "'key':" in the header, from its first letter on.
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
  const std::size_t whole = kMagic.size() + 4 + text.size() + 1;
  text.append((kAlignment - whole % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

Result<NpyArray> NpyArray::parse(std::string bytes, std::string name) {
  const auto broken = [&](std::string_view why) {
    return fail(input_error(name, format("this is no array as NumPy writes it: {}", why),
                            "save it again with NumPy"));
  };
  if (!std::string_view(bytes).starts_with(kMagic) || bytes.size() < 12)
    return broken("it begins otherwise");
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
  if (type[0] == '>') return broken("its numbers have the greatest byte first");
  array.item_ = array.kind_ == 'U' ? 4 * item_size : item_size;
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
  if ((bytes.size() - array.begin_) / array.item_ < array.count_) return broken("it ends early");
  array.bytes_ = std::move(bytes);
  array.name_ = std::move(name);
  return array;
}

Status NpyArray::check_numbers(bool whole) const {
  const std::string_view kinds = whole ? "iub" : "iubf";
  const bool sized = item_ == 1 || item_ == 2 || item_ == 4 || item_ == 8;
  if (kinds.find(kind_) != kinds.npos && sized && (kind_ != 'f' || item_ >= 4)) return {};
  return fail(input_error(name_,
                          format("holds items of type {}{} where {} numbers belong", kind_, item_,
                                 whole ? "whole" : "real"),
                          "convert it with NumPy: astype"));
}

std::int64_t NpyArray::whole(std::uint64_t place) const {
  const std::size_t at = begin_ + static_cast<std::size_t>(place) * item_;
  if (kind_ == 'f') return static_cast<std::int64_t>(real(place));
  const bool has_sign = kind_ == 'i';
  switch (item_) {
    case 1:
      return has_sign ? item<std::int8_t>(bytes_, at) : item<std::uint8_t>(bytes_, at);
    case 2:
      return has_sign ? item<std::int16_t>(bytes_, at) : item<std::uint16_t>(bytes_, at);
    case 4:
      return has_sign ? item<std::int32_t>(bytes_, at) : item<std::uint32_t>(bytes_, at);
    case 8:
      return item<std::int64_t>(bytes_, at);
    default:
      LEEWAY_UNREACHABLE("bytes of a number", item_);
  }
}

double NpyArray::real(std::uint64_t place) const {
  const std::size_t at = begin_ + static_cast<std::size_t>(place) * item_;
  if (kind_ == 'f') return item_ == 4 ? double{item<float>(bytes_, at)} : item<double>(bytes_, at);
  if (kind_ == 'u' && item_ == 8) return static_cast<double>(item<std::uint64_t>(bytes_, at));
  return static_cast<double>(whole(place));
}

std::string NpyArray::text() const {
  if (count_ != 1 || (kind_ != 'U' && kind_ != 'S')) return {};
  std::string letters = bytes_.substr(begin_, item_);
  letters.erase(std::remove(letters.begin(), letters.end(), '\0'), letters.end());
  return letters;
}

}  // namespace leeway
