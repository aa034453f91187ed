// What a vertex program is, and what its update sees. A program is a class with
//
//   using Value = …;                                    // trivially copyable: the shared object
//   Value init(VertexId) const;                         // before the first iteration
//   Value update(const Vertex<Value>&) const;           // from the vertex and what it reads
//
// and, where the defaults do not serve,
//
//   bool changed(const Value& old, const Value& now) const;  // is it worth storing? default: old != now
//   bool changed(VertexId, const Value& old, const Value& now) const;  // the same, where it depends on the vertex
//   auto result(const Vertex<Value>&) const;                 // what is reported; default: the value
//   static constexpr Reads kReads = Reads::In;               // what update reads
//   static constexpr bool kWeights = false, kDropLoops = false;
//   static constexpr bool kMovesOn = false;  // a changed value may change again with the same inputs
//   static constexpr bool kDegrees = false;  // wants to know how many arcs leave each vertex
//   static constexpr bool kAlwaysRests = false;  // no schedule keeps its values from coming to rest: no run is given up
//   double moved(const LocalVertex&, const Value& old, const Value& now) const;  // for the run's residual
//   void settle(const LocalGraph&);          // told which vertices it updates, before the first `init`
//   std::uint64_t effort(const Vertex<Value>&) const;        // of an update about to run: what it looks at
//                                                            // besides its inputs, charged as arcs are
//
// A program whose update takes the best of what its neighbours offer may instead say
//
//   Value along(const Value& from, double weight) const;  // what an arc makes of its source's value
//   bool better(const Value& a, const Value& b) const;
//   double rank(const Value&) const;                      // lower ranks are processed first
//
// and is then run by worklist, best first. A value only gets better, so a run comes to rest, and is never given up, if no
// chain of ever better values is endless, as it would be around a cycle of negative length. With kContracts = true, which promises that `along` gives its
// source's value and that arcs go both ways, what is connected within a node is joined first.
//
// A program may also have a body in the style of ASPIRE's Algorithm 1, which fetches the vertex and its related objects
// and stores the vertex, in place of `update`:
//
//   void do_work(const Vertex<Value>& curr, VertexMemory<Value>& dsm) const {
//     Value best = DSM_FETCH(dsm, curr.object());
//     for (const Related r : curr.related()) best = std::min(best, DSM_FETCH(dsm, r) + r.weight());
//     DSM_STORE(dsm, curr.object(), best);
//   }
//
// A vertex that is not stored, or stored with the value that it had, has not changed: where a program has a tolerance, it
// stores only what moved by more. examples/aspire/ has the paper's eight programs in this form.
//
// Programs are copied, one a node; update runs on many threads. Room that update needs for itself is a Scratch
// (leeway/base/scratch.h), never a thread_local: in the virtual cluster many nodes share a thread, and a read that waits
// gives it to another of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/array.h"
#include "base/check.h"
#include "leeway/dsm.h"
#include "runtime/graph/shard.h"

namespace leeway {

/// A vertex of this node: its number, and its place here. A program whose functions take a VertexId gets that.
struct LocalVertex {
  VertexId id;
  std::uint32_t local = 0;
  operator VertexId() const { return id; }  // NOLINT(google-explicit-constructor)
};

/// The vertices of this node, by place.
struct LocalGraph {
  std::span<const VertexId> vertices;
  std::span<const std::uint32_t> degrees;  ///< arcs that leave each; empty without kDegrees
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

/// All of them, for a range-based for. Borrowed from the vertex.
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

/// The memory as the body of one vertex uses it: every fetch is a DSM-FETCH. The store is seen by the body's own fetches
/// at once, and by all others when the schedule has it: at the end of the superstep under bsp, else behind the body.
template <class Value>
class VertexMemory {
 public:
  VertexMemory(View<Value>& view, Handle own)
      : view_(&view), own_(own), first_copy_(view.first_copy()), all_current_(view.all_current()) {}

  [[nodiscard]] Value fetch(Handle object) {
    if (stored_ && object == own_) [[unlikely]]
      return value_;
    // The reads of one body begin together (docs/protocol.md), so one look at the marks serves all of them.
    if (object >= first_copy_) {
      if (!all_current_ && !view_->is_current(object)) [[unlikely]]
        return fetch_slow(*view_, object);
      view_->count_hit();
    }
    return view_->load(object);
  }
  /// Requires the vertex's own object, for every object has a single writer (checked).
  void store(Handle object, const Value& value) {
    const Handle own =
        own_;  // whose address is taken below, so that no member has to lie in memory
    LEEWAY_CHECK(object == own, object, own);
    value_ = value;
    stored_ = true;
  }
  /// What the vertex holds after its body.
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

/// One vertex while it is updated: a light borrowed view. Reads made through it are DSM-FETCHes.
template <class Value>
class Vertex {
 public:
  Vertex(const Shard& shard, View<Value>& view)
      : shard_(&shard),
        view_(&view),
        offsets_(shard.input_offsets()),
        inputs_(shard.inputs()),
        local_inputs_(view.plain() ? shard.local_inputs() : &kNoneLocal),
        weights_(shard.input_weights()),
        step_(view.plain() ? 1 : 0) {}

