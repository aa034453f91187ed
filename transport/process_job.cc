#include "transport/process_job.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "base/unfinished_file.h"
#include "transport/membership.h"

namespace leeway {

namespace {

constexpr int kPeerExit = 4;
constexpr Duration kGrace = std::chrono::seconds(1);
constexpr Duration kWhoDied = std::chrono::milliseconds(300);
constexpr Duration kAsking = std::chrono::milliseconds(300);
constexpr Duration kWireAtMost = std::chrono::milliseconds(20);
constexpr Duration kDrain = std::chrono::seconds(20);
constexpr Duration kLinger = std::chrono::seconds(2);
/// Time between the notice of the end and the exit: no process may exit before all have received
/// the notice and closed their wire.
constexpr Duration kAllHear = std::chrono::milliseconds(20);
constexpr Duration kShortestPoll = std::chrono::microseconds(200);
constexpr Duration kLongestPoll = std::chrono::milliseconds(4);

// State that signal handlers may access: the bell of this process's only job, and why it rang.
std::atomic<const Doorbell*> signal_bell{nullptr};
std::atomic<bool> asked_for_evidence{false};
std::atomic<int> end_signal{0};

void on_hang_signal(int) {
  asked_for_evidence = true;
  if (const Doorbell* bell = signal_bell.load()) bell->ring();
}
void note_end_signal(int signal) {
  end_signal = signal;
  if (const Doorbell* bell = signal_bell.load()) bell->ring();
}

/// A signal that was ignored when the process started (nohup) stays ignored.
bool is_ignored(int signal) {
  struct sigaction now {};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

/// LEEWAYJOB_HANG_SIGNAL: "USR1", "USR2", a number, or "off".
int hang_signal() {
  const char* const text = std::getenv("LEEWAYJOB_HANG_SIGNAL");
  const std::string_view name = text == nullptr ? "USR2" : text;
  if (name == "USR2") return SIGUSR2;
  if (name == "USR1") return SIGUSR1;
  int number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;  // "off" and any text that is not a number: no signal
}

/// Frames are allocated and freed all the time. By default the allocator returns free memory above
/// 128 KiB to the system, and each page that is allocated again costs a page fault: in a receiver
/// of 8 KiB frames, most of its time.
void keep_freed_memory() {
  constexpr int kMostKept = 64 << 20;
  constexpr int kMappedFrom = 2 << 20;
  ::mallopt(M_TRIM_THRESHOLD, kMostKept);
  ::mallopt(M_MMAP_THRESHOLD, kMappedFrom);
}

}  // namespace

ControlMessage report_of(NodeId node, const Status& status) {
  ControlMessage report{.kind = ControlKind::Report, .node = node.value()};
  if (status) return report;
  report.code = static_cast<std::uint32_t>(status.error().exit_code());
  report.text = in_one_line(status.error().to_string());
  return report;
}

namespace {

/// Writes the merged evidence to a temporary file and renames it; returns the final name.
Result<std::string> write_evidence(const std::string& merged) {
  const char* const folder = std::getenv("LEEWAYJOB_EVIDENCE");
  const std::string name =
      format("{}/leeway-evidence-{}.txt", folder == nullptr ? "." : folder, ::getpid());
  const std::string aside = name + ".part";
  std::FILE* const file = std::fopen(aside.c_str(), "w");
  if (file == nullptr) {
    return fail(system_error(aside, "write", errno, "name another folder in LEEWAYJOB_EVIDENCE"));
  }
  bool good = std::fwrite(merged.data(), 1, merged.size(), file) == merged.size();
  good = std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0 && good;
  good = std::fclose(file) == 0 && good;
  if (!good || std::rename(aside.c_str(), name.c_str()) != 0) {
    const int reason = errno;
    std::remove(aside.c_str());
    return fail(system_error(name, "write", reason, "name another folder in LEEWAYJOB_EVIDENCE"));
  }
  return name;
}

}  // namespace

void keep_evidence(const std::string& merged) {
  const auto name = write_evidence(merged);
  if (name) {
    log_warning("wrote what every node waits for to {}", *name);
  } else {
    log_error("{}", name.error().to_string());
  }
}

ProcessJob::ProcessJob(JobSetup setup, const JobOptions& options)
    : setup_(std::move(setup)),
      verdict_(options.verdict),
      window_bytes_(options.window_bytes),
      transport_(std::make_unique<WireTransport>(std::move(setup_.wire), window_bytes_)),
      replacement_(setup_.generation > 0),
      polled_at_(transport_->now()),
      awake_(transport_->now(), AwakeTime::step_for(verdict_)) {
  if (setup_.owned) keep_freed_memory();
  listen();
  signal_bell = &setup_.membership->bell();
  if (const int signal = hang_signal(); signal > 0) handle(signal, on_hang_signal);
  if (setup_.owned && setup_.fabric == Fabric::Mpi) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      if (!is_ignored(signal)) handle(signal, note_end_signal);
    }
  }
}

