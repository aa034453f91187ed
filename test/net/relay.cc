// The wires between network namespaces: one TUN device a host, every packet held back until the profile
// lets it arrive. Packets of one pair keep their order and share the pair's rate. Reads orders, one a line,
// from standard input:
//
//   down A B     packets from host A to host B are lost        up A B      no longer
//   hold A B     they wait, none is lost                       release A B they arrive now
//   quit
//
//   net-relay PREFIX HOSTS PROFILE SEED     devices PREFIX1 … PREFIXn; 10.77.0.i is host i
//
// Prints "ready" once the devices exist.
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
#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/random.h"
#include "leeway/transport/network_profile.h"

namespace {

using namespace leeway;

constexpr std::size_t kLargestPacket = 65536;
constexpr std::size_t kMostHeld = std::size_t{64} << 20U;  // bytes a pair; a real router drops, too

struct Packet {
  Instant due{};
  std::vector<unsigned char> bytes;
};

struct Way {
  std::deque<Packet> packets;
  std::size_t held_bytes = 0;
  Instant free_at{};
  bool down = false;
  bool hold = false;
};

class Relay {
 public:
  Relay(NetworkProfile profile, std::uint32_t hosts, std::uint64_t seed)
      : profile_(std::move(profile)), random_(seed), hosts_(hosts), ways_(hosts * hosts) {}

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
          take(from, buffer.data(), static_cast<std::size_t>(bytes));
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
      if (way.packets.empty() || way.hold) continue;
      left = std::min(left, way.packets.front().due - clock_.now());
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
    std::string what;
    std::size_t from = 0, to = 0;
    words >> what >> from >> to;
    quit_ = quit_ || what == "quit";
    if (from < 1 || to < 1 || from > hosts_ || to > hosts_) return;
    Way& way = ways_[(from - 1) * hosts_ + to - 1];
    if (what == "down") way.down = true;
    if (what == "up") way.down = false;
    if (what == "hold") way.hold = true;
    if (what == "release") way.hold = false;
  }

  /// IPv4 only; the last byte of the address is the host.
  void take(std::size_t from, const unsigned char* packet, std::size_t bytes) {
    constexpr std::size_t kHeader = 20, kTarget = 19;
    if (bytes < kHeader || packet[0] >> 4U != 4 || packet[kTarget] < 1 || packet[kTarget] > hosts_)
      return;
    Way& way = ways_[from * hosts_ + packet[kTarget] - 1U];
    if (way.down || way.held_bytes + bytes > kMostHeld) return;
    const Instant now = clock_.now();
    const Instant due = now + profile_.sample(random_, bytes);
    way.free_at = std::max(due, way.free_at + profile_.transmission(bytes));
    way.held_bytes += bytes;
    way.packets.push_back({way.free_at, {packet, packet + bytes}});
  }

  void deliver() {
    const Instant now = clock_.now();
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      Way& way = ways_[i];
      while (!way.hold && !way.packets.empty() && way.packets.front().due <= now) {
        const auto& bytes = way.packets.front().bytes;
        if (!way.down) (void)!::write(devices_[i % hosts_], bytes.data(), bytes.size());
        way.held_bytes -= bytes.size();
        way.packets.pop_front();
      }
    }
  }

  NetworkProfile profile_;
  Random random_;
  std::size_t hosts_;
  SteadyClock clock_;
  std::vector<int> devices_;
  std::vector<Way> ways_;
  std::string orders_;
  bool quit_ = false;
};

}  // namespace

int main(int count, char** values) {
  if (count != 5) {
    std::fprintf(stderr, "usage: net-relay PREFIX HOSTS PROFILE SEED\n");
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
  Relay relay(*profile, static_cast<std::uint32_t>(std::atoi(values[2])),
              std::strtoull(values[4], nullptr, 10));
  if (!relay.open(values[1])) {
    std::perror("net-relay: cannot make TUN devices");
    return 3;
  }
  std::puts("ready");
  std::fflush(stdout);
  relay.run();
  return 0;
}
