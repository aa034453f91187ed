// One direction between two hosts: the packets in flight, and the active faults. Packets keep their
// order and share the rate, unless an order changes that.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "test/net/relay/tcp_packet.h"
#include "transport/cluster_model.h"

class Way {
 public:
  /// True if the word is an order for this direction.
  bool obey(const std::string& word, double number);
  /// Calls `harmed` with the word of each order that affects the packet.
  void take(Bytes packet, leeway::Instant now, const leeway::NetworkProfile& profile,
            leeway::Random& random, const std::function<void(const char*)>& harmed);
  [[nodiscard]] std::optional<leeway::Instant> next_due() const;
  void deliver(leeway::Instant now, const std::function<void(const Bytes&)>& to);

 private:
  void put(leeway::Instant due, Bytes packet);

  std::multimap<leeway::Instant, Bytes> packets_;  // by arrival time
  std::size_t held_bytes_ = 0;
  leeway::Instant free_at_{};
  bool down_ = false;
  bool hold_ = false;
  double loss_percent_ = 0;
  double reorder_percent_ = 0;
  double duplicate_percent_ = 0;
  leeway::Duration delay_{};
};
