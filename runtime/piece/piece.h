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
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/runtime/piece/program.h"

namespace leeway::piece {

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

}  // namespace leeway::piece
