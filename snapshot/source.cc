#include "snapshot/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
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
      : size_(size), bytes_(vertices.size() * size), known_(vertices.size(), false) {
    places_.reserve(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) places_.emplace_back(vertices[i], i);
    std::sort(places_.begin(), places_.end());
  }

  void take(const Part& part) {
    for_each(part, [&](std::size_t entry, std::size_t place) { put(part, entry, place); });
  }
  /// Uses a copy if it is newer than the copies so far; the caller keeps `newest` between calls.
  void take_copies(const Part& part, std::vector<std::uint64_t>& newest) {
    newest.resize(known_.size(), 0);
    for_each(part, [&](std::size_t entry, std::size_t place) {
      std::uint64_t version = 0;
      std::memcpy(&version, &part.results()[entry * sizeof version], sizeof version);
      // mutant: a-copy-is-kept-without-its-version
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
      // mutant: states-are-dealt-out-as-the-snapshot-has-them
      if (place != places_.end() && place->first == vertex) each(i, place->second);
    }
  }
  void put(const Part& part, std::size_t entry, std::size_t place) {
    std::memcpy(&bytes_[place * size_], &part.states()[entry * size_], size_);
    known_[place] = true;
  }

  using Listed = std::pair<std::uint32_t, std::size_t>;  // vertex, and its index in the list
  const std::size_t size_;
  std::vector<Listed> places_;
  std::vector<std::byte> bytes_;
  std::vector<bool> known_;
};

}  // namespace

Result<States> Source::states_of(std::span<const std::uint32_t> vertices, std::size_t size) const {
  if (manifest_.state_bytes != size) {
    return fail(
        damaged(path_, format("a vertex has {} bytes in the snapshot, but {} in this version",
                              manifest_.state_bytes, size)));
  }
  StateList list(vertices, size);
  if (whole_) {
    LEEWAY_TRY(each_part([&](const Part& part) -> Status {
      list.take(part);
      return {};
    }));
    if (list.missing() > 0)
      return fail(damaged(path_, format("{} vertices are missing", list.missing())));
  }
  for (const Salvage& salvage : salvaged_) {
    std::vector<std::uint64_t> newest;
    salvage.each_copies([&](const Part& part) { list.take_copies(part, newest); });
    salvage.each_own([&](const Part& part) { list.take(part); });
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
  auto opened = open(path);
  if (opened) LEEWAY_TRY(check_same_job(opened->manifest_.job, job, opened->path_));
  if (is_there(in_folder(path, kManifestName))) return opened;
  std::vector<Salvage> salvage = Salvage::all_in(path);
  std::erase_if(salvage, [&](const Salvage& each) {
    const bool old = opened && each.manifest().taken < opened->manifest_.taken;
    return old || !check_same_job(each.manifest().job, job, each.path()) ||
           (opened && each.manifest().state_bytes != opened->manifest_.state_bytes);
  });
  if (salvage.empty()) return opened;
  Source source = opened ? std::move(*opened) : Source();
  if (!opened) {
    source.whole_ = false;
    source.path_ = salvage.back().path();
    source.manifest_ = salvage.back().manifest();
    source.read_restarts(path);
  }
  source.salvaged_ = std::move(salvage);
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

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".salvaged-";

std::string copies_name(std::uint32_t node) { return part_name(node) + ".copies"; }
std::string manifest_name(std::uint32_t node) { return format("{}-{:05}", kManifestName, node); }

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kPrefix) && fs::is_directory(at->symlink_status()))
      found.push_back(in_folder(folder, name));
  }
  return found;
}

/// The nodes whose manifest exists, ascending. A node writes its manifest last.
std::vector<std::uint32_t> nodes_in(const std::string& path) {
  std::vector<std::uint32_t> nodes;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::uint32_t node = 0;
    if (name.size() <= kManifestName.size()) continue;
    const auto digits = std::string_view(name).substr(kManifestName.size() + 1);
    const auto [last, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), node);
    if (fault == std::errc() && name == manifest_name(node)) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// The part in a file, if it is valid and belongs to this run.
