// A process ends in bounded time when a peer dies, even if its threads are blocked.
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "transport/process_job.h"

using namespace leeway;

namespace {

constexpr Duration kVerdict = std::chrono::seconds(1);
constexpr const char* kWhy = "MPI cannot send: the test injected an error";

enum class Mishap : std::uint8_t {
  Loss,        ///< node 1 dies while the wire is stuck
  SilentLoss,  ///< and the query for what this node waits for hangs, too
  WireFails,   ///< both nodes live
};

[[noreturn]] void block() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

/// A message-passing library with a call that never returns.
class StuckWire final : public Wire {
 public:
  NodeId self() const override { return NodeId(0); }
  std::uint32_t node_count() const override { return 2; }
  bool send(NodeId, const Envelope&, Frame& frame) override {
    frame.clear();
    return true;
  }
  bool receive(Packet&) override {
    if (stuck) block();
    return false;
  }
  bool drained() override { return true; }
  void rest(Duration, Duration most) override { std::this_thread::sleep_for(most); }
  void interrupt() override {}
  void drop(NodeId) override {}
  std::string failure() const override { return failed ? kWhy : ""; }
  std::atomic<bool> stuck{false};
  std::atomic<bool> failed{false};
};

class DiscardingSink final : public FrameSink {
 public:
  void on_frame(NodeId, std::span<const std::byte>) override {}
  void on_peer_down(NodeId) override {}
};

/// The body of node 0 of two. Never returns.
[[noreturn]] void meet_with(Mishap mishap) {
  const Secret secret = Secret::random();
  RendezvousOptions options;
  options.nodes = 2;
  options.secret = secret;
  options.verdict = kVerdict;
  options.host = "127.0.0.1";
  auto rendezvous = Rendezvous::open(std::move(options)).value();
  const std::string where = "127.0.0.1:" + std::to_string(rendezvous->port());
  auto mine = Membership::connect(where, secret, kVerdict).value();
  auto other = Membership::connect(where, secret, kVerdict).value();
  auto entered = std::async(std::launch::async, [&] { return other->enter(NodeId(1), "b"); });
  if (!mine->enter(NodeId(0), "a") || !entered.get()) ::_exit(90);
  auto made = std::make_unique<StuckWire>();
  StuckWire& wire = *made;
  JobSetup parts;
  parts.wire = std::move(made);
  parts.membership = std::move(mine);
  parts.rendezvous = std::move(rendezvous);
  JobOptions job_options;
  job_options.verdict = kVerdict;
  ProcessJob job(std::move(parts), job_options);
  std::mutex held;
  if (mishap == Mishap::SilentLoss) {
    job.set_evidence([&]() -> std::string {
      const std::lock_guard locked(held);
      return "something";
    });
  }
  std::thread poller([&] {
    const std::lock_guard locked(held);
    DiscardingSink sink;
    wire.stuck = mishap != Mishap::WireFails;
    (void)job.transport().poll(sink, 1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (mishap == Mishap::WireFails)
    wire.failed = true;
  else
    other.reset();
  block();
}

struct End {
  int code = -1;  // still running
  std::string output;
};

End end_of(Mishap mishap) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    meet_with(mishap);
  }
  ::close(ends[1]);
  End end;
  int status = 0;
  for (int i = 0; i < 400 && end.code < 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (::waitpid(child, &status, WNOHANG) == child) end.code = WEXITSTATUS(status);
  }
  if (end.code < 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  char buffer[4096];
  for (ssize_t got = ::read(ends[0], buffer, sizeof(buffer)); got > 0;
       got = ::read(ends[0], buffer, sizeof(buffer))) {
    end.output.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  return end;
}

}  // namespace

TEST_CASE("a process whose library call never returns still ends when a peer dies, and names it",
          "[clock]") {
  const End end = end_of(Mishap::Loss);
  CHECK(end.code == 4);
  CHECK(end.output.find("node 0: node 1 is gone") != std::string::npos);
}

TEST_CASE("a process whose query for what it waits for hangs still ends when a peer dies",
          "[clock]") {
  const End end = end_of(Mishap::SilentLoss);
  CHECK(end.code == 4);
  CHECK(end.output.find("node 0: node 1 is gone") != std::string::npos);
  CHECK(end.output.find("does not answer") != std::string::npos);
}

TEST_CASE("a process whose message-passing library fails ends with the library's reason",
          "[clock]") {
  const End end = end_of(Mishap::WireFails);
  CHECK(end.code == 4);
  CHECK(end.output.find(kWhy) != std::string::npos);
}
