// Data of a program's own for each vertex (VertexRecords), which goes with the vertex to its home.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "base/array.h"
#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"

namespace leeway {

/// One record for each vertex of a whole graph, of a process's range, or of a node, in their order. All have the same type.
class VertexRecords {
 public:
  VertexRecords() = default;
  VertexRecords(std::size_t record_bytes, Array<std::byte> bytes)
      : record_bytes_(record_bytes), bytes_(std::move(bytes)) {}
  /// Borrows the records.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  explicit VertexRecords(std::span<const T> records)
      : VertexRecords(sizeof(T), Array<std::byte>::view(std::as_bytes(records), nullptr)) {}

  /// False: the program has no records.
  [[nodiscard]] bool any() const { return record_bytes_ > 0; }
  [[nodiscard]] std::size_t record_bytes() const { return record_bytes_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_.bytes(); }
  [[nodiscard]] std::span<const std::byte> record(std::size_t place) const {
    return bytes_.span().subspan(place * record_bytes_, record_bytes_);
  }
  /// Requires the type that the records were made of.
  template <class T>
  [[nodiscard]] std::span<const T> of() const {
    LEEWAY_CHECK(record_bytes_ == sizeof(T));
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  /// Borrows all records.
  [[nodiscard]] VertexRecords view() const {
    return {record_bytes_, Array<std::byte>::view(bytes_.span(), nullptr)};
  }
  /// `count` records, of which the i-th is the one at place_of(i).
  template <class PlaceOf>
  [[nodiscard]] Result<VertexRecords> pick(std::size_t count, const PlaceOf& place_of) const {
    if (!any()) return VertexRecords();
    LEEWAY_ASSIGN(auto picked, Array<std::byte>::make(count * record_bytes_));
    std::byte* to = picked.mutable_span().data();
    for (std::size_t i = 0; i < count; ++i, to += record_bytes_)
      std::memcpy(to, record(place_of(i)).data(), record_bytes_);
    return VertexRecords(record_bytes_, std::move(picked));
  }

 private:
  std::size_t record_bytes_ = 0;
  Array<std::byte> bytes_;
};

}  // namespace leeway
