// PART's queries on their way from node 0 to the others. Queries go as their bytes, unless they mean something
// in one process alone: then the program packs them its own way, and unpacks them wherever they arrive.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/runtime/tick/program.h"

namespace leeway::tick {

/// A program whose queries need care: `pack` writes what `unpack` makes the same queries of, on any node.
template <class P>
concept PacksParts = requires(const P& program, std::span<const typename P::Query> parts,
                              ByteWriter& out, ByteReader& in) {
  { program.pack(parts, out) } -> std::same_as<void>;
  { program.unpack(in) } -> std::same_as<Result<std::vector<typename P::Query>>>;
};

template <TickProgram Program>
void write_parts(const Program& program, std::span<const typename Program::Query> parts,
                 ByteWriter& out) {
  if constexpr (PacksParts<Program>) {
    program.pack(parts, out);
  } else {
    out.raw(std::as_bytes(parts));
  }
}

/// Reads what `write_parts` wrote of `count` queries; the reader has failed if it is nothing of the kind.
template <TickProgram Program>
[[nodiscard]] Result<std::vector<typename Program::Query>> read_parts(const Program& program,
                                                                      std::size_t count,
                                                                      ByteReader& in) {
  std::vector<typename Program::Query> parts;
  if constexpr (PacksParts<Program>) {
    LEEWAY_ASSIGN(parts, program.unpack(in));
  } else {
    parts.resize(count);
    const auto queries = in.raw(count * sizeof(typename Program::Query));
    if (!in.failed()) std::memcpy(parts.data(), queries.data(), queries.size());
  }
  if (parts.size() != count) in.fail();
  return parts;
}

}  // namespace leeway::tick
