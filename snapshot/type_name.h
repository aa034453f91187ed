// What a snapshot calls the type of its results.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

namespace leeway::snapshot {

template <class T>
struct TypeName {
  static std::string text() {
    if constexpr (!std::is_arithmetic_v<T>) return "bytes";
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    return kind + std::to_string(8 * sizeof(T));
  }
};
/// So many of a type: f32x8.
template <class T, std::size_t N>
struct TypeName<std::array<T, N>> {
  static std::string text() { return TypeName<T>::text() + 'x' + std::to_string(N); }
};

template <class T>
[[nodiscard]] std::string type_name() {
  return TypeName<T>::text();
}

}  // namespace leeway::snapshot
