// Names of the types of results: f64, u32, f32x8.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

namespace leeway {

/// The name of a result type.
template <class T>
struct TypeName {
  static std::string text() {
    if constexpr (!std::is_arithmetic_v<T>) return "bytes";
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    return kind + std::to_string(8 * sizeof(T));
  }
};
/// Arrays: f32x8.
template <class T, std::size_t N>
struct TypeName<std::array<T, N>> {
  static std::string text() { return TypeName<T>::text() + 'x' + std::to_string(N); }
};

template <class T>
[[nodiscard]] std::string type_name() {
  return TypeName<T>::text();
}

}  // namespace leeway
