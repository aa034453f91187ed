// What the parts of the module share: how errors become exceptions, and who adds what to it.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/vertex_names.h"
#include "leeway/transport/fabric.h"

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

}  // namespace leeway::python
