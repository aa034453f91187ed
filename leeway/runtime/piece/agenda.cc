#include "leeway/runtime/piece/agenda.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway::piece {

void Agenda::push(Arrival arrival, std::uint32_t distance) {
  const double priority =
      by_priority_ ? alpha_ * distance + beta_ * static_cast<double>(arrival.tick.value()) : 0;
  const TickId tick = arrival.tick;
  Item item{priority, order_++, std::move(arrival)};
  if (tick >= gate_) {
    closed_[tick].push_back(std::move(item));
    return;
  }
  open_.push_back(std::move(item));
  std::push_heap(open_.begin(), open_.end());
}

Arrival Agenda::pop() {
  LEEWAY_CHECK(!open_.empty());
  std::pop_heap(open_.begin(), open_.end());
  Arrival arrival = std::move(open_.back().arrival);
  open_.pop_back();
  return arrival;
}

void Agenda::move_gate(TickId gate) {
  gate_ = std::max(gate_, gate);
  while (!closed_.empty() && closed_.begin()->first < gate_) {
    for (Item& item : closed_.begin()->second) {
      open_.push_back(std::move(item));
      std::push_heap(open_.begin(), open_.end());
    }
    closed_.erase(closed_.begin());
  }
}

std::vector<Arrival> Agenda::take_out(PieceId piece) {
  std::vector<Arrival> taken;
  const auto take_from = [&](std::vector<Item>& items) {
    std::erase_if(items, [&](Item& item) {
      if (item.arrival.piece != piece) return false;
      taken.push_back(std::move(item.arrival));
      return true;
    });
  };
  take_from(open_);
  std::make_heap(open_.begin(), open_.end());
  for (auto& [tick, items] : closed_) take_from(items);
  return taken;
}

void Agenda::clear() {
  open_.clear();
  closed_.clear();
}

}  // namespace leeway::piece
