// The piece engine's messages, and how those for one node travel together: many messages a frame, sent
// when there is enough, when the oldest has been held long enough, or when its sender has nothing else to
// do (AsyTick §4.2.1: messages to the same node are aggregated). One worker's own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/runtime/endpoint.h"
#include "leeway/runtime/piece/ids.h"

namespace leeway::piece {

enum class MessageKind : std::uint8_t {
  Diffuse = 1,  ///< piece, tick, time of sending, whom for if that is not plain, values
  Tally,        ///< tick, pieces that are through with it, greatest change: to the master
  Release,      ///< tick that all are through with, whether it was the last: from the master
  Loads,        ///< round, pieces that are through, loads of pieces and their ticks: to the master
  Map,          ///< changes of owners: from the master
  Progress,  ///< where the sender's pieces are and what they took, without barriers: to the master
  Give,      ///< pieces to hand to others, without barriers: from the master
  Values,    ///< tick, piece, its values: to the master
  Record,    ///< what the worker tells of itself: to the master
  Over,      ///< the master has all values
  Stop,      ///< the run has been told to stop: to the master
  GiveUp,    ///< nothing more comes of the sender: from the master, and then from everybody to all
};

/// The worker that coordinates.
inline constexpr NodeId kMaster{0};

class MessageBatcher {
 public:
  MessageBatcher(Endpoint& endpoint, Duration hold)
      : endpoint_(endpoint), hold_(hold), batches_(endpoint.node_count()) {}

  /// A message to `to`, which its caller writes at once; then call `written`.
  [[nodiscard]] ByteWriter& begin(NodeId to, MessageKind kind);
  void written(NodeId to);
  /// Sends what was held long enough.
  void send_due();
  void send_all();

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void ship(std::uint32_t to);

  Endpoint& endpoint_;
  Duration hold_;
  std::vector<ByteWriter> batches_;
  std::vector<std::uint32_t> filled_;  // nodes whose batch holds something
  std::optional<Instant> oldest_;
  std::uint64_t frames_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace leeway::piece
