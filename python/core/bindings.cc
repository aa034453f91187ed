#include "python/core/bindings.h"

#include <cstring>

#include "base/format.h"

namespace leeway::python {

void raise(const Error& error) {
  constexpr const char* kNames[] = {"InputError", "MachineError", "PeerError"};
  const py::object kind =
      py::module_::import("leeway.errors").attr(kNames[static_cast<int>(error.kind)]);
  const py::object exception = kind(error.what, error.where, error.remedy);
  PyErr_SetObject(kind.ptr(), exception.ptr());
  throw py::error_already_set();
}

py::array_t<double> numbers_of(const py::object& values, std::size_t count,
                               const std::string& where, const char* remedy) {
  using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
  Numbers numbers = Numbers::ensure(values);
  if (!numbers) {
    PyErr_Clear();
    raise(input_error(where, "this is not an array of numbers", remedy));
  }
  if (static_cast<std::size_t>(numbers.size()) != count)
    raise(input_error(where, format("{} numbers for {}", numbers.size(), count), remedy));
  return numbers;
}

namespace {

template <class T>
class ObjectsOf final : public Objects {
 public:
  explicit ObjectsOf(Dsm<T> dsm) : dsm_(dsm) {}
  void fetch(std::span<const std::uint32_t> handles, std::byte* out) override {
    View<T> view = dsm_.view();
    for (std::size_t i = 0; i < handles.size(); ++i) {
      const T value = view.fetch(Handle(handles[i]));
      std::memcpy(out + i * sizeof(T), &value, sizeof(T));
    }
  }
  void store(std::span<const std::uint32_t> handles, const std::byte* values) override {
    View<T> view = dsm_.view();
    for (std::size_t i = 0; i < handles.size(); ++i)
      view.store(Handle(handles[i]), value_at(values, i));
  }
  void set_initial(std::span<const std::uint32_t> handles, const std::byte* values) override {
    for (std::size_t i = 0; i < handles.size(); ++i)
      dsm_.set_initial(LocalIndex(handles[i]), value_at(values, i));
  }
  void replicate(std::span<const Handle> handles) override { dsm_.replicate(handles); }
  Space& space() override { return dsm_.space(); }

 private:
  static T value_at(const std::byte* values, std::size_t i) {
    T value;
    std::memcpy(&value, values + i * sizeof(T), sizeof(T));
    return value;
  }
  Dsm<T> dsm_;
};

struct Block16 {
  std::uint64_t words[2];
};
struct Block32 {
  std::uint64_t words[4];
};
struct Block64 {
  std::uint64_t words[8];
};

template <class T>
Result<std::unique_ptr<Objects>> open_as(Node& node, const SpaceOptions& options) {
  LEEWAY_ASSIGN(Dsm<T> dsm, Dsm<T>::open(node, options));
  return std::make_unique<ObjectsOf<T>>(dsm);
}

}  // namespace

Result<std::unique_ptr<Objects>> open_objects(Node& node, const SpaceOptions& options,
                                              std::size_t bytes) {
  switch (bytes) {
    case 1:
      return open_as<std::uint8_t>(node, options);
    case 2:
      return open_as<std::uint16_t>(node, options);
    case 4:
      return open_as<std::uint32_t>(node, options);
    case 8:
      return open_as<std::uint64_t>(node, options);
    case 16:
      return open_as<Block16>(node, options);
    case 32:
      return open_as<Block32>(node, options);
    case 64:
      return open_as<Block64>(node, options);
    default:
      return fail(input_error("dtype", format("objects of {} bytes", bytes),
                              "give a dtype of 1, 2, 4, 8, 16, 32 or 64 bytes"));
  }
}

}  // namespace leeway::python
