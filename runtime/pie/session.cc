#include "leeway/pie.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/log.h"
#include "datasets/graph_hash.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/cluster/recovery.h"
#include "runtime/cluster/run_outcome.h"
#include "runtime/cluster/saving.h"
#include "runtime/graph/division.h"
#include "runtime/pie/balance.h"
#include "runtime/pie/checkpoints.h"
#include "runtime/pie/engine.h"
#include "runtime/pie/workers.h"
#include "snapshot/recorder.h"
#include "transport/membership.h"

namespace leeway::pie {

std::vector<RoundRecord> RoundHistory::rounds() const {
  std::vector<RoundRecord> all;
  for (const NodeTrace& node : nodes) all.insert(all.end(), node.rounds.begin(), node.rounds.end());
  return all;
}

ForecastCost RoundHistory::forecasts() const {
  ForecastCost all;
  for (const NodeTrace& node : nodes) all.add(node.forecasts);
  return all;
}

std::vector<RoundSample> RoundHistory::round_log() const {
  std::vector<RoundSample> all;
  for (const NodeTrace& node : nodes)
    all.insert(all.end(), node.round_log.begin(), node.round_log.end());
  return all;
}

namespace {

/// For each round, in the order of the nodes and of their records, the number of iterations that its worker had then
/// begun. A worker that moves has rounds on several nodes; its round numbers rise. A round that is not an iteration
/// belongs to the previous one.
std::vector<std::vector<std::size_t>> iteration_numbers(const RoundHistory& history) {
  struct RecordPlace {
    std::size_t node, at;
  };
  std::unordered_map<PartId, std::vector<RecordPlace>> of_worker;
  std::vector<std::vector<std::size_t>> numbers;
  for (std::size_t node = 0; node < history.nodes.size(); ++node) {
    numbers.emplace_back(history.nodes[node].rounds.size());
    for (std::size_t at = 0; at < history.nodes[node].rounds.size(); ++at)
      of_worker[history.nodes[node].rounds[at].worker].push_back({node, at});
  }
  const auto record = [&](const RecordPlace& place) -> const RoundRecord& {
    return history.nodes[place.node].rounds[place.at];
  };
  for (auto& [worker, places] : of_worker) {
    std::stable_sort(places.begin(), places.end(), [&](const RecordPlace& a, const RecordPlace& b) {
      return record(a).round < record(b).round;
    });
    std::size_t count = 0;
    for (const RecordPlace& place : places) {
      count += record(place).iterates ? 1 : 0;
      numbers[place.node][place.at] = count;
    }
  }
  return numbers;
}

/// Merges the k-th iterations of a node's workers. `numbers`: of the rounds, from 1.
std::vector<IterationSample> iterations_of(const std::vector<RoundRecord>& rounds,
                                           const std::vector<std::size_t>& numbers) {
  std::vector<IterationSample> iterations;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const RoundRecord& round = rounds[i];
    if (numbers[i] == 0) continue;
    if (iterations.size() < numbers[i]) iterations.resize(numbers[i]);
    IterationSample& sample = iterations[numbers[i] - 1];
    sample.at = std::max(sample.at, round.end);
    sample.visited += round.vertices;
    sample.changed += round.sent;
    add_to(sample.residual, round.residual);
  }
  return iterations;
}

/// Each round as a period of computing, and the iterations of each node.
void show_rounds(const RoundHistory& history, Record& record) {
  const auto numbers = iteration_numbers(history);
  for (std::size_t at = 0; at < record.nodes.size(); ++at) {
    NodeRecord& node = record.nodes[at];
    node.trace = true;
    for (const RoundRecord& round : history.nodes[at].rounds)
      node.span(Activity::Compute, round.begin, round.end);
    node.iterations = iterations_of(history.nodes[at].rounds, numbers[at]);
    node.counters[Counter::Iterations] = node.iterations.size();
  }
}

/// An Input error for options that no run can satisfy. A session's options may change between queries.
Status admit_schedule(const Schedule& schedule) {
  if (schedule.rule && (schedule.model == Scheduler::Hsync || in_step(schedule, Together::Sync))) {
    return fail(input_error("RunOptions::pie.schedule",
                            "a rule of its own cannot decide about rounds in step",
                            "set schedule.model to Scheduler::Ap or Scheduler::Aap"));
  }
  if (schedule.model != Scheduler::Ssp || schedule.bound) return {};
  return fail(input_error("RunOptions::pie.schedule",
                          "ssp needs a bound on how far a worker may be ahead of the slowest",
                          "set schedule.bound, for instance to 3, or use Scheduler::Ap"));
}

Error cannot_save(std::string_view option) {
  return input_error(
      format("RunOptions::{}", option),
      "the program's Partial cannot be saved: it has a private member, a pointer or a view",
      format("give the type save(ByteWriter&) const and load(ByteReader&) (base/archive.h), or "
             "leave {} unset",
             option));
}

/// The folder of the snapshots; empty: none.
std::string folder_of(const RunOptions& options) {
  return options.snapshots ? options.snapshots->folder : options.saving.folder;
}

/// Bound on a number of workers that a peer gives.
constexpr std::uint64_t kMostWorkers = 1U << 20U;

/// The owners of all vertices, and the node of each worker.
struct DivisionOfAll {
  Partition partition;
  std::vector<NodeId> nodes_of;

