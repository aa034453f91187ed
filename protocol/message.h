// The encoding of the protocol's messages: packed sequences of numbers, sets of link indices, and
// the messages themselves. docs/protocol.md lists every field.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "protocol/ids.h"

namespace leeway {

// Packed sequences: 64-bit numbers that are close together (versions) are encoded as their minimum,
// a bit width, and the differences in that width. If all are equal, a number costs no bits.
void encode_packed(std::span<const std::uint64_t> values, ByteWriter& out);

/// Replaces `values` by `count` decoded numbers; fails the reader if the bytes contain fewer.
void decode_packed(ByteReader& in, std::size_t count, std::vector<std::uint64_t>& values);

// Sets of link indices, encoded in the smallest of three forms: runs, a bitmap, or varint gaps. The
// set of all links is one run; a random 1 % costs about one byte per link.

/// Sorts in ascending order and keeps duplicates. All indices are below `universe`.
void sort_links(std::vector<LinkIndex>& links, std::size_t universe);

/// Requires `links` strictly ascending (checked).
void encode_links(std::span<const LinkIndex> links, ByteWriter& out);

/// Appends the set to `links` in ascending order. Fails the reader and leaves `links` unchanged
/// unless every index is below `universe` and there are at most `universe` of them.
void decode_links(ByteReader& in, std::size_t universe, std::vector<LinkIndex>& links);

// Messages. A message is a kind, a space and a body; a frame is a sequence of messages. Sets of
// objects are encoded as link indices of the pair, so only Link messages carry object indices.

/// Whether the message reports a write. While no such message is in flight, all caches know the
/// newest versions.
[[nodiscard]] constexpr bool carries_news(MessageKind kind) {
  return kind == MessageKind::Invalidate || kind == MessageKind::Write;
}

/// The values of one message; a view into the message's bytes.
class ValueList {
 public:
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] ValueView operator[](std::size_t i) const { return row(i, 1); }
  /// The bytes of `count` consecutive values.
  [[nodiscard]] ValueView row(std::size_t first, std::size_t count) const {
    return {base_ + first * value_bytes_, count * value_bytes_};
  }

 private:
  friend void decode_values(ByteReader& in, std::size_t count, std::uint32_t value_bytes,
                            ValueList& values);

  std::size_t count_ = 0;
  const std::byte* base_ = nullptr;
  std::uint32_t value_bytes_ = 0;
};

struct LinkMessage {
  LinkIndex base{0};
  std::vector<LocalIndex> objects;
  /// The first object index that does not exist at the receiver; decoding then fails.
  std::optional<LocalIndex> beyond;
};
struct ReadMessage {
  RequestNumber number{0};
  EvictNumber evicted{0};  ///< the pair's newest Evict before this Read
  std::vector<LinkIndex> links;
};
struct ReplyMessage {
  RequestNumber number{0};
  std::vector<std::uint64_t> versions;
  ValueList values;
};
struct InvalidateMessage {
  AckNumber ack{0};  ///< 0: no acknowledgement required
  bool pushes = false;
  std::vector<LinkIndex> links;
  std::vector<std::uint64_t> versions;
  ValueList values;  ///< one per link if `pushes`
};
struct EvictMessage {
  EvictNumber number{0};
  std::vector<LinkIndex> links;
};
struct WriteMessage {
  AckNumber ack{0};  ///< 0: no WriteAck required
  LinkIndex link{0};
  Version version{0};
  ValueView value;
};

/// `phase`: see Outbox; 0 for messages without news.
void encode_header(MessageKind kind, SpaceId space, ByteWriter& out, std::uint8_t phase = 0);
struct MessageHeader {
  MessageKind kind = MessageKind::Link;
  SpaceId space{0};
  std::uint8_t phase = 0;
};
/// Fails the reader on an unknown kind, and on a phase of a message without news.
MessageHeader decode_header(ByteReader& in);

void encode(const LinkMessage& message, ByteWriter& out);
void encode(const ReadMessage& message, ByteWriter& out);
void encode(const EvictMessage& message, ByteWriter& out);
/// Encodes everything before the values; the caller appends the raw values.
void encode_reply_head(RequestNumber number, std::span<const std::uint64_t> versions,
                       ByteWriter& out);
void encode_invalidate_head(AckNumber ack, bool pushes, std::span<const LinkIndex> links,
                            std::span<const std::uint64_t> versions, ByteWriter& out);
void encode_write_head(const WriteMessage& message, ByteWriter& out);

// Decoders take bounds on the size of a body (`universe`: number of links agreed so far), so that
// hostile bytes cannot cause large allocations, and fail the reader on invalid input. Value views
// point into the reader's bytes.
void decode(ByteReader& in, LinkMessage& message, std::size_t max_objects);
void decode(ByteReader& in, ReadMessage& message, std::size_t universe);
void decode(ByteReader& in, ReplyMessage& message, std::uint32_t value_bytes);
void decode(ByteReader& in, InvalidateMessage& message, std::size_t universe,
            std::uint32_t value_bytes);
void decode(ByteReader& in, EvictMessage& message, std::size_t universe);
void decode(ByteReader& in, WriteMessage& message, std::size_t universe, std::uint32_t value_bytes);

}  // namespace leeway
