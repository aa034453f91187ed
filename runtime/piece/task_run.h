// One arrival being processed (Begin…End), as its task sees its worker. Several may be processed side by side, each on
// a thread of its own; what they did is booked by the worker afterwards.
#pragma once

#include <memory>

#include "leeway/runtime/endpoint.h"
#include "leeway/runtime/piece/program.h"
#include "leeway/runtime/piece/ready_queue.h"

namespace leeway::piece {

class TaskRun final : public TaskContext {
 public:
  /// What was charged for one of the two parts, and when it ended.
  struct Part {
    Work work;
    Instant end{};
  };

  /// `all_in`: with this arrival all that the task needs.
  TaskRun(const Endpoint& endpoint, Arrival arrival, std::shared_ptr<Task> task, bool all_in)
      : endpoint_(&endpoint),
        arrival_(std::move(arrival)),
        task_(std::move(task)),
        all_in_(all_in) {}

  void process() {
    begin_ = endpoint_->now();
    task_->process(arrival_.diffused, *this);
    part().end = endpoint_->now();
  }

  [[nodiscard]] PieceId piece() const { return arrival_.piece; }
  [[nodiscard]] TickId tick() const { return arrival_.tick; }
  [[nodiscard]] const std::shared_ptr<Task>& task() const { return task_; }
  [[nodiscard]] bool all_in() const { return all_in_; }
  [[nodiscard]] bool diffused() const { return diffused_; }
  [[nodiscard]] Instant begin() const { return begin_; }
  [[nodiscard]] const Part& asynchronous() const { return asynchronous_; }
  /// Whether there was a synchronous part.
  [[nodiscard]] bool is_synchronous() const { return is_synchronous_; }
  [[nodiscard]] const Part& synchronous() const { return synchronous_; }

  bool barrier() override {
    if (!all_in_) return false;
    if (!is_synchronous_) asynchronous_.end = endpoint_->now();
    is_synchronous_ = true;
    return true;
  }
  void charge(const Work& work) override {
    Work& sum = part().work;
    sum.fetches += work.fetches;
    sum.stores += work.stores;
    sum.edges += work.edges;
    sum.vertices += work.vertices;
    sum.bytes += work.bytes;
    sum.picoseconds += work.picoseconds;
  }
  void diffuse() override { diffused_ = true; }

 private:
  Part& part() { return is_synchronous_ ? synchronous_ : asynchronous_; }

  const Endpoint* endpoint_;
  Arrival arrival_;
  std::shared_ptr<Task> task_;
  bool all_in_;
  bool is_synchronous_ = false;
  bool diffused_ = false;
  Instant begin_{};
  Part asynchronous_, synchronous_;
};

}  // namespace leeway::piece