Result<Part> part_of(const std::string& path, const Manifest& manifest) {
  LEEWAY_ASSIGN(auto content, content_of(path));
  LEEWAY_ASSIGN(Part part, Part::parse(std::move(content), path));
  const PartHeader& header = part.header();
  if (header.run != manifest.run || header.parts != manifest.nodes ||
      header.state_bytes != manifest.state_bytes) {
    return fail(damaged(path, "the part belongs to another run"));
  }
  const auto vertices = part.vertices();
  const bool known = std::all_of(vertices.begin(), vertices.end(), [&](std::uint32_t vertex) {
    return vertex < manifest.job.vertices;
  });
  if (!known) return fail(damaged(path, "the part contains a vertex that is not in the graph"));
  return part;
}

}  // namespace

Status write_salvaged(const std::string& folder, Manifest of, Part& own, Part& copies) {
  const std::uint32_t node = own.header().part;
  of.run = own.header().run;
  of.nodes = own.header().parts;
  of.state_bytes = own.header().state_bytes;
  of.taken = std::time(nullptr);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  of.number = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  of.parts.assign(of.nodes, {});
  const std::string place = in_folder(folder, format("{}{}", kPrefix, run_text(of.run)));
  if (::mkdir(place.c_str(), 0777) != 0 && errno != EEXIST)
    return fail(system_error(place, "create the folder", errno,
                             "give a writable folder with enough space"));
  LEEWAY_TRY(write_durably(in_folder(place, part_name(node)), own.sealed()));
  LEEWAY_TRY(write_durably(in_folder(place, copies_name(node)), copies.sealed()));
  const std::string text = to_text(of);
  return write_durably(in_folder(place, manifest_name(node)), std::as_bytes(std::span(text)));
}

/// Adds the part of `node`, if it is valid and of the same run as the others.
void Salvage::take_in(std::uint32_t node) {
  const std::string name = in_folder(path_, manifest_name(node));
  const auto text = text_of(name);
  auto manifest = text ? parse_manifest(*text, name) : fail(text.error());
  if (manifest && !nodes_.empty() && manifest->run != manifest_.run)
    manifest = fail(damaged(name, "it belongs to another run"));
  const auto own = manifest ? part_of(in_folder(path_, part_name(node)), *manifest)
                            : Result<Part>(fail(manifest.error()));
  if (!own) {
    log_warning("{}: {}; the states of this node are not used", own.error().where,
                own.error().what);
    return;
  }
  manifest->parts.clear();
  if (nodes_.empty() || manifest->number > manifest_.number) manifest_ = std::move(*manifest);
  nodes_.push_back(node);
}

std::vector<Salvage> Salvage::all_in(const std::string& folder) {
  std::vector<Salvage> all;
  for (const std::string& path : folders_in(folder)) {
    Salvage found;
    found.path_ = path;
    for (const std::uint32_t node : nodes_in(path)) found.take_in(node);
    if (!found.nodes_.empty()) all.push_back(std::move(found));
  }
  std::sort(all.begin(), all.end(), [](const Salvage& a, const Salvage& b) {
    return a.manifest_.number < b.manifest_.number;
  });
  return all;
}

void Salvage::each_own(const Take& take) const {
  for (const std::uint32_t node : nodes_) {
    const auto part = part_of(in_folder(path_, part_name(node)), manifest_);
    if (part) take(*part);
  }
}

void Salvage::each_copies(const Take& take) const {
  for (const std::uint32_t node : nodes_) {
    const auto part = part_of(in_folder(path_, copies_name(node)), manifest_);
    if (part && part->result_size() == sizeof(std::uint64_t)) take(*part);
  }
}

void remove_salvaged(const std::string& folder, std::uint64_t run) {
  for (const std::string& path : folders_in(folder)) {
    if (!path.ends_with(run_text(run))) remove_snapshot(path);
  }
}

void remove_salvaged_of_others(const std::string& folder, const Identity& job) {
  for (const Salvage& salvage : Salvage::all_in(folder)) {
    if (!check_same_job(salvage.manifest().job, job, salvage.path()))
      remove_snapshot(salvage.path());
  }
}

}  // namespace leeway::snapshot
