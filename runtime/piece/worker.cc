#include "runtime/piece/worker.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/log.h"
#include "runtime/cluster/group.h"

namespace leeway::piece {

namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max() / 2;

std::uint64_t key(PieceId piece, TickId tick) {
  return std::uint64_t{piece.value()} << 32U | tick.value();
}

std::uint32_t horizon_of(const ErasedProgram& program, const PieceOptions& options) {
  if (has_barrier(options.system)) return 1;
  return program.may_terminate() ? std::max(options.horizon, 1U) : kNever;
}

}  // namespace

Worker::Worker(Endpoint& endpoint, const ErasedProgram& program, const PieceOptions& options,
               Clocks clocks)
    : endpoint_(endpoint),
      program_(program),
      options_(options),
      layout_(program.layout()),
      clocks_(clocks),
      self_(endpoint.self()),
      reports_every_tick_(has_barrier(options.system) || program.may_terminate()),
      horizon_(horizon_of(program, options)),
      ownership_(layout_, self_, options),
      synchronization_(layout_),
      ready_(options, TickId(horizon_)),
      batcher_(endpoint, options.hold, options.compress ? &compressor_ : nullptr),
      threads_(options.threads),
      run_length_(threads_.count(), std::chrono::microseconds(10)) {
  endpoint.expect_kinds(static_cast<std::uint8_t>(PieceMessageKind::Packed) + 1);
  if (options.system == System::AsyTickPlb) holdings_.emplace(layout_, self_);
  if (self_ == kMaster) master_ = std::make_unique<Master>(program, options, endpoint.node_count());
}

Status Worker::run() {
  start_ = last_report_ = endpoint_.now();
  record_.begin = record_.end = clocks_.shared ? start_ : Instant();
  record_.trace = options_.trace;
  load();
  if (master_ != nullptr) show_phase("computing", options_.ticks, "ticks");
  while (!over_) pump();
  batcher_.send_all();
  // The run may have ended while a stop was requested; the master knows.
  const std::uint8_t complete = master_ != nullptr && master_->has_all_values() ? 1 : 0;
  if (endpoint_.group().broadcast(complete, kMaster) == 0) return fail(stopped_error());
  gather_records();
  receive();  // what other workers have sent before
  return {};
}

void Worker::gather_records() {
  Counters& counters = record_.counters;
  counters[Counter::Frames] = batcher_.frames();
  counters[Counter::BytesSent] = batcher_.bytes();
  counters[Counter::Iterations] = samples_.size();
  for (const TickSample& tick : samples_) {
    counters.spend(Counter::ComputeTime, Duration(tick.computing()));
    record_.iterations.push_back(
        {.at = record_.begin + Duration(tick.end), .visited = tick.pieces});
    if (tick.measured > 0) record_.iterations.back().residual = tick.moved;
  }
  auto all = endpoint_.group().gather(std::pair(record_, samples_));
  if (master_ == nullptr) return;
  for (auto& [record, samples] : all) master_->take_record(std::move(record), std::move(samples));
}

void Worker::load() {
  for (const PieceId piece : ownership_.mine(TickId(0))) {
    const std::shared_ptr<Task> task = program_.load(piece);
    if (options_.frame_every > 0 || options_.ticks == 0) send_values(TickId(0), piece, *task);
    if (options_.ticks > 0) publish(piece, TickId(0), task);
  }
}

std::size_t Worker::receive() {
  return endpoint_.receive(
      [this](NodeId from, std::span<const std::byte> frame) { on_frame(from, frame); });
}

void Worker::pump() {
  const std::size_t got = receive();
  check_stop();
  if (over_) return;
  if (!ready_.empty()) {
    work();
    if (holdings_) report_progress();
    batcher_.send_due();
    return;
  }
  batcher_.send_all();
  if (got == 0 && !over_) idle();
}

void Worker::check_stop() {
  if (over_) return;
  if (is_set(options_.stop)) endpoint_.group().stop();
  if (endpoint_.group().stopped()) over_ = stopped_ = true;
}

