// The interface of PIE programs (AAP §2, §3): PieProgram, the functions that a user writes, and the records of a run's
// rounds. Forecaster is the interface of round-time predictors (AAP §6).
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "leeway/options.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/schedule.h"
#include "runtime/pie/fragment.h"
#include "snapshot/manifest.h"
#include "transport/transport.h"

namespace leeway::pie {

class VirtualWorker;

/// X_j (AAP §6): the features x1 to x7 of a round, x8 and x9 of our own, then the message embedding Z.
using RoundFeatures = std::vector<double>;

/// A line of the query log: one measured round of IncEval.
struct RoundSample {
  RoundFeatures features;
  double seconds = 0;
  double at = 0;  ///< end of the round, in seconds since the first round began on its node

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.features, self.seconds, self.at);
  }
};

/// Real time that prediction took on this machine; under sim too, although virtual nodes are charged `forecast_cost`
/// instead.
struct ForecastCost {
  std::uint64_t predictions = 0;
  std::uint64_t trained_on = 0;   ///< number of rounds; 0: no forest has been trained
  double predicting_seconds = 0;  ///< computing features and evaluating the forest
  double training_seconds = 0;
  // Sums of squared relative errors (AAP equation (6)) over the same rounds.
  std::uint64_t scored = 0;   ///< rounds that were predicted and had an earlier round
  double forecast_error = 0;  ///< of the prediction that scheduled the round
  double mean_error = 0;      ///< of the mean of all earlier rounds of the node

  void add(const ForecastCost& other) {
    predictions += other.predictions;
    trained_on += other.trained_on;
    scored += other.scored;
    forecast_error += other.forecast_error;
    mean_error += other.mean_error;
    predicting_seconds += other.predicting_seconds;
    training_seconds += other.training_seconds;
  }
};

/// Predicts the round times t_i of a node's workers (AAP §6). The engine calls it when a worker with messages may
/// run, and reports the measured time afterwards. Without a forecaster, t_i is estimated from the worker's earlier
/// rounds. One for each node; not thread-safe.
class Forecaster {
 public:
  virtual ~Forecaster() = default;
  /// Predicted seconds of IncEval on the messages in the worker's buffer; empty while no prediction is possible.
  [[nodiscard]] virtual std::optional<double> predict(const VirtualWorker& worker) = 0;
  /// Called when a round of IncEval begins, before the buffer is taken.
  virtual void begins(const VirtualWorker& worker) = 0;
  /// Called after a round. `at`: its end, in seconds since the node's first round began.
  virtual void took(const VirtualWorker& worker, double seconds, double at) = 0;
  [[nodiscard]] virtual ForecastCost cost() const = 0;
  /// All measured rounds, if the log is kept.
  [[nodiscard]] virtual std::vector<RoundSample> take_log() = 0;
};

/// One round of one worker, with the parameters that scheduled it (AAP §3).
struct RoundRecord {
  PartId worker{0};
  Round round{0};  ///< 0 is PEval
  Instant begin{};
  Instant end{};
  std::uint64_t staleness = 0;            ///< eta_i: messages taken
  std::uint64_t taken = 0;                ///< distinct parameters in them
  std::uint64_t sent = 0;                 ///< changed parameters sent
  std::uint64_t vertices = 0;             ///< visited
  std::uint64_t edges = 0;                ///< traversed
  bool iterates = true;                   ///< counts as an iteration of the program (`passes_of`)
  double predicted_seconds = 0;           ///< t_i
  double arrival_rate = 0;                ///< s_i
  double target = 0;                      ///< L_i
  double stretch_seconds = 0;             ///< sum of the delay stretches DS_i before the round
  Round slowest{0};                       ///< r_min
  Round fastest{0};                       ///< r_max
  std::optional<Residual> residual = {};  ///< if the program measures one

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.worker, self.round, self.begin, self.end, self.staleness, self.taken,
                    self.sent, self.vertices, self.edges, self.iterates, self.predicted_seconds,
                    self.arrival_rate, self.target, self.stretch_seconds, self.slowest,
                    self.fastest, self.residual);
  }
};