  [[nodiscard]] std::vector<std::byte> bytes() const {
    ByteWriter out;
    out.varint(partition.part_count);
    for (const NodeId node : nodes_of) out.varint(node.value());
    out.raw(std::as_bytes(partition.owner.span()));
    return out.take();
  }
  /// False if they are not those of a division.
  [[nodiscard]] bool read(std::span<const std::byte> bytes, std::uint32_t nodes);
};

bool DivisionOfAll::read(std::span<const std::byte> bytes, std::uint32_t nodes) {
  ByteReader in(bytes);
  partition.part_count = static_cast<std::uint32_t>(in.varint_up_to(kMostWorkers));
  for (std::uint32_t i = 0; i < partition.part_count && !in.failed(); ++i)
    nodes_of.emplace_back(static_cast<std::uint32_t>(in.varint_up_to(nodes - 1)));
  const auto owners = in.raw(in.left());
  if (in.failed() || owners.size() % sizeof(PartId) != 0) return false;
  auto made = Array<PartId>::make(owners.size() / sizeof(PartId));
  if (!made) return false;
  partition.owner = std::move(*made);
  const auto all = partition.owner.mutable_span();
  if (!all.empty()) std::memcpy(static_cast<void*>(all.data()), owners.data(), owners.size());
  return std::all_of(all.begin(), all.end(),
                     [&](PartId owner) { return owner.value() < partition.part_count; });
}

/// The lowest process that has a division sends it to those without one. `own` null: this process has none. Collective.
/// `opened_in`: the recoverable run in which the session was opened. If the processes are in different sessions, the job starts again.
Result<DivisionOfAll> pass_division(const ClusterOptions& cluster, std::uint32_t opened_in,
                                    const DivisionOfAll* own) {
  DivisionOfAll taken;
  LEEWAY_TRY(with_group(cluster, [&](Group& group) -> Status {
    const std::vector<std::uint32_t> sessions = group.share(opened_in);
    if (std::count(sessions.begin(), sessions.end(), opened_in) != group.count()) {
      return fail(needs_restart(
          group.self(), "a process that replaces a lost one has an earlier session to open"));
    }
    const std::vector<std::uint8_t> has = group.share<std::uint8_t>(own != nullptr ? 1 : 0);
    const auto first = std::find(has.begin(), has.end(), 1);
    if (first == has.end()) {
      return fail(
          needs_restart(group.self(), "no process is left that has the division of the graph"));
    }
    const NodeId guide(static_cast<std::uint32_t>(first - has.begin()));
    std::vector<std::byte> bytes;
    group.begin([&](NodeId from, std::span<const std::byte> piece) {
      group.require(from == guide && own == nullptr, from);
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    if (group.self() == guide && std::find(has.begin(), has.end(), 0) != has.end()) {
      const std::vector<std::byte> all = own->bytes();
      for (std::uint32_t to = 0; to < has.size(); ++to) {
        if (has[to] == 0) group.send_list(NodeId(to), std::span<const std::byte>(all));
      }
    }
    group.end();
    if (own == nullptr) group.require(taken.read(bytes, group.count()), guide);
    return {};
  }));
  return taken;
}

}  // namespace

Result<Session> Session::open(const Graph& graph, const FragmentNeeds& needs, RunOptions options) {
  const Stopwatch watch;
  LEEWAY_TRY(admit_schedule(options.pie.schedule));
  LEEWAY_ASSIGN(options.cluster, settle_cluster(options.cluster));
  const std::uint32_t workers = options.pie.workers_on(options.cluster.nodes);
  std::shared_ptr<const Partition> partition = options.divided;
  const RunOptions given = options;
  std::optional<DivisionOfAll> taken;
  const Status divided = run_recoverably(
      {.job = options.cluster.job,
       .folder = folder_of(options),
       .attempt = [&](const RunAttempt& attempt) -> Status {
         options = given;
         LEEWAY_TRY(attempt.resume_in(options));
         if (is_unopened(options)) {
           LEEWAY_TRY(
               open_saving(options, "pie", options.pie.schedule.model, graph, hash_of(graph)));
         }
         if (given.divided) return {};
         PartitionOptions how = options.partition;
         how.parts = workers;
         LEEWAY_ASSIGN(Partition made, divide_once(options.cluster, graph, how));
         partition = std::make_shared<Partition>(std::move(made));
         return {};
       },
       .skip = [&]() -> Status {
         if (is_unopened(options)) {
           LEEWAY_TRY(
               find_saving(options, "pie", options.pie.schedule.model, graph, hash_of(graph)));
         }
         LEEWAY_ASSIGN(
             taken, pass_division(options.cluster, options.cluster.job->position().run, nullptr));
         partition = std::make_shared<Partition>(std::move(taken->partition));
         return {};
       }});
  if (!divided) return fail(divided.error());
  if (partition->part_count != workers) {
    return fail(input_error(
        "pie.workers",
        format("{} workers, but the graph is divided among {}", workers, partition->part_count),
        "give the number of workers of the division, on every process"));
  }
  LEEWAY_ASSIGN(auto fragmentation,
                Fragmentation::make(graph, *partition, with_cut(needs, options.pie)));
  Session session(std::move(fragmentation));
  if (taken) options.pie.nodes_of = std::move(taken->nodes_of);
  session.begin(std::move(options), watch);
  return session;
}

void Session::begin(RunOptions options, const Stopwatch& watch) {
  if (options.pie.nodes_of.empty()) {
    for (std::uint32_t worker = 0; worker < workers(); ++worker)
      options.pie.nodes_of.push_back(NodeId(worker % options.cluster.nodes));
  }
  LEEWAY_CHECK(options.pie.nodes_of.size() == workers());
  options.pie.one_clock = options.cluster.job == nullptr;
  if (options.cluster.job != nullptr) {
    generation_ = options.cluster.job->generation();
    opened_in_ = options.cluster.job->position().run;
  }
  options_ = std::move(options);
  fragments_.resize(workers());
  partition_seconds_ = watch.elapsed_seconds();
}

namespace {

Error needs_whole(std::string_view option, std::string_view what) {
  return input_error(
      format("RunOptions::{}", option), std::string(what),
      "open the session with the whole graph in every process, or leave the option unset");
}

/// Whether the options suit a graph in parts.
Status admit_parts(const RunOptions& options) {
  const PieOptions& pie = options.pie;
  if (pie.rebalance > 0)
    return fail(needs_whole("pie.rebalance",
                            "workers cannot leave a process that has only its part of the graph"));
  if (!pie.nodes_of.empty())
    return fail(needs_whole("pie.nodes_of", "on a graph in parts worker w is on node w mod n"));
  if (options.divided && options.divided->part_count != options.cluster.nodes)
    return fail(needs_whole("divided", "a graph in parts is divided among the processes"));
  if (pie.workers_on(options.cluster.nodes) >= options.cluster.nodes) return {};
  return fail(
      needs_whole("pie.workers", "on a graph in parts each process has at least one worker"));
}

}  // namespace

Result<Session> Session::open(GraphPart& part, const FragmentNeeds& needs, RunOptions options) {
  const Stopwatch watch;
  LEEWAY_TRY(admit_schedule(options.pie.schedule));
  LEEWAY_ASSIGN(options.cluster, settle_cluster(options.cluster));
  LEEWAY_TRY(check_part(part, options.cluster));
  std::string hash;
  std::optional<Fragmentation> fragmentation;
  LEEWAY_TRY(with_group(options.cluster, [&](Group& group) -> Status {
    // Only node 0 may have a division.
    if (const Status agreed = group.agree(admit_parts(options)); !agreed) return agreed;
    if (is_unopened(options)) hash = hash_of(group, part);
    LEEWAY_ASSIGN(
        fragmentation,
        Fragmentation::build(group, part, options.partition, with_cut(needs, options.pie),
                             options.pie.workers_on(options.cluster.nodes), options.divided.get()));
    return {};
  }));
  return_freed_memory();
  if (is_unopened(options))
    LEEWAY_TRY(open_saving(options, "pie", options.pie.schedule.model, part.totals, hash));
  Session session(std::move(*fragmentation));
  session.ranges_ = part.ranges;
  session.begin(std::move(options), watch);
  LEEWAY_TRY(session.load());
  session.fragmentation_.drop_lists();
  return session;
}

Result<const Fragment*> Session::made_fragment(PartId worker) {
  std::optional<Fragment>& fragment = fragments_[worker.index()];
  if (!fragment) {
    LEEWAY_ASSIGN(Fragment made, fragmentation_.fragment(worker));
    fragment.emplace(std::move(made));
  }
  return &*fragment;
}

Status Session::load() {
  const std::vector<NodeId>& nodes_of = options_.pie.nodes_of;
  Job* const job = options_.cluster.job;
  std::vector<PartId> missing;
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    const bool mine = job == nullptr || nodes_of[worker] == job->self();
    if (mine && !fragments_[worker]) missing.emplace_back(worker);
  }
  LEEWAY_ASSIGN(std::vector<Fragment> made, fragmentation_.fragments(missing));
  for (std::size_t i = 0; i < missing.size(); ++i)
    fragments_[missing[i].index()].emplace(std::move(made[i]));
  return {};
}

std::uint64_t Session::division() const {
  const FragmentNeeds& needs = fragmentation_.needs();
  ByteWriter sums;
  save_all(sums, needs.cut, needs.hops);
  for (const std::uint64_t each : fragmentation_.checksums()) save_all(sums, each);
  return checksum(sums.span());
}

Result<Session::NodeCheckpoints> Session::open_checkpoints(const ResultForm& form) const {
  const ClusterOptions& cluster = options_.cluster;
  NodeCheckpoints all(cluster.nodes);
  if (!options_.snapshots) return all;
  const auto plan = std::make_shared<snapshot::SnapshotOptions>(*options_.snapshots);
  plan->rounds_before = options_.resume ? options_.resume->manifest().progress : 0;
  plan->seconds_before = options_.resume ? options_.resume->manifest().seconds : 0;
  plan->of.state_bytes = static_cast<std::uint32_t>(form.bytes);
  plan->of.result_type = form.type;
  const std::uint64_t hash = division();
  for (std::uint32_t node = 0; node < cluster.nodes; ++node) {
    if (cluster.job != nullptr && cluster.job->self() != NodeId(node)) continue;
    all[node] = std::make_shared<TokenCheckpoints>(
        Checkpointer::CheckpointOptions{.plan = plan,
                                        .self = NodeId(node),
                                        .parts = cluster.nodes,
                                        .own_process = cluster.job != nullptr,
                                        .background = cluster.fabric != Fabric::Sim},
        hash);
    if (node == 0) LEEWAY_TRY(all[node]->open());
  }
  return all;
}

Status Session::admit_snapshots(const ResultForm& form) const {
  if (form.saves || form.resumes || (!options_.snapshots && !options_.resume)) return {};
  return fail(cannot_save(options_.snapshots ? "snapshots" : "resume"));
}

/// From the checkpoint if it has the states of the same fragments; otherwise the program must be able to start from
/// results.
Status Session::load_saved(const ResultForm& form) {
  saved_.reset();
  results_.assign(workers(), {});
  if (!options_.resume) return {};
  if (form.saves) {
    LEEWAY_ASSIGN(auto saved,
                  saved_workers(*options_.resume, workers(), division(), [this](PartId worker) {
                    return fragments_[worker.index()].has_value();
                  }));
    if (saved) {
      saved_ = std::make_shared<const SavedWorkers>(std::move(*saved));
      return {};
    }
  }
  const std::string& path = options_.resume->path();
  if (!form.resumes || form.bytes == 0) {
    return fail(input_error(
        path, "its states are of another division of the graph, and the program has no peval_from",
        "resume with the number of workers and the partition of the run that wrote it"));
  }
  const bool first = options_.cluster.job == nullptr || options_.cluster.job->self() == NodeId(0);
  if (first) {
    log_info("{}: its states are of another division of the graph; continuing from its results",
             path);
  }
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    if (!fragments_[worker]) continue;
    const Fragment& fragment = *fragments_[worker];
    std::vector<std::uint32_t> vertices;
    for (Place p = 0; p < fragment.vertex_count(); ++p)
      vertices.push_back(fragment.vertex(p).value());
    LEEWAY_ASSIGN(results_[worker], options_.resume->states_of(vertices, form.bytes));
  }
  return {};
}