/// Sleeps until something arrives; the trace records the piece it waited for.
void Worker::idle() {
  awake_.reset();
  const Instant from = endpoint_.now();
  endpoint_.wait({"a piece that can be run"});
  const Instant to = endpoint_.now();
  waited_ += (to - from).count();
  if (!options_.trace || to == from) return;
  ActivitySpan wait{.activity = Activity::Wait,
                    .begin = on_record(from),
                    .end = on_record(to),
                    .tick = 0,
                    .piece = 0};
  TickId least(kNever);
  for (const auto& [place, task] : state_) {
    const TickId tick(static_cast<std::uint32_t>(place));
    const PieceId piece(static_cast<std::uint32_t>(place >> 32U));
    if (tick > least || (tick == least && piece.value() > wait.piece)) continue;
    least = tick;
    wait.piece = piece.value();
  }
  if (least != TickId(kNever)) {
    wait.tick = least.value();
    const auto missing = synchronization_.missing(PieceId(wait.piece), least);
    if (!missing.empty()) {
      wait.waits_for_piece = missing.front().value();
      wait.waits_for_node = owner(missing.front(), least).value();
    }
  }
  record_.span(wait);
}

TickSample& Worker::sample(TickId tick) {
  if (samples_.size() <= tick.index()) samples_.resize(tick.index() + 1);
  return samples_[tick.index()];
}

/// The sum of a piece's load in the round of `tick`; null if loads are not measured.
PieceLoad* Worker::load(PieceId piece, TickId tick) {
  const std::uint32_t round = ownership_.rounds().round_of(tick);
  return round > 0 ? &loads_[round][piece] : nullptr;
}

/// Charges the cost of waking a task. A task that has just processed takes its next arrival without it.
void Worker::wake(PieceId piece, TickId tick) {
  if (options_.wake == Duration(0) || (awake_ == std::pair(piece, tick))) return;
  awake_ = {piece, tick};
  endpoint_.charge(options_.wake);
}

/// Processes (Begin…End) one arrival, or several on several threads, and finishes the tasks whose last arrival it
/// was.
void Worker::work() {
  // Per thread: enough for the threads to pay, few enough not to delay other work.
  constexpr std::size_t kTaskRuns = 16;
  const std::size_t most = threads_.count() == 1 ? 1 : kTaskRuns * threads_.count();
  task_runs_.clear();
  while (task_runs_.size() < most && !ready_.empty()) begin(ready_.pop());
  process_task_runs();
  for (const TaskExecution& done : task_runs_) {
    if (stopped_ || over_) return;  // the last tick has ended; these are beyond it
    end(done);
  }
}

void Worker::begin(PieceArrival arrival) {
  if (holdings_ && !admitted(arrival)) return;
  wake(arrival.piece, arrival.tick);
  auto& slot = state_[key(arrival.piece, arrival.tick)];
  if (slot == nullptr) slot = program_.task(arrival.piece, arrival.tick);
  if (!synchronization_.note(arrival.piece, arrival.tick, arrival.diffused.from)) {
    LEEWAY_CHECK(arrival.sender != self_, "piece", arrival.piece, "tick", arrival.tick);
    endpoint_.refuse(arrival.sender);
  }
  const bool all_in = synchronization_.barrier(arrival.piece, arrival.tick);
  ++record_.counters[Counter::Arrivals];
  task_runs_.emplace_back(endpoint_, std::move(arrival), slot, all_in);
}

/// Arrivals for one task are processed one after the other, on one thread.
void Worker::process_task_runs() {
  const auto process = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) task_runs_[i].process();
  };
  if (threads_.count() == 1) return process(0, task_runs_.size());
  const Instant begin = endpoint_.now();
  if (!run_length_.worth_threads(task_runs_.size())) {
    process(0, task_runs_.size());
    return run_length_.took(task_runs_.size(), endpoint_.now() - begin, false);
  }
  queues_.clear();
  for (std::size_t i = 0; i < task_runs_.size(); ++i) {
    if (i == 0 || task_runs_[i].task() != task_runs_[i - 1].task()) queues_.push_back(i);
  }
  queues_.push_back(task_runs_.size());
  threads_.for_chunks(queues_.size() - 1, 1, [&](std::size_t first, std::size_t last) {
    process(queues_[first], queues_[last]);
  });
  run_length_.took(task_runs_.size(), endpoint_.now() - begin, true);
}

