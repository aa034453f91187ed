// Faults that TCP does not detect: the kernels at both ends accept the changed packets. Each trick
// applies to one direction between two hosts, and ends when it is ordered with 0:
//
//   flip A B P       P % of the data segments from A to B have a wrong bit
//   replay A B P     P % carry the payload of an earlier segment of equal length
//   truncate A B P   each open connection loses eight bytes from A to B, in a segment with
//                    probability P %
//   reset A B N      the next N connections on which A sends to B are reset at both ends
//   half A B N       the same, but only B receives the reset
//   swallow A B 1    FIN and RST packets from A to B are dropped
//   stall A B 1      A sees a closed window of B, even for data in flight. Its acknowledgements then
//                    have old numbers, which B drops, so TCP does not recover from a stall of both
//                    directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "test/net/relay/tcp_packet.h"

class ManInTheMiddle {
 public:
  struct Extra {
    std::size_t from, to;
    Bytes packet;
  };

  ManInTheMiddle(std::size_t hosts, std::uint64_t seed);

  /// True if the word is an order for tricks. `from` and `to` count from 0.
  bool obey(const std::string& word, std::size_t from, std::size_t to, double number);
  /// Applies the active tricks to a packet, and calls `harmed` with the trick's name. False: the
  /// packet is dropped. Additional packets go into `extra`.
  bool pass(std::size_t from, std::size_t to, Bytes& packet, std::vector<Extra>& extra,
            const std::function<void(const char*)>& harmed);

 private:
  struct Tricks {
    double flip_percent = 0;
    double replay_percent = 0;
    double truncate_percent = 0;
    double resets = 0;
    double half_resets = 0;
    bool swallow = false;
    bool stall = false;
  };
  struct Stream {
    std::map<std::size_t, Bytes> carried;  // the last payload of each length, for replay
    bool cut = false;
    std::uint32_t cut_at = 0;  // sequence number at which bytes were removed
    bool reset = false;
  };
  using StreamName = std::tuple<std::size_t, std::size_t, std::uint32_t>;  // hosts and port

  Tricks& tricks(std::size_t from, std::size_t to) { return tricks_[from * hosts_ + to]; }
  bool break_off(std::size_t from, std::size_t to, const TcpPacket& tcp, std::vector<Extra>& extra,
                 const std::function<void(const char*)>& harmed);
  bool change_payload(const Tricks& tricks, Stream& stream, const TcpPacket& tcp,
                      const std::function<void(const char*)>& harmed);
  bool truncate(const Tricks& tricks, Stream& stream, TcpPacket& tcp,
                const std::function<void(const char*)>& harmed);

  std::size_t hosts_;
  leeway::Random random_;
  std::vector<Tricks> tricks_;
  std::map<StreamName, Stream> streams_;
};
