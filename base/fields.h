// Records as bytes, for another process of the same build. A struct lists its fields once,
//
//   template <class Self>
//   static auto fields(Self& self) { return std::tie(self.begin, self.samples); }
//
// and is written, read and shifted in time field by field; lists follow their length. Integers are varints. An enumeration
// needs `last_of`, so that a reader can refuse invalid enumerators. Other trivially copyable types are copied in memory
// representation, so every bit pattern must be a valid value. A struct that occurs often can be copied like this too, if it
// defines `kCopiedRaw`; its `fields` then lists only its enumerators, to be checked, and its instants. Strings are not
// supported.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"

namespace leeway {

template <class T>
concept HasFields = requires(T& value) { T::fields(value); };
template <class T>
concept CopiedRaw =
    std::is_trivially_copyable_v<T> && (requires {
      T::kCopiedRaw;
    } || !(HasFields<T> || std::is_integral_v<T> || std::is_enum_v<T> || std::is_pointer_v<T> ||
           requires(const T& maybe) { maybe.has_value(); }));

/// Calls `use` for every scalar in `value`, at any depth.
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

/// Subtracts `earlier` from all instants of the record.
template <HasFields T>
void shift_times(T& record, Duration earlier) {
  for_each_leaf(record, [&](auto& leaf) {
    if constexpr (std::is_same_v<decltype(leaf), Instant&>) leaf -= earlier;
  });
}

template <class T>
void write_fields(ByteWriter& out, const T& value) {
  if constexpr (CopiedRaw<T>) {
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
void read_raw(ByteReader& in, T& value) {
  const auto bytes = in.raw(sizeof value);
  if (!bytes.empty()) std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  for_each_leaf(value, [&](const auto& leaf) {
    using Leaf = std::remove_cvref_t<decltype(leaf)>;
    if constexpr (std::is_enum_v<Leaf>) {
      if (leaf > last_of(Leaf{})) in.fail();
    }
  });
}

/// Sets `failed` of the reader if the bytes are not a valid value.
template <class T>
void read_fields(ByteReader& in, T& value) {
  if constexpr (CopiedRaw<T>) {
    read_raw(in, value);
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
    // Grows with the bytes read, so a corrupt length alone cannot allocate memory.
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

/// False unless the bytes are exactly one valid record.
template <HasFields T>
[[nodiscard]] bool read_record(std::span<const std::byte> bytes, T& record) {
  ByteReader in(bytes);
  read_fields(in, record);
  return !in.failed() && in.at_end();
}

}  // namespace leeway
