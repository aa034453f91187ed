// The runs of Tick's figures: workloads, techniques and their measurement. The simulated program is a phantom: it is
// sized, priced and sent, but not computed. Its ground is evenly filled with tuples that see up to V and move up to
// R. The real engine runs it, queries are those of the fish school (or, with V = 1 and R = 0, of the heated plate),
// and messages have their true sizes, so the paper's fifty nodes fit into a small machine. The tests verify results
// with real computations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/box.h"
#include "base/bytes.h"
#include "benchmarks/replay/laboratory.h"
#include "leeway/tick.h"

namespace leeway::replay {

struct Ground {
  Box area;            ///< area with tuples
  double density = 1;  ///< tuples per unit of area
  double sight = 1;    ///< V
  double reach = 0;    ///< R
  double tuple_bytes = 8;
  double tuple_ns = 1;  ///< time of STEP per tuple
};

/// A box of a ground.
struct Plot {
  Box box;
  Box area;
  double density = 0;
  double tuple_bytes = 0;

  /// Number of tuples in `box` and not in `hole`.
  [[nodiscard]] double tuples(const std::optional<Plot>& hole = std::nullopt) const;
};

class PhantomState {
 public:
  using Query = Plot;
  class Selection {
   public:
    [[nodiscard]] double tuples() const { return tuples_; }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(tuples_); }

   private:
    friend class PhantomState;
    double tuples_ = 0;
  };

  void reset(const Plot& own, const Plot& held) {
    (void)held;
    own_ = own;
  }
  void select(const Plot& inside, const std::optional<Plot>& outside, Selection& found) const {
    found.tuples_ = inside.tuples(outside);
  }
  void keep_private(const std::optional<Plot>& inner) { (void)inner; }
  void select_border(Selection& found) const { select(own_, std::nullopt, found); }
  void mark_own() {}
  void drop_others() {}
  /// The bytes of the tuples, all zero.
  void encode(const Selection& border, const Plot& requested, ByteWriter& out) const;
  void encode_own(ByteWriter& out) const { out.byte(0); }
  [[nodiscard]] bool decode(ByteReader& in) { return in.raw(in.left()).data() != nullptr; }
  void arrange() {}
  void copy(const Plot& query, PhantomState& other) const { (void)query, (void)other; }
  [[nodiscard]] std::optional<std::string> stray(const Selection& border, const Plot& own,
                                                 std::span<const Plot> others) const {
    (void)border, (void)own, (void)others;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> misplaced(std::span<const Plot> parts) const {
    (void)parts;
    return std::nullopt;
  }
  [[nodiscard]] static std::optional<std::string> difference(const PhantomState& a,
                                                             const PhantomState& b) {
    (void)a, (void)b;
    return std::nullopt;
  }

 private:
  Plot own_;
};

class Phantom {
 public:
  using Query = Plot;
  using State = PhantomState;

  explicit Phantom(const Ground& ground) : ground_(ground) {}

  [[nodiscard]] Result<std::vector<Plot>> part(std::uint32_t count, const State* now) const;
  Status create(const Plot& query, State& state) const {
    (void)query, (void)state;
    return {};
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    (void)to_step, (void)context, (void)result;
  }
  [[nodiscard]] Plot rd(const Plot& plot) const {
    return with(plot, plot.box.grown(ground_.sight));
  }
  [[nodiscard]] Plot rx(const Plot& plot) const {
    return with(plot, plot.box.shrunk(ground_.sight));
  }
  [[nodiscard]] Plot wd(const Plot& plot) const {
    return with(plot, plot.box.grown(ground_.reach));
  }
  [[nodiscard]] Plot wx(const Plot& plot) const {
    return with(plot, plot.box.shrunk(ground_.reach));
  }
  [[nodiscard]] bool disjoint(const Plot& a, const Plot& b) const { return a.box.disjoint(b.box); }
  [[nodiscard]] Duration price(const State::Selection& to_step) const;

 private:
  [[nodiscard]] static Plot with(Plot plot, const Box& box) {
    plot.box = box;
    return plot;
  }

