#include "runtime/vertex/read_ahead.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "leeway/options.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

void announce_first_reads(Space& space, const LocalGraph& graph) {
  std::vector<NextRead> reads;
  for (std::uint32_t i = 0; i < graph.copy_count(); ++i) {
    const std::uint32_t copy = graph.local_count() + i;
    reads.push_back({Handle(copy), graph.next_reader(copy, 0)});
  }
  space.announce(reads, {}, {});
}

namespace {

struct ReadWindowLimits {
  /// 1: only some vertices run; which one follows depends on values.
  std::uint32_t vertices = 1;
  std::size_t copies = 1;  ///< different ones; a vertex that reads more is a window by itself
};

/// Number of objects requested together: with more, a small cache would evict the first ones before they are read.
std::size_t most_ahead(const SweepContext& context) {
  const std::size_t capacity = context.space.cache_capacity();
  if (capacity == 0) return SIZE_MAX;
  constexpr std::size_t kWindows = 2;
  return std::max<std::size_t>(1, capacity / (kWindows * context.options.threads));
}

/// Windows of announced reads. The present one and the coming one fill the cache, so that as few requests as possible
/// block.
ReadWindowLimits window_limits(const SweepContext& context) {
  constexpr std::uint32_t kPartsOfSweep = 8;
  const std::uint32_t part = context.graph.local_count() / kPartsOfSweep;
  return {.vertices = context.look_ahead == 1 ? 1 : std::max(context.look_ahead, part),
          .copies = most_ahead(context)};
}

}  // namespace

/// For Eviction::Known: divides the vertices into windows. When a thread has finished one, announces when its copies are read
/// again, and finds the misses of the window after the next one, so that they arrive meanwhile. Used by one thread.
class ReadAhead::AnnouncedReads {
 public:
  AnnouncedReads(const LocalGraph& graph, Space& space, const ReadWindowLimits& limits)
      : graph_(graph), space_(space), limits_(limits) {}
  ~AnnouncedReads();
  AnnouncedReads(const AnnouncedReads&) = delete;
  AnnouncedReads& operator=(const AnnouncedReads&) = delete;

  /// The vertex whose copies are read next. Returns the copies to request before.
  std::span<const Handle> go_on_to(std::uint32_t local);

 private:
  /// Adjacent vertices, and the copies that they read.
  struct ReadWindow {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> copies;

    [[nodiscard]] bool contains(std::uint32_t local) const { return local >= begin && local < end; }
  };

  /// Where the thread reads; none before it begins.
  [[nodiscard]] std::optional<std::uint32_t> position() const {
    if (present_.begin == present_.end) return std::nullopt;
    return present_.begin;
  }
  void open(ReadWindow& window, std::uint32_t begin);
  /// Empties a window whose copies are read next at `from` or later.
  void close(ReadWindow& window, std::uint32_t from);

  const LocalGraph& graph_;
  Space& space_;
  const ReadWindowLimits limits_;
  ReadWindow present_;
  ReadWindow coming_;
  std::vector<Handle> missing_;
  std::vector<NextRead> announced_;
};

ReadAhead::AnnouncedReads::~AnnouncedReads() {
  const std::optional<std::uint32_t> from = position();
  if (!from) return;
  announced_.clear();
  close(present_, present_.end);
  close(coming_, coming_.begin);
  space_.announce(announced_, from, {});
}

std::span<const Handle> ReadAhead::AnnouncedReads::go_on_to(std::uint32_t local) {
  missing_.clear();
  if (present_.contains(local)) return missing_;
  const std::optional<std::uint32_t> from = position();
  announced_.clear();
  close(present_, present_.end);
  if (coming_.contains(local)) {
    std::swap(present_, coming_);
  } else {
    close(coming_, coming_.begin);
    open(present_, local);
  }
  if (limits_.vertices > 1 && present_.end < graph_.local_count()) open(coming_, present_.end);
  space_.announce(announced_, from, position());
  return missing_;
}

void ReadAhead::AnnouncedReads::open(ReadWindow& window, std::uint32_t begin) {
  const std::uint32_t end = std::min(begin + limits_.vertices, graph_.local_count());
  window.begin = window.end = begin;
  while (window.end < end && window.copies.size() < limits_.copies) {
    const std::uint32_t v = window.end++;
    graph_.each_copy(v, [&](std::uint32_t copy) {
      const bool is_first_read = graph_.next_reader(copy, begin) == v;
      if (!is_first_read) return;
      window.copies.push_back(copy);
      if (space_.age(MetIndex(copy - space_.local_handles())) != Space::kUnusable) return;
      missing_.emplace_back(copy);
      announced_.push_back({Handle(copy), v});
    });
  }
}

void ReadAhead::AnnouncedReads::close(ReadWindow& window, std::uint32_t from) {
  for (const std::uint32_t copy : window.copies)
    announced_.push_back({Handle(copy), graph_.next_reader(copy, from)});
  window.copies.clear();
  window.begin = window.end;
}

ReadAhead::ReadAhead(const SweepContext& context) : context_(context), most_(most_ahead(context)) {
  if (context.look_ahead > 0 && context.space.is_announced())
    announced_ =
        std::make_unique<AnnouncedReads>(context.graph, context.space, window_limits(context));
}
ReadAhead::~ReadAhead() = default;

std::span<const Handle> ReadAhead::before(std::uint32_t local) {
  if (announced_) return announced_->go_on_to(local);
  missing_.clear();
  if (local >= looked_from_ && local < looked_until_) return missing_;
  const std::uint32_t end = std::min(local + context_.look_ahead, context_.graph.local_count());
  looked_from_ = looked_until_ = local;
  while (looked_until_ < end && missing_.size() < most_) find_missing(looked_until_++);
  return missing_;
}

std::span<const Handle> ReadAhead::missing_of(std::span<const std::uint32_t> vertices) {
  missing_.clear();
  for (const std::uint32_t v : vertices) find_missing(v);
  return missing_;
}

void ReadAhead::find_missing(std::uint32_t local) {
  const Space& space = context_.space;
  context_.graph.each_copy(local, [&](std::uint32_t copy) {
    if (space.age(MetIndex(copy - space.local_handles())) == Space::kUnusable)
      missing_.emplace_back(copy);
  });
}

}  // namespace leeway