/// What a node of this engine records in addition to its NodeRecord, for studies of the schedules and for the predictor.
struct NodeTrace {
  std::vector<RoundRecord> rounds;     ///< in order of time; empty unless `keep_rounds`
  std::vector<Duration> worker_times;  ///< computing time of each worker, by place on the node
  std::vector<std::uint32_t> worker_rounds;
  ForecastCost forecasts;              ///< cost of predicting rounds' times
  std::vector<RoundSample> round_log;  ///< the forecaster's training data, if kept

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.rounds, self.worker_times, self.worker_rounds, self.forecasts,
                    self.round_log);
  }
};

/// The traces of all nodes.
struct RoundHistory {
  std::vector<NodeTrace> nodes;

  /// By node and time.
  [[nodiscard]] std::vector<RoundRecord> rounds() const;
  [[nodiscard]] ForecastCost forecasts() const;
  [[nodiscard]] std::vector<RoundSample> round_log() const;
};

/// The candidate set C_i: the vertices whose parameters are sent.
enum class Candidates : std::uint8_t {
  /// Copies: their parameters are sent to the fragment where the vertex is inner (F_i.O and F_j.I).
  Outer,
  /// Copies as in Outer, and inner vertices: their parameters are sent to the fragments that have copies.
  Border,
};

/// A change to one update parameter: an element of M_i.
template <class V>
struct Update {
  Place place = 0;
  V value{};
};

/// The update parameters that a round has changed. Owned by one worker; not thread-safe.
class Changes {
 public:
  /// `border`: parameters of inner vertices are sent too.
  Changes(const Routes& routes, std::uint32_t places, bool border)
      : routes_(routes), marked_(places / 64 + 1, 0), border_(border) {}

  /// False: only parameters of copies are sent, and no others need be marked.
  [[nodiscard]] bool border() const { return border_; }
  /// True if another fragment holds the vertex too. Marking others does no harm.
  [[nodiscard]] bool travels(Place place) const { return !routes_.of(place).empty(); }

