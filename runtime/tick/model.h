// TickModel: a tick program on one node without its types, as the engine uses it. Each call is for a step, a message or a state,
// never for a tuple.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "leeway/tick_program.h"

namespace leeway::tick {

/// What a function of the program makes of a query.
enum class QueryScope : std::uint8_t {
  Itself,
  Read,     ///< R_D
  Written,  ///< W_D
  Kept,     ///< W_X
};

/// A query of a division: a level of a node's part (tick_program.h), or what a function makes of it.
struct QueryName {
  NodeId node{};
  Level level = 0;
  QueryScope of = QueryScope::Itself;

  friend auto operator<=>(const QueryName&, const QueryName&) = default;
};

/// A state, or a part of one. A model makes it and knows its type.
class TickState {
 public:
  virtual ~TickState() = default;
};

class TickModel {
 public:
  virtual ~TickModel() = default;

  /// PART for `count` nodes. `now`: the whole state, for a new division; null: at the start. Returns the number of queries.
  virtual Result<std::size_t> divide(std::uint32_t count, const TickState* now) = 0;
  virtual void write_parts(ByteWriter& out) const = 0;
  /// Reads a division of write_parts, and uses it if `replace`. The reader fails for invalid bytes.
  virtual Status read_parts(ByteReader& in, bool replace) = 0;
  [[nodiscard]] virtual bool disjoint(const QueryName& a, const QueryName& b) const = 0;

  [[nodiscard]] virtual std::unique_ptr<TickState> make() const = 0;
  /// Empties the state. `own` selects the tuples that are stepped, `held` all that it may have.
  virtual void reset(TickState& state, const QueryName& own, const QueryName& held) const = 0;
  /// Empties a state that may have all tuples.
  virtual void reset_whole(TickState& state) const = 0;
  /// Gives the state a query whose tuples no other node needs.
  virtual void keep_private(TickState& state, const std::optional<QueryName>& query) const = 0;
  /// NEW of the tuples that the query selects.
  virtual Status create(TickState& state, const QueryName& query) const = 0;
  /// NEW of all tuples, also outside all parts. Null: the queries cannot express that.
  [[nodiscard]] virtual Result<std::unique_ptr<TickState>> create_all() const = 0;
  virtual void copy(const TickState& from, const QueryName& query, TickState& to) const = 0;
  virtual void arrange(TickState& state) const = 0;
  virtual void mark_own(TickState& state) const = 0;
  virtual void drop_others(TickState& state) const = 0;
  virtual void encode_own(const TickState& state, ByteWriter& out) const = 0;
  [[nodiscard]] virtual bool decode(TickState& state, ByteReader& in) const = 0;
  /// A tuple that not exactly one part selects.
  [[nodiscard]] virtual std::optional<std::string> misplaced(const TickState& state) const = 0;

  /// Selects what `step` steps: the tuples that `inside` selects and `outside` does not. Returns their number.
  virtual std::size_t select(const TickState& context, const QueryName& inside,
                             const std::optional<QueryName>& outside) = 0;
  /// STEP of the selected tuples on this node's threads. `own`, `held`: as of `result`.
  virtual void step(const TickState& context, const QueryName& own, const QueryName& held,
                    TickState& result) = 0;
  /// The virtual time of the step.
  [[nodiscard]] virtual Duration price() const = 0;
  /// How far the tuples of a query moved; none: the program does not measure it.
  virtual std::optional<Residual> moved(const QueryName& query, const TickState& before,
                                        const TickState& after) = 0;
  /// Selects what `encode` sends. Returns a tuple that no part selects.
  virtual std::optional<std::string> select_border(const TickState& state,
                                                   const QueryName& own) = 0;
  /// Writes the selected tuples that `needed` selects.
  virtual void encode(const TickState& state, const QueryName& needed, ByteWriter& out) const = 0;

  // For the checking mode (check.h).

  /// The tuples that a query selects, as a separate state.
  [[nodiscard]] virtual std::unique_ptr<TickState> restricted(const TickState& whole,
                                                              const QueryName& query,
                                                              const QueryName& held) const = 0;
  /// STEP of the tuples that `inside` selects and `outside` does not, as a separate state.
  [[nodiscard]] virtual std::unique_ptr<TickState> stepped(const TickState& context,
                                                           const QueryName& inside,
                                                           const std::optional<QueryName>& outside,
                                                           const QueryName& held) const = 0;
  /// A tuple in which the states differ.
  [[nodiscard]] virtual std::optional<std::string> difference(const TickState& a,
                                                              const TickState& b) const = 0;
  /// Whether a step can bring a tuple from one query into another.
  [[nodiscard]] virtual bool moves() const = 0;
};

}  // namespace leeway::tick
