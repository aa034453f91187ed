#include "runtime/tick/step_planner.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "leeway/tick_program.h"
#include "runtime/cluster/saving.h"

namespace leeway::tick {

namespace {

Tick tick_before(Tick tick) { return Tick(tick.value() - 1); }

}  // namespace

StepPlanner::StepPlanner(const SyncParameters& parameters, Tick first, Tick last)
    : parameters_(parameters), first_(first), last_(last), own_(first), oldest_(first) {
  LEEWAY_CHECK(first <= last);
  waiting_ = Tick(first.value() + parameters.every);
  stepped_.emplace_back(parameters.replicas + 1);
}

std::optional<Level> StepPlanner::level(Tick tick) const {
  const std::size_t place = tick.value() - oldest_.value();
  return place < stepped_.size() ? stepped_[place] : std::nullopt;
}

std::optional<Level>& StepPlanner::entry(Tick tick) {
  const std::size_t place = tick.value() - oldest_.value();
  if (place >= stepped_.size()) stepped_.resize(place + 1);
  return stepped_[place];
}

std::optional<Step> StepPlanner::inner_of(Tick tick) const {
  const auto context = level(tick_before(tick));
  if (!context) return std::nullopt;
  const Level most = std::min(*context - 1, 0);
  const auto done = level(tick);
  if (most < -parameters_.depth || (done && *done >= most)) return std::nullopt;
  return Step{tick, done, most};
}

// The search of Algorithm 3: the nearest earlier tick whose next layers can be stepped. Each tick farther back must
// reach one layer farther out.
std::optional<Step> StepPlanner::replica_for(Tick tick) const {
  Level needed_level = 1;
  for (Tick at = tick_before(tick); at > oldest_ && needed_level <= parameters_.replicas;
       at = tick_before(at), ++needed_level) {
    const auto done = level(at);
    if (!done || *done >= needed_level) return std::nullopt;
    if (level(tick_before(at)).value_or(0) > needed_level) return Step{at, done, needed_level};
  }
  return std::nullopt;
}

std::optional<Step> StepPlanner::next() const {
  for (Tick tick = own_.next(); tick <= last_; tick = tick.next()) {
    // No messages arrive for a tick that is not sent, so its replicas must be stepped here.
    const bool needed = (tick_before(tick).value() - first_.value()) % parameters_.every != 0;
    const auto replica = tick == own_.next() ? replica_for(tick) : std::nullopt;
    if (needed && replica) return replica;
    if (const auto inner = inner_of(tick)) return inner;
    if (replica) return replica;
    if (!level(tick)) break;
  }
  return std::nullopt;
}

void StepPlanner::stepped(const Step& step) {
  LEEWAY_CHECK(level(tick_before(step.tick)).value_or(step.to) > step.to);
  LEEWAY_CHECK(level(step.tick) == step.from);
  entry(step.tick) = step.to;
  if (step.completes()) {
    LEEWAY_CHECK(step.tick == own_.next());
    own_ = step.tick;
  }
}

void StepPlanner::received() {
  LEEWAY_CHECK(can_receive());
  entry(waiting_) = parameters_.replicas + 1;
  stepped_.erase(stepped_.begin(), stepped_.begin() + static_cast<std::ptrdiff_t>(waiting_.value() -
                                                                                  oldest_.value()));
  oldest_ = waiting_;
  waiting_ = Tick(waiting_.value() + parameters_.every);
}

bool StepPlanner::sends(Tick tick) const {
  return tick > first_ && tick < last_ && (tick.value() - first_.value()) % parameters_.every == 0;
}

std::uint32_t StepPlanner::ahead() const {
  const auto newest = oldest_.value() + static_cast<std::uint32_t>(stepped_.size()) - 1;
  return newest > own_.value() ? newest - own_.value() : 0;
}

namespace {

constexpr std::array<std::pair<std::string_view, Sync>, 5> kNames = {{
    {"barrier", Sync::Barrier},
    {"local", Sync::Local},
    {"schedule", Sync::Schedule},
    {"replicate", Sync::Replicate},
    {"combined", Sync::Combined},
}};

constexpr std::uint32_t kMostDepth = 1000;
constexpr std::uint32_t kMostReplicas = 1000;

Status refuse(std::string_view flag, const std::optional<std::uint32_t>& value, Sync sync,
              std::string_view instead) {
  if (!value) return {};
  return fail(input_error(std::string(flag), format("--sync {} does not use it", sync_name(sync)),
                          format("omit it, or use --sync {}", instead)));
}

Status within(std::string_view flag, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
  if (value >= low && value <= high) return {};
  return fail(input_error(std::string(flag), format("{} is out of range", value),
                          format("give a number from {} to {}", low, high)));
}

}  // namespace

Result<Sync> parse_sync(std::string_view name) {
  std::array<std::string_view, kNames.size()> names;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].first == name) return kNames[i].second;
    names[i] = kNames[i].first;
  }
  return fail(input_error("--sync", format("unknown way to synchronize ticks '{}'", name),
                          did_you_mean(name, names)));
}

std::string_view sync_name(Sync sync) {
  for (const auto& [name, value] : kNames) {
    if (value == sync) return name;
  }
  return {};
}

Result<SyncParameters> settled(const TickOptions& options) {
  const Sync sync = options.sync;
  const bool ahead = sync == Sync::Schedule || sync == Sync::Combined;
  const bool copies = sync == Sync::Replicate || sync == Sync::Combined;
  if (!ahead) LEEWAY_TRY(refuse("--depth", options.depth, sync, "schedule"));
  if (!copies) {
    LEEWAY_TRY(refuse("--every", options.every, sync, "replicate"));
    LEEWAY_TRY(refuse("--replicas", options.replicas, sync, "replicate"));
  }
  const std::uint32_t depth = ahead ? options.depth.value_or(copies ? 10 : 1) : 0;
  const std::uint32_t every = copies ? options.every.value_or(2) : 1;
  const std::uint32_t replicas = copies ? options.replicas.value_or(every + 1) : 0;
  LEEWAY_TRY(within("--depth", depth, 0, kMostDepth));
  LEEWAY_TRY(within("--every", every, 1, kMostReplicas));
  LEEWAY_TRY(within("--replicas", replicas, 0, kMostReplicas));
  if (every > replicas + 1) {
    return fail(input_error(
        "--every",
        format("{} layers of replicas last for {} ticks, not for {}", replicas, replicas + 1,
               every),
        format("give --every {} at most, or --replicas {} at least", replicas + 1, every - 1)));
  }
  return SyncParameters{.depth = static_cast<Level>(depth),
                        .every = every,
                        .replicas = static_cast<Level>(replicas),
                        .barrier = sync == Sync::Barrier};
}

Result<std::unique_ptr<TickSnapshots>> open_snapshots(TickOptions& options,
                                                      const ClusterOptions& cluster) {
  TickInterval span{.ticks = options.ticks.value(), .synchronization = sync_name(options.sync)};
  LEEWAY_ASSIGN(
      auto snapshots,
      TickSnapshots::open(options.saving, identity_of(options.saving, "tick"), cluster, span));
  options.ticks = Tick(span.ticks);
  options.checkpoint = span.every;
  return snapshots;
}

}  // namespace leeway::tick
