#include "test/campaign/episodes.h"

#include <array>
#include <vector>

#include "base/format.h"
#include "base/random.h"
#include "leeway/dsm.h"
#include "protocol/outbox.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kWaitStream = 3;
constexpr std::uint64_t kDisagreeStream = 4;

/// Objects of one home. Each is requested once: the first ones by the waiting thread, the others by
/// the requesting thread.
constexpr std::uint32_t kAwaited = 8;
constexpr std::uint32_t kAskedFor = 2000;
constexpr std::uint32_t kUnderWay = 4;

/// The node that sends requests, and the state that its two threads share.
struct Asking {
  Node& node;
  Dsm<std::uint64_t> dsm;
  std::vector<Handle> handles;
  std::uint32_t answered = 0;  // fetches of single objects
  bool wait_is_over = false;
};

/// Fetches one object after another and prefetches the next ones, until the other thread's wait has
/// returned.
void request_until_done(Asking& asking, std::uint64_t pause_ns, Observers& observers) {
  for (std::uint32_t next = kAwaited; next + kUnderWay < kAskedFor; ++next) {
    asking.dsm.prefetch(std::span(asking.handles).subspan(next, kUnderWay));
    (void)asking.dsm.fetch(asking.handles[next]);
    ++asking.answered;
    asking.node.transport().wake();
    asking.node.transport().charge({.picoseconds = pause_ns * 1000});
    if (asking.wait_is_over || asking.node.failed()) return;
  }
  observers.violate("a wait for reads ends",
                    format("a thread of node {} waits for reads although the home has answered {} "
                           "that another thread asked of it afterwards",
                           asking.node.self(), asking.answered));
}

enum class Call { Barrier, SumOfNone, SumOfTwo, SumOfFour, Vote, Quiesce, Open };
constexpr std::uint64_t kCalls = 7;

void call(Node& node, Call which) {
  constexpr std::array<std::uint64_t, 4> kNumbers = {1, 2, 3, 4};
  const std::span<const std::uint64_t> numbers(kNumbers);
  switch (which) {
    case Call::Barrier:
      return node.barrier();
    case Call::SumOfNone:
      return static_cast<void>(node.sum({}));
    case Call::SumOfTwo:
      return static_cast<void>(node.sum(numbers.first(2)));
    case Call::SumOfFour:
      return static_cast<void>(node.sum(numbers));
    case Call::Vote:
      return static_cast<void>(node.converged(false));
    case Call::Quiesce:
      return node.quiesce();
    case Call::Open:
      return static_cast<void>(node.open_space({.name = "another"}, 8));
  }
}

}  // namespace

void wait_while_others_ask(Node& node, const Plan& plan, Observers& observers) {
  Random random(plan.seed, kWaitStream);
  const NodeId asker(static_cast<std::uint32_t>(random.below(plan.nodes())));
  const NodeId home((asker.value() + 1) % plan.nodes());
  const std::uint64_t pause_ns = std::uint64_t{1}
                                 << random.below(16);  // some far below the round-trip time
  auto dsm = Dsm<std::uint64_t>::open(
      node, {.name = "asked for", .local_objects = kAskedFor, .remote_objects = kAskedFor});
  if (!dsm || node.self() != asker) return;
  Asking asking{.node = node, .dsm = *dsm};
  for (std::uint32_t i = 0; i < kAskedFor; ++i)
    asking.handles.push_back(asking.dsm.resolve({home, LocalIndex(i)}).value());
  bool ended = false;
  node.transport().spawn("asker", [&] {
    request_until_done(asking, pause_ns, observers);
    ended = true;
    node.transport().wake();
  });
  node.wait_until([&] { return asking.answered > kUnderWay || ended; });
  asking.dsm.replicate(std::span(asking.handles).first(kAwaited));
  asking.wait_is_over = true;
  node.wait_until([&] { return ended; });
}

void call_different_collectives(Node& node, const Plan& plan, Observers& observers) {
  Random random(plan.seed, kDisagreeStream);
  const NodeId odd(static_cast<std::uint32_t>(random.below(plan.nodes())));
  const std::uint64_t usual = random.below(kCalls);
  const std::uint64_t other = (usual + 1 + random.below(kCalls - 1)) % kCalls;
  if (node.failed()) return;
  call(node, static_cast<Call>(node.self() == odd ? other : usual));
  if (node.failed()) return;
  observers.violate("the same collectives",
                    format("node {} came out of a collective although node {} called another one",
                           node.self(), odd));
}

std::uint64_t most_waiting_frames(const Plan& plan) {
  std::uint64_t of_a_flush = 1, reads = 0;
  for (std::uint32_t space = 0; space < plan.spaces.size(); ++space) {
    constexpr std::uint64_t kKinds = 6;   // kinds of messages in a flush, per space
    constexpr std::uint64_t kHeads = 32;  // header bytes per object
    const std::uint64_t bytes = plan.objects(space) * (plan.spaces[space].value_bytes + kHeads);
    of_a_flush += 1 + kKinds * bytes / Outbox::kDefaultTarget;
    reads += plan.spaces[space].objects_per_node;
  }
  // Frames for one peer: two flushes, two of a collective, answers to unanswered reads, and
  // acknowledgements to each thread that may store.
  const std::uint64_t of_a_peer = 2 * of_a_flush + 2 + reads + plan.threads + 1;
  return of_a_peer * (plan.nodes() - 1);
}

}  // namespace leeway::campaign
