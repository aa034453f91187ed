// Tables: a state of several tables, as in the paper's model (Tick §4.1), and QueryPerTable, its query. Each function
// forwards to the component states.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/format.h"

namespace leeway::tick {

/// Calls `visit` once, with all indices as constants.
template <std::size_t... I, class Visit>
auto visit_indices(std::index_sequence<I...> /*all*/, Visit&& visit) {
  return visit(std::integral_constant<std::size_t, I>()...);
}

/// The query of one table. std::tuple is not trivially copyable, so a query of several tables inherits from its parts.
template <std::size_t I, class Part>
struct QuerySlot {
  Part part{};
  friend bool operator==(const QuerySlot&, const QuerySlot&) = default;
};

template <class Indices, class... Parts>
struct QuerySlots;
template <std::size_t... I, class... Parts>
struct QuerySlots<std::index_sequence<I...>, Parts...> : QuerySlot<I, Parts>... {
  QuerySlots() = default;
  QuerySlots(const Parts&... parts) : QuerySlot<I, Parts>{parts}... {}
  friend bool operator==(const QuerySlots&, const QuerySlots&) = default;
};

/// A query with a hull: the smallest query that selects the tuples of both.
template <class Part>
concept HasHull = requires(const Part& part) {
  { part.hull(part) } -> std::same_as<Part>;
};
/// A query type with a query that selects every tuple.
template <class Part>
concept HasEverywhere = requires {
  { Part::everywhere() } -> std::same_as<Part>;
};

/// Selects tuples of several tables: of table I, those that `get<I>()` selects. Trivially copyable if its parts are.
template <class... Parts>
struct QueryPerTable : QuerySlots<std::index_sequence_for<Parts...>, Parts...> {
  using Slots = QuerySlots<std::index_sequence_for<Parts...>, Parts...>;
  using Slots::Slots;

  template <std::size_t I>
  [[nodiscard]] auto& get() {
    return slot<I>(*this).part;
  }
  template <std::size_t I>
  [[nodiscard]] const auto& get() const {
    return slot<I>(*this).part;
  }

  /// False if the two queries may select a common tuple of any table.
  [[nodiscard]] bool disjoint(const QueryPerTable& other) const {
    return indexed([&](auto... i) { return (get<i()>().disjoint(other.get<i()>()) && ...); });
  }
  /// The hulls of all parts. A part without hull selects every tuple.
  [[nodiscard]] QueryPerTable hull(const QueryPerTable& other) const
    requires((HasHull<Parts> || ...) && ((HasHull<Parts> || HasEverywhere<Parts>)&&...))
  {
    const auto joined = []<class Part>(const Part& a, const Part& b) {
      if constexpr (HasHull<Part>) {
        return a.hull(b);
      } else {
        return Part::everywhere();
      }
    };
    return indexed(
        [&](auto... i) { return QueryPerTable(joined(get<i()>(), other.get<i()>())...); });
  }
  [[nodiscard]] static QueryPerTable everywhere()
    requires(HasEverywhere<Parts> && ...)
  {
    return QueryPerTable(Parts::everywhere()...);
  }

  friend bool operator==(const QueryPerTable&, const QueryPerTable&) = default;

 private:
  template <std::size_t I, class Part>
  static QuerySlot<I, Part>& slot(QuerySlot<I, Part>& of) {
    return of;
  }
  template <std::size_t I, class Part>
  static const QuerySlot<I, Part>& slot(const QuerySlot<I, Part>& of) {
    return of;
  }
  template <class Visit>
  static auto indexed(Visit&& visit) {
    return visit_indices(std::index_sequence_for<Parts...>(), visit);
  }
};

/// A state that takes over the tuples of another one: threads then step into separate states.
template <class State>
concept TakesTuples = requires(State& state) { state.take(state); };
/// A state whose unset tuples can be marked, so that reads of them are found.
template <class State>
concept Poisonable = requires(State& state) { state.poison(); };
template <class Selection>
concept Sliceable = requires(const Selection& all, Selection& some) { all.slice(0, 1, some); };

/// A state of several tables, each of any type that satisfies the engine's requirements on a state: Table, Field, or the
/// user's. VertexState is possible if the program packs its queries (PacksParts). STEP reads and writes table I as
/// `state.get<I>()`, and steps the tuples of `to_step.get<I>()`. One version of one process; as safe for threads as
/// its tables.
template <class... States>
  requires(sizeof...(States) > 0)
class Tables {
 public:
  using Query = QueryPerTable<typename States::Query...>;

  /// The selections of all tables.
  class Selection {
   public:
    template <std::size_t I>
    [[nodiscard]] const auto& get() const {
      return std::get<I>(parts_);
    }
    [[nodiscard]] std::size_t size() const {
      return std::apply([](const auto&... part) { return (part.size() + ... + 0); }, parts_);
    }
    [[nodiscard]] bool empty() const {
      return std::apply([](const auto&... part) { return (part.empty() && ...); }, parts_);
    }
    /// The `number`-th of `of` parts of each table's selection. Threads write to one result or to separate results, so
    /// either all tables can take over the tuples of others or none.
    void slice(std::size_t number, std::size_t of, Selection& found) const
      requires((Sliceable<typename States::Selection> && ...) &&
               ((TakesTuples<States> && ...) || (!TakesTuples<States> && ...)))
    {
      indexed([&](auto... i) { (get<i()>().slice(number, of, std::get<i()>(found.parts_)), ...); });
    }

   private:
    friend class Tables;
    std::tuple<typename States::Selection...> parts_;
  };

