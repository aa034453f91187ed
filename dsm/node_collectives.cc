// The node's collectives: every node calls the same ones in the same order.
#include <algorithm>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/mix.h"
#include "leeway/dsm/node_machines.h"

namespace leeway {

namespace {

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = mix64(name.size());
  for (const char letter : name) hash = mix64(hash ^ static_cast<unsigned char>(letter));
  return hash;
}

}  // namespace

Result<Space*> Node::open_space(const SpaceOptions& options, std::uint32_t value_bytes) {
  Space* opened = nullptr;
  std::optional<Error> error;
  {
    const std::lock_guard locked(mutex_);
    if (spaces_.size() >= SpaceId::none().value()) {
      return leeway::fail(input_error(options.name, format("{} spaces are open", spaces_.size()),
                                      "put more objects into fewer spaces"));
    }
    auto space = Space::make(*this, SpaceId(static_cast<std::uint16_t>(spaces_.size())), options,
                             value_bytes);
    if (space) {
      opened = space->get();
      spaces_.push_back(std::move(*space));
    } else {
      error = space.error();
    }
  }
  // Everybody must have opened the same thing, and successfully, before anybody uses it.
  const std::uint64_t print = hash_name(options.name) ^ mix64(value_bytes);
  const std::uint64_t low = print & 0xFFFFFFFFu;
  const std::uint64_t high = print >> 32;
  const auto sums = sum_as(CollectiveKind::Open,
                           std::vector<std::uint64_t>{low, low * low, high, error ? 1u : 0u});
  if (error) return leeway::fail(*error);
  if (failed()) return leeway::fail(*failure());
  const std::uint64_t nodes = node_count();
  if (sums[3] > 0) {
    return leeway::fail(environment_error(options.name, "another node could not open this space",
                                          "look at the other nodes' messages"));
  }
  if (sums[0] != nodes * low || sums[1] != nodes * low * low || sums[2] != nodes * high) {
    return leeway::fail(
        input_error(options.name, "the nodes opened different spaces",
                    "open the same names and types in the same order on every node"));
  }
  return opened;
}

/// Locked. Also to peers that are held back: what was stored before a collective is known after it.
void Node::flush_all() {
  for (const auto& space : spaces_) space->flush(outbox_, Flush::All);
}

void Node::enter(CollectiveKind kind, std::span<const std::uint64_t> numbers) {
  std::optional<Error> error;
  {
    const std::lock_guard locked(mutex_);
    if (failed()) return;  // the wave before may never have been done
    flush_all();
    collective_.enter(kind, numbers, outbox_);
    ++collectives_;
    ship();
    error = take_error(self(), true);
  }
  if (error) fail(std::move(*error));
}

std::vector<std::uint64_t> Node::sum_as(CollectiveKind kind,
                                        std::span<const std::uint64_t> numbers) {
  enter(kind, numbers);
  wait_until([this] {
    const std::lock_guard locked(mutex_);
    return collective_.done() || failed();
  });
  const std::lock_guard locked(mutex_);
  if (failed()) return std::vector<std::uint64_t>(numbers.size(), 0);
  return {collective_.sums().begin(), collective_.sums().end()};
}

std::vector<std::uint64_t> Node::sum(std::span<const std::uint64_t> numbers) {
  return sum_as(CollectiveKind::Sum, numbers);
}

void Node::barrier() { sum_as(CollectiveKind::Barrier, {}); }

bool Node::converged(bool vote_to_continue) {
  vote(vote_to_continue);
  wait_until([this] {
    const std::lock_guard locked(mutex_);
    return collective_.done() || failed();
  });
  return *verdict();
}

void Node::vote(bool to_continue, std::span<const std::uint64_t> besides) {
  LEEWAY_CHECK(!open_vote_.has_value());
  open_vote_ = to_continue;
  std::uint64_t stale = 0;
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  {
    const std::lock_guard locked(mutex_);
    flush_all();
    for (const auto& space : spaces_) stale += space->stale_uses();
    sent = outbox_.news();
    handled = handled_news_;
  }
  const std::uint64_t stale_now = stale - std::exchange(stale_before_, stale);
  std::vector<std::uint64_t> numbers{to_continue ? 1u : 0u, stale_now, sent, handled};
  numbers.insert(numbers.end(), besides.begin(), besides.end());
  enter(CollectiveKind::Vote, numbers);
}

std::optional<bool> Node::verdict() {
  LEEWAY_CHECK(open_vote_.has_value());
  {
    const std::lock_guard locked(mutex_);
    if (!failed() && !collective_.done()) return std::nullopt;
  }
  if (failed()) {  // all is over
    open_vote_.reset();
    besides_.assign(Collective::kMostNumbers, 0);
    return true;
  }
  open_vote_.reset();
  return conclude();
}

bool Node::conclude() {
  const auto sums = collective_.sums();
  const Verdict verdict = termination_.decide({sums[0], sums[1], sums[2], sums[3]});
  besides_.assign(sums.begin() + 4, sums.end());
  const bool only_staleness = sums[0] == 0 && sums[1] > 0;
  if (only_staleness) refresh_stale_copies();
  return verdict == Verdict::Converged;
}

/// All agree, but some used old values: a mode that never refreshes would go on using them for ever. The
/// last iterations must see current objects (ASPIRE §4.2), so they are asked for here.
void Node::refresh_stale_copies() {
  const std::lock_guard locked(mutex_);
  for (const auto& space : spaces_) {
    if (!space->policy().refresh) space->refresh_all(outbox_);
  }
  ship();
}

void Node::quiesce() { quiesce_as(CollectiveKind::Quiesce); }

void Node::quiesce_as(CollectiveKind kind) {
  // The same count, wave after wave: handled by one wave's time = sent by the next one's.
  std::uint64_t handled_before = ~std::uint64_t{0};
  while (true) {
    std::uint64_t counts[2];
    {
      const std::lock_guard locked(mutex_);
      flush_all();
      counts[0] = outbox_.messages();
      counts[1] = handled_;
    }
    const auto sums = sum_as(kind, counts);
    if (sums[0] == handled_before || failed()) return;
    handled_before = sums[1];
  }
}

void Node::close() {
  if (std::exchange(closed_, true)) return;
  quiesce_as(CollectiveKind::Close);
  closing_ = true;
  transport_.wake();
  transport_.join();
}

}  // namespace leeway
