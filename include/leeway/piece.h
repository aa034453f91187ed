// The names of the piece engine's things: a piece of the simulated space, and a tick.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/box.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/shard.h"
#include "transport/network_profile.h"
#include "transport/transport.h"

namespace leeway::piece {

using PieceId =
    Id<struct PieceTag, std::uint32_t>;  ///< dense over the whole space, not one worker's
using TickId =
    Id<struct PieceTickTag, std::uint32_t>;  ///< N(P): the tick a piece is worked on in, from 0

// Which pieces there are, which worker's partition holds each at first, and which pieces need each
// other's information. Need goes both ways: a piece that reads another is told of its progress in
// return, so that nobody gets more than one tick ahead of whom it concerns. Immutable; shared by all
// workers.
class PieceLayout {
 public:
  PieceLayout() = default;
  /// `homes`: each piece's worker. `needs`: whose information each piece reads; itself and the way back
  /// are added.
  PieceLayout(std::vector<NodeId> homes, std::span<const std::vector<PieceId>> needs);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(homes_.size()); }
  [[nodiscard]] std::span<const NodeId> homes() const { return homes_; }
  /// The pieces that `piece` exchanges information with each tick, itself among them, ascending.
  [[nodiscard]] std::span<const PieceId> around(PieceId piece) const {
    return std::span(around_).subspan(first_[piece.index()],
                                      first_[piece.index() + 1] - first_[piece.index()]);
  }

 private:
  std::vector<NodeId> homes_;
  std::vector<std::size_t> first_;
  std::vector<PieceId> around_;
};

/// D(P) of each piece that `owners` give to `self`: how many pieces lie between it and the boundary of
/// the partition, 0 for one that another worker needs. Others' pieces: 0.
[[nodiscard]] std::vector<std::uint32_t> boundary_distances(const PieceLayout& layout,
                                                            std::span<const NodeId> owners,
                                                            NodeId self);

// How a piece program is to be run: which of the four systems, how pieces are put in order, when load is
// rebalanced. Plain data, the same on every worker.

/// The four that AsyTick's evaluation compares (§5).
enum class System {
  OriTick,     ///< a barrier after every tick, and nothing against skew
  ComTick,     ///< OriTick with the persistence-based load balancer
  AsyTick,     ///< asynchronous parts as pieces arrive, no barrier
  AsyTickPlb,  ///< AsyTick with the persistence-based load balancer
};
[[nodiscard]] constexpr bool has_barrier(System system) {
  return system == System::OriTick || system == System::ComTick;
}
[[nodiscard]] constexpr bool has_balancer(System system) {
  return system == System::ComTick || system == System::AsyTickPlb;
}
[[nodiscard]] constexpr std::string_view system_name(System system) {
  constexpr std::string_view kNames[] = {"oritick", "comtick", "asytick", "asytick-plb"};
  return kNames[static_cast<std::size_t>(system)];
}

struct PieceOptions {
  System system = System::AsyTickPlb;
  std::uint32_t ticks = 10;  ///< at most, where the program terminates by itself
  bool scheduler = true;     ///< off: pieces are worked on in the order in which they become ready
  double alpha = 0.45;       ///< Pri(P) = alpha·D(P) + beta·N(P), least first; alpha + beta = 1
  double beta = 0.55;
  std::uint32_t balance_every = 2;  ///< ticks between two redistributions
  /// Behind barriers: ticks between the last one measured and the first one redistributed, from 2, so that
  /// the map is there when the barrier opens, to `balance_every`.
  std::uint32_t balance_lag = 2;
  std::uint32_t horizon = 8;  ///< ticks beyond the last that Termination() was asked about
  /// How long information for others may be gathered before it is sent; what is full or finds its
  /// worker idle goes at once.
  Duration hold = std::chrono::microseconds(100);
  std::uint32_t frame_every =
      0;                 ///< every how many ticks all values are collected; 0: at the end only
  unsigned threads = 1;  ///< a worker's, for what processes; 0: as many as there are cores
  /// At the first worker, behind every `keep_every`th tick but the last, once all values before the next one are in:
  /// all there is to go on from, for what is under way follows from them. 0: never.
  std::uint32_t keep_every = 0;
  std::function<void(TickId, std::span<const std::vector<std::byte>> pieces)> keep;
  StopFlag stop = nullptr;  ///< once set the run fails, everywhere alike
  bool trace = false;       ///< record every span of work and waiting
  CostModel cost;           ///< sim: what a disturbed worker's computing is multiplied from
  /// sim: what waking a task for an arrival costs its worker beside the computing.
  Duration wake{};
  /// sim: how long a worker's computing takes in a tick, in percent of what it should; empty: 100.
  std::function<std::uint32_t(NodeId worker, TickId tick)> disturbance;
};

