// Programs of other models on PIE (AAP §4.2): MapReduce (map_reduce), PRAM (run_pram) and Pregel (run_pregel).
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/check.h"
#include "base/result.h"
#include "leeway/options.h"
#include "leeway/pie.h"

namespace leeway::pie {

struct KeyValue {
  std::string key;
  std::string value;
  friend auto operator<=>(const KeyValue&, const KeyValue&) = default;
};
using KeyValues = std::vector<KeyValue>;
using Emit = std::function<void(std::string key, std::string value)>;

/// B_r: the mapper handles each pair of the input, and the reducer each key with all its values, in ascending order. Both
/// must be pure functions: workers call them at the same time.
struct Subroutine {
  std::function<void(const KeyValue& pair, const Emit& emit)> map;
  std::function<void(const std::string& key, const std::vector<std::string>& values,
                     const Emit& emit)>
      reduce;
};

struct MapReduceJob {
  KeyValues input;  ///< distributed over the workers in turn
  std::vector<Subroutine> subroutines;
};

struct MapReduceAnswer {
  KeyValues output;  ///< of the last reducer, in ascending order; complete on node 0 only
  Record record;
};

/// Runs a job on `options.pie.workers` workers. Keys are assigned to workers by their hash.
///
/// The graph is a clique of one vertex for each worker, so that every worker can send to every other; the update
/// parameter of a vertex is the multiset of <r, key, value> tuples for its worker, and f_aggr is their union. PEval maps
/// the input of the first subroutine; a round of IncEval reduces the tuples of subroutine r and maps the input of the
/// next. A subroutine needs the tuples of all workers: each worker sends one message to each other in every step, and
/// counts them. So a job has the same answer under every schedule, and a worker has one more round than there are
/// subroutines under BSP; under others it may have rounds that only take messages.
Result<MapReduceAnswer> map_reduce(const MapReduceJob& job, RunOptions options);

/// What a processor knows in a step: its own number and registers, and the number of the step.
struct PramView {
  std::uint32_t processor = 0;
  std::uint32_t step = 0;
  std::span<std::int64_t> registers;
};

struct PramWrite {
  std::uint64_t cell = 0;
  std::int64_t value = 0;
};

/// What happens if several processors write to a cell in one step.
enum class PramConflict : std::uint8_t {
  Exclusive,  ///< an error (CREW)
  Common,     ///< allowed if all write the same value, otherwise an error
  Priority,   ///< the processor with the smallest number wins
  Sum,        ///< the cell receives the sum of the values
};

/// A parallel random access machine: processors with registers, and a shared memory of cells. In every step each processor
/// reads at most one cell, computes, and writes at most one cell; all reads of a step precede its writes. The functions
/// must be pure, except for the registers: workers call them at the same time.
struct PramProgram {
  std::uint32_t processors = 1;
  std::uint32_t registers = 0;  ///< of each processor, 0 at the start
  std::uint32_t steps = 1;
  std::vector<std::int64_t> memory;  ///< the cells at the start
  PramConflict conflict = PramConflict::Exclusive;
  /// The cell that the processor reads in this step; none: it reads nothing.
  std::function<std::optional<std::uint64_t>(const PramView& view)> read;
  /// Computes with the registers and the value read, if any; returns what the processor writes, if anything.
  std::function<std::optional<PramWrite>(const PramView& view, std::optional<std::int64_t> value)>
      compute;
};

struct PramAnswer {
  std::vector<std::int64_t> memory;  ///< the cells at the end; complete on node 0 only
  Record record;
};

/// Runs a program on `options.pie.workers` workers, under any schedule. Cells and processors are keys (Karloff, Suri &
/// Vassilvitskii, SODA 2010). A step takes two subroutines: in the first, cells receive the writes of the step before and
/// then the requests of the processors; in the second, processors receive the answers and compute. So T steps take 2 T + 1
/// subroutines. An Input error for a cell that does not exist, or for a conflict that the program does not allow.
Result<PramAnswer> run_pram(const PramProgram& program, RunOptions options);

template <class P>
class PregelOnPie;

/// A vertex in one superstep, as its `compute` sees it. Valid during the call.
template <class P>
class PregelVertex {
 public:
  [[nodiscard]] VertexId id() const { return fragment_.vertex(place_); }
  [[nodiscard]] typename P::Value& value() { return value_; }
  [[nodiscard]] std::uint32_t superstep() const { return superstep_; }
  /// Number of outgoing arcs, which `target`, `weight` and `send_along` number from 0.
  [[nodiscard]] std::uint64_t degree() const { return end_ - begin_; }
  [[nodiscard]] VertexId target(std::uint64_t arc) const { return fragment_.vertex(place_of(arc)); }
  /// 1 unless the program declares `kWeighted`.
  [[nodiscard]] double weight(std::uint64_t arc) const {
    LEEWAY_REQUIRE(arc < degree(), "weight: the vertex has fewer arcs");
    return fragment_.weights() == nullptr ? 1 : fragment_.weights()[begin_ + arc];
  }
  /// To the target of an arc, for the next superstep.
  void send_along(std::uint64_t arc, const typename P::Message& message) {
    sender_.send(place_of(arc), message);
  }
  void send_to_all(const typename P::Message& message) {
    for (std::uint64_t arc = 0; arc < degree(); ++arc) send_along(arc, message);
  }
  /// The vertex does not run again until a message arrives.
  void vote_to_halt() { halts_ = true; }

