// Kills and replaces one peer of three, over and over, while all send to all as fast as windows allow.
// Between the survivors nothing may be lost, doubled or reordered; of each life of the victim the frames
// must come in order from its first, and none of an earlier life after the news of the next.
//
//   replacement [TIMES]        starts the peers and kills
//   replacement peer LIFE LAST one peer
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/transport/fabric.h"
#include "leeway/transport/rendezvous.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kNodes = 3;
constexpr NodeId kVictim{2};
constexpr std::uint64_t kEnough = 2000;  // frames of the last life before all stop

struct Numbered {
  std::uint32_t life = 0;  // of the sender
  std::uint32_t last = 0;  // 1: no more after this
  std::uint64_t number = 0;
};

/// What one peer hears of the others.
class Listener final : public FrameSink {
 public:
  void on_frame(NodeId from, std::span<const std::byte> frame) override {
    Numbered numbered;
    if (frame.size() < sizeof(numbered)) return wrong("a frame too short");
    std::memcpy(&numbered, frame.data(), sizeof(numbered));
    std::uint64_t& next = next_[from.index()];
    if (numbered.number != next) {
      wrong(format("frame {} of node {} (life {}) where {} was due", numbered.number, from,
                   numbered.life, next));
    }
    if (next == 0) life_[from.index()] = numbered.life;
    if (numbered.life != life_[from.index()]) wrong("a frame of another life");
    ++next;
    if (numbered.last != 0) ended_[from.index()] = true;
  }
  void on_peer_down(NodeId node) override {
    down_[node.index()] = true;
    ++downs_;
  }
  void on_peer_up(NodeId node) override {
    if (!down_[node.index()]) wrong("up without down");
    down_[node.index()] = false;
    ++ups_;
    next_[node.index()] = 0;
    fresh_[node.index()] = true;
  }

  void wrong(const std::string& what) {
    std::printf("FAILED: %s\n", what.c_str());
    failed_ = true;
  }

  std::uint64_t next_[kNodes] = {};
  std::uint32_t life_[kNodes] = {};
  bool down_[kNodes] = {};
  bool fresh_[kNodes] = {};
  bool ended_[kNodes] = {};
  std::uint32_t downs_ = 0, ups_ = 0;
  bool failed_ = false;
};

/// Sends one more frame to every other node that has room; numbers start anew with a new life.
class Talker {
 public:
  Talker(Transport& transport, std::uint32_t life) : transport_(transport), life_(life) {}

  bool say(Listener& heard, bool last) {
    bool any = false;
    for (std::uint32_t to = 0; to < kNodes; ++to) {
      if (NodeId(to) == transport_.self() || heard.down_[to] || said_last_[to]) continue;
      if (std::exchange(heard.fresh_[to], false)) number_[to] = 0;
      Numbered numbered{life_, last ? 1u : 0u, number_[to]};
      Frame frame(sizeof(numbered) + (number_[to] * 61) % 5000);
      std::memcpy(frame.data(), &numbered, sizeof(numbered));
      if (transport_.send(NodeId(to), frame) != SendOutcome::Sent) continue;
      ++number_[to];
      said_last_[to] = last;
      any = true;
    }
    return any;
  }
  [[nodiscard]] std::uint64_t sent_to(std::uint32_t node) const { return number_[node]; }
  [[nodiscard]] bool said_all(NodeId self) const {
    for (std::uint32_t to = 0; to < kNodes; ++to) {
      if (NodeId(to) != self && !said_last_[to]) return false;
    }
    return true;
  }

 private:
  Transport& transport_;
  std::uint32_t life_;
  std::uint64_t number_[kNodes] = {};
  bool said_last_[kNodes] = {};
};

