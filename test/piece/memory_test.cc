// A run by pieces stores only a few ticks of each piece at a time, for any number of ticks.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>

#include "test/piece/piece_support.h"

using namespace leeway;
using namespace leeway::piece;
using namespace leeway::testing;

namespace {

constexpr std::uint32_t kPieces = 3;

/// Counts the live instances.
struct Counted {
  Counted() {
    const int now = ++alive;
    int seen = most.load();
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }

  static inline std::atomic<int> alive{0}, most{0};
};

/// Each piece counts its ticks and receives a message of the previous piece.
class Clocks {
 public:
  using Object = std::uint64_t;
  struct Partial {};
  using Scratch = Counted;

  Clocks() {
    std::vector<NodeId> homes;
    std::vector<std::vector<PieceId>> needs(kPieces);
    for (std::uint32_t piece = 0; piece < kPieces; ++piece) {
      homes.emplace_back(0);
      if (piece > 0) needs[piece].emplace_back(piece - 1);
    }
    layout_ = PieceLayout(std::move(homes), needs);
  }
  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] std::vector<Object> load(PieceId) const { return {0}; }
  void process(Piece<Clocks>& piece) const {
    if (!piece.barrier()) return;
    piece.next(1)[0] = piece.before()[0] + 1;
    piece.diffuse();
  }

 private:
  PieceLayout layout_;
};

}  // namespace

TEST_CASE("a run of many ticks needs no more memory than one of few") {
  const System system = GENERATE(from_range(kSystems));
  CAPTURE(system_name(system));
  Counted::most = 0;
  PieceOptions options{.system = system, .ticks = 1000};
  const auto run = run_pieces_of(Clocks(), piece_cluster(Fabric::Sim, 1, "ideal"), options);
  REQUIRE(run.has_value());
  CHECK(objects_of<std::uint64_t>(run->snapshots.back().pieces) ==
        std::vector<std::uint64_t>(kPieces, 1000));
  CHECK(Counted::alive == 0);
  CHECK(Counted::most <= 6 * static_cast<int>(kPieces));
}
