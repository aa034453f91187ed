#include "leeway/dsm/record.h"

#include <array>

#include "leeway/base/format.h"
#include "leeway/base/mix.h"

namespace leeway {

std::string_view record_kind_name(RecordKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {"write",     "read",    "invalidated",
                                                      "installed", "evicted", "joined",
                                                      "left",      "stored",  "iterated"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view access_name(Access access) {
  constexpr std::array<std::string_view, 4> kNames = {"current-hit", "stale-hit", "stale-miss",
                                                      "cache-miss"};
  return kNames[static_cast<std::size_t>(access)];
}

std::string to_line(const Record& record) {
  std::string line =
      format("{} node={} {} space={} object={}.{} version={}", record.at.time_since_epoch().count(),
             record.node, record_kind_name(record.kind), record.space, record.object.home(),
             record.object.local(), record.version);
  switch (record.kind) {
    case RecordKind::Read:
      line += format(" value={:016x} access={} thread={}", record.value, access_name(record.access),
                     record.thread);
      break;
    case RecordKind::Write:
    case RecordKind::Installed:
      line += format(" value={:016x}", record.value);
      break;
    case RecordKind::Joined:
    case RecordKind::Left:
      line += format(" peer={}", record.peer);
      break;
    case RecordKind::Iterated:
      line += format(" converged={} vote={}", record.value & 1, record.value >> 1);
      break;
    default:
      break;
  }
  return line;
}

std::uint64_t hash_value(ValueView value) {
  std::uint64_t hash = mix64(value.size());
  for (const std::byte byte : value) hash = mix64(hash ^ static_cast<std::uint64_t>(byte));
  return hash;
}

}  // namespace leeway
