#include "leeway/protocol/message.h"

#include "leeway/base/check.h"
#include "leeway/protocol/link_set.h"
#include "leeway/protocol/packed.h"

namespace leeway {

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

void encode_header(MessageKind kind, SpaceId space, ByteWriter& out) {
  out.byte(static_cast<std::uint8_t>(kind));
  out.varint(space.value());
}

MessageHeader decode_header(ByteReader& in) {
  const std::uint8_t kind = in.byte();
  const auto space = static_cast<std::uint16_t>(in.varint_up_to(SpaceId::none().value()));
  if (kind == 0 || kind > kLastMessageKind) in.fail();
  return {static_cast<MessageKind>(kind), SpaceId(space)};
}

void encode(const LinkMessage& message, ByteWriter& out) {
  out.varint(message.base.value());
  out.varint(message.objects.size());
  std::int64_t next = 0;  // objects are mostly met in order, so the gap is mostly zero
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
