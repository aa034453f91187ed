// IdIndex: maps an object id to the number that this node has assigned to the remote object, for
// `fetch` by id. Objects are numbered densely within their home, so this is a table of small chunks
// instead of a hash map: two dependent loads. Lookups need no lock; one thread at a time inserts.
// Outgrown tables are kept, because a reader may still use them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/array.h"
#include "protocol/ids.h"

namespace leeway {

/// Number of a remote object among those that this node has registered, in order of registration:
/// its handle minus the number of local objects. In an unbounded cache also its slot.
using MetIndex = Id<struct MetTag, std::uint32_t>;

class IdIndex {
 public:
  explicit IdIndex(std::uint32_t nodes) : homes_(nodes) {}

  /// None for an id that is not registered, even if its home does not exist.
  [[nodiscard]] std::optional<MetIndex> find(ObjectId id) const {
    if (id.home().index() >= homes_.size()) return std::nullopt;
    const IdTable* const table = homes_[id.home().index()].current.load(std::memory_order_acquire);
    const std::size_t at = id.local().index() / kChunk;
    if (table == nullptr || at >= table->chunks.size()) return std::nullopt;
    Chunk* const chunk = table->chunks[at].load(std::memory_order_acquire);
    if (chunk == nullptr) return std::nullopt;
    const std::uint32_t slot =
        std::atomic_ref(chunk->slots[id.local().index() % kChunk]).load(std::memory_order_acquire);
    if (slot == 0) return std::nullopt;
    return MetIndex(slot - 1);
  }

  /// Requires `id` absent.
  Status insert(ObjectId id, MetIndex met) {
    HomeTable& home = homes_[id.home().index()];
    const std::size_t at = id.local().index() / kChunk;
    if (home.tables.empty() || at >= home.tables.back()->chunks.size()) grow(home, at + 1);
    std::atomic<Chunk*>& place = home.tables.back()->chunks[at];
    Chunk* chunk = place.load(std::memory_order_relaxed);
    if (chunk == nullptr) {
      LEEWAY_ASSIGN(chunk, new_chunk());
      place.store(chunk, std::memory_order_release);
    }
    std::atomic_ref(chunk->slots[id.local().index() % kChunk])
        .store(met.value() + 1, std::memory_order_release);
    return {};
  }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = blocks_.size() * kBlock * sizeof(Chunk) + homes_.size() * sizeof(HomeTable);
    for (const HomeTable& home : homes_) {
      for (const auto& table : home.tables) bytes += table->chunks.size() * sizeof(Chunk*);
    }
    return bytes;
  }

 private:
  static constexpr std::size_t kChunk = 64;
  /// Numbers plus one; 0: not registered.
  struct Chunk {
    std::uint32_t slots[kChunk];
  };
  static constexpr std::size_t kBlock = (std::size_t{2} << 20) / sizeof(Chunk);
  struct IdTable {
    explicit IdTable(std::size_t count) : chunks(count) {}
    std::vector<std::atomic<Chunk*>> chunks;
  };
  struct HomeTable {
    std::atomic<const IdTable*> current{nullptr};
    std::vector<std::unique_ptr<IdTable>> tables;  // the last one is in use
  };

  /// Chunks are allocated in blocks of the size of a huge page.
  Result<Chunk*> new_chunk() {
    if (used_in_block_ == kBlock) {
      LEEWAY_ASSIGN(auto block, Array<Chunk>::make(kBlock));
      blocks_.push_back(std::move(block));
      used_in_block_ = 0;
    }
    return &blocks_.back().mutable_span()[used_in_block_++];
  }

  static void grow(HomeTable& home, std::size_t least) {
    const std::size_t before = home.tables.empty() ? 0 : home.tables.back()->chunks.size();
    auto table = std::make_unique<IdTable>(std::max(least, before * 2));
    for (std::size_t at = 0; at < before; ++at) {
      table->chunks[at].store(home.tables.back()->chunks[at].load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
    }
    home.current.store(table.get(), std::memory_order_release);
    home.tables.push_back(std::move(table));
  }

  std::vector<HomeTable> homes_;
  std::vector<Array<Chunk>> blocks_;
  std::size_t used_in_block_ = kBlock;
};

}  // namespace leeway
