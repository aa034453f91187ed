// A virtual worker P_i as the engine sees it, whatever its program: a fragment, partial results, a buffer of
// what has come, and the messages its last round made. One thread's own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/runtime/pie/fragment.h"
#include "leeway/runtime/pie/routes.h"
#include "leeway/runtime/residual.h"
#include "leeway/transport/transport.h"

namespace leeway::pie {

/// What a round did.
struct RoundWork {
  Work work;                              ///< as the program counted it
  std::uint64_t folded = 0;               ///< parameters that came, each as often as it did
  std::uint64_t taken = 0;                ///< parameters that messages spoke of
  std::uint64_t sent = 0;                 ///< parameters that changed and travel
  bool iterates = true;                   ///< it is an iteration of the program
  std::optional<Residual> residual = {};  ///< of programs that have one
};

/// How a worker's messages are held back where no barrier keeps rounds in step.
enum class Pacing : std::uint8_t {
  Off,
  Answers,   ///< a peer gets its next message only once it has answered the last (update_sender.h)
  Lockstep,  ///< and a round takes one message of each peer, and begins once all have answered
};

class VirtualWorker {
 public:
  virtual ~VirtualWorker() = default;

  [[nodiscard]] virtual const Fragment& fragment() const = 0;
  [[nodiscard]] virtual Routes& routes() = 0;

  /// PEval in the first round, IncEval in the others: takes the buffer and gathers messages.
  virtual RoundWork peval() = 0;
  virtual RoundWork inceval() = 0;
  /// Hands the gathered messages over, one a fragment that is spoken to; an empty one is an answer only.
  virtual void drain(const std::function<void(PartId to, std::span<const std::byte>)>& take) = 0;

  /// From here on, as far as the program allows: answers where its changes add up, lockstep while they cancel, too.
  /// Turned off, what was kept becomes messages.
  virtual void pace(Pacing pacing) = 0;
  /// Messages are held back as `pace` said, which not every program allows.
  [[nodiscard]] virtual bool paced() const = 0;
  [[nodiscard]] virtual bool in_lockstep() const = 0;
  /// It has been in lockstep, and found that to be of no use.
  [[nodiscard]] virtual bool waits_in_vain() const = 0;
  /// A message of that worker has come, empty or not.
  virtual void heard(PartId from) = 0;
  /// Changes wait for the answer of a peer.
  [[nodiscard]] virtual bool keeps() const = 0;
  /// What the next round makes may be sent at once.
  [[nodiscard]] virtual bool ready() const = 0;
  /// No peer owes an answer.
  [[nodiscard]] virtual bool answered() const = 0;
  /// Makes empty messages for those that wait for an answer, but for who waits for a round that it is ahead of. True if
  /// there are any.
  [[nodiscard]] virtual bool answer() = 0;
  /// Makes messages of those that need not wait any more. Returns of how many parameters.
  virtual std::uint64_t release() = 0;

  /// A message into the buffer; `ahead`: into the one of the next step. In lockstep, what a peer sends besides the
  /// message that the next round takes is left for the round after. False if it makes no sense.
  [[nodiscard]] virtual bool receive(PartId from, std::span<const std::byte> message,
                                     bool ahead) = 0;
  /// What came ahead becomes due.
  virtual void advance() = 0;

  /// eta_i.
  [[nodiscard]] virtual std::uint64_t staleness() const = 0;
  /// Parameters that the buffer speaks of.
  [[nodiscard]] virtual std::uint64_t pending() const = 0;
  /// Something came ahead.
  [[nodiscard]] virtual bool has_ahead() const = 0;
  [[nodiscard]] virtual bool unfinished() const = 0;
  /// Of the program: no run of it is given up.
  [[nodiscard]] virtual bool always_rests() const = 0;
  /// Vertices of this fragment that others hold too, as far as is known.
  [[nodiscard]] virtual std::uint64_t border_count() const = 0;
  /// The vertices that the buffer speaks of, for the predictor.
  virtual void each_update(const std::function<void(VertexId)>& take) const = 0;

  /// Whether PEval can begin from results.
  [[nodiscard]] virtual bool resumes() const = 0;
  /// Those that PEval is to begin from, as `write_results` writes them.
  virtual void resume(std::span<const std::byte> results) = 0;
  /// The results of the inner vertices, in the order of their places.
  virtual void write_results(ByteWriter& out) const = 0;
};

}  // namespace leeway::pie
