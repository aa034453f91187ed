// Declarations shared by the sources of the extension module: conversion of errors to exceptions and of data to arrays, the
// functions that add bindings, and helpers for runs that call back into Python.
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

#include "base/result.h"
#include "datasets/graph.h"
#include "dsm/dsm.h"
#include "transport/fabric.h"
#include "transport/process_job.h"

namespace leeway::python {

namespace py = pybind11;

/// Settings of the command: names without leading dashes, and values as text.
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

/// A read-only array that views memory owned by `owner`.
template <class T>
py::array_t<T> array_over(const T* data, std::size_t size, py::handle owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(size), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// Vertex names: an array if they are numbers, else a list of strings.
[[nodiscard]] py::object names_of(const VertexNames& names);

void bind_graph(py::module_& module);
void bind_runs(py::module_& module);
void bind_memory(py::module_& module);
void bind_fragments(py::module_& module);
void bind_fields(py::module_& module);

/// Runs `work` without the GIL. Without a job, `work` runs on another thread and this thread checks for signals: an exception
/// from a signal handler (Ctrl-C) sets `stop`, and is raised after `work` has ended. In a job of processes the launcher
/// handles signals, and `work` runs on this thread, which joined the job. Requires the GIL.
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

/// Calls the functions of a Python program from the nodes of a run. The first exception stops the run; no function is called
/// afterwards. Any thread.
class Calls {
 public:
  Calls(py::object program, std::atomic<bool>& stop) : program_(std::move(program)), stop_(stop) {}

  /// Calls `body(program)` with the GIL. False if this call or an earlier one raised an exception.
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

  /// Called after the run: raises the exception, if any. In a job, all processes agree on the first error.
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

/// A Python object that threads without the GIL may copy and release.
[[nodiscard]] inline std::shared_ptr<py::object> shared_object(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire locked;
            delete held;
          }};
}

/// The object as an array of `count` doubles; raises an Input error for anything else. Requires the GIL.
[[nodiscard]] py::array_t<double> numbers_of(const py::object& values, std::size_t count,
                                             const std::string& where, const char* remedy);

/// Bulk access to the shared objects of one size, whatever their type: the cost of fetching or storing an array of objects
/// is close to that in C++.
class Objects {
 public:
  virtual ~Objects() = default;
  virtual void fetch(std::span<const std::uint32_t> handles, std::byte* out) = 0;
  virtual void store(std::span<const std::uint32_t> handles, const std::byte* values) = 0;
  virtual void set_initial(std::span<const std::uint32_t> handles, const std::byte* values) = 0;
  virtual void replicate(std::span<const Handle> handles) = 0;
  [[nodiscard]] virtual Space& space() = 0;
};

/// Collective, like Dsm::open. An Input error for an unsupported size.
Result<std::unique_ptr<Objects>> open_objects(Node& node, const SpaceOptions& options,
                                              std::size_t bytes);

}  // namespace leeway::python
