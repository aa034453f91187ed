// Who says what a worker's next round will take (AAP §6): asked by the engine when a worker with messages may
// run, told afterwards what the round took. Without one a worker's own rounds are its estimate. One node's,
// one thread's own.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/schedule.h"
#include "runtime/pie/fragment.h"
#include "snapshot/manifest.h"
#include "transport/transport.h"

namespace leeway::pie {

class VirtualWorker;

/// X_j: x1 to x7, then Z.
using RoundFeatures = std::vector<double>;

struct RoundSample {
  RoundFeatures features;
  double seconds = 0;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.features, self.seconds);
  }
};

/// What forecasting took of this machine; under sim too, where it is charged something else.
struct ForecastCost {
  std::uint64_t predictions = 0;
  std::uint64_t trained_on = 0;   ///< rounds; 0: no forest has been trained
  double predicting_seconds = 0;  ///< features and forest
  double training_seconds = 0;

  void add(const ForecastCost& other) {
    predictions += other.predictions;
    trained_on += other.trained_on;
    predicting_seconds += other.predicting_seconds;
    training_seconds += other.training_seconds;
  }
};

class Forecaster {
 public:
  virtual ~Forecaster() = default;
  /// Seconds that IncEval would take with what is in the buffer; nothing if it cannot tell yet.
  [[nodiscard]] virtual std::optional<double> predict(const VirtualWorker& worker) = 0;
  /// A round of IncEval begins, with what is in the buffer.
  virtual void begins(const VirtualWorker& worker) = 0;
  virtual void took(const VirtualWorker& worker, double seconds) = 0;
  [[nodiscard]] virtual ForecastCost cost() const = 0;
  /// All rounds, if they were to be kept.
  [[nodiscard]] virtual std::vector<RoundSample> take_log() = 0;
};

// How a PIE program is run. Plain data, the same on every node.
struct PieOptions {
  Schedule schedule;
  /// Which node each virtual worker runs on; as many as fragments.
  std::vector<NodeId> nodes_of;
  /// Rounds of a worker in a row without progress (StallCounter), after which the query is given up as not converging.
  /// Programs that always come to rest (`always_rests`, program.h) are never given up.
  std::uint32_t patience = kPatience;
  std::optional<std::uint32_t>
      most_rounds;           ///< of a worker: given up after so many, whatever they bring
  unsigned threads = 1;      ///< a node's, for rounds of several workers at once
  StopFlag stop = nullptr;   ///< once set the query is given up
  bool one_clock = true;     ///< all nodes' clocks agree, as within one process
  bool keep_rounds = false;  ///< a record of every round, for traces and predictors
  /// tau: how far back arrivals count; zero: two rounds of the worker.
  Duration rate_window{};
  /// What passing messages takes of a worker after each round; zero where it happens beside computing.
  Duration exchange{};
  /// What a round takes of each worker, instead of what its work is charged; for worked examples.
  std::vector<Duration> round_times;
  /// Makes a node's forecaster; none: a worker's estimate is what its own rounds tell.
  std::function<std::unique_ptr<Forecaster>()> forecaster;
  /// What a forecast takes of a virtual node (AAP, Tables 3 to 6).
  Duration forecast_cost = std::chrono::microseconds(6);
};

/// One round of one worker, with the parameters by which it was scheduled (AAP §3).
struct RoundRecord {
  PartId worker{0};
  Round round{0};  ///< 0: PEval
  Instant begin{};
  Instant end{};
  std::uint64_t staleness = 0;            ///< eta_i: messages taken
  std::uint64_t taken = 0;                ///< parameters that they spoke of
  std::uint64_t sent = 0;                 ///< parameters that changed and travelled
  std::uint64_t vertices = 0;             ///< visited
  std::uint64_t edges = 0;                ///< walked
  bool iterates = true;                   ///< an iteration of the program (`passes`, program.h)
  double predicted_seconds = 0;           ///< t_i
  double arrival_rate = 0;                ///< s_i
  double target = 0;                      ///< L_i
  double stretch_seconds = 0;             ///< the sum of the delay stretches DS_i it was given
  Round slowest{0};                       ///< r_min
  Round fastest{0};                       ///< r_max
  std::optional<Residual> residual = {};  ///< of programs that have one

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.worker, self.round, self.begin, self.end, self.staleness, self.taken,
                    self.sent, self.vertices, self.edges, self.iterates, self.predicted_seconds,
                    self.arrival_rate, self.target, self.stretch_seconds, self.slowest,
                    self.fastest, self.residual);
  }
};

