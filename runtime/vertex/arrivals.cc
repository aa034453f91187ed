#include "runtime/vertex/arrivals.h"

namespace leeway {

bool Arrivals::any() {
  look();
  return !fresh_.empty() || newly_stale_;
}

bool Arrivals::only_stale(CopyReader& reader) {
  look();
  if (!fresh_.empty() || !newly_stale_) return false;
  newly_stale_ = false;
  touch_stale(reader);
  return fresh_.empty();
}

std::span<const Handle> Arrivals::take(CopyReader& reader, bool reads_stale) {
  if (reads_stale) {
    look_and_touch(reader);
  } else {
    look();
  }
  if (!space_.bounded()) request_unusable();
  return take_fresh();
}

std::span<const Handle> Arrivals::take_unrequested(CopyReader& reader) {
  look_and_touch(reader);
  return take_fresh();
}

void Arrivals::pass() {
  look();
  newly_stale_ = false;
  split_stale([](MetIndex) {});
  fresh_.clear();
}

void Arrivals::look() {
  space_.take_changed([&](MetIndex met) {
    if (!usable_but_stale(met)) {
      fresh_.push_back(handle(met));
      return;
    }
    newly_stale_ = true;
    if (watched_[met.index()]) return;
    watched_[met.index()] = true;
    stale_.push_back(met);
  });
}

void Arrivals::request_unusable() {
  missing_.clear();
  for (const Handle copy : fresh_) {
    if (space_.age(MetIndex(copy.value() - space_.local_handles())) == Space::kUnusable)
      missing_.push_back(copy);
  }
  if (!missing_.empty()) space_.prefetch(missing_);
}

void Arrivals::look_and_touch(CopyReader& reader) {
  look();
  newly_stale_ = false;
  touch_stale(reader);
}

void Arrivals::touch_stale(CopyReader& reader) {
  split_stale([&](MetIndex met) { reader.touch(handle(met)); });
}

template <class Still>
void Arrivals::split_stale(Still&& still) {
  std::size_t kept = 0;
  for (const MetIndex met : stale_) {
    if (usable_but_stale(met)) {
      still(met);
      stale_[kept++] = met;
    } else {
      watched_[met.index()] = false;
      fresh_.push_back(handle(met));
    }
  }
  stale_.resize(kept);
}

std::span<const Handle> Arrivals::take_fresh() {
  taken_.swap(fresh_);
  fresh_.clear();
  return taken_;
}

}  // namespace leeway