void Worker::end(const TaskExecution& done) {
  TickSample& now = sample(done.tick());
  if (now.begin == 0) now.begin = since_start(done.begin());
  book(done, false, done.begin());
  if (done.is_synchronous()) book(done, true, done.asynchronous().end);
  LEEWAY_REQUIRE(
      done.diffused() == done.all_in(),
      format("process: piece {} in tick {}: call diffuse() once barrier() is true, and not before",
             done.piece().value(), done.tick().value()));
  if (!done.all_in()) return;
  synchronization_.forget(done.piece(), done.tick());
  state_.erase(key(done.piece(), done.tick()));
  finish(done.piece(), done.tick(), done.task());
}

/// Charges the work of one part of a task, and accounts for the time since its begin.
void Worker::book(const TaskExecution& done, bool synchronous, Instant since) {
  const TaskExecution::TickWork& part = synchronous ? done.synchronous() : done.asynchronous();
  if (clocks_.simulated) since = endpoint_.now();  // time passes below
  if (options_.disturbance) {
    const std::uint64_t percent = options_.disturbance(self_, done.tick());
    endpoint_.charge(Work{.picoseconds = options_.cost.price(part.work) / 100 * percent});
  } else {
    endpoint_.charge(part.work);
  }
  const Instant end = clocks_.simulated ? endpoint_.now() : part.end;
  const std::int64_t took = (end - since).count();
  TickSample& tick = sample(done.tick());
  (synchronous ? tick.synchronous : tick.asynchronous) += took;
  tick.end = since_start(end);
  if (PieceLoad* const load = this->load(done.piece(), done.tick()))
    load->nanoseconds += static_cast<std::uint64_t>(took);
  if (holdings_) holdings_->spend(done.piece(), done.tick(), static_cast<std::uint64_t>(took));
  if (options_.trace && took > 0) {
    record_.span({.activity = synchronous ? Activity::Set : Activity::Update,
                  .begin = on_record(since),
                  .end = on_record(end),
                  .tick = done.tick().value(),
                  .piece = done.piece().value()});
  }
}

/// The piece has its values for the next tick.
void Worker::finish(PieceId piece, TickId tick, std::shared_ptr<Task> task) {
  const TickId next = tick.next();
  ++sample(tick).pieces;
  if (master_ != nullptr) show_done(samples_.size());
  if (PieceLoad* const load = this->load(piece, tick)) ++load->ticks;
  const double change = task->moved().most;
  if (program_.measures(tick)) {
    ++sample(tick).measured;
    sample(tick).moved.add(task->moved());
  }
  const bool last = next.value() == options_.ticks;
  record_.end = on_record(endpoint_.now());
  record_.counters[Counter::WaitTime] = static_cast<std::uint64_t>(waited_);
  // If the program may end after any tick, values are sent after that tick has been found to be the last or not.
  if (program_.may_terminate()) {
    kept_[tick].push_back({piece, next, task});
  } else if (last || is_shown(options_, next) || is_kept(options_, next)) {
    send_values(next, piece, *task);
  }
  const bool leaves = holdings_ && hand_over(piece, next);
  if (!last) publish(piece, next, task);
  if (leaves) forward_arrivals(piece, ready_.take_out(piece));
  count_done(piece, tick, change);
}

void Worker::count_done(PieceId piece, TickId tick, double change) {
  DoneTick& so_far = done_[tick];
  so_far.pieces.push_back(piece);
  so_far.change = std::max(so_far.change, change);
  if (holdings_) return send_tallies();
  if (so_far.pieces.size() < ownership_.mine(tick).size()) return;
  const DoneTick done = std::move(so_far);
  done_.erase(tick);
  if (const std::uint32_t round = ownership_.rounds().round_measured(tick); round > 0) {
    report_loads(round, tick);
  }
  move_through(tick);
  if (reports_every_tick_) send_tally(tick, done);
}

void Worker::send_tally(TickId tick, const DoneTick& done) {
  const auto count = static_cast<std::uint32_t>(done.pieces.size());
  const auto listed = holdings_ ? std::span(done.pieces) : std::span<const PieceId>();
  if (master_ != nullptr) {
    LEEWAY_CHECK(master_->take_tally(self_, tick, count, listed, done.change), "tick", tick);
    return give_verdicts();
  }
  ByteWriter& out = batcher_.begin(kMaster, PieceMessageKind::Tally);
  out.varint(tick.value());
  out.varint(count);
  for (const PieceId piece : listed) out.varint(piece.value());
  out.real(done.change);
  batcher_.written(kMaster);
}

