// The view of a fragment for PIE programs in Python: its adjacency lists as arrays without copying, the values of its
// places, and loops over arcs that would be slow in Python.
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

/// The aggregate function f_aggr.
enum class Combine { Least, Most, Sum };

/// Owns the memory that the arrays view; it is released with the last of them.
struct HeldSession {
  std::shared_ptr<Graph> graph;
  std::optional<pie::Session> session;
};

/// The fragment of one worker. Not thread-safe; one worker uses it at a time.
class FragmentView {
 public:
  using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

  FragmentView(std::shared_ptr<HeldSession> held, const pie::Fragment& fragment, Combine combine,
               double tolerance);

  // Called by Python, with the GIL:

  [[nodiscard]] const pie::Fragment& fragment() const { return fragment_; }
  [[nodiscard]] std::uint32_t graph_vertices() const { return held_->graph->vertex_count(); }
  [[nodiscard]] std::vector<double>& values() { return values_; }
  [[nodiscard]] const std::vector<std::uint32_t>& vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<std::int64_t>& degrees() const { return degrees_; }
  void set_values(const py::object& given);
  /// The arcs of inner places, and the source place of each arc.
  py::tuple arcs(const Places& places);
  /// Combines `offers` into the values; returns the places that changed, each once.
  Places offer(const Places& places, const py::object& offers);
  /// For each place, the sum of `shares` (one number for each inner place) over its in-arcs.
  py::array_t<double> spread(const py::object& shares);

  // Called by the engine:

  /// Combines a received value into the place's value; true if this changed it.
  bool take(pie::Place place, double received);
  /// Calls `mark` for each copy whose value has changed since it was last sent.
  template <class Mark>
  void for_each_changed(Mark&& mark) {
    for (pie::Place p = fragment_.inner_count(); p < fragment_.vertex_count(); ++p) {
      if (has_change(p)) mark(p);
    }
  }
  /// The value of a copy to send. With Combine::Sum, the copy is reset to 0.
  [[nodiscard]] double send(pie::Place place);
  /// Number of arcs traversed since the last call.
  [[nodiscard]] std::uint64_t take_traversed_arcs();

 private:
  [[nodiscard]] bool has_change(pie::Place copy) const;
  [[nodiscard]] pie::Place checked(std::int64_t place, std::uint32_t end, const char* where) const;

  std::shared_ptr<HeldSession> held_;
  const pie::Fragment& fragment_;
  Combine combine_;
  double tolerance_;  // with Sum: a smaller or equal change of a copy is not sent
  std::vector<std::uint32_t> vertices_;
  std::vector<std::int64_t> degrees_;  // of inner places
  std::vector<double> values_;         // by place
  std::vector<double> sent_;           // by copy
  std::vector<std::uint8_t> seen_;     // by place; used within `offer`
  std::uint64_t traversed_arcs_ = 0;
};

}  // namespace leeway::python
