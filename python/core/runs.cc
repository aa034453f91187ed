#include <atomic>
#include <memory>
#include <optional>
#include <variant>

#include "leeway/cli/embedded_run.h"
#include "leeway/python/core/bindings.h"
#include "leeway/python/core/calls.h"
#include "leeway/transport/fabric.h"

extern char** environ;

namespace leeway::python {

namespace {

/// This process's job, joined when the first run needs it and left when Python ends.
class Membership {
 public:
  Result<Job*> join() {
    if (job_ || asked_) return job_.get();
    LEEWAY_ASSIGN(const Fabric fabric, detect_fabric(::environ));
    if (fabric == Fabric::Mpi || fabric == Fabric::Ofi) {
      JobOptions options;
      options.fabric = fabric;
      LEEWAY_ASSIGN(job_, join_job(options));
    }
    asked_ = true;
    return job_.get();
  }
  /// Null if there is none, or it has not been joined.
  [[nodiscard]] Job* job() const { return job_.get(); }
  /// Ends the process if it is one of a job. `failed`: by an exception that nobody caught.
  void leave(bool failed) {
    if (!job_) return;
    const Status status =
        failed ? Status(fail(input_error("Python", "the script ended by an exception",
                                         "its traceback stands above")))
               : Status{};
    const Status agreed = job_->agree(status);
    const int code = agreed ? 0 : failed ? 1 : agreed.error().exit_code();
    if (agreed) (void)job_->leave();
    job_->exit(code);
  }

 private:
  std::unique_ptr<Job> job_;
  bool asked_ = false;
};

Membership& membership() {
  static auto* const kept = new Membership;  // MPI is not to be left by a destructor
  return *kept;
}

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
    return membership().join();
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

Result<Job*> joined_job() { return membership().join(); }

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
      return membership().join();
    }());
    if (job == nullptr) return py::make_tuple(0, 1);
    return py::make_tuple(job->self().value(), job->node_count());
  });
  module.def("leave", [](bool failed) {
    const py::gil_scoped_release released;
    membership().leave(failed);
  });
}

}  // namespace leeway::python