/// Whether the values before `tick` are shown, or kept to go on from. Of tick 0 nothing need be kept.
[[nodiscard]] inline bool is_shown(const PieceOptions& options, TickId tick) {
  return options.frame_every > 0 && tick.value() % options.frame_every == 0;
}
[[nodiscard]] inline bool is_kept(const PieceOptions& options, TickId tick) {
  return options.keep_every > 0 && tick.value() > 0 && tick.value() % options.keep_every == 0;
}

// What the piece engine runs, with types erased: a program lays out pieces and makes a task for each
// piece at each tick; a task takes what the needed pieces diffused, one after the other, as it arrives.
// Programs are written against piece.h, which fills this in. A program is shared by all workers of a
// process and does not change; a task is one worker's own.

/// What a task may ask of its worker while it processes.
class TaskContext {
 public:
  virtual ~TaskContext() = default;
  /// Whether, with the information being processed, all needed pieces are in. What is charged before it
  /// first says yes is the asynchronous part, what comes after the synchronous one.
  virtual bool barrier() = 0;
  virtual void charge(const Work& work) = 0;
  /// The piece's new values stand: they are sent to whom they concern when processing returns.
  virtual void diffuse() = 0;
};

/// What one piece diffused, as it reaches another. `keep` owns the bytes.
struct Diffused {
  PieceId from{0};
  bool whole = false;  ///< all values of `from` in order, not what was picked out for a worker
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keep;
};

/// An entry of the state table: a piece's key, its tick, its values and its intermediate values.
class Task {
 public:
  virtual ~Task() = default;
  /// Begin…End for one arrival; after the last, the synchronous part and Diffuse.
  virtual void process(const Diffused& diffused, TaskContext& context) = 0;
  /// After Diffuse: all new values, which stay where they are as long as the task lives.
  [[nodiscard]] virtual std::span<const std::byte> values() const = 0;
  /// After Diffuse: appends what the pieces `to` need; all of them lie on one worker, not this one.
  virtual void spread(std::span<const PieceId> to, std::vector<std::byte>& out) const = 0;
  /// After Diffuse: how much the tick changed, the most of it as Termination() measures it.
  [[nodiscard]] virtual const Residual& moved() const = 0;
};

class Program {
 public:
  virtual ~Program() = default;
  [[nodiscard]] virtual const PieceLayout& layout() const = 0;
  /// A task that is through already and holds the values of tick 0.
  [[nodiscard]] virtual std::unique_ptr<Task> load(PieceId piece) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Task> task(PieceId piece, TickId tick) const = 0;
  [[nodiscard]] virtual bool may_terminate() const = 0;
  /// Whether a piece can have diffused these bytes, which came from another worker. They are aligned as the piece's
  /// objects are.
  [[nodiscard]] virtual bool accepts(PieceId from, bool whole,
                                     std::span<const std::byte> bytes) const {
    (void)from, (void)whole, (void)bytes;
    return true;
  }
  /// Whether tasks tell of every change in `tick`.
  [[nodiscard]] virtual bool measures(TickId tick) const {
    (void)tick;
    return false;
  }
  /// Termination(): whether `tick` was the last, from the greatest change of any piece in it.
  [[nodiscard]] virtual bool termination(TickId tick, double change) const = 0;
};

