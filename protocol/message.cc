#include "protocol/message.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace leeway {

namespace {

std::uint64_t low_bits(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

}  // namespace

void encode_packed(std::span<const std::uint64_t> values, ByteWriter& out) {
  if (values.empty()) return;
  std::uint64_t differing = 0;  // usually 0, which avoids the search for minimum and maximum
  for (const std::uint64_t value : values) differing |= value ^ values[0];
  if (differing == 0) {
    out.varint(values[0]);
    return out.byte(0);
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::uint64_t base = *least;
  const auto width = static_cast<unsigned>(std::bit_width(*most - base));
  out.varint(base);
  out.byte(static_cast<std::uint8_t>(width));
  std::uint64_t word = 0;
  unsigned filled = 0;
  const auto drain = [&] {
    while (filled >= 8) {
      out.byte(static_cast<std::uint8_t>(word));
      word >>= 8;
      filled -= 8;
    }
  };
  for (const std::uint64_t value : values) {
    std::uint64_t rest = value - base;
    for (unsigned left = width; left > 0;) {
      const unsigned take = std::min(left, 56 - filled);
      word |= (rest & low_bits(take)) << filled;
      rest = take >= 64 ? 0 : rest >> take;
      filled += take;
      left -= take;
      drain();
    }
  }
  if (filled > 0) out.byte(static_cast<std::uint8_t>(word));
}

void decode_packed(ByteReader& in, std::size_t count, std::vector<std::uint64_t>& values) {
  values.clear();
  if (count == 0) return;
  const std::uint64_t base = in.varint();
  const unsigned width = in.byte();
  if (width > 64) in.fail();
  if (in.failed()) return;
  if (width == 0) {
    values.assign(count, base);
    return;
  }
  if (count > in.left() * 8 / width) return in.fail();
  values.reserve(count);
  std::uint64_t word = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (unsigned got = 0; got < width;) {
      if (held == 0) {
        word = in.byte();
        held = 8;
      }
      const unsigned take = std::min(width - got, held);
      value |= (word & low_bits(take)) << got;
      word >>= take;
      held -= take;
      got += take;
    }
    values.push_back(base + value);
  }
}

namespace {

enum class Form : std::uint8_t { Runs = 0, Bitmap = 1, Gaps = 2 };

struct Sizes {
  std::size_t runs = 0;  // bytes in each form, without the common head
  std::size_t bitmap = 0;
  std::size_t gaps = 0;
  std::size_t run_count = 0;
};

bool strictly_ascending(std::span<const LinkIndex> links) {
  bool ascending = true;  // no early exit, so that the loop is vectorized
  for (std::size_t i = 1; i < links.size(); ++i) ascending &= links[i - 1] < links[i];
  return ascending;
}

/// One past the last link of the run that begins at `begin`. Ascending links form one run exactly
/// if their last and first differ by their count minus one, so a long run needs few comparisons.
std::size_t run_end(std::span<const LinkIndex> links, std::size_t begin) {
  const auto is_run_to = [&](std::size_t last) {
    return links[last].value() - links[begin].value() == last - begin;
  };
  if (is_run_to(links.size() - 1)) return links.size();
  std::size_t inside = begin;
  std::size_t step = 1;
  while (inside + step < links.size() && is_run_to(inside + step)) {
    inside += step;
    step *= 2;
  }
  for (; step > 0; step /= 2) {
    if (inside + step < links.size() && is_run_to(inside + step)) inside += step;
  }
  return inside + 1;
}

Sizes measure(std::span<const LinkIndex> links) {
  Sizes sizes;
  std::uint64_t previous_end = 0;  // one past the last run
  for (std::size_t i = 0; i < links.size();) {
    const std::size_t j = run_end(links, i);
    const std::uint64_t begin = links[i].value();
    const std::uint64_t end = begin + (j - i);
    sizes.runs +=
        ByteWriter::varint_size(begin - previous_end) + ByteWriter::varint_size(end - begin);
    sizes.gaps += ByteWriter::varint_size(begin - previous_end) + (j - i - 1);
    ++sizes.run_count;
    previous_end = end;
    i = j;
  }
  const std::uint64_t first = links.front().value();
  const std::uint64_t width = links.back().value() - first + 1;
  sizes.bitmap = ByteWriter::varint_size(first) + static_cast<std::size_t>((width + 7) / 8);
  sizes.runs += ByteWriter::varint_size(sizes.run_count);
  return sizes;
}

void encode_runs(std::span<const LinkIndex> links, std::size_t run_count, ByteWriter& out) {
  out.varint(run_count);
  std::uint64_t previous_end = 0;
  for (std::size_t i = 0; i < links.size();) {
    const std::size_t j = run_end(links, i);
    out.varint(links[i].value() - previous_end);
    out.varint(j - i);
    previous_end = std::uint64_t{links[j - 1].value()} + 1;
    i = j;
  }
}

void encode_bitmap(std::span<const LinkIndex> links, ByteWriter& out) {
  const std::uint32_t first = links.front().value();
  out.varint(first);
  const std::size_t width = links.back().value() - first + std::size_t{1};
  std::byte* bits = out.extend((width + 7) / 8);
  for (const LinkIndex link : links) {
    const std::uint32_t at = link.value() - first;
    bits[at / 8] |= std::byte{1} << (at % 8);
  }
}

void encode_gaps(std::span<const LinkIndex> links, ByteWriter& out) {
  std::uint64_t next = 0;
  for (const LinkIndex link : links) {
    out.varint(link.value() - next);
    next = std::uint64_t{link.value()} + 1;
  }
}

LinkIndex link_at(std::uint64_t value) { return LinkIndex(static_cast<std::uint32_t>(value)); }

void decode_runs(ByteReader& in, std::size_t count, std::size_t universe,
                 std::vector<LinkIndex>& links) {
  std::uint64_t runs = in.varint_up_to(count);
  std::uint64_t next = 0;
  std::size_t remaining = count;
  while (runs-- > 0 && !in.failed()) {
    const std::uint64_t begin = next + in.varint_up_to(universe);
    const std::uint64_t length = in.varint_up_to(remaining);
    if (length == 0 || begin + length > universe) return in.fail();
    const std::size_t before = links.size();
    links.resize(before + static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < length; ++i) links[before + i] = link_at(begin + i);
    remaining -= static_cast<std::size_t>(length);
    next = begin + length;
  }
  if (remaining != 0) in.fail();
}

void decode_bitmap(ByteReader& in, std::size_t count, std::size_t universe,
                   std::vector<LinkIndex>& links) {
  const std::uint64_t first = in.varint_up_to(universe);
  std::size_t remaining = count;
  for (std::uint64_t at = 0; remaining > 0 && !in.failed(); at += 8) {
    for (unsigned bits = in.byte(); bits != 0; bits &= bits - 1) {
      const std::uint64_t link = first + at + static_cast<unsigned>(std::countr_zero(bits));
      if (remaining-- == 0 || link >= universe) return in.fail();
      links.push_back(link_at(link));
    }
  }
}

void decode_gaps(ByteReader& in, std::size_t count, std::size_t universe,
                 std::vector<LinkIndex>& links) {
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    const std::uint64_t link = next + in.varint_up_to(universe);
    if (link >= universe) return in.fail();
    links.push_back(link_at(link));
    next = link + 1;
  }
}

}  // namespace

