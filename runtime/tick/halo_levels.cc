#include "leeway/runtime/tick/halo_levels.h"

#include <algorithm>
#include <limits>

#include "leeway/base/check.h"
#include "leeway/base/format.h"

namespace leeway::tick {

namespace {

/// Of what nothing outside ever reaches; and of what has not been reached.
constexpr Level kDeep = std::numeric_limits<Level>::max() / 2;
constexpr Level kUnseen = std::numeric_limits<Level>::min();

/// HaloLevels of one part's surroundings, found outward from its own vertices.
class Around {
 public:
  Around(const InLists& lists, std::span<const PartId> owner, PartId part)
      : lists_(lists), owner_(owner), part_(part), label_(lists.vertices(), kUnseen) {}

  [[nodiscard]] Level of(std::uint32_t vertex) const { return label_[vertex]; }

  /// Inside: how far a vertex is from the nearest that reads from outside, along arcs inside.
  void inside(std::span<const std::uint32_t> own,
              const std::vector<std::vector<std::uint32_t>>& readers) {
    std::vector<std::uint32_t> now;
    for (const std::uint32_t vertex : own) {
      const auto sources = lists_.of(vertex);
      const bool boundary = std::any_of(sources.begin(), sources.end(), [&](std::uint32_t source) {
        return owner_[source] != part_;
      });
      label_[vertex] = boundary ? 0 : kDeep;
      if (boundary) now.push_back(vertex);
    }
    for (Level level = 1; !now.empty(); ++level) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t vertex : now) {
        for (const std::uint32_t reader : readers[vertex]) {
          if (owner_[reader] != part_ || label_[reader] != kDeep) continue;
          label_[reader] = level;
          next.push_back(reader);
        }
      }
      now.swap(next);
    }
  }

  /// Outside, label after label down to -halo: what those of the label before read.
  void outside(std::vector<std::uint32_t> now, Level halo) {
    for (Level level = -1; level >= -halo; --level) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t vertex : now) {
        for (const std::uint32_t source : lists_.of(vertex)) {
          if (label_[source] != kUnseen) continue;
          label_[source] = level;
          next.push_back(source);
        }
      }
      seen_.insert(seen_.end(), next.begin(), next.end());
      now.swap(next);
    }
  }
  [[nodiscard]] const std::vector<std::uint32_t>& seen() const { return seen_; }

 private:
  const InLists& lists_;
  std::span<const PartId> owner_;
  PartId part_;
  std::vector<Level> label_;
  std::vector<std::uint32_t> seen_;  // outside
};

}  // namespace

std::uint32_t LabelledPart::count(Level least) const {
  if (least > top) return 0;
  const auto place =
      std::min<std::size_t>(static_cast<std::size_t>(top - least), counts.size() - 1);
  return counts[place];
}

HaloLevels::HaloLevels(const InLists& lists, std::span<const PartId> owner, std::uint32_t parts,
                       Level halo, std::span<const double> weights)
    : vertices_(lists.vertices()),
      parts_(parts),
      routes_(std::size_t{parts} * parts),
      readers_(lists.vertices()),
      place_(lists.vertices()) {
  LEEWAY_CHECK(owner.size() == vertices_);
  for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
    for (const std::uint32_t source : lists.of(vertex)) readers_[source].push_back(vertex);
  }
  for (std::uint32_t part = 0; part < parts; ++part) label(lists, owner, PartId(part), halo);
  for (LabelledPart& part : parts_) {
    connect(lists, part);
    if (weights.empty()) continue;
    for (const std::uint32_t vertex : part.vertices) part.weights.push_back(weights[vertex]);
  }
  for (std::uint32_t part = 0; part < parts; ++part) {
    const LabelledPart& reader = parts_[part];
    for (std::uint32_t place = reader.own; place < reader.vertices.size(); ++place) {
      const std::uint32_t vertex = reader.vertices[place];
      routes_[owner[vertex].index() * parts + part].push_back({place_[vertex], place});
    }
  }
  readers_.clear();
}

void HaloLevels::label(const InLists& lists, std::span<const PartId> owner, PartId part,
                       Level halo) {
  LabelledPart& made = parts_[part.index()];
  for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
    if (owner[vertex] == part) made.vertices.push_back(vertex);
  }
  made.own = static_cast<std::uint32_t>(made.vertices.size());
  Around around(lists, owner, part);
  around.inside(made.vertices, readers_);
  around.outside(made.vertices, halo);
  made.vertices.insert(made.vertices.end(), around.seen().begin(), around.seen().end());
  std::sort(made.vertices.begin(), made.vertices.end(), [&](std::uint32_t a, std::uint32_t b) {
    return around.of(a) != around.of(b) ? around.of(a) > around.of(b) : a < b;
  });
  // What nothing outside ever reaches is one label above the rest.
  const auto capped = [&](std::uint32_t vertex) { return around.of(vertex); };
  Level highest = 0;
  for (const std::uint32_t vertex : made.vertices) {
    if (capped(vertex) != kDeep) highest = std::max(highest, capped(vertex));
  }
  made.top = highest + 1;
  made.counts.assign(static_cast<std::size_t>(made.top + halo) + 1, 0);
  for (const std::uint32_t vertex : made.vertices) {
    const Level level = std::min(capped(vertex), made.top);
    ++made.counts[static_cast<std::size_t>(made.top - level)];
  }
  for (std::size_t i = 1; i < made.counts.size(); ++i) made.counts[i] += made.counts[i - 1];
  for (std::uint32_t place = 0; place < made.own; ++place) place_[made.vertices[place]] = place;
}

void HaloLevels::connect(const InLists& lists, LabelledPart& part) const {
  std::vector<std::uint32_t> place(vertices_, 0);
  for (std::uint32_t i = 0; i < part.vertices.size(); ++i) place[part.vertices[i]] = i;
  const std::uint32_t stepped =
      part.counts.size() > 1 ? std::max(part.counts[part.counts.size() - 2], part.own) : part.own;
  part.offsets.assign(1, 0);
  for (std::uint32_t i = 0; i < stepped; ++i) {
    for (const std::uint32_t source : lists.of(part.vertices[i]))
      part.sources.push_back(place[source]);
    part.offsets.push_back(part.sources.size());
  }
}

std::uint32_t LabelQuery::count() const {
  if (labels == nullptr) return 0;
  return all() ? labels->vertices() : labels->part(part).count(label);
}

bool LabelQuery::disjoint(const LabelQuery& other) const {
  if (count() == 0 || other.count() == 0) return true;
  if (all() || other.all() || part == other.part) return false;
  // Seen from either side, is a vertex of one within what the other selects?
  const auto meets = [&](const LabelQuery& inner, const LabelQuery& outer) {
    const auto routes = labels->routes(inner.part, outer.part);
    return !routes.empty() && routes.front().to < outer.count();
  };
  if (label >= 0 && other.label >= 0) return true;  // parts share nothing
  if (label >= 0) return !meets(*this, other);
  if (other.label >= 0) return !meets(other, *this);
  return false;
}

std::string LabelQuery::describe() const {
  return all() ? "all vertices" : format("labels from {} of part {}", label, part);
}

}  // namespace leeway::tick
