#include "test/campaign/observers.h"

#include <algorithm>

#include "leeway/base/format.h"
#include "leeway/base/mix.h"

namespace leeway::campaign {

namespace {

constexpr std::uint64_t kUnknownValue = ~std::uint64_t{0};

}  // namespace

void Observers::initial_value(SpaceId space, ObjectId object, std::uint64_t hash) {
  const std::lock_guard lock(mutex_);
  version_by_value_[{space, object}][hash] = kFirstVersion.value();
  newest_[{space, object}] = kFirstVersion.value();
}

void Observers::cluster_is_quiet() {
  const std::lock_guard lock(mutex_);
  quiet_ = true;
}

void Observers::violate(const Record& record, const std::string& rule, const std::string& detail) {
  violations_.push_back(format("{}: {} [{}]", rule, detail, to_line(record)));
}

std::uint64_t Observers::version_of(Key key, std::uint64_t hash) const {
  const auto object = version_by_value_.find(key);
  if (object == version_by_value_.end()) return kUnknownValue;
  const auto version = object->second.find(hash);
  return version == object->second.end() ? kUnknownValue : version->second;
}

void Observers::record(const Record& record) {
  const std::lock_guard lock(mutex_);
  log_.push_back(record);
  const Key key{record.space, record.object};
  const Place place{record.node, key};
  const std::uint64_t version = record.version.value();
  if (record.kind != RecordKind::Read && record.kind != RecordKind::Iterated) {
    const std::uint64_t now = iteration_of_[record.node];
    if (iterations_.size() <= now) iterations_.resize(now + 1);
    iterations_[now].quiet = false;
  }
  switch (record.kind) {
    case RecordKind::Write:
      return on_write(record, key);
    case RecordKind::Read:
      return on_read(record, key);
    case RecordKind::Invalidated: {
      std::uint64_t& heard = heard_[place];
      heard = std::max(heard, version);
      return;
    }
    case RecordKind::Installed: {
      const std::uint64_t actual = version_of(key, record.value);
      if (actual == kUnknownValue) violate(record, "exactly once", "a copy nobody wrote");
      if (actual < version) violate(record, "honest copies", format("it is version {}", actual));
      if (policy(key).optimizations.collocation && !sharers_[key].contains(record.node)) {
        violate(record, "directory covers holders", "a copy the home does not know of");
      }
      holds_[place] = version;
      heard_[place] = std::max(heard_[place], version);
      return;
    }
    case RecordKind::Evicted:
      holds_.erase(place);
      return;
    case RecordKind::Joined:
      sharers_[key].insert(record.peer);
      return;
    case RecordKind::Left:
      sharers_[key].erase(record.peer);
      if (holds_.contains({record.peer, key})) {
        violate(record, "directory covers holders", "it left but has its copy still");
      }
      return;
    case RecordKind::Stored:
      acknowledged_[key] = std::max(acknowledged_[key], version);
      return;
    case RecordKind::Iterated:
      return on_iterated(record);
  }
}

/// Local Updates: an object's writes are ordered, each a version of its own.
void Observers::on_write(const Record& record, Key key) {
  std::uint64_t& newest = newest_[key];
  if (record.version.value() != newest + 1) {
    violate(record, "exactly once", format("the version before was {}", newest));
  }
  newest = record.version.value();
  version_by_value_[key][record.value] = newest;
}

void Observers::on_read(const Record& record, Key key) {
  const Place place{record.node, key};
  const std::uint64_t actual = version_of(key, record.value);
  const std::uint64_t now = iteration_of_[record.node];
  if (iterations_.size() <= now) iterations_.resize(now + 1);
  if (record.access != Access::CurrentHit) iterations_[now].quiet = false;
  if (actual == kUnknownValue) return violate(record, "exactly once", "a value nobody wrote");
  if (actual < read_[place]) {
    violate(record, "progressive reads", format("version {} after {}", actual, read_[place]));
  }
  read_[place] = std::max(read_[place], actual);
  if (record.object.home() == record.node) {
    if (actual != newest_[key]) {
      violate(record, "local updates",
              format("version {} where {} was written", actual, newest_[key]));
    }
    return;
  }
  iterations_[now].used.push_back(place);
  const std::uint64_t threshold = policy(key).threshold;
  if (actual + threshold < heard_[place]) {
    violate(record, "bounded staleness",
            format("version {} where {} was heard of", actual, heard_[place]));
  }
  if (policy(key).writes == Writes::Wait && actual < acknowledged_[key]) {
    violate(record, "strict reads",
            format("version {} after a store of {} returned", actual, acknowledged_[key]));
  }
  if (!quiet_) return;
  const std::uint64_t allowed = policy(key).refresh ? 0 : threshold;
  if (actual + allowed < newest_[key]) {
    violate(record, policy(key).refresh ? "best effort refresh" : "bounded staleness",
            format("version {} of {} in a quiet cluster", actual, newest_[key]));
  }
}

void Observers::on_iterated(const Record& record) {
  const std::uint64_t now = iteration_of_[record.node]++;
  if (iterations_.size() <= now + 1) iterations_.resize(now + 2);
  Iteration& iteration = iterations_[now];
  const bool told_to_stop = (record.value & 1) != 0;
  if ((record.value & 2) != 0) iteration.voted = true;
  (told_to_stop ? iteration.converged : iteration.continued).insert(record.node);
  if (!iteration.converged.empty() && iteration.voted) {
    violate(record, "no early termination", "it ended although somebody voted to go on");
  }
  if (!iteration.converged.empty() && !iteration.continued.empty()) {
    violate(record, "one verdict", "some were told to go on, some to stop");
  }
  if (told_to_stop && iteration.converged.size() == 1) {
    // The first to hear it. Whatever anybody used in this iteration must be what the homes have.
    for (const Place& place : iteration.used) {
      if (read_[place] == newest_[place.second]) continue;
      violate(record, "no early termination",
              format("node {} used version {} of object {}.{}, the home has {}", place.first,
                     read_[place], place.second.second.home(), place.second.second.local(),
                     newest_[place.second]));
    }
  }
}

/// Once everybody agrees, all is current and nothing travels, three iterations must do: one that sees it,
/// one that confirms it, and the one in which the last news arrived.
void Observers::check_not_late() {
  constexpr std::size_t kEnough = 3;
  std::size_t last = iterations_.size();
  while (last > 0 && iterations_[last - 1].converged.empty()) --last;
  std::size_t quiet = 0;
  while (quiet < last && iterations_[last - 1 - quiet].quiet &&
         !iterations_[last - 1 - quiet].voted)
    ++quiet;
  if (quiet <= kEnough) return;
  violations_.push_back(
      format("no late termination: the last {} iterations saw nothing but current reads", quiet));
}

void Observers::finish() {
  check_not_late();
  for (const auto& [place, version] : holds_) {
    const auto& [node, key] = place;
    if (!sharers_[key].contains(node)) {
      violations_.push_back(format("directory covers holders: node {} has object {}.{} at the end",
                                   node, key.second.home(), key.second.local()));
    }
    if (heard_[place] < newest_[key]) {
      violations_.push_back(format(
          "no lost invalidations: node {} never heard of version {} of object {}.{}, only of {}",
          node, newest_[key], key.second.home(), key.second.local(), heard_[place]));
    }
  }
}

std::uint64_t Observers::digest() const {
  std::uint64_t digest = 0;
  for (const Record& record : log_) {
    for (const char byte : to_line(record))
      digest = mix64(digest ^ static_cast<unsigned char>(byte));
  }
  return digest;
}

}  // namespace leeway::campaign