  Ground ground_;
};

/// Runs the program; the result is its time.
[[nodiscard]] Result<tick::TickResult<PhantomState>> run_phantom(const Ground& ground,
                                                                 const tick::TickOptions& options,
                                                                 const ClusterOptions& cluster);

// Workloads were fixed before any figure was run. Every technique runs in every round; rounds differ in the network's
// seed only.

/// A program at the size of the paper's Section 6.1, per process.
struct TickWorkload {
  std::string name;
  std::string unit;  ///< unit of throughput
  double side = 0;   ///< side of one process's square
  double density = 1;
  double sight = 1, reach = 0;
  double tuple_bytes = 8;
  double tuple_ns = 1;
};
/// 5,500 fish per process on 271 x 271 body lengths, V = 6 and R = 0.2; a fish takes 1 µs, as on one core here. The
/// number of fish determines the share of STEP in local synchronization: a third, which leaves room for the gains
/// that the paper reports (docs/studies/set-up.md).
[[nodiscard]] TickWorkload fish_workload();
/// 1,000 x 1,000 cells per process, as in the paper; a cell takes 2 ns.
[[nodiscard]] TickWorkload jacobi_workload();

/// A synchronization technique.
struct Technique {
  std::string name;
  tick::TickOptions options;
};
[[nodiscard]] Technique barrier();
[[nodiscard]] Technique local();
[[nodiscard]] Technique schedule(std::uint32_t depth);
[[nodiscard]] Technique replicate(std::uint32_t every, std::uint32_t replicas);
[[nodiscard]] Technique combined(std::uint32_t depth, std::uint32_t every, std::uint32_t replicas);

struct TickMeasure {
  std::vector<double> seconds;  ///< per round, virtual
  double throughput = 0;        ///< tuple ticks per second, mean of the rounds
  double deviation = 0;         ///< standard deviation of the throughput
  double step_share = 0, wait_share = 0;
  double copied = 0;     ///< tuples stepped for other nodes, relative to own tuples
  double megabytes = 0;  ///< sent per round
};

[[nodiscard]] std::vector<RawCell> raw_cells(const TickMeasure& measure);

[[nodiscard]] std::uint32_t tick_nodes(const Laboratory& lab);
[[nodiscard]] std::uint32_t ticks_of_trial(const Laboratory& lab);
[[nodiscard]] NetworkProfile tick_network(const Laboratory& lab);
/// What a round of a program leaves for its measure.
struct TickRound {
  std::vector<NodeRecord> nodes;
  Duration elapsed{};
};
using RunTickRound = std::function<Result<TickRound>(const tick::TickOptions& options,
                                                     const ClusterOptions& cluster)>;
/// What all techniques of a measurement have in common.
struct TickSeries {
  std::string workload;
  std::uint32_t nodes = 0, ticks = 0, rounds = 0;
  double tuples = 0;  ///< processed in a tick, all nodes
};
/// Measures all techniques over rounds with different seeds, with `run` for each round.
Result<std::vector<TickMeasure>> measure_techniques(Laboratory& lab, const TickSeries& series,
                                                    const std::vector<Technique>& techniques,
                                                    const RunTickRound& run);
/// The same with a phantom of the workload.
Result<std::vector<TickMeasure>> run_techniques(Laboratory& lab, const TickWorkload& workload,
                                                const std::vector<Technique>& techniques,
                                                std::uint32_t rounds, std::uint32_t nodes);
/// A figure with its configuration and notes, and no rows; the study's runs of the figure begin here.
[[nodiscard]] Figure blank_tick(Laboratory& lab, const TickWorkload& workload,
                                std::uint32_t rounds);
/// The claim that depths of 2, 4 and 10 (measures from the third on) gain little over 1.
[[nodiscard]] Claim no_deeper(const std::vector<TickMeasure>& measures);
/// The throughput of each relative to the first.
[[nodiscard]] std::vector<double> gains(const std::vector<TickMeasure>& measures);

}  // namespace leeway::replay