void sort_links(std::vector<LinkIndex>& links, std::size_t universe) {
  if (strictly_ascending(links) || std::is_sorted(links.begin(), links.end())) return;
  if (links.size() <= universe / 64) return std::sort(links.begin(), links.end());
  std::vector<std::uint64_t> bits((universe + 63) / 64, 0);
  for (const LinkIndex link : links) {
    std::uint64_t& word = bits[link.index() / 64];
    const std::uint64_t bit = std::uint64_t{1} << (link.value() % 64);
    if ((word & bit) != 0)
      return std::sort(links.begin(), links.end());  // a bitmap cannot represent duplicates
    word |= bit;
  }
  std::size_t at = 0;
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      links[at++] = link_at(word * 64 + static_cast<unsigned>(std::countr_zero(rest)));
    }
  }
  LEEWAY_CHECK(at == links.size());
}

void encode_links(std::span<const LinkIndex> links, ByteWriter& out) {
  out.varint(links.size());
  if (links.empty()) return;
  LEEWAY_CHECK(strictly_ascending(links));
  const Sizes sizes = measure(links);
  const std::size_t least = std::min({sizes.runs, sizes.bitmap, sizes.gaps});
  if (sizes.runs == least) {
    out.byte(static_cast<std::uint8_t>(Form::Runs));
    encode_runs(links, sizes.run_count, out);
  } else if (sizes.bitmap == least) {
    out.byte(static_cast<std::uint8_t>(Form::Bitmap));
    encode_bitmap(links, out);
  } else {
    out.byte(static_cast<std::uint8_t>(Form::Gaps));
    encode_gaps(links, out);
  }
}

void decode_links(ByteReader& in, std::size_t universe, std::vector<LinkIndex>& links) {
  const std::size_t before = links.size();
  const auto count = static_cast<std::size_t>(in.varint_up_to(universe));
  if (count == 0) return;
  const std::uint8_t form = in.byte();
  if (form == static_cast<std::uint8_t>(Form::Runs)) {
    decode_runs(in, count, universe, links);
  } else if (form == static_cast<std::uint8_t>(Form::Bitmap)) {
    decode_bitmap(in, count, universe, links);
  } else if (form == static_cast<std::uint8_t>(Form::Gaps)) {
    decode_gaps(in, count, universe, links);
  } else {
    in.fail();
  }
  if (in.failed()) links.resize(before);
}

namespace {

constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0};

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace

void decode_values(ByteReader& in, std::size_t count, std::uint32_t value_bytes,
                   ValueList& values) {
  values.count_ = 0;
  values.value_bytes_ = value_bytes;
  if (count > in.left() / value_bytes) return in.fail();
  values.base_ = in.raw(count * value_bytes).data();
  values.count_ = count;
}

