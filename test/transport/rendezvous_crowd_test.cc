// The rendezvous with many foreign connections, and with too few file descriptors.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "transport/membership.h"
#include "transport/rendezvous.h"

using namespace leeway;

namespace {

constexpr Duration kVerdict = std::chrono::seconds(2);

std::unique_ptr<Rendezvous> open(const Secret& secret) {
  RendezvousOptions options;
  options.secret = secret;
  options.verdict = kVerdict;
  options.host = "127.0.0.1";
  return Rendezvous::open(std::move(options)).value();
}

sockaddr_in here(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool reach(int socket, std::uint16_t port) {
  const sockaddr_in address = here(port);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

/// Captures the standard error of this process during its lifetime.
class StandardError {
 public:
  StandardError() { ::dup2(::fileno(file_), STDERR_FILENO); }
  ~StandardError() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    std::fclose(file_);
  }
  [[nodiscard]] std::string output() const {
    char text[4096] = {};
    const ssize_t bytes = ::pread(::fileno(file_), text, sizeof(text) - 1, 0);
    return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  }

 private:
  int before_ = ::dup(STDERR_FILENO);
  std::FILE* file_ = std::tmpfile();
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/// Closes every connection that has sent a proof, as a rendezvous does that must free connections.
class Overrun {
 public:
  Overrun() {
    sockaddr_in address = here(0);
    socklen_t length = sizeof(address);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) == 0);
    REQUIRE(::listen(listener_, 16) == 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      for (int socket = ::accept(listener_, nullptr, nullptr); socket >= 0;
           socket = ::accept(listener_, nullptr, nullptr)) {
        const std::string greeting = "leeway-2" + std::string(32, 'n');
        (void)::send(socket, greeting.data(), greeting.size(), MSG_NOSIGNAL);
        char proof[72];
        (void)::recv(socket, proof, sizeof(proof), MSG_WAITALL);
        ++met;
        ::close(socket);
      }
    });
  }
  ~Overrun() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::uint16_t port = 0;
  std::atomic<int> met{0};

 private:
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::thread thread_;
};

}  // namespace

TEST_CASE(
    "a member that is disconnected before its proof was checked retries, and the error does not "
    "blame its secret",
    "[clock]") {
  Overrun overrun;
  const auto outcome =
      Membership::connect("127.0.0.1:" + std::to_string(overrun.port), Secret::random(), kVerdict,
                          std::chrono::milliseconds(300));
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().what.find("secret") == std::string::npos);
  CHECK(outcome.error().what.find("before it had read") != std::string::npos);
  CHECK(overrun.met > 3);
}

TEST_CASE("a member is admitted during an endless flood of foreign connections", "[clock]") {
  const Secret secret = Secret::random();
  const auto rendezvous = open(secret);
  std::atomic<bool> stop{false};
  std::vector<std::thread> flood;
  for (int i = 0; i < 2; ++i) {
    flood.emplace_back([&] {
      std::vector<int> mine;
      while (!stop.load()) {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)reach(socket, rendezvous->port());
        mine.push_back(socket);
        if (mine.size() < 150) continue;
        for (const int each : mine) ::close(each);
        mine.clear();
      }
      for (const int each : mine) ::close(each);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  auto member =
      Membership::connect("127.0.0.1:" + std::to_string(rendezvous->port()), secret, kVerdict,
                          std::chrono::seconds(90));  // the flood competes for the processors
  stop = true;
  for (std::thread& each : flood) each.join();
  REQUIRE(member.has_value());
  CHECK((*member)->enter(NodeId(0), "x").has_value());
  CHECK(rendezvous->strangers() > 0);
}

TEST_CASE("a rendezvous without a free descriptor sleeps, and accepts once there is one",
          "[clock]") {
  const Secret secret = Secret::random();
  const StandardError standard_error;
  const auto rendezvous = open(secret);
  const int early = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{.rlim_cur = 200, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::vector<int> all;
  for (int each = ::dup(0); each >= 0; each = ::dup(0)) all.push_back(each);
  REQUIRE(reach(early, rendezvous->port()));  // the kernel accepts it into the backlog
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double cpu = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const double used = cpu_seconds() - cpu;
  for (const int each : all) ::close(each);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(used < 0.1);
  const std::string output = standard_error.output();
  CHECK(output.find("cannot take a connection: Too many open files; raise ulimit -n") !=
        std::string::npos);
  CHECK(output.find("cannot take", output.find("cannot take") + 1) ==
        std::string::npos);  // reported once
  char greeting[8];
  CHECK(::recv(early, greeting, sizeof(greeting), MSG_WAITALL) == 8);
  ::close(early);
}

TEST_CASE(
    "a rendezvous for more nodes than the descriptor limit allows is refused; a soft limit is "
    "raised",
    "[clock]") {
  const pid_t child = ::fork();  // so that the limits of this process do not change
  if (child == 0) {
    RendezvousOptions options;
    options.nodes = 300;
    options.secret = Secret::random();
    rlimit limit{.rlim_cur = 64, .rlim_max = 1024};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    if (!Rendezvous::open(options).has_value()) ::_exit(1);
    limit = {.rlim_cur = 256, .rlim_max = 256};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const auto refused = Rendezvous::open(options);
    const bool as_expected = !refused && refused.error().kind == ErrorKind::Environment &&
                             refused.error().what.find("ulimit -n allows 256") != std::string::npos;
    ::_exit(as_expected ? 0 : 2);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
}