// AsyTick's data-centric interface (Table 1), typed. A program is a class with
//
//   using Object = …;    // trivially copyable: what a piece holds many of, and diffuses
//   using Partial = …;   // an object's intermediate values; += merges another partial state
//   const PieceLayout& layout() const;                    // from Divide(S) and Partition(P): space.h
//   std::vector<Object> load(PieceId) const;              // the piece's objects before tick 0
//   void process(Piece<Program>& piece) const;            // a tick of a piece, as in Algorithm 3
//
// and, where the defaults do not serve,
//
//   struct Scratch;                                       // what a piece keeps between arrivals
//   bool concerns(const Object&, PieceId to) const;       // must `to` be told of it? default: yes
//   void spread(PieceId from, std::span<const Object> values, std::span<const PieceId> to,
//               std::vector<Object>& out) const;          // replaces concerns: another form for remote pieces
//   double change(const Object& before, const Object& now) const;
//   bool termination(TickId, double change) const;        // Termination(): was this tick the last?
//   bool measures(TickId) const;   // all changes of that tick are noted; else they are where there is `change`
//   bool may_terminate() const;                           // is it worth asking? default: if it can be
//
// `process` is called for every arrival. It reads
//
//   const auto got = piece.get();                         // Begin: Get(P)
//   … piece.update(i, partial);                           //        Update(O, state)
//   if (!piece.barrier()) return;                         // End: Barrier(P); back to Begin when more arrives
//   … piece.set(i, value);                                // the synchronous part: Set(O1, O2)
//   piece.diffuse();                                      // Diffuse(P)
//
// Arrivals come in any order, so Update must not depend on it where results are to be exact.

/// Storage of values that nobody needs any more, for the next that are as many: a tick's worth of fresh
/// memory each tick would cost more than filling it. Of all threads: one gives what another takes. Thread-safe.
template <class Object>
class Recycled {
 public:
  static std::vector<Object> take() {
    const std::lock_guard lock(mutex());
    auto& shelf = all();
    if (shelf.empty()) return {};
    std::vector<Object> storage = std::move(shelf.back());
    shelf.pop_back();
    return storage;
  }
  static void give(std::vector<Object> storage) {
    constexpr std::size_t kMost = 256;
    if (storage.capacity() == 0) return;
    const std::lock_guard lock(mutex());
    if (all().size() < kMost) all().push_back(std::move(storage));
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::vector<std::vector<Object>>& all() {
    static std::vector<std::vector<Object>> shelf;
    return shelf;
  }
};

struct NoScratch {};

template <class P>
struct ScratchOf {
  using type = NoScratch;
};
template <class P>
  requires requires { typename P::Scratch; }
struct ScratchOf<P> {
  using type = typename P::Scratch;
};

/// What one needed piece has diffused. Valid while `process` runs.
template <class Object>
struct Got {
  PieceId from{0};
  bool whole = false;  ///< all of its objects, in order
  std::span<const Object> objects;
};

/// A piece at one tick. Made by the engine; one worker's own.
template <class P>
class Piece final : public Task {
 public:
  using Object = typename P::Object;
  using Partial = typename P::Partial;
  using Scratch = typename ScratchOf<P>::type;
  static_assert(std::is_trivially_copyable_v<Object>);

