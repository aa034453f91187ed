// Piece programs from the user's side (AsyTick): Piece is the data-centric interface (Table 1) that a program is
// written against, SpacePieces and GraphPieces divide a space or a graph into pieces, PieceOptions (options.h) selects the
// system and its parameters, and run_pieces runs a program on a cluster and returns its values and a PieceRecord.
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
#include "base/format.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/lists.h"
#include "transport/cluster_model.h"
#include "transport/transport.h"

namespace leeway::piece {

using PieceId = Id<struct PieceTag, std::uint32_t>;  ///< numbered over all workers, from 0

// The pieces, the worker that has each at the start, and the pieces whose information each needs. The relation is
// symmetric: a piece that reads another also sends its progress back, so that no piece gets more than one tick ahead
// of a piece that exchanges information with it. Immutable; shared by all workers.
class PieceLayout {
 public:
  PieceLayout() = default;
  /// `homes`: the worker of each piece. `needs`: the pieces whose information each piece reads. The piece itself and
  /// the reverse pairs are added.
  PieceLayout(std::vector<NodeId> homes, std::span<const std::vector<PieceId>> needs);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(homes_.size()); }
  [[nodiscard]] std::span<const NodeId> homes() const { return homes_; }
  /// The pieces that `piece` exchanges information with in each tick, itself included, ascending.
  [[nodiscard]] std::span<const PieceId> around(PieceId piece) const {
    return std::span(around_).subspan(first_[piece.index()],
                                      first_[piece.index() + 1] - first_[piece.index()]);
  }

 private:
  std::vector<NodeId> homes_;
  std::vector<std::size_t> first_;
  std::vector<PieceId> around_;
};

/// D(P) of each piece that `owners` assigns to worker `self`: the number of pieces between it and the boundary of the
/// partition; 0 for a piece that another worker needs. 0 also for the pieces of other workers.
[[nodiscard]] std::vector<std::uint32_t> boundary_distances(const PieceLayout& layout,
                                                            std::span<const NodeId> owners,
                                                            NodeId self);

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

/// Whether the values before `tick` are collected as a frame (is_shown) or for a resume (is_kept). Tick 0 is never
/// kept.
[[nodiscard]] inline bool is_shown(const PieceOptions& options, TickId tick) {
  return options.frame_every > 0 && tick.value() % options.frame_every == 0;
}
[[nodiscard]] inline bool is_kept(const PieceOptions& options, TickId tick) {
  return options.keep_every > 0 && tick.value() > 0 && tick.value() % options.keep_every == 0;
}

/// The functions of its worker that a task may call while it processes an arrival. Used by one thread at a time.
class TaskContext {
 public:
  virtual ~TaskContext() = default;
  /// Whether all needed pieces have arrived, the information being processed included. Work charged before the first
  /// call that returns true is the asynchronous part, later work the synchronous part.
  virtual bool barrier() = 0;
  virtual void charge(const Work& work) = 0;
  /// The piece's new values are final: they are sent to the pieces that need them when `process` returns.
  virtual void diffuse() = 0;
};

class Task;

/// Information that one piece diffused, as another piece receives it. `keep` owns the bytes.
struct Diffused {
  PieceId from{0};
  bool whole = false;  ///< all values of `from` in order, not a selection for one worker
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keep;
  const Task* task =
      nullptr;  ///< the task whose values they are, if it is at this worker; `keep` owns it
};

/// An entry of the state table: a piece's key, its tick, its values and its intermediate values. Belongs to one
/// worker.
class Task {
 public:
  virtual ~Task() = default;
  /// Processes one arrival (Begin…End); after the last one also the synchronous part and Diffuse.
  virtual void process(const Diffused& diffused, TaskContext& context) = 0;
  /// After Diffuse: all new values. The address is valid as long as the task exists.
  [[nodiscard]] virtual std::span<const std::byte> values() const = 0;
  /// After Diffuse: appends the values that the pieces `to` need. All of `to` are on one other worker.
  virtual void spread(std::span<const PieceId> to, std::vector<std::byte>& out) const = 0;
  /// After Diffuse: how far the tick changed the values; its maximum is the change that Termination() is given.
  [[nodiscard]] virtual const Residual& moved() const = 0;
};

