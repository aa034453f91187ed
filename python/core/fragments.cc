// The view of a fragment for PIE programs in Python: its adjacency lists as arrays without copying, the values of its
// places, and loops over arcs that would be slow in Python.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/embedded_run.h"
#include "base/format.h"
#include "leeway/cluster.h"
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

namespace {

double idle(Combine combine) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return combine == Combine::Sum ? 0 : combine == Combine::Least ? kInfinity : -kInfinity;
}

}  // namespace

FragmentView::FragmentView(std::shared_ptr<HeldSession> held, const pie::Fragment& fragment,
                           Combine combine, double tolerance)
    : held_(std::move(held)),
      fragment_(fragment),
      combine_(combine),
      tolerance_(tolerance),
      values_(fragment.vertex_count(), idle(combine)),
      sent_(fragment.outer_count(), idle(combine)),
      seen_(fragment.vertex_count(), 0) {
  vertices_.reserve(fragment.vertex_count());
  for (pie::Place p = 0; p < fragment.vertex_count(); ++p)
    vertices_.push_back(fragment.vertex(p).value());
  for (pie::Place p = 0; p < fragment.inner_count(); ++p)
    degrees_.push_back(static_cast<std::int64_t>(fragment.degree(p)));
}

void FragmentView::set_values(const py::object& given) {
  const auto numbers =
      numbers_of(given, values_.size(), "part.values", "give one for each of part.vertices");
  std::copy(numbers.data(), numbers.data() + numbers.size(), values_.begin());
}

pie::Place FragmentView::checked(std::int64_t place, std::uint32_t end, const char* where) const {
  if (place < 0 || place >= std::int64_t{end})
    raise(input_error(where, format("place {} is beyond the last of {} places", place, end),
                      "places are numbered from 0; inner places come first"));
  return static_cast<pie::Place>(place);
}

py::tuple FragmentView::arcs(const Places& places) {
  const std::uint64_t* const offsets = fragment_.offsets();
  std::uint64_t count = 0;
  for (py::ssize_t i = 0; i < places.size(); ++i) {
    const pie::Place place = checked(places.data()[i], fragment_.inner_count(), "part.arcs");
    count += offsets[place + std::size_t{1}] - offsets[place];
  }
  std::vector<std::int64_t> arcs, sources;
  arcs.reserve(count);
  sources.reserve(count);
  for (py::ssize_t i = 0; i < places.size(); ++i) {
    const std::int64_t place = places.data()[i];
    for (std::uint64_t arc = offsets[place]; arc < offsets[place + 1]; ++arc) {
      arcs.push_back(static_cast<std::int64_t>(arc));
      sources.push_back(place);
    }
  }
  traversed_arcs_ += arcs.size();
  return py::make_tuple(array_of(std::move(arcs)), array_of(std::move(sources)));
}

FragmentView::Places FragmentView::offer(const Places& places, const py::object& offers) {
  const auto numbers = numbers_of(offers, static_cast<std::size_t>(places.size()), "part.offer",
                                  "give one for each place");
  std::vector<std::int64_t> changed;
  for (py::ssize_t i = 0; i < places.size(); ++i) {
    const pie::Place place = checked(places.data()[i], fragment_.vertex_count(), "part.offer");
    if (!take(place, numbers.data()[i]) || seen_[place] != 0) continue;
    seen_[place] = 1;
    changed.push_back(place);
  }
  for (const std::int64_t place : changed) seen_[static_cast<std::size_t>(place)] = 0;
  return array_of(std::move(changed));
}

py::array_t<double> FragmentView::spread(const py::object& shares) {
  const auto numbers =
      numbers_of(shares, fragment_.inner_count(), "part.spread", "give one for each inner place");
  std::vector<double> sums(fragment_.vertex_count(), 0.0);
  {
    const py::gil_scoped_release released;
    for (pie::Place p = 0; p < fragment_.inner_count(); ++p) {
      const double share = numbers.data()[p];
      const std::uint64_t end = fragment_.offsets()[p + std::size_t{1}];
      traversed_arcs_ += share == 0 ? 0 : end - fragment_.offsets()[p];
      if (share == 0) continue;
      for (std::uint64_t arc = fragment_.offsets()[p]; arc < end; ++arc)
        sums[fragment_.targets()[arc]] += share;
    }
  }
  return array_of(std::move(sums));
}

