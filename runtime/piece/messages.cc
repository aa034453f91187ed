#include "leeway/runtime/piece/messages.h"

#include <algorithm>

namespace leeway::piece {

namespace {
constexpr std::size_t kFrameBytes = 8192;
}

ByteWriter& MessageBatcher::begin(NodeId to, MessageKind kind) {
  ByteWriter& batch = batches_[to.index()];
  if (batch.empty()) {
    filled_.push_back(to.value());
    if (!oldest_) oldest_ = endpoint_.now();
  }
  batch.byte(static_cast<std::uint8_t>(kind));
  return batch;
}

void MessageBatcher::written(NodeId to) {
  if (batches_[to.index()].size() < kFrameBytes) return;
  std::erase(filled_, to.value());
  ship(to.value());
  if (filled_.empty()) oldest_.reset();
}

void MessageBatcher::ship(std::uint32_t to) {
  ++frames_;
  bytes_ += batches_[to].size();
  endpoint_.send(NodeId(to), batches_[to].take());
}

void MessageBatcher::send_due() {
  if (oldest_ && endpoint_.now() >= *oldest_ + hold_) send_all();
}

void MessageBatcher::send_all() {
  for (const std::uint32_t to : filled_) ship(to);
  filled_.clear();
  oldest_.reset();
}

}  // namespace leeway::piece