 private:
  friend class PregelOnPie<P>;
  using Sender = typename PregelOnPie<P>::Sender;

  PregelVertex(const Fragment& fragment, Place place, typename P::Value& value,
               std::uint32_t superstep, Sender& sender)
      : fragment_(fragment),
        place_(place),
        begin_(fragment.offsets()[place]),
        end_(fragment.offsets()[place + std::size_t{1}]),
        value_(value),
        superstep_(superstep),
        sender_(sender) {}

  [[nodiscard]] Place place_of(std::uint64_t arc) const {
    LEEWAY_REQUIRE(arc < degree(), "the vertex has fewer arcs");
    return fragment_.targets()[begin_ + arc];
  }

  const Fragment& fragment_;
  Place place_;
  std::uint64_t begin_;
  std::uint64_t end_;
  typename P::Value& value_;
  std::uint32_t superstep_;
  Sender& sender_;
  bool halts_ = false;
};

/// A Pregel program (Malewicz et al., SIGMOD 2010). A user writes one class:
///
///   struct Program {
///     using Value = ...;      // the value of a vertex
///     using Message = ...;
///     Value initial(VertexId) const;
///     void compute(PregelVertex<Program>& vertex, std::span<const Message> messages) const;
///     static void combine(Message& kept, const Message& come);   // optional: then a vertex receives one message
///     static constexpr bool kWeighted = true;                    // optional: it reads weights
///     static constexpr bool kSupersteps = true;                  // optional: see run_pregel
///   };
///
/// Value and Message must own their data (base/archive.h). A message goes along an arc.
template <class P>
concept PregelProgram = kCanSave<typename P::Value> && kCanSave<typename P::Message> &&
                        requires(const P& p, VertexId vertex, PregelVertex<P>& context,
                                 std::span<const typename P::Message> messages) {
                          { p.initial(vertex) } -> std::convertible_to<typename P::Value>;
                          p.compute(context, messages);
                        };

/// The PIE program of a Pregel program. PEval is the first superstep, in which every vertex runs; a round of IncEval
/// runs the vertices that are active or have received messages. Messages to copies are the update parameters, and f_aggr
/// groups them.
template <class P>
class PregelOnPie {
  using Message = typename P::Message;
  static constexpr bool kCombines =
      requires(Message& kept, const Message& come) { P::combine(kept, come); };

 public:
  /// The messages to one vertex, and the superstep for which they are.
  struct Mail {
    std::uint32_t superstep = 0;
    std::vector<Message> messages;
  };
  using Value = Mail;
  using Result = typename P::Value;
  struct Partial {
    std::vector<typename P::Value> values;  // by inner place
    std::vector<std::uint8_t> active;       // by inner place: has not voted to halt
    std::uint64_t active_count = 0;
    std::vector<Mail> mail;     // by place: for this superstep, for copies to be sent
    std::vector<Place> queue;   // inner places with mail
    std::vector<Mail> later;    // by inner place: for the next superstep
    std::vector<Place> queued;  // inner places with later mail
    std::uint32_t superstep = 0;
  };

  /// Puts the messages that a superstep sends to where they belong.
  class Sender {
   public:
    Sender(const Fragment& fragment, Partial& partial, Changes& changes)
        : fragment_(fragment), partial_(partial), changes_(changes) {}
    void send(Place to, const Message& message) {
      ++sent_;
      const bool inner = fragment_.is_inner(to);
      Mail& mail = inner ? partial_.later[to] : partial_.mail[to];
      if (mail.messages.empty()) {
        if (inner) {
          partial_.queued.push_back(to);
        } else {
          changes_.mark(to);
        }
      }
      mail.superstep = partial_.superstep + 1;
      put(mail.messages, message);
    }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

