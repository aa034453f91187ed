// Structs as bytes, for records that another process of the same build reads and for saved states: save_all, load_all. A
// struct lists its members once,
//
//   template <class Self>
//   static auto fields(Self& self) { return std::tie(self.begin, self.samples); }
//
// and is then written, checked when it is read, shifted in time and subtracted member by member. An enumeration with
// `last_of` is checked too, and so is a bool; any other number may have any value.
//
// Supported besides are numbers, the containers of the standard library, std::optional, std::pair, std::tuple,
// std::unique_ptr, trivially copyable types, and structs without a list of at most kMostMembers such members, if all are
// public and there are no base classes. Any other type needs two members:
//
//   void save(ByteWriter& out) const;
//   void load(ByteReader& in);       // what `save` wrote
//
// Pointers, references, views and functions are not supported, because what they refer to is not saved. (One inside a
// trivially copyable class with private members or a base class is not noticed.)
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"

namespace leeway {

/// A struct that lists its members.
template <class T>
concept Listed = requires(T& value) { std::remove_const_t<T>::fields(value); };

namespace archive {

inline constexpr std::size_t kMostMembers = 16;

template <class T>
concept SavesItself = requires(const T& value, T& target, ByteWriter& out, ByteReader& in) {
  value.save(out);
  target.load(in);
};

/// Converts to the type of any member; only for counting members.
struct AnyMember {
  template <class T>
    requires std::is_copy_constructible_v<T>
  operator T&() const& noexcept;
  template <class T>
    requires(!std::is_copy_constructible_v<T>)
  operator T&&() const&& noexcept;
};

template <std::size_t>
using MemberAt = AnyMember;

/// Converts to base classes of T only.
template <class T>
struct AnyBase {
  template <class B>
    requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>)
  operator B&() const& noexcept;
};
template <class T>
concept HasBase = requires { T{AnyBase<T>{}}; };

/// Whether T{any, any, ...} with these many initializers is valid.
template <class T, std::size_t... I>
consteval bool takes(std::index_sequence<I...> /*count*/) {
  return requires { T{MemberAt<I>{}...}; };
}
/// Whether it is with a nested list of `Inner` initializers at one place.
template <class T, std::size_t... Before, std::size_t... Inner, std::size_t... After>
consteval bool takes_nested(std::index_sequence<Before...> /*before*/,
                            std::index_sequence<Inner...> /*inner*/,
                            std::index_sequence<After...> /*after*/) {
  return requires { T{MemberAt<Before>{}..., {MemberAt<Inner>{}...}, MemberAt<After>{}...}; };
}

/// The largest number of initializers; an array member takes one for each element.
template <class T, std::size_t N = kMostMembers + 1>
consteval std::size_t count_initializers() {
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return count_initializers<T, N - 1>();
  }
}

/// The number of initializers that the member at `At` takes: 1, or the size of an array.
template <class T, std::size_t Total, std::size_t At, std::size_t Size>
consteval std::size_t initializers_at() {
  if constexpr (Size <= 1) {
    return 1;
  } else {
    using Before = std::make_index_sequence<At>;
    using Inner = std::make_index_sequence<Size>;
    constexpr std::size_t kAfter = Total - At - Size;
    if constexpr (takes_nested<T>(Before(), Inner(), std::make_index_sequence<kAfter>()) &&
                  !takes_nested<T>(Before(), Inner(), std::make_index_sequence<kAfter + 1>())) {
      return Size;
    } else {
      return initializers_at<T, Total, At, Size - 1>();
    }
  }
}

template <class T, std::size_t Total, std::size_t At = 0>
consteval std::size_t count_from() {
  if constexpr (At >= Total) {
    return 0;
  } else {
    return 1 + count_from<T, Total, At + initializers_at<T, Total, At, Total - At>()>();
  }
}

template <class T>
consteval std::size_t member_count() {
  return count_from<T, count_initializers<T>()>();
}

