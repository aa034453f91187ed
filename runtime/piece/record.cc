#include "leeway/runtime/piece/record.h"

#include <algorithm>
#include <cstring>

#include "leeway/base/bytes.h"

namespace leeway::piece {

namespace {

constexpr double kNano = 1e-9;

/// max / mean − 1; 0 where there is nothing.
template <class Values, class Measure>
double imbalance(const Values& values, Measure&& measure) {
  double greatest = 0;
  double sum = 0;
  for (const auto& value : values) {
    const double one = measure(value);
    greatest = std::max(greatest, one);
    sum += one;
  }
  return sum > 0 ? greatest * static_cast<double>(values.size()) / sum - 1 : 0;
}

template <class T>
void put(ByteWriter& out, const std::vector<T>& list) {
  out.varint(list.size());
  out.raw(std::as_bytes(std::span(list)));
}

template <class T>
void take(ByteReader& in, std::vector<T>& list) {
  const std::uint64_t count = in.varint_up_to(in.left() / sizeof(T));
  const auto bytes = in.raw(count * sizeof(T));
  list.resize(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
}

}  // namespace

std::int64_t WorkerRecord::computing() const {
  std::int64_t sum = 0;
  for (const TickSample& tick : ticks) sum += tick.computing();
  return sum;
}

std::vector<std::byte> packed(const WorkerRecord& record) {
  ByteWriter out;
  for (const std::int64_t time : {record.begin, record.finished, record.waited})
    out.varint(static_cast<std::uint64_t>(time));
  for (const std::uint64_t count :
       {record.letters, record.frames, record.bytes, record.arrivals, record.moved_in})
    out.varint(count);
  put(out, record.ticks);
  put(out, record.stretches);
  return out.take();
}

Result<WorkerRecord> unpacked(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  WorkerRecord record;
  for (std::int64_t* const time : {&record.begin, &record.finished, &record.waited})
    *time = static_cast<std::int64_t>(in.varint());
  for (std::uint64_t* const count :
       {&record.letters, &record.frames, &record.bytes, &record.arrivals, &record.moved_in})
    *count = in.varint();
  take(in, record.ticks);
  take(in, record.stretches);
  if (in.failed() || !in.at_end()) {
    return fail(Error{ErrorKind::Peer, "piece engine", "a worker's record cannot be read",
                      "run the same build on every node"});
  }
  return record;
}

double PieceRecord::seconds() const {
  if (workers.empty()) return 0;
  std::int64_t last = 0;
  std::int64_t longest = 0;
  std::int64_t first = workers.front().begin;
  for (const WorkerRecord& worker : workers) {
    first = std::min(first, worker.begin);
    last = std::max(last, worker.finished);
    longest = std::max(longest, worker.finished - worker.begin);
  }
  return static_cast<double>(one_clock ? last - first : longest) * kNano;
}

double PieceRecord::asynchronous_share() const {
  double asynchronous = 0;
  double all = 0;
  for (const WorkerRecord& worker : workers) {
    for (const TickSample& tick : worker.ticks) {
      asynchronous += static_cast<double>(tick.asynchronous);
      all += static_cast<double>(tick.computing());
    }
  }
  return all > 0 ? asynchronous / all : 0;
}

double PieceRecord::lambda_l(TickId tick) const {
  return imbalance(workers, [&](const WorkerRecord& worker) {
    return tick.index() < worker.ticks.size()
               ? static_cast<double>(worker.ticks[tick.index()].computing())
               : 0.0;
  });
}

double PieceRecord::lambda_c(TickId tick) const {
  return imbalance(workers, [&](const WorkerRecord& worker) {
    return tick.index() < worker.ticks.size()
               ? static_cast<double>(worker.ticks[tick.index()].flight)
               : 0.0;
  });
}

double PieceRecord::overhead_share() const {
  double overhead = 0;
  double all = 0;
  for (const WorkerRecord& worker : workers) {
    all += static_cast<double>(worker.finished - worker.begin);
    overhead +=
        static_cast<double>(worker.finished - worker.begin - worker.waited - worker.computing());
  }
  return all > 0 ? std::max(overhead, 0.0) / all : 0;
}

double PieceRecord::barrier_seconds() const {
  double sum = 0;
  for (TickId tick(0); tick.value() < ticks; tick = tick.next()) {
    std::int64_t greatest = 0;
    for (const WorkerRecord& worker : workers) {
      if (tick.index() < worker.ticks.size())
        greatest = std::max(greatest, worker.ticks[tick.index()].computing());
    }
    sum += static_cast<double>(greatest) * kNano;
  }
  return sum;
}

double PieceRecord::even_seconds() const {
  double sum = 0;
  for (const WorkerRecord& worker : workers) sum += static_cast<double>(worker.computing()) * kNano;
  return workers.empty() ? 0 : sum / static_cast<double>(workers.size());
}

double PieceRecord::absorbed_skew() const {
  const double skew = barrier_seconds() - even_seconds();
  return skew > 0 ? (barrier_seconds() - seconds()) / skew : 0;
}

}  // namespace leeway::piece
