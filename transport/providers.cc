#include "leeway/transport/providers.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>
#include <thread>

#include "leeway/base/clock.h"
#include "leeway/transport/ofi_wire.h"

namespace leeway {

namespace {

constexpr unsigned kPatienceSeconds = 2;
constexpr const char* kProviders[] = {"tcp;ofi_rxm", "shm", "udp;ofi_rxd", "sockets"};

/// Two endpoints of one process, and a frame from one to the other. Empty if it arrived whole.
std::string exchange(const std::string& provider) {
  const Secret secret = Secret::random();
  std::unique_ptr<OfiWire> ends[2];
  for (std::uint32_t i = 0; i < 2; ++i) {
    auto end = open_ofi({.provider = provider,
                         .host = "127.0.0.1",
                         .self = NodeId(i),
                         .nodes = 2,
                         .secret = secret});
    if (!end) return end.error().what;
    ends[i] = std::move(*end);
  }
  for (const auto& end : ends) {
    const Status met = end->meet({ends[0]->address(), ends[1]->address()});
    if (!met) return met.error().what;
  }
  Frame frame(50'000, std::byte{7});
  if (!ends[0]->send(NodeId(1), {.credit = 0, .carries = 1}, frame)) return "takes no frame";
  const SteadyClock clock;
  const Instant until = clock.now() + std::chrono::milliseconds(1500);
  Packet packet;
  while (clock.now() < until) {
    if (ends[1]->receive(packet)) return packet.frame.size() == 50'000 ? "" : "mangles a frame";
    (void)ends[0]->drained();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return "a frame does not arrive";
}

/// In a child, for a broken provider may crash or never return.
ProviderTrial try_one(const std::string& name) {
  ProviderTrial trial{name, false, "ends the process or never returns"};
  int answer[2];
  if (::pipe2(answer, O_CLOEXEC) != 0) return trial;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kPatienceSeconds);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDERR_FILENO);
    const std::string outcome = "." + exchange(name);
    (void)!::write(answer[1], outcome.data(), outcome.size());
    ::_exit(0);
  }
  ::close(answer[1]);
  char text[512];
  const ssize_t bytes = ::read(answer[0], text, sizeof(text));
  ::close(answer[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  if (bytes <= 0) return trial;
  trial.why_not.assign(text + 1, static_cast<std::size_t>(bytes - 1));
  trial.works = trial.why_not.empty();
  return trial;
}

}  // namespace

std::vector<ProviderTrial> try_providers() {
  std::vector<ProviderTrial> trials;
  for (const char* name : kProviders) trials.push_back(try_one(name));
  return trials;
}

}  // namespace leeway
