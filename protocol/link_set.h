// A set of link indices on the wire, written in whichever of three forms is smallest: runs, a bitmap,
// or varint gaps. A sweep that touches everything is one run; a scattered one per cent costs about a
// byte an object.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/protocol/ids.h"

namespace leeway {

/// Sorts ascending; equal neighbours stay. `universe` is one more than the largest possible index.
void sort_links(std::vector<LinkIndex>& links, std::size_t universe);

/// Requires `links` strictly ascending (checked).
void encode_links(std::span<const LinkIndex> links, ByteWriter& out);

/// Appends the set to `links`, ascending. Every index is below `universe` and there are at most
/// `universe` of them, or the reader fails and `links` is left as it was.
void decode_links(ByteReader& in, std::size_t universe, std::vector<LinkIndex>& links);

}  // namespace leeway