int peer(std::uint32_t life, std::uint32_t last_life) {
  auto job = join_job({.fabric = Fabric::Ofi, .window_bytes = 128 * 1024});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    return 1;
  }
  Transport& transport = (*job)->transport();
  const NodeId self = transport.self();
  Listener heard;
  Talker talker(transport, life);
  (*job)->set_evidence([&] {
    std::string text = format("node {} in life {}:\n", self, life);
    for (std::uint32_t of = 0; of < kNodes; ++of) {
      text += format("  of node {}: life {}, {} frames heard{}{}; {} sent to it\n", of,
                     heard.life_[of], heard.next_[of], heard.down_[of] ? ", down" : "",
                     heard.ended_[of] ? ", ended" : "", talker.sent_to(of));
    }
    return text;
  });
  const auto all_ended = [&] {
    for (std::uint32_t from = 0; from < kNodes; ++from) {
      if (NodeId(from) != self && !heard.ended_[from]) return false;
    }
    return true;
  };
  while (!all_ended() || !talker.said_all(self)) {
    const std::uint64_t ticket = transport.ticket();
    const bool final_life =
        self == kVictim ? life == last_life : heard.life_[kVictim.index()] == last_life;
    const std::uint64_t heard_so_far = self == kVictim ? heard.next_[0] : heard.next_[2];
    const bool others_end = heard.ended_[0] || heard.ended_[1] || heard.ended_[2];
    const bool last = final_life && (heard_so_far > kEnough || others_end);
    const bool spoke = talker.say(heard, last);
    if (transport.poll(heard, 64) == 0 && !spoke) {
      transport.wait(ticket, transport.now() + std::chrono::seconds(1));
    }
  }
  const std::uint32_t expected = self == kVictim ? 0 : last_life - 1;
  if (heard.downs_ != expected || heard.ups_ != expected) {
    heard.wrong(format("{} deaths and {} returns heard of, {} happened", heard.downs_, heard.ups_,
                       expected));
  }
  if (self != kVictim) {
    std::printf("node %u: %llu frames of the other survivor, in order, through %u replacements\n",
                self.value(), static_cast<unsigned long long>(heard.next_[1 - self.index()]),
                heard.ups_);
  }
  (void)(*job)->leave();
  (*job)->exit(heard.failed_ ? 1 : 0);
}

pid_t start(const Rendezvous& rendezvous, const Secret& secret, NodeId node, std::uint32_t life,
            std::uint32_t last) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const auto set = [](const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
  };
  set("LEEWAYJOB_RENDEZVOUS", format("127.0.0.1:{}", rendezvous.port()));
  set("LEEWAYJOB_SECRET", secret.to_text());
  set("LEEWAYJOB_NODE", std::to_string(node.value()));
  set("LEEWAYJOB_NODES", std::to_string(kNodes));
  set("LEEWAYJOB_VERDICT_MS", "5000");
  set("LEEWAYJOB_ENCRYPT", "1");
  const std::string life_text = std::to_string(life), last_text = std::to_string(last);
  ::execl("/proc/self/exe", "replacement", "peer", life_text.c_str(), last_text.c_str(), nullptr);
  ::_exit(127);
}

int kill_and_replace(std::uint32_t times) {
  const Secret secret = Secret::random();
  RendezvousOptions options;
  options.nodes = kNodes;
  options.secret = secret;
  options.verdict = std::chrono::seconds(5);
  options.host = "127.0.0.1";
  options.readmit = true;
  auto rendezvous = Rendezvous::open(options);
  if (!rendezvous) return 1;
  const std::uint32_t last = times + 1;
  std::vector<pid_t> peers;
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    peers.push_back(start(**rendezvous, secret, NodeId(node), 1, last));
  }
  for (std::uint32_t life = 1; life <= times; ++life) {
    while ((*rendezvous)->members() < kNodes + life - 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(40 + (life * 37) % 90));
    ::kill(peers[kVictim.index()], SIGKILL);
    ::waitpid(peers[kVictim.index()], nullptr, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the end was noticed
    peers[kVictim.index()] = start(**rendezvous, secret, kVictim, life + 1, last);
  }
  int failed = 0;
  for (const pid_t each : peers) {
    int status = 0;
    ::waitpid(each, &status, 0);
    failed += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  std::printf("%d passed, %d failed, 0 skipped\n", failed == 0 ? 1 : 0, failed == 0 ? 0 : 1);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count == 4 && std::string(values[1]) == "peer") {
    return peer(static_cast<std::uint32_t>(std::atoi(values[2])),
                static_cast<std::uint32_t>(std::atoi(values[3])));
  }
  return kill_and_replace(count > 1 ? static_cast<std::uint32_t>(std::atoi(values[1])) : 20);
}
