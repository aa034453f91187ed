// Strongly typed integers for identifiers. An Id has the size and layout of its representation, so arrays of ids can be
// mapped from files and sent as bytes.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace leeway {

template <class Tag, std::unsigned_integral Representation>
class Id {
 public:
  using representation = Representation;

  constexpr Id() = default;
  constexpr explicit Id(Representation value) : value_(value) {}

  [[nodiscard]] constexpr Representation value() const { return value_; }
  /// For indexing arrays in id order.
  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  [[nodiscard]] constexpr Id next() const { return Id(static_cast<Representation>(value_ + 1)); }

  /// A reserved value that means "no id".
  [[nodiscard]] static constexpr Id none() {
    return Id(std::numeric_limits<Representation>::max());
  }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  Representation value_ = 0;
};

}  // namespace leeway

template <class Tag, std::unsigned_integral Representation>
struct std::hash<leeway::Id<Tag, Representation>> {
  std::size_t operator()(leeway::Id<Tag, Representation> id) const noexcept {
    return std::hash<Representation>{}(id.value());
  }
};

namespace leeway {

// Identifiers used in several folders. Ids that are used in one folder are declared there.
using NodeId = Id<struct NodeTag, std::uint32_t>;      ///< a machine m_i of the cluster
using VertexId = Id<struct VertexTag, std::uint32_t>;  ///< dense index of a vertex in its graph
using PartId = Id<struct PartTag, std::uint32_t>;      ///< one part of a partition

}  // namespace leeway