void Worker::report_loads(std::uint32_t round, TickId tick) {
  const auto pieces = static_cast<std::uint32_t>(ownership_.mine(tick).size());
  const auto measured = loads_.extract(round);
  LEEWAY_CHECK(!measured.empty(), "round", round);
  const std::vector<std::pair<PieceId, PieceLoad>> loads(measured.mapped().begin(),
                                                         measured.mapped().end());
  if (master_ != nullptr) {
    master_->profile().take(self_, round, pieces, loads);
    return check_map();
  }
  ByteWriter& out = batcher_.begin(kMaster, PieceMessageKind::Loads);
  out.varint(round);
  out.varint(pieces);
  out.varint(loads.size());
  for (const auto& [piece, load] : loads) {
    out.varint(piece.value());
    out.varint(load.nanoseconds);
    out.varint(load.ticks);
  }
  batcher_.written(kMaster);
}

/// Notes that `tick` is done here; drops maps that are no longer needed.
void Worker::move_through(TickId tick) {
  complete_.insert(tick);
  while (ownership_.known(through_) &&
         (complete_.erase(through_) > 0 || ownership_.mine(through_).empty())) {
    through_ = through_.next();
    if (through_.value() >= options_.ticks) return;
  }
  // The master checks tallies by the owners of their tick, and a worker what arrives by those of the tick before.
  const bool checks_tallies = master_ != nullptr && reports_every_tick_;
  const TickId first = checks_tallies ? std::min(through_, master_->next()) : through_;
  if (first > TickId(0)) ownership_.forget_before(TickId(first.value() - 1));
}

/// Diffuse(P): sends one message to each worker that owns a piece that needs this one at `tick`.
void Worker::publish(PieceId piece, TickId tick, const std::shared_ptr<Task>& task) {
  std::vector<std::pair<NodeId, PieceId>> readers;
  for (const PieceId other : layout_.around(piece)) {
    const NodeId owner = this->owner(other, tick);
    if (owner != self_) readers.emplace_back(owner, other);
  }
  std::sort(readers.begin(), readers.end());
  std::vector<PieceId> to;
  std::vector<std::byte> values;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    to.push_back(readers[i].second);
    const NodeId worker = readers[i].first;
    if (i + 1 < readers.size() && readers[i + 1].first == worker) continue;
    values.clear();
    // A piece that moves takes all its values along.
    const bool moves = std::find(to.begin(), to.end(), piece) != to.end();
    if (moves) {
      const auto all = task->values();
      values.assign(all.begin(), all.end());
    } else {
      task->spread(to, values);
    }
    write_diffused(worker, piece, tick, moves, to, values);
    to.clear();
  }
  deliver(self_,
          {.from = piece, .whole = true, .bytes = task->values(), .keep = task, .task = task.get()},
          tick);
}

/// The receiver knows the readers from its map, unless pieces move without barriers.
void Worker::write_diffused(NodeId to, PieceId piece, TickId tick, bool whole,
                            std::span<const PieceId> readers, std::span<const std::byte> values) {
  ByteWriter& out = batcher_.begin(to, PieceMessageKind::Diffuse);
  out.varint(piece.value());
  out.varint(tick.value());
  out.varint(static_cast<std::uint64_t>(endpoint_.now().time_since_epoch().count()));
  out.byte(whole ? 1 : 0);
  if (holdings_) {
    out.varint(holdings_->owner(piece).value());
    out.varint(readers.size());
    for (const PieceId reader : readers) out.varint(reader.value());
  }
  out.varint(values.size());
  out.raw(values);
  (void)out.extend(padding(values.size(), whole));
  batcher_.written(to);
  ++record_.counters[Counter::Messages];
}

/// The number of zeros that follow diffused values (PieceOptions::needed_bytes).
std::size_t Worker::padding(std::size_t bytes, bool whole) const {
  const double scale = whole ? options_.moved_bytes : options_.needed_bytes;
  return static_cast<std::size_t>(static_cast<double>(bytes) * (scale - 1));
}

/// Message distribution: queues the information for all pieces here that need it.
void Worker::deliver(NodeId sender, const Diffused& diffused, TickId tick) {
  if (stopped_) return;
  if (holdings_) {
    for (const PieceId piece : layout_.around(diffused.from)) {
      if (holdings_->owner(piece) == self_)
        ready_.push({piece, tick, diffused, sender}, holdings_->distance(piece));
    }
    return;
  }
  const auto readers = ownership_.readers(diffused.from, tick);
  if (sender != self_ && (readers.empty() || !diffuses(sender, diffused.from, tick)))
    endpoint_.refuse(sender);
  for (const PieceId piece : readers) {
    ready_.push({piece, tick, diffused, sender}, ownership_.distance(piece, tick));
  }
}