/// What a run tells of its rounds, of all nodes, by node and time.
struct RoundsTold {
  std::vector<RoundRecord> rounds;  ///< if they were kept
  ForecastCost forecasts;           ///< of their times
  std::vector<RoundSample> log;     ///< what the times are learnt from, if it was kept
};

/// What fragments hold.
struct FragmentCounts {
  std::uint64_t vertices = 0;  ///< inner ones
  std::uint64_t copies = 0;
  std::uint64_t arcs = 0;
  std::uint64_t bytes = 0;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.vertices, self.copies, self.arcs, self.bytes);
  }
};

/// What one node tells of its run.
struct NodeOutcome {
  Instant begin{};
  Instant end{};
  std::uint64_t rounds = 0;       ///< of all its workers
  std::uint32_t most_rounds = 0;  ///< of one worker
  std::uint64_t messages = 0;     ///< designated messages sent, to this node's other workers too
  std::uint64_t frames = 0;       ///< to other nodes, of all kinds
  std::uint64_t bytes = 0;        ///< in them
  std::uint64_t parameters = 0;   ///< sent
  std::uint64_t taken = 0;        ///< parameters that messages spoke of
  std::uint64_t vertices = 0;     ///< visited
  std::uint64_t edges = 0;        ///< walked
  FragmentCounts held;            ///< by the fragments of its workers
  Duration computing{};           ///< in rounds
  bool converged = false;
  std::vector<RoundRecord> records;    ///< if they were asked for
  std::vector<Duration> worker_times;  ///< computing of each of its workers, by place on the node
  std::vector<std::uint32_t> worker_rounds;
  ForecastCost forecasts;
  snapshot::Counts snapshots;
  std::vector<RoundSample> round_log;  ///< the forecaster's, if it was to keep one

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end, self.rounds, self.most_rounds, self.messages, self.frames,
                    self.bytes, self.parameters, self.taken, self.vertices, self.edges, self.held,
                    self.computing, self.converged, self.records, self.worker_times,
                    self.worker_rounds, self.forecasts, self.snapshots, self.round_log);
  }
};

// What a PIE program is (AAP §2): PEval and IncEval, sequential functions of one fragment, and what they
// declare: the update parameters, f_aggr, and what Assemble takes of each vertex. A user writes one class:
//
//   struct Program {
//     using Value = ...;    // an update parameter's value
//     using Partial = ...;  // Q(F_i) and whatever index the functions keep beside it
//     using Result = ...;   // what the answer says of a vertex
//     FragmentNeeds needs() const;
//     Candidates candidates() const;
//     static void aggregate(Value& kept, const Value& come);                                // f_aggr
//     Work peval(const Fragment&, Partial&, Changes&) const;
//     Work inceval(const Fragment&, Partial&, std::span<Update<Value>>, Changes&) const;    // M_i
//     Value parameter(const Fragment&, Partial&, Place) const;  // what is sent of a changed one
//     Result result(const Fragment&, const Partial&, Place inner) const;
//   };
//
// The functions mark in Changes what they changed; the engine then takes each marked parameter once and
// sends it to the fragments that hold the vertex too. A Value or Result that is no plain bytes needs static
// `write(const T&, ByteWriter&)` and `read(ByteReader&, T&)` beside it in the program.

/// Whose values travel: the candidate set C_i.
enum class Candidates : std::uint8_t {
  Outer,   ///< those of copies, to the fragment where the vertex is inner: F_i.O and F_j.I
  Border,  ///< and those of inner vertices, to the fragments that have copies of them
};

/// A change to an update parameter: a piece of M_i.
template <class V>
struct Update {
  Place place = 0;
  V value{};
};

/// The update parameters that a round has changed. One worker's own.
class Changes {
 public:
  /// `border`: those of inner vertices travel too.
  Changes(const Routes& routes, std::uint32_t places, bool border)
      : routes_(routes), marked_(places / 64 + 1, 0), border_(border) {}

  /// False: only parameters of copies travel, and no others need be marked.
  [[nodiscard]] bool border() const { return border_; }
  /// Somebody else holds this one too. Marking others does no harm.
  [[nodiscard]] bool travels(Place place) const { return !routes_.of(place).empty(); }

  void mark(Place place) {
    std::uint64_t& word = marked_[place / 64];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    places_.push_back(place);
  }
  [[nodiscard]] bool marked(Place place) const {
    return (marked_[place / 64] >> (place % 64) & 1) != 0;
  }
  /// Hands every marked place to `take`, once, and forgets them.
  template <class Take>
  void drain(Take&& take) {
    for (const Place place : places_) {
      marked_[place / 64] &= ~(std::uint64_t{1} << (place % 64));
      take(place);
    }
    places_.clear();
  }
  [[nodiscard]] std::span<const Place> places() const { return places_; }

