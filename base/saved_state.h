// The state of an object as bytes, for checkpoints: save_state and load_state, for every type that owns its data.
//
// Supported are numbers and enumerations, the containers of the standard library, std::optional, std::pair, std::tuple,
// std::unique_ptr, trivially copyable types, and structs of such members, without base classes, if all members are public
// and there are at most kMostMembers. Any other type needs two members:
//
//   void save(ByteWriter& out) const;
//   void load(ByteReader& in);       // what `save` wrote
//
// Pointers, references, views and functions are not supported, because what they refer to is not saved. (One inside a
// trivially copyable class with private members or a base class is not noticed.) The bytes can be read by the same build only.
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

namespace leeway {

namespace saved {

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

/// Whether T can be saved; with `raw`, in memory representation. `Outer`: the types that contain it.
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
  } else if constexpr (SavesItself<T>) {
    return !raw;
  } else if constexpr (kReference<T> || View<T>) {
    return false;
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

}  // namespace saved

template <class T>
inline constexpr bool kCanSave = saved::fits<T, false>();

template <class T>
void save_state(const T& value, ByteWriter& out);
template <class T>
void load_state(ByteReader& in, T& value);

namespace saved {

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
    for (const auto& each : range) save_state(static_cast<const ElementOf<T>&>(each), out);
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
      load_state(in, each);
      range.insert(range.end(), std::move(each));
    }
  }
}

}  // namespace saved

template <class T>
void save_state(const T& value, ByteWriter& out) {
  using namespace saved;
  static_assert(kCanSave<T>, "give the type save(ByteWriter&) const and load(ByteReader&)");
  if constexpr (kRaw<T>) {
    out.raw(std::as_bytes(std::span(&value, 1)));
  } else if constexpr (SavesItself<T>) {
    value.save(out);
  } else if constexpr (kOwner<T> || Optional<T>) {
    out.byte(value ? 1 : 0);
    if (value) save_state(*value, out);
  } else if constexpr (Growing<T>) {
    out.varint(value.size());
    save_range(value, out);
  } else if constexpr (FixedRange<T>) {
    save_range(value, out);
  } else if constexpr (TupleLike<T>) {
    std::apply([&](const auto&... each) { (save_state(each, out), ...); }, value);
  } else if constexpr (Adaptor<T>) {
    save_state(Opened<T>::container(value), out);
  } else {
    std::apply([&](const auto&... each) { (save_state(each, out), ...); }, members_of(value));
  }
}

/// The reader fails if the bytes end too early.
template <class T>
void load_state(ByteReader& in, T& value) {
  using namespace saved;
  static_assert(kCanSave<T>, "give the type save(ByteWriter&) const and load(ByteReader&)");
  if constexpr (kRaw<T>) {
    load_raw(in, std::span(&value, 1));
  } else if constexpr (SavesItself<T>) {
    value.load(in);
  } else if constexpr (kOwner<T>) {
    value.reset();
    if (in.byte() == 0) return;
    value = std::make_unique<typename T::element_type>();
    load_state(in, *value);
  } else if constexpr (Optional<T>) {
    value.reset();
    if (in.byte() != 0) load_state(in, value.emplace());
  } else if constexpr (Growing<T>) {
    load_growing(in, value);
  } else if constexpr (FixedRange<T>) {
    for (auto& each : value) load_state(in, each);
  } else if constexpr (TupleLike<T>) {
    std::apply([&](auto&... each) { (load_state(in, each), ...); }, value);
  } else if constexpr (Adaptor<T>) {
    load_state(in, Opened<T>::container(value));
  } else {
    std::apply([&](auto&... each) { (load_state(in, each), ...); }, members_of(value));
  }
}

template <class... T>
void save_all(ByteWriter& out, const T&... values) {
  (save_state(values, out), ...);
}
template <class... T>
void load_all(ByteReader& in, T&... values) {
  (load_state(in, values), ...);
}

}  // namespace leeway