bool FragmentView::take(pie::Place place, double received) {
  double& kept = values_[place];
  const double before = kept;
  switch (combine_) {
    case Combine::Least:
      if (received < kept) kept = received;
      break;
    case Combine::Most:
      if (received > kept) kept = received;
      break;
    case Combine::Sum:
      kept += received;
      break;
  }
  return kept != before;
}

bool FragmentView::has_change(pie::Place copy) const {
  if (combine_ == Combine::Sum) return std::abs(values_[copy]) > tolerance_;
  return values_[copy] != sent_[copy - fragment_.inner_count()];
}

double FragmentView::send(pie::Place place) {
  if (combine_ == Combine::Sum) return std::exchange(values_[place], 0.0);
  return sent_[place - fragment_.inner_count()] = values_[place];
}

std::uint64_t FragmentView::take_traversed_arcs() { return std::exchange(traversed_arcs_, 0); }

namespace {

// PIE programs in Python: a Python object implements PEval and IncEval on arrays of a fragment; the engine provides workers,
// messages and schedules.
using pie::Changes;
using pie::Fragment;
using pie::Place;

/// State shared by the program's functions of all fragments.
struct Query {
  Calls& calls;
  std::shared_ptr<HeldSession> held;
  double tolerance = 0;
};

template <Combine kCombine>
class PythonPie {
 public:
  using Value = double;
  using Result = double;
  /// Values that only decrease, or only increase, always converge.
  static constexpr bool kAlwaysRests = kCombine != Combine::Sum;

  struct Partial {
    std::shared_ptr<FragmentView> view;
    std::shared_ptr<py::object>
        part;  // Python object of `view`, with the attributes that the program stores in it
    mutable std::vector<double> results;  // of inner places; empty until the first call of `result`
  };

  explicit PythonPie(const Query& query) : query_(query) {}

  [[nodiscard]] pie::FragmentNeeds needs() const {
    return {.lists = Reads::Out, .weights = query_.held->graph->weighted()};
  }
  [[nodiscard]] pie::Candidates candidates() const { return pie::Candidates::Outer; }
  static void aggregate(double& kept, const double& received) {
    kept = kCombine == Combine::Least  ? std::min(kept, received)
           : kCombine == Combine::Most ? std::max(kept, received)
                                       : kept + received;
  }
  [[nodiscard]] static double magnitude(double change)
    requires(kCombine == Combine::Sum)
  {
    return std::abs(change);
  }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.view =
        std::make_shared<FragmentView>(query_.held, fragment, kCombine, query_.tolerance);
    query_.calls.call([&](const py::object& program) {
      partial.part = shared_object(py::cast(partial.view));
      partial.view->set_values(program.attr("init")(*partial.part));
      program.attr("peval")(*partial.part);
    });
    return ended(partial, changes, fragment.inner_count());
  }

  Work inceval(const Fragment&, Partial& partial, std::span<pie::Update<double>> updates,
               Changes& changes) const {
    std::vector<std::int64_t> places;
    for (const auto& [place, value] : updates) {
      if (partial.view->take(place, value)) places.push_back(place);
    }
    const std::uint64_t count = places.size();
    if (!places.empty()) {
      query_.calls.call([&](const py::object& program) {
        program.attr("inceval")(*partial.part, array_of(std::move(places)));
      });
    }
    return ended(partial, changes, count);
  }

  [[nodiscard]] double parameter(const Fragment&, Partial& partial, Place place) const {
    return partial.view->send(place);
  }

  [[nodiscard]] double result(const Fragment& fragment, const Partial& partial, Place inner) const {
    if (partial.results.empty()) {
      partial.results.assign(fragment.inner_count(), 0.0);
      query_.calls.call([&](const py::object& program) {
        const auto numbers = numbers_of(
            program.attr("result")(*partial.part), fragment.inner_count(),
            py::str(py::type::of(program).attr("__name__")).cast<std::string>() + ".result",
            "give one for each inner place");
        std::copy(numbers.data(), numbers.data() + numbers.size(), partial.results.begin());
      });
    }
    return partial.results[inner];
  }

