// The values that the campaign stores: each identifies its object and its store. The first two
// bytes contain the number of the store. The others are check bytes that depend on the number, the
// object and its writer, so that a torn value, a value of another object and garbage are detected.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/message.h"

namespace leeway::campaign {

/// Number of stores of one object that values of this size can distinguish.
[[nodiscard]] std::uint32_t most_stores(std::uint32_t value_bytes);

/// The value of store `number`, counted from 1; `object` is a hash of the object and its writer.
[[nodiscard]] std::vector<std::byte> stamp(std::uint32_t value_bytes, std::uint64_t object,
                                           std::uint32_t number);

/// The number of the store that wrote these bytes; 0 for the initial value of an object; nothing
/// for bytes that no store of the object wrote.
[[nodiscard]] std::optional<std::uint32_t> read_stamp(std::uint64_t object, ValueView value);

}  // namespace leeway::campaign
