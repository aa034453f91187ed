#include "transport/rendezvous.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/format.h"
#include "transport/membership.h"

using namespace leeway;

namespace {

constexpr Duration kVerdict = std::chrono::seconds(2);

std::unique_ptr<Rendezvous> open(std::uint32_t nodes, const Secret& secret,
                                 std::function<void(NodeId, const std::string&)> on_down = {},
                                 Duration stranger_patience = std::chrono::seconds(5),
                                 bool replaces = false) {
  RendezvousOptions options;
  options.replaces = replaces;
  options.nodes = nodes;
  options.secret = secret;
  options.verdict = kVerdict;
  options.host = "127.0.0.1";
  options.on_down = std::move(on_down);
  options.stranger_patience = stranger_patience;
  return Rendezvous::open(std::move(options)).value();
}

std::string name_of(const Rendezvous& rendezvous) {
  return "127.0.0.1:" + std::to_string(rendezvous.port());
}

int connect_raw(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  return socket;
}

}  // namespace

TEST_CASE("every member learns all addresses once all have entered", "[clock]") {
  const Secret secret = Secret::random();
  const auto rendezvous = open(3, secret);
  std::vector<std::unique_ptr<Membership>> members;
  std::vector<std::future<Status>> entered;
  for (std::uint32_t i = 0; i < 3; ++i) {
    members.push_back(Membership::connect(name_of(*rendezvous), secret, kVerdict).value());
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    entered.push_back(std::async(std::launch::async, [&, i] {
      return members[i]->enter(NodeId(i), "address " + std::to_string(i));
    }));
  }
  for (auto& each : entered) REQUIRE(each.get().has_value());
  for (const auto& member : members) {
    REQUIRE(member->peers().size() == 3);
    CHECK(member->peers()[2] == "address 2");
  }
}

TEST_CASE("a process of another job is refused", "[clock]") {
  const auto rendezvous = open(1, Secret::random());
  const auto stranger = Membership::connect(name_of(*rendezvous), Secret::random(), kVerdict);
  REQUIRE_FALSE(stranger.has_value());
  CHECK(stranger.error().what.find("secret") != std::string::npos);
  CHECK_FALSE(rendezvous->complete());
}

TEST_CASE("a process that takes long between connecting and identifying itself is admitted",
          "[clock]") {
  const Secret secret = Secret::random();
  const auto rendezvous = open(1, secret, {}, std::chrono::milliseconds(30));
  auto slow = Membership::connect(name_of(*rendezvous), secret, kVerdict).value();
  while (rendezvous->strangers() == 0) {  // until foreign connections are dropped
    const int other = connect_raw(rendezvous->port());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::close(other);
  }
  CHECK(slow->enter(NodeId(0), "x").has_value());
}

TEST_CASE("a flood of foreign connections is dropped while the job starts", "[clock]") {
  const Secret secret = Secret::random();
  const auto rendezvous = open(1, secret);
  std::vector<int> flood;
  for (int i = 0; i < 400; ++i) flood.push_back(connect_raw(rendezvous->port()));
  for (const int socket : flood) (void)::send(socket, "rubbish!", 8, MSG_NOSIGNAL);
  auto member = Membership::connect(name_of(*rendezvous), secret, kVerdict).value();
  CHECK(member->enter(NodeId(0), "x").has_value());
  for (const int socket : flood) ::close(socket);
  CHECK(rendezvous->strangers() > 0);
}