   private:
    const Fragment& fragment_;
    Partial& partial_;
    Changes& changes_;
    std::uint64_t sent_ = 0;
  };

  explicit PregelOnPie(const P& program) : program_(program) {}

  [[nodiscard]] FragmentNeeds needs() const {
    bool weights = false;
    if constexpr (requires { P::kWeighted; }) weights = P::kWeighted;
    return {.lists = Reads::Out, .weights = weights};
  }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Mail& kept, const Mail& come) {
    kept.superstep = std::max(kept.superstep, come.superstep);
    for (const Message& message : come.messages) put(kept.messages, message);
  }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    const std::uint32_t inner = fragment.inner_count();
    for (Place p = 0; p < inner; ++p)
      partial.values.push_back(program_.initial(fragment.vertex(p)));
    partial.active.assign(inner, 1);
    partial.active_count = inner;
    partial.mail.resize(fragment.vertex_count());
    partial.later.resize(inner);
    return superstep(fragment, partial, changes);
  }

  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Mail>> updates,
               Changes& changes) const {
    std::uint32_t next = partial.superstep + 1;
    for (Place to : std::exchange(partial.queued, {})) {
      partial.mail[to] = std::exchange(partial.later[to], {});
      partial.queue.push_back(to);
    }
    for (const Update<Mail>& update : updates) {
      Mail& mail = partial.mail[update.place];
      if (mail.messages.empty()) partial.queue.push_back(update.place);
      aggregate(mail, update.value);
      next = std::max(next, update.value.superstep);  // this worker may have been idle
    }
    partial.superstep = next;
    return superstep(fragment, partial, changes);
  }

  [[nodiscard]] Mail parameter(const Fragment&, Partial& partial, Place place) const {
    return std::exchange(partial.mail[place], {});
  }
  [[nodiscard]] Result result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.values[inner];
  }
  [[nodiscard]] bool unfinished(const Partial& partial) const {
    return partial.active_count > 0 || !partial.queued.empty();
  }

 private:
  static void put(std::vector<Message>& messages, const Message& message) {
    if constexpr (kCombines) {
      if (!messages.empty()) return P::combine(messages.front(), message);
    }
    messages.push_back(message);
  }

  Work superstep(const Fragment& fragment, Partial& partial, Changes& changes) const {
    Sender sender(fragment, partial, changes);
    Work work;
    const auto run = [&](Place place) {
      const std::vector<Message> messages = std::move(partial.mail[place].messages);
      partial.mail[place].messages.clear();
      PregelVertex<P> vertex(fragment, place, partial.values[place], partial.superstep, sender);
      program_.compute(vertex, std::span<const Message>(messages));
      partial.active_count -= partial.active[place];
      partial.active[place] = vertex.halts_ ? 0 : 1;
      partial.active_count += partial.active[place];
      ++work.vertices;
    };
    // Vertices run in the order of their places.
    if (partial.active_count == 0) {
      std::sort(partial.queue.begin(), partial.queue.end());
      for (const Place place : partial.queue) run(place);
    } else {
      for (Place place = 0; place < fragment.inner_count(); ++place) {
        if (partial.active[place] != 0 || !partial.mail[place].messages.empty()) run(place);
      }
    }
    partial.queue.clear();
    work.edges = sender.sent();
    return work;
  }

  const P& program_;
};

template <PregelProgram P>
struct PregelAnswer {
  std::vector<typename P::Value> values;  ///< by vertex; complete on node 0 only
  Record record;
};

/// Runs a Pregel program. Under BSP a round is a superstep, as in Pregel. Under AP, SSP and AAP a worker's superstep is
/// its round, and takes the messages that have arrived: right for programs that may take messages earlier or later, such as
/// shortest paths (AAP's T1 to T3). A program that needs all messages of a superstep together declares `kSupersteps`;
/// AAP then simulates BSP (Proposition 4.9): its delta suspends every worker that is ahead.
template <PregelProgram P>
Result<PregelAnswer<P>> run_pregel(const Graph& graph, const P& program, RunOptions options) {
  if constexpr (requires { requires P::kSupersteps; }) options.pie.schedule = {Scheduler::Bsp};
  const PregelOnPie<P> pie(program);
  LEEWAY_ASSIGN(auto answer, run_pie(graph, pie, options));
  return PregelAnswer<P>{std::move(answer.values), std::move(answer.record)};
}

}  // namespace leeway::pie
