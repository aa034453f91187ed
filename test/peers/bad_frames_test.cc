// A faulty peer, under every engine: of two nodes, node 1 runs normally, but one of its frames is
// changed in transit or sent twice. Node 0 must end with a reason and its exit code, unless it does
// not use the changed bytes. It must never report a bug of Leeway.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fstream>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#include "leeway/graph.h"
#include "leeway/job.h"
#include "leeway/pie.h"
#include "programs/catalog/program.h"
#include "programs/cc/pie.h"
#include "programs/jacobi/piece.h"
#include "programs/jacobi/tick.h"
#include "programs/linear_system/piece.h"
#include "programs/pagerank/pie.h"
#include "programs/pagerank/vertex.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/load_part.h"
#include "test/campaign/in_child.h"
#include "transport/loopback.h"
#include "transport/transport.h"

using namespace leeway;

namespace {

enum class Change {
  Stranger,  ///< an unknown message kind, followed by more bytes
  Shorter,   ///< without its last byte, if there are others
  Longer,    ///< with an additional byte
  Repeated,  ///< sent twice
};

/// The change to the frames of one node.
struct Mishap {
  std::uint64_t frame =
      std::numeric_limits<std::uint64_t>::max();  // index among the frames that are not empty
  Change change = Change::Stranger;
};

/// Forwards all frames and changes the selected one; frames that were put back are delivered first.
class Changing final : public ForwardingTransport {
 public:
  Changing(Transport& inner, const Mishap& mishap) : ForwardingTransport(inner), mishap_(mishap) {}

