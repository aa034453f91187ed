#include "leeway/benchmarks/replay/delayed_fetches.h"

#include <algorithm>
#include <utility>

#include "leeway/protocol/message.h"

namespace leeway::replay {

/// Passes on what need not wait.
class DelayedFetches::Sorter final : public FrameSink {
 public:
  Sorter(DelayedFetches& owner, FrameSink& sink) : owner_(owner), sink_(sink) {}

  void on_frame(NodeId from, std::span<const std::byte> frame) override {
    const bool answers =
        !frame.empty() && frame.front() == static_cast<std::byte>(MessageKind::Reply);
    if (!answers) return sink_.on_frame(from, frame);
    owner_.held_.push_back({owner_.now() + owner_.delay_, from, Frame(frame.begin(), frame.end())});
  }
  void on_peer_down(NodeId node) override { sink_.on_peer_down(node); }

 private:
  DelayedFetches& owner_;
  FrameSink& sink_;
};

std::size_t DelayedFetches::poll(FrameSink& sink, std::size_t most) {
  Sorter sorter(*this, sink);
  const bool none_held = held_.empty();
  std::size_t found = ForwardingTransport::poll(sorter, most);
  if (none_held && !held_.empty()) wake();  // whoever waits does not know of this deadline
  while (found < most && !held_.empty() && held_.front().due <= now()) {
    const Held held = std::move(held_.front());
    held_.pop_front();
    sink.on_frame(held.from, held.frame);
    ++found;
  }
  return found;
}

void DelayedFetches::wait(std::uint64_t seen, std::optional<Instant> deadline) {
  if (!held_.empty()) {
    const Instant due = held_.front().due;
    deadline = deadline ? std::min(*deadline, due) : due;
  }
  ForwardingTransport::wait(seen, deadline);
}

}  // namespace leeway::replay