ProcessJob::~ProcessJob() {
  signal_bell = nullptr;
  setup_.membership.reset();
}

void ProcessJob::listen() {
  MembershipHandlers handlers;
  handlers.on_down = [this](NodeId node, const std::string& why) { on_down(node, why); };
  handlers.on_lost = [this] {
    if (leaving_.load() || over_.load()) return;
    if (recoverable_.load() && lost_a_node()) return;  // its connection of the old generation
    // With mpi, node 0 holds the rendezvous; with ofi, the launcher does.
    if (setup_.fabric == Fabric::Mpi) return on_down(NodeId(0), "its process ended");
    end("the launcher is gone", kPeerExit);
  };
  handlers.on_outcome = [this](NodeId node, std::uint32_t code, const std::string& why) {
    on_outcome(node, code, why);
  };
  handlers.evidence = [this] {
    const std::string text = evidence();
    log_warning("asked what this node waits for:\n{}", text);
    return text;
  };
  handlers.on_inquiry = [this](Duration most) { on_inquiry(most); };
  handlers.on_beat = [this] { on_beat(); };
  handlers.rendezvous_may_pause = setup_.fabric == Fabric::Ofi;
  setup_.membership->start(std::move(handlers));
}

void ProcessJob::set_evidence(std::function<std::string()> evidence) {
  const std::lock_guard locked(evidence_->mutex);
  evidence_->ask = std::move(evidence);
}

/// Calls the evidence function on another thread, so that this one never waits for it.
std::string ProcessJob::evidence() {
  auto answer = std::make_shared<std::promise<std::string>>();
  auto text = answer->get_future();
  std::thread([answer, self = self(), evidence = evidence_] {
    const std::lock_guard locked(evidence->mutex);
    answer->set_value(evidence->ask ? evidence->ask()
                                    : format("node {}: no evidence available\n", self));
  }).detach();
  std::string description = text.wait_for(kAsking) == std::future_status::ready
                                ? text.get()
                                : format("node {}: does not answer within 0.3 s\n", self());
  const TransportStats stats = transport_->stats();
  description +=
      format("  frames sent {}, received {}; last polled {:.3f} s ago\n", stats.frames_sent,
             stats.frames_received, seconds(transport_->now() - polled_at_));
  return description;
}

void ProcessJob::on_down(NodeId node, const std::string& why) {
  if (over_.load()) return;
  if (node == self()) end(format("the job has removed this node: {}", why), kPeerExit);
  bool first = false;
  {
    const std::lock_guard locked(mutex_);
    first = !loss_;
    if (first) loss_ = Loss{node, why, transport_->now(), transport_->polls()};
  }
  log_info("node {} is gone: {}", node, why);
  if (first) setup_.membership->beat_often();
  transport_->take_down(node);
}

/// Waits for the wire only briefly: a blocked library call must not prevent the process from
/// ending.
void ProcessJob::on_beat() {
  const Instant now = transport_->now();
  if (const std::uint64_t polls = transport_->polls(); polls != polls_seen_) {
    polls_seen_ = polls;
    polled_at_ = now;
  }
  watch_links(now);
  if (asked_for_evidence.exchange(false)) setup_.membership->send({.kind = ControlKind::Dump});
  if (const int signal = end_signal.load(); signal != 0 && !terminated_at_)
    on_end_signal(signal, now);
  end_if_due(now);
}

/// An MPI job ends as a whole: this process reports the signal to the rendezvous, which informs all
/// processes, and all exit together. No process may call MPI while a peer exits: UCX would read the
/// memory of a dead process, and abort.
void ProcessJob::on_end_signal(int signal, Instant now) {
  terminated_at_ = now;
  const int code = kEndedBySignal + signal;
  if (leaving_.load() || over_.load()) end_by_signal(code);
  setup_.membership->beat_often();
  (void)transport_->close_wire(kWireAtMost);
  const Error why = {ErrorKind::Environment, "leeway",
                     format("ended by SIG{}", ::sigabbrev_np(signal)), ""};
  ControlMessage report = report_of(self(), fail(why));
  report.code = static_cast<std::uint32_t>(code);
  setup_.membership->send_now(report);
}