  SendOutcome send(NodeId to, Frame& frame) override {
    const std::lock_guard locked(mutex_);
    const bool counts = !frame.empty();
    if (counts && sent_ == mishap_.frame) {
      if (mishap_.change == Change::Shorter) {
        if (frame.size() > 1) frame.pop_back();
      } else if (mishap_.change == Change::Longer) {
        frame.push_back(std::byte{0});
      } else if (mishap_.change == Change::Repeated) {
        Frame first = frame;
        if (const SendOutcome sent = ForwardingTransport::send(to, first);
            sent != SendOutcome::Sent)
          return sent;
      } else {
        frame.assign(9, std::byte{0x7D});
      }
    }
    const SendOutcome outcome = ForwardingTransport::send(to, frame);
    if (outcome == SendOutcome::Sent && counts) ++sent_;
    return outcome;
  }
  std::size_t poll(FrameSink& sink, std::size_t most) override {
    std::size_t found = 0;
    for (; !put_back_.empty() && found < most; ++found) {
      const auto [from, frame] = std::move(put_back_.front());
      put_back_.pop_front();
      sink.on_frame(from, frame);
    }
    return found + ForwardingTransport::poll(sink, most - found);
  }
  void put_back(std::vector<std::pair<NodeId, Frame>> frames) {
    for (auto& each : frames) put_back_.push_back(std::move(each));
    wake();
  }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  Mishap mishap_;
  std::mutex mutex_;
  std::uint64_t sent_ = 0;
  std::deque<std::pair<NodeId, Frame>> put_back_;
};

/// A reusable barrier for two nodes; after a time limit a node continues without its peer.
class Meeting {
 public:
  void arrive() {
    std::unique_lock locked(mutex_);
    ++arrived_;
    const std::uint64_t round = (arrived_ + 1) / 2;
    changed_.notify_all();
    changed_.wait_for(locked, std::chrono::seconds(10), [&] { return arrived_ >= 2 * round; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t arrived_ = 0;
};

/// A job of two processes from an engine's point of view.
class PretendedJob final : public Job {
 public:
  PretendedJob(Transport& inner, const Mishap& mishap, Meeting& meeting)
      : transport_(inner, mishap), meeting_(meeting) {}

  Changing& transport() override { return transport_; }
  Fabric fabric() const override { return Fabric::Ofi; }
  std::uint32_t nodes_on_this_host() const override { return 2; }
  void set_evidence(std::function<std::string()>) override {}
  void put_back(std::vector<std::pair<NodeId, Frame>> frames) override {
    transport_.put_back(std::move(frames));
  }
  /// Prevents a node from starting the next run before the other has ended this one.
  Status agree(Status status) override {
    meeting_.arrive();
    return status;
  }
  Status leave() override { return {}; }

 private:
  Changing transport_;
  Meeting& meeting_;
};

using Run = std::function<void(const ClusterOptions&)>;

/// The number of frames that the changed node sends.
std::uint64_t run_two(const Run& run, const Mishap& mishap, NodeId culprit) {
  LoopbackNetwork network({.nodes = 2});
  Meeting meeting;
  std::uint64_t sent = 0;
  const auto node = [&](NodeId self) {
    PretendedJob job(network.node(self), self == culprit ? mishap : Mishap{}, meeting);
    ClusterOptions cluster{.fabric = Fabric::Ofi, .nodes = 2};
    cluster.policy = parse_policy("rcp+push").value();
    cluster.job = &job;
    run(cluster);
    if (self == culprit) sent = job.transport().sent();
  };
  std::thread other(node, NodeId(1));
  node(NodeId(0));
  other.join();
  return sent;
}

/// Without repetitions, which the shared memory does not detect, and which arrive after the end of a short run.
const std::vector<Change> kChanges = {Change::Stranger, Change::Shorter, Change::Longer};
const std::vector<Change> kAllChanges = {Change::Stranger, Change::Shorter, Change::Longer,
                                         Change::Repeated};

void check_every_frame(const Run& run, const std::vector<Change>& changes,
                       NodeId culprit = NodeId(1)) {
  constexpr unsigned kHangs = 30;  // seconds
  const std::uint64_t frames = run_two(run, {}, culprit);
  REQUIRE(frames > 0);
  const std::uint64_t step = 1 + frames / 24;
  for (const Change change : changes) {
    std::uint64_t ended = 0;
    for (std::uint64_t frame = 0; frame < frames; frame += step) {
      const auto outcome = campaign::in_child([&] {
        ::alarm(kHangs);
        ::dup2(STDOUT_FILENO, STDERR_FILENO);
        run_two(run, {frame, change}, culprit);
      });
      CAPTURE(change, frame, frames, outcome.output, outcome.status);
      REQUIRE(WIFEXITED(outcome.status));
      if (WEXITSTATUS(outcome.status) == 0) continue;
      ++ended;
      CHECK(WEXITSTATUS(outcome.status) == 4);
      // Usually the changed node is at fault. A longer list may do no harm here, but lead to more
      // answers than questions at the other node.
      const std::string reason = "sent bytes that no correct peer sends";
      CHECK(outcome.output.find(reason) != std::string::npos);
    }
    CHECK(ended > 0);
  }
}

}  // namespace

TEST_CASE("a bad frame ends a node of the shared memory with a reason") {
  const Graph graph = generate("kron:7:4", {}).value();
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        RunOptions options;
        options.cluster = cluster;
        options.vertex.iterations = 5;
        (void)run_job(graph, PageRank(graph, {}), options);
      },
      kChanges);
}

TEST_CASE("a bad frame ends a node of the pie engine with a reason") {
  const Graph graph = generate("kron:7:4", {}).value();
  const Scheduler model = GENERATE(Scheduler::Bsp, Scheduler::Aap, Scheduler::Hsync);
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        RunOptions options;
        options.cluster = cluster;
        options.partition.method = PartitionMethod::Hash;
        options.pie.schedule.model = model;
        const pie::PieComponents program;
        auto session = pie::Session::open(graph, program.needs(), options).value();
        (void)session.ask(program);
      },
      kAllChanges);
}

TEST_CASE("a bad frame ends a node of a run of ticks with a reason") {
  const tick::Sync sync = GENERATE(tick::Sync::Barrier, tick::Sync::Local, tick::Sync::Schedule);
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        tick::TickOptions options{.sync = sync, .ticks = tick::Tick(6)};
        if (sync == tick::Sync::Schedule) options.depth = 2;
        options.rebalance = 3;
        (void)tick::run_heat(tick::HeatParameters{.plate = {20, 20}}, options, cluster);
      },
      kAllChanges);
}

TEST_CASE("a bad frame ends a node of a run by pieces with a reason") {
  const piece::System system = GENERATE(piece::System::OriTick, piece::System::AsyTickPlb);
  const bool compress = GENERATE(false, true);
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        const piece::JacobiJob job{
            .plate = {.columns = 30, .rows = 30}, .pieces = 4, .tolerance = 1e-3};
        piece::PieceOptions options{.system = system, .ticks = 8, .compress = compress};
        (void)run_jacobi(job, cluster, options);
      },
      kAllChanges);
}