/// Whether the worker had the piece before `tick`, which has not ended here.
bool Worker::diffuses(NodeId sender, PieceId piece, TickId tick) const {
  if (tick < through_) return false;
  return ownership_.owner(piece, tick == TickId(0) ? tick : TickId(tick.value() - 1)) == sender;
}

void Worker::send_values(TickId tick, PieceId piece, const Task& task) {
  const auto values = task.values();
  if (master_ != nullptr) {
    LEEWAY_CHECK(master_->take_values(tick, piece, values), "piece", piece, "tick", tick);
    return check_over();
  }
  ByteWriter& out = batcher_.begin(kMaster, PieceMessageKind::Values);
  out.varint(tick.value());
  out.varint(piece.value());
  out.varint(values.size());
  out.raw(values);
  batcher_.written(kMaster);
}

namespace {

// Reading of message fields.
TickId tick_of(ByteReader& in, std::uint32_t most) {
  return TickId(static_cast<std::uint32_t>(in.varint_up_to(most)));
}

PieceId piece_of(ByteReader& in, const PieceLayout& layout) {
  return PieceId(static_cast<std::uint32_t>(in.varint_up_to(layout.count() - 1)));
}

}  // namespace

void Worker::on_frame(NodeId from, std::span<const std::byte> frame) {
  const bool packed =
      !frame.empty() && static_cast<PieceMessageKind>(frame[0]) == PieceMessageKind::Packed;
  if (!packed) return read_messages(from, frame);
  const auto unpacked = compressor_.unpack(frame.subspan(1));
  if (!unpacked) endpoint_.refuse(from);
  endpoint_.charge(Work{.picoseconds = unpacked->size() * FrameCompressor::kUnpackPs});
  // Reading can send, and so compress.
  const std::vector<std::byte> messages(unpacked->begin(), unpacked->end());
  read_messages(from, messages);
}

void Worker::read_messages(NodeId from, std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  while (!in.at_end()) {
    read_message(from, in);
    if (in.failed()) endpoint_.refuse(from);
  }
}

void Worker::read_message(NodeId from, ByteReader& in) {
  const auto kind = static_cast<PieceMessageKind>(in.byte());
  switch (kind) {
    case PieceMessageKind::Diffuse:
      return on_diffuse(from, in);
    case PieceMessageKind::Tally:
      return on_tally(from, in);
    case PieceMessageKind::Release: {
      const TickId tick = tick_of(in, options_.ticks);
      const bool last = in.byte() != 0;
      if (in.failed() || from != kMaster || tick != released_) return in.fail();
      return on_release(tick, last);
    }
    case PieceMessageKind::Loads:
      return on_loads(from, in);
    case PieceMessageKind::Progress:
      return on_progress(from, in);
    case PieceMessageKind::Give:
      return from == kMaster ? on_give(in) : in.fail();
    case PieceMessageKind::Map:
      return from == kMaster ? on_map(in) : in.fail();
    case PieceMessageKind::Values:
      return on_values(in);
    case PieceMessageKind::Over:
      if (from != kMaster || over_) return in.fail();
      over_ = true;
      return;
    case PieceMessageKind::Packed:
      return in.fail();  // not within a frame
  }
  in.fail();
}

void Worker::on_values(ByteReader& in) {
  const TickId tick = tick_of(in, options_.ticks);
  const PieceId piece = piece_of(in, layout_);
  const auto values = in.raw(in.varint());
  if (in.failed() || master_ == nullptr) return in.fail();
  const std::vector<std::byte> aligned(values.begin(), values.end());
  if (!program_.accepts(piece, true, aligned)) return in.fail();
  if (!master_->take_values(tick, piece, values)) return in.fail();
  check_over();
}

