// Harm that TCP itself does not notice: the kernels at both ends take what comes for what the other sent. Each trick
// is for one direction between two hosts, and ends when it is ordered with 0:
//
//   flip A B P       in P % of the segments from A to B that carry data a bit is wrong
//   replay A B P     P % carry what an earlier one carried, if one was as long
//   truncate A B P   of each connection of now, eight bytes from A to B are missing, with a chance of P % a segment
//   reset A B N      the next N connections on which A sends to B are broken off, at both ends
//   half A B N       the same, and only B hears of it
//   swallow A B 1    what ends a connection (FIN, RST) does not get from A to B
//   stall A B 1      A believes that B has no room for more data, not even for what is under way. A's acknowledgements
//                    then have old numbers, which B drops; so after a stall of both ways TCP does not recover.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "test/net/tcp_packet.h"

class ManInTheMiddle {
 public:
  struct Extra {
    std::size_t from, to;
    Bytes packet;
  };

  ManInTheMiddle(std::size_t hosts, std::uint64_t seed);

  /// Whether the word was an order for tricks. `from` and `to` count from 0.
  bool obey(const std::string& word, std::size_t from, std::size_t to, double number);
  /// Does its harm to a packet on its way, calling `harmed` with the trick's name. False: the packet gets no further.
  /// What the network shall carry besides goes into `extra`.
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
    std::map<std::size_t, Bytes> carried;  // the last payload of each length
    bool cut = false;
    std::uint32_t cut_at = 0;  // where bytes were taken away, by the sender's numbers
    bool reset = false;
  };
  using StreamName = std::tuple<std::size_t, std::size_t, std::uint32_t>;  // hosts and ports

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