namespace {

/// The highest bit of a message's first byte is the phase, the others are the kind.
constexpr unsigned kPhaseShift = 7;
constexpr unsigned kKindBits = 0x7F;

}  // namespace

void encode_header(MessageKind kind, SpaceId space, ByteWriter& out, std::uint8_t phase) {
  out.byte(static_cast<std::uint8_t>(static_cast<unsigned>(kind) | static_cast<unsigned>(phase)
                                                                       << kPhaseShift));
  out.varint(space.value());
}

MessageHeader decode_header(ByteReader& in) {
  const std::uint8_t first = in.byte();
  const unsigned kind = first & kKindBits;
  const auto phase = static_cast<std::uint8_t>(first >> kPhaseShift);
  const auto space = static_cast<std::uint16_t>(in.varint_up_to(SpaceId::none().value()));
  if (kind == 0 || kind > kLastMessageKind) in.fail();
  const MessageHeader header{static_cast<MessageKind>(kind), SpaceId(space), phase};
  if (phase != 0 && !carries_news(header.kind)) in.fail();
  return header;
}

void encode(const LinkMessage& message, ByteWriter& out) {
  out.varint(message.base.value());
  out.varint(message.objects.size());
  std::int64_t next = 0;  // objects are mostly registered in order, so most gaps are 0
  for (const LocalIndex object : message.objects) {
    out.varint(zigzag(std::int64_t{object.value()} - next));
    next = std::int64_t{object.value()} + 1;
  }
}

void decode(ByteReader& in, LinkMessage& message, std::size_t max_objects) {
  message.objects.clear();
  message.beyond.reset();
  message.base = LinkIndex(static_cast<std::uint32_t>(in.varint_up_to(max_objects)));
  const std::uint64_t count = in.varint_up_to(in.left());
  std::int64_t next = 0;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    constexpr std::int64_t kMostGap = std::int64_t{1} << 32U;
    const std::int64_t gap = unzigzag(in.varint());
    if (gap < -kMostGap || gap > kMostGap) return in.fail();
    const std::int64_t object = next + gap;
    if (object < 0 || object >= kMostGap) return in.fail();
    if (object >= static_cast<std::int64_t>(max_objects)) {
      message.beyond = LocalIndex(static_cast<std::uint32_t>(object));
      return in.fail();
    }
    message.objects.emplace_back(static_cast<std::uint32_t>(object));
    next = object + 1;
  }
}

void encode(const ReadMessage& message, ByteWriter& out) {
  out.varint(message.number.value());
  out.varint(message.evicted.value());
  encode_links(message.links, out);
}

void decode(ByteReader& in, ReadMessage& message, std::size_t universe) {
  message.links.clear();
  message.number = RequestNumber(in.varint());
  message.evicted = EvictNumber(in.varint());
  decode_links(in, universe, message.links);
}

void encode_reply_head(RequestNumber number, std::span<const std::uint64_t> versions,
                       ByteWriter& out) {
  out.varint(number.value());
  out.varint(versions.size());
  encode_packed(versions, out);
}

void decode(ByteReader& in, ReplyMessage& message, std::uint32_t value_bytes) {
  message.number = RequestNumber(in.varint());
  const auto count = static_cast<std::size_t>(in.varint_up_to(in.left() / value_bytes));
  decode_packed(in, count, message.versions);
  decode_values(in, count, value_bytes, message.values);
}

void encode_invalidate_head(AckNumber ack, bool pushes, std::span<const LinkIndex> links,
                            std::span<const std::uint64_t> versions, ByteWriter& out) {
  LEEWAY_CHECK(links.size() == versions.size());
  out.varint(ack.value());
  out.byte(pushes ? 1 : 0);
  encode_links(links, out);
  encode_packed(versions, out);
}

void decode(ByteReader& in, InvalidateMessage& message, std::size_t universe,
            std::uint32_t value_bytes) {
  message.links.clear();
  message.ack = AckNumber(in.varint_up_to(kAnyNumber));
  const std::uint8_t pushes = in.byte();
  if (pushes > 1) in.fail();
  message.pushes = pushes == 1;
  decode_links(in, universe, message.links);
  decode_packed(in, message.links.size(), message.versions);
  if (message.pushes) decode_values(in, message.links.size(), value_bytes, message.values);
}

void encode(const EvictMessage& message, ByteWriter& out) {
  out.varint(message.number.value());
  encode_links(message.links, out);
}

void decode(ByteReader& in, EvictMessage& message, std::size_t universe) {
  message.links.clear();
  message.number = EvictNumber(in.varint());
  decode_links(in, universe, message.links);
}

void encode_write_head(const WriteMessage& message, ByteWriter& out) {
  out.varint(message.ack.value());
  out.varint(message.link.value());
  out.varint(message.version.value());
}

void decode(ByteReader& in, WriteMessage& message, std::size_t universe,
            std::uint32_t value_bytes) {
  message.ack = AckNumber(in.varint());
  if (universe == 0) return in.fail();
  message.link = LinkIndex(static_cast<std::uint32_t>(in.varint_up_to(universe - 1)));
  message.version = Version(in.varint());
  message.value = in.raw(value_bytes);
}

}  // namespace leeway