void ProcessJob::watch_links(Instant now) {
  unreported_ += awake_.look(now);
  NodeId suspect = NodeId::none();
  std::optional<std::vector<NodeId>> unreached;
  const bool passed = transport_->try_with_wire(kWireAtMost, [&](Wire& wire) {
    wire.beat(unreported_);
    suspect = wire.unanswering(verdict_);
    if (answer_by_) unreached = wire.not_answered();
  });
  if (passed) unreported_ = {};
  if (answer_by_ && unreached && (unreached->empty() || awake_.now() >= *answer_by_)) {
    answer_by_.reset();
    setup_.membership->beat_often(false);
    ControlMessage answer{.kind = ControlKind::Unreached};
    for (const NodeId node : *unreached) {
      const std::uint32_t number = node.value();
      answer.list.emplace_back(reinterpret_cast<const char*>(&number), sizeof(number));
    }
    setup_.membership->send(answer);
  }
  if (suspect == NodeId::none() || leaving_.load() || over_.load() || answer_by_) return;
  setup_.membership->send({.kind = ControlKind::Suspect, .node = suspect.value()});
}

void ProcessJob::on_inquiry(Duration most) {
  answer_by_ = awake_.now() + most;
  setup_.membership->beat_often();
  // If another thread uses the wire for longer than this, no peer is asked, and none counts as
  // unreachable.
  (void)transport_->try_with_wire(kWireAtMost, [](Wire& wire) { wire.ask_all(); });
}

void ProcessJob::end_if_due(Instant now) {
  std::optional<Loss> loss;
  {
    const std::lock_guard locked(mutex_);
    loss = loss_;
  }
  if (terminated_at_ && now - *terminated_at_ > kGrace)
    end_by_signal(kEndedBySignal + end_signal.load());
  if (leaving_.load() || over_.load()) return;
  if (const std::string why = transport_->wire_failure(); !why.empty()) {
    // A dead peer may be the cause; the control network reports it shortly.
    if (!wire_failed_at_) wire_failed_at_ = now;
    setup_.membership->beat_often();
    if (now - *wire_failed_at_ > kWhoDied && !loss) end(why, kPeerExit);
  }
  if (!loss || (recoverable_.load() && !terminated_at_)) return;
  // The node ends by itself when it polls, unless the whole job must end.
  const bool no_polls = transport_->polls() == loss->polls;
  const bool must_end = terminated_at_ || setup_.fabric == Fabric::Mpi;
  const Duration grace = must_end ? kGrace : std::max(kGrace, verdict_);
  const Duration waited = now - loss->at;
  if (waited > grace && (must_end || no_polls)) {
    end(format("node {} is gone ({}); {}", loss->node, loss->why, remedy_after_loss()), kPeerExit);
  }
}

void ProcessJob::end(const std::string& what, int code) {
  std::fflush(stdout);
  const std::string line = format("leeway: node {}: {}; this node was waiting for: {}\n", self(),
                                  what, in_one_line(evidence()));
  (void)!::write(STDERR_FILENO, line.data(), line.size());
  if (over_.load() && setup_.rendezvous) setup_.rendezvous->linger(kLinger, 1);
  remove_unfinished_files();
  ::_exit(code);
}

/// All processes end at about the same time. The process that holds the rendezvous prints the
/// reason.
void ProcessJob::end_by_signal(int code) {
  (void)transport_->close_wire(kWireAtMost);
  std::this_thread::sleep_for(kAllHear);
  std::fflush(stdout);
  if (setup_.rendezvous) {
    const std::string line = format("leeway: ended by SIG{} before it was done\n",
                                    ::sigabbrev_np(code - kEndedBySignal));
    (void)!::write(STDERR_FILENO, line.data(), line.size());
    setup_.rendezvous->linger(kLinger, 1);
  }
  remove_unfinished_files();
  ::_exit(code);
}

void ProcessJob::on_outcome(NodeId node, std::uint32_t code, const std::string& why) {
  if (code > kEndedBySignal) end_by_signal(static_cast<int>(code));
  bool awaited = false;
  {
    const std::lock_guard locked(mutex_);
    awaited = agreeing_;
    agreed_ = code == 0;
    if (code != 0) {
      failure_ = failure_of(node, code, why);
      failed_ = node;
      over_ = true;  // all nodes will end
    }
  }
  if (code != 0 && !awaited) end(format("node {} failed: {}", node, why), static_cast<int>(code));
  outcome_.notify_all();
}