void Worker::on_diffuse(NodeId from, ByteReader& in) {
  const PieceId piece = piece_of(in, layout_);
  const TickId tick = tick_of(in, options_.ticks - 1);
  const auto sent = static_cast<Duration::rep>(in.varint());
  const bool whole = in.byte() != 0;
  NodeId holder(0);
  std::vector<PieceId> readers;
  if (holdings_) {
    holder = NodeId(static_cast<std::uint32_t>(in.varint_up_to(endpoint_.node_count() - 1)));
    const std::uint64_t count = in.varint_up_to(layout_.count());
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i)
      readers.push_back(piece_of(in, layout_));
  }
  const auto bytes = in.raw(in.varint());
  (void)in.raw(padding(bytes.size(), whole));
  if (in.failed() || stopped_) return;
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  if (!program_.accepts(piece, whole, *copy)) return in.fail();
  const Diffused diffused{.from = piece, .whole = whole, .bytes = *copy, .keep = copy};
  if (clocks_.shared) {
    TickSample& now = sample(tick);
    now.flight = std::max(now.flight, endpoint_.now().time_since_epoch().count() - sent);
  }
  if (holdings_) {
    for (const PieceId reader : readers) {
      const auto around = layout_.around(reader);
      const bool needs = std::binary_search(around.begin(), around.end(), piece);
      if (!needs || (reader == piece && !holdings_->may_take(piece, tick))) return in.fail();
    }
    holdings_->note_owner(piece, holder, tick);
    return deliver_to(from, readers, diffused, tick);
  }
  if (ownership_.known(tick)) {
    deliver(from, diffused, tick);
  } else {
    early_.push_back({from, tick, diffused});
  }
}

void Worker::on_tally(NodeId from, ByteReader& in) {
  const TickId tick = tick_of(in, options_.ticks - 1);
  const auto count = static_cast<std::uint32_t>(in.varint_up_to(layout_.count()));
  std::vector<PieceId> listed;
  for (std::uint32_t i = 0; holdings_ && i < count && !in.failed(); ++i)
    listed.push_back(piece_of(in, layout_));
  const double change = in.real();
  if (in.failed() || master_ == nullptr || !reports_every_tick_) return in.fail();
  const bool all = holdings_ ? count > 0
                             : tick < master_->next() || (ownership_.known(tick) &&
                                                          ownership_.count(from, tick) == count);
  if (!all || !master_->take_tally(from, tick, count, listed, change)) return in.fail();
  give_verdicts();
}

void Worker::give_verdicts() {
  while (const auto verdict = master_->next_verdict()) {
    send_to_all(PieceMessageKind::Release, [&](ByteWriter& out) {
      out.varint(verdict->tick.value());
      out.byte(verdict->last ? 1 : 0);
    });
    on_release(verdict->tick, verdict->last);
  }
}

/// All pieces have finished `tick`.
void Worker::on_release(TickId tick, bool last) {
  released_ = tick.next();
  if (stopped_) return;
  if (!last) {
    for (auto done = kept_.begin(); done != kept_.end() && done->first <= tick;
         done = kept_.erase(done)) {
      for (const HeldMessage& piece : done->second) {
        if (is_shown(options_, piece.tick) || is_kept(options_, piece.tick))
          send_values(piece.tick, piece.piece, *piece.task);
      }
    }
    ready_.move_gate(TickId(tick.value() + 1 + horizon_));
    return;
  }
  // Workers that were ahead of the last tick drop their work.
  stopped_ = true;
  ready_.clear();
  set_aside_.clear();
  const auto result = kept_.extract(tick);
  kept_.clear();
  if (result.empty()) return;
  for (const HeldMessage& piece : result.mapped())
    send_values(piece.tick, piece.piece, *piece.task);
}

void Worker::on_loads(NodeId from, ByteReader& in) {
  const auto round = static_cast<std::uint32_t>(in.varint_up_to(0xFFFFFFFF));
  const auto pieces = static_cast<std::uint32_t>(in.varint_up_to(layout_.count()));
  const std::uint64_t count = in.varint_up_to(layout_.count());
  std::vector<std::pair<PieceId, PieceLoad>> loads;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const PieceId piece = piece_of(in, layout_);
    const std::uint64_t nanoseconds = in.varint();
    const auto ticks = static_cast<std::uint32_t>(in.varint_up_to(options_.balance_every));
    loads.push_back({piece, {nanoseconds, ticks}});
  }
  if (in.failed() || master_ == nullptr) return in.fail();
  if (stopped_ || over_) return;
  // All loads of a round arrive before its map is made, and those of the next round after that.
  const auto tick = ownership_.rounds().end_of(round);
  if (!tick || round != ownership_.learnt() + 1 || ownership_.count(from, *tick) != pieces ||
      master_->profile().has_reported(from, round))
    return in.fail();
  master_->profile().take(from, round, pieces, loads);
  check_map();
}

