// How an asynchronous run finds its end (AAP §3, termination): nodes whose workers are all inactive say so
// to the master P_0; when everybody has, it asks everybody with `terminate`, and each answers `ack` or
// `wait`. Messages are counted besides: an early `ack` does not see what is still on its way, so the end
// is believed only if as many messages had been handled when the first flags came as have been sent when
// the answers came (the four-counter argument). Pure: what arrives comes in, what to do goes out.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/ids.h"

namespace leeway::pie {

/// Designated messages between nodes, since the beginning.
struct MessageCounts {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

/// P_0. One thread's own.
class TerminationDetector {
 public:
  enum class Step : std::uint8_t {
    None,
    Terminate,  ///< ask every node, with the number of this attempt
    Over,       ///< tell every node
  };

  explicit TerminationDetector(std::uint32_t nodes) : nodes_(nodes) {}

  /// A node has become inactive.
  [[nodiscard]] Step inactive(NodeId node, const MessageCounts& counts);
  /// A node's answer to the open attempt: `ack` if it is inactive.
  [[nodiscard]] Step answer(NodeId node, bool ack, const MessageCounts& counts);

  /// The number of the last attempt.
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  /// Answers to it are waited for.
  [[nodiscard]] bool open() const { return missing_ > 0; }
  /// Forgets what it was told: the nodes run in step now, or begin to run apart again.
  void forget();

 private:
  struct Flag {
    bool inactive = false;
    MessageCounts counts;
  };

  [[nodiscard]] Step consider();

  std::vector<Flag> nodes_;
  std::uint32_t attempt_ = 0;
  std::uint32_t missing_ = 0;  // answers of the open attempt; 0: none is open
  bool refused_ = false;       // somebody said wait, or has handled or sent since
};

}  // namespace leeway::pie
