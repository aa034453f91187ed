// What the campaign stores: bytes that say by themselves which store of which object they come from. The first
// two carry the number of the store; the others are check bytes that depend on it, on the object and on its
// writer, so that a value torn in two, of another object, or of nobody is seen for what it is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/message.h"

namespace leeway::campaign {

/// Stores of one object that its values can tell apart.
[[nodiscard]] std::uint32_t most_stores(std::uint32_t value_bytes);

/// The value of store `number`, from 1; `object` mixes what names the object and its writer.
[[nodiscard]] std::vector<std::byte> stamp(std::uint32_t value_bytes, std::uint64_t object,
                                           std::uint32_t number);

/// The number of the store that these bytes come from, 0 for the value that every object begins with; nothing
/// for bytes that no store of the object wrote.
[[nodiscard]] std::optional<std::uint32_t> read_stamp(std::uint64_t object, ValueView value);

}  // namespace leeway::campaign
