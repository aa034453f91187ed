#include "leeway/python/core/bindings.h"

#include "leeway/base/format.h"
#include "leeway/python/core/calls.h"

namespace leeway::python {

void raise(const Error& error) {
  constexpr const char* kNames[] = {"InputError", "MachineError", "PeerError"};
  const py::object kind =
      py::module_::import("leeway.errors").attr(kNames[static_cast<int>(error.kind)]);
  const py::object exception = kind(error.what, error.where, error.remedy);
  PyErr_SetObject(kind.ptr(), exception.ptr());
  throw py::error_already_set();
}

py::array_t<double> numbers_of(const py::object& given, std::size_t count, const std::string& where,
                               const char* remedy) {
  using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
  Numbers numbers = Numbers::ensure(given);
  if (!numbers) {
    PyErr_Clear();
    raise(input_error(where, "this is no array of numbers", remedy));
  }
  if (static_cast<std::size_t>(numbers.size()) != count)
    raise(input_error(where, format("{} numbers for {}", numbers.size(), count), remedy));
  return numbers;
}

}  // namespace leeway::python
