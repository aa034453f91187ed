// Table: the state of the tick engine as in the paper, a table of tuples.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/box.h"
#include "base/bytes.h"
#include "base/format.h"

namespace leeway::tick {

/// The indices of a table by position, one for each side of a cell, built on first use by whichever thread comes first.
/// Any number of threads may read one version of a table at a time. A copy begins without indices.
template <class Tuple>
class SharedIndices {
 public:
  SharedIndices() = default;
  SharedIndices(const SharedIndices& /*other*/) {}
  SharedIndices& operator=(const SharedIndices& /*other*/) {
    const std::lock_guard locked(mutex_);
    latest_.store(nullptr);
    entries_.clear();
    return *this;
  }

  [[nodiscard]] const CellIndex<Tuple>& of(const std::vector<Tuple>& tuples, std::uint64_t edition,
                                           double side) const {
    const Entry* const latest = latest_.load(std::memory_order_acquire);
    if (latest != nullptr && latest->side == side &&
        latest->edition.load(std::memory_order_acquire) == edition)
      return latest->index;
    const std::lock_guard locked(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& each) { return each->side == side; });
    Entry& entry =
        found != entries_.end() ? **found : *entries_.emplace_back(std::make_unique<Entry>(side));
    if (entry.edition.load(std::memory_order_relaxed) != edition) {
      entry.index.fill(tuples, side);
      entry.edition.store(edition, std::memory_order_release);
    }
    latest_.store(&entry, std::memory_order_release);
    return entry.index;
  }

 private:
  struct Entry {
    explicit Entry(double cell_side) : side(cell_side) {}
    const double side;
    std::atomic<std::uint64_t> edition{0};  ///< of the table when the index was built; 0: never
    CellIndex<Tuple> index;
  };

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Entry>> entries_;
  mutable std::atomic<const Entry*> latest_{nullptr};
};

/// A table of tuples, each with an `id` and the data that its query examines. Tuples are copied as their bytes. One
/// version of one process: first the process's own tuples, then copies of other processes' tuples, received or
/// stepped here (replicas). Any number of threads may read it while none changes it.
template <class Tuple, class Selector>
  requires std::is_trivially_copyable_v<Tuple>
class Table {
 public:
  using Query = Selector;

  /// Some tuples of a table, in its order. Valid until a tuple is added.
  class Selection {
   public:
    class Iterator {
     public:
      Iterator(const Tuple* tuples, const std::uint32_t* at) : tuples_(tuples), at_(at) {}
      const Tuple& operator*() const { return tuples_[*at_]; }
      Iterator& operator++() {
        ++at_;
        return *this;
      }
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

     private:
      const Tuple* tuples_;
      const std::uint32_t* at_;
    };
    [[nodiscard]] Iterator begin() const { return {tuples_, places_.data()}; }
    [[nodiscard]] Iterator end() const { return {tuples_, places_.data() + count_}; }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// The `number`-th of `of` consecutive parts.
    void slice(std::size_t number, std::size_t of, Selection& found) const {
      const std::uint32_t* const first = places_.data();
      found.tuples_ = tuples_;
      found.places_.assign(first + count_ * number / of, first + count_ * (number + 1) / of);
      found.count_ = found.places_.size();
    }

   private:
    friend class Table;
    const Tuple* tuples_ = nullptr;
    std::vector<std::uint32_t> places_;  // the first count_ entries are valid
    std::size_t count_ = 0;
  };

  /// Adds a new tuple; called by STEP.
  void add(const Tuple& tuple) {
    if (!private_ || !private_->contains(tuple))
      border_.push_back(static_cast<std::uint32_t>(tuples_.size()));
    tuples_.push_back(tuple);
    ++edition_;
  }
  /// Adds the tuples of `more`, in their order.
  void take(const Table& more) {
    for (const Tuple& tuple : more.tuples_) add(tuple);
  }
  /// The table's name in error descriptions, if the tuple type defines it as `kTable`.
  [[nodiscard]] static constexpr std::string_view name()
    requires requires { Tuple::kTable; }
  {
    return Tuple::kTable;
  }
  [[nodiscard]] std::span<const Tuple> tuples() const { return tuples_; }
  [[nodiscard]] std::size_t size() const { return tuples_.size(); }
  /// Changes whenever the table changes; for indices that are built once and used often.
  [[nodiscard]] std::uint64_t edition() const { return edition_; }
  /// The tuples indexed by position, for tuples with finite `x` and `y`: finds all tuples at most `side` from a
  /// position, in an order that does not depend on other tuples. Built on the first call after a change.
  [[nodiscard]] const CellIndex<Tuple>& cells(double side) const {
    return indices_.of(tuples_, edition_, side);
  }

