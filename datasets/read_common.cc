#include "leeway/base/format.h"
#include "leeway/datasets/readers.h"
#include "leeway/datasets/vertex_numbering.h"

namespace leeway {

namespace {

constexpr std::uint64_t kAlwaysPlausible = std::uint64_t{1} << 22;  // 32 MiB of offsets
constexpr std::uint64_t kVerticesPerByte = 64;

}  // namespace

Status check_vertex_count(std::uint64_t count, std::uint64_t bytes, const std::string& where) {
  if (count > kMostVertices) {
    return fail(input_error(
        where, format("{} vertices are more than a graph may have ({})", count, kMostVertices),
        "check the header"));
  }
  if (count > kAlwaysPlausible && count / kVerticesPerByte > bytes) {
    return fail(input_error(
        where, format("the header speaks of {} vertices in a file of {} bytes", count, bytes),
        "check the header, or whether the file is complete"));
  }
  return {};
}

Error count_mismatch(const std::string& where, std::string_view of_what, std::uint64_t said,
                     std::uint64_t found) {
  return input_error(where, format("the header says {} {}, the file has {}", said, of_what, found),
                     "correct the header, or check whether the file is complete");
}

}  // namespace leeway