 private:
  const Routes& routes_;
  std::vector<std::uint64_t> marked_;
  std::vector<Place> places_;
  bool border_;
};

template <class P>
concept PieProgram =
    requires(const P p, const Fragment& f, typename P::Partial& q, const typename P::Partial& cq,
             std::span<Update<typename P::Value>> m, Changes& c, typename P::Value& v) {
      { p.needs() } -> std::convertible_to<FragmentNeeds>;
      { p.candidates() } -> std::convertible_to<Candidates>;
      { P::aggregate(v, v) };
      { p.peval(f, q, c) } -> std::same_as<Work>;
      { p.inceval(f, q, m, c) } -> std::same_as<Work>;
      { p.parameter(f, q, Place{}) } -> std::convertible_to<typename P::Value>;
      { p.result(f, cq, Place{}) } -> std::convertible_to<typename P::Result>;
    };

/// A program that finds its answer from any results that a run of it may have had, a vertex' at one time and another's
/// at another; such a run can go on from a snapshot, which holds no messages (docs/adr/0008). `saved`: by place, those of
/// copies too:
///
///   Work peval_from(const Fragment&, Partial&, std::span<const Result> saved, Changes&) const;
template <class P>
concept ResumingProgram = requires(const P p, const Fragment& f, typename P::Partial& q,
                                   std::span<const typename P::Result> saved, Changes& c) {
  { p.peval_from(f, q, saved, c) } -> std::same_as<Work>;
};

/// True if the worker has another round to run though nothing has come; for programs that work on by
/// themselves, such as descents.
template <class P>
[[nodiscard]] bool unfinished(const P& program, const typename P::Partial& partial) {
  if constexpr (requires { program.unfinished(partial); }) {
    return program.unfinished(partial);
  } else {
    return false;
  }
}

/// True if the program comes to rest under every schedule, after finitely many changes: it contracts and is monotonic (AAP's
/// T2 and T3), or ends by itself. For programs that declare `static constexpr bool kAlwaysRests = true`. A run of any
/// other program is given up after Options::patience rounds without progress.
template <class P>
[[nodiscard]] consteval bool always_rests() {
  if constexpr (requires { P::kAlwaysRests; }) return P::kAlwaysRests;
  return false;
}

/// Passes over its data that a worker has made, of programs whose iterations these are: a round that only takes in what has come
/// is none then. For programs that declare `std::uint32_t passes(const Partial&) const`; else each round is an iteration.
template <class P>
[[nodiscard]] std::optional<std::uint32_t> passes_of(const P& program,
                                                     const typename P::Partial& partial) {
  if constexpr (requires { program.passes(partial); }) {
    return program.passes(partial);
  } else {
    return std::nullopt;
  }
}

/// How far the round moved the values of inner vertices; of programs that declare
/// `Residual moved(Partial&) const`, which forgets what it told.
template <class P>
[[nodiscard]] std::optional<Residual> residual_of(const P& program, typename P::Partial& partial) {
  if constexpr (requires { program.moved(partial); }) {
    return program.moved(partial);
  } else {
    return std::nullopt;
  }
}

/// True if f_aggr adds changes up, so that one message can say what several would; then the engine paces what
/// is sent (see update_sender.h). For programs that declare `static double magnitude(const Value&)`: how much a
/// change is, next to others.
template <class P>
[[nodiscard]] consteval bool adds_up() {
  return requires(const typename P::Value& value) { P::magnitude(value); };
}

/// True while changes go up and down and come to nothing as a whole, as long as every worker passes on as much of them as
/// the others. Of two messages of a peer a round then takes the first alone, and begins once all peers have answered
/// (virtual_worker.h): otherwise what is left over dies away more slowly than all the rest. For programs whose changes add up.
template <class P>
[[nodiscard]] bool cancels(const P& program, const typename P::Partial& partial) {
  if constexpr (requires { program.cancels(partial); }) {
    return program.cancels(partial);
  } else {
    return false;
  }
}

template <class P, class T>
void write_value(const T& value, ByteWriter& out) {
  if constexpr (requires { P::write(value, out); }) {
    P::write(value, out);
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "give the program write() and read() for it");
    std::memcpy(out.extend(sizeof(T)), &value, sizeof(T));
  }
}

/// The reader fails if there are too few bytes.
template <class P, class T>
void read_value(ByteReader& in, T& value) {
  if constexpr (requires { P::read(in, value); }) {
    P::read(in, value);
  } else {
    const auto bytes = in.raw(sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
  }
}

}  // namespace leeway::pie