/// The outcome for a thread in `agree`, if known. Requires mutex_.
std::optional<Status> ProcessJob::outcome_for(const Status& own) {
  if (failure_) {
    if (own || own.error().kind == ErrorKind::Peer || failed_ == self()) return fail(*failure_);
    Error error = *failure_;
    std::string what = in_one_line(own.error().to_string());
    if (what == error.what) return fail(std::move(error));  // the same failure on several nodes
    error.where = format("node {} failed", self());
    error.what = std::move(what);
    return fail(std::move(error));
  }
  if (std::exchange(agreed_, false)) return Status{};
  if (!loss_) return std::nullopt;
  if (!recoverable_.load()) over_ = true;
  return fail(loss_error(*loss_));
}

Error ProcessJob::loss_error(const Loss& loss) {
  return {ErrorKind::Peer, format("node {}", self()),
          format("node {} is gone ({})", loss.node, loss.why), remedy_after_loss()};
}

Status ProcessJob::agree(Status status) {
  if (node_count() == 1 || replacement_) return status;
  std::unique_lock locked(mutex_);
  if (returned_) return fail(*returned_);
  if (failure_) return *outcome_for(status);
  agreeing_ = true;
  locked.unlock();
  setup_.membership->send(report_of(self(), status));
  locked.lock();
  std::optional<Status> outcome = outcome_for(status);
  for (Duration rest = kShortestPoll; !outcome; outcome = outcome_for(status)) {
    outcome_.wait_for(locked, rest);
    rest = std::min(rest + rest / 8, kLongestPoll);
    locked.unlock();
    transport_->pump();
    locked.lock();
  }
  agreeing_ = false;
  const bool may_rejoin = recoverable_.load() && loss_ && !failure_;
  if (!*outcome && !may_rejoin) returned_ = outcome->error();
  return std::move(*outcome);
}

void ProcessJob::set_recoverable(bool recoverable) {
  if (!setup_.join_again || recoverable_.exchange(recoverable) == recoverable) return;
  tell_recoverable();
}

void ProcessJob::tell_recoverable() {
  if (!setup_.membership) return;  // joining again has failed
  const std::uint32_t can = recoverable_.load() ? 1 : 0;
  setup_.membership->send({.kind = ControlKind::Recoverable, .code = can});
}

bool ProcessJob::lost_a_node() {
  const std::lock_guard locked(mutex_);
  return loss_.has_value();
}

/// Nothing of the old generation is kept: neither its connections, nor the frames in flight, nor
/// the outcome of a step.
Status ProcessJob::rejoin() {
  signal_bell = nullptr;
  setup_.membership.reset();
  transport_->join();
  const std::function<Result<JobSetup>(std::uint32_t)> join_again = setup_.join_again;
  const std::uint32_t generation = setup_.generation + 1;
  Result<JobSetup> joined = join_again(generation);
  if (!joined) {
    over_ = true;
    returned_ = joined.error();
    return fail(joined.error());
  }
  setup_ = std::move(*joined);
  setup_.join_again = join_again;
  setup_.generation = generation;
  set_steps(0);
  loss_.reset();
  agreeing_ = agreed_ = false;
  answer_by_.reset();
  wire_failed_at_.reset();
  polls_seen_ = 0;
  unreported_ = {};
  transport_ = std::make_unique<WireTransport>(std::move(setup_.wire), window_bytes_);
  polled_at_ = transport_->now();
  awake_ = AwakeTime(polled_at_, AwakeTime::step_for(verdict_));
  listen();
  tell_recoverable();
  signal_bell = &setup_.membership->bell();
  return {};
}

Status ProcessJob::leave() {
  if (over_.load()) {  // the job has failed: wait only until all nodes are notified
    if (setup_.rendezvous) setup_.rendezvous->linger(kLinger, 1);
    return {};
  }
  transport_->join();
  const bool all_sent = transport_->drain(transport_->now() + kDrain);
  leaving_ = true;
  const bool together = setup_.membership->leave([this] { transport_->drain(transport_->now()); });
  std::optional<Loss> loss;
  {
    const std::lock_guard locked(mutex_);
    loss = loss_;
  }
  signal_bell = nullptr;
  if (setup_.rendezvous) {
    setup_.membership.reset();
    setup_.rendezvous->linger(kLinger);
  }
  if (loss) return fail(loss_error(*loss));
  if (!together || !all_sent) {
    return fail(Error{ErrorKind::Peer, format("node {}", self()),
                      "the job broke up while its nodes were leaving",
                      "look at the other nodes' messages"});
  }
  return {};
}

}  // namespace leeway
