// The extension module leeway._core, and tick programs in Python: a Python object implements STEP on arrays of a block of
// cells; the engine provides parts, messages and schedules.

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "app/embedded_run.h"
#include "leeway/cluster.h"
#include "leeway/tick.h"
#include "python/core/bindings.h"
#include "runtime/tick/field.h"

namespace leeway::python {

namespace {

/// The grid of cells, and the value outside it: that of the nearest cell, or a number.
struct World {
  std::uint32_t columns = 0, rows = 0;
  std::uint32_t reach = 1;  // greatest distance of the cells that a cell's next value reads
  bool edge = true;
  double beyond = 0;
};

class PythonField {
 public:
  using Query = tick::IndexRange;
  using State = tick::Field;

  PythonField(Calls& calls, const World& world)
      : calls_(calls), world_(world), whole_{0, 0, world.columns, world.rows} {}

  [[nodiscard]] Result<std::vector<tick::IndexRange>> part(std::uint32_t count,
                                                           const State*) const {
    return tick::grid_ranges(whole_, count);
  }
  Status create(const tick::IndexRange& query, State& state) const {
    if (query.empty()) return {};
    calls_.call([&](const py::object& program) {
      put(program.attr("_create")(query.left, query.top, query.right, query.bottom), query, state,
          "init");
    });
    return {};
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    for (const tick::IndexRange& range : to_step.ranges()) {
      calls_.call([&](const py::object& program) {
        put(program.attr("_step")(around(range, context), range.left, range.top, range.right,
                                  range.bottom),
            range, result, "step");
      });
    }
  }
  [[nodiscard]] tick::IndexRange rd(const tick::IndexRange& query) const {
    return query.grown(world_.reach, whole_);
  }
  [[nodiscard]] tick::IndexRange rx(const tick::IndexRange& query) const {
    return query.shrunk(world_.reach, whole_);
  }
  [[nodiscard]] tick::IndexRange wd(const tick::IndexRange& query) const { return query; }
  [[nodiscard]] tick::IndexRange wx(const tick::IndexRange& query) const { return query; }
  [[nodiscard]] bool disjoint(const tick::IndexRange& a, const tick::IndexRange& b) const {
    return a.disjoint(b);
  }

 private:
  /// The cells of the range and of a border of width `reach` around it.
  [[nodiscard]] py::array_t<double> around(const tick::IndexRange& range,
                                           const State& context) const {
    const std::int64_t reach = world_.reach;
    const std::int64_t left = range.left - reach, right = range.right + reach;
    py::array_t<double> block({range.rows() + 2 * reach, right - left});
    double* out = block.mutable_data();
    for (std::int64_t y = range.top - reach; y < range.bottom + reach; ++y) {
      const std::int64_t row = std::clamp<std::int64_t>(y, 0, whole_.bottom - 1);
      const bool outside = y != row && !world_.edge;
      const std::int64_t first = std::max<std::int64_t>(left, 0);
      const std::int64_t last = std::min(right, whole_.right);
      const double* const cells = context.at(first, row);
      out = std::fill_n(out, first - left, outside || !world_.edge ? world_.beyond : cells[0]);
      out = outside ? std::fill_n(out, last - first, world_.beyond)
                    : std::copy_n(cells, last - first, out);
      out = std::fill_n(out, right - last,
                        outside || !world_.edge ? world_.beyond : cells[last - first - 1]);
    }
    return block;
  }

  static void put(const py::object& given, const tick::IndexRange& range, State& state,
                  const char* where) {
    const auto cells = static_cast<std::size_t>(range.cells());
    const std::string remedy = "give an array of " + std::to_string(range.rows()) + " rows of " +
                               std::to_string(range.columns()) + " columns";
    const auto numbers = numbers_of(given, cells, where, remedy.c_str());
    const auto columns = static_cast<std::ptrdiff_t>(range.columns());
    for (std::int64_t row = range.top; row < range.bottom; ++row)
      std::copy_n(numbers.data() + (row - range.top) * columns, columns, state.at(range.left, row));
  }

  Calls& calls_;
  World world_;
  tick::IndexRange whole_;
};

py::dict run_field(const py::object& program, const World& world, const Settings& settings) {
  using Ran = tick::TickResult<tick::Field>;
  Job* const job = unwrap([] {
    const py::gil_scoped_release released;
    return own_job();
  }());
  std::atomic<bool> stop = false;
  std::vector<std::string> warnings;
  const app::EmbeddedTicks how = unwrap(app::embedded_ticks(settings, job, &stop, warnings));
  Calls calls(program, stop);
  const PythonField field(calls, world);
  auto ran = run_here<Ran>(
      job, [&] { return tick::run_ticks(field, how.ticks, how.cluster); }, stop);
  calls.finish(job);
  const Ran run = unwrap(std::move(ran));
  py::dict result;
  result["warnings"] = warnings;
  result["ticks"] = how.ticks.ticks.value();
  result["seconds"] = seconds(run.elapsed);
  result["values"] = py::none();
  if (job != nullptr && job->self() != NodeId(0)) return result;
  const tick::Field& state = run.result.state;
  const py::array_t<double> values({std::size_t{world.rows}, std::size_t{world.columns}},
                                   state.at(0, 0));
  result["values"] = values;
  return result;
}

}  // namespace

void bind_fields(py::module_& module) {
  py::class_<World>(module, "World")
      .def(py::init<std::uint32_t, std::uint32_t, std::uint32_t, bool, double>());
  module.def("run_field", &run_field);
}

}  // namespace leeway::python

// leeway._core: the compiled part of the package. Users import `leeway` only.
PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of the package leeway.";
  leeway::python::bind_graph(module);
  leeway::python::bind_runs(module);
  leeway::python::bind_memory(module);
  leeway::python::bind_fragments(module);
  leeway::python::bind_fields(module);
}