TEST_CASE("the loss of a member's connection is reported to the others immediately", "[clock]") {
  const Secret secret = Secret::random();
  std::atomic<std::uint32_t> lost{99};
  const auto rendezvous =
      open(2, secret, [&](NodeId node, const std::string&) { lost = node.value(); });
  auto first = Membership::connect(name_of(*rendezvous), secret, kVerdict).value();
  auto second = Membership::connect(name_of(*rendezvous), secret, kVerdict).value();
  auto entered = std::async(std::launch::async, [&] { return first->enter(NodeId(0), "a"); });
  REQUIRE(second->enter(NodeId(1), "b").has_value());
  REQUIRE(entered.get().has_value());
  std::atomic<bool> reported{false};
  MembershipHandlers handlers;
  handlers.on_down = [&](NodeId node, const std::string&) { reported = node == NodeId(1); };
  handlers.evidence = [] { return std::string(); };
  first->start(std::move(handlers));
  second.reset();
  // The rendezvous notifies the other members, then its owner.
  for (int i = 0; i < 1000 && !(reported && lost == 1); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(reported);
  CHECK(lost == 1);
  first.reset();
}

TEST_CASE("a silent member is declared lost after the verdict time", "[clock]") {
  const Secret secret = Secret::random();
  std::atomic<bool> lost{false};
  const auto rendezvous = open(1, secret, [&](NodeId, const std::string&) { lost = true; });
  auto silent = Membership::connect(name_of(*rendezvous), secret, kVerdict).value();
  REQUIRE(silent->enter(NodeId(0), "x").has_value());
  // This member is never started, so it sends no heartbeats.
  const SteadyClock clock;
  const Instant start = clock.now();
  while (!lost && clock.now() - start < 3 * kVerdict) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(lost);
  CHECK(clock.now() - start > kVerdict / 2);
}

namespace {

/// The outcome of the job as one member receives it.
struct ReceivedOutcome {
  std::atomic<int> node{-1};
  std::atomic<int> code{-1};
  bool wait() const {
    for (int i = 0; i < 300 && code.load() < 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return code.load() >= 0;
  }
};

class SmallJob {
 public:
  explicit SmallJob(std::uint32_t nodes) : outcomes_(nodes), rendezvous_(open(nodes, secret_)) {
    std::vector<std::future<Status>> entered;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      members_.push_back(Membership::connect(name_of(*rendezvous_), secret_, kVerdict).value());
      entered.push_back(std::async(std::launch::async,
                                   [this, i] { return members_[i]->enter(NodeId(i), "here"); }));
    }
    for (auto& each : entered) REQUIRE(each.get().has_value());
    for (std::uint32_t i = 0; i < nodes; ++i) {
      MembershipHandlers handlers;
      handlers.on_down = [](NodeId, const std::string&) {};
      handlers.on_outcome = [this, i](NodeId node, std::uint32_t code, const std::string&) {
        outcomes_[i].node = static_cast<int>(node.value());
        outcomes_[i].code = static_cast<int>(code);
      };
      members_[i]->start(std::move(handlers));
    }
  }
  void report(std::uint32_t node, std::uint32_t code) {
    members_[node]->send(
        {.kind = ControlKind::Report, .node = node, .code = code, .text = code > 0 ? "why" : ""});
  }
  [[nodiscard]] const ReceivedOutcome& outcome(std::uint32_t node) const { return outcomes_[node]; }
  [[nodiscard]] Rendezvous& rendezvous() { return *rendezvous_; }
  bool leave(std::uint32_t node) {
    return members_[node]->leave([] {});
  }
  void drop(std::uint32_t node) { members_[node].reset(); }

 private:
  Secret secret_ = Secret::random();
  std::vector<ReceivedOutcome> outcomes_;
  std::unique_ptr<Rendezvous> rendezvous_;
  std::vector<std::unique_ptr<Membership>> members_;
};

}  // namespace

TEST_CASE("the success of a step is announced once all members have reported", "[clock]") {
  SmallJob job(3);
  job.report(0, 0);
  job.report(2, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(job.outcome(0).code.load() == -1);
  job.report(1, 0);
  for (std::uint32_t i = 0; i < 3; ++i) {
    REQUIRE(job.outcome(i).wait());
    CHECK(job.outcome(i).code.load() == 0);
  }
}

TEST_CASE("one node's failure is announced to all, including those that report nothing",
          "[clock]") {
  SmallJob job(3);
  job.report(1, 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    REQUIRE(job.outcome(i).wait());
    CHECK(job.outcome(i).code.load() == 3);
    CHECK(job.outcome(i).node.load() == 1);
  }
}

TEST_CASE("of several failures the lowest node's counts, except reports of a lost peer",
          "[clock]") {
  SmallJob job(4);
  job.report(3, 3);
  job.report(2, 2);
  job.report(1, 4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    REQUIRE(job.outcome(i).wait());
    CHECK(job.outcome(i).code.load() == 2);
    CHECK(job.outcome(i).node.load() == 2);
  }
}

TEST_CASE("the launcher's report of an ended process counts as its own report", "[clock]") {
  SmallJob job(2);
  job.rendezvous().report(NodeId(1), 2, "it ended");
  REQUIRE(job.outcome(0).wait());
  CHECK(job.outcome(0).node.load() == 1);
}

TEST_CASE("leaving members are released when the last other member is lost", "[clock]") {
  SmallJob job(3);
  auto left = std::async(std::launch::async, [&] { return job.leave(0); });
  auto right = std::async(std::launch::async, [&] { return job.leave(1); });
  job.drop(2);
  REQUIRE(left.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
  CHECK(left.get());
  CHECK(right.get());
}

namespace {

constexpr std::uint32_t kReplacedNodes = 3;

/// A job whose rendezvous replaces lost members.
class ReplacingJob {
 public:
  ReplacingJob()
      : rendezvous_(open(kReplacedNodes, secret_, {}, std::chrono::seconds(5), true)),
        down_(kReplacedNodes),
        members_(kReplacedNodes) {}

  /// Node `node` connects and enters `generation`.
  std::future<Status> enter(std::uint32_t node, std::uint32_t generation) {
    members_[node] = Membership::connect(name_of(*rendezvous_), secret_, kVerdict).value();
    return std::async(std::launch::async, [this, node, generation] {
      return members_[node]->enter(NodeId(node), format("at {}", generation), generation);
    });
  }
  /// All nodes enter `generation`, and can continue after a loss if `recoverable`.
  void enter_all(std::uint32_t generation, bool recoverable) {
    std::vector<std::future<Status>> entered;
    for (std::uint32_t i = 0; i < kReplacedNodes; ++i) entered.push_back(enter(i, generation));
    for (auto& each : entered) REQUIRE(each.get().has_value());
    start_all(recoverable);
  }
  void start_all(bool recoverable) {
    for (std::uint32_t i = 0; i < kReplacedNodes; ++i) {
      down_[i] = -1;
      MembershipHandlers handlers;
      handlers.on_down = [this, i](NodeId node, const std::string&) {
        down_[i] = static_cast<int>(node.value());
      };
      handlers.on_lost = [] {};
      members_[i]->start(std::move(handlers));
      if (recoverable) members_[i]->send({.kind = ControlKind::Recoverable, .code = 1});
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(100));  // the rendezvous reads the messages
  }
  void drop(std::uint32_t node) { members_[node].reset(); }
  /// Waits until node `node` has heard that `lost` is gone.
  bool hears(std::uint32_t node, std::uint32_t lost) const {
    for (int i = 0; i < 2000 && down_[node] != static_cast<int>(lost); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return down_[node] == static_cast<int>(lost);
  }
  [[nodiscard]] Rendezvous::Place place_of(std::uint32_t node) {
    for (int i = 0; i < 2000 && rendezvous_->place_of(NodeId(node)) == Rendezvous::Place::Taken;
         ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return rendezvous_->place_of(NodeId(node));
  }
  [[nodiscard]] Rendezvous& rendezvous() { return *rendezvous_; }
  [[nodiscard]] const Membership& member(std::uint32_t node) const { return *members_[node]; }

 private:
  Secret secret_ = Secret::random();
  std::unique_ptr<Rendezvous> rendezvous_;
  std::vector<std::atomic<int>> down_;
  std::vector<std::unique_ptr<Membership>> members_;
};

}  // namespace

TEST_CASE("members that can continue join a new generation with the replacement of a lost one",
          "[clock]") {
  ReplacingJob job;
  job.enter_all(0, true);
  job.drop(1);
  CHECK(job.hears(0, 1));
  CHECK(job.hears(2, 1));
  CHECK(job.place_of(1) == Rendezvous::Place::Free);
  CHECK(job.rendezvous().generation() == 1);
  SECTION("a process of the old generation is refused") {
    CHECK_FALSE(job.enter(1, 0).get().has_value());
  }
  SECTION("a member that is lost before it joins again may be replaced, too") {
    job.drop(2);
    CHECK(job.rendezvous().place_of(NodeId(2)) == Rendezvous::Place::Free);
    job.enter_all(1, true);
    CHECK(job.rendezvous().place_of(NodeId(2)) == Rendezvous::Place::Taken);
  }
  SECTION("all join the new generation, and the next loss begins another") {
    job.enter_all(1, true);
    CHECK(job.member(0).peers() == std::vector<std::string>(kReplacedNodes, "at 1"));
    CHECK(job.rendezvous().place_of(NodeId(1)) == Rendezvous::Place::Taken);
    job.drop(0);
    CHECK(job.hears(2, 0));
    CHECK(job.rendezvous().generation() == 2);
  }
}

TEST_CASE("a lost member is not replaced unless all others can continue", "[clock]") {
  ReplacingJob job;
  job.enter_all(0, false);
  job.drop(1);
  CHECK(job.hears(0, 1));
  CHECK(job.place_of(1) == Rendezvous::Place::Gone);
  CHECK(job.rendezvous().generation() == 0);
}
