// What several processes that each open a range of one .lwg file ask of it beside their arcs.
#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "leeway/datasets/binary.h"
#include "leeway/datasets/binary_file.h"

namespace leeway {

namespace {

using binary_format::Section;
using File = std::shared_ptr<const BinaryFile>;

Result<VertexNames> text_names(const BinaryFile& file, std::uint32_t first, std::uint32_t last) {
  const auto offsets = file.values<std::uint64_t>(Section::NameNumbers);
  const std::uint64_t begin = offsets[first];
  const std::uint64_t end = offsets[last];
  LEEWAY_TRY(file.check<char>(Section::NameText, begin, end, 1));
  const std::uint32_t count = last - first;
  LEEWAY_ASSIGN(auto own, Array<std::uint64_t>::make(count + std::size_t{1}));
  for (std::size_t i = 0; i < own.size(); ++i) own.mutable_span()[i] = offsets[first + i] - begin;
  LEEWAY_ASSIGN(auto text, Array<char>::copy_of(
                               file.values<char>(Section::NameText).subspan(begin, end - begin)));
  LEEWAY_ASSIGN(auto sorted, Array<VertexId>::make(count));
  const auto order = sorted.mutable_span();
  for (std::uint32_t i = 0; i < count; ++i) order[i] = VertexId(i);
  const auto name = [&](VertexId v) {
    return std::string_view(text.data() + own[v.index()], own[v.index() + 1] - own[v.index()]);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return name(a) < name(b); });
  return VertexNames::strings(std::move(own), std::move(text), std::move(sorted));
}

}  // namespace

Result<VertexNames> open_binary_names(const std::string& path, std::uint32_t first,
                                      std::uint32_t last) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  const auto kind = static_cast<NameKind>(header.name_kind);
  if (kind == NameKind::Sequence)
    return VertexNames::sequence(header.first_name + first, last - first);
  const std::uint64_t behind = kind == NameKind::Strings ? 1 : 0;
  LEEWAY_TRY(file->check<std::uint64_t>(Section::NameNumbers, first, last + behind, 1));
  if (kind == NameKind::Strings) return text_names(*file, first, last);
  const auto numbers =
      file->values<std::uint64_t>(Section::NameNumbers).subspan(first, last - first);
  if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) != numbers.end())
    return fail(file->damaged("vertex names do not ascend"));
  return VertexNames::numbers(file->view<std::uint64_t>(Section::NameNumbers, first, last - first));
}

Result<BinarySummary> summarize_binary(const std::string& path) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  BinarySummary summary;
  summary.vertices = static_cast<std::uint32_t>(header.vertex_count);
  summary.arcs = header.arc_count;
  summary.directed = (header.flags & binary_format::kDirected) != 0;
  summary.partitioned = (header.flags & binary_format::kPartitioned) != 0;
  summary.weight_kind = static_cast<WeightKind>(header.weight_kind);
  summary.name_kind = static_cast<NameKind>(header.name_kind);
  summary.left_count = header.left_count;
  summary.first_name = header.first_name;
  summary.mark = header.checksums_checksum ^ header.arc_count;
  return summary;
}

Result<std::vector<std::uint64_t>> divide_binary(const std::string& path, std::uint32_t parts,
                                                 bool arcs) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto offsets = file->values<std::uint64_t>(Section::Offsets);
  const std::uint64_t count = file->header().vertex_count;
  const auto before = [&](std::uint64_t vertex) { return vertex + (arcs ? offsets[vertex] : 0); };
  std::vector<std::uint64_t> firsts(parts + std::size_t{1}, 0);
  firsts.back() = count;
  for (std::uint32_t part = 1; part < parts && count > 0; ++part) {
    const std::uint64_t wanted =
        before(count) / parts * part + before(count) % parts * part / parts;
    std::uint64_t low = firsts[part - std::size_t{1}];
    std::uint64_t high = count;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (before(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    firsts[part] = low;
  }
  return firsts;
}

}  // namespace leeway
