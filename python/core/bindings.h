// What the parts of the module share: how errors become exceptions, and who adds what to it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "leeway/dsm.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "transport/fabric.h"
#include "transport/process_job.h"

namespace leeway::python {

namespace py = pybind11;

/// Settings as the command has them: names without dashes, values in words.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Raises leeway.InputError, leeway.MachineError or leeway.PeerError. Requires the GIL.
[[noreturn]] void raise(const Error& error);

template <class T>
T unwrap(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// An array that owns the vector's memory.
template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  auto* const kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  return py::array_t<T>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

/// An array over memory that `owner` keeps; nobody writes to it.
template <class T>
py::array_t<T> array_over(const T* data, std::size_t size, py::handle owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(size), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// Whole numbers as an array, else a list of words.
[[nodiscard]] py::object names_of(const VertexNames& names);

void bind_graph(py::module_& module);
void bind_runs(py::module_& module);
void bind_memory(py::module_& module);
void bind_fragments(py::module_& module);
void bind_fields(py::module_& module);

// Runs that Python starts: how they heed Ctrl-C, and how what is called back from their nodes may fail.

/// Runs `work` while other Python threads run. Without a job this thread looks after signals: what one raises sets
/// `stop`, and is raised once `work` has ended. In a job of processes the launcher hears of signals, and work stays on
/// the thread that joined. Requires the GIL.
template <class T>
Result<T> run_here(Job* job, const std::function<Result<T>()>& work, std::atomic<bool>& stop) {
  if (job != nullptr) {
    const py::gil_scoped_release released;
    return work();
  }
  std::future<Result<T>> done = std::async(std::launch::async, work);
  const auto ended = [&] {
    const py::gil_scoped_release released;
    return done.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
  };
  std::optional<py::error_already_set> raised;
  while (!ended()) {
    if (raised || PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    stop = true;
  }
  if (raised) {
    raised->restore();
    throw py::error_already_set();
  }
  return done.get();
}

/// The functions of one Python program, called by the nodes of a run; its first exception stops the run, after which
/// nothing is called any more. The program outlives it. Any thread.
class Calls {
 public:
  Calls(py::object program, std::atomic<bool>& stop) : program_(std::move(program)), stop_(stop) {}

  /// `body(program)` with the GIL; false if it, or one before it, has failed.
  template <class Body>
  bool call(Body&& body) {
    const py::gil_scoped_acquire locked;
    if (thrown_) return false;
    try {
      body(program_);
      return true;
    } catch (py::error_already_set& error) {
      thrown_.emplace(error);
      stop_ = true;
      return false;
    }
  }

  /// After the run: all of a job's processes end as the first that failed; an exception is raised here.
  void finish(Job* job) {
    if (job != nullptr) {
      Status mine;
      if (thrown_)
        mine = leeway::fail(
            input_error("Python", "a node ended by an exception", "see its traceback"));
      const py::gil_scoped_release released;
      agreed_ = job->agree(std::move(mine));
    }
    if (thrown_) {
      thrown_->restore();
      throw py::error_already_set();
    }
    if (!agreed_) raise(agreed_.error());
  }

 private:
  py::object program_;
  std::atomic<bool>& stop_;
  std::optional<py::error_already_set> thrown_;  // guarded by the GIL
  Status agreed_;
};

/// A Python object that threads without the GIL may copy and drop.
[[nodiscard]] inline std::shared_ptr<py::object> shared_object(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire locked;
            delete held;
          }};
}

/// An array of doubles of that many; an Input error for anything else. Requires the GIL.
[[nodiscard]] py::array_t<double> numbers_of(const py::object& given, std::size_t count,
                                             const std::string& where, const char* remedy);

// Shared objects many at a time, whatever their type: what an array's worth of fetches and stores costs is close to
// what it costs in C++.

/// Many objects at a time, of one size.
class Objects {
 public:
  virtual ~Objects() = default;
  virtual void fetch(std::span<const std::uint32_t> handles, std::byte* out) = 0;
  virtual void store(std::span<const std::uint32_t> handles, const std::byte* values) = 0;
  virtual void set_initial(std::span<const std::uint32_t> handles, const std::byte* values) = 0;
  virtual void replicate(std::span<const Handle> handles) = 0;
  [[nodiscard]] virtual Space& space() = 0;
};

/// Collective, as Dsm::open; an Input error for a size that is not among those it has.
Result<std::unique_ptr<Objects>> open_objects(Node& node, const SpaceOptions& options,
                                              std::size_t bytes);

}  // namespace leeway::python