/// The members of an aggregate, as references.
template <class T>
auto members_of(T& value) {
  constexpr std::size_t kCount = member_count<std::remove_const_t<T>>();
  if constexpr (kCount == 1) {
    auto& [a] = value;
    return std::tie(a);
  }
  if constexpr (kCount == 2) {
    auto& [a, b] = value;
    return std::tie(a, b);
  }
  if constexpr (kCount == 3) {
    auto& [a, b, c] = value;
    return std::tie(a, b, c);
  }
  if constexpr (kCount == 4) {
    auto& [a, b, c, d] = value;
    return std::tie(a, b, c, d);
  }
  if constexpr (kCount == 5) {
    auto& [a, b, c, d, e] = value;
    return std::tie(a, b, c, d, e);
  }
  if constexpr (kCount == 6) {
    auto& [a, b, c, d, e, f] = value;
    return std::tie(a, b, c, d, e, f);
  }
  if constexpr (kCount == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return std::tie(a, b, c, d, e, f, g);
  }
  if constexpr (kCount == 8) {
    auto& [a, b, c, d, e, f, g, h] = value;
    return std::tie(a, b, c, d, e, f, g, h);
  }
  if constexpr (kCount == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = value;
    return std::tie(a, b, c, d, e, f, g, h, i);
  }
  if constexpr (kCount == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  }
  if constexpr (kCount == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  }
  if constexpr (kCount == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  }
  if constexpr (kCount == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  if constexpr (kCount == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  }
  if constexpr (kCount == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  }
  if constexpr (kCount == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

template <class T>
concept View = std::ranges::view<T>;
template <class T>
concept Optional = requires(T& value) {
  value.has_value();
  value.emplace();
};
template <class T>
concept Growing = std::ranges::sized_range<T> && requires(T& value) { value.clear(); };
/// std::array and C arrays.
template <class T>
concept FixedRange = std::ranges::sized_range<T> && !Growing<T>;
template <class T>
concept TupleLike = !std::ranges::range<T> && requires { std::tuple_size<T>::value; };
/// std::stack, std::queue and std::priority_queue.
template <class T>
concept Adaptor = !std::ranges::range<T> && requires(T& value) {
  typename T::container_type;
  value.pop();
};

/// Every enumerator up to last_of(T{}) is valid.
template <class T>
concept CheckedEnum = std::is_enum_v<T> && requires(T value) { last_of(value); };

template <class T>
inline constexpr bool kOwner = false;
template <class T>
inline constexpr bool kOwner<std::unique_ptr<T>> = true;
template <class T>
inline constexpr bool kReference = std::is_pointer_v<T> || std::is_reference_v<T> ||
                                   std::is_member_pointer_v<T> || std::is_null_pointer_v<T>;
template <class T>
inline constexpr bool kReference<std::reference_wrapper<T>> = true;

/// A map's element without the const of its key.
template <class T>
struct Element {
  using Type = std::remove_cv_t<T>;
};
template <class K, class V>
struct Element<std::pair<const K, V>> {
  using Type = std::pair<K, V>;
};
template <class T>
using ElementOf = typename Element<std::ranges::range_value_t<T>>::Type;

/// Whether T can be saved; with `raw`, in memory representation, without a check when it is read. `Outer`: the types that contain it.
template <class T, bool raw, class... Outer>
consteval bool fits();

template <class Tuple, bool raw, class... Outer>
inline constexpr bool kAllFit = false;
template <bool raw, class... T, class... Outer>
inline constexpr bool kAllFit<std::tuple<T...>, raw, Outer...> =
    (fits<std::remove_cvref_t<T>, raw, Outer...>() && ...);
template <bool raw, class A, class B, class... Outer>
inline constexpr bool kAllFit<std::pair<A, B>, raw, Outer...> =
    fits<A, raw, Outer...>() && fits<B, raw, Outer...>();

template <class T, bool raw, class... Outer>
consteval bool aggregate_fits() {
  constexpr std::size_t kCount = member_count<T>();
  if constexpr (kCount == 0) {
    return std::is_empty_v<T>;
  } else if constexpr (kCount > kMostMembers) {
    return false;
  } else {
    return kAllFit<decltype(members_of(std::declval<T&>())), raw, Outer..., T>;
  }
}

template <class T, bool raw, class... Outer>
consteval bool fits() {
  if constexpr ((std::is_same_v<T, Outer> || ...)) {
    return true;  // a tree: decided by the outer one
  } else if constexpr (raw && !std::is_trivially_copyable_v<T>) {
    return false;
  } else if constexpr (Listed<T>) {
    return !raw && kAllFit<decltype(T::fields(std::declval<T&>())), false, Outer..., T>;
  } else if constexpr (SavesItself<T>) {
    return !raw;
  } else if constexpr (kReference<T> || View<T>) {
    return false;
  } else if constexpr (std::is_same_v<T, bool> || CheckedEnum<T>) {
    return !raw;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return true;
  } else if constexpr (kOwner<T>) {
    using Held = typename T::element_type;
    return std::is_default_constructible_v<Held> && fits<Held, raw, Outer..., T>();
  } else if constexpr (Optional<T>) {
    return fits<typename T::value_type, raw, Outer..., T>();
  } else if constexpr (Growing<T> || FixedRange<T>) {
    return fits<ElementOf<T>, raw, Outer..., T>();
  } else if constexpr (TupleLike<T>) {
    return !raw && kAllFit<T, false, Outer..., T>;
  } else if constexpr (Adaptor<T>) {
    return fits<typename T::container_type, raw, Outer..., T>();
  } else if constexpr (std::is_aggregate_v<T> && !HasBase<T>) {
    return aggregate_fits<T, raw, Outer...>();
  } else {
    return std::is_trivially_copyable_v<T>;
  }
}

/// Gives access to the container of an adaptor.
template <class T>
struct Opened : T {
  static auto& container(T& value) { return value.*(&Opened::c); }
  static const auto& container(const T& value) { return value.*(&Opened::c); }
};

}  // namespace archive

template <class T>
inline constexpr bool kCanSave = archive::fits<T, false>();

namespace archive {

template <class T>
void save_value(ByteWriter& out, const T& value);
template <class T>
void load_value(ByteReader& in, T& value);

template <class T>
inline constexpr bool kRaw = fits<T, true>();
/// A range in one piece of memory, of elements that are copied as they are.
template <class T>
concept RawRange = std::ranges::contiguous_range<T> && kRaw<ElementOf<T>>;

template <class T>
void save_range(const T& range, ByteWriter& out) {
  if constexpr (RawRange<T>) {
    out.raw(std::as_bytes(std::span(std::ranges::data(range), std::ranges::size(range))));
  } else {
    for (const auto& each : range) save_value(out, static_cast<const ElementOf<T>&>(each));
  }
}

template <class T>
void load_raw(ByteReader& in, std::span<T> values) {
  const auto bytes = in.raw(values.size_bytes());
  if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
}

template <class T>
void load_growing(ByteReader& in, T& range) {
  range.clear();
  const std::uint64_t count = in.varint_up_to(in.left());
  if constexpr (RawRange<T>) {
    if (count > in.left() / sizeof(ElementOf<T>)) return in.fail();
    range.resize(count);
    load_raw(in, std::span(range));
  } else {
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
      ElementOf<T> each{};
      load_value(in, each);
      range.insert(range.end(), std::move(each));
    }
  }
}

template <class T>
void save_value(ByteWriter& out, const T& value) {
  static_assert(kCanSave<T>, "give the type save(ByteWriter&) const and load(ByteReader&)");
  if constexpr (kRaw<T>) {
    out.raw(std::as_bytes(std::span(&value, 1)));
  } else if constexpr (Listed<T>) {
    std::apply([&](const auto&... each) { (save_value(out, each), ...); }, T::fields(value));
  } else if constexpr (SavesItself<T>) {
    value.save(out);
  } else if constexpr (std::is_same_v<T, bool>) {
    out.byte(value ? 1 : 0);
  } else if constexpr (CheckedEnum<T>) {
    out.varint(static_cast<std::uint64_t>(value));
  } else if constexpr (kOwner<T> || Optional<T>) {
    out.byte(value ? 1 : 0);
    if (value) save_value(out, *value);
  } else if constexpr (Growing<T>) {
    out.varint(value.size());
    save_range(value, out);
  } else if constexpr (FixedRange<T>) {
    save_range(value, out);
  } else if constexpr (TupleLike<T>) {
    std::apply([&](const auto&... each) { (save_value(out, each), ...); }, value);
  } else if constexpr (Adaptor<T>) {
    save_value(out, Opened<T>::container(value));
  } else {
    std::apply([&](const auto&... each) { (save_value(out, each), ...); }, members_of(value));
  }
}

/// Whether what follows is there. Fails for a byte that is neither 0 nor 1.
inline bool load_flag(ByteReader& in) { return in.varint_up_to(1) == 1; }

template <class T>
void load_value(ByteReader& in, T& value) {
  static_assert(kCanSave<T>, "give the type save(ByteWriter&) const and load(ByteReader&)");
  if constexpr (kRaw<T>) {
    load_raw(in, std::span(&value, 1));
  } else if constexpr (Listed<T>) {
    std::apply([&](auto&... each) { (load_value(in, each), ...); }, T::fields(value));
  } else if constexpr (SavesItself<T>) {
    value.load(in);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = load_flag(in);
  } else if constexpr (CheckedEnum<T>) {
    value = static_cast<T>(in.varint_up_to(static_cast<std::uint64_t>(last_of(T{}))));
  } else if constexpr (kOwner<T>) {
    value.reset();
    if (!load_flag(in)) return;
    value = std::make_unique<typename T::element_type>();
    load_value(in, *value);
  } else if constexpr (Optional<T>) {
    value.reset();
    if (load_flag(in)) load_value(in, value.emplace());
  } else if constexpr (Growing<T>) {
    load_growing(in, value);
  } else if constexpr (FixedRange<T>) {
    for (auto& each : value) load_value(in, each);
  } else if constexpr (TupleLike<T>) {
    std::apply([&](auto&... each) { (load_value(in, each), ...); }, value);
  } else if constexpr (Adaptor<T>) {
    load_value(in, Opened<T>::container(value));
  } else {
    std::apply([&](auto&... each) { (load_value(in, each), ...); }, members_of(value));
  }
}

/// Calls `use` for each number of both, at any depth of listed structs and arrays.
template <class T, class Use>
void for_each_pair(T& a, const T& b, const Use& use) {
  if constexpr (Listed<T>) {
    const auto members = T::fields(a);
    const auto others = T::fields(b);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (for_each_pair(std::get<I>(members), std::get<I>(others), use), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
  } else if constexpr (FixedRange<T>) {
    auto other = std::ranges::begin(b);
    for (auto& each : a) for_each_pair(each, *other++, use);
  } else {
    use(a, b);
  }
}

}  // namespace archive

template <class... T>
void save_all(ByteWriter& out, const T&... values) {
  (archive::save_value(out, values), ...);
}
/// The reader fails for bytes that save_all cannot have written for values of these types.
template <class... T>
void load_all(ByteReader& in, T&... values) {
  (archive::load_value(in, values), ...);
}

template <class T>
[[nodiscard]] std::vector<std::byte> archived(const T& value) {
  ByteWriter out;
  save_all(out, value);
  return out.take();
}
/// False unless the bytes are exactly one valid value.
template <class T>
[[nodiscard]] bool load_archived(std::span<const std::byte> bytes, T& value) {
  ByteReader in(bytes);
  load_all(in, value);
  return !in.failed() && in.at_end();
}

/// Subtracts `earlier` from all instants of the record, at any depth of listed structs and containers.
template <class T>
void shift_times(T& record, Duration earlier) {
  if constexpr (std::is_same_v<T, Instant>) {
    record -= earlier;
  } else if constexpr (Listed<T>) {
    std::apply([&](auto&... each) { (shift_times(each, earlier), ...); }, T::fields(record));
  } else if constexpr (archive::Optional<T>) {
    if (record) shift_times(*record, earlier);
  } else if constexpr (std::ranges::range<T>) {
    for (auto& each : record) shift_times(each, earlier);
  }
}

/// The differences of all numbers of two records, which list their members.
template <Listed T>
[[nodiscard]] T difference(T now, const T& before) {
  archive::for_each_pair(now, before, [](auto& a, const auto& b) { a -= b; });
  return now;
}

}  // namespace leeway