  void mark(Place place) {
    LEEWAY_REQUIRE(place / 64 < marked_.size(),
                   "mark: the fragment has no place " + std::to_string(place));
    std::uint64_t& word = marked_[place / 64];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    places_.push_back(place);
  }
  [[nodiscard]] bool marked(Place place) const {
    return (marked_[place / 64] >> (place % 64) & 1) != 0;
  }
  /// Calls `take` once for each marked place, then clears all marks.
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

/// A PIE program (AAP §2): the sequential functions PEval and IncEval of one fragment, and their declarations: the
/// update parameters, the aggregate function f_aggr, and the value that Assemble takes for each vertex. A user writes
/// one class:
///
///   struct Program {
///     using Value = ...;    // value of an update parameter
///     using Partial = ...;  // partial result Q(F_i), with any index that the functions maintain
///     using Result = ...;   // the answer for one vertex
///     FragmentNeeds needs() const;
///     Candidates candidates() const;
///     static void aggregate(Value& kept, const Value& received);                            // f_aggr
///     Work peval(const Fragment&, Partial&, Changes&) const;
///     Work inceval(const Fragment&, Partial&, std::span<Update<Value>>, Changes&) const;    // the span is M_i
///     Value parameter(const Fragment&, Partial&, Place) const;  // the value to send for a changed parameter
///     Result result(const Fragment&, const Partial&, Place inner) const;
///   };
///
/// The functions mark the parameters that they changed in Changes. After the round the engine calls `parameter` once
/// for each marked one and sends the value to the other fragments that hold the vertex. If Value or Result is not
/// trivially copyable and cannot be saved (base/archive.h), the program also needs static `write(const T&, ByteWriter&)` and `read(ByteReader&, T&)`.
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

/// A program that can compute its answer from any intermediate results of an earlier run, even if the results of
/// different vertices are of different times. Such a run can resume from a snapshot with another number of workers, and
/// although its Partial cannot be saved (docs/adr/0008). `saved` is indexed by place and has entries for the copies too:
///
///   Work peval_from(const Fragment&, Partial&, std::span<const Result> saved, Changes&) const;
template <class P>
concept ResumingProgram = requires(const P p, const Fragment& f, typename P::Partial& q,
                                   std::span<const typename P::Result> saved, Changes& c) {
  { p.peval_from(f, q, saved, c) } -> std::same_as<Work>;
};

/// True if the worker must run another round although no message has arrived; for programs that iterate on their own
/// data, such as gradient descent.
template <class P>
[[nodiscard]] bool unfinished(const P& program, const typename P::Partial& partial) {
  if constexpr (requires { program.unfinished(partial); }) {
    return program.unfinished(partial);
  } else {
    return false;
  }
}

/// The work that earlier rounds of the worker have left to the next one, in any unit, for predictors of round times. A
/// program whose rounds may leave work declares it by `double backlog(const Fragment&, const Partial&) const`; without
/// it, it is 1 while the worker is unfinished.
template <class P>
[[nodiscard]] double backlog_of(const P& program, const Fragment& fragment,
                                const typename P::Partial& partial) {
  if constexpr (requires { program.backlog(fragment, partial); }) {
    return program.backlog(fragment, partial);
  } else {
    return unfinished(program, partial) ? 1 : 0;
  }
}

/// Whether a message's update causes work, for predictors of round times. A program that ignores some updates, such as
/// paths that are longer than known ones, declares `bool matters(const Partial&, const Update<Value>&) const`.
template <class P>
[[nodiscard]] bool matters(const P& program, const typename P::Partial& partial,
                           const Update<typename P::Value>& update) {
  if constexpr (requires { program.matters(partial, update); }) {
    return program.matters(partial, update);
  } else {
    return true;
  }
}

/// True if the program converges under every schedule after finitely many changes: it is contracting and monotonic
/// (AAP's T2 and T3), or ends by itself. A program declares it by `static constexpr bool kAlwaysRests = true`. A run
/// of any other program stops after PieOptions::patience rounds without progress.
template <class P>
[[nodiscard]] consteval bool always_rests() {
  if constexpr (requires { P::kAlwaysRests; }) return P::kAlwaysRests;
  return false;
}

/// Number of passes over its data that a worker has completed, for programs whose iterations are passes: a round that
/// only takes messages is then not an iteration. A program declares it by `std::uint32_t passes(const Partial&)
/// const`. Without it each round is an iteration.
template <class P>
[[nodiscard]] std::optional<std::uint32_t> passes_of(const P& program,
                                                     const typename P::Partial& partial) {
  if constexpr (requires { program.passes(partial); }) {
    return program.passes(partial);
  } else {
    return std::nullopt;
  }
}

/// How far the round moved the values of inner vertices, for programs that declare `Residual moved(Partial&) const`;
/// `moved` returns the residual and resets it.
template <class P>
[[nodiscard]] std::optional<Residual> residual_of(const P& program, typename P::Partial& partial) {
  if constexpr (requires { program.moved(partial); }) {
    return program.moved(partial);
  } else {
    return std::nullopt;
  }
}

/// True if f_aggr adds changes up, so that one message can replace several. Then the engine paces messages
/// (UpdateSender, virtual_worker.h). A program declares it by `static double magnitude(const Value&)`: the size of a
/// change, in the same unit for all changes.
template <class P>
[[nodiscard]] consteval bool adds_up() {
  return requires(const typename P::Value& value) { P::magnitude(value); };
}

/// True while changes of both signs cancel in sum, provided that all workers forward equal shares of them. A round
/// then takes only the first of two messages of a peer, and begins after all peers have answered (Pacing::Lockstep,
/// virtual_worker.h). Otherwise the remainder decays more slowly than everything else. For programs whose changes add
/// up.
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
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(out.extend(sizeof(T)), &value, sizeof(T));
  } else {
    static_assert(kCanSave<T>, "give the program write() and read() for it");
    save_all(out, value);
  }
}

/// The bytes that write_value writes for a result; 0: results have different lengths, so that a snapshot has none
/// (ResultForm::bytes).
template <class P>
[[nodiscard]] consteval std::size_t result_bytes() {
  const bool own =
      requires(const typename P::Result& result, ByteWriter& out) { P::write(result, out); };
  return own || !std::is_trivially_copyable_v<typename P::Result> ? 0 : sizeof(typename P::Result);
}

/// The reader fails if there are too few bytes.
template <class P, class T>
void read_value(ByteReader& in, T& value) {
  if constexpr (requires { P::read(in, value); }) {
    P::read(in, value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    const auto bytes = in.raw(sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
  } else {
    load_all(in, value);
  }
}

}  // namespace leeway::pie
