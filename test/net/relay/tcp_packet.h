// View of an IPv4 packet that carries TCP, for a man in the middle: fields can be read and changed,
// and checksums recomputed, so that the receiving kernel accepts the packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

using Bytes = std::vector<unsigned char>;

/// Refers to bytes of the caller, which must outlive it.
class TcpPacket {
 public:
  static constexpr unsigned kFin = 1, kSyn = 2, kRst = 4, kAck = 16;

  /// Nothing if these bytes hold no whole TCP header.
  static std::optional<TcpPacket> in(Bytes& packet);

  /// Ports of the sender and the receiver.
  [[nodiscard]] std::uint32_t ports() const { return word(tcp_); }
  [[nodiscard]] std::uint32_t sequence() const { return word(tcp_ + 4); }
  [[nodiscard]] std::uint32_t acknowledged() const { return word(tcp_ + 8); }
  [[nodiscard]] unsigned flags() const { return (*packet_)[tcp_ + 13]; }
  [[nodiscard]] std::span<unsigned char> payload() const {
    return std::span(*packet_).subspan(payload_);
  }

  void set_sequence(std::uint32_t number) { set_word(tcp_ + 4, number); }
  void set_acknowledged(std::uint32_t number) { set_word(tcp_ + 8, number); }
  /// 0: the receiver of this packet must send no more data.
  void close_window() { (*packet_)[tcp_ + 14] = (*packet_)[tcp_ + 15] = 0; }
  /// Removes these bytes of the payload.
  void erase(std::size_t first, std::size_t count);
  /// Must be called after all changes.
  void update_checksums();

  /// A reset of the connection, as the sender of this packet would send it.
  [[nodiscard]] Bytes reset_to_receiver() const;
  /// A reset as the receiver would send it.
  [[nodiscard]] Bytes reset_to_sender() const;

 private:
  TcpPacket(Bytes& packet, std::size_t tcp, std::size_t payload)
      : packet_(&packet), tcp_(tcp), payload_(payload) {}
  [[nodiscard]] std::uint32_t word(std::size_t at) const;
  void set_word(std::size_t at, std::uint32_t value);
  void set_half(std::size_t at, std::uint32_t value);

  Bytes* packet_;
  std::size_t tcp_;      // offset of its header
  std::size_t payload_;  // offset of its payload
};
