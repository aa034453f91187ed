#include "leeway/benchmarks/replay/phantom.h"

#include <algorithm>
#include <cmath>

namespace leeway::replay {

namespace {

Box common(const Box& a, const Box& b) {
  return {std::max(a.left, b.left), std::max(a.bottom, b.bottom), std::min(a.right, b.right),
          std::min(a.top, b.top)};
}

double area_of(const Box& box) {
  return box.empty() ? 0 : (box.right - box.left) * (box.top - box.bottom);
}

}  // namespace

double Plot::tuples(const std::optional<Plot>& hole) const {
  const Box here = common(box, area);
  const double without = hole ? area_of(common(here, hole->box)) : 0;
  return std::max(0.0, area_of(here) - without) * density;
}

void PhantomState::encode(const Selection& border, const Plot& wanted, ByteWriter& out) const {
  (void)border;  // nobody wants what is not in it
  Plot both = own_;
  both.box = common(own_.box, wanted.box);
  out.byte(0);
  const auto bytes = static_cast<std::size_t>(std::llround(both.tuples() * both.tuple_bytes));
  (void)out.extend(bytes);
}

Result<std::vector<Plot>> Phantom::part(std::uint32_t count, const State* now) const {
  (void)now;  // even ground stays even
  std::vector<Plot> plots;
  for (const Box& box : grid_boxes(ground_.area, count))
    plots.push_back({box, ground_.area, ground_.density, ground_.tuple_bytes});
  return plots;
}

Duration Phantom::price(const State::Selection& to_step) const {
  return Duration(std::llround(to_step.tuples() * ground_.tuple_ns));
}

Result<tick::Run<PhantomState>> run_phantom(const Ground& ground, const tick::Options& options,
                                            const ClusterOptions& cluster) {
  return run_ticks(Phantom(ground), options, cluster);
}

}  // namespace leeway::replay