void Worker::check_map() {
  if (stopped_ || over_) return;
  const auto changes = master_->next_map(ownership_);
  if (!changes) return;
  send_to_all(PieceMessageKind::Map, [&](ByteWriter& out) {
    out.varint(changes->size());
    for (const Ownership::Change& change : *changes) {
      out.varint(change.piece.value());
      out.varint(change.owner.value());
    }
  });
  learn(*changes);
}

void Worker::on_map(ByteReader& in) {
  const std::uint64_t count = in.varint_up_to(layout_.count());
  std::vector<Ownership::Change> changes;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const PieceId piece = piece_of(in, layout_);
    const auto owner = static_cast<std::uint32_t>(in.varint_up_to(endpoint_.node_count() - 1));
    changes.push_back({piece, NodeId(owner)});
  }
  if (in.failed() || !is_due(changes)) return in.fail();
  learn(changes);
}

/// Whether this can be the next map: its changes are changes, and this worker has reported the loads that the map is made
/// from.
bool Worker::is_due(std::span<const Ownership::Change> changes) const {
  const auto owners = ownership_.latest();
  for (const Ownership::Change& change : changes) {
    if (owners[change.piece.index()] == change.owner) return false;
  }
  const auto tick = ownership_.rounds().end_of(ownership_.learnt() + 1);
  return stopped_ || (tick && (complete_.contains(*tick) || *tick < through_ ||
                               ownership_.count(self_, *tick) == 0));
}

/// From the tick of the new map on, information is diffused to the new owners. A piece moves by the information that
/// it diffuses to itself.
void Worker::learn(std::span<const Ownership::Change> changes) {
  for (const Ownership::Change& change : changes)
    record_.counters[Counter::MovedIn] += change.owner == self_ ? 1U : 0U;
  ownership_.learn(changes);
  for (EarlyMessage& early : std::exchange(early_, {})) {
    if (ownership_.known(early.tick)) {
      deliver(early.sender, early.diffused, early.tick);
    } else {
      early_.push_back(std::move(early));
    }
  }
}

void Worker::check_over() {
  if (over_ || !master_->has_all_values()) return;
  over_ = true;
  send_to_all(PieceMessageKind::Over, [](ByteWriter&) {});
}

// Without barriers, the master orders a worker to give a piece to another one. The worker does so when the piece has
// finished a tick and no information for its next tick has been processed. The information that the piece diffuses to
// itself then goes to the new owner, and information that arrived for it is forwarded.

/// Whether the arrival may be processed here and now.
bool Worker::admitted(const PieceArrival& arrival) {
  const PieceId piece = arrival.piece;
  if (holdings_->gone(piece) && holdings_->owner(piece) != self_) {
    forward_arrivals(piece, {arrival});
    return false;
  }
  if (!holdings_->here(piece) || !holdings_->ordered(piece)) return true;
  if (arrival.tick == holdings_->tick(piece)) return true;
  set_aside_[piece].push_back(arrival);
  return false;
}

/// The piece has reached `next`. Returns true if it continues at another worker.
bool Worker::hand_over(PieceId piece, TickId next) {
  const auto to = holdings_->ordered(piece);
  const bool last = next.value() == options_.ticks;
  const auto key = std::uint64_t{piece.value()} << 32U | next.value();
  if (to && !last && *to != self_ && !state_.contains(key)) {
    holdings_->give(piece, *to, next);
    return true;
  }
  holdings_->advance(piece, next);
  // Information set aside is for this tick, which the piece processes here after all.
  const auto aside = set_aside_.extract(piece);
  if (aside.empty()) return false;
  for (const PieceArrival& arrival : aside.mapped())
    ready_.push(arrival, holdings_->distance(piece));
  return false;
}

