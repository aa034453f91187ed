// The links between network namespaces: one TUN device per host. Every packet is held until the
// profile's arrival time. Packets of a pair keep their order and share the pair's rate. Reads
// orders from standard input, one per line:
//
//   down A B         packets from host A to host B are lost   up A B          ends this
//   hold A B         packets wait, none is lost               release A B     they arrive now
//   loss A B P       P % of packets are lost                  delay A B MS    adds MS to all delays
//   reorder A B P    P % are overtaken by later packets       duplicate A B P   P % arrive twice
//   flip, replay, truncate, reset, half, swallow, stall          see man_in_the_middle.h
//   quit
//
// A number of 0 ends an order; `*` means every host.
//
//   net-relay PREFIX HOSTS PROFILE SEED EVENTS     devices PREFIX1 … PREFIXn; 10.77.0.i is host i
//
// Prints "ready" once the devices exist. When an order first affects a packet, a line "SECONDS WORD
// A B" is appended to the file EVENTS, in seconds of the monotonic clock.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "test/net/relay/man_in_the_middle.h"
#include "test/net/relay/tcp_packet.h"
#include "test/net/relay/way.h"
#include "transport/cluster_model.h"

namespace {

using namespace leeway;

constexpr std::size_t kLargestPacket = 65536;

class Relay {
 public:
  Relay(NetworkProfile profile, std::uint32_t hosts, std::uint64_t seed, std::FILE* events)
      : profile_(std::move(profile)),
        random_(seed),
        hosts_(hosts),
        ways_(hosts * hosts),
        man_in_the_middle_(hosts, seed),
        events_(events) {}

  bool open(const std::string& prefix) {
    for (std::size_t host = 1; host <= hosts_; ++host) {
      const int device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
      ifreq request{};
      request.ifr_flags = IFF_TUN | IFF_NO_PI;
      const std::string name = prefix + std::to_string(host);
      std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
      if (device < 0 || ::ioctl(device, TUNSETIFF, &request) != 0) return false;
      devices_.push_back(device);
    }
    return true;
  }

  void run() {
    std::array<unsigned char, kLargestPacket> buffer;
    while (!quit_) {
      wait();
      for (std::size_t from = 0; from < hosts_; ++from) {
        for (int count = 0; count < 64; ++count) {
          const ssize_t bytes = ::read(devices_[from], buffer.data(), buffer.size());
          if (bytes <= 0) break;
          take(from, Bytes(buffer.data(), buffer.data() + bytes));
        }
      }
      deliver();
    }
  }

