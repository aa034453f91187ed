// An IPv4 packet that carries TCP, as a man in the middle sees it: its fields may be read and changed, and its
// checksum mended, so that the kernel it goes to takes it for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

using Bytes = std::vector<unsigned char>;

/// A view of bytes that others own and that must outlive it.
class TcpPacket {
 public:
  static constexpr unsigned kFin = 1, kSyn = 2, kRst = 4, kAck = 16;

  /// Nothing if these bytes hold no whole TCP header.
  static std::optional<TcpPacket> in(Bytes& packet);

  [[nodiscard]] std::uint32_t ports() const {
    return word(tcp_);
  }  ///< the sender's and the receiver's
  [[nodiscard]] std::uint32_t sequence() const { return word(tcp_ + 4); }
  [[nodiscard]] std::uint32_t acknowledged() const { return word(tcp_ + 8); }
  [[nodiscard]] unsigned flags() const { return (*packet_)[tcp_ + 13]; }
  [[nodiscard]] std::span<unsigned char> payload() const {
    return std::span(*packet_).subspan(payload_);
  }

  void set_sequence(std::uint32_t number) { set_word(tcp_ + 4, number); }
  void set_acknowledged(std::uint32_t number) { set_word(tcp_ + 8, number); }
  /// 0: the receiver of this packet may send no more.
  void close_window() { (*packet_)[tcp_ + 14] = (*packet_)[tcp_ + 15] = 0; }
  /// Takes these bytes of the payload away.
  void erase(std::size_t first, std::size_t count);
  /// To be called after all changes.
  void mend_checksums();

  /// What the sender of this packet would send to its receiver to break their connection off.
  [[nodiscard]] Bytes reset_to_receiver() const;
  /// What the receiver would send.
  [[nodiscard]] Bytes reset_to_sender() const;

 private:
  TcpPacket(Bytes& packet, std::size_t tcp, std::size_t payload)
      : packet_(&packet), tcp_(tcp), payload_(payload) {}
  [[nodiscard]] std::uint32_t word(std::size_t at) const;
  void set_word(std::size_t at, std::uint32_t value);
  void set_half(std::size_t at, std::uint32_t value);

  Bytes* packet_;
  std::size_t tcp_;      // where its header begins
  std::size_t payload_;  // and where what it carries does
};