  template <std::size_t I>
  [[nodiscard]] auto& get() {
    return std::get<I>(tables_);
  }
  template <std::size_t I>
  [[nodiscard]] const auto& get() const {
    return std::get<I>(tables_);
  }
  [[nodiscard]] std::size_t size() const {
    return std::apply([](const auto&... table) { return (table.size() + ... + 0); }, tables_);
  }
  void take(const Tables& more)
    requires(TakesTuples<States> && ...)
  {
    indexed([&](auto... i) { (get<i()>().take(more.get<i()>()), ...); });
  }

  // The functions that the engine requires of a state.

  void reset(const Query& own, const Query& held) {
    indexed([&](auto... i) {
      (get<i()>().reset(own.template get<i()>(), held.template get<i()>()), ...);
    });
  }
  void select(const Query& inside, const std::optional<Query>& outside, Selection& found) const {
    indexed([&](auto... i) {
      (get<i()>().select(inside.template get<i()>(), part<i()>(outside),
                         std::get<i()>(found.parts_)),
       ...);
    });
  }
  void keep_private(const std::optional<Query>& inner) {
    indexed([&](auto... i) { (get<i()>().keep_private(part<i()>(inner)), ...); });
  }
  void select_border(Selection& found) const {
    indexed([&](auto... i) { (get<i()>().select_border(std::get<i()>(found.parts_)), ...); });
  }
  void mark_own() {
    std::apply([](auto&... table) { (table.mark_own(), ...); }, tables_);
  }
  void drop_others() {
    std::apply([](auto&... table) { (table.drop_others(), ...); }, tables_);
  }
  void encode(const Selection& border, const Query& requested, ByteWriter& out) const {
    indexed([&](auto... i) {
      (get<i()>().encode(border.template get<i()>(), requested.template get<i()>(), out), ...);
    });
  }
  void encode_own(ByteWriter& out) const {
    std::apply([&](const auto&... table) { (table.encode_own(out), ...); }, tables_);
  }
  /// Adds the tuples of `encode`; false for invalid bytes in any table.
  [[nodiscard]] bool decode(ByteReader& in) {
    return std::apply([&](auto&... table) { return (table.decode(in) && ...); }, tables_);
  }
  void arrange() {
    std::apply([](auto&... table) { (table.arrange(), ...); }, tables_);
  }
  void copy(const Query& query, Tables& other) const {
    indexed(
        [&](auto... i) { (get<i()>().copy(query.template get<i()>(), other.get<i()>()), ...); });
  }
  [[nodiscard]] std::optional<std::string> stray(const Selection& border, const Query& own,
                                                 std::span<const Query> others) const {
    return first_of([&](auto i) {
      return get<i()>().stray(border.template get<i()>(), own.template get<i()>(),
                              parts_of<i()>(others));
    });
  }
  [[nodiscard]] std::optional<std::string> misplaced(std::span<const Query> parts) const {
    return first_of([&](auto i) { return get<i()>().misplaced(parts_of<i()>(parts)); });
  }
  [[nodiscard]] static std::optional<std::string> difference(const Tables& a, const Tables& b) {
    return first_of([&](auto i) { return Component<i()>::difference(a.get<i()>(), b.get<i()>()); });
  }

  // Functions for checks, which a state may have.

  void poison()
    requires(Poisonable<States> || ...)
  {
    indexed([&](auto... i) {
      const auto each = [](auto& table) {
        if constexpr (Poisonable<std::remove_reference_t<decltype(table)>>) table.poison();
      };
      (each(get<i()>()), ...);
    });
  }
  [[nodiscard]] static std::optional<std::string> duplicate(const Tables& all) {
    return first_of([&](auto i) -> std::optional<std::string> {
      if constexpr (requires { Component<i()>::duplicate(all.get<i()>()); }) {
        return Component<i()>::duplicate(all.get<i()>());
      } else {
        return std::nullopt;
      }
    });
  }
  [[nodiscard]] bool shares(const Query& a, const Query& b) const {
    const auto in_table = [&](auto i) {
      const auto& first = a.template get<i()>();
      const auto& second = b.template get<i()>();
      if constexpr (requires { get<i()>().shares(first, second); }) {
        return get<i()>().shares(first, second);
      } else {
        return !first.disjoint(second);
      }
    };
    return indexed([&](auto... i) { return (in_table(i) || ...); });
  }

 private:
  template <std::size_t I>
  using Component = std::tuple_element_t<I, std::tuple<States...>>;

  template <class Visit>
  static auto indexed(Visit&& visit) {
    return visit_indices(std::index_sequence_for<States...>(), visit);
  }
  /// The part of a query for table I.
  template <std::size_t I>
  static auto part(const std::optional<Query>& query) {
    return query ? std::optional(query->template get<I>()) : std::nullopt;
  }
  template <std::size_t I>
  static auto parts_of(std::span<const Query> queries) {
    std::vector<typename Component<I>::Query> parts;
    parts.reserve(queries.size());
    for (const Query& query : queries) parts.push_back(query.template get<I>());
    return parts;
  }
  /// The name in error descriptions: the one the table gives, else its number.
  template <std::size_t I>
  static std::string name_of() {
    if constexpr (requires { Component<I>::name(); }) {
      return std::string(Component<I>::name());
    } else {
      return format("table {}", I);
    }
  }
  /// The first description that `describe(i)` returns of any table, after the table's name.
  template <class Describe>
  static std::optional<std::string> first_of(Describe&& describe) {
    std::optional<std::string> found;
    const auto visit = [&](auto i) {
      found = describe(i);
      if (found) found = format("{}: {}", name_of<i()>(), *found);
      return found.has_value();
    };
    (void)indexed([&](auto... i) { return (visit(i) || ...); });
    return found;
  }

  std::tuple<States...> tables_;
};

}  // namespace leeway::tick
