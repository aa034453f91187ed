// One node of a launched job, for tests of launching, failing and leaving. The arguments determine
// what it does.
//
//   job-node short           some iterations of fetches and stores, then a regular end
//   job-node work ITERATIONS a fixed amount of work, divided among the nodes; node 0 prints the
//                            CPU time of all nodes
//   job-node endless         iterations until something ends it
//   job-node idle SECONDS    all wait; node 0 prints the largest share of a processor that one used
//   job-node exit CODE       joins, and ends with CODE without leaving
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/format.h"
#include "leeway/dsm.h"
#include "transport/fabric.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kObjects = 600;  // total over all nodes

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds_of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

/// Objects form a ring that is distributed round-robin over the nodes; each follows its neighbours,
/// until all have the limit value.
class Ring {
 public:
  Ring(Node& node, std::uint64_t limit) : node_(node), limit_(limit), dsm_(open(node)) {
    for (std::uint32_t place = 0; place < kObjects; ++place) {
      const ObjectId id{NodeId(place % node.node_count()), LocalIndex(place / node.node_count())};
      handles_.push_back(dsm_.resolve(id).value());
    }
  }
  /// True once all nodes vote to end.
  bool iterate() {
    bool changed = false;
    for (std::uint32_t place = node_.self().value(); place < kObjects;
         place += node_.node_count()) {
      const std::uint64_t left = dsm_.fetch(handles_[(place + kObjects - 1) % kObjects]);
      const std::uint64_t right = dsm_.fetch(handles_[(place + 1) % kObjects]);
      const std::uint64_t next = std::min(limit_, std::max(left, right) + 1);
      if (dsm_.fetch(handles_[place]) >= next) continue;
      dsm_.store(handles_[place], next);
      changed = true;
    }
    return node_.converged(changed);
  }
  [[nodiscard]] bool right() {
    return std::all_of(handles_.begin(), handles_.end(),
                       [this](Handle handle) { return dsm_.fetch(handle) == limit_; });
  }

 private:
  static Dsm<std::uint64_t> open(Node& node) {
    SpaceOptions options;
    options.local_objects = kObjects;
    options.remote_objects = kObjects;
    return Dsm<std::uint64_t>::open(node, options).value();
  }
  Node& node_;
  const std::uint64_t limit_;
  Dsm<std::uint64_t> dsm_;
  std::vector<Handle> handles_;
};

bool work(Node& node, std::uint64_t limit, bool print) {
  bool right = false;
  {
    Ring ring(node, limit);
    while (!ring.iterate()) {
    }
    right = ring.right();
    node.barrier();
  }
  const auto micros = static_cast<std::uint64_t>(cpu_seconds() * 1e6);
  const auto sums = node.sum(std::vector<std::uint64_t>{micros, right ? 0u : 1u});
  if (node.self() == NodeId(0) && print) {
    std::printf("cpu_ms %.1f wrong %llu\n", static_cast<double>(sums[0]) * 1e-3,
                static_cast<unsigned long long>(sums[1]));
  }
  return sums[1] == 0;
}

bool idle(Node& node, double length_s) {
  node.barrier();
  const double before = cpu_seconds();
  // All nodes but the last one wait in the barrier.
  if (node.self().value() + 1 == node.node_count()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(length_s));
  }
  node.barrier();
  const auto used = static_cast<std::uint64_t>((cpu_seconds() - before) / length_s * 1e6);
  std::vector<std::uint64_t> each(node.node_count());
  each[node.self().index()] = used;
  const auto all = node.sum(each);
  if (node.self() == NodeId(0)) {
    std::printf("idle_percent %.3f\n",
                static_cast<double>(*std::max_element(all.begin(), all.end())) * 1e-4);
  }
  return true;
}

bool run(Node& node, const std::vector<std::string>& words) {
  const std::string& mode = words[0];
  if (mode == "short") return work(node, 20, false);
  if (mode == "work") return work(node, std::strtoull(words[1].c_str(), nullptr, 10), true);
  if (mode == "idle") return idle(node, std::atof(words[1].c_str()));
  if (mode == "exit") {
    node.barrier();
    std::_Exit(std::atoi(words[1].c_str()));
  }
  Ring ring(node, ~std::uint64_t{0});
  std::printf("running %d\n", ::getpid());
  std::fflush(stdout);
  while (!ring.iterate()) {
  }
  return true;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  if (words.empty()) return 2;
  auto job = join_job({});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    return job.error().exit_code();
  }
  bool good = false;
  {
    Node node((*job)->transport(), {});
    (*job)->set_evidence([&node] { return node.evidence(); });
    good = run(node, words);
    node.close();
    (*job)->set_evidence({});
  }
  const Status left = (*job)->leave();
  if (!left) std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
  (*job)->exit(left && good ? 0 : 1);
}
