#include "leeway/runtime/pie/outcome.h"

#include <cstring>
#include <type_traits>

namespace leeway::pie {

namespace {

template <class T>
  requires std::is_trivially_copyable_v<T>
void put(ByteWriter& out, const T& value) {
  std::memcpy(out.extend(sizeof value), &value, sizeof value);
}

template <class T>
  requires std::is_trivially_copyable_v<T>
void get(ByteReader& in, T& value) {
  const auto bytes = in.raw(sizeof value);
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
}

template <class T>
void put_all(ByteWriter& out, const std::vector<T>& values) {
  out.varint(values.size());
  for (const T& value : values) put(out, value);
}

template <class T>
void get_all(ByteReader& in, std::vector<T>& values) {
  const std::uint64_t count = in.varint_up_to(in.left() / sizeof(T));
  values.resize(static_cast<std::size_t>(count));
  for (T& value : values) get(in, value);
}

/// Everything but the times of day and the lists.
template <class Outcome, class Each>
void each_number(Outcome& outcome, Each&& each) {
  each(outcome.rounds);
  each(outcome.most_rounds);
  each(outcome.messages);
  each(outcome.frames);
  each(outcome.bytes);
  each(outcome.parameters);
  each(outcome.taken);
  each(outcome.vertices);
  each(outcome.edges);
  each(outcome.computing);
  each(outcome.converged);
  each(outcome.forecasts);
  each(outcome.snapshots);
}

}  // namespace

void write_outcome(const NodeOutcome& outcome, ByteWriter& out) {
  put(out, outcome.end - outcome.begin);
  each_number(outcome, [&](const auto& value) { put(out, value); });
  put_all(out, outcome.worker_times);
  put_all(out, outcome.worker_rounds);
  std::vector<RoundRecord> records = outcome.records;
  for (RoundRecord& record : records) {
    record.begin = Instant(record.begin - outcome.begin);
    record.end = Instant(record.end - outcome.begin);
  }
  put_all(out, records);
  out.varint(outcome.round_log.size());
  for (const RoundSample& sample : outcome.round_log) {
    put(out, sample.seconds);
    put_all(out, sample.features);
  }
}

bool read_outcome(ByteReader& in, NodeOutcome& outcome) {
  Duration length{};
  get(in, length);
  outcome.begin = Instant();
  outcome.end = Instant(length);
  each_number(outcome, [&](auto& value) { get(in, value); });
  get_all(in, outcome.worker_times);
  get_all(in, outcome.worker_rounds);
  get_all(in, outcome.records);
  outcome.round_log.resize(in.varint_up_to(in.left() / sizeof(double)));
  for (RoundSample& sample : outcome.round_log) {
    get(in, sample.seconds);
    get_all(in, sample.features);
  }
  return !in.failed() && in.at_end();
}

}  // namespace leeway::pie
