// Records as bytes, for another process of the same build. A struct names its fields once,
//
//   template <class Self>
//   static auto fields(Self& self) { return std::tie(self.begin, self.samples); }
//
// and is written, read and moved in time by that: field by field, lists after their length. Integers are varints; an
// enumeration needs `last_of`, so that no enumerator is read that there is not. Whatever else is trivially copyable goes
// as it lies in memory, and must be good whatever its bytes are. A struct of which there may be very many may go so, too:
// it says `kLiesFlat`, and its fields are the enumerators, to be checked, and the instants.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/base/clock.h"

namespace leeway {

template <class T>
concept HasFields = requires(T& value) { T::fields(value); };
template <class T>
concept LiesFlat = std::is_trivially_copyable_v<T> && (requires {
                     T::kLiesFlat;
                   } || !(HasFields<T> || std::is_integral_v<T> || std::is_enum_v<T> ||
                          std::is_pointer_v<T> || requires(const T& maybe) { maybe.has_value(); }));

/// Calls `use` with everything in `value` that has no parts, at any depth.
template <class T, class Use>
void for_each_leaf(T& value, const Use& use) {
  if constexpr (HasFields<std::remove_const_t<T>>) {
    std::apply([&](auto&... each) { (for_each_leaf(each, use), ...); },
               std::remove_const_t<T>::fields(value));
  } else if constexpr (requires { value.has_value(); }) {
    if (value) for_each_leaf(*value, use);
  } else if constexpr (requires { value.begin(); }) {
    for (auto& each : value) for_each_leaf(each, use);
  } else {
    use(value);
  }
}

/// Puts all its instants so much earlier.
template <HasFields T>
void shift_times(T& record, Duration earlier) {
  for_each_leaf(record, [&](auto& leaf) {
    if constexpr (std::is_same_v<decltype(leaf), Instant&>) leaf -= earlier;
  });
}

template <class T>
void write_fields(ByteWriter& out, const T& value) {
  if constexpr (LiesFlat<T>) {
    out.raw(std::as_bytes(std::span(&value, 1)));
  } else if constexpr (HasFields<T>) {
    std::apply([&](const auto&... each) { (write_fields(out, each), ...); }, T::fields(value));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    out.varint(static_cast<std::uint64_t>(value));
  } else if constexpr (requires { value.has_value(); }) {
    write_fields(out, value.has_value());
    if (value) write_fields(out, *value);
  } else {
    out.varint(value.size());
    for (const auto& each : value) write_fields(out, each);
  }
}

template <class T>
void read_flat(ByteReader& in, T& value) {
  const auto bytes = in.raw(sizeof value);
  if (!bytes.empty()) std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  for_each_leaf(value, [&](const auto& leaf) {
    using Leaf = std::remove_cvref_t<decltype(leaf)>;
    if constexpr (std::is_enum_v<Leaf>) {
      if (leaf > last_of(Leaf{})) in.fail();
    }
  });
}

/// The reader has failed if the bytes are no such value.
template <class T>
void read_fields(ByteReader& in, T& value) {
  if constexpr (LiesFlat<T>) {
    read_flat(in, value);
  } else if constexpr (HasFields<T>) {
    std::apply([&](auto&... each) { (read_fields(in, each), ...); }, T::fields(value));
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(in.varint_up_to(static_cast<std::uint64_t>(last_of(T{}))));
  } else if constexpr (std::is_signed_v<T>) {
    static_assert(sizeof value == sizeof(std::int64_t));
    value = static_cast<T>(in.varint());
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(in.varint_up_to(std::numeric_limits<T>::max()));
  } else if constexpr (requires { value.has_value(); }) {
    bool there = false;
    read_fields(in, there);
    if (there) read_fields(in, value.emplace());
  } else {
    value.clear();
    // No faster than its bytes come: a length alone takes no memory.
    for (std::uint64_t left = in.varint_up_to(in.left()); left > 0 && !in.failed(); --left)
      read_fields(in, value.emplace_back());
  }
}

template <HasFields T>
[[nodiscard]] std::vector<std::byte> record_bytes(const T& record) {
  ByteWriter out;
  write_fields(out, record);
  return out.take();
}

/// False if the bytes are no such record from the first to the last.
template <HasFields T>
[[nodiscard]] bool read_record(std::span<const std::byte> bytes, T& record) {
  ByteReader in(bytes);
  read_fields(in, record);
  return !in.failed() && in.at_end();
}

}  // namespace leeway
