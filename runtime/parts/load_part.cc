#include "leeway/runtime/parts/load_part.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/build_graph.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/load_graph.h"
#include "leeway/datasets/vertex_numbering.h"
#include "leeway/runtime/parts/arc_exchange.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/listing.h"
#include "leeway/runtime/parts/numbering.h"
#include "leeway/runtime/parts/part_job.h"

namespace leeway {

namespace {

namespace fs = std::filesystem;

/// Vertices are counted by arcs in so many stretches, so that ranges can be cut between two of them.
constexpr unsigned kMostStretchBits = 14;

enum class Way : std::uint32_t {
  Spec,
  Mapped,  ///< a .lwg file as it is
  Binary,  ///< a .lwg file whose graph options change, or whose vertices stand part by part
  Text,
  Whole
};

class PartLoader {
 public:
  PartLoader(Exchange& exchange, const std::string& argument, const LoadOptions& options,
             BalanceBy balance)
      : exchange_(exchange),
        argument_(argument),
        options_(options),
        balance_(balance),
        lister_(exchange, argument_, options) {}

  Result<LoadedPart> load() {
    LEEWAY_ASSIGN(const Way way, choose_way());
    if (way == Way::Mapped) return open_range();
    Listing listing;
    if (way == Way::Spec) LEEWAY_TRY(lister_.list_spec(listing));
    if (way == Way::Binary) LEEWAY_TRY(lister_.list_binary(listing));
    bool shared = way == Way::Spec || way == Way::Binary;
    if (way == Way::Text) {
      LEEWAY_ASSIGN(shared, lister_.list_text(listing));
    }
    if (!shared) {
      LEEWAY_TRY(lister_.list_whole(listing));
      options_.duplicates = Duplicates::Keep;
      options_.weights = Weights::File;
    }
    LEEWAY_ASSIGN(GraphPart part, deal(listing));
    return LoadedPart{std::move(part), shared ? LoadedBy::Shares : LoadedBy::OneNode};
  }

 private:
  /// Node 0 looks, and all do as it says: only what all can open at any place is read by all.
  Result<Way> choose_way() {
    Way way = Way::Text;
    Status looked;
    if (exchange_.self() == NodeId(0)) {
      if (!fs::exists(argument_) && is_graph_spec(argument_)) {
        way = Way::Spec;
      } else if (!fs::is_regular_file(argument_)) {
        way = Way::Whole;
      } else if (const auto format = options_.format ? Result<std::string_view>(*options_.format)
                                                     : detect_format(argument_);
                 !format) {
        looked = fail(format.error());
      } else if (*format == "binary") {
        const auto summary = summarize_binary(argument_);
        if (!summary) looked = fail(summary.error());
        const bool as_it_is = summary && !summary->partitioned && leaves_graph(options_);
        way = as_it_is ? Way::Mapped : Way::Binary;
      }
    }
    LEEWAY_TRY(exchange_.agree(std::move(looked)));
    return exchange_.share(way).front();
  }

  Result<LoadedPart> open_range() {
    const bool arcs = balance_ == BalanceBy::Arcs;
    const auto summary = summarize_binary(argument_);
    LEEWAY_TRY(exchange_.agree(summary ? Status{} : fail(summary.error())));
    LEEWAY_TRY(lister_.same_file(summary->mark));
    const auto firsts = divide_binary(argument_, exchange_.count(), arcs);
    LEEWAY_TRY(exchange_.agree(firsts ? Status{} : fail(firsts.error())));
    LoadedPart loaded;
    GraphPart& part = loaded.part;
    part.self = exchange_.self();
    part.ranges = VertexRanges(*firsts);
    LEEWAY_TRY(exchange_.agree(map_range(part)));
    part.totals.vertices = summary->vertices;
    part.totals.arcs = summary->arcs;
    part.totals.directed = summary->directed;
    part.totals.weight_kind = summary->weight_kind;
    part.totals.left_count = summary->left_count;
    return loaded;
  }

  Status map_range(GraphPart& part) {
    const auto last = static_cast<std::uint32_t>(part.ranges.last(part.self));
    LEEWAY_ASSIGN(BinaryPart range, open_binary_range(argument_, part.first(), last));
    GraphParts parts;
    LEEWAY_ASSIGN(parts.names, open_binary_names(argument_, part.first(), last));
    parts.directed = range.directed;
    parts.weight_kind = range.weight_kind;
    parts.offsets = std::move(range.offsets);
    parts.targets = std::move(range.targets);
    parts.weights = std::move(range.weights);
    parts.imaginary = std::move(range.imaginary);
    part.lists = std::move(parts);
    return {};
  }

  /// An entry that stands twice in the file has become two arcs beside each other.
  Status check_once(const Listing& listing, const GraphPart& part) {
    if (!listing.once) return {};
    const GraphParts& lists = part.lists;
    for (std::uint32_t v = 0; v < part.size(); ++v) {
      for (std::uint64_t i = lists.offsets[v] + 1; i < lists.offsets[v + std::size_t{1}]; ++i) {
        const bool mirrored = listing.once->half && part.vertex(v) < lists.targets[i];
        if (lists.targets[i] != lists.targets[i - 1] || mirrored) continue;
        return fail(entry_twice(*listing.once, argument_, part.vertex(v), lists.targets[i]));
      }
    }
    return {};
  }

