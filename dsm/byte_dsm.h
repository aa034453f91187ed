// The shared memory of byte strings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/dsm/node.h"

namespace leeway {

/// Objects that are byte strings of any length up to a limit. Otherwise as Dsm.
class ByteDsm {
 public:
  /// Collective. `limit` is the longest string.
  static Result<ByteDsm> open(Node& node, const SpaceOptions& options, std::uint32_t limit) {
    LEEWAY_ASSIGN(Space * space, node.open_space(options, {limit, true}));
    return ByteDsm(*space);
  }
  [[nodiscard]] Result<Handle> resolve(ObjectId id) { return space_->resolve(id); }
  [[nodiscard]] std::vector<std::byte> fetch(Handle object) {
    std::vector<std::byte> value(space_->shape().bytes);
    value.resize(space_->fetch(object, value.data()));
    return value;
  }
  /// Requires at most the limit's bytes (checked).
  void store(Handle object, ValueView value) { space_->store(object, value); }
  void prefetch(std::span<const Handle> objects) { space_->prefetch(objects); }
  [[nodiscard]] SpaceStats stats() const { return space_->stats(); }

 private:
  explicit ByteDsm(Space& space) : space_(&space) {}
  Space* space_;
};

}  // namespace leeway