  // The functions that the engine requires of a state.

  void reset(const Query& own, const Query& held) {
    (void)held;
    own_query_ = own;
    private_.reset();
    tuples_.clear();
    border_.clear();
    own_ = own_border_ = 0;
    ++edition_;
  }
  void select(const Query& inside, const std::optional<Query>& outside, Selection& found) const {
    if (!outside && private_ && inside == own_query_) {
      pick_own(inside, found);
    } else if (outside) {
      pick(tuples_.size(), found,
           [&](const Tuple& tuple) { return inside.contains(tuple) && !outside->contains(tuple); });
    } else {
      pick(tuples_.size(), found, [&](const Tuple& tuple) { return inside.contains(tuple); });
    }
  }
  /// No other process needs tuples that `inner` selects; none: all may be needed. Called before STEP adds tuples, so
  /// that the others are noted as they are added.
  void keep_private(const std::optional<Query>& inner) { private_ = inner; }
  /// The own tuples that are not private.
  void select_border(Selection& found) const {
    found.tuples_ = tuples_.data();
    found.places_.assign(border_.begin(),
                         border_.begin() + static_cast<std::ptrdiff_t>(own_border_));
    found.count_ = own_border_;
  }
  /// Makes all present tuples this process's own.
  void mark_own() {
    own_ = tuples_.size();
    own_border_ = border_.size();
  }
  void drop_others() {
    tuples_.resize(own_);
    border_.resize(own_border_);
    ++edition_;
  }
  /// Writes the tuples of `border` that `requested` selects.
  void encode(const Selection& border, const Query& requested, ByteWriter& out) const {
    std::uint64_t count = 0;
    for (const Tuple& tuple : border) count += requested.contains(tuple) ? 1 : 0;
    out.varint(count);
    std::byte* at = out.extend(count * sizeof(Tuple));
    for (const Tuple& tuple : border) {
      if (!requested.contains(tuple)) continue;
      std::memcpy(at, &tuple, sizeof tuple);
      at += sizeof tuple;
    }
  }
  void encode_own(ByteWriter& out) const {
    out.varint(own_);
    out.raw(std::as_bytes(std::span(tuples_).first(own_)));
  }
  /// Adds the tuples of `encode`; false for invalid bytes.
  [[nodiscard]] bool decode(ByteReader& in) {
    const std::uint64_t count = in.varint_up_to(in.left() / sizeof(Tuple));
    const auto bytes = in.raw(count * sizeof(Tuple));
    if (in.failed()) return false;
    const std::size_t before = tuples_.size();
    tuples_.resize(before + count);
    if (count > 0) std::memcpy(tuples_.data() + before, bytes.data(), bytes.size());
    ++edition_;
    return true;
  }
  /// Sorts the tuples by id, for the reader of the result.
  void arrange() {
    std::sort(tuples_.begin(), tuples_.end(),
              [](const Tuple& a, const Tuple& b) { return a.id < b.id; });
    ++edition_;
  }
  /// Copies the tuples that `query` selects into `other`, which must have been reset.
  void copy(const Query& query, Table& other) const {
    for (const Tuple& tuple : tuples_) {
      if (query.contains(tuple)) other.add(tuple);
    }
  }
  /// Description of a border tuple that neither `own` nor any of `others` selects, if there is one.
  [[nodiscard]] std::optional<std::string> stray(const Selection& border, const Query& own,
                                                 std::span<const Query> others) const {
    for (const Tuple& tuple : border) {
      if (own.contains(tuple)) continue;
      const auto has = [&](const Query& query) { return query.contains(tuple); };
      if (std::none_of(others.begin(), others.end(), has)) return describe(tuple);
    }
    return std::nullopt;
  }
  /// Description of a tuple that not exactly one of `parts` selects, if there is one.
  [[nodiscard]] std::optional<std::string> misplaced(std::span<const Query> parts) const {
    for (const Tuple& tuple : tuples_) {
      const auto homes = std::count_if(parts.begin(), parts.end(),
                                       [&](const Query& query) { return query.contains(tuple); });
      if (homes != 1) return format("{} is in {} parts", describe(tuple), homes);
    }
    return std::nullopt;
  }
  /// Description of the first tuple that differs or is in only one of the tables. Tuples are matched by id.
  [[nodiscard]] static std::optional<std::string> difference(Table a, Table b) {
    a.arrange();
    b.arrange();
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= a.size()) return "only the second has " + describe(b.tuples_[i]);
      if (i >= b.size()) return "only the first has " + describe(a.tuples_[i]);
      if (a.tuples_[i].id != b.tuples_[i].id) {
        const bool first = a.tuples_[i].id < b.tuples_[i].id;
        return first ? "only the first has " + describe(a.tuples_[i])
                     : "only the second has " + describe(b.tuples_[i]);
      }
      if (!same(a.tuples_[i], b.tuples_[i]))
        return describe(a.tuples_[i]) + " against " + describe(b.tuples_[i]);
    }
    return std::nullopt;
  }
  /// Description of a tuple whose id another tuple has, too, if there is one.
  [[nodiscard]] static std::optional<std::string> duplicate(Table all) {
    all.arrange();
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all.tuples_[i].id == all.tuples_[i - 1].id) return describe(all.tuples_[i]);
    }
    return std::nullopt;
  }
  /// True if both queries select a tuple of this table.
  [[nodiscard]] bool shares(const Query& a, const Query& b) const {
    return std::any_of(tuples_.begin(), tuples_.end(),
                       [&](const Tuple& tuple) { return a.contains(tuple) && b.contains(tuple); });
  }
  [[nodiscard]] static std::string describe(const Tuple& tuple) {
    if constexpr (requires { tuple.x, tuple.y; }) {
      return format("tuple {} at ({}, {})", tuple.id, tuple.x, tuple.y);
    } else {
      return format("tuple {}", tuple.id);
    }
  }

 private:
  /// Finds those of the first `count` tuples for which `requested(tuple)` is true.
  template <class Selects>
  void pick(std::size_t count, Selection& found, Selects&& requested) const {
    found.tuples_ = tuples_.data();
    if (found.places_.size() < count) found.places_.resize(count);
    std::uint32_t* const places = found.places_.data();
    std::size_t picked = 0;
    // In blocks of 32: one word holds the results of a block, and most blocks are selected completely or not at all.
    constexpr std::uint32_t kBlock = 32;
    const auto size = static_cast<std::uint32_t>(count);
    for (std::uint32_t block = 0; block < size; block += kBlock) {
      const std::uint32_t in_block = std::min(kBlock, size - block);
      std::uint32_t yes = 0;
      for (std::uint32_t i = 0; i < in_block; ++i)
        yes |= static_cast<std::uint32_t>(requested(tuples_[block + i]) ? 1 : 0) << i;
      for (; yes != 0; yes &= yes - 1)
        places[picked++] = block + static_cast<std::uint32_t>(std::countr_zero(yes));
    }
    found.count_ = picked;
  }
  /// Finds the tuples that the own query selects: all private own tuples, which it contains, and of the rest those it
  /// selects. Reads only the rest.
  void pick_own(const Query& inside, Selection& found) const {
    found.tuples_ = tuples_.data();
    if (found.places_.size() < tuples_.size()) found.places_.resize(tuples_.size());
    std::uint32_t* const places = found.places_.data();
    std::size_t picked = 0;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i <= own_border_; ++i) {
      const std::uint32_t stop = i < own_border_ ? border_[i] : static_cast<std::uint32_t>(own_);
      while (next < stop) places[picked++] = next++;
      if (i < own_border_ && inside.contains(tuples_[stop])) places[picked++] = stop;
      if (i < own_border_) ++next;
    }
    for (; next < tuples_.size(); ++next) {
      if (inside.contains(tuples_[next])) places[picked++] = next;
    }
    found.count_ = picked;
  }
  [[nodiscard]] static bool same(const Tuple& a, const Tuple& b) {
    if constexpr (std::equality_comparable<Tuple>) {
      return a == b;
    } else {
      return std::memcmp(&a, &b, sizeof a) == 0;
    }
  }

  std::vector<Tuple> tuples_;
  std::size_t own_ = 0;  // number of own tuples, which come first
  Query own_query_{};
  std::optional<Query> private_;       // within own_query_
  std::vector<std::uint32_t> border_;  // indices of added tuples that are not private
  std::size_t own_border_ = 0;         // number of entries that are own tuples
  std::uint64_t edition_ = 1;
  SharedIndices<Tuple> indices_;
};

}  // namespace leeway::tick