/// After a loss, the processes that are left give the division to those that replace lost ones.
Status Session::take_division() {
  Job* const job = options_.cluster.job;
  if (job == nullptr || std::exchange(generation_, job->generation()) == job->generation())
    return {};
  DivisionOfAll own{.partition = {.part_count = workers(), .owner = {}},
                    .nodes_of = options_.pie.nodes_of};
  LEEWAY_ASSIGN(own.partition.owner, Array<PartId>::make(fragmentation_.vertex_count()));
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    for (const VertexId vertex : fragmentation_.vertices(PartId(worker)))
      own.partition.owner.mutable_span()[vertex.index()] = PartId(worker);
  }
  return pass_division(options_.cluster, opened_in_, &own).map([](const DivisionOfAll&) {});
}

/// After the loss of a process that the launcher replaces, the query is evaluated again, from its last checkpoint.
Result<Record> Session::evaluate(const MakeWorker& make, Candidates candidates,
                                 std::vector<ByteWriter>& results, const ResultForm& form) {
  Record record;
  const RunOutcome outcome(options_.cluster.job);
  const Status ran =
      run_recoverably({.job = options_.cluster.job,
                       .folder = folder_of(options_),
                       .attempt = [&](const RunAttempt& attempt) -> Status {
                         LEEWAY_TRY(take_division());
                         LEEWAY_TRY(attempt.resume_in(options_));
                         results.assign(workers(), ByteWriter());
                         LEEWAY_ASSIGN(record, evaluate_once(make, candidates, results, form));
                         if (!outcome.is_stored()) return {};
                         ByNode<std::byte> all;
                         for (const ByteWriter& each : results)
                           all.emplace_back(each.span().begin(), each.span().end());
                         return outcome.store_run(record, all);
                       },
                       .skip = [&]() -> Status {
                         ByNode<std::byte> all;
                         LEEWAY_TRY(outcome.load_run(record, all));
                         if (all.size() != workers()) return fail(outcome.unreadable());
                         results.assign(workers(), ByteWriter());
                         for (std::uint32_t worker = 0; worker < workers(); ++worker)
                           results[worker].raw(all[worker]);
                         record.rounds = std::make_shared<RoundHistory>();
                         times_.assign(workers(), Duration::zero());
                         return {};
                       }});
  options_.resume.reset();  // a later query begins from its start
  if (!ran) return fail(ran.error());
  return record;
}

