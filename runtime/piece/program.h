// What the piece engine runs, with types erased: a program lays out pieces and makes a task for each
// piece at each tick; a task takes what the needed pieces diffused, one after the other, as it arrives.
// Programs are written against piece.h, which fills this in. A program is shared by all workers of a
// process and does not change; a task is one worker's own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "leeway/runtime/piece/layout.h"
#include "leeway/runtime/residual.h"
#include "leeway/transport/transport.h"

namespace leeway::piece {

/// What a task may ask of its worker while it processes.
class TaskContext {
 public:
  virtual ~TaskContext() = default;
  /// Whether, with the information being processed, all needed pieces are in. What is charged before it
  /// first says yes is the asynchronous part, what comes after the synchronous one.
  virtual bool barrier() = 0;
  virtual void charge(const Work& work) = 0;
  /// The piece's new values stand: they are sent to whom they concern when processing returns.
  virtual void diffuse() = 0;
};

/// What one piece diffused, as it reaches another. `keep` owns the bytes.
struct Diffused {
  PieceId from{0};
  bool whole = false;  ///< all values of `from` in order, not what was picked out for a worker
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keep;
};

/// An entry of the state table: a piece's key, its tick, its values and its intermediate values.
class Task {
 public:
  virtual ~Task() = default;
  /// Begin…End for one arrival; after the last, the synchronous part and Diffuse.
  virtual void process(const Diffused& diffused, TaskContext& context) = 0;
  /// After Diffuse: all new values, which stay where they are as long as the task lives.
  [[nodiscard]] virtual std::span<const std::byte> values() const = 0;
  /// After Diffuse: appends what the pieces `to` need; all of them lie on one worker, not this one.
  virtual void spread(std::span<const PieceId> to, std::vector<std::byte>& out) const = 0;
  /// After Diffuse: how much the tick changed, the most of it as Termination() measures it.
  [[nodiscard]] virtual const Residual& moved() const = 0;
};

class Program {
 public:
  virtual ~Program() = default;
  [[nodiscard]] virtual const PieceLayout& layout() const = 0;
  /// A task that is through already and holds the values of tick 0.
  [[nodiscard]] virtual std::unique_ptr<Task> load(PieceId piece) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Task> task(PieceId piece, TickId tick) const = 0;
  [[nodiscard]] virtual bool may_terminate() const = 0;
  /// Whether a piece can have diffused these bytes, which came from another worker. They are aligned as the piece's
  /// objects are.
  [[nodiscard]] virtual bool accepts(PieceId from, bool whole,
                                     std::span<const std::byte> bytes) const {
    (void)from, (void)whole, (void)bytes;
    return true;
  }
  /// Whether tasks tell of every change in `tick`.
  [[nodiscard]] virtual bool measures(TickId tick) const {
    (void)tick;
    return false;
  }
  /// Termination(): whether `tick` was the last, from the greatest change of any piece in it.
  [[nodiscard]] virtual bool termination(TickId tick, double change) const = 0;
};

}  // namespace leeway::piece
