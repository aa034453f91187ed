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
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/runtime/pie/fragment.h"
#include "leeway/runtime/pie/fragmentation.h"
#include "leeway/runtime/pie/routes.h"
#include "leeway/runtime/residual.h"
#include "leeway/transport/transport.h"

namespace leeway::pie {

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
