#include "leeway/runtime/tick/tick_log.h"

#include <cstring>
#include <span>
#include <type_traits>

namespace leeway {

// Both go from one process to another of the same build as they lie in memory.
static_assert(std::is_trivially_copyable_v<TickCounts>);
static_assert(std::is_trivially_copyable_v<TickSpan>);
static_assert(std::is_trivially_copyable_v<TickResidual>);

void TickLog::encode(ByteWriter& out) const {
  out.raw(std::as_bytes(std::span(&counts, 1)));
  out.varint(completed.size());
  out.raw(std::as_bytes(std::span(completed)));
  out.varint(spans.size());
  out.raw(std::as_bytes(std::span(spans)));
  out.varint(residuals.size());
  out.raw(std::as_bytes(std::span(residuals)));
}

bool TickLog::decode(ByteReader& in) {
  const auto numbers = in.raw(sizeof counts);
  const std::uint64_t ticks = in.varint_up_to(in.left() / sizeof(Instant));
  const auto instants = in.raw(ticks * sizeof(Instant));
  const std::uint64_t count = in.varint_up_to(in.left() / sizeof(TickSpan));
  const auto drawn = in.raw(count * sizeof(TickSpan));
  const std::uint64_t measured = in.varint_up_to(in.left() / sizeof(TickResidual));
  const auto moved = in.raw(measured * sizeof(TickResidual));
  if (in.failed()) return false;
  std::memcpy(&counts, numbers.data(), sizeof counts);
  completed.resize(ticks);
  if (ticks > 0) std::memcpy(completed.data(), instants.data(), instants.size());
  spans.resize(count);
  if (count > 0) std::memcpy(spans.data(), drawn.data(), drawn.size());
  residuals.resize(measured);
  if (measured > 0) std::memcpy(residuals.data(), moved.data(), moved.size());
  return true;
}

}  // namespace leeway