  Piece(const P& program, PieceId id, TickId tick) : program_(program), id_(id), tick_(tick) {}
  Piece(const P& program, PieceId id, std::vector<Object> values)
      : program_(program), id_(id), next_(std::move(values)) {}
  ~Piece() override { Recycled<Object>::give(std::move(next_)); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  [[nodiscard]] PieceId id() const { return id_; }
  [[nodiscard]] TickId tick() const { return tick_; }
  [[nodiscard]] Scratch& scratch() { return scratch_; }

  /// Get(P): the information of the needed piece that has arrived.
  [[nodiscard]] Got<Object> get() const { return got_; }
  /// Puts an object into this piece for this tick; returns its place.
  std::size_t insert(const Object& object) {
    objects_.push_back(object);
    partials_.emplace_back();
    return objects_.size() - 1;
  }
  /// Makes room for the intermediate values of `count` objects, where objects never change their piece
  /// and so are not inserted. Again and again is once.
  void expect(std::size_t count) { partials_.resize(count); }
  [[nodiscard]] const std::vector<Object>& objects() const { return objects_; }
  /// What this piece itself diffused: valid from the arrival of its own information until it diffuses again.
  [[nodiscard]] std::span<const Object> before() const { return before_; }

  /// Update(O, state): merges a new partial state into an object's intermediate values.
  void update(std::size_t object, const Partial& state) { partials_[object] += state; }
  /// The same, for whoever merges in place.
  [[nodiscard]] Partial& update(std::size_t object) { return partials_[object]; }

  /// Barrier(P): whether the information of all pieces needed is in.
  [[nodiscard]] bool barrier() { return context_->barrier(); }
  /// Accounts for computing, where time is virtual.
  void charge(const Work& work) { context_->charge(work); }

  /// Set(O1, O2): the object's value for the next tick.
  void set(std::size_t object, const Object& value) {
    if (next_.size() <= object) next_.resize(std::max(object + 1, objects_.size()));
    if constexpr (requires { program_.change(value, value); }) {
      const Object& old = objects_.empty() ? before_[object] : objects_[object];
      note(program_.change(old, value));
    }
    next_[object] = value;
  }
  /// A change that Termination() is to hear of, where values are not set one by one.
  void note(double change) { moved_.add(change); }
  /// The values for the next tick, to be set in place: `count` of them.
  [[nodiscard]] std::span<Object> next(std::size_t count) {
    if (next_.capacity() == 0) next_ = Recycled<Object>::take();
    next_.resize(count);
    return next_;
  }
  /// Diffuse(P): spreads the new values to the pieces they concern.
  void diffuse() {
    diffused_ = true;
    context_->diffuse();
  }

  void process(const Diffused& diffused, TaskContext& context) override {
    context_ = &context;
    got_ = {diffused.from, diffused.whole, typed(diffused.bytes)};
    if (diffused.from == id_) {
      before_ = got_.objects;
      before_keep_ = diffused.keep;
    }
    program_.process(*this);
    context_ = nullptr;
    got_ = {};
    if (diffused_) let_go_of_before();
  }
  [[nodiscard]] std::span<const std::byte> values() const override {
    return std::as_bytes(std::span(next_));
  }
  void spread(std::span<const PieceId> to, std::vector<std::byte>& out) const override {
    std::vector<Object> chosen;
    if constexpr (requires { program_.spread(id_, std::span(next_), to, chosen); }) {
      program_.spread(id_, std::span(next_), to, chosen);
    } else if constexpr (requires { program_.concerns(next_[0], id_); }) {
      for (const Object& object : next_) {
        const auto asks = [&](PieceId other) { return program_.concerns(object, other); };
        if (std::any_of(to.begin(), to.end(), asks)) chosen.push_back(object);
      }
    } else {
      const auto all = values();
      out.insert(out.end(), all.begin(), all.end());
      return;
    }
    const auto bytes = std::as_bytes(std::span(chosen));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] const Residual& moved() const override { return moved_; }

 private:
  static std::span<const Object> typed(std::span<const std::byte> bytes) {
    LEEWAY_CHECK(bytes.size() % sizeof(Object) == 0u);
    LEEWAY_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(Object) == 0u);
    return {reinterpret_cast<const Object*>(bytes.data()), bytes.size() / sizeof(Object)};
  }

  /// Its tick is done. What came before may be the task of the tick before itself, so that otherwise each would keep
  /// all before it.
  void let_go_of_before() {
    before_ = {};
    before_keep_.reset();
  }

