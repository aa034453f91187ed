// Vertex programs from the user's side: the members of a program, and Vertex, through which its update reads. A
// program is a class with
//
//   using Value = …;                                    // trivially copyable: the shared object of a vertex
//   Value init(VertexId) const;                         // the value before the first iteration
//   Value update(const Vertex<Value>&) const;           // the new value, from the vertex and its inputs
//
// and these optional members:
//
//   bool changed(const Value& old, const Value& now) const;  // must the value be stored? default: old != now
//   bool changed(LocalVertex, const Value& old, const Value& now) const;  // the same, if it depends on the vertex
//   auto result(const Vertex<Value>&) const;                 // the reported result; default: the value
//   static constexpr Reads kReads = Reads::In;               // the vertices that update reads
//   static constexpr bool kWeights = false, kDropLoops = false;
//   static constexpr bool kMovesOn = true;   // a changed value may change again with the same inputs, because update
//                                            // uses the vertex's own value; false saves a visit after each change
//   static constexpr bool kDegrees = false;  // needs the out-degree of each vertex
//   static constexpr bool kAlwaysRests = false;  // values converge under every schedule; no limit of stalled rounds
//   double moved(const LocalVertex&, const Value& old, const Value& now) const;  // a term of the residual
//   std::optional<double> resting_move() const;  // a mean move, at which the run ends although values still change
//   std::uint64_t gather(const LocalVertex&, const Value&) const;  // a term of a sum over all vertices
//   bool gathered(std::uint64_t sum);            // receives the sum; true: every vertex must be updated again
//   bool gathers_in_place() const;               // also in sweeps in place, not only in supersteps
//   void settle(const LocalGraph&);          // receives the node's vertices(), with kDegrees their degrees(), and the
//                                            // records() that the program's JobGraph has, before the first `init`
//   bool starts(LocalVertex, const Value&) const;  // is the vertex visited first in a run or stage? Default: every vertex is.
//                                                  // The others are visited after an input has changed; an update must not
//                                                  // depend on it, because with Visit::All every vertex is visited
//   bool concerns(const Value& changed, double weight, const Value& reader) const;  // must `reader` be visited after its
//                                                  // input has changed? Default: yes. The reader's value may be older: what
//                                                  // does not concern a value must not concern the later ones of its stage
//   std::uint64_t effort(const Vertex<Value>&) const;        // extra work of the next update beyond its inputs,
//                                                            // charged like arcs
//
// A SelectingProgram, whose update takes the best of the values that its neighbours offer, may instead define
//
//   Value along(const Value& from, double weight) const;  // the value offered along an arc
//   bool better(const Value& a, const Value& b) const;
//   double rank(const Value&) const;                      // lower ranks are processed first
//   static constexpr bool kByLevels = false;              // all values of a rank are equal, as are their offers
//   bool offers(const Value&) const;                      // does the worklist begin with the vertex? Default: its rank is
//                                                         // finite
//
// It then runs by worklist, best values first. Each value only improves, so the run converges unless values can
// improve forever, as around a cycle of negative length; it has no limit of stalled rounds. With kContracts = true
// the program promises that `along` returns its source's value and that every arc has its reverse; then connected
// vertices within a node are joined first.
//
// A StagedProgram computes in stages. When no value changes any more, all nodes enter the next one together. Values carry the
// number of their stage, because a copy of the last one may still be read: update leaves such inputs out.
//
//   void enter(std::uint32_t stage);                     // each node, before the stage's values; the first is 0
//   static std::uint32_t stage_of(const Value&);
//   std::uint64_t left(LocalVertex, const Value&) const;  // a term of a sum over all vertices at a stage's end
//   std::optional<std::uint32_t> next_stage(std::uint64_t sum) const;  // none: the run is over
//   Value begin(LocalVertex, const Value& last) const;    // the first value in the entered stage
//   bool by_list() const;       // of a SelectingProgram that also has `update`: this stage runs by worklist. Default: no
//
// In place of `update` a program may have a body in the style of ASPIRE's Algorithm 1, which fetches the vertex and
// its related objects and stores the vertex:
//
//   void do_work(const Vertex<Value>& curr, VertexMemory<Value>& dsm) const {
//     Value best = DSM_FETCH(dsm, curr.object());
//     for (const Related r : curr.related()) best = std::min(best, DSM_FETCH(dsm, r) + r.weight());
//     DSM_STORE(dsm, curr.object(), best);
//   }
//
// A vertex that is not stored, or is stored with its old value, has not changed. A program with a tolerance stores
// only values that moved by more. examples/aspire/ has the paper's eight programs in this form.
//
// Each node has a copy of the program, and update runs on many threads. For temporary memory update uses a Scratch
// (base/array.h), never a thread_local: in the virtual cluster many nodes share a thread, and a read that waits
// switches to another node.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/array.h"
#include "base/check.h"
#include "dsm/dsm.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

