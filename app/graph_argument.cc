#include "app/graph_argument.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/job_agreement.h"
#include "app/output.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "datasets/binary.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"
#include "datasets/ldbc.h"
#include "datasets/partition_methods.h"
#include "leeway/settings.h"
#include "runtime/cluster/group.h"
#include "runtime/cluster/run_outcome.h"
#include "runtime/graph/division.h"
#include "runtime/graph/part_file.h"

namespace leeway::app {

namespace {

// Memory of an idle node, and for each of its peers; measured by test/jobs/footprint.py (docs/running.md), rounded
// up.
constexpr std::uint64_t kBytesPerNode = std::uint64_t{1} << 20U;
constexpr std::uint64_t kBytesPerPeer = std::uint64_t{16} << 10U;

}  // namespace

Status admit_memory(std::string_view flag, std::string_view things, std::uint64_t count,
                    std::uint64_t bytes_each) {
  const Room room = memory_room();
  if (count <= room.left / bytes_each) return {};
  return fail(environment_error(
      std::string(flag),
      format("{} {} take {}, and this machine has {} left, by {}", format_count(count), things,
             format_bytes(static_cast<double>(count) * static_cast<double>(bytes_each)),
             format_bytes(static_cast<double>(room.left)), room.by),
      format("give at most {}", format_count(room.left / bytes_each))));
}

Status admit_nodes(std::uint32_t nodes, bool threads) {
  const Room memory = memory_room();
  std::uint64_t nodes_that_fit = most_that_fit(memory.left, kBytesPerNode, kBytesPerPeer);
  auto by = memory.by;
  if (const Room processes = process_room(); threads && processes.left < nodes_that_fit) {
    nodes_that_fit = processes.left;
    by = processes.by;
  }
  if (nodes <= nodes_that_fit) return {};
  return fail(
      environment_error("--nodes",
                        format("{} nodes are more than this process has room for: {} fit, by {}",
                               nodes, nodes_that_fit, by),
                        format("give at most {}", nodes_that_fit)));
}

Result<std::shared_ptr<const Partition>> stored_division(const std::string& path,
                                                         std::uint64_t vertices,
                                                         const PartitionOptions& how) {
  const std::uint32_t parts = how.parts;
  std::shared_ptr<const Partition> none;
  if (how.skew || specified_method(how)) return none;
  if (parts <= 1 || !is_binary_name(path) || !std::filesystem::exists(path)) return none;
  LEEWAY_ASSIGN(const BinarySummary summary, summarize_binary(path, false));
  if (!summary.partitioned) return none;
  LEEWAY_ASSIGN(Partition stored, open_binary_partition(path));
  if (stored.owner.size() != vertices) return none;  // the file name of a borrowed graph
  if (stored.part_count == parts) return std::make_shared<const Partition>(std::move(stored));
  log_info("{} holds a division into {} parts; {} are needed", path, stored.part_count, parts);
  return none;
}

void settle_method(const ClusterOptions& cluster, const Graph& graph, PartitionOptions& how) {
  how.parts = cluster.nodes;
  how.method = method_for(cluster, graph, how);
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> plane_of(std::string_view graph) {
  const auto size = size_of_spec(graph, {});
  if (!size || size->width == 0) return std::nullopt;
  return std::pair(size->width, size->height);
}

Result<double> settle_division(const std::string& path, const Graph& graph, RunOptions& options) {
  PartitionOptions& how = options.partition;
  how.parts = options.pie.workers_on(options.cluster.nodes);
  if (how.method != PartitionMethod::Auto) return 0.0;
  const Stopwatch watch;
  LEEWAY_ASSIGN(options.divided, stored_division(path, graph.vertex_count(), how));
  if (options.divided) {
    how.method = PartitionMethod::File;
    how.owner_file = path;
  } else {
    how.method = method_for(options.cluster, graph, how);
  }
  return watch.elapsed_seconds();
}

namespace {

constexpr std::uint64_t kMostIterations = 1'000'000'000;

/// Describes the values taken from a properties file.
class Taken {
 public:
  explicit Taken(const LdbcProperties& properties) : properties_(properties) {}

  void add(std::string_view setting, const std::string& value, std::uint64_t line) {
    if (!text_.empty()) text_ += ", ";
    text_ += format("{} {} ({})", setting, value, properties_.at(line));
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  const LdbcProperties& properties_;
  std::string text_;
};

void take_iterations(const LdbcEntry<std::uint64_t>& entry, CommandOptions& options, Taken& taken) {
  options.iterations = static_cast<std::uint32_t>(std::min(entry.value, kMostIterations));
  taken.add("iterations", std::to_string(*options.iterations), entry.line);
}

}  // namespace

Status take_ldbc_defaults(const Program& program, EngineName engine, CommandOptions& options) {
  if (!options.graph || !names_ldbc_graph(*options.graph)) return {};
  LEEWAY_ASSIGN(const LdbcProperties properties, read_ldbc_properties(ldbc_stem(*options.graph)));
  Taken taken(properties);
  const LdbcAlgorithm defaults = properties.algorithm(program.ldbc_name);
  // LDBC counts synchronous rounds; other schedulers and the pie engine run until nothing changes.
  const Scheduler scheduler = options.scheduler.value_or(Scheduler::Bsp);
  const bool by_definition = options.program.ldbc || !program.ldbc_changes;
  const bool rounds = engine == EngineName::Vertex && scheduler == Scheduler::Bsp && by_definition;
  if (rounds && defaults.iterations && !options.iterations) {
    options.scheduler = scheduler;
    take_iterations(*defaults.iterations, options, taken);
  }
  if (defaults.damping && find_given(options, "damping") == nullptr) {
    options.program.damping = defaults.damping->value;
    taken.add("damping", format("{}", options.program.damping), defaults.damping->line);
  }
  if (defaults.source && !options.source) {
    options.source = defaults.source->value;
    taken.add("source", defaults.source->value, defaults.source->line);
  }
  options.from_properties = std::move(taken).text();
  return {};
}

Status take_graph_argument(const std::string& argument, CommandOptions& options) {
  if (argument.empty()) return {};
  const GivenSetting* const given = find_given(options, "graph");
  if (given != nullptr && given->where == "--graph") {
    return fail(input_error("GRAPH", format("'{}' is given, and --graph, too", argument),
                            "give one of the two"));
  }
  return apply_setting(*find_setting("graph"), argument, "GRAPH", options);
}

}  // namespace leeway::app

namespace leeway {

Result<Graph> open_graph(const std::string& text, const LoadOptions& options) {
  if (!std::filesystem::exists(text) && is_graph_spec(text)) return generate(text, options);
  // A link to a missing file is not missing: reading it names the problem.
  std::error_code error;
  const bool missing =
      std::filesystem::symlink_status(text, error).type() == std::filesystem::file_type::not_found;
  if (missing && text != "-" && !names_ldbc_graph(text)) return fail(no_such_graph(text));
  return load_graph(text, options);
}

}  // namespace leeway

namespace leeway::app {

namespace {

/// Calls `make` and logs the size of the graph.
template <class Make>
Result<Graph> logged(const std::string& name, Make&& make) {
  const Stopwatch watch;
  Result<Graph> graph = make();
  if (graph) {
    log_info("{}: {} vertices, {} arcs, {} in memory, after {:.3f} s", name, graph->vertex_count(),
             graph->arc_count(), format_bytes(static_cast<double>(graph->bytes())),
             watch.elapsed_seconds());
  }
  return graph;
}

}  // namespace

Result<Graph> open_graph(const std::string& argument, const CommandOptions& options) {
  const bool hides = is_graph_spec(argument) && std::filesystem::exists(argument);
  if (hides && started_by_launcher().self == 0)
    log_warning("{} is a file here, and it is read; the spec of this name is not generated",
                argument);
  Watch watch(options);
  LoadOptions how = options.load;
  how.progress = watch.progress();
  return logged(argument, [&] { return leeway::open_graph(argument, how); });
}

Result<OpenedGraph> OpenedGraph::of(const CommandOptions& options) {
  OpenedGraph graph;
  graph.borrowed_ = options.borrowed;
  if (options.borrowed != nullptr) return graph;
  LEEWAY_ASSIGN(graph.own_, open_graph(*options.graph, options));
  return graph;
}

namespace {}  // namespace

Result<OpenedGraph> OpenedGraph::in(Job* job, const CommandOptions& options) {
  if (job == nullptr || options.held == nullptr || options.borrowed != nullptr) return of(options);
  OpenedGraph graph;
  LEEWAY_ASSIGN(graph.borrowed_, options.held->whole(*job, options));
  return graph;
}

Result<const Graph*> HeldGraph::whole(Job& job, const CommandOptions& options) {
  if (whole_) return &*whole_;
  const std::string copy = name_of_copies();
  const bool first_processes = job.generation() == 0;
  std::error_code none;
  if (!first_processes && !copy.empty() && std::filesystem::exists(copy, none)) {
    LEEWAY_ASSIGN(whole_, open_binary(copy));
    return &*whole_;
  }
  LEEWAY_ASSIGN(whole_, open_graph(*options.graph, options));
  if (copy.empty() || !first_processes || job.self() != NodeId(0) || is_binary_name(*options.graph))
    return &*whole_;
  writer_ = std::jthread([graph = &*whole_, copy] {
    const Status written = write_binary(*graph, copy);
    if (!written) log_warning("{}", written.error().to_string());
  });
  return &*whole_;
}

Result<LoadedPart> HeldGraph::part(const ClusterOptions& cluster,
                                   const std::function<Result<LoadedPart>()>& load) {
  const std::string copy = name_of_copies();
  if (copy.empty()) return load();
  const std::string file = format("{}.part-{}", copy, cluster.job->self());
  if (cluster.job->generation() > 0) {
    Result<GraphPart> mine = open_part_file(file);
    bool all = false;
    LEEWAY_TRY(with_group(cluster, [&](Group& group) -> Status {
      all = group.sum(mine ? 0 : 1) == 0;
      return {};
    }));
    if (all) return LoadedPart{.part = std::move(*mine)};
  }
  LEEWAY_ASSIGN(LoadedPart loaded, load());
  if (const Status written = write_part_file(loaded.part, file); !written)
    log_warning("{}; after a loss all processes load the graph again", written.error().to_string());
  return loaded;
}

Result<Graph> make_graph(const std::string& spec, const CommandOptions& options) {
  Watch watch(options);
  LoadOptions how = options.load;
  how.progress = watch.progress();
  return logged(spec, [&] { return generate(spec, how); });
}

Result<Partition> divide_graph(const Graph& graph, PartitionOptions how,
                               const CommandOptions& options) {
  Watch watch(options);
  how.progress = watch.progress();
  const Stopwatch dividing;
  auto partition = partition_graph(graph, how);
  if (partition) {
    log_info("divided into {} parts by {} after {:.3f} s", partition->part_count,
             partition_method_name(how.method), dividing.elapsed_seconds());
  }
  return partition;
}

Status check_graph_output(const std::string& path, const std::string& input,
                          const CommandOptions& options) {
  if (!options.to && !is_binary_name(path)) {
    LEEWAY_ASSIGN(const std::string_view format, format_of_name(path));
    if (format == "binary") {
      return fail(input_error(
          path, "the binary form is mapped from its file, so it cannot be packed", "name it .lwg"));
    }
  }
  if (!options.force) LEEWAY_TRY(check_keeps({input}, {{"the output", path}}));
  return may_replace(path).map([](bool) {});
}

Status save_graph(const Graph& graph, const std::string& path, const CommandOptions& options) {
  Watch watch(options);
  watch.progress()->start("writing " + path);
  if (options.to == "binary" || (!options.to && is_binary_name(path)))
    return write_binary(graph, path);
  return write_graph(graph, path, options.to);
}

}  // namespace leeway::app
