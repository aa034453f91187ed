#include "test/net/relay/man_in_the_middle.h"

#include <algorithm>

namespace {

constexpr std::uint32_t kMissing = 8;  // bytes removed from a truncated stream
constexpr std::size_t kRemembered = 512;

/// Whether `a` is at or after `b` in sequence-number order, modulo wrap-around.
bool reaches(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) >= 0; }

std::uint32_t ports_back(std::uint32_t ports) { return ports << 16U | ports >> 16U; }

}  // namespace

ManInTheMiddle::ManInTheMiddle(std::size_t hosts, std::uint64_t seed)
    : hosts_(hosts), random_(seed, 1), tricks_(hosts * hosts) {}

bool ManInTheMiddle::obey(const std::string& word, std::size_t from, std::size_t to,
                          double number) {
  Tricks& here = tricks(from, to);
  if (word == "flip") {
    here.flip_percent = number;
  } else if (word == "replay") {
    here.replay_percent = number;
  } else if (word == "truncate") {
    here.truncate_percent = number;
  } else if (word == "reset") {
    here.resets = number;
  } else if (word == "half") {
    here.half_resets = number;
  } else if (word == "swallow") {
    here.swallow = number > 0;
  } else if (word == "stall") {
    here.stall = number > 0;
  } else {
    return false;
  }
  return true;
}

bool ManInTheMiddle::pass(std::size_t from, std::size_t to, Bytes& packet,
                          std::vector<Extra>& extra,
                          const std::function<void(const char*)>& harmed) {
  auto tcp = TcpPacket::in(packet);
  if (!tcp) return true;
  const Tricks& here = tricks(from, to);
  if (here.swallow && (tcp->flags() & (TcpPacket::kFin | TcpPacket::kRst)) != 0) {
    harmed("swallow");
    return false;
  }
  if (break_off(from, to, *tcp, extra, harmed)) return false;
  Stream& stream = streams_[{from, to, tcp->ports()}];
  if ((tcp->flags() & TcpPacket::kSyn) != 0) stream = Stream{};
  bool changed = change_payload(here, stream, *tcp, harmed);
  changed = truncate(here, stream, *tcp, harmed) || changed;
  const auto back = streams_.find({to, from, ports_back(tcp->ports())});
  if (back != streams_.end() && back->second.cut &&
      reaches(tcp->acknowledged(), back->second.cut_at)) {
    tcp->set_acknowledged(tcp->acknowledged() + kMissing);
    changed = true;
  }
  if (tricks(to, from).stall && (tcp->flags() & TcpPacket::kSyn) == 0) {
    harmed("stall");
    tcp->close_window();
    changed = true;
  }
  if (changed) tcp->update_checksums();
  return true;
}

/// True if this packet's connection is reset now.
bool ManInTheMiddle::break_off(std::size_t from, std::size_t to, const TcpPacket& tcp,
                               std::vector<Extra>& extra,
                               const std::function<void(const char*)>& harmed) {
  Tricks& here = tricks(from, to);
  const bool half = here.half_resets > 0;
  if (!half && here.resets <= 0) return false;
  // A connection that is being opened or closed is not reset.
  if ((tcp.flags() & (TcpPacket::kSyn | TcpPacket::kFin | TcpPacket::kRst)) != 0) return false;
  Stream& stream = streams_[{from, to, tcp.ports()}];
  if (stream.reset) return false;
  stream.reset = true;
  harmed(half ? "half" : "reset");
  (half ? here.half_resets : here.resets) -= 1;
  extra.push_back({from, to, tcp.reset_to_receiver()});
  if (half) {
    tricks(to, from).swallow = true;
  } else {
    extra.push_back({to, from, tcp.reset_to_sender()});
  }
  return true;
}

bool ManInTheMiddle::change_payload(const Tricks& tricks, Stream& stream, const TcpPacket& tcp,
                                    const std::function<void(const char*)>& harmed) {
  const std::span<unsigned char> payload = tcp.payload();
  if (payload.empty()) return false;
  bool changed = false;
  if (tricks.flip_percent > 0 && random_.chance(tricks.flip_percent / 100)) {
    harmed("flip");
    payload[random_.below(payload.size())] ^= static_cast<unsigned char>(1U << random_.below(8));
    changed = true;
  }
  if (tricks.replay_percent <= 0) return changed;
  const auto earlier = stream.carried.find(payload.size());
  if (earlier != stream.carried.end() && random_.chance(tricks.replay_percent / 100)) {
    harmed("replay");
    std::copy(earlier->second.begin(), earlier->second.end(), payload.begin());
    return true;
  }
  if (stream.carried.size() < kRemembered)
    stream.carried[payload.size()].assign(payload.begin(), payload.end());
  return changed;
}

/// Removes bytes from the stream, and from then on translates sequence numbers for both ends.
bool ManInTheMiddle::truncate(const Tricks& tricks, Stream& stream, TcpPacket& tcp,
                              const std::function<void(const char*)>& harmed) {
  const auto length = static_cast<std::uint32_t>(tcp.payload().size());
  const std::uint32_t begin = tcp.sequence();
  if (!stream.cut && tricks.truncate_percent > 0 && length > kMissing &&
      random_.chance(tricks.truncate_percent / 100)) {
    harmed("truncate");
    stream.cut = true;
    stream.cut_at = begin + length - kMissing;
  }
  if (!stream.cut || !reaches(begin + length, stream.cut_at + 1)) return false;
  if (reaches(begin, stream.cut_at + kMissing)) {
    tcp.set_sequence(begin - kMissing);
    return true;
  }
  const std::uint32_t first = reaches(begin, stream.cut_at) ? 0 : stream.cut_at - begin;
  const std::uint32_t past = reaches(begin, stream.cut_at) ? begin - stream.cut_at : 0;
  tcp.erase(first, std::min(kMissing - past, length - first));
  if (past > 0) tcp.set_sequence(stream.cut_at);
  return true;
}
