#include "leeway/runtime/piece/letters.h"

#include <algorithm>

namespace leeway::piece {

namespace {
constexpr std::size_t kFrameBytes = 8192;
}

ByteWriter& Mailbag::begin(NodeId to, LetterKind kind) {
  ByteWriter& bag = bags_[to.index()];
  if (bag.empty()) {
    filled_.push_back(to.value());
    if (!oldest_) oldest_ = post_.now();
  }
  bag.byte(static_cast<std::uint8_t>(kind));
  return bag;
}

void Mailbag::written(NodeId to) {
  if (bags_[to.index()].size() < kFrameBytes) return;
  std::erase(filled_, to.value());
  ship(to.value());
  if (filled_.empty()) oldest_.reset();
}

void Mailbag::ship(std::uint32_t to) {
  ++frames_;
  bytes_ += bags_[to].size();
  post_.send(NodeId(to), bags_[to].take());
}

void Mailbag::send_due() {
  if (oldest_ && post_.now() >= *oldest_ + hold_) send_all();
}

void Mailbag::send_all() {
  for (const std::uint32_t to : filled_) ship(to);
  filled_.clear();
  oldest_.reset();
}

}  // namespace leeway::piece
