// The runs of ASPIRE's evaluation: a program on an input under a protocol, in the virtual cluster, at the prices of the
// paper's machine or at those of this library. The study keeps each run.
//
// The inputs are stand-ins, many times smaller than the paper's. A sweep of the paper's graph fetches more values per
// copied object than one of a stand-in, or fewer. The price of a message is therefore scaled per input: by the ratio of
// the paper's copies to ours, over the ratio of the paper's arcs to ours. A run at the paper's size would then
// take `AspireScale::arcs` times as long, in its sweeps and in its messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/inputs.h"
#include "benchmarks/replay/study.h"
#include "leeway/options.h"
#include "runtime/cluster/record.h"
#include "transport/cluster_model.h"

namespace leeway::replay {

class Laboratory;

/// A benchmark of ASPIRE's Table 1.
struct Benchmark {
  std::string_view paper;    ///< "PR"
  std::string_view program;  ///< "pagerank"
  bool both_ways = false;    ///< requires every arc's reverse
};
/// CD, CC, GC, NP, PR, SSSP, in the order of Table 3.
[[nodiscard]] std::span<const Benchmark> graph_benchmarks();
/// HS and WS.
[[nodiscard]] std::span<const Benchmark> pde_benchmarks();

/// The prices of ASPIRE's machine, from the columns of RCP in the paper's Tables 3 to 5 alone (docs/profiles.md), so that
/// all other protocols are predictions.
struct AspirePrices {
  double fetch_ns = 0;    ///< a: a fetch that the node serves itself
  double miss_us = 0;     ///< b: a fetch that the computation waits for
  double handler_us = 0;  ///< h: processor time per frame, at each end, with which a miss takes b
  double pagerank = 0;    ///< tolerance of PR
  double equations = 0;   ///< tolerance of HS and WS
};
[[nodiscard]] const AspirePrices& aspire_prices();
/// The network with handlers that take `handler_us` times `scale` per frame.
[[nodiscard]] NetworkProfile aspire_network(double scale);

/// What Stale-n does with copies that are stale within the bound once no node votes to continue, which the paper leaves
/// open: it has no refreshes, but ends with current values (§4.2, §6.2).
enum class StaleReading : std::uint8_t {
  Misses,  ///< they become misses; the mode's rule (RunEnd::Current)
  /// Every sweep stores every value, as in Algorithm 1, so that copies exceed the bound by themselves. There are always news
  /// in flight, so votes alone end the run.
  Stores,
  Ends,  ///< the run ends with them, but not with news in flight
};

struct AspireTrial {
  std::string_view benchmark;  ///< name in the paper
  std::string_view input;      ///< name in the paper
  std::string mode = "rcp";
  bool bsp = false;  ///< supersteps instead of sweeps in place; ignores the mode
  std::uint32_t nodes = 16;
  bool replicate = false;   ///< caches are filled before the first iteration (ASPIRE §4.3)
  bool own_prices = false;  ///< this library's instead of the paper's machine's
  bool aggregate = true;    ///< messages to one node share frames (ASPIRE §4.3)
  StaleReading reading = StaleReading::Misses;
};

struct AspireRun {
  double seconds = 0;  ///< virtual
  std::uint64_t iterations = 0;
  bool converged = false;
  bool right = false;             ///< the result passes the program's verification
  std::vector<double> values;     ///< of a program whose results are real numbers
  std::uint64_t arcs = 0;         ///< read by one sweep, all nodes
  std::uint64_t copies = 0;       ///< objects of other nodes that a node reads, sum over the nodes
  std::uint64_t remote_uses = 0;  ///< fetches of remote objects
  std::uint64_t blocked = 0;      ///< those that stalled the computation
  std::uint64_t refreshes = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> by_staleness;  ///< [s]: uses of remote values s versions old
  std::uint64_t digest = 0;
};
[[nodiscard]] std::vector<RawCell> raw_cells(const AspireRun& run);
[[nodiscard]] AspireRun aspire_run_of(const Record& record);

/// As the paper's DO-WORK: all vertices in every sweep, one fetch at a time, one compute thread.
[[nodiscard]] EngineOptions engine_of_aspire(Scheduler scheduler);

/// A trial with the laboratory's number of nodes.
[[nodiscard]] AspireTrial aspire_trial(const Laboratory& lab, std::string_view benchmark,
                                       std::string_view input, std::string mode);
Result<const AspireRun*> run_aspire(Laboratory& lab, const AspireTrial& trial);
/// How many times larger the paper's input is than the stand-in.
struct AspireScale {
  double arcs = 1;
  double copies = 1;
};
[[nodiscard]] AspireScale scale_of(const Input& input, std::uint64_t vertices, std::uint64_t arcs);
Result<AspireScale> scale_of(Laboratory& lab, const AspireTrial& trial);

/// The inputs of these kinds; only the first if a single graph replaces all.
[[nodiscard]] std::vector<std::string_view> shown_inputs(const Laboratory& lab,
                                                         std::span<const InputKind> kinds);
/// A figure with its configuration and no rows; the study's runs of the figure begin here.
[[nodiscard]] Figure blank_aspire(Laboratory& lab);
/// Adds the raw numbers and the inputs of all runs requested since `blank_aspire`.
void finish_aspire(Laboratory& lab, Figure& figure);

/// "of 10% of what a node reads, lru"
[[nodiscard]] std::string caches_of(const CacheBound& cache);
/// "fetch 2000 ps, store …"
[[nodiscard]] std::string prices_of(const CostModel& cost);

/// NP as the paper's §5.2 describes it: a vertex adds the paths of its neighbours, and no cycle is detected, so that
/// counts on and behind a cycle grow until they no longer fit into 63 bits. Only Figures 7 and 16 have it.
inline constexpr std::string_view kBareSum = "NP, bare sum";
inline constexpr const char* kBareSumNote =
    "NP, bare sum: without the detection of cycles that `paths` has; a count on or behind a cycle "
    "grows in every sweep "
    "until it exceeds 2^63 - 1";

/// For figures with a single input (6 to 11): Pokec for graphs, AtmosModl for equations.
struct BenchmarkCase {
  std::string_view benchmark;
  std::string_view input;
};
inline constexpr BenchmarkCase kBareSumOfPaths = {kBareSum, "Pokec"};
[[nodiscard]] std::vector<BenchmarkCase> one_input_each();
/// The seconds, or an x if the run did not converge.
[[nodiscard]] FigureCell seconds_cell(const AspireRun& run);
/// The ratio of two times; NaN if one of the runs did not converge.
[[nodiscard]] double time_ratio(const AspireRun& of, const AspireRun& to);

}  // namespace leeway::replay