/// Forwards information that arrived for a piece to its new owner; of the values of a piece here, those that it needs.
void Worker::forward_arrivals(PieceId piece, std::vector<PieceArrival> arrivals) {
  if (auto aside = set_aside_.extract(piece); !aside.empty()) {
    arrivals.insert(arrivals.end(), aside.mapped().begin(), aside.mapped().end());
  }
  for (const PieceArrival& arrival : arrivals) {
    const Diffused& diffused = arrival.diffused;
    const NodeId owner = holdings_->owner(piece);
    if (diffused.task != nullptr && diffused.from != piece) {
      std::vector<std::byte> needed;
      diffused.task->spread(std::span(&piece, 1), needed);
      write_diffused(owner, diffused.from, arrival.tick, false, std::span(&piece, 1), needed);
    } else {
      write_diffused(owner, diffused.from, arrival.tick, diffused.whole, std::span(&piece, 1),
                     diffused.bytes);
    }
  }
}

/// Message distribution to the addressed pieces. A piece's own information for itself means that the piece has moved
/// here.
void Worker::deliver_to(NodeId sender, std::span<const PieceId> readers, const Diffused& diffused,
                        TickId tick) {
  for (const PieceId reader : readers) {
    if (reader == diffused.from) {
      holdings_->take(reader, tick);
      ++record_.counters[Counter::MovedIn];
    }
    ready_.push({reader, tick, diffused, sender}, holdings_->distance(reader));
  }
}

/// Reports ticks that no piece here is working on any more; a piece that arrives later is reported then.
void Worker::send_tallies() {
  if (!reports_every_tick_) return done_.clear();
  while (!done_.empty() && holdings_->beyond(done_.begin()->first)) {
    const auto [tick, done] = *done_.begin();
    done_.erase(done_.begin());
    send_tally(tick, done);
    if (stopped_) return;
  }
}

/// Reports the ticks of all pieces here to the master, every few ticks.
void Worker::report_progress() {
  const Instant now = endpoint_.now();
  const auto ticks = static_cast<Duration::rep>(holdings_->first().value()) + 1;
  if ((now - last_report_) * ticks <= (now - start_) * options_.balance_every) return;
  last_report_ = now;
  const std::vector<PieceProgress> report = holdings_->report();
  if (master_ != nullptr) {
    master_->progress().take(self_, report, now);
    return check_moves();
  }
  ByteWriter& out = batcher_.begin(kMaster, PieceMessageKind::Progress);
  out.varint(report.size());
  for (const PieceProgress& each : report) {
    out.varint(each.piece.value());
    out.varint(each.tick.value());
    out.varint(each.nanoseconds);
    out.varint(each.ticks);
    out.varint(each.under_way);
  }
  batcher_.written(kMaster);
}

void Worker::on_progress(NodeId from, ByteReader& in) {
  const std::uint64_t count = in.varint_up_to(layout_.count());
  std::vector<PieceProgress> report;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    PieceProgress& each = report.emplace_back();
    each.piece = PieceId(static_cast<std::uint32_t>(in.varint_up_to(layout_.count() - 1)));
    each.tick = TickId(static_cast<std::uint32_t>(in.varint_up_to(options_.ticks)));
    each.nanoseconds = in.varint();
    each.ticks = static_cast<std::uint32_t>(in.varint_up_to(options_.ticks));
    each.under_way = in.varint();
  }
  if (in.failed() || master_ == nullptr || !holdings_) return in.fail();
  master_->progress().take(from, report, endpoint_.now());
  check_moves();
}

void Worker::check_moves() {
  if (stopped_ || over_) return;
  std::map<NodeId, std::vector<MasterProgress::Move>> orders;
  for (const MasterProgress::Move& move : master_->progress().moves(endpoint_.now())) {
    if (move.from == self_) {
      holdings_->order(move.piece, move.to);
    } else {
      orders[move.from].push_back(move);
    }
  }
  for (const auto& [giver, moves] : orders) {
    ByteWriter& out = batcher_.begin(giver, PieceMessageKind::Give);
    out.varint(moves.size());
    for (const MasterProgress::Move& move : moves) {
      out.varint(move.piece.value());
      out.varint(move.to.value());
    }
    batcher_.written(giver);
  }
  if (!orders.empty()) batcher_.send_all();
}

void Worker::on_give(ByteReader& in) {
  const std::uint64_t count = in.varint_up_to(layout_.count());
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const auto piece = static_cast<std::uint32_t>(in.varint_up_to(layout_.count() - 1));
    const auto to = static_cast<std::uint32_t>(in.varint_up_to(endpoint_.node_count() - 1));
    if (!holdings_) return in.fail();
    if (!in.failed()) holdings_->order(PieceId(piece), NodeId(to));
  }
}

}  // namespace leeway::piece