  const P& program_;
  PieceId id_;
  TickId tick_{0};
  bool diffused_ = false;
  TaskContext* context_ = nullptr;
  Got<Object> got_;
  std::span<const Object> before_;
  std::shared_ptr<const void> before_keep_;
  std::vector<Object> objects_;
  std::vector<Partial> partials_;
  std::vector<Object> next_;
  Scratch scratch_{};
  Residual moved_;
};

/// A typed program as the engine takes it. The program outlives it.
template <class P>
class ProgramOf : public Program {
 public:
  explicit ProgramOf(const P& program) : program_(program) {}

  [[nodiscard]] const PieceLayout& layout() const override { return program_.layout(); }
  [[nodiscard]] std::unique_ptr<Task> load(PieceId piece) const override {
    return std::make_unique<Piece<P>>(program_, piece, program_.load(piece));
  }
  [[nodiscard]] std::unique_ptr<Task> task(PieceId piece, TickId tick) const override {
    return std::make_unique<Piece<P>>(program_, piece, tick);
  }
  [[nodiscard]] bool accepts(PieceId from, bool whole,
                             std::span<const std::byte> bytes) const override {
    using Object = typename P::Object;
    if (bytes.size() % sizeof(Object) != 0) return false;
    if constexpr (requires { program_.accepts(from, whole, std::span<const Object>()); }) {
      const auto* const objects = reinterpret_cast<const Object*>(bytes.data());
      return program_.accepts(from, whole, std::span(objects, bytes.size() / sizeof(Object)));
    }
    return true;
  }
  [[nodiscard]] bool may_terminate() const override {
    if constexpr (requires { program_.may_terminate(); }) return program_.may_terminate();
    return requires { program_.termination(TickId(0), 0.0); };
  }
  [[nodiscard]] bool measures(TickId tick) const override {
    if constexpr (requires { program_.measures(tick); }) {
      return program_.measures(tick);
    } else {
      return requires(const typename P::Object& object) { program_.change(object, object); };
    }
  }
  [[nodiscard]] bool termination(TickId tick, double change) const override {
    if constexpr (requires { program_.termination(tick, change); }) {
      return program_.termination(tick, change);
    }
    return false;
  }

 private:
  const P& program_;
};

/// The same, owning it: for programs with a memory of their own at each worker.
template <class P>
struct KeptProgram {
  P program;
};
template <class P>
class OwnedProgramOf final : private KeptProgram<P>, public ProgramOf<P> {
 public:
  template <class... Arguments>
  explicit OwnedProgramOf(Arguments&&... arguments)
      : KeptProgram<P>{P(std::forward<Arguments>(arguments)...)},
        ProgramOf<P>(KeptProgram<P>::program) {}
};

/// The values a run ended with, piece by piece, as one list.
template <class Object>
[[nodiscard]] std::vector<Object> objects_of(std::span<const std::vector<std::byte>> pieces) {
  std::vector<Object> all;
  for (const auto& piece : pieces) {
    const std::size_t before = all.size();
    all.resize(before + piece.size() / sizeof(Object));
    if (!piece.empty()) std::memcpy(&all[before], piece.data(), piece.size());
  }
  return all;
}

// Divide and Partition (AsyTick, Table 1) for space: a box is divided into one partition a worker, and each
// partition into pieces of equal size. Pure.

/// Refuses no pieces, and more than memory holds.
Status admit_pieces(std::uint32_t workers, std::uint32_t pieces_a_worker);

/// Divide(S) and Partition(P): a grid of equal partitions, one a worker, and of equal pieces within each; both as
/// square as their number allows.
struct PieceGrid {
  GridShape parts;
  GridShape within;

