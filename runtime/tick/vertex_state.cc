#include "leeway/runtime/tick/vertex_state.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "leeway/base/format.h"

namespace leeway::tick {

namespace {

enum class Content : std::uint8_t {
  Routed,  ///< what a reader wants of a part, in the reader's order
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

void VertexState::encode(const Selection& border, const Query& wanted, ByteWriter& out) const {
  (void)border;  // the routes know what is wanted
  const std::uint32_t last = wanted.count();
  out.byte(static_cast<std::uint8_t>(Content::Routed));
  out.varint(own_.part.value());
  const auto routes = own_.labels->routes(own_.part, wanted.part);
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
    return format("vertex {} lies in {} parts", wrong - homes.begin(), *wrong);
  }
  std::uint64_t covered = 0;
  for (const Query& part : parts) covered += part.count();
  if (held_.labels == nullptr || covered == held_.labels->vertices()) return std::nullopt;
  return format("{} of {} vertices lie in a part", covered, held_.labels->vertices());
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
