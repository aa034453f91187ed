// Opening .lwg files: whole, by range of vertices, by part.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/parallel.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/binary_file.h"

namespace leeway {

namespace {

using binary_format::Section;
using File = std::shared_ptr<const BinaryFile>;

/// What ascending order alone does not say: where the first and the last offset stand.
template <class Value>
bool spans(std::span<const Value> offsets, std::uint64_t end) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == end;
}

/// Every vertex once, in strictly ascending byte order of names.
bool names_in_order(const BinaryFile& file) {
  const auto offsets = file.values<std::uint64_t>(Section::NameNumbers);
  const auto text = file.values<char>(Section::NameText);
  std::string_view before;
  bool first = true;
  for (const std::uint32_t vertex : file.values<std::uint32_t>(Section::NameOrder)) {
    const std::string_view name(text.data() + offsets[vertex],
                                offsets[vertex + std::size_t{1}] - offsets[vertex]);
    if (!first && before >= name) return false;
    before = name;
    first = false;
  }
  return true;
}

Result<VertexNames> open_names(const File& file, unsigned threads) {
  const auto& header = file->header();
  const auto count = static_cast<std::uint32_t>(header.vertex_count);
  const auto kind = static_cast<NameKind>(header.name_kind);
  if (kind == NameKind::Sequence) return VertexNames::sequence(header.first_name, count);
  LEEWAY_TRY(file->check(Section::NameNumbers, threads));
  const auto numbers = file->values<std::uint64_t>(Section::NameNumbers);
  if (kind == NameKind::Numbers) {
    if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) !=
        numbers.end()) {
      return fail(file->damaged("vertex names do not ascend"));
    }
    return VertexNames::numbers(file->view<std::uint64_t>(Section::NameNumbers));
  }
  LEEWAY_TRY(file->check(Section::NameText, threads));
  LEEWAY_TRY(file->check(Section::NameOrder, threads));
  if (!spans(numbers, file->values<char>(Section::NameText).size()) || !names_in_order(*file)) {
    return fail(file->damaged("vertex names are out of order"));
  }
  return VertexNames::strings(file->view<std::uint64_t>(Section::NameNumbers),
                              file->view<char>(Section::NameText),
                              file->view<VertexId>(Section::NameOrder));
}

Status check_partition(const BinaryFile& file, unsigned threads) {
  LEEWAY_TRY(file.check(Section::Parts, threads));
  if (!spans(file.values<std::uint64_t>(Section::Parts), file.header().vertex_count)) {
    return fail(file.damaged("its parts do not cover its vertices"));
  }
  return {};
}

/// Each original place taken once.
Status check_original(const BinaryFile& file, unsigned threads) {
  LEEWAY_TRY(file.check(Section::Original, threads));
  std::vector<bool> taken(file.header().vertex_count, false);
  for (const std::uint32_t vertex : file.values<std::uint32_t>(Section::Original)) {
    if (taken[vertex]) return fail(file.damaged("a vertex stands twice in its partition"));
    taken[vertex] = true;
  }
  return {};
}

/// The arrays of a partitioned file in the order the graph had.
Status restore_order(const BinaryFile& file, GraphParts& parts) {
  const auto original = file.values<VertexId>(Section::Original);
  const auto count = original.size();
  const GraphParts grouped = std::exchange(parts, GraphParts{});
  LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(count + 1));
  LEEWAY_ASSIGN(parts.targets, Array<VertexId>::make(grouped.targets.size()));
  LEEWAY_ASSIGN(parts.weights, Array<double>::make(grouped.weights.size()));
  LEEWAY_ASSIGN(parts.imaginary, Array<double>::make(grouped.imaginary.size()));
  const auto offsets = parts.offsets.mutable_span();
  for (std::size_t i = 0; i < count; ++i) {
    offsets[original[i].index() + 1] = grouped.offsets[i + 1] - grouped.offsets[i];
  }
  for (std::size_t v = 0; v < count; ++v) offsets[v + 1] += offsets[v];
  std::vector<std::pair<VertexId, std::uint64_t>>
      list;  // target and arc: duplicates keep their order
  for (std::size_t i = 0; i < count; ++i) {
    list.clear();
    for (std::uint64_t arc = grouped.offsets[i]; arc < grouped.offsets[i + 1]; ++arc) {
      list.emplace_back(original[grouped.targets[arc].index()], arc);
    }
    std::sort(list.begin(), list.end());
    std::uint64_t at = offsets[original[i].index()];
    for (const auto& [target, from] : list) {
      parts.targets.mutable_span()[at] = target;
      if (!parts.weights.empty()) parts.weights.mutable_span()[at] = grouped.weights[from];
      if (!parts.imaginary.empty()) parts.imaginary.mutable_span()[at] = grouped.imaginary[from];
      ++at;
    }
  }
  return {};
}

Status check_arcs(const BinaryFile& file, std::uint64_t first, std::uint64_t last,
                  unsigned threads) {
  LEEWAY_TRY(file.check<VertexId>(Section::Targets, first, last, threads));
  if (file.header().weight_kind == 0) return {};
  LEEWAY_TRY(file.check<double>(Section::Weights, first, last, threads));
  if (static_cast<WeightKind>(file.header().weight_kind) != WeightKind::Complex) return {};
  return file.check<double>(Section::Imaginary, first, last, threads);
}

}  // namespace