 private:
  void wait() {
    std::vector<pollfd> ends;
    for (const int device : devices_) ends.push_back({device, POLLIN, 0});
    ends.push_back({STDIN_FILENO, POLLIN, 0});
    timespec time{.tv_sec = 1, .tv_nsec = 0};
    Duration left = std::chrono::seconds(1);
    for (const Way& way : ways_) {
      if (const auto due = way.next_due()) left = std::min(left, *due - clock_.now());
    }
    left = std::max(left, Duration::zero());
    constexpr Duration::rep kSecond = 1'000'000'000;
    time = {.tv_sec = left.count() / kSecond, .tv_nsec = left.count() % kSecond};
    if (::ppoll(ends.data(), ends.size(), &time, nullptr) <= 0) return;
    if (ends.back().revents == 0) return;
    char words[256];
    const ssize_t bytes = ::read(STDIN_FILENO, words, sizeof(words));
    if (bytes <= 0) quit_ = true;
    orders_.append(words, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    for (std::size_t end = orders_.find('\n'); end != std::string::npos; end = orders_.find('\n')) {
      obey(orders_.substr(0, end));
      orders_.erase(0, end + 1);
    }
  }

  void obey(const std::string& order) {
    std::istringstream words(order);
    std::string what, from, to;
    double number = 0;
    words >> what >> from >> to >> number;
    quit_ = quit_ || what == "quit";
    for (std::size_t i = 0; i < hosts_; ++i) {
      for (std::size_t j = 0; j < hosts_; ++j) {
        if (i == j || !means(from, i) || !means(to, j)) continue;
        std::erase_if(reported_,
                      [&](const Reported& each) { return each.from == i && each.to == j; });
        if (ways_[i * hosts_ + j].obey(what, number)) continue;
        if (man_in_the_middle_.obey(what, i, j, number)) continue;
        std::fprintf(stderr, "net-relay: '%s' is not an order\n", order.c_str());
        return;
      }
    }
  }

  static bool means(const std::string& word, std::size_t host) {
    return word == "*" || word == std::to_string(host + 1);
  }

  /// IPv4 only; the last byte of the address is the number of the host.
  void take(std::size_t from, Bytes packet) {
    constexpr std::size_t kHeader = 20, kTarget = 19;
    if (packet.size() < kHeader || packet[0] >> 4U != 4 || packet[kTarget] < 1 ||
        packet[kTarget] > hosts_) {
      return;
    }
    const std::size_t to = packet[kTarget] - 1U;
    const auto harmed = [&](const char* how) { report(how, from, to); };
    std::vector<ManInTheMiddle::Extra> extra;
    const bool passes = man_in_the_middle_.pass(from, to, packet, extra, harmed);
    for (ManInTheMiddle::Extra& each : extra)
      put(each.from, each.to, std::move(each.packet), harmed);
    if (passes) put(from, to, std::move(packet), harmed);
  }

  void put(std::size_t from, std::size_t to, Bytes packet,
           const std::function<void(const char*)>& harmed) {
    ways_[from * hosts_ + to].take(std::move(packet), clock_.now(), profile_, random_, harmed);
  }

  void report(const char* how, std::size_t from, std::size_t to) {
    const auto same = [&](const Reported& t) {
      return t.from == from && t.to == to && t.how == how;
    };
    if (std::any_of(reported_.begin(), reported_.end(), same)) return;
    reported_.push_back({from, to, how});
    const double now = seconds(clock_.now() - Instant{});
    std::fprintf(events_, "%.3f %s %zu %zu\n", now, how, from + 1, to + 1);
    std::fflush(events_);
  }

  void deliver() {
    const Instant now = clock_.now();
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      ways_[i].deliver(now, [device = devices_[i % hosts_]](const Bytes& packet) {
        (void)!::write(device, packet.data(), packet.size());
      });
    }
  }

  struct Reported {
    std::size_t from, to;
    std::string how;
  };

  NetworkProfile profile_;
  Random random_;
  std::size_t hosts_;
  SteadyClock clock_;
  std::vector<int> devices_;
  std::vector<Way> ways_;
  ManInTheMiddle man_in_the_middle_;
  std::FILE* events_;
  std::vector<Reported> reported_;  // orders that have had an effect
  std::string orders_;
  bool quit_ = false;
};

}  // namespace

int main(int count, char** values) {
  if (count != 6) {
    std::fprintf(stderr, "usage: net-relay PREFIX HOSTS PROFILE SEED EVENTS\n");
    return 2;
  }
  const auto profile = parse_profile(values[3]);
  if (!profile) {
    std::fprintf(stderr, "net-relay: %s\n", profile.error().to_string().c_str());
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  const sched_param priority{.sched_priority = 10};
  if (::sched_setscheduler(0, SCHED_RR, &priority) != 0) {
    std::fprintf(stderr, "net-relay: no real-time priority; delays will be less exact\n");
  }
  std::FILE* const events = std::fopen(values[5], "w");
  if (events == nullptr) {
    std::perror(values[5]);
    return 2;
  }
  Relay relay(*profile, static_cast<std::uint32_t>(std::atoi(values[2])),
              std::strtoull(values[4], nullptr, 10), events);
  if (!relay.open(values[1])) {
    std::perror("net-relay: cannot make TUN devices");
    return 3;
  }
  std::puts("ready");
  std::fflush(stdout);
  relay.run();
  return 0;
}
