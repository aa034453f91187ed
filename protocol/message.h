// A sequence of 64-bit numbers that lie close together (versions): the least of them, a width, and the
// differences in that many bits. Equal numbers cost nothing each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "protocol/ids.h"

namespace leeway {

void encode_packed(std::span<const std::uint64_t> values, ByteWriter& out);

/// Replaces `values` by `count` decoded numbers; the reader fails on bytes that hold fewer.
void decode_packed(ByteReader& in, std::size_t count, std::vector<std::uint64_t>& values);

// A set of link indices on the wire, written in whichever of three forms is smallest: runs, a bitmap,
// or varint gaps. A sweep that touches everything is one run; a scattered one per cent costs about a
// byte an object.

/// Sorts ascending; equal neighbours stay. `universe` is one more than the largest possible index.
void sort_links(std::vector<LinkIndex>& links, std::size_t universe);

/// Requires `links` strictly ascending (checked).
void encode_links(std::span<const LinkIndex> links, ByteWriter& out);

/// Appends the set to `links`, ascending. Every index is below `universe` and there are at most
/// `universe` of them, or the reader fails and `links` is left as it was.
void decode_links(ByteReader& in, std::size_t universe, std::vector<LinkIndex>& links);

// The messages of the protocol and their bytes. A message is a kind, a space and a body; a frame is a
// row of messages. Sets of objects are link indices of the pair, so the wire carries no object ids but
// in Link itself. docs/protocol.md lists every field.

/// Whether somebody may learn from it that a value is not the newest. While none of these is in flight,
/// whatever the caches say is true.
[[nodiscard]] constexpr bool carries_news(MessageKind kind) {
  return kind == MessageKind::Invalidate || kind == MessageKind::Write;
}

/// The values of one message, inside its bytes.
class ValueList {
 public:
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] ValueView operator[](std::size_t i) const { return row(i, 1); }
  /// Several in a row.
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
  /// The first object that the receiver has not got, which ends the decoding with a failure.
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
  AckNumber ack{0};  ///< 0: no answer wanted
  bool pushes = false;
  std::vector<LinkIndex> links;
  std::vector<std::uint64_t> versions;
  ValueList values;  ///< one a link when it pushes
};
struct EvictMessage {
  EvictNumber number{0};
  std::vector<LinkIndex> links;
};
struct WriteMessage {
  AckNumber ack{0};  ///< 0: no WriteAck wanted
  LinkIndex link{0};
  Version version{0};
  ValueView value;
};

void encode_header(MessageKind kind, SpaceId space, ByteWriter& out);
struct MessageHeader {
  MessageKind kind = MessageKind::Link;
  SpaceId space{0};
};
/// Fails the reader on an unknown kind.
MessageHeader decode_header(ByteReader& in);

void encode(const LinkMessage& message, ByteWriter& out);
void encode(const ReadMessage& message, ByteWriter& out);
void encode(const EvictMessage& message, ByteWriter& out);
/// Everything before the values, which follow as they are.
void encode_reply_head(RequestNumber number, std::span<const std::uint64_t> versions,
                       ByteWriter& out);
void encode_invalidate_head(AckNumber ack, bool pushes, std::span<const LinkIndex> links,
                            std::span<const std::uint64_t> versions, ByteWriter& out);
void encode_write_head(const WriteMessage& message, ByteWriter& out);

// Decoders take what bounds a hostile body (`universe`: links agreed so far) and fail the reader on
// anything impossible. Value views point into the reader's bytes.
void decode(ByteReader& in, LinkMessage& message, std::size_t max_objects);
void decode(ByteReader& in, ReadMessage& message, std::size_t universe);
void decode(ByteReader& in, ReplyMessage& message, std::uint32_t value_bytes);
void decode(ByteReader& in, InvalidateMessage& message, std::size_t universe,
            std::uint32_t value_bytes);
void decode(ByteReader& in, EvictMessage& message, std::size_t universe);
void decode(ByteReader& in, WriteMessage& message, std::size_t universe, std::uint32_t value_bytes);

}  // namespace leeway