 private:
  Work ended(Partial& partial, Changes& changes, std::uint64_t vertices) const {
    partial.view->for_each_changed([&](Place place) { changes.mark(place); });
    return {.edges = partial.view->take_traversed_arcs(), .vertices = vertices};
  }

  const Query& query_;
};

struct Answered {
  std::vector<double> values;
  Record record;
};

template <Combine kCombine>
Result<Answered> ask(const Query& query, const RunOptions& options) {
  const PythonPie<kCombine> program(query);
  HeldSession& held = *query.held;
  LEEWAY_ASSIGN(pie::Session session, pie::Session::open(*held.graph, program.needs(), options));
  held.session.emplace(std::move(session));
  LEEWAY_ASSIGN(auto answer, held.session->ask(program));
  return Answered{std::move(answer.values), std::move(answer.record)};
}

Result<Answered> ask_as(Combine combine, const Query& query, const RunOptions& options) {
  switch (combine) {
    case Combine::Least:
      return ask<Combine::Least>(query, options);
    case Combine::Most:
      return ask<Combine::Most>(query, options);
    case Combine::Sum:
      break;
  }
  return ask<Combine::Sum>(query, options);
}

py::dict run_pie(const py::object& program, const std::shared_ptr<Graph>& graph, int combine,
                 double tolerance, const Settings& settings) {
  Job* const job = unwrap([] {
    const py::gil_scoped_release released;
    return own_job();
  }());
  std::atomic<bool> stop = false;
  std::vector<std::string> warnings;
  const RunOptions options = unwrap(app::embedded_session(settings, job, &stop, warnings));
  Calls calls(program, stop);
  const Query query{calls, std::make_shared<HeldSession>(graph, std::nullopt), tolerance};
  auto answered = run_here<Answered>(
      job, [&] { return ask_as(static_cast<Combine>(combine), query, options); }, stop);
  calls.finish(job);
  Answered found = unwrap(std::move(answered));
  const bool first = job == nullptr || job->self() == NodeId(0);
  py::dict result;
  result["values"] = first ? py::object(array_of(std::move(found.values))) : py::none();
  result["warnings"] = warnings;
  result["converged"] = found.record.converged();
  result["rounds"] = found.record.count(Counter::Rounds);
  result["messages"] = found.record.messages();
  result["bytes"] = found.record.bytes();
  result["seconds"] = found.record.phases.compute;
  return result;
}

template <class T>
py::array_t<T> view_of(const py::object& self, const std::vector<T>& values) {
  return array_over(values.data(), values.size(), self);
}

}  // namespace

void bind_fragments(py::module_& module) {
  using View = FragmentView;
  const auto of = [](const py::object& self) -> View& { return self.cast<View&>(); };
  py::class_<View, std::shared_ptr<View>>(module, "Fragment", py::dynamic_attr())
      .def_property_readonly("n", &View::graph_vertices)
      .def_property_readonly("number",
                             [](const View& view) { return view.fragment().id().value(); })
      .def_property_readonly("inner",
                             [](const View& view) { return view.fragment().inner_count(); })
      .def_property_readonly(
          "vertices", [of](const py::object& self) { return view_of(self, of(self).vertices()); })
      .def_property_readonly(
          "degrees", [of](const py::object& self) { return view_of(self, of(self).degrees()); })
      .def_property_readonly("indptr",
                             [of](const py::object& self) {
                               const Fragment& fragment = of(self).fragment();
                               return array_over(fragment.offsets(),
                                                 fragment.inner_count() + std::size_t{1}, self);
                             })
      .def_property_readonly("indices",
                             [of](const py::object& self) {
                               const Fragment& fragment = of(self).fragment();
                               return array_over(fragment.targets(), fragment.arc_count(), self);
                             })
      .def_property_readonly("weights",
                             [of](const py::object& self) -> py::object {
                               const Fragment& fragment = of(self).fragment();
                               if (fragment.weights() == nullptr) return py::none();
                               return array_over(fragment.weights(), fragment.arc_count(), self);
                             })
      .def_property(
          "values",
          [of](const py::object& self) {
            std::vector<double>& values = of(self).values();
            return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data(),
                                       self);
          },
          &View::set_values)
      .def("arcs", &View::arcs)
      .def("offer", &View::offer)
      .def("spread", &View::spread);
  module.def("run_pie", &run_pie);
}

}  // namespace leeway::python