Result<Record> Session::evaluate_once(const MakeWorker& make, Candidates candidates,
                                      std::vector<ByteWriter>& results, const ResultForm& form) {
  const Stopwatch watch;
  LEEWAY_TRY(admit_schedule(options_.pie.schedule));
  LEEWAY_TRY(admit_snapshots(form));
  if (options_.pie.rebalance > 0 && !form.saves) return fail(cannot_save("pie.rebalance"));
  LEEWAY_TRY(load());
  LEEWAY_TRY(load_saved(form));
  LEEWAY_ASSIGN(const NodeCheckpoints checkpoints, open_checkpoints(form));
  Record record;
  record.simulated = options_.cluster.fabric == Fabric::Sim;
  record.phases.partition = partition_seconds_;
  record.phases.setup = watch.elapsed_seconds();
  record.nodes.resize(options_.cluster.nodes);
  const auto history = std::make_shared<RoundHistory>();
  history->nodes.resize(options_.cluster.nodes);
  LEEWAY_ASSIGN(const EndpointsOutcome outcome,
                run_endpoints(options_.cluster, [&](Endpoint& endpoint) {
                  return run_node(endpoint, make, candidates, record, *history, results,
                                  checkpoints[endpoint.self().index()].get());
                }));
  options_.pie.nodes_of = placed_;
  record.digest = outcome.ran.digest;
  record.from_states = saved_ != nullptr;
  if (options_.resume) record.rounds_before = options_.resume->manifest().progress;
  note_recoveries(options_.cluster.job, record);
  record.phases.compute = compute_seconds(record);
  if (options_.pie.keep_rounds) show_rounds(*history, record);
  record.rounds = history;
  record.peak_memory_bytes = peak_memory();
  note_times(record);
  return record;
}