  [[nodiscard]] GridShape whole() const {
    return {parts.columns * within.columns, parts.rows * within.rows};
  }
};
[[nodiscard]] PieceGrid piece_grid(double aspect, std::uint32_t workers,
                                   std::uint32_t pieces_a_worker);

/// The pieces of a divided space, and who lies where. A place outside the space belongs to the piece at
/// the border next to it.
class SpacePieces {
 public:
  /// `influence`: how far apart things may be, and still affect each other within a tick (R + V). An Input
  /// error for no pieces, no workers, or a space that is none.
  static Result<SpacePieces> make(const Box& space, std::uint32_t workers,
                                  std::uint32_t pieces_a_worker, double influence);

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] PieceId at(double x, double y) const;
  [[nodiscard]] const Box& region(PieceId piece) const { return regions_[piece.index()]; }
  /// Whether something at (x, y) is no farther than `distance` from the piece's region. Pieces at the
  /// border reach beyond it without end.
  [[nodiscard]] bool near(PieceId piece, double x, double y, double distance) const {
    const Box& open = open_[piece.index()];
    return x >= open.left - distance && x <= open.right + distance && y >= open.bottom - distance &&
           y <= open.top + distance;
  }

 private:
  void join(double influence, std::vector<NodeId> homes);

  Box space_;
  GridShape shape_;  // of all pieces
  std::vector<Box> regions_;
  std::vector<Box> open_;
  PieceLayout layout_;
};

// Divide and Partition (AsyTick, Table 1) for graphs: a part of a partition is a worker's, and is cut into
// pieces of equally many arcs; a piece needs the pieces its vertices read. Immutable; shared by all.
class GraphPieces {
 public:
  /// An arc by the places of its ends in their pieces.
  struct Arc {
    std::uint32_t source;
    std::uint32_t target;
  };

  /// A worker a node. `reads`: whom each vertex reads. Collective where nodes are processes. An Input error for no pieces, or a graph without vertices.
  static Result<GraphPieces> make(const Graph& graph, const Adjacency& reads,
                                  PartitionOptions divide, const ClusterOptions& cluster,
                                  std::uint32_t pieces_a_worker);

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] std::span<const VertexId> vertices(PieceId piece) const {
    return std::span(order_).subspan(first_[piece.index()],
                                     first_[piece.index() + 1] - first_[piece.index()]);
  }
  /// What the vertices of `piece` read of those of `from`.
  [[nodiscard]] std::span<const Arc> arcs(PieceId piece, PieceId from) const;

  /// Values piece by piece, put in the order of vertices.
  template <class T>
  [[nodiscard]] std::vector<T> by_vertex(std::span<const std::vector<std::byte>> pieces) const {
    std::vector<T> values(order_.size());
    for (PieceId piece(0); piece.value() < layout_.count(); piece = piece.next()) {
      const std::byte* at = pieces[piece.index()].data();
      for (const VertexId vertex : vertices(piece)) {
        std::memcpy(static_cast<void*>(&values[vertex.index()]), at, sizeof(T));
        at += sizeof(T);
      }
    }
    return values;
  }

 private:
  std::vector<NodeId> cut(const Graph& graph, const Partition& parts,
                          std::uint32_t pieces_a_worker);
  std::vector<std::vector<PieceId>> sort_arcs(const Adjacency& reads);

  std::vector<VertexId> order_;  // piece after piece
  std::vector<std::size_t> first_ = {0};
  std::vector<std::vector<Arc>> arcs_;             // by piece, by the piece they come from
  std::vector<std::vector<PieceId>> sources_;      // by piece, ascending
  std::vector<std::vector<std::size_t>> arcs_of_;  // beside sources_: where their arcs begin
  PieceLayout layout_;
};

// What a run of pieces tells of itself: a worker's computing by tick, its waiting, its messages; and the
// skew that follows (AsyTick §5: λ_L, λ_C). Plain data.

/// The values of all pieces before `tick`.
struct TickValues {
  TickId tick{0};
  std::vector<std::vector<std::byte>> pieces;
};

