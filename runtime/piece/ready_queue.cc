#include "leeway/runtime/piece/ready_queue.h"

#include <algorithm>
#include <utility>

#include "leeway/base/check.h"

namespace leeway::piece {

void ReadyQueue::push(Arrival arrival, std::uint32_t distance) {
  if (arrival.tick >= gate_) {
    closed_[arrival.tick].push_back({std::move(arrival), distance});
  } else {
    open(std::move(arrival), distance);
  }
}

void ReadyQueue::open(Arrival arrival, std::uint32_t distance) {
  std::deque<Arrival>& waiting = open_[key(arrival.piece, arrival.tick)];
  if (waiting.empty()) {
    const double priority =
        by_priority_ ? alpha_ * distance + beta_ * static_cast<double>(arrival.tick.value()) : 0;
    turns_.push_back({priority, by_priority_, order_++, arrival.piece, arrival.tick});
    std::push_heap(turns_.begin(), turns_.end());
  }
  waiting.push_back(std::move(arrival));
}

Arrival ReadyQueue::pop() {
  LEEWAY_CHECK(!turns_.empty());
  const auto found = open_.find(key(turns_.front().piece, turns_.front().tick));
  Arrival arrival = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) {
    open_.erase(found);
    std::pop_heap(turns_.begin(), turns_.end());
    turns_.pop_back();
  }
  return arrival;
}

void ReadyQueue::move_gate(TickId gate) {
  gate_ = std::max(gate_, gate);
  while (!closed_.empty() && closed_.begin()->first < gate_) {
    for (Closed& each : closed_.begin()->second) open(std::move(each.arrival), each.distance);
    closed_.erase(closed_.begin());
  }
}

std::vector<Arrival> ReadyQueue::take_out(PieceId piece) {
  std::vector<Arrival> taken;
  std::erase_if(turns_, [&](const ReadyPiece& turn) {
    if (turn.piece != piece) return false;
    auto waiting = open_.extract(key(piece, turn.tick));
    for (Arrival& arrival : waiting.mapped()) taken.push_back(std::move(arrival));
    return true;
  });
  std::make_heap(turns_.begin(), turns_.end());
  for (auto& [tick, waiting] : closed_) {
    std::erase_if(waiting, [&](Closed& each) {
      if (each.arrival.piece != piece) return false;
      taken.push_back(std::move(each.arrival));
      return true;
    });
  }
  return taken;
}

void ReadyQueue::clear() {
  turns_.clear();
  open_.clear();
  closed_.clear();
}

}  // namespace leeway::piece
