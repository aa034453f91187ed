// A fragment as a PIE program in Python sees it: its lists as arrays that are not copied, the values of its
// places, and the loops over arcs that would be slow in Python.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leeway/pie.h"
#include "python/core/bindings.h"

namespace leeway::python {

/// f_aggr.
enum class Combine { Least, Most, Sum };

/// What the arrays look into; it goes with the last of them.
struct HeldSession {
  std::shared_ptr<Graph> graph;
  std::optional<pie::Session> session;
};

/// One worker's own.
class FragmentView {
 public:
  using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

  FragmentView(std::shared_ptr<HeldSession> held, const pie::Fragment& fragment, Combine combine,
               double tolerance);

  // For Python, which holds the GIL:

  [[nodiscard]] const pie::Fragment& fragment() const { return fragment_; }
  [[nodiscard]] std::uint32_t graph_vertices() const { return held_->graph->vertex_count(); }
  [[nodiscard]] std::vector<double>& values() { return values_; }
  [[nodiscard]] const std::vector<std::uint32_t>& vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<std::int64_t>& degrees() const { return degrees_; }
  void set_values(const py::object& given);
  /// The arcs of inner places, and whose each is.
  py::tuple arcs(const Places& places);
  /// Combines what is offered into the values; gives the places that changed, each once.
  Places offer(const Places& places, const py::object& offers);
  /// What one number an inner place comes to where it goes along each of the place's arcs, added up by target.
  py::array_t<double> spread(const py::object& shares);

  // For the engine:

  /// Combines; true if that changed the value.
  bool take(pie::Place place, double come);
  /// Calls `mark` for copies whose values have changed since they were last sent.
  template <class Mark>
  void each_news(Mark&& mark) {
    for (pie::Place p = fragment_.inner_count(); p < fragment_.vertex_count(); ++p) {
      if (news(p)) mark(p);
    }
  }
  /// What is sent of a copy; of a sum it is then 0, for it has been passed on.
  [[nodiscard]] double send(pie::Place place);
  /// Arcs walked since this was last asked.
  [[nodiscard]] std::uint64_t walked();

 private:
  [[nodiscard]] bool news(pie::Place copy) const;
  [[nodiscard]] pie::Place checked(std::int64_t place, std::uint32_t end, const char* where) const;

  std::shared_ptr<HeldSession> held_;
  const pie::Fragment& fragment_;
  Combine combine_;
  double tolerance_;  // of a sum: a copy's change that is no greater stays
  std::vector<std::uint32_t> vertices_;
  std::vector<std::int64_t> degrees_;  // of inner places
  std::vector<double> values_;         // by place
  std::vector<double> sent_;           // by copy
  std::vector<std::uint8_t> seen_;     // by place, of the offer under way
  std::uint64_t walked_ = 0;
};

}  // namespace leeway::python
