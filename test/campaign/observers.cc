#include "test/campaign/observers.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "test/campaign/stamp.h"

namespace leeway::campaign {

namespace {

std::size_t count_objects(const Plan& plan) {
  std::size_t objects = 0;
  for (std::uint32_t space = 0; space < plan.spaces.size(); ++space) objects += plan.objects(space);
  return objects;
}

void raise(std::atomic<std::uint64_t>& number, std::uint64_t to) {
  std::uint64_t now = number.load(std::memory_order_relaxed);
  while (now < to && !number.compare_exchange_weak(now, to, std::memory_order_release)) {
  }
}

}  // namespace

std::size_t Observers::words(const Plan& plan) {
  const std::size_t objects = count_objects(plan);
  const std::size_t bytes = objects * sizeof(Written) + plan.nodes() * objects * sizeof(Seen) +
                            kMostIterations * sizeof(Iteration);
  return bytes / sizeof(std::uint64_t);
}

Observers::Observers(const Plan& plan, std::span<std::uint64_t> memory)
    : plan_(plan), objects_(count_objects(plan)) {
  LEEWAY_CHECK(memory.size() >= words(plan));
  static_assert(sizeof(Number) == sizeof(std::uint64_t) && Number::is_always_lock_free);
  written_ = reinterpret_cast<Written*>(memory.data());
  seen_ = reinterpret_cast<Seen*>(written_ + objects_);
  iterations_ = reinterpret_cast<Iteration*>(seen_ + plan.nodes() * objects_);
  std::size_t first = 0;
  for (std::uint32_t space = 0; space < plan.spaces.size(); ++space) {
    first_.push_back(first);
    first += plan.objects(space);
  }
}

std::uint64_t Observers::mark(Key key) const {
  const std::uint64_t writer = plan_.writer(key).value();
  return mix64((std::uint64_t{key.space} << 56) ^ (writer << 32) ^ key.object);
}

std::string Observers::name(Key key) const {
  const ObjectId id = plan_.id(key);
  return format("space {} object {}.{}", key.space, id.home(), id.local());
}

std::uint32_t Observers::begin_store(Key key) {
  Number& begun = written(key).begun;
  const std::uint64_t number = begun.load(std::memory_order_relaxed) + 1;
  if (number > most_stores(plan_.spaces[key.space].value_bytes)) return 0;
  begun.store(number);
  if (keeps_log_) log(format("store {} of {} begins", number, name(key)));
  return static_cast<std::uint32_t>(number);
}

void Observers::end_store(Key key, std::uint32_t number) {
  written(key).ended.store(number, std::memory_order_release);
  if (keeps_log_) log(format("store {} of {} has returned", number, name(key)));
}

void Observers::announce(Key key, std::uint32_t number) { raise(written(key).announced, number); }

std::uint32_t Observers::announced(Key key) const {
  return static_cast<std::uint32_t>(written(key).announced.load(std::memory_order_acquire));
}

std::uint32_t Observers::oldest(const Reader& reader, Key key) const {
  const Written& stores = written(key);
  const SpacePlan& space = plan_.spaces[key.space];
  const NodeId writer = plan_.writer(key);
  // Progressive Reads: all threads of a node share one copy of an object, so what one thread saw
  // the others see.
  std::uint64_t oldest = seen(reader.node, key).newest.load(std::memory_order_acquire);
  // Local Updates. In a mode whose writes wait, a store returns only after no node can read older
  // values.
  if (reader.node == writer || space.policy.writes == Writes::Wait) {
    oldest = std::max(oldest, stores.ended.load(std::memory_order_acquire));
  }
  // Bounded Staleness: a quiet moment makes earlier stores visible everywhere.
  std::uint64_t slack = space.policy.threshold;
  // Acquire: the program asked for the newest values.
  if (reader.acquired) slack = 0;
  // Best Effort Refresh: a bounded cache may have evicted the copy.
  const bool refreshed = reader.refreshed && space.policy.refresh && space.cache_capacity == 0;
  if (refreshed || reader.node == plan_.home(key)) slack = 0;
  const std::uint64_t settled = stores.settled[reader.epoch % 2].load(std::memory_order_acquire);
  return static_cast<std::uint32_t>(std::max(oldest, settled - std::min(settled, slack)));
}

std::uint32_t Observers::saw(const Reader& reader, Key key, std::uint32_t oldest, ValueView value,
                             const char* how) {
  observations_.fetch_add(1, std::memory_order_relaxed);
  const auto read = read_stamp(mark(key), value);
  const auto who = [&] {
    return format("thread {} of node {} read {} by {} in iteration {}", reader.thread, reader.node,
                  name(key), how, reader.iteration);
  };
  if (!read) {
    violate("whole values", who() + ": bytes that no store of it wrote");
    return oldest;
  }
  const std::uint32_t number = *read;
  digest_.fetch_add(mix64(mark(key) ^ mix64(number ^ (std::uint64_t{reader.node.value()} << 32))),
                    std::memory_order_relaxed);
  if (keeps_log_) log(format("{}: store {}", who(), number));
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t begun = written(key).begun.load();
  if (number > begun) {
    violate("whole values", format("{}: store {}, which has not begun", who(), number));
    return oldest;
  }
  if (number < oldest) {
    const std::uint64_t newest = seen(reader.node, key).newest.load();
    violate(
        number < newest   ? "progressive reads"
        : reader.acquired ? "acquire"
                          : "bounded staleness",
        format("{}: store {}, where {} is the oldest that it may see ({} was seen there, {} has "
               "begun)",
               who(), number, oldest, newest, begun));
  }
  raise(seen(reader.node, key).newest, number);
  if (reader.counts) use(reader, key, number);
  return number;
}

void Observers::use(const Reader& reader, Key key, std::uint32_t number) {
  if (reader.node == plan_.writer(key)) return;
  Number& used = seen(reader.node, key).used;
  const std::uint64_t mine = ((std::uint64_t{reader.iteration} + 1) << 32) | number;
  std::uint64_t now = used.load(std::memory_order_relaxed);
  while (now >> 32 < mine >> 32 || now > mine) {
    if (used.compare_exchange_weak(now, mine)) return;
  }
}

void Observers::settle(NodeId node, std::uint32_t epoch) {
  for (std::uint32_t space = 0; space < plan_.spaces.size(); ++space) {
    for (std::uint32_t object = 0; object < plan_.objects(space); ++object) {
      const Key key{space, object};
      if (plan_.writer(key) != node) continue;
      written(key).settled[epoch % 2].store(written(key).ended.load(), std::memory_order_release);
    }
  }
}

void Observers::vote(NodeId node, std::uint32_t iteration, bool to_continue, bool busy) {
  Iteration& now = iterations_[iteration];
  if (to_continue) ++now.to_continue;
  if (busy) ++now.busy;
  if (keeps_log_) log(format("node {} votes to {}", node, to_continue ? "continue" : "stop"));
}

void Observers::verdict(NodeId node, std::uint32_t iteration, bool converged) {
  Iteration& now = iterations_[iteration];
  if (converged) ++now.ended;
  if (!converged) ++now.continued;
  if (keeps_log_)
    log(format("node {} receives the verdict: {}", node, converged ? "stop" : "continue"));
  if (now.ended > 0 && now.continued > 0) {
    violate("one verdict", format("iteration {} ended for some and not for others", iteration));
  }
  if (!converged) return;
  if (now.to_continue > 0) {
    violate("no early termination",
            format("iteration {} was the last although {} nodes voted to continue", iteration,
                   now.to_continue.load()));
  }
  check_used(node, iteration);
}

/// Values used in the last iteration must be the current values of the homes.
void Observers::check_used(NodeId node, std::uint32_t iteration) {
  for (std::uint32_t space = 0; space < plan_.spaces.size(); ++space) {
    for (std::uint32_t object = 0; object < plan_.objects(space); ++object) {
      const Key key{space, object};
      const std::uint64_t used = seen(node, key).used.load();
      if (used >> 32 != std::uint64_t{iteration} + 1) continue;
      const std::uint64_t number = used & 0xFFFFFFFFu;
      if (number == written(key).begun.load()) continue;
      violate(
          "no early termination",
          format("node {} used store {} of {} in iteration {}, the last; it was stored to {} times",
                 node, number, name(key), iteration, written(key).begun.load()));
    }
  }
}

/// Once all nodes vote to end, all copies are current and no message is in flight, three iterations
/// suffice: the one in which the last update arrived, one that sees it, and one that confirms it.
void Observers::check_not_late(std::uint32_t iteration) {
  constexpr std::uint32_t kEnough = 3;
  std::uint32_t quiet = 0;
  while (quiet <= iteration && iterations_[iteration - quiet].busy == 0 &&
         iterations_[iteration - quiet].to_continue == 0)
    ++quiet;
  if (quiet <= kEnough) return;
  violate("no late termination",
          format("the last {} iterations saw nothing but current reads", quiet));
}

void Observers::violate(const std::string& rule, const std::string& detail) {
  const std::lock_guard locked(mutex_);
  violations_.push_back(rule + ": " + detail);
}

std::vector<std::string> Observers::violations() const {
  const std::lock_guard locked(mutex_);
  return violations_;
}

void Observers::log(const std::string& line) {
  const std::lock_guard locked(mutex_);
  log_.push_back(line);
}

}  // namespace leeway::campaign