/// A node reports its workers in the order of their numbers; those of other processes are not known here. The mean round
/// time is used, because a worker on a node with spare time runs more rounds under asynchronous schedules.
void Session::note_times(const Record& record) {
  times_.assign(workers(), Duration::zero());
  const std::vector<NodeTrace>& nodes = record.rounds->nodes;
  std::vector<std::size_t> next(nodes.size(), 0);
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    const NodeTrace& node = nodes[options_.pie.nodes_of[worker].index()];
    const std::size_t at = next[options_.pie.nodes_of[worker].index()]++;
    if (at < node.worker_times.size())
      times_[worker] = node.worker_times[at] / std::max(node.worker_rounds[at], 1U);
  }
}

/// A process knows its workers' times only.
Status Session::share_times() {
  return with_group(options_.cluster, [this](Group& group) -> Status {
    const auto all = group.share_bytes(std::as_bytes(std::span<const Duration>(times_)));
    for (std::uint32_t node = 0; node < all.size(); ++node)
      group.require(all[node].size() == times_.size() * sizeof(Duration), NodeId(node));
    for (std::uint32_t worker = 0; worker < workers(); ++worker) {
      const auto& from = all[options_.pie.nodes_of[worker].index()];
      std::memcpy(&times_[worker], from.data() + worker * sizeof(Duration), sizeof(Duration));
    }
    return {};
  });
}

