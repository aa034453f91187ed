#include "snapshot/source.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/log.h"
#include "snapshot/folder.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {

namespace {

Status belongs(const Part& part, std::uint32_t index, const Manifest& manifest,
               const std::string& path) {
  const PartHeader& header = part.header();
  const bool fits = header.part == index && header.parts == manifest.nodes &&
                    header.number == manifest.number && header.run == manifest.run &&
                    header.state_bytes == manifest.state_bytes &&
                    part.sum() == manifest.parts[index].sum;
  if (!fits) return fail(damaged(path, "the part belongs to another snapshot"));
  for (const std::uint32_t vertex : part.vertices()) {
    if (vertex >= manifest.job.vertices)
      return fail(damaged(path, format("the part contains vertex {}, but the graph has {} vertices",
                                       vertex, manifest.job.vertices)));
  }
  return {};
}

}  // namespace

Status Source::each_part(const std::function<Status(const Part&)>& take) const {
  for (std::uint32_t index = 0; index < manifest_.nodes; ++index) {
    const std::string path = in_folder(path_, part_name(index));
    LEEWAY_ASSIGN(auto content, content_of(path));
    LEEWAY_ASSIGN(const Part part, Part::parse(std::move(content), path));
    LEEWAY_TRY(belongs(part, index, manifest_, path));
    LEEWAY_TRY(take(part));
  }
  return {};
}

namespace {

/// Collects the states of a list of vertices.
class StateList {
 public:
  StateList(std::span<const std::uint32_t> vertices, std::size_t size)
      : size_(size), bytes_(vertices.size() * size), found_(vertices.size(), false) {
    places_.reserve(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) places_.emplace_back(vertices[i], i);
    std::sort(places_.begin(), places_.end());
  }

  void take(const Part& part) {
    for (std::size_t i = 0; i < part.header().entries; ++i) {
      const std::uint32_t vertex = part.vertices()[i];
      const auto place = std::lower_bound(places_.begin(), places_.end(), Listed{vertex, 0});
      // mutant: states-are-assigned-in-the-order-of-the-snapshot
      if (place != places_.end() && place->first == vertex) put(part, i, place->second);
    }
  }

  [[nodiscard]] std::size_t missing() const {
    return static_cast<std::size_t>(std::count(found_.begin(), found_.end(), false));
  }
  [[nodiscard]] std::vector<std::byte> bytes() && { return std::move(bytes_); }

 private:
  void put(const Part& part, std::size_t entry, std::size_t place) {
    std::memcpy(&bytes_[place * size_], &part.states()[entry * size_], size_);
    found_[place] = true;
  }

  using Listed = std::pair<std::uint32_t, std::size_t>;  // vertex, and its index in the list
  const std::size_t size_;
  std::vector<Listed> places_;
  std::vector<std::byte> bytes_;
  std::vector<bool> found_;
};

}  // namespace

Result<std::vector<std::byte>> Source::states_of(std::span<const std::uint32_t> vertices,
                                                 std::size_t size) const {
  if (manifest_.state_bytes != size) {
    return fail(
        damaged(path_, format("a vertex has {} bytes in the snapshot, but {} in this version",
                              manifest_.state_bytes, size)));
  }
  StateList list(vertices, size);
  LEEWAY_TRY(each_part([&](const Part& part) -> Status {
    list.take(part);
    return {};
  }));
  if (list.missing() > 0)
    return fail(damaged(path_, format("{} vertices are missing", list.missing())));
  return std::move(list).bytes();
}

Result<Source> Source::open_one(const std::string& path) {
  Source source;
  source.path_ = path;
  const std::string name = in_folder(path, kManifestName);
  LEEWAY_ASSIGN(const std::string text, text_of(name));
  LEEWAY_ASSIGN(source.manifest_, parse_manifest(text, name));
  std::uint64_t entries = 0;
  LEEWAY_TRY(source.each_part([&](const Part& part) -> Status {
    entries += part.header().entries;
    return {};
  }));
  // An engine whose state is not per vertex has no entries.
  const std::uint64_t vertices =
      source.manifest_.state_bytes == 0 ? 0 : source.manifest_.job.vertices;
  if (entries != vertices) {
    return fail(damaged(
        path, format("the parts contain {} vertices, but the graph has {}", entries, vertices)));
  }
  return source;
}

Result<Source> Source::open(const std::string& path) {
  if (is_there(in_folder(path, kManifestName))) return open_one(path);
  LEEWAY_ASSIGN(const auto numbers, numbers_in(path));
  if (numbers.empty()) {
    return fail(input_error(path, "there is no snapshot in this folder",
                            "give the folder of leeway run --snapshot, or one of its snapshots"));
  }
  std::optional<Error> newest;
  for (auto number = numbers.crbegin(); number != numbers.crend(); ++number) {
    auto source = open_one(folder_of(path, *number));
    if (source) {
      source->read_restarts(path);
      return source;
    }
    if (std::next(number) != numbers.crend()) {
      log_warning("{}: {}; looking for an older snapshot", source.error().where,
                  source.error().what);
    }
    if (!newest) newest = source.error();
  }
  return fail(*newest);
}

Result<Source> Source::open_for(const std::string& path, const Identity& job) {
  LEEWAY_ASSIGN(Source source, open(path));
  LEEWAY_TRY(check_same_job(source.manifest_.job, job, source.path_));
  return source;
}

void Source::read_restarts(const std::string& folder) {
  const auto text = text_of(in_folder(folder, kRestartsName));
  if (!text) return;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    double lost = 0;
    if (words >> lost) {
      ++restarts_;
      lost_seconds_ += lost;
    }
  }
}

Status note_restart(const std::string& folder, double lost_seconds, const std::string& why) {
  const std::string path = in_folder(folder, kRestartsName);
  std::string text;
  if (is_there(path)) {
    LEEWAY_ASSIGN(text, text_of(path));
  }
  text += format("{:.3f} {}\n", lost_seconds, why);
  return write_durably(path, std::as_bytes(std::span(text)));
}

}  // namespace leeway::snapshot
