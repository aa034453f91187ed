#include "leeway/runtime/parts/part_results.h"

#include <algorithm>
#include <utility>

#include "leeway/base/bytes.h"

namespace leeway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;
constexpr std::uint64_t kNone = ~std::uint64_t{0};

}  // namespace

Result<std::unordered_map<std::uint32_t, std::string>> names_of(
    Exchange& exchange, const GraphPart& part, std::span<const std::uint64_t> vertices) {
  std::unordered_map<std::uint32_t, std::string> names;
  std::vector<std::vector<VertexId>> asked(exchange.count());
  for (const std::uint64_t vertex : vertices) {
    const VertexId id(static_cast<std::uint32_t>(vertex));
    if (names.try_emplace(id.value()).second) asked[part.ranges.home(id).index()].push_back(id);
  }
  const auto questions = exchange.swap(asked);
  std::vector<std::vector<std::byte>> answers(exchange.count());
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    ByteWriter writer;
    for (const VertexId v : questions[node]) {
      exchange.require(part.holds(v), NodeId(node));
      writer.text(part.lists.names.name(VertexId(v.value() - part.first())));
    }
    answers[node] = writer.take();
  }
  const auto told = exchange.swap(answers);
  for (std::uint32_t node = 0; node < told.size(); ++node) {
    ByteReader reader(told[node]);
    for (const VertexId v : asked[node]) names[v.value()] = reader.text();
    exchange.require(!reader.failed() && reader.at_end(), NodeId(node));
  }
  return names;
}

VertexId find_vertex(Exchange& exchange, const GraphPart& part, std::string_view name) {
  const auto mine = part.lists.names.find(name);
  std::uint64_t found = kNone;
  for (const std::uint64_t each :
       exchange.share(mine ? std::uint64_t{part.first()} + mine->value() : kNone))
    found = std::min(found, each);
  return found == kNone ? VertexId::none() : VertexId(static_cast<std::uint32_t>(found));
}

Status stream_text(Exchange& exchange,
                   const std::function<std::string(std::size_t most)>& next_piece,
                   const std::function<Status(std::string_view)>& take) {
  const bool first = exchange.self() == NodeId(0);
  for (std::uint32_t node = 0; node < exchange.count(); ++node) {
    for (bool more = true; more;) {
      std::string got;
      const std::string piece =
          exchange.self() == NodeId(node) ? next_piece(kPieceBytes) : std::string();
      exchange.begin([&](NodeId, std::span<const std::byte> bytes) {
        got.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
      for (std::size_t at = 0; at < piece.size(); at += Exchange::kMessageBytes)
        exchange.send(NodeId(0), std::as_bytes(std::span(piece).subspan(
                                     at, std::min(Exchange::kMessageBytes, piece.size() - at))));
      exchange.end();
      LEEWAY_TRY(exchange.agree(first && !got.empty() ? take(got) : Status{}));
      more = exchange.sum(piece.empty() ? 0 : 1) > 0;
    }
  }
  return {};
}

}  // namespace leeway
