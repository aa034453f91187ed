#include "test/answers/supervise.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "test/answers/bounded_memory.h"

namespace leeway::answers {

struct Progress {
  std::atomic<std::uint64_t> seed{0}, passed{0}, skipped{0};
  std::atomic<std::int64_t> since{0};  // start of the current case in nanoseconds; 0: none
  std::atomic<bool> failed{false}, too_much_memory{false};
  char sort[64] = {};
  char text[2048] = {};
};

namespace {

constexpr int kDone = 0;
constexpr int kFound = 10;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <std::size_t kSize>
void copy_to(char (&to)[kSize], const std::string& from) {
  std::strncpy(to, from.c_str(), kSize - 1);
  to[kSize - 1] = '\0';
}

}  // namespace

Runner::Runner(std::string folder, std::string command, Limits limits)
    : folder_(std::move(folder)), command_(std::move(command)), limits_(limits) {
  std::filesystem::create_directories(folder_);
  void* const shared =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  progress_ = new (shared) Progress();
}

Runner::~Runner() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  ::munmap(progress_, sizeof(Progress));
}

void Runner::work(const std::function<bool(Case&)>& next) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bound_memory(limits_.memory_bytes, &progress_->too_much_memory);
  const Surroundings around{folder_, command_, limits_.per_case};
  Case drawn;
  while (next(drawn)) {
    progress_->seed = drawn.seed;
    progress_->since = now();
    const Verdict verdict = run_case(drawn, around);
    progress_->since = 0;
    if (progress_->too_much_memory || verdict.kind == Kind::Failed) {
      copy_to(progress_->sort, verdict.sort);
      copy_to(progress_->text, verdict.text);
      progress_->failed = true;
      ::_exit(kFound);
    }
    (verdict.kind == Kind::Skipped ? progress_->skipped : progress_->passed).fetch_add(1);
  }
  ::_exit(kDone);
}

void Runner::start(std::function<bool(Case&)> next) {
  progress_->failed = progress_->too_much_memory = false;
  progress_->since = 0;
  late_ = false;
  verdict_ = {};
  child_ = ::fork();
  if (child_ == 0) work(next);
}

bool Runner::ended() {
  if (child_ == 0) return true;
  const std::int64_t since = progress_->since;
  // A job of processes has a separate time limit, after which it needs time to end its processes.
  const auto limit = std::chrono::nanoseconds(limits_.per_case).count() * 5 / 4;
  // After a failed allocation the other threads or processes may wait forever.
  const bool over = since != 0 && (now() - since > limit || progress_->too_much_memory);
  if (over && !late_) {
    late_ = true;
    ::kill(child_, SIGKILL);
  }
  int status = 0;
  if (::waitpid(child_, &status, late_ ? 0 : WNOHANG) != child_) return false;
  child_ = 0;
  conclude(status);
  return true;
}

void Runner::conclude(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kDone) return;
  verdict_ = {Kind::Failed, progress_->sort, progress_->text};
  if (progress_->too_much_memory) {
    verdict_.sort = "memory";
    verdict_.text =
        "asked for more than " + std::to_string(limits_.memory_bytes >> 20U) + " MiB of memory";
  } else if (late_) {
    verdict_.sort = "hang";
    verdict_.text = "no end within " + std::to_string(limits_.per_case.count() / 1000) + " seconds";
  } else if (!progress_->failed) {
    verdict_.sort = "crash";
    verdict_.text = (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                         : "exit code " + std::to_string(WEXITSTATUS(status))) +
                    ": " + errors_left(folder_);
  }
}

std::uint64_t Runner::seed() const { return progress_->seed; }
std::uint64_t Runner::passed() const { return progress_->passed; }
std::uint64_t Runner::skipped() const { return progress_->skipped; }

Verdict Runner::run(const Case& drawn) {
  bool first = true;
  start([&](Case& into) {
    into = drawn;
    return std::exchange(first, false);
  });
  while (!ended()) std::this_thread::sleep_for(std::chrono::microseconds(300));
  return verdict_;
}

}  // namespace leeway::answers
