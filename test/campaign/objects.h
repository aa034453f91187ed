// A space as the campaign's threads use it, independent of the value type, with every operation of
// the interface. A Session belongs to one thread and owns that thread's View.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "leeway/dsm.h"
#include "test/campaign/plan.h"

namespace leeway::campaign {

enum class ReadBy { Handle, Id, View, ViewById, Bytes };
inline constexpr int kReadWays = 5;
[[nodiscard]] const char* name_of(ReadBy way);

inline constexpr std::uint32_t kMostImprovedBytes = 8;  ///< one atomic word

enum class StoreBy { Handle, View, Bytes };
inline constexpr int kStoreWays = 3;

class Session {
 public:
  virtual ~Session() = default;
  virtual void read(ReadBy way, Handle handle, ObjectId id, std::vector<std::byte>& out) = 0;
  virtual void read_current(Handle handle, std::vector<std::byte>& out) = 0;
  using Use = std::function<void(std::size_t, ValueView)>;
  /// Calls `use(i, value)` for each of the handles, in one sweep of the View.
  virtual void sweep(std::span<const std::uint32_t> handles, const Use& use) = 0;
  virtual void store(StoreBy way, Handle handle, ValueView value) = 0;

  // For objects of this node that no other node reads.

  virtual void read_local(Handle handle, std::vector<std::byte>& out) = 0;
  virtual void store_local(Handle handle, ValueView value) = 0;
  using Better = std::function<bool(ValueView offered, ValueView present)>;
  /// True if `value` was better and was stored. Requires at most kMostImprovedBytes.
  virtual bool improve_local(Handle handle, ValueView value, const Better& better) = 0;

  /// Flushes the stores buffered in the View to the node.
  virtual void publish() = 0;
};

class Objects {
 public:
  virtual ~Objects() = default;
  [[nodiscard]] virtual Handle resolve(ObjectId id) = 0;
  virtual void prefetch(std::span<const Handle> handles) = 0;
  /// Collective.
  virtual void fence() = 0;
  /// Prefetches and waits.
  virtual void replicate(std::span<const Handle> handles) = 0;
  [[nodiscard]] virtual SpaceStats stats() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Session> session() = 0;
};

/// Collective. Null if the node has failed.
[[nodiscard]] std::unique_ptr<Objects> open_objects(Node& node, const SpaceOptions& options,
                                                    std::uint32_t value_bytes);

}  // namespace leeway::campaign
