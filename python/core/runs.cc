#include <atomic>
#include <memory>
#include <optional>
#include <variant>

#include "leeway/cli/embedded_run.h"
#include "leeway/python/core/bindings.h"
#include "leeway/python/core/calls.h"
#include "leeway/runtime/own_job.h"

namespace leeway::python {

namespace {

py::object values_of(ProgramValues values) {
  if (values.row > 0) {
    const auto row = static_cast<py::ssize_t>(values.row);
    const py::array_t<float> flat = array_of(std::move(values.rows));
    return flat.attr("reshape")(-1, row);
  }
  return std::visit([](auto& each) -> py::object { return array_of(std::move(each)); },
                    values.by_vertex);
}

std::string shown_name(Shown shown) {
  constexpr const char* kNames[] = {"real", "distance", "count", "depth", "paths", "vertex"};
  return kNames[static_cast<int>(shown)];
}

py::object table_of(cli::ResultNumbers table) {
  if (table.columns == 0) return py::none();
  const auto columns = static_cast<py::ssize_t>(table.columns);
  const py::array_t<double> flat = array_of(std::move(table.numbers));
  return flat.attr("reshape")(-1, columns);
}

/// `gather`: the first process has all values; else each has its own.
py::dict run(const std::string& program, const std::optional<std::shared_ptr<Graph>>& graph,
             const std::string& graph_name, const Settings& settings, bool gather) {
  std::atomic<bool> stop = false;
  Job* const job = unwrap([] {
    const py::gil_scoped_release released;
    return own_job();
  }());
  const auto work = [&] {
    return cli::run_embedded({.program = program,
                              .graph = graph ? graph->get() : nullptr,
                              .graph_name = graph_name,
                              .settings = settings,
                              .own_part = !gather,
                              .stop = &stop},
                             job);
  };
  cli::EmbeddedRun done = unwrap(run_here<cli::EmbeddedRun>(job, work, stop));
  py::dict found;
  found["at_rest"] = done.at_rest;
  found["report"] = std::move(done.kept.report);
  found["table"] = table_of(std::move(done.kept.table));
  found["first"] = done.kept.first;
  found["names"] = names_of(done.kept.names);
  found["values"] = py::none();
  found["shown"] = py::none();
  if (done.kept.values) {
    found["shown"] = shown_name(done.kept.values->shown);
    found["values"] = values_of(std::move(*done.kept.values));
  }
  return found;
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def("run", &run);
  module.def("programs", [] {
    py::list programs;
    for (const auto& each : cli::embedded_programs())
      programs.append(py::make_tuple(each.name, each.summary, each.result, each.graph));
    return programs;
  });
  module.def("settings", [] {
    py::list settings;
    for (const auto& each : cli::embedded_settings())
      settings.append(py::make_tuple(each.name, each.value, each.fallback, each.help));
    return settings;
  });
  module.def("check_settings",
             [](const Settings& settings) { unwrap(cli::check_embedded(settings)); });
  module.def("place", []() -> py::tuple {
    Job* const job = unwrap([] {
      const py::gil_scoped_release released;
      return own_job();
    }());
    if (job == nullptr) return py::make_tuple(0, 1);
    return py::make_tuple(job->self().value(), job->node_count());
  });
  module.def("leave", [](bool failed) {
    const py::gil_scoped_release released;
    leave_own_job(failed ? 1 : 0);
  });
}

}  // namespace leeway::python