/// The piece engine's view of a program, without its types: the layout of the pieces, and a task for each piece at
/// each tick. ProgramOf implements it for a typed program. Shared by all workers of a process; immutable.
class ErasedProgram {
 public:
  virtual ~ErasedProgram() = default;
  [[nodiscard]] virtual const PieceLayout& layout() const = 0;
  /// A finished task that holds the values of tick 0.
  [[nodiscard]] virtual std::unique_ptr<Task> load(PieceId piece) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Task> task(PieceId piece, TickId tick) const = 0;
  /// A finished task with the piece's values before `tick`, as `Task::values` gave them; null if these bytes are none.
  [[nodiscard]] virtual std::unique_ptr<Task> restored(PieceId piece, TickId tick,
                                                       std::span<const std::byte> values) const {
    (void)piece, (void)tick, (void)values;
    return nullptr;
  }
  [[nodiscard]] virtual bool may_terminate() const = 0;
  /// Whether a piece can have diffused these bytes, received from another worker. They are aligned for the program's
  /// objects.
  [[nodiscard]] virtual bool accepts(PieceId from, bool whole,
                                     std::span<const std::byte> bytes) const {
    (void)from, (void)whole, (void)bytes;
    return true;
  }
  /// Whether tasks record all changes in `tick` (`moved`).
  [[nodiscard]] virtual bool measures(TickId tick) const {
    (void)tick;
    return false;
  }
  /// Termination(): whether `tick` was the last, given the largest change of any piece in it.
  [[nodiscard]] virtual bool termination(TickId tick, double change) const = 0;
};

/// A pool of freed value arrays for reuse: allocating new memory for each tick's values costs more than computing
/// them. Shared by all threads of the process; thread-safe.
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

/// Information that one needed piece has diffused. Valid while `process` runs.
template <class Object>
struct Got {
  PieceId from{0};
  bool whole = false;  ///< all objects of `from`, in order
  std::span<const Object> objects;
};

/// A piece at one tick. Created by the engine; used by one worker.
///
/// AsyTick's data-centric interface (Table 1), typed. A program is a class with
///
///   using Object = …;    // trivially copyable; a piece holds many objects and diffuses them
///   using Partial = …;   // an object's intermediate values; += merges another partial state
///   const PieceLayout& layout() const;                    // from Divide(S) and Partition(P): SpacePieces, GraphPieces
///   std::vector<Object> load(PieceId) const;              // the piece's objects before tick 0
///   void process(Piece<Program>& piece) const;            // a tick of a piece, as in Algorithm 3
///
/// and these optional members:
///
///   struct Scratch;                                       // data that a piece keeps between arrivals
///   bool concerns(const Object&, PieceId to) const;       // must `to` receive the object? default: yes
///   void spread(PieceId from, std::span<const Object> values, std::span<const PieceId> to,
///               std::vector<Object>& out) const;          // replaces `concerns`: another form for remote pieces
///   double change(const Object& before, const Object& now) const;
///   bool termination(TickId, double change) const;        // Termination(): was this tick the last?
///   bool measures(TickId) const;   // are all changes of that tick noted? default: true if `change` exists
///   bool may_terminate() const;                           // default: true if `termination` exists
///
/// `process` is called for every arrival. Its form is
///
///   const auto got = piece.get();                         // Begin: Get(P)
///   … piece.update(i, partial);                           //        Update(O, state)
///   if (!piece.barrier()) return;                         // End: Barrier(P); called again for the next arrival
///   … piece.set(i, value);                                // the synchronous part: Set(O1, O2)
///   piece.diffuse();                                      // Diffuse(P)
///
/// Arrivals come in any order, so exact results require an Update that does not depend on the order.
template <class P>
class Piece final : public Task {
 public:
  using Object = typename P::Object;
  using Partial = typename P::Partial;
  using Scratch = typename ScratchOf<P>::type;
  static_assert(std::is_trivially_copyable_v<Object>);