  /// Turns this view to another local vertex.
  void move_to(std::uint32_t local) {
    local_ = local;
    if (inputs_ == nullptr) return;  // a node that works by list keeps none
    first_ = inputs_ + offsets_[local];
    last_ = inputs_ + offsets_[local + std::size_t{1}];
    split_ = local_inputs_ == nullptr ? last_ : first_ + local_inputs_[local * step_];
  }

  [[nodiscard]] VertexId id() const { return shard_->vertices()[local_]; }
  [[nodiscard]] std::uint32_t local() const { return local_; }
  [[nodiscard]] Value value() const { return view_->fetch(object()); }
  /// For a program with a body.
  [[nodiscard]] Handle object() const { return Handle(local_); }
  [[nodiscard]] RelatedObjects related() const {
    return {first_, last_, weights_ == nullptr ? nullptr : weights_ + (first_ - inputs_)};
  }
  [[nodiscard]] VertexMemory<Value> memory() const { return {*view_, object()}; }
  /// How many inputs there are.
  [[nodiscard]] std::size_t degree() const { return static_cast<std::size_t>(last_ - first_); }
  [[nodiscard]] std::size_t remote_degree() const {
    return static_cast<std::size_t>(last_ - split_);
  }

  /// Calls use(value) or use(value, weight) for every input, in an order that does not change.
  template <class Use>
  void each(Use&& use) const {
    view_->each(first_, split_, last_,
                [&](const Value& value, const std::uint32_t* at) { give(use, value, at); });
  }

 private:
  static constexpr std::uint32_t kNoneLocal = 0;  // while watched every read takes the long way

  template <class Use>
  void give(Use& use, const Value& value, const std::uint32_t* at) const {
    if constexpr (std::invocable<Use&, const Value&, double>) {
      use(value, weights_ == nullptr ? 1.0 : weights_[at - inputs_]);
    } else {
      use(value);
    }
  }

  const Shard* shard_;
  View<Value>* view_;
  const std::uint64_t* offsets_;
  const std::uint32_t* inputs_;
  const std::uint32_t* local_inputs_;
  const double* weights_;
  std::uint32_t step_;
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

/// A program that needs a sum over all vertices once an iteration, under schedulers that have one.
template <class P>
concept GatheringProgram =
    requires(P program, LocalVertex vertex, const typename P::Value& value, std::uint64_t sum) {
      { std::as_const(program).gather(vertex, value) } -> std::convertible_to<std::uint64_t>;
      program.gathered(sum);
    };

/// Its values come to rest under every schedule, after finitely many changes.
template <class P>
[[nodiscard]] constexpr bool always_rests() {
  if constexpr (requires { P::kAlwaysRests; }) return P::kAlwaysRests;
  return SelectingProgram<P>;
}
template <class P>
[[nodiscard]] constexpr Reads reads_of() {
  if constexpr (requires { P::kReads; }) return P::kReads;
  return Reads::In;
}
/// A value that has changed may change again though none of its inputs has: the program says so by kMovesOn.
template <class P>
[[nodiscard]] constexpr bool moves_on() {
  if constexpr (requires { P::kMovesOn; }) return P::kMovesOn;
  return false;
}
template <class P>
[[nodiscard]] constexpr bool wants_weights() {
  if constexpr (requires { P::kWeights; }) return P::kWeights;
  return false;
}
template <class P>
[[nodiscard]] constexpr bool wants_degrees() {
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

/// Beyond its inputs, of an update that is about to run.
template <class P>
[[nodiscard]] std::uint64_t effort_of(const P& program, const Vertex<typename P::Value>& vertex) {
  if constexpr (requires { program.effort(vertex); }) {
    return program.effort(vertex);
  } else {
    return 0;
  }
}

template <class P>
[[nodiscard]] bool has_changed(const P& program, VertexId vertex, const typename P::Value& old,
                               const typename P::Value& now) {
  if constexpr (requires { program.changed(vertex, old, now); }) {
    return program.changed(vertex, old, now);
  } else if constexpr (requires { program.changed(old, now); }) {
    return program.changed(old, now);
  } else {
    return !(old == now);
  }
}

/// The program says how far a value has moved, which makes the residual of an iteration.
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

// ASPIRE's Algorithm 1 with nothing in between: the caller's function fetches, computes and stores, one
// vertex at a time; this loops over the node's vertices, votes, and ends when no node votes to continue.
// For programs that want their fetches and stores in sight; run_job (job.h) deals out a graph as well.

/// Collective. `work(curr)` handles vertex `curr` of this node's `count`, and returns |old - new|; it stores
/// only what moved by more than `epsilon`, for a store is a write, and while writes are on their way nobody
/// may stop. Returns the number of iterations.
template <class Work>
  requires std::convertible_to<std::invoke_result_t<Work&, std::uint32_t>, double>
std::uint32_t do_work(Node& node, std::uint32_t count, double epsilon, Work&& work) {
  std::uint32_t iterations = 0;
  bool converged = false;
  while (!converged) {
    double error = epsilon;
    for (std::uint32_t curr = 0; curr < count; ++curr)
      error = std::max(error, static_cast<double>(work(curr)));
    converged = node.converged(error > epsilon);  // BARRIER, and one vote a node
    ++iterations;
  }
  return iterations;
}

}  // namespace leeway