TEST_CASE("a bad frame ends a node that solves a linear system with a reason") {
  const std::string spec = GENERATE("matrix:dominant:60:2", "matrix:dominant:40");
  const Graph matrix = generate(spec, {}).value();
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        const piece::LinearSystem system{
            .matrix = matrix, .right_side = std::vector<double>(matrix.vertex_count(), 1)};
        piece::LinearSystemJob job{.pieces = 3, .tolerance = 1e-3};
        job.partition.method = PartitionMethod::Block;
        (void)run_linear_system(system, job, cluster, {.ticks = 6});
      },
      kAllChanges);
}

namespace {

/// Runs two iterations on this process's part of the graph: run(part, options).
template <class Run>
void run_on_part(const Graph& graph, const ClusterOptions& cluster, PartitionMethod method,
                 const Run& run) {
  GraphPart part = part_of(graph, cluster.job->self(), cluster.nodes, BalanceBy::Arcs).value();
  RunOptions options;
  options.cluster = cluster;
  options.partition.method = method;
  options.partition.parts = cluster.nodes;
  options.vertex.iterations = 2;
  run(part, options);
}

}  // namespace

// Like `run` in a process of a job: each process loads its share of the graph, all partition it
// together, and each builds its local graph.
TEST_CASE("a bad frame ends a process that keeps a part of the graph with a reason") {
  const Graph graph = generate("kron:7:4", {}).value();
  const PartitionMethod method = GENERATE(PartitionMethod::Block, PartitionMethod::Hash,
                                          PartitionMethod::Metis, PartitionMethod::Ldg);
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        run_on_part(graph, cluster, method, [](GraphPart& part, const RunOptions& options) {
          (void)run_job(part, PageRank(part.totals, {}), options);
        });
      },
      kChanges);
}

// Before the run, the processes fetch each other's lists or judge their rows together; the records go to the vertices' homes.
TEST_CASE("a bad frame ends a process whose program has records with a reason") {
  const std::string program = GENERATE("lcc", "heat");
  const Graph graph = generate(program == "lcc" ? "kron:7:4" : "matrix:poisson2d:8x8", {}).value();
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        run_on_part(graph, cluster, PartitionMethod::Hash,
                    [&](GraphPart& part, const RunOptions& options) {
                      (void)find_run(program, EngineName::Vertex)->run_part(part, {}, options);
                    });
      },
      kChanges);
}

TEST_CASE("a bad frame ends a process that reads its share of a file with a reason") {
  const std::string names =
      GENERATE("1 2\n2 3\n3 1\n7 1\n", "a b\nb c\nc a\nxy a\n", "5000000000 1\n1 7000000000\n");
  char path[] = "/tmp/leeway-bad-frames-XXXXXX.txt";
  ::close(::mkstemps(path, 4));
  std::ofstream(path) << names;
  check_every_frame(
      [&](const ClusterOptions& cluster) { (void)load_part(cluster, path, {}, BalanceBy::Arcs); },
      kAllChanges);
  ::unlink(path);
}

TEST_CASE("a bad frame ends a process that receives the partition of the graph with a reason") {
  const Graph graph = generate("kron:7:4", {}).value();
  check_every_frame(
      [&](const ClusterOptions& cluster) {
        PartitionOptions how;
        how.parts = 2;
        (void)divide_once(cluster, graph, how);
      },
      kChanges, NodeId(0));
}

namespace {

/// A program whose results are its values.
struct OneEach {
  using Value = double;
  double init(VertexId) const { return 1; }
  double update(const Vertex<double>& vertex) const { return vertex.value(); }
};

/// The same program with results of another size.
struct TwoEach : OneEach {
  struct Two {
    double first = 1;
    double second = 2;
  };
  Two result(const Vertex<double>&) const { return {}; }
};

}  // namespace

TEST_CASE("a process that sends results of another length is refused") {
  const Graph graph = generate("kron:7:4", {}).value();
  const auto outcome = campaign::in_child([&] {
    ::alarm(30);
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    run_two(
        [&](const ClusterOptions& cluster) {
          RunOptions options;
          options.cluster = cluster;
          if (cluster.job->self() == NodeId(1)) return (void)run_job(graph, TwoEach(), options);
          const auto run = run_job(graph, OneEach(), options);
          std::puts(run ? "accepted" : run.error().what.c_str());
          std::fflush(stdout);
          std::_Exit(run ? 0 : run.error().exit_code());
        },
        {}, NodeId(1));
  });
  CAPTURE(outcome.output, outcome.status);
  REQUIRE(WIFEXITED(outcome.status));
  CHECK(WEXITSTATUS(outcome.status) == 4);
  CHECK(outcome.output.find("node 1 sent bytes that no correct peer sends") != std::string::npos);
}