/// A vertex of this node: its number in the graph and its local index. Converts to VertexId.
struct LocalVertex {
  VertexId id;
  std::uint32_t local = 0;
  operator VertexId() const { return id; }  // NOLINT(google-explicit-constructor)
};

/// An object that a vertex reads (the r-id of ASPIRE's Algorithm 1), with the weight of the arc.
class Related {
 public:
  Related(Handle object, const double* weight) : object_(object), weight_(weight) {}

  [[nodiscard]] Handle object() const { return object_; }
  operator Handle() const {
    return object_;
  }  // NOLINT(google-explicit-constructor): DSM_FETCH(dsm, r)
  [[nodiscard]] double weight() const { return weight_ == nullptr ? 1.0 : *weight_; }

 private:
  Handle object_;
  const double* weight_;
};

/// All related objects of a vertex, for a range-based for. Borrowed from the vertex.
class RelatedObjects {
 public:
  class Iterator {
   public:
    Iterator(const std::uint32_t* at, const double* weight) : at_(at), weight_(weight) {}
    Related operator*() const { return {Handle(*at_), weight_}; }
    Iterator& operator++() {
      ++at_;
      if (weight_ != nullptr) ++weight_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const std::uint32_t* at_;
    const double* weight_;
  };

  RelatedObjects(const std::uint32_t* first, const std::uint32_t* last, const double* weights)
      : first_(first), last_(last), weights_(weights) {}

  [[nodiscard]] Iterator begin() const { return {first_, weights_}; }
  [[nodiscard]] Iterator end() const { return {last_, nullptr}; }

 private:
  const std::uint32_t* first_;
  const std::uint32_t* last_;
  const double* weights_;
};

/// The memory as the body of one vertex uses it. Every fetch is a DSM-FETCH. The body's own fetches see its store
/// immediately. Other vertices see it at the end of the superstep under bsp, else after the body.
template <class Value>
class VertexMemory {
 public:
  VertexMemory(View<Value>& view, Handle own)
      : view_(&view), own_(own), first_copy_(view.first_copy()), all_current_(view.all_current()) {}

  [[nodiscard]] Value fetch(Handle object) {
    if (stored_ && object == own_) [[unlikely]]
      return value_;
    // All reads of one body begin together (docs/protocol.md), so one check of the validity mark serves all of them.
    if (object >= first_copy_) {
      if (!all_current_ && !view_->is_current(object)) [[unlikely]]
        return fetch_slow(*view_, object);
      view_->count_hit();
    }
    return view_->load(object);
  }
  /// Requires the vertex's own object, because every object has a single writer (checked).
  void store(Handle object, const Value& value) {
    // A local copy, because its address is taken below: this object's members can then stay in registers.
    const Handle own = own_;
    LEEWAY_REQUIRE(object == own,
                   "DSM_STORE: do_work stores another vertex; it may store only its own");
    value_ = value;
    stored_ = true;
  }
  /// The vertex's value after its body.
  [[nodiscard]] Value outcome() { return fetch(own_); }

