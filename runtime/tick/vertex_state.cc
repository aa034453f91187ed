#include "runtime/tick/vertex_state.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/format.h"

namespace leeway::tick {

namespace {

/// kDeep: label of vertices that no outside vertex can reach. kUnseen: label of vertices not visited yet.
constexpr Level kDeep = std::numeric_limits<Level>::max() / 2;
constexpr Level kUnseen = std::numeric_limits<Level>::min();

/// Computes the labels around one part, outwards from its own vertices.
class Around {
 public:
  Around(const InLists& lists, std::span<const PartId> owner, PartId part)
      : lists_(lists), owner_(owner), part_(part), label_(lists.vertices(), kUnseen) {}

  [[nodiscard]] Level of(std::uint32_t vertex) const { return label_[vertex]; }

  /// Labels the part's vertices: the distance from the nearest vertex that reads from outside, along arcs within the
  /// part.
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

  /// Labels vertices outside, down to -halo: the vertices read by those of the previous label.
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
  std::vector<std::uint32_t> seen_;  // visited vertices outside the part
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
  // Vertices that no outside vertex can reach get the label above the highest one.
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
  // Does a part of one query contain a vertex that the other selects?
  const auto meets = [&](const LabelQuery& inner, const LabelQuery& outer) {
    const auto routes = labels->routes(inner.part, outer.part);
    return !routes.empty() && routes.front().to < outer.count();
  };
  if (label >= 0 && other.label >= 0) return true;  // parts are disjoint
  if (label >= 0) return !meets(*this, other);
  if (other.label >= 0) return !meets(other, *this);
  return false;
}

std::string LabelQuery::describe() const {
  return all() ? "all vertices" : format("labels from {} of part {}", label, part);
}

namespace {

enum class Content : std::uint8_t {
  Routed,  ///< what a reader requests of a part, in the reader's order
  Prefix,  ///< the first values of a part, in its own order
  Whole,   ///< all vertices, in the graph's order
};

void write_value(double value, ByteWriter& out) {
  std::memcpy(out.extend(sizeof value), &value, sizeof value);
}

}  // namespace

void VertexState::select_vertices(const Query& inside, const std::optional<Query>& outside,
                                  Selection& found) const {
  found.vertices_.clear();
  std::vector<bool> out(values_.size(), outside && outside->all());
  if (outside && !outside->all()) {
    for (const std::uint32_t vertex : outside->vertices()) out[vertex] = true;
  }
  const auto add = [&](std::uint32_t vertex) {
    if (!out[vertex]) found.vertices_.push_back(vertex);
  };
  if (inside.all()) {
    for (std::uint32_t vertex = 0; vertex < values_.size(); ++vertex) add(vertex);
  } else {
    for (const std::uint32_t vertex : inside.vertices()) add(vertex);
  }
  found.begin_ = 0;
  found.end_ = static_cast<std::uint32_t>(found.vertices_.size());
}

void VertexState::encode(const Selection& border, const Query& requested, ByteWriter& out) const {
  (void)border;  // the routes contain only requested vertices
  const std::uint32_t last = requested.count();
  out.byte(static_cast<std::uint8_t>(Content::Routed));
  out.varint(own_.part.value());
  const auto routes = own_.labels->routes(own_.part, requested.part);
  const auto end = std::find_if(routes.begin(), routes.end(),
                                [&](const HaloLevels::Route& route) { return route.to >= last; });
  out.varint(static_cast<std::uint64_t>(end - routes.begin()));
  for (auto route = routes.begin(); route != end; ++route) write_value(values_[route->from], out);
}

void VertexState::encode_own(ByteWriter& out) const {
  const std::uint32_t count = own_.count();
  out.byte(static_cast<std::uint8_t>(own_.all() ? Content::Whole : Content::Prefix));
  out.varint(own_.all() ? 0 : own_.part.value());
  out.varint(count);
  out.raw(std::as_bytes(std::span(values_).first(count)));
}

bool VertexState::decode(ByteReader& in) {
  const auto content = static_cast<Content>(in.byte());
  const std::uint64_t from = in.varint();
  const std::uint64_t count = in.varint_up_to(in.left() / sizeof(double));
  const auto bytes = in.raw(count * sizeof(double));
  if (in.failed() || held_.labels == nullptr) return false;
  if (content != Content::Whole && from >= held_.labels->parts()) return false;
  const auto value = [&](std::uint64_t i) {
    double read = 0;
    std::memcpy(&read, bytes.data() + i * sizeof read, sizeof read);
    return read;
  };
  const PartId part(static_cast<std::uint32_t>(from));
  if (content == Content::Routed) {
    if (held_.all()) return false;
    const auto routes = held_.labels->routes(part, held_.part);
    if (count > routes.size()) return false;
    for (std::uint64_t i = 0; i < count; ++i) values_[routes[i].to] = value(i);
    return true;
  }
  const bool spread = held_.all() && content == Content::Prefix;
  const std::size_t room = spread ? held_.labels->part(part).vertices.size() : values_.size();
  if (count > room || (content == Content::Prefix && !held_.all() && part != held_.part))
    return false;
  for (std::uint64_t i = 0; i < count; ++i)
    values_[spread ? held_.labels->part(part).vertices[i] : i] = value(i);
  return true;
}

std::optional<std::vector<double>> VertexState::whole(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const auto content = static_cast<Content>(in.byte());
  (void)in.varint();
  std::vector<double> values(in.varint_up_to(in.left() / sizeof(double)));
  const auto raw = in.raw(values.size() * sizeof(double));
  if (in.failed() || !in.at_end() || content != Content::Whole) return std::nullopt;
  if (!values.empty()) std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

void VertexState::copy(const Query& query, VertexState& other) const {
  if (held_.all() && other.held_.all() && !query.all()) {
    for (const std::uint32_t vertex : query.vertices()) other.values_[vertex] = values_[vertex];
    return;
  }
  const std::uint32_t count =
      std::min<std::uint32_t>(query.count(), static_cast<std::uint32_t>(other.values_.size()));
  const bool gather = held_.all() && !query.all();
  for (std::uint32_t place = 0; place < count; ++place) {
    other.values_[place] = values_[gather ? query.labels->part(query.part).vertices[place] : place];
  }
}

std::optional<std::string> VertexState::misplaced(std::span<const Query> parts) const {
  if (held_.labels != nullptr && held_.all()) {
    std::vector<std::uint32_t> homes(values_.size());
    for (const Query& part : parts) {
      for (const std::uint32_t vertex : part.vertices()) ++homes[vertex];
    }
    const auto wrong =
        std::find_if(homes.begin(), homes.end(), [](auto each) { return each != 1; });
    if (wrong == homes.end()) return std::nullopt;
    return format("vertex {} is in {} parts", wrong - homes.begin(), *wrong);
  }
  std::uint64_t covered = 0;
  for (const Query& part : parts) covered += part.count();
  if (held_.labels == nullptr || covered == held_.labels->vertices()) return std::nullopt;
  return format("{} of {} vertices are in a part", covered, held_.labels->vertices());
}

std::optional<std::string> VertexState::difference(const VertexState& a, const VertexState& b) {
  if (a.values_.size() != b.values_.size())
    return format("{} against {} vertices", a.values_.size(), b.values_.size());
  for (std::size_t place = 0; place < a.values_.size(); ++place) {
    if (std::memcmp(&a.values_[place], &b.values_[place], sizeof(double)) == 0) continue;
    const Query& held = a.held_;
    const std::size_t vertex =
        held.all() || held.labels == nullptr ? place : held.labels->part(held.part).vertices[place];
    return format("vertex {}: {} against {}", vertex, a.values_[place], b.values_[place]);
  }
  return std::nullopt;
}

void VertexState::poison() {
  std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace leeway::tick
