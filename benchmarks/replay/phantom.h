// A simulation that is sized, priced and sent, but not computed: even ground full of tuples that see as far
// as V and move as far as R. The real engine runs it, its queries are the fish school's (or, with V = 1
// and R = 0, the heated plate's), its messages have their true sizes and STEP its price, so a paper's
// fifty nodes fit into one small machine. That results are right is the tests' business, which compute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/base/box.h"
#include "leeway/base/bytes.h"
#include "leeway/runtime/tick/run_ticks.h"

namespace leeway::replay {

struct Ground {
  Box area;            ///< where tuples are
  double density = 1;  ///< tuples a unit of area
  double sight = 1;    ///< V
  double reach = 0;    ///< R
  double tuple_bytes = 8;
  double tuple_ns = 1;  ///< what stepping one takes
};

/// A box of some ground.
struct Plot {
  Box box;
  Box area;
  double density = 0;
  double tuple_bytes = 0;

  /// Tuples in `box` and not in `hole`.
  [[nodiscard]] double tuples(const std::optional<Plot>& hole = std::nullopt) const;
};

class PhantomState {
 public:
  using Query = Plot;
  class Selection {
   public:
    [[nodiscard]] double tuples() const { return tuples_; }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(tuples_); }

   private:
    friend class PhantomState;
    double tuples_ = 0;
  };

  void reset(const Plot& own, const Plot& held) {
    (void)held;
    own_ = own;
  }
  void select(const Plot& inside, const std::optional<Plot>& outside, Selection& found) const {
    found.tuples_ = inside.tuples(outside);
  }
  void keep_private(const std::optional<Plot>& inner) { (void)inner; }
  void select_border(Selection& found) const { select(own_, std::nullopt, found); }
  void mark_own() {}
  void drop_others() {}
  /// As many bytes as the tuples take, all zero.
  void encode(const Selection& border, const Plot& wanted, ByteWriter& out) const;
  void encode_own(ByteWriter& out) const { out.byte(0); }
  [[nodiscard]] bool decode(ByteReader& in) { return in.raw(in.left()).data() != nullptr; }
  void arrange() {}
  void copy(const Plot& query, PhantomState& other) const { (void)query, (void)other; }
  [[nodiscard]] std::optional<std::string> stray(const Selection& border, const Plot& own,
                                                 std::span<const Plot> others) const {
    (void)border, (void)own, (void)others;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> misplaced(std::span<const Plot> parts) const {
    (void)parts;
    return std::nullopt;
  }
  [[nodiscard]] static std::optional<std::string> difference(const PhantomState& a,
                                                             const PhantomState& b) {
    (void)a, (void)b;
    return std::nullopt;
  }

 private:
  Plot own_;
};

class Phantom {
 public:
  using Query = Plot;
  using State = PhantomState;

  explicit Phantom(const Ground& ground) : ground_(ground) {}

  [[nodiscard]] Result<std::vector<Plot>> part(std::uint32_t count, const State* now) const;
  Status create(const Plot& query, State& state) const {
    (void)query, (void)state;
    return {};
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    (void)to_step, (void)context, (void)result;
  }
  [[nodiscard]] Plot rd(const Plot& plot) const {
    return with(plot, plot.box.grown(ground_.sight));
  }
  [[nodiscard]] Plot rx(const Plot& plot) const {
    return with(plot, plot.box.shrunk(ground_.sight));
  }
  [[nodiscard]] Plot wd(const Plot& plot) const {
    return with(plot, plot.box.grown(ground_.reach));
  }
  [[nodiscard]] Plot wx(const Plot& plot) const {
    return with(plot, plot.box.shrunk(ground_.reach));
  }
  [[nodiscard]] bool disjoint(const Plot& a, const Plot& b) const { return a.box.disjoint(b.box); }
  [[nodiscard]] Duration price(const State::Selection& to_step) const;

 private:
  [[nodiscard]] static Plot with(Plot plot, const Box& box) {
    plot.box = box;
    return plot;
  }

  Ground ground_;
};

/// Steps it; the time it takes is all there is to know.
[[nodiscard]] Result<tick::Run<PhantomState>> run_phantom(const Ground& ground,
                                                          const tick::Options& options,
                                                          const ClusterOptions& cluster);

}  // namespace leeway::replay
