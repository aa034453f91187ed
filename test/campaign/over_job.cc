// A random program over real processes, and the check of what all of them saw.
//
//   soak-job run SEED FOLDER         one node of a launched job; writes FOLDER/SEED.NODE
//   soak-job check SEED FOLDER NODES merges what they wrote by time and watches it with the observers
//
// The nodes must share a machine: their logs are merged by its clock.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/transport/fabric.h"
#include "test/campaign/body.h"

namespace {

using namespace leeway;
using namespace leeway::campaign;

static_assert(std::is_trivially_copyable_v<Record>);

/// What a launched job can do of a plan: no faults, and as many nodes as there are.
Plan plan_for(std::uint64_t seed, std::uint32_t nodes) {
  Plan plan = make_plan(seed);
  plan.sim.nodes = nodes;
  plan.sim.faults = {};
  plan.crashes = false;
  return plan;
}

class Log final : public Recorder {
 public:
  void record(const Record& record) override { records_.push_back(record); }
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }

 private:
  std::vector<Record> records_;  // under the node's lock
};

std::string file_name(const std::string& folder, std::uint64_t seed, std::uint32_t node) {
  return format("{}/{}.{}", folder, seed, node);
}

[[noreturn]] void run(std::uint64_t seed, const std::string& folder) {
  auto job = join_job({});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    std::exit(job.error().exit_code());
  }
  Transport& transport = (*job)->transport();
  const Plan plan = plan_for(seed, transport.node_count());
  Log log;
  Instant quiet{Duration::max()};
  {
    NodeOptions options;
    options.policy = parse_policy(plan.spaces[0].mode).value();
    options.policy.optimizations = plan.optimizations;
    options.service = plan.service;
    options.recorder = &log;
    Node node(transport, options);
    (*job)->set_evidence([&node] { return node.evidence(); });
    BodyHooks hooks;
    hooks.cluster_is_quiet = [&] { quiet = transport.now(); };
    run_body(node, plan, hooks);
    (*job)->set_evidence({});
  }
  std::ofstream out(file_name(folder, seed, transport.self().value()), std::ios::binary);
  out.write(reinterpret_cast<const char*>(&quiet), sizeof(quiet));
  out.write(reinterpret_cast<const char*>(log.records().data()),
            static_cast<std::streamsize>(log.records().size() * sizeof(Record)));
  out.close();
  const Status left = (*job)->leave();
  if (!left) std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
  (*job)->exit(left && out ? 0 : 1);
}

int check(std::uint64_t seed, const std::string& folder, std::uint32_t nodes) {
  const Plan plan = plan_for(seed, nodes);
  std::vector<Record> all;
  Instant quiet{Duration::max()};
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::ifstream in(file_name(folder, seed, node), std::ios::binary);
    Instant own_quiet;
    in.read(reinterpret_cast<char*>(&own_quiet), sizeof(own_quiet));
    if (!in) {
      std::printf("seed %llu: node %u left no log\n", static_cast<unsigned long long>(seed), node);
      return 1;
    }
    quiet = std::min(quiet, own_quiet);
    for (Record record; in.read(reinterpret_cast<char*>(&record), sizeof(record));) {
      all.push_back(record);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Record& a, const Record& b) { return a.at < b.at; });
  Observers observers(promises_of(plan));
  tell_initial_values(plan, observers);
  bool is_quiet = false;
  for (const Record& record : all) {
    if (!is_quiet && record.at >= quiet) observers.cluster_is_quiet(), is_quiet = true;
    observers.record(record);
  }
  observers.finish();
  for (std::size_t i = 0; i < observers.violations().size() && i < 5; ++i) {
    std::printf("%s\n  in %s\n", observers.violations()[i].c_str(), plan.describe().c_str());
  }
  std::printf("%zu events watched\n", all.size());
  return observers.violations().empty() && !all.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  if (words.size() == 3 && words[0] == "run")
    run(std::strtoull(words[1].c_str(), nullptr, 10), words[2]);
  if (words.size() == 4 && words[0] == "check") {
    return check(std::strtoull(words[1].c_str(), nullptr, 10), words[2],
                 static_cast<std::uint32_t>(std::strtoul(words[3].c_str(), nullptr, 10)));
  }
  std::fprintf(stderr, "usage: soak-job run SEED FOLDER | check SEED FOLDER NODES\n");
  return 2;
}
