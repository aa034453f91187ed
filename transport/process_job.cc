#include "leeway/transport/process_job.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/log.h"

namespace leeway {

namespace {

constexpr int kPeerExit = 4;
constexpr Duration kGrace = std::chrono::seconds(1);
constexpr Duration kWhoDied = std::chrono::milliseconds(300);
constexpr Duration kDrain = std::chrono::seconds(20);
constexpr Duration kLinger = std::chrono::seconds(2);
constexpr Duration kShortestRest = std::chrono::microseconds(200);
constexpr Duration kLongestRest = std::chrono::milliseconds(4);

// What a signal handler may touch: the bell of the one job of this process, and why it rings.
std::atomic<const Doorbell*> signal_bell{nullptr};
std::atomic<bool> asked_for_evidence{false};
std::atomic<bool> told_to_end{false};

void on_hang_signal(int) {
  asked_for_evidence = true;
  if (const Doorbell* bell = signal_bell.load()) bell->ring();
}
void on_end_signal(int) {
  told_to_end = true;
  if (const Doorbell* bell = signal_bell.load()) bell->ring();
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
  return number;  // "off" and whatever is no number: none
}

std::string in_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::string line;
  bool fresh = false;
  for (const char letter : text) {
    if (letter == '\n') {
      line += "; ";
      fresh = true;
    } else if (!fresh || letter != ' ') {
      line += letter;
      fresh = false;
    }
  }
  return line;
}

}  // namespace

ControlMessage report_of(NodeId node, const Status& status) {
  ControlMessage report{.kind = ControlKind::Report, .node = node.value()};
  if (status) return report;
  report.life = static_cast<std::uint32_t>(status.error().exit_code());
  report.text = in_one_line(status.error().to_string());
  return report;
}

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

void keep_evidence(const std::string& merged) {
  const auto name = write_evidence(merged);
  if (name) {
    log_warning("what every node waits for is in {}", *name);
  } else {
    log_error("{}", name.error().to_string());
  }
}

ProcessJob::ProcessJob(JobParts parts, const JobOptions& options)
    : parts_(std::move(parts)),
      verdict_(options.verdict),
      transport_(std::move(parts_.wire), options.window_bytes) {
  listen();
  signal_bell = &parts_.membership->bell();
  if (const int signal = hang_signal(); signal > 0) handle(signal, on_hang_signal);
  if (parts_.guarded) handle(SIGTERM, on_end_signal);
}

ProcessJob::~ProcessJob() {
  signal_bell = nullptr;
  parts_.membership.reset();
}

