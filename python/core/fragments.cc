// PIE programs in Python: PEval and IncEval are a Python object's, over arrays of a fragment; workers, messages and
// schedules are the engine's.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/cli/embedded_run.h"
#include "leeway/python/core/bindings.h"
#include "leeway/python/core/calls.h"
#include "leeway/python/core/fragment_view.h"
#include "leeway/runtime/own_job.h"

namespace leeway::python {

namespace {

using pie::Changes;
using pie::Fragment;
using pie::Place;

/// What the program's functions of all fragments share.
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
  /// A value that only falls, or only rises, comes to rest.
  static constexpr bool kAlwaysRests = kCombine != Combine::Sum;

  struct Partial {
    std::shared_ptr<FragmentView> view;
    std::shared_ptr<py::object> part;  // `view` as Python has it, with what the program keeps there
    mutable std::vector<double> results;  // of inner places, once they were asked for
  };

  explicit PythonPie(const Query& query) : query_(query) {}

  [[nodiscard]] pie::FragmentNeeds needs() const {
    return {.lists = Reads::Out, .weights = query_.held->graph->weighted()};
  }
  [[nodiscard]] pie::Candidates candidates() const { return pie::Candidates::Outer; }
  static void aggregate(double& kept, const double& come) {
    kept = kCombine == Combine::Least  ? std::min(kept, come)
           : kCombine == Combine::Most ? std::max(kept, come)
                                       : kept + come;
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
    partial.view->each_news([&](Place place) { changes.mark(place); });
    return {.edges = partial.view->walked(), .vertices = vertices};
  }

  const Query& query_;
};

struct Answered {
  std::vector<double> values;
  pie::QueryRecord record;
};

template <Combine kCombine>
Result<Answered> ask(const Query& query, const pie::SessionOptions& options) {
  const PythonPie<kCombine> program(query);
  HeldSession& held = *query.held;
  LEEWAY_ASSIGN(pie::Session session, pie::Session::open(*held.graph, program.needs(), options));
  held.session.emplace(std::move(session));
  LEEWAY_ASSIGN(auto answer, held.session->ask(program));
  return Answered{std::move(answer.values), std::move(answer.record)};
}

Result<Answered> ask_as(Combine combine, const Query& query, const pie::SessionOptions& options) {
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
  const pie::SessionOptions options = unwrap(cli::embedded_session(settings, job, &stop));
  Calls calls(program, stop);
  const Query query{calls, std::make_shared<HeldSession>(graph, std::nullopt), tolerance};
  auto answered = run_here<Answered>(
      job, [&] { return ask_as(static_cast<Combine>(combine), query, options); }, stop);
  calls.finish(job);
  Answered found = unwrap(std::move(answered));
  const bool first = job == nullptr || job->self() == NodeId(0);
  py::dict told;
  told["values"] = first ? py::object(array_of(std::move(found.values))) : py::none();
  told["converged"] = found.record.converged();
  told["rounds"] = found.record.rounds();
  told["messages"] = found.record.messages();
  told["bytes"] = found.record.bytes();
  told["seconds"] = found.record.compute_seconds;
  return told;
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