bool looks_like_binary(std::string_view first_bytes) {
  const auto& magic = binary_format::kMagic;
  return first_bytes.starts_with(std::string_view(magic.data(), magic.size()));
}

Result<Graph> open_binary(const std::string& path, unsigned threads) {
  threads = thread_count(threads);
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  LEEWAY_TRY(file->check(Section::Offsets, threads));
  if (!spans(file->values<std::uint64_t>(Section::Offsets), header.arc_count)) {
    return fail(file->damaged("its offsets do not cover its arcs"));
  }
  LEEWAY_TRY(check_arcs(*file, 0, header.arc_count, threads));
  GraphParts parts;
  parts.offsets = file->view<std::uint64_t>(Section::Offsets);
  parts.targets = file->view<VertexId>(Section::Targets);
  parts.weights = file->view<double>(Section::Weights);
  parts.imaginary = file->view<double>(Section::Imaginary);
  if ((header.flags & binary_format::kPartitioned) != 0) {
    LEEWAY_TRY(check_partition(*file, threads));
    LEEWAY_TRY(check_original(*file, threads));
    LEEWAY_TRY(restore_order(*file, parts));
  }
  parts.directed = (header.flags & binary_format::kDirected) != 0;
  parts.weight_kind = static_cast<WeightKind>(header.weight_kind);
  parts.left_count = header.left_count;
  LEEWAY_ASSIGN(parts.names, open_names(file, threads));
  return Graph(std::move(parts));
}

Result<BinaryPart> open_binary_range(const std::string& path, std::uint32_t first,
                                     std::uint32_t last) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  const auto& header = file->header();
  if (first > last || last > header.vertex_count) {
    return fail(input_error(
        path, format("vertices {} to {} asked for, of {}", first, last, header.vertex_count),
        "ask for vertices that the file has"));
  }
  LEEWAY_TRY(file->check<std::uint64_t>(Section::Offsets, first, last + std::uint64_t{1}, 1));
  const auto offsets = file->values<std::uint64_t>(Section::Offsets);
  const std::uint64_t begin = offsets[first];
  const std::uint64_t arcs = offsets[last] - begin;
  LEEWAY_TRY(check_arcs(*file, begin, begin + arcs, 1));
  BinaryPart part;
  part.total_vertices = static_cast<std::uint32_t>(header.vertex_count);
  part.total_arcs = header.arc_count;
  part.first = first;
  part.directed = (header.flags & binary_format::kDirected) != 0;
  part.weight_kind = static_cast<WeightKind>(header.weight_kind);
  part.left_count = header.left_count;
  LEEWAY_ASSIGN(part.offsets, Array<std::uint64_t>::make(last - first + std::size_t{1}));
  for (std::size_t i = 0; i < part.offsets.size(); ++i) {
    part.offsets.mutable_span()[i] = offsets[first + i] - begin;
  }
  part.targets = file->view<VertexId>(Section::Targets, begin, arcs);
  if (header.weight_kind > 0) part.weights = file->view<double>(Section::Weights, begin, arcs);
  if (part.weight_kind == WeightKind::Complex) {
    part.imaginary = file->view<double>(Section::Imaginary, begin, arcs);
  }
  if ((header.flags & binary_format::kPartitioned) != 0) {
    LEEWAY_TRY(check_partition(*file, 1));
    LEEWAY_TRY(file->check<VertexId>(Section::Original, first, last, 1));
    part.original = file->view<VertexId>(Section::Original, first, last - first);
    part.part_starts = file->view<std::uint64_t>(Section::Parts);
  }
  return part;
}

Result<BinaryPart> open_binary_part(const std::string& path, PartId part) {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  {
    LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
    if (part.value() >= file->header().part_count) {
      return fail(
          input_error(path, format("part {} asked for, of {}", part, file->header().part_count),
                      "write the file with a partition of as many parts as there are nodes"));
    }
    LEEWAY_TRY(check_partition(*file, 1));
    const auto starts = file->values<std::uint64_t>(Section::Parts);
    first = static_cast<std::uint32_t>(starts[part.index()]);
    last = static_cast<std::uint32_t>(starts[part.index() + 1]);
  }
  return open_binary_range(path, first, last);
}

Result<Array<VertexId>> open_binary_original(const std::string& path) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  if (file->header().part_count == 0) return Array<VertexId>();
  LEEWAY_TRY(check_original(*file, 1));
  return file->view<VertexId>(Section::Original, 0, file->header().vertex_count);
}

Result<Partition> open_binary_partition(const std::string& path) {
  LEEWAY_ASSIGN(const File file, BinaryFile::open(path));
  if (file->header().part_count == 0) {
    return fail(
        input_error(path, "holds no partition", "write it with one, or choose a partitioner"));
  }
  LEEWAY_TRY(check_partition(*file, 1));
  LEEWAY_TRY(check_original(*file, 1));
  const auto starts = file->values<std::uint64_t>(Section::Parts);
  const auto original = file->values<VertexId>(Section::Original);
  Partition partition;
  partition.part_count = file->header().part_count;
  LEEWAY_ASSIGN(partition.owner, Array<PartId>::make(original.size()));
  for (std::uint32_t part = 0; part < partition.part_count; ++part) {
    for (std::uint64_t i = starts[part]; i < starts[part + std::size_t{1}]; ++i) {
      partition.owner.mutable_span()[original[i].index()] = PartId(part);
    }
  }
  return partition;
}

}  // namespace leeway
