// Two nodes exchange frames whose size exceeds the range of int: the first sends, the second
// answers.
//
//   large-frame BYTES
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "transport/fabric.h"

namespace {

using namespace leeway;

constexpr std::size_t kStride = 4093;  // prime, so that misplaced parts are detected

std::byte at(std::size_t place) { return static_cast<std::byte>(place * 2654435761U >> 13U); }

class Peer final : public FrameSink {
 public:
  explicit Peer(Transport& transport) : transport_(transport) {}

  void send(NodeId to, Frame frame) {
    while (true) {
      const std::uint64_t ticket = transport_.ticket();
      if (transport_.send(to, frame) == SendOutcome::Sent) return;
      if (transport_.poll(*this, 1) == 0) transport_.wait(ticket, std::nullopt);
    }
  }
  /// The size of the next frame; none if its contents are wrong.
  std::optional<std::size_t> receive() {
    while (frames_ == 0) {
      const std::uint64_t ticket = transport_.ticket();
      if (transport_.poll(*this, 1) == 0) transport_.wait(ticket, std::nullopt);
    }
    --frames_;
    return right_ ? std::optional(bytes_) : std::nullopt;
  }

 private:
  void on_frame(NodeId, std::span<const std::byte> frame) override {
    ++frames_;
    bytes_ = frame.size();
    for (std::size_t i = 0; i < frame.size(); i += kStride) right_ = right_ && frame[i] == at(i);
    if (!frame.empty()) right_ = right_ && frame.back() == at(frame.size() - 1);
  }
  void on_peer_down(NodeId) override { std::_Exit(4); }

  Transport& transport_;
  int frames_ = 0;
  std::size_t bytes_ = 0;
  bool right_ = true;
};

Frame make(std::size_t bytes) {
  Frame frame(bytes);
  for (std::size_t i = 0; i < bytes; i += kStride) frame[i] = at(i);
  if (bytes > 0) frame.back() = at(bytes - 1);
  return frame;
}

/// Twice, because the second frame needs the credit of the first.
bool exchange(Job& job, std::size_t bytes) {
  Peer peer(job.transport());
  for (int round = 0; round < 2; ++round) {
    if (job.self() == NodeId(0)) {
      peer.send(NodeId(1), make(bytes));
      if (peer.receive() != 5) return false;
    } else {
      if (peer.receive() != bytes) return false;
      peer.send(NodeId(0), make(5));
    }
  }
  return true;
}

}  // namespace

int main(int count, char** values) {
  if (count != 2) {
    std::fprintf(stderr, "usage: large-frame BYTES\n");
    return 2;
  }
  auto job = join_job({});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    return job.error().exit_code();
  }
  const bool right = exchange(**job, std::strtoull(values[1], nullptr, 10));
  const bool left = (*job)->leave().has_value();
  if (!right) std::fprintf(stderr, "large-frame: what arrived is not what was sent\n");
  (*job)->exit(right && left ? 0 : 1);
}