  Piece(const P& program, PieceId id, TickId tick) : program_(program), id_(id), tick_(tick) {}
  Piece(const P& program, PieceId id, std::vector<Object> values, TickId tick = TickId(0))
      : program_(program), id_(id), tick_(tick), next_(std::move(values)) {}
  ~Piece() override { Recycled<Object>::give(std::move(next_)); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  [[nodiscard]] PieceId id() const { return id_; }
  [[nodiscard]] TickId tick() const { return tick_; }
  [[nodiscard]] Scratch& scratch() { return scratch_; }

  /// Get(P): the information of the needed piece that has just arrived.
  [[nodiscard]] Got<Object> get() const { return got_; }
  /// Adds an object to this piece for this tick; returns its index.
  std::size_t insert(const Object& object) {
    objects_.push_back(object);
    partials_.emplace_back();
    return objects_.size() - 1;
  }
  /// Allocates the intermediate values of `count` objects, for programs whose objects never change their piece and so
  /// are not inserted. May be called again with the same count.
  void expect(std::size_t count) { partials_.resize(count); }
  [[nodiscard]] const std::vector<Object>& objects() const { return objects_; }
  /// The values that this piece itself diffused in the previous tick. Valid from the arrival of its own information
  /// until it diffuses again.
  [[nodiscard]] std::span<const Object> before() const { return before_; }

  /// Update(O, state): merges a new partial state into an object's intermediate values.
  void update(std::size_t object, const Partial& state) { update(object) += state; }
  /// As above, for merging in place.
  [[nodiscard]] Partial& update(std::size_t object) {
    LEEWAY_REQUIRE(
        object < partials_.size(),
        format("update: object {} of a piece that has {}; insert(object) or expect(count) "
               "comes first",
               object, partials_.size()));
    return partials_[object];
  }

  /// Barrier(P): whether the information of all needed pieces has arrived.
  [[nodiscard]] bool barrier() { return context_->barrier(); }
  /// Charges work; has an effect only where time is virtual.
  void charge(const Work& work) { context_->charge(work); }

  /// Set(O1, O2): sets the object's value for the next tick.
  void set(std::size_t object, const Object& value) {
    if (next_.size() <= object) next_.resize(std::max(object + 1, objects_.size()));
    if constexpr (requires { program_.change(value, value); }) {
      const Object& old = objects_.empty() ? before_[object] : objects_[object];
      note(program_.change(old, value));
    }
    next_[object] = value;
  }
  /// Notes a change for Termination(), for programs that do not call `set` for each value.
  void note(double change) { moved_.add(change); }
  /// The array of `count` values for the next tick, to be written in place.
  [[nodiscard]] std::span<Object> next(std::size_t count) {
    if (next_.capacity() == 0) next_ = Recycled<Object>::take();
    next_.resize(count);
    return next_;
  }
  /// Diffuse(P): sends the new values to the pieces that need them.
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

  /// Called when the tick is done. The previous values may belong to the task of the previous tick; without this,
  /// each task would keep all earlier ones alive.
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

/// Adapts a typed program to the engine's interface. Borrows the program.
template <class P>
class ProgramOf : public ErasedProgram {
 public:
  explicit ProgramOf(const P& program) : program_(program) {}

  [[nodiscard]] const PieceLayout& layout() const override { return program_.layout(); }
  [[nodiscard]] std::unique_ptr<Task> load(PieceId piece) const override {
    return std::make_unique<Piece<P>>(program_, piece, program_.load(piece));
  }
  [[nodiscard]] std::unique_ptr<Task> task(PieceId piece, TickId tick) const override {
    return std::make_unique<Piece<P>>(program_, piece, tick);
  }
  [[nodiscard]] std::unique_ptr<Task> restored(PieceId piece, TickId tick,
                                               std::span<const std::byte> values) const override {
    if (!accepts(piece, true, values)) return nullptr;
    std::vector<typename P::Object> objects(values.size() / sizeof(typename P::Object));
    if (!values.empty())
      std::memcpy(static_cast<void*>(objects.data()), values.data(), values.size());
    return std::make_unique<Piece<P>>(program_, piece, std::move(objects), tick);
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

/// As ProgramOf, but owns the program: for programs with separate data at each worker.
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

/// The final values of all pieces, concatenated in the order of the pieces.
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

/// An Input error for 0 pieces, or for more pieces than fit in memory.
Status admit_pieces(std::uint32_t workers, std::uint32_t pieces_a_worker);

/// Divide(S) and Partition(P) of a space: a grid of equal partitions, one for each worker, each divided into a grid
/// of equal pieces. Both grids are as close to square pieces as the numbers allow.
struct PieceGrid {
  GridShape parts;
  GridShape within;

  [[nodiscard]] GridShape whole() const {
    return {parts.columns * within.columns, parts.rows * within.rows};
  }
};
[[nodiscard]] PieceGrid piece_grid(double aspect, std::uint32_t workers,
                                   std::uint32_t pieces_a_worker);

/// The pieces of a divided space (AsyTick, Table 1), and the piece of each position. A position outside the space
/// belongs to the nearest piece at the border.
class SpacePieces {
 public:
  /// `influence`: the largest distance at which two objects can affect each other within a tick (R + V). An Input
  /// error for 0 pieces, 0 workers, or an invalid space or influence.
  static Result<SpacePieces> make(const Box& space, std::uint32_t workers,
                                  std::uint32_t pieces_a_worker, double influence);

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] PieceId at(double x, double y) const;
  [[nodiscard]] const Box& region(PieceId piece) const { return regions_[piece.index()]; }
  /// Whether (x, y) is at most `distance` from the piece's region. The regions of pieces at the border are unbounded
  /// outwards.
  [[nodiscard]] bool near(PieceId piece, double x, double y, double distance) const {
    const Box& open = open_[piece.index()];
    return x >= open.left - distance && x <= open.right + distance && y >= open.bottom - distance &&
           y <= open.top + distance;
  }

 private:
  void join(double influence, std::vector<NodeId> homes);

  Box space_;
  GridShape shape_;  // pieces per row and column
  std::vector<Box> regions_;
  std::vector<Box> open_;
  PieceLayout layout_;
};

/// The vertices of a graph in pieces. Each part's vertices, in the graph's order, are cut into pieces with equal shares
/// of the part's arcs; a part with fewer vertices than pieces gets fewer pieces.
class VertexPieces {
 public:
  VertexPieces() = default;
  VertexPieces(const Graph& graph, const Partition& parts, std::uint32_t pieces_a_part);

  [[nodiscard]] std::size_t count() const { return homes_.size(); }
  /// The part of each piece, as a node.
  [[nodiscard]] const std::vector<NodeId>& homes() const { return homes_; }
  [[nodiscard]] std::span<const VertexId> of(PieceId piece) const {
    return std::span(order_).subspan(first_[piece.index()],
                                     first_[piece.index() + 1] - first_[piece.index()]);
  }

  /// By vertex: its piece, and its index in the piece.
  struct VertexPlaces {
    std::vector<std::uint32_t> piece;
    std::vector<std::uint32_t> index;
  };
  [[nodiscard]] VertexPlaces places() const;

  /// Converts values ordered by piece to values ordered by vertex.
  template <class T>
  [[nodiscard]] std::vector<T> by_vertex(std::span<const std::vector<std::byte>> pieces) const {
    std::vector<T> values(order_.size());
    for (PieceId piece(0); piece.index() < count(); piece = piece.next()) {
      const std::byte* at = pieces[piece.index()].data();
      for (const VertexId vertex : of(piece)) {
        std::memcpy(static_cast<void*>(&values[vertex.index()]), at, sizeof(T));
        at += sizeof(T);
      }
    }
    return values;
  }

 private:
  std::vector<VertexId> order_;  // concatenated vertices of the pieces
  std::vector<std::size_t> first_ = {0};
  std::vector<NodeId> homes_;
};

// The pieces of a graph (Divide and Partition, AsyTick, Table 1): each part of a partition belongs to a worker and is
// cut into pieces with equal numbers of arcs. A piece needs the pieces whose vertices its own vertices read.
// Immutable; shared by all workers.
class GraphPieces {
 public:
  /// An arc, as the indices of its ends within their pieces.
  struct Arc {
    std::uint32_t source;
    std::uint32_t target;
  };

  /// One worker for each node. `reads`: the vertices that each vertex reads. Collective if nodes are processes. An
  /// Input error for 0 pieces or a graph without vertices.
  static Result<GraphPieces> make(const Graph& graph, const Csr& reads, PartitionOptions divide,
                                  const ClusterOptions& cluster, std::uint32_t pieces_a_worker);

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] std::span<const VertexId> vertices(PieceId piece) const {
    return vertices_.of(piece);
  }
  /// The arcs by which vertices of `piece` read vertices of `from`.
  [[nodiscard]] std::span<const Arc> arcs(PieceId piece, PieceId from) const;

  /// Converts values ordered by piece to values ordered by vertex.
  template <class T>
  [[nodiscard]] std::vector<T> by_vertex(std::span<const std::vector<std::byte>> pieces) const {
    return vertices_.by_vertex<T>(pieces);
  }

 private:
  std::vector<std::vector<PieceId>> sort_arcs(const Csr& reads);

  VertexPieces vertices_;
  std::vector<std::vector<Arc>> arcs_;         // by piece, ordered by source piece
  std::vector<std::vector<PieceId>> sources_;  // by piece: its source pieces, ascending
  std::vector<std::vector<std::size_t>>
      arcs_of_;  // for each entry of sources_: index of its first arc
  PieceLayout layout_;
};

/// The values of all pieces before `tick`.
struct TickValues {
  TickId tick{0};
  std::vector<std::vector<std::byte>> pieces;
};

/// One worker's measurements of one tick, in nanoseconds.
struct TickSample {
  std::int64_t asynchronous = 0;
  std::int64_t synchronous = 0;
  /// The longest transfer time of any information for this tick to this worker; 0 where clocks differ.
  std::int64_t flight = 0;
  std::int64_t begin = 0;  ///< since the run's start: begin of the first work for this tick
  std::int64_t end = 0;    ///< end of the last work
  std::uint32_t pieces = 0;
  std::uint32_t measured = 0;  ///< number of pieces whose changes are in `moved`
  Residual moved;

  [[nodiscard]] std::int64_t computing() const { return asynchronous + synchronous; }
};

/// Measurements of a run, and its imbalance (AsyTick §5: λ_L, λ_C). A worker's record ends with the last piece of the last tick.
struct PieceRecord : Record {
  std::vector<std::vector<TickSample>> samples;  ///< by worker, then by tick
  std::uint32_t ticks = 0;
  bool terminated = false;  ///< Termination() ended the run

  /// From the start of the first worker to the end of the last piece of the last tick.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double asynchronous_share() const;
  /// max / mean − 1, in one tick, of the workers' computing times (λ_L) and of the transfer times of their
  /// information (λ_C).
  [[nodiscard]] double lambda_l(TickId tick) const;
  [[nodiscard]] double lambda_c(TickId tick) const;
  /// The share of the time between begin and finish that was neither computing nor waiting.
  [[nodiscard]] double overhead_share() const;
  /// The time that the same computation would have taken with a barrier after each tick, and if it were perfectly
  /// balanced.
  [[nodiscard]] double barrier_seconds() const;
  [[nodiscard]] double even_seconds() const;
  /// The share of the time lost to imbalance behind barriers that this run avoided.
  [[nodiscard]] double absorbed_skew() const;
};

// Outcome of run_pieces.
struct PieceResult {
  /// The values after every `frame_every`th tick, and last those after the last tick.
  std::vector<TickValues> snapshots;
  PieceRecord record;
};

/// Runs a piece program on a cluster. All nodes give the same program and options. Collective; blocks. An Input error
/// for options that contradict each other. If nodes are processes, only the first one's result has values.
Result<PieceResult> run_pieces(const ErasedProgram& program, const ClusterOptions& cluster,
                               const PieceOptions& options);

/// The same with a separate program for each worker; all programs must have the same layout.
using MakeProgram = std::function<Result<std::shared_ptr<const ErasedProgram>>(NodeId worker)>;
Result<PieceResult> run_pieces(const MakeProgram& make, const ClusterOptions& cluster,
                               const PieceOptions& options);

template <class P>
Result<PieceResult> run_pieces_of(const P& program, const ClusterOptions& cluster,
                                  const PieceOptions& options) {
  const ProgramOf<P> erased(program);
  return run_pieces(erased, cluster, options);
}

/// An Input error for options that no run can satisfy.
Status admit_options(const PieceOptions& options);

}  // namespace leeway::piece
