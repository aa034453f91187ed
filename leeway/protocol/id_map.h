// Object id → slot: open addressing over one flat array, at most half full, no removal. For `fetch` by
// id outside the sweep; handles skip it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "leeway/base/mix.h"
#include "leeway/protocol/ids.h"

namespace leeway {

class IdMap {
 public:
  IdMap() : cells_(kLeast) {}

  [[nodiscard]] std::optional<SlotIndex> find(ObjectId id) const {
    for (std::size_t at = place(id);; at = (at + 1) & (cells_.size() - 1)) {
      if (cells_[at].slot == SlotIndex::none()) return std::nullopt;
      if (cells_[at].id == id) return cells_[at].slot;
    }
  }

  /// Requires `id` absent.
  void insert(ObjectId id, SlotIndex slot) {
    if ((count_ + 1) * 2 > cells_.size()) grow();
    put(id, slot);
    ++count_;
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return cells_.size() * sizeof(Cell); }

 private:
  struct Cell {
    ObjectId id;
    SlotIndex slot = SlotIndex::none();
  };
  static constexpr std::size_t kLeast = 16;

  [[nodiscard]] std::size_t place(ObjectId id) const {
    return static_cast<std::size_t>(mix64(id.value())) & (cells_.size() - 1);
  }
  void put(ObjectId id, SlotIndex slot) {
    std::size_t at = place(id);
    while (cells_[at].slot != SlotIndex::none()) at = (at + 1) & (cells_.size() - 1);
    cells_[at] = {id, slot};
  }
  void grow() {
    std::vector<Cell> old(cells_.size() * 2);
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.slot != SlotIndex::none()) put(cell.id, cell.slot);
    }
  }

  std::vector<Cell> cells_;
  std::size_t count_ = 0;
};

}  // namespace leeway
