// Owners from a text file, as gpmetis writes it (a part a line) or with names (`vertex part`), or from a divided .lwg.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/partition_methods.h"

namespace leeway::partitioners {

namespace {

constexpr std::string_view kSpace = " \t\r";
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

class OwnerReader {
 public:
  OwnerReader(const Graph& graph, const PartitionOptions& options, std::span<PartId> owner)
      : graph_(graph), options_(options), owner_(owner) {
    std::fill(owner_.begin(), owner_.end(), PartId::none());
  }

  /// The number of parts, when every vertex has its owner.
  Result<std::uint32_t> read() {
    struct stat status {};
    if (::stat(options_.owner_file.c_str(), &status) != 0) {
      return fail(input_error(options_.owner_file,
                              format("cannot open: {}", std::generic_category().message(errno)),
                              "check the name of the owner file"));
    }
    std::ifstream file(options_.owner_file);
    if (S_ISDIR(status.st_mode) || !file) {
      return fail(input_error(options_.owner_file, "cannot be read as a file",
                              "give a text file with one part a line"));
    }
    std::string text;
    while (next_line(file, text)) {
      ++line_;
      std::string_view line = text;
      if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      line = trim(line);
      if (line.empty() || line[0] == '#' || line[0] == '%') continue;
      LEEWAY_TRY(take(line));
    }
    if (text.size() > kLongestLine) {
      ++line_;
      return fail(error("a line of more than 1 MiB", "give a text file with one part a line"));
    }
    if (seen_ < owner_.size()) {
      return fail(input_error(options_.owner_file,
                              format("{} of {} vertices have no owner, vertex '{}' among them",
                                     owner_.size() - seen_, owner_.size(), first_missing()),
                              "give one line a vertex"));
    }
    return std::max(options_.parts, std::max(highest_, 1u));
  }

 private:
  /// Reads up to a line feed; false at the end of the file or when the line is too long to be one.
  static bool next_line(std::istream& file, std::string& text) {
    text.clear();
    std::streambuf& buffer = *file.rdbuf();
    for (int c = buffer.sbumpc(); c != std::char_traits<char>::eof(); c = buffer.sbumpc()) {
      if (c == '\n') return true;
      text.push_back(static_cast<char>(c));
      if (text.size() > kLongestLine) return false;
    }
    return !text.empty();
  }

  Status take(std::string_view line) {
    const auto gap = line.find_last_of(kSpace);
    const bool named = gap != line.npos;
    if (seen_ == 0) named_ = named;
    if (named != named_) {
      return fail(error(format("'{}' is not like the lines before it", line),
                        "write `vertex part` on every line, or the part alone on every line"));
    }
    LEEWAY_ASSIGN(const PartId part, parse_part(named ? line.substr(gap + 1) : line));
    std::size_t vertex = seen_;
    if (named) {
      const std::string_view name = trim(line.substr(0, gap));
      const auto found = graph_.names().find(name);
      if (!found) {
        return fail(error(format("the graph has no vertex '{}'", name),
                          "use the names that stand in the graph's file"));
      }
      vertex = found->index();
      if (owner_[vertex] != PartId::none()) {
        return fail(
            error(format("vertex '{}' has an owner already", name), "name each vertex once"));
      }
    } else if (vertex >= owner_.size()) {
      return fail(error(format("more lines than the graph's {} vertices", owner_.size()),
                        "give one line a vertex"));
    }
    owner_[vertex] = part;
    ++seen_;
    return {};
  }

  Result<PartId> parse_part(std::string_view text) {
    std::uint32_t part = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (problem != std::errc{} || end != text.data() + text.size()) {
      return fail(error(format("'{}' is not a part", text), "parts are whole numbers from 0 up"));
    }
    const std::uint32_t limit = options_.parts > 0 ? options_.parts : kMaxParts;
    if (part >= limit) {
      return fail(error(format("part {} where there are {} parts", part, limit),
                        format("number parts from 0 to {}", limit - 1)));
    }
    highest_ = std::max(highest_, part + 1);
    return PartId(part);
  }

  [[nodiscard]] std::string first_missing() const {
    const auto missing = std::find(owner_.begin(), owner_.end(), PartId::none());
    return graph_.names().name(VertexId(static_cast<std::uint32_t>(missing - owner_.begin())));
  }
  [[nodiscard]] Error error(std::string what, std::string remedy) const {
    return input_error(format("{}:{}", options_.owner_file, line_), std::move(what),
                       std::move(remedy));
  }

  const Graph& graph_;
  const PartitionOptions& options_;
  std::span<PartId> owner_;
  std::size_t line_ = 0;
  std::size_t seen_ = 0;
  bool named_ = false;
  std::uint32_t highest_ = 0;
};

}  // namespace

Result<Partition> from_file(const Graph& graph, const PartitionOptions& options) {
  const std::string& path = options.owner_file;
  if (is_binary_name(path) && std::filesystem::exists(path)) {
    LEEWAY_ASSIGN(Partition stored, open_binary_partition(path));
    stored.part_count = std::max(stored.part_count, options.parts);
    if (stored.owner.size() == graph.vertex_count()) return stored;
    return fail(input_error(path,
                            format("it divides {} vertices, and the graph has {}",
                                   stored.owner.size(), graph.vertex_count()),
                            "give the division of this graph"));
  }
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  OwnerReader reader(graph, options, owners.mutable_span());
  LEEWAY_ASSIGN(const std::uint32_t parts, reader.read());
  return Partition{parts, std::move(owners)};
}

}  // namespace leeway::partitioners