Result<std::vector<std::vector<std::byte>>> Session::swap(std::vector<ByteWriter> leaving) {
  ByNode<std::byte> bytes;
  for (ByteWriter& each : leaving) bytes.push_back(each.take());
  ByNode<std::byte> coming;
  LEEWAY_TRY(with_group(options_.cluster, [&](Group& group) -> Status {
    coming = group.swap(bytes);
    return {};
  }));
  return coming;
}

Result<std::uint32_t> Session::rebalance() {
  if (fragmentation_.in_parts())
    return fail(
        needs_whole("pie", "workers cannot leave a process that has only its part of the graph"));
  if (times_.empty()) return 0U;
  std::vector<NodeId>& nodes_of = options_.pie.nodes_of;
  std::optional<std::vector<NodeId>> places;  // none: skipped
  const Status ran = run_recoverably(
      {.job = options_.cluster.job,
       .folder = folder_of(options_),
       .attempt = [&](const RunAttempt&) -> Status {
         LEEWAY_TRY(take_division());
         if (options_.cluster.job != nullptr) LEEWAY_TRY(share_times());
         places = balanced_nodes_of(nodes_of, times_, options_.cluster.nodes);
         return {};
       },
       .skip = [] { return Status(); }});  // the others have given their places with the division
  if (!ran) return fail(ran.error());
  std::uint32_t moved = 0;
  if (places) {
    for (std::uint32_t worker = 0; worker < workers(); ++worker)
      moved += (*places)[worker] != nodes_of[worker] ? 1 : 0;
    nodes_of = std::move(*places);
  }
  drop_others();
  return moved;
}