void ProcessJob::listen() {
  MembershipHandlers handlers;
  handlers.on_down = [this](NodeId node, const std::string& why) { on_down(node, why); };
  handlers.on_up = [this](NodeId node, std::uint32_t life, const std::string& address) {
    {
      const std::lock_guard locked(mutex_);
      if (loss_ && loss_->node == node) loss_.reset();
    }
    // What stands before the colon is the machine's name.
    transport_.connect_peer(node, life, address.substr(address.find(':') + 1));
  };
  handlers.on_lost = [this] {
    if (leaving_.load() || over_.load()) return;
    // Under mpi the first node holds the rendezvous; under ofi the launcher does.
    if (parts_.fabric == Fabric::Mpi) return on_down(NodeId(0), "its process ended");
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
  handlers.on_beat = [this] { on_beat(); };
  parts_.membership->start(std::move(handlers));
}

void ProcessJob::set_evidence(std::function<std::string()> evidence) {
  const std::lock_guard locked(mutex_);
  evidence_ = std::move(evidence);
}

std::string ProcessJob::evidence() {
  const std::lock_guard locked(mutex_);
  std::string text = evidence_ ? evidence_() : format("node {}: says nothing\n", self());
  const TransportStats stats = transport_.stats();
  text += format("  frames sent {}, received {}; last polled {:.3f} s ago\n", stats.frames_sent,
                 stats.frames_received, seconds(transport_.now() - transport_.last_poll()));
  return text;
}

void ProcessJob::on_down(NodeId node, const std::string& why) {
  if (over_.load()) return;
  if (node == self()) end(format("the job has given this node up: {}", why), kPeerExit);
  bool first = false;
  {
    const std::lock_guard locked(mutex_);
    first = !loss_;
    if (first) loss_ = Loss{node, why, transport_.now()};
  }
  log_info("node {} is gone: {}", node, why);
  if (first) parts_.membership->beat_often();
  transport_.take_down(node);
}

void ProcessJob::on_beat() {
  const Instant now = transport_.now();
  transport_.pump();
  if (asked_for_evidence.exchange(false)) parts_.membership->say({.kind = ControlKind::Dump});
  if (told_to_end.load() && !terminated_at_) {
    terminated_at_ = now;
    parts_.membership->beat_often();
    parts_.membership->say_now({.kind = ControlKind::Dying, .text = "it was told to end"});
  }
  std::optional<Loss> loss;
  {
    const std::lock_guard locked(mutex_);
    loss = loss_;
  }
  if (leaving_.load() || over_.load()) {
    if (terminated_at_) end("told to end while leaving", kPeerExit);
    return;
  }
  if (terminated_at_ && now - *terminated_at_ > kWhoDied && !loss) end("told to end", kPeerExit);
  if (loss) {
    // The node above ends by itself when it polls. Where the whole job must end it does so without.
    const bool nobody_listens = transport_.last_poll() < loss->at;
    const bool must_end = terminated_at_ || parts_.fabric == Fabric::Mpi;
    const Duration grace = must_end ? kGrace : std::max(kGrace, verdict_);
    const Duration waited = now - loss->at;
    if (waited > grace && (must_end || nobody_listens)) {
      end(format("node {} is gone ({})", loss->node, loss->why), kPeerExit);
    }
  }
  NodeId stuck = NodeId::none();
  {
    const auto locked = transport_.lock_wire();
    stuck = transport_.wire().stuck(verdict_);
  }
  if (stuck != NodeId::none()) {
    parts_.membership->say({.kind = ControlKind::Suspect, .node = stuck.value()});
  }
}

void ProcessJob::end(const std::string& what, int code) {
  std::fflush(stdout);
  const std::string line = format("leeway: node {}: {}; this node was waiting for: {}\n", self(),
                                  what, in_one_line(evidence()));
  (void)!::write(STDERR_FILENO, line.data(), line.size());
  if (over_.load() && parts_.rendezvous) parts_.rendezvous->linger(kLinger, 1);
  ::_exit(code);
}

void ProcessJob::on_outcome(NodeId node, std::uint32_t code, const std::string& why) {
  bool awaited = false;
  {
    const std::lock_guard locked(mutex_);
    awaited = agreeing_;
    agreed_ = code == 0;
    if (code != 0) {
      failure_ = failure_of(node, code, why);
      failed_ = node;
      over_ = true;  // peers will go, as this node will
    }
  }
  if (code != 0 && !awaited) end(format("node {} failed: {}", node, why), static_cast<int>(code));
  outcome_.notify_all();
}

/// What there is to say to a thread that waits for the outcome. Locked.
std::optional<Status> ProcessJob::heard(const Status& own) {
  if (failure_) {
    if (own || own.error().kind == ErrorKind::Peer || failed_ == self()) return fail(*failure_);
    Error error = *failure_;
    error.where = format("node {} failed", self());
    error.what = in_one_line(own.error().to_string());
    return fail(std::move(error));
  }
  if (std::exchange(agreed_, false)) return Status{};
  if (!loss_) return std::nullopt;
  over_ = true;
  return fail(Error{ErrorKind::Peer, format("node {}", self()),
                    format("node {} is gone ({})", loss_->node, loss_->why),
                    "look at its log; start the job again"});
}

Status ProcessJob::agree(Status status) {
  if (node_count() == 1) return status;
  std::unique_lock locked(mutex_);
  if (told_) return fail(*told_);
  if (failure_) return *heard(status);
  agreeing_ = true;
  locked.unlock();
  parts_.membership->say(report_of(self(), status));
  locked.lock();
  std::optional<Status> outcome = heard(status);
  for (Duration rest = kShortestRest; !outcome; outcome = heard(status)) {
    outcome_.wait_for(locked, rest);
    rest = std::min(rest + rest / 8, kLongestRest);
    locked.unlock();
    transport_.pump();
    locked.lock();
  }
  agreeing_ = false;
  if (!*outcome) told_ = outcome->error();
  return std::move(*outcome);
}

Status ProcessJob::leave() {
  if (over_
          .load()) {  // the job has failed: there is nothing to wait for but that all have heard of it
    if (parts_.rendezvous) parts_.rendezvous->linger(kLinger, 1);
    return {};
  }
  transport_.join();
  const bool all_sent = transport_.drain(transport_.now() + kDrain);
  leaving_ = true;
  const bool together = parts_.membership->leave([this] { transport_.drain(transport_.now()); });
  std::optional<Loss> loss;
  {
    const std::lock_guard locked(mutex_);
    loss = loss_;
  }
  signal_bell = nullptr;
  if (parts_.rendezvous) {
    parts_.membership.reset();
    parts_.rendezvous->linger(kLinger);
  }
  if (loss) {
    return fail(Error{ErrorKind::Peer, format("node {}", self()),
                      format("node {} is gone ({})", loss->node, loss->why),
                      "look at its log; start the job again"});
  }
  if (!together || !all_sent) {
    return fail(Error{ErrorKind::Peer, format("node {}", self()),
                      "the job came apart while everybody was leaving",
                      "look at the other nodes' messages"});
  }
  return {};
}

}  // namespace leeway
