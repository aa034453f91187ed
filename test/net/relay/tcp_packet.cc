#include "test/net/relay/tcp_packet.h"

#include <algorithm>

namespace {

constexpr std::size_t kAddresses = 12;  // offset of the source address, then the destination
constexpr std::size_t kIpHeader = 20, kTcpHeader = 20;
constexpr std::size_t kIpSum = 10, kTcpSum = 16;
constexpr std::uint32_t kTcp = 6;

std::uint32_t half(const Bytes& packet, std::size_t at) {
  return static_cast<std::uint32_t>(packet[at] << 8U | packet[at + 1]);
}

/// The sum of 16-bit words as in RFC 1071, before folding.
std::uint32_t sum(const Bytes& packet, std::size_t from, std::size_t to) {
  std::uint32_t total = 0;
  for (std::size_t at = from; at + 1 < to; at += 2) total += half(packet, at);
  if ((to - from) % 2 == 1) total += static_cast<std::uint32_t>(packet[to - 1] << 8U);
  return total;
}

std::uint32_t folded(std::uint32_t total) {
  while (total > 0xFFFFU) total = (total >> 16U) + (total & 0xFFFFU);
  return ~total & 0xFFFFU;
}

}  // namespace

std::optional<TcpPacket> TcpPacket::in(Bytes& packet) {
  if (packet.size() < kIpHeader || packet[0] >> 4U != 4 || packet[9] != kTcp) return std::nullopt;
  const std::size_t tcp = (packet[0] & 15U) * std::size_t{4};
  if (tcp < kIpHeader || packet.size() < tcp + kTcpHeader) return std::nullopt;
  const std::size_t payload = tcp + (packet[tcp + 12] >> 4U) * std::size_t{4};
  if (payload < tcp + kTcpHeader || payload > packet.size()) return std::nullopt;
  return TcpPacket(packet, tcp, payload);
}

std::uint32_t TcpPacket::word(std::size_t at) const {
  return half(*packet_, at) << 16U | half(*packet_, at + 2);
}

void TcpPacket::set_half(std::size_t at, std::uint32_t value) {
  (*packet_)[at] = static_cast<unsigned char>(value >> 8U);
  (*packet_)[at + 1] = static_cast<unsigned char>(value);
}

void TcpPacket::set_word(std::size_t at, std::uint32_t value) {
  set_half(at, value >> 16U);
  set_half(at + 2, value);
}

void TcpPacket::erase(std::size_t first, std::size_t count) {
  const auto begin = packet_->begin() + static_cast<std::ptrdiff_t>(payload_ + first);
  packet_->erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  set_half(2, static_cast<std::uint32_t>(packet_->size()));
}

void TcpPacket::update_checksums() {
  set_half(kIpSum, 0);
  set_half(kIpSum, folded(sum(*packet_, 0, tcp_)));
  set_half(tcp_ + kTcpSum, 0);
  const auto length = static_cast<std::uint32_t>(packet_->size() - tcp_);
  const std::uint32_t pseudo = sum(*packet_, kAddresses, kIpHeader) + kTcp + length;
  set_half(tcp_ + kTcpSum, folded(pseudo + sum(*packet_, tcp_, packet_->size())));
}

Bytes TcpPacket::reset_to_receiver() const {
  Bytes made(packet_->begin(), packet_->begin() + static_cast<std::ptrdiff_t>(payload_));
  TcpPacket reset(made, tcp_, payload_);
  reset.set_half(2, static_cast<std::uint32_t>(made.size()));
  made[tcp_ + 13] = kRst | kAck;
  reset.update_checksums();
  return made;
}

Bytes TcpPacket::reset_to_sender() const {
  Bytes made = reset_to_receiver();
  TcpPacket reset(made, tcp_, payload_);
  std::swap_ranges(made.begin() + kAddresses, made.begin() + kAddresses + 4,
                   made.begin() + kAddresses + 4);
  const auto ports = made.begin() + static_cast<std::ptrdiff_t>(tcp_);
  std::swap_ranges(ports, ports + 2, ports + 2);
  reset.set_sequence(acknowledged());
  reset.set_acknowledged(sequence());
  reset.update_checksums();
  return made;
}