/// Frees the fragments of workers that run in other processes.
void Session::drop_others() {
  Job* const job = options_.cluster.job;
  for (std::uint32_t worker = 0; job != nullptr && worker < workers(); ++worker) {
    if (options_.pie.nodes_of[worker] != job->self()) fragments_[worker].reset();
  }
}

/// The fragments of threads' nodes are shared; a process makes that of a worker which comes, and frees that of one which
/// leaves.
WorkerMoves Session::moves(const MakeWorker& make) {
  return {.arrive = [this, &make](PartId worker) -> Result<std::unique_ptr<VirtualWorker>> {
            LEEWAY_ASSIGN(const Fragment* const fragment, made_fragment(worker));
            return make(*fragment);
          },
          .leave =
              [this](PartId worker) {
                if (options_.cluster.job != nullptr) fragments_[worker.index()].reset();
              }};
}

Status Session::run_node(Endpoint& endpoint, const MakeWorker& make, Candidates candidates,
                         Record& record, RoundHistory& history, std::vector<ByteWriter>& results,
                         TokenCheckpoints* checkpoints) {
  std::vector<WorkerSlot> slots;
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    if (options_.pie.nodes_of[worker] != endpoint.self()) continue;
    slots.emplace_back(PartId(worker), make(*fragments_[worker]), options_.pie);
    if (!results_[worker].empty() && !slots.back().worker().resume(results_[worker])) {
      return fail(environment_error(format("worker {}", worker),
                                    "the results that it continues from cannot be read",
                                    "start the job again, with --resume"));
    }
  }
  PieEngine engine(endpoint, slots, options_.pie);
  engine.keep_checkpoints(checkpoints);
  engine.continue_from(saved_.get());
  engine.move_by(moves(make));
  if (candidates == Candidates::Border || fragmentation_.needs().cut == Cut::Vertex)
    engine.announce();
  for (WorkerSlot& slot : slots) slot.worker().routes().settle();
  if (!engine.restore())
    return fail(snapshot::damaged(options_.resume->path(), "a worker's state cannot be read"));
  note_computing(options_.cluster.job);
  const std::size_t self = endpoint.self().index();
  NodeRecord& own = record.nodes[self];
  LEEWAY_TRY(engine.run());
  own = std::move(engine.record());
  history.nodes[self] = std::move(engine.trace());
  // All nodes have the same; one thread sets it.
  if (options_.cluster.job != nullptr || endpoint.self() == NodeId(0)) placed_ = engine.nodes_of();
  if (checkpoints != nullptr) checkpoints->end_writing();
  engine.gather(!fragmentation_.in_parts(), [&](PartId worker, std::span<const std::byte> piece) {
    results[worker.index()].raw(piece);
  });
  if (checkpoints != nullptr) own.snapshots = checkpoints->close();
  if (options_.cluster.job == nullptr) return {};
  shift_times(history.nodes[self], own.begin.time_since_epoch());
  start_at_zero(std::span(&own, 1));
  auto all = endpoint.group().gather(std::pair(own, history.nodes[self]));
  for (std::uint32_t from = 0; from < all.size(); ++from)
    std::tie(record.nodes[from], history.nodes[from]) = std::move(all[from]);
  return {};
}

}  // namespace leeway::pie
