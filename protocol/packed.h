// A sequence of 64-bit numbers that lie close together (versions): the least of them, a width, and the
// differences in that many bits. Equal numbers cost nothing each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/bytes.h"

namespace leeway {

void encode_packed(std::span<const std::uint64_t> values, ByteWriter& out);

/// Replaces `values` by `count` decoded numbers; the reader fails on bytes that hold fewer.
void decode_packed(ByteReader& in, std::size_t count, std::vector<std::uint64_t>& values);

}  // namespace leeway
