// A random program over real processes of one machine.
//
//   soak-job SEED FOLDER         one node of a launched job
//
// The processes share the observers' tables in a file in FOLDER, so each knows immediately which
// values other processes must no longer read.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/format.h"
#include "test/campaign/body.h"
#include "transport/fabric.h"

namespace {

using namespace leeway;
using namespace leeway::campaign;

/// Restricts the plan to what a launched job can do: no faults, no checks of virtual time, and the
/// given number of nodes.
Plan plan_for(std::uint64_t seed, std::uint32_t nodes) {
  Plan plan = make_plan(seed);
  plan.sim.nodes = nodes;
  plan.sim.faults = {};
  plan.crashes = false;
  plan.episodes = {};
  return plan;
}

[[noreturn]] void give_up(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

/// A memory-mapped file, initially zero, shared by all processes that map it.
std::span<std::uint64_t> shared_words(const std::string& path, std::size_t words) {
  const std::size_t bytes = words * sizeof(std::uint64_t);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) give_up(path);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) give_up(path);
  close(file);
  return {static_cast<std::uint64_t*>(memory), words};
}

int run(std::uint64_t seed, const std::string& folder) {
  auto job = join_job({});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    return job.error().exit_code();
  }
  Transport& transport = (*job)->transport();
  const Plan plan = plan_for(seed, transport.node_count());
  Observers observers(plan, shared_words(format("{}/{}", folder, seed), Observers::words(plan)));
  {
    NodeOptions options;
    options.policy = plan.spaces[0].policy;
    options.service = plan.service;
    Node node(transport, options);
    (*job)->set_evidence([&node] { return node.evidence(); });
    make_body(node, plan, observers)->run();
    (*job)->set_evidence({});
  }
  const std::vector<std::string> violations = observers.violations();
  for (std::size_t i = 0; i < violations.size() && i < 5; ++i) {
    std::printf("%s\n  in %s\n", violations[i].c_str(), plan.describe().c_str());
  }
  const Status left = (*job)->leave();
  if (!left) std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
  (*job)->exit(left && violations.empty() && observers.observations() > 0 ? 0 : 1);
}

}  // namespace

int main(int count, char** values) {
  if (count == 3) return run(std::strtoull(values[1], nullptr, 10), values[2]);
  std::fprintf(stderr, "usage: soak-job SEED FOLDER\n");
  return 2;
}