 private:
  /// Cold and static, so that the loop of a body keeps its sums and this object's members in registers.
  [[gnu::noinline, gnu::cold]] static Value fetch_slow(View<Value>& view, Handle object) {
    return view.fetch_slow(object);
  }

  View<Value>* view_;
  Handle own_;
  Handle first_copy_;
  bool all_current_;
  bool stored_ = false;
  Value value_{};
};

/// One vertex while it is updated: a light borrowed view, used by one thread. Reads made through it are DSM-FETCHes.
template <class Value>
class Vertex {
 public:
  /// `ahead`: `each` also loads the inputs that many places later in the lists into the fastest cache; this requires
  /// that they exist (not checked).
  Vertex(const LocalGraph& graph, View<Value>& view, std::uint32_t ahead = 0)
      : graph_(&graph),
        view_(&view),
        offsets_(graph.input_offsets()),
        inputs_(graph.inputs()),
        local_inputs_(view.plain() ? graph.local_inputs() : &kNoneLocal),
        weights_(graph.input_weights()),
        memory_(View<Value>::kInWords && view.plain() && graph.copy_count() == 0 ? view.memory()
                                                                                 : nullptr),
        step_(view.plain() ? 1 : 0),
        ahead_(ahead) {}

  /// Moves this view to another local vertex.
  void move_to(std::uint32_t local) {
    local_ = local;
    if (inputs_ == nullptr) return;  // a node that runs by worklist keeps no input lists
    first_ = inputs_ + offsets_[local];
    last_ = inputs_ + offsets_[local + std::size_t{1}];
    split_ = local_inputs_ == nullptr ? last_ : first_ + local_inputs_[local * step_];
  }

  [[nodiscard]] VertexId id() const { return graph_->vertices()[local_]; }
  [[nodiscard]] std::uint32_t local() const { return local_; }
  [[nodiscard]] Value value() const {
    if constexpr (View<Value>::kInWords) {
      if (memory_ != nullptr) return View<Value>::load_in(memory_, local_);
    }
    return view_->fetch(object());
  }
  /// The vertex's own object, for a program with a body.
  [[nodiscard]] Handle object() const { return Handle(local_); }
  [[nodiscard]] RelatedObjects related() const {
    return {first_, last_, weights_ == nullptr ? nullptr : weights_ + (first_ - inputs_)};
  }
  [[nodiscard]] VertexMemory<Value> memory() const { return {*view_, object()}; }
  /// Number of inputs.
  [[nodiscard]] std::size_t degree() const { return static_cast<std::size_t>(last_ - first_); }
  [[nodiscard]] std::size_t remote_degree() const {
    return static_cast<std::size_t>(last_ - split_);
  }

  /// Whether no input is a copy and values are words: then all of them are loaded without checks.
  [[nodiscard]] bool reads_memory() const { return memory_ != nullptr; }

  /// Calls use(value) or use(value, weight) for every input, always in the same order.
  template <class Use>
  void each(Use&& use) const {
    const auto take = [&](const Value& value, const std::uint32_t* at) { give(use, value, at); };
    if constexpr (View<Value>::kInWords) {
      if (memory_ != nullptr) return View<Value>::each_in(memory_, first_, last_, take, ahead_);
    }
    view_->each(first_, split_, last_, take, ahead_);
  }

 private:
  // While reads are observed, no input counts as local, so every read takes the slow path.
  static constexpr std::uint32_t kNoneLocal = 0;

  template <class Use>
  void give(Use& use, const Value& value, const std::uint32_t* at) const {
    if constexpr (std::invocable<Use&, const Value&, double>) {
      use(value, weights_ == nullptr ? 1.0 : weights_[at - inputs_]);
    } else {
      use(value);
    }
  }