/// One worker's part of one tick, in nanoseconds.
struct TickSample {
  std::int64_t asynchronous = 0;
  std::int64_t synchronous = 0;
  /// The longest any information for this tick was on its way to this worker; 0 where clocks differ.
  std::int64_t flight = 0;
  std::int64_t begin = 0;  ///< since the run's start, of the first work for this tick
  std::int64_t end = 0;    ///< of the last
  std::uint32_t pieces = 0;
  std::uint32_t measured = 0;  ///< of those, whose changes `moved` has
  Residual moved;

  [[nodiscard]] std::int64_t computing() const { return asynchronous + synchronous; }
};

/// A stretch of a worker's time, for who draws it.
struct WorkSpan {
  enum Kind : std::uint32_t { Asynchronous, Synchronous, Waiting };
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t kind = Asynchronous;
  std::uint32_t tick = 0;
  std::uint32_t piece = 0;
  std::uint32_t missing = 0xFFFFFFFF;  ///< waiting: a piece that `piece` needs and lacks
  std::uint32_t owner = 0xFFFFFFFF;    ///< waiting: who works on it
  std::uint32_t unused = 0;
};

struct WorkerRecord {
  std::int64_t begin = 0;      ///< on the run's clock
  std::int64_t finished = 0;   ///< the last piece of the last tick
  std::int64_t waited = 0;     ///< for arrivals, until then
  std::uint64_t messages = 0;  ///< diffused to other workers
  std::uint64_t frames = 0;    ///< they went in
  std::uint64_t bytes = 0;
  std::uint64_t arrivals = 0;  ///< processed
  std::uint64_t moved_in = 0;  ///< pieces taken over from others
  std::vector<TickSample> ticks;
  std::vector<WorkSpan> stretches;

  [[nodiscard]] std::int64_t computing() const;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.finished, self.waited, self.messages, self.frames, self.bytes,
                    self.arrivals, self.moved_in, self.ticks, self.stretches);
  }
};

struct PieceRecord {
  std::vector<WorkerRecord> workers;
  std::uint32_t ticks = 0;
  bool terminated = false;  ///< Termination() said so
  bool one_clock = true;    ///< workers' times can be compared
  std::uint64_t events = 0;
  std::uint64_t digest = 0;

  /// From the first worker's start to the last piece of the last tick.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double asynchronous_share() const;
  /// max / mean − 1 of the workers' computing, and of their information's way, in a tick.
  [[nodiscard]] double lambda_l(TickId tick) const;
  [[nodiscard]] double lambda_c(TickId tick) const;
  /// Of all time between begin and finish, what was neither computing nor waiting.
  [[nodiscard]] double overhead_share() const;
  /// What the same computing would have taken with a barrier after each tick, and perfectly even.
  [[nodiscard]] double barrier_seconds() const;
  [[nodiscard]] double even_seconds() const;
  /// Of the time that skew costs behind barriers, the share that this run did not spend.
  [[nodiscard]] double absorbed_skew() const;
};

// Runs a piece program on a cluster: the same program and options on every node, the result at the first.
struct PieceRun {
  /// The values after the last tick come last; before them those of every `frame_every`th tick.
  std::vector<TickValues> snapshots;
  PieceRecord record;
};

/// An Input error for options that contradict each other. Where nodes are processes, only the first one's
/// run holds anything.
Result<PieceRun> run_pieces(const Program& program, const ClusterOptions& cluster,
                            const PieceOptions& options);

/// The same with a program of its own for each worker; all of one layout.
using MakeProgram = std::function<Result<std::shared_ptr<const Program>>(NodeId worker)>;
Result<PieceRun> run_pieces(const MakeProgram& make, const ClusterOptions& cluster,
                            const PieceOptions& options);

template <class P>
Result<PieceRun> run_pieces_of(const P& program, const ClusterOptions& cluster,
                               const PieceOptions& options) {
  const ProgramOf<P> erased(program);
  return run_pieces(erased, cluster, options);
}

/// Refuses options that no run could follow.
Status admit_options(const PieceOptions& options);

}  // namespace leeway::piece
