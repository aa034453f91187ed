#include "programs/pagerank/piece.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/check.h"
#include "leeway/piece.h"
#include "runtime/graph/lists.h"

namespace leeway::piece {

namespace {

/// A sum of rank shares in integer units, independent of the order of arrival. The sum of all ranks is at most 1, so
/// it cannot overflow.
struct RankShare {
  static constexpr double kUnits = 0x1.0p60;
  std::int64_t units = 0;

  RankShare& operator+=(const RankShare& more) {
    units += more.units;
    return *this;
  }
  [[nodiscard]] static RankShare of(double rank) { return {std::llround(rank * kUnits)}; }
  [[nodiscard]] double value() const { return static_cast<double>(units) / kUnits; }
};

class PageRankPieces {
 public:
  using Object = double;
  using Partial = RankShare;
  struct Scratch {
    std::vector<double> ranks;  ///< those that were sent, by index in their piece
  };

  /// `from`: initial ranks by vertex; null: uniform.
  PageRankPieces(const Graph& graph, const GraphPieces& pieces, const PageRankJob& job,
                 const std::vector<double>* from)
      : graph_(graph), pieces_(pieces), job_(job), tolerance_(tolerance_of(job)), from_(from) {}

  [[nodiscard]] const PieceLayout& layout() const { return pieces_.layout(); }
  [[nodiscard]] std::vector<double> load(PieceId piece) const {
    std::vector<double> ranks(pieces_.vertices(piece).size(), base());
    if (from_ == nullptr) return ranks;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      ranks[i] = (*from_)[pieces_.vertices(piece)[i].index()];
    return ranks;
  }

  /// To another worker: a bit for each vertex of `from`, set if `to` read it, and the ranks of these vertices; or all
  /// ranks if they are fewer numbers.
  void spread(PieceId from, std::span<const double> ranks, std::span<const PieceId> to,
              std::vector<double>& out) const {
    std::vector<std::uint64_t> read(words_for(ranks.size()));
    for (const PieceId other : to) {
      for (const GraphPieces::Arc& arc : pieces_.arcs(other, from))
        read[arc.source / kBits] |= std::uint64_t{1} << arc.source % kBits;
    }
    if (read.size() + ones_in(read) >= ranks.size()) {
      out.assign(ranks.begin(), ranks.end());
      return;
    }
    for (const std::uint64_t word : read) out.push_back(std::bit_cast<double>(word));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if ((read[i / kBits] >> i % kBits & 1U) != 0) out.push_back(ranks[i]);
    }
  }

  /// True for data that `spread` makes, or for all ranks of a piece.
  [[nodiscard]] bool accepts(PieceId from, bool whole, std::span<const double> objects) const {
    const std::size_t count = pieces_.vertices(from).size();
    if (objects.size() == count) return true;
    const std::size_t words = words_for(count);
    if (whole || objects.size() > count || objects.size() < words) return false;
    const std::vector<std::uint64_t> read = bits_of(objects.first(words));
    if (count % kBits != 0 && read.back() >> count % kBits != 0) return false;
    return words + ones_in(read) == objects.size();
  }

  void process(Piece<PageRankPieces>& piece) const {
    const auto got = piece.get();
    const auto own = pieces_.vertices(piece.id());
    piece.expect(own.size());
    const auto from = pieces_.vertices(got.from);
    const auto arcs = pieces_.arcs(piece.id(), got.from);
    const std::span<const double> ranks = ranks_of(got, piece.scratch().ranks);
    for (const GraphPieces::Arc& arc : arcs) {
      const double degree = static_cast<double>(graph_.degree(from[arc.source]));
      piece.update(arc.target, RankShare::of(ranks[arc.source] / degree));
    }
    piece.charge({.picoseconds = arcs.size() * job_.arc_ps});
    if (!piece.barrier()) return;
    for (std::size_t i = 0; i < own.size(); ++i)
      piece.set(i, base() + job_.what.damping * piece.update(i).value());
    piece.charge({.picoseconds = own.size() * job_.vertex_ps});
    piece.diffuse();
  }

  [[nodiscard]] double change(double before, double now) const { return std::abs(now - before); }
  [[nodiscard]] bool may_terminate() const { return tolerance_.has_value(); }
  /// The sum of all changes is at most the largest change times the number of vertices.
  [[nodiscard]] bool termination(TickId, double change) const {
    return change * graph_.vertex_count() <= tolerance_.value_or(-1);
  }

 private:
  static constexpr std::size_t kBits = 64;

  [[nodiscard]] static std::size_t words_for(std::size_t bits) {
    return (bits + kBits - 1) / kBits;
  }
  [[nodiscard]] static std::size_t ones_in(std::span<const std::uint64_t> words) {
    std::size_t ones = 0;
    for (const std::uint64_t word : words) ones += static_cast<std::size_t>(std::popcount(word));
    return ones;
  }
  [[nodiscard]] static std::vector<std::uint64_t> bits_of(std::span<const double> words) {
    std::vector<std::uint64_t> bits(words.size());
    std::memcpy(bits.data(), words.data(), words.size_bytes());
    return bits;
  }

  [[nodiscard]] double base() const { return (1 - job_.what.damping) / graph_.vertex_count(); }

  /// The ranks by index in their piece. Those that were not sent are not read.
  [[nodiscard]] std::span<const double> ranks_of(const Got<double>& got,
                                                 std::vector<double>& storage) const {
    const std::size_t count = pieces_.vertices(got.from).size();
    if (got.objects.size() == count) return got.objects;
    storage.resize(std::max(storage.size(), count));
    const auto read = bits_of(got.objects.first(words_for(count)));
    std::size_t at = read.size();
    for (std::size_t word = 0; word < read.size(); ++word) {
      for (std::uint64_t left = read[word]; left != 0; left &= left - 1)
        storage[word * kBits + static_cast<std::size_t>(std::countr_zero(left))] =
            got.objects[at++];
    }
    return storage;
  }

  const Graph& graph_;
  const GraphPieces& pieces_;
  const PageRankJob& job_;
  std::optional<double> tolerance_;
  const std::vector<double>* from_;
};

}  // namespace

std::optional<double> tolerance_of(const PageRankJob& job) {
  if (job.fixed) return std::nullopt;
  return job.what.tolerance.value_or(1e-13);
}

Result<PageRankResult> run_pagerank(const Graph& graph, const PageRankJob& job,
                                    const ClusterOptions& cluster, const PieceOptions& options,
                                    const PieceEnds<double>& ends) {
  LEEWAY_ASSIGN(const Csr reads, lists_of(graph, Reads::In, false));
  LEEWAY_ASSIGN(const GraphPieces pieces,
                GraphPieces::make(graph, reads, job.partition, cluster, job.pieces));
  const PageRankPieces program(graph, pieces, job, ends.from);
  const auto by_vertex = [&pieces](std::span<const std::vector<std::byte>> values) {
    return pieces.by_vertex<double>(values);
  };
  LEEWAY_ASSIGN(PieceResult ran,
                run_pieces_of(program, cluster, with_keeper(options, ends, by_vertex)));
  PageRankResult run{.ranks = {}, .record = std::move(ran.record)};
  if (ran.snapshots.empty()) return run;
  run.ranks = pieces.by_vertex<double>(ran.snapshots.back().pieces);
  scale_to_one(run.ranks, sum_of(run.ranks));
  return run;
}

}  // namespace leeway::piece
