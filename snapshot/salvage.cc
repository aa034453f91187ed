#include "leeway/snapshot/salvage.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/snapshot/files.h"
#include "leeway/snapshot/folder.h"
#include "leeway/snapshot/format.h"

namespace leeway::snapshot {

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

/// Whose manifests there are, ascending: each is written last.
std::vector<std::uint32_t> writers_in(const std::string& path) {
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

/// A file's part, if it is whole and belongs to this run.
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
  if (!known) return fail(damaged(path, "the part names a vertex that the graph has not"));
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
    return fail(system_error(place, "make the folder", errno, "give a folder with room"));
  LEEWAY_TRY(write_durably(in_folder(place, part_name(node)), own.sealed()));
  LEEWAY_TRY(write_durably(in_folder(place, copies_name(node)), copies.sealed()));
  const std::string text = to_text(of);
  return write_durably(in_folder(place, manifest_name(node)), std::as_bytes(std::span(text)));
}

/// Takes in what `node` wrote, if all of it is whole and of one run with the others'.
void Salvage::take_in(std::uint32_t node) {
  const std::string name = in_folder(path_, manifest_name(node));
  const auto text = text_of(name);
  auto manifest = text ? parse_manifest(*text, name) : fail(text.error());
  if (manifest && !nodes_.empty() && manifest->run != manifest_.run)
    manifest = fail(damaged(name, "it belongs to another run"));
  const auto own = manifest ? part_of(in_folder(path_, part_name(node)), *manifest)
                            : Result<Part>(fail(manifest.error()));
  if (!own) {
    log_warning("{}: {}; what this node held is not used", own.error().where, own.error().what);
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
    for (const std::uint32_t node : writers_in(path)) found.take_in(node);
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
  for (const Salvage& held : Salvage::all_in(folder)) {
    if (!check_same_job(held.manifest().job, job, held.path())) remove_snapshot(held.path());
  }
}

}  // namespace leeway::snapshot