  Result<GraphPart> deal(Listing& listing) {
    if (listing.names.count > kMostVertices) {
      return fail(
          exchange_.found_by_all(input_error(argument_, format("{} vertices", listing.names.count),
                                             format("at most {} can be numbered", kMostVertices))));
    }
    GraphPart part;
    part.self = exchange_.self();
    part.ranges = divide(listing);
    EdgeList arcs;
    LEEWAY_ASSIGN(arcs, send_arcs(listing, part.ranges));
    GraphShape shape;
    shape.first = part.first();
    shape.vertex_count = part.ranges.size(part.self);
    shape.directed = listing.rule.directed;
    shape.from_both_ends = !shape.directed;
    LEEWAY_ASSIGN(shape.names, deal_names(exchange_, listing.names, part.ranges.firsts()));
    listing = {.rule = listing.rule, .left = listing.left, .once = listing.once};
    LoadOptions build = options_;
    build.direction = Direction::Auto;
    build.symmetrize = false;
    build.self_loops = SelfLoops::Keep;
    auto lists = build_graph(std::move(arcs), std::move(shape), build);
    LEEWAY_TRY(exchange_.agree(lists ? Status{} : fail(lists.error())));
    part.lists = std::move(*lists).take();
    LEEWAY_TRY(exchange_.agree(check_once(listing, part)));
    part.totals.vertices = part.ranges.firsts().back();
    part.totals.arcs = exchange_.sum(part.lists.targets.size());
    part.totals.directed = part.lists.directed;
    part.totals.weight_kind = lister_.widest(part.lists.weight_kind);
    part.totals.left_count = listing.left;
    return part;
  }

  template <class Visit>
  static void for_each_own_arc(const Listing& listing, Visit&& visit) {
    for (const EdgeChunk& chunk : listing.chunks) {
      for_each_arc(chunk, listing.rule,
                   [&](std::size_t, VertexId source, VertexId target) { visit(source, target); });
    }
  }

  /// Ranges of about the same weight; a vertex falls where the middle of its stretch's weight does.
  VertexRanges divide(const Listing& listing) {
    const std::uint64_t count = listing.names.count;
    unsigned shift = 0;
    while (count >> shift >= std::uint64_t{1} << kMostStretchBits) ++shift;
    std::vector<std::uint64_t> weights((count >> shift) + 1, 0);
    if (exchange_.self() == NodeId(0)) {
      for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = std::min(count, (i + 1) << shift) - std::min(count, std::uint64_t{i} << shift);
    }
    if (balance_ == BalanceBy::Arcs) {
      for_each_own_arc(listing,
                       [&](VertexId source, VertexId) { ++weights[source.index() >> shift]; });
      if (listing.whole) {
        for (VertexId v(0); v.value() < count; v = v.next())
          weights[v.index() >> shift] += listing.whole->degree(v);
      }
    }
    exchange_.sum(weights);
    std::uint64_t total = 0;
    for (const std::uint64_t weight : weights) total += weight;
    const std::uint32_t nodes = exchange_.count();
    std::vector<std::uint64_t> firsts(nodes + std::size_t{1}, count);
    firsts[0] = 0;
    std::uint64_t before = 0;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double middle = static_cast<double>(before) + static_cast<double>(weights[i]) / 2;
      while (node + 1 < nodes &&
             middle * nodes >= static_cast<double>(total) * (node + std::uint64_t{1}))
        firsts[++node] = std::min(count, std::uint64_t{i} << shift);
      before += weights[i];
    }
    return VertexRanges(std::move(firsts));
  }

  Result<EdgeList> send_arcs(Listing& listing, const VertexRanges& ranges) {
    ArcExchange arcs(exchange_, listing.kind);
    const auto send = [&](VertexId source, VertexId target, double weight, double imaginary) {
      const NodeId home = ranges.home(source);
      arcs.send(home, VertexId(source.value() - static_cast<std::uint32_t>(ranges.first(home))),
                target, weight, imaginary);
    };
    const bool weighted = listing.kind != WeightKind::None;
    const bool complex = listing.kind == WeightKind::Complex;
    for (EdgeChunk& chunk : listing.chunks) {
      for_each_arc(chunk, listing.rule, [&](std::size_t i, VertexId source, VertexId target) {
        send(source, target, weighted ? chunk.weights()[i] : 0, complex ? chunk.imaginary()[i] : 0);
      });
      chunk = EdgeChunk{};
    }
    if (listing.whole) {
      const Graph& graph = *listing.whole;
      for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
        for (std::uint64_t arc = graph.offsets()[v.index()]; arc < graph.offsets()[v.index() + 1];
             ++arc)
          send(v, graph.targets()[arc], weighted ? graph.weights()[arc] : 0,
               complex ? graph.imaginary()[arc] : 0);
      }
    }
    return arcs.finish();
  }

  Exchange& exchange_;
  const std::string& argument_;
  LoadOptions options_;
  BalanceBy balance_;
  Lister lister_;
};

}  // namespace

Result<LoadedPart> load_part(const ClusterOptions& cluster, const std::string& argument,
                             const LoadOptions& options, BalanceBy balance) {
  LEEWAY_CHECK(cluster.job != nullptr);
  LoadedPart loaded;
  LEEWAY_TRY(exchange_parts(cluster, [&](Exchange& exchange) -> Status {
    LEEWAY_ASSIGN(loaded, PartLoader(exchange, argument, options, balance).load());
    return {};
  }));
  return loaded;
}

}  // namespace leeway