  const LocalGraph* graph_;
  View<Value>* view_;
  const std::uint64_t* offsets_;
  const std::uint32_t* inputs_;
  const std::uint32_t* local_inputs_;
  const double* weights_;
  std::byte* memory_;  // values by handle, if no input is a copy; else null
  std::uint32_t step_;
  std::uint32_t ahead_;
  std::uint32_t local_ = 0;
  const std::uint32_t* first_ = nullptr;
  const std::uint32_t* split_ = nullptr;
  const std::uint32_t* last_ = nullptr;
};

template <class P>
concept BodyProgram = requires(const P program, const Vertex<typename P::Value>& vertex,
                               VertexMemory<typename P::Value>& memory) {
  { program.init(LocalVertex()) } -> std::convertible_to<typename P::Value>;
  program.do_work(vertex, memory);
};

template <class P>
concept VertexProgram = requires(const P program, const Vertex<typename P::Value>& vertex) {
  { program.init(LocalVertex()) } -> std::convertible_to<typename P::Value>;
  { program.update(vertex) } -> std::convertible_to<typename P::Value>;
};

template <class P>
concept SelectingProgram = requires(const P program, const typename P::Value& value) {
  { program.init(LocalVertex()) } -> std::convertible_to<typename P::Value>;
  { program.along(value, 1.0) } -> std::convertible_to<typename P::Value>;
  { program.better(value, value) } -> std::convertible_to<bool>;
  { program.rank(value) } -> std::convertible_to<double>;
};

/// A program that needs a sum over all vertices once per iteration. `gathered` may return whether every vertex must be
/// updated again because of this sum; without a result, every vertex must be.
template <class P>
concept GatheringProgram =
    requires(P program, LocalVertex vertex, const typename P::Value& value, std::uint64_t sum) {
      { std::as_const(program).gather(vertex, value) } -> std::convertible_to<std::uint64_t>;
      program.gathered(sum);
    };

/// A program that computes in stages.
template <class P>
concept StagedProgram =
    requires(P program, LocalVertex vertex, const typename P::Value& value, std::uint64_t sum) {
      program.enter(std::uint32_t{});
      { P::stage_of(value) } -> std::convertible_to<std::uint32_t>;
      { std::as_const(program).left(vertex, value) } -> std::convertible_to<std::uint64_t>;
      { std::as_const(program).next_stage(sum) } -> std::same_as<std::optional<std::uint32_t>>;
      { std::as_const(program).begin(vertex, value) } -> std::convertible_to<typename P::Value>;
    };

/// A program that begins with some of the vertices, such as one that continues from an earlier answer.
template <class P>
concept StartingProgram =
    requires(const P program, LocalVertex vertex, const typename P::Value& value) {
      { program.starts(vertex, value) } -> std::convertible_to<bool>;
    };

/// A program whose changes do not concern all readers.
template <class P>
concept ConcerningProgram = requires(const P program, const typename P::Value& value) {
  { program.concerns(value, 1.0, value) } -> std::convertible_to<bool>;
};

/// Whether the present stage of a program runs by worklist.
template <class P>
[[nodiscard]] bool stage_runs_by_list(const P& program) {
  if constexpr (StagedProgram<P> && SelectingProgram<P>) return program.by_list();
  return false;
}

/// Gives the program its sum; returns whether every vertex must be updated again.
template <GatheringProgram P>
bool give_sum(P& program, std::uint64_t sum) {
  if constexpr (std::is_void_v<decltype(program.gathered(sum))>) {
    program.gathered(sum);
    return true;
  } else {
    return program.gathered(sum);
  }
}

/// Whether sweeps in place gather, too (`gathers_in_place`). Their sums are over values of different moments, and all
/// nodes stop to gather once few values change, so that the other vertices need no visit: the program must converge
/// whatever its last sum was. Without this function only supersteps gather.
template <class P>
[[nodiscard]] bool gathers_in_place(const P& program) {
  if constexpr (GatheringProgram<P> && requires { program.gathers_in_place(); }) {
    return program.gathers_in_place();
  } else {
    return false;
  }
}

/// For a program that also measures moves: if a vertex moves less than this in the mean of all vertices, the run ends,
/// although values still change (`resting_move`). Absent: it ends when no value changes.
template <class P>
[[nodiscard]] std::optional<double> resting_move_of(const P& program) {
  if constexpr (requires { program.resting_move(); }) {
    return program.resting_move();
  } else {
    return std::nullopt;
  }
}

/// Whether the program's values converge under every schedule, after finitely many changes.
template <class P>
[[nodiscard]] constexpr bool always_rests() {
  if constexpr (requires { P::kAlwaysRests; }) return P::kAlwaysRests;
  return SelectingProgram<P>;
}
/// Whether all values of a rank, and what they offer along any arc, are equal (kByLevels): a vertex that finds one of
/// them among its inputs need not look at the others. Ranks are whole numbers.
template <class P>
[[nodiscard]] constexpr bool by_levels() {
  if constexpr (requires { P::kByLevels; }) return P::kByLevels;
  return false;
}
template <class P>
[[nodiscard]] constexpr Reads reads_of() {
  if constexpr (requires { P::kReads; }) return P::kReads;
  return Reads::In;
}
/// Whether a changed value may change again although none of its inputs has changed (kMovesOn).
template <class P>
[[nodiscard]] constexpr bool moves_on() {
  if constexpr (requires { P::kMovesOn; }) return P::kMovesOn;
  return !SelectingProgram<P>;
}
template <class P>
[[nodiscard]] constexpr bool uses_weights() {
  if constexpr (requires { P::kWeights; }) return P::kWeights;
  return false;
}
template <class P>
[[nodiscard]] constexpr bool uses_degrees() {
  if constexpr (requires { P::kDegrees; }) return P::kDegrees;
  return false;
}
template <class P>
[[nodiscard]] constexpr bool drops_loops() {
  if constexpr (requires { P::kDropLoops; }) return P::kDropLoops;
  return false;
}

template <class P>
[[nodiscard]] typename P::Value updated(const P& program, const Vertex<typename P::Value>& vertex) {
  if constexpr (BodyProgram<P>) {
    VertexMemory<typename P::Value> memory = vertex.memory();
    program.do_work(vertex, memory);
    return memory.outcome();
  } else if constexpr (VertexProgram<P>) {
    return program.update(vertex);
  } else {
    using Value = typename P::Value;
    Value best = vertex.value();
    vertex.each([&](const Value& from, double weight) {
      const Value offered = program.along(from, weight);
      if (program.better(offered, best)) best = offered;
    });
    return best;
  }
}

/// The extra work of the next update beyond its inputs.
template <class P>
[[nodiscard]] std::uint64_t effort_of(const P& program, const Vertex<typename P::Value>& vertex) {
  if constexpr (requires { program.effort(vertex); }) {
    return program.effort(vertex);
  } else {
    return 0;
  }
}

template <class P>
[[nodiscard]] bool has_changed(const P& program, const LocalVertex& vertex,
                               const typename P::Value& old, const typename P::Value& now) {
  if constexpr (requires { program.changed(vertex, old, now); }) {
    return program.changed(vertex, old, now);
  } else if constexpr (requires { program.changed(old, now); }) {
    return program.changed(old, now);
  } else {
    return !(old == now);
  }
}

/// Whether the program measures how far a value moved; the sum is the residual of an iteration.
template <class P>
[[nodiscard]] consteval bool measures_moves() {
  return requires(const P program, const LocalVertex vertex, const typename P::Value& value) {
    { program.moved(vertex, value, value) } -> std::convertible_to<double>;
  };
}

template <class P>
[[nodiscard]] auto result_of(const P& program, const Vertex<typename P::Value>& vertex) {
  if constexpr (requires { program.result(vertex); }) {
    return program.result(vertex);
  } else {
    return vertex.value();
  }
}
template <class P>
using ResultOf =
    decltype(result_of(std::declval<const P&>(), std::declval<const Vertex<typename P::Value>&>()));

}  // namespace leeway
