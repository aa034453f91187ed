#include "leeway/snapshot/source.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/snapshot/files.h"
#include "leeway/snapshot/folder.h"
#include "leeway/snapshot/format.h"

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
      return fail(damaged(path, format("the part names vertex {}, and the graph has {}", vertex,
                                       manifest.job.vertices)));
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

/// Where the states of some vertices go.
class StateList {
 public:
  StateList(std::span<const std::uint32_t> vertices, std::size_t size)
      : size_(size), bytes_(vertices.size() * size), known_(vertices.size(), false) {
    places_.reserve(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) places_.emplace_back(vertices[i], i);
    std::sort(places_.begin(), places_.end());
  }

  void take(const Part& part) {
    for_each(part, [&](std::size_t entry, std::size_t place) { put(part, entry, place); });
  }
  /// Each where it is newer than what copies have told so far; `newest` outlives these calls.
  void take_copies(const Part& part, std::vector<std::uint64_t>& newest) {
    newest.resize(known_.size(), 0);
    for_each(part, [&](std::size_t entry, std::size_t place) {
      std::uint64_t version = 0;
      std::memcpy(&version, &part.results()[entry * sizeof version], sizeof version);
      if (version < newest[place] || version == 0) return;
      newest[place] = version;
      put(part, entry, place);
    });
  }

  [[nodiscard]] std::size_t missing() const {
    return static_cast<std::size_t>(std::count(known_.begin(), known_.end(), false));
  }
  [[nodiscard]] States states() && { return {std::move(bytes_), std::move(known_)}; }

 private:
  template <class Each>
  void for_each(const Part& part, Each&& each) const {
    for (std::size_t i = 0; i < part.header().entries; ++i) {
      const std::uint32_t vertex = part.vertices()[i];
      const auto place = std::lower_bound(places_.begin(), places_.end(), Listed{vertex, 0});
      if (place != places_.end() && place->first == vertex) each(i, place->second);
    }
  }
  void put(const Part& part, std::size_t entry, std::size_t place) {
    std::memcpy(&bytes_[place * size_], &part.states()[entry * size_], size_);
    known_[place] = true;
  }

  using Listed = std::pair<std::uint32_t, std::size_t>;  // the vertex, and its place in the list
  const std::size_t size_;
  std::vector<Listed> places_;
  std::vector<std::byte> bytes_;
  std::vector<bool> known_;
};

}  // namespace

Result<States> Source::states_of(std::span<const std::uint32_t> vertices, std::size_t size) const {
  if (manifest_.state_bytes != size) {
    return fail(damaged(path_, format("a vertex has {} bytes there, and {} in this version",
                                      manifest_.state_bytes, size)));
  }
  StateList list(vertices, size);
  if (whole_) {
    LEEWAY_TRY(each_part([&](const Part& part) -> Status {
      list.take(part);
      return {};
    }));
    if (list.missing() > 0)
      return fail(damaged(path_, format("{} vertices are not in it", list.missing())));
  }
  for (const Salvage& held : salvaged_) {
    std::vector<std::uint64_t> newest;
    held.each_copies([&](const Part& part) { list.take_copies(part, newest); });
    held.each_own([&](const Part& part) { list.take(part); });
  }
  const bool all = list.missing() == 0;
  States states = std::move(list).states();
  if (all) states.known.clear();
  return states;
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
  // An engine that keeps its state as a whole has none by vertex.
  const std::uint64_t vertices =
      source.manifest_.state_bytes == 0 ? 0 : source.manifest_.job.vertices;
  if (entries != vertices) {
    return fail(damaged(
        path, format("the parts hold {} vertices, and the graph has {}", entries, vertices)));
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
  auto opened = open(path);
  if (opened) LEEWAY_TRY(check_same_job(opened->manifest_.job, job, opened->path_));
  if (is_there(in_folder(path, kManifestName))) return opened;
  std::vector<Salvage> held = Salvage::all_in(path);
  std::erase_if(held, [&](const Salvage& each) {
    const bool old = opened && each.manifest().taken < opened->manifest_.taken;
    return old || !check_same_job(each.manifest().job, job, each.path()) ||
           (opened && each.manifest().state_bytes != opened->manifest_.state_bytes);
  });
  if (held.empty()) return opened;
  Source source = opened ? std::move(*opened) : Source();
  if (!opened) {
    source.whole_ = false;
    source.path_ = held.back().path();
    source.manifest_ = held.back().manifest();
    source.read_restarts(path);
  }
  source.salvaged_ = std::move(held);
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
