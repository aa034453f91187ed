#include "leeway/runtime/tick/options.h"

#include <array>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"

namespace leeway::tick {

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
  return fail(input_error(std::string(flag), format("--sync {} has no use for it", sync_name(sync)),
                          format("leave it out, or give --sync {}", instead)));
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

Result<Parameters> settled(const Options& options) {
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
  return Parameters{.depth = static_cast<Level>(depth),
                    .every = every,
                    .replicas = static_cast<Level>(replicas),
                    .barrier = sync == Sync::Barrier};
}

}  // namespace leeway::tick
