// leeway._core: what the package's Python code stands on. No user imports it.
#include "leeway/python/core/bindings.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of the package leeway.";
  leeway::python::bind_graph(module);
  leeway::python::bind_runs(module);
  leeway::python::bind_memory(module);
  leeway::python::bind_fragments(module);
  leeway::python::bind_fields(module);
}
