// A piece program (Shen et al., PACT 2019, AsyTick): heat on a ring of 32 pieces of 64 cells.
//
//   piece [FLAG...]      --help lists the flags; --system oritick waits for all workers in every tick
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "leeway/piece.h"
#include "leeway/settings.h"

using leeway::NodeId;
using leeway::piece::Piece;
using leeway::piece::PieceId;
using leeway::piece::PieceLayout;
constexpr std::uint32_t kPieces = 32;  // the ring is divided into them
constexpr std::uint32_t kCells = 64;   // in each
class WarmRing {
 public:
  using Object = std::int64_t;  // a cell's heat, in millionths of a degree
  struct Partial {              // what its neighbours give it, added up
    std::int64_t sum = 0;
    Partial& operator+=(const Partial& more) {
      sum += more.sum;
      return *this;
    }
  };
  // Divide(S) and Partition(P): neighbouring pieces to one worker; each reads the one before it, and the way
  // back follows from that.
  explicit WarmRing(std::uint32_t workers) {
    std::vector<NodeId> homes;
    std::vector<std::vector<PieceId>> needs(kPieces);
    for (std::uint32_t i = 0; i < kPieces; ++i) {
      homes.emplace_back(i * workers / kPieces);
      needs[i] = {PieceId((i + kPieces - 1) % kPieces)};
    }
    layout_ = PieceLayout(homes, needs);
  }
  const PieceLayout& layout() const { return layout_; }
  // The piece's cells before tick 0: one of them is hot.
  std::vector<std::int64_t> load(PieceId piece) const {
    std::vector<std::int64_t> cells(kCells, 0);
    if (piece == PieceId(0)) cells[0] = 1'000'000'000;
    return cells;
  }
  // A tick of a piece, called for every arrival: Algorithm 3.
  void process(Piece<WarmRing>& piece) const {
    const auto got = piece.get();  // Get(P)
    const auto cells = got.objects;
    piece.expect(kCells);
    if (got.from == piece.id()) {
      for (std::size_t i = 0; i < kCells; ++i) {
        piece.update(i, {2 * cells[i]});  // Update(O, state)
        if (i > 0) piece.update(i, {cells[i - 1]});
        if (i + 1 < kCells) piece.update(i, {cells[i + 1]});
      }
    } else if (got.from == PieceId((piece.id().value() + 1) % kPieces)) {
      piece.update(kCells - 1, {cells.front()});
    } else {
      piece.update(0, {cells.back()});
    }
    if (!piece.barrier()) return;  // Barrier(P): some piece around is not in yet
    for (std::size_t i = 0; i < kCells; ++i) piece.set(i, piece.update(i).sum / 4);  // Set(O1, O2)
    piece.diffuse();                                                                 // Diffuse(P)
  }

 private:
  PieceLayout layout_;
};

int main(int argc, char** argv) {
  leeway::Options options(argc, argv, leeway::OwnEngine::Piece);
  const WarmRing ring(options.cluster.nodes);
  const auto run =
      leeway::value_or_exit(leeway::piece::run_pieces_of(ring, options.cluster, options.piece));
  if (!options.first) return 0;
  const auto cells = leeway::piece::objects_of<std::int64_t>(run.snapshots.back().pieces);
  const auto warm = std::count_if(cells.begin(), cells.end(), [](auto heat) { return heat > 0; });
  std::printf("%zu cells, %td of them warm, the warmest at %.3f degrees\n", cells.size(), warm,
              static_cast<double>(*std::max_element(cells.begin(), cells.end())) * 1e-6);
}
