#include "snapshot/recorder.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/format.h"
#include "base/log.h"

namespace leeway::snapshot {

namespace {

constexpr std::size_t kAlign = 8;

std::size_t padded(std::size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

/// Whether the sizes in a header are below the file's size, so that their sum cannot overflow.
bool plausible(const PartHeader& header, std::size_t file) {
  const std::uint64_t most = file;
  if (header.entries > most / sizeof(std::uint32_t) || header.own_bytes > most) return false;
  if (header.entries == 0) return true;
  return header.state_bytes <= most / header.entries &&
         header.result_bytes <= most / header.entries;
}

}  // namespace

Error damaged(const std::string& path, std::string what) {
  return input_error(path, std::move(what),
                     "resume from another snapshot of the folder, or start without --resume");
}

std::size_t Part::set_layout() {
  states_at_ = sizeof(PartHeader) + padded(header_.entries * sizeof(std::uint32_t));
  results_at_ = states_at_ + padded(states_bytes());
  own_at_ = results_at_ + padded(results_bytes());
  return own_at_ + padded(header_.own_bytes) + kSumBytes;
}

void Part::shape(const PartHeader& header) {
  header_ = header;
  bytes_.resize(set_layout());
  std::memcpy(bytes_.data(), &header_, sizeof header_);
}

std::span<std::uint32_t> Part::vertices() {
  return {reinterpret_cast<std::uint32_t*>(bytes_.data() + sizeof(PartHeader)), header_.entries};
}
std::span<const std::uint32_t> Part::vertices() const {
  return {reinterpret_cast<const std::uint32_t*>(bytes_.data() + sizeof(PartHeader)),
          header_.entries};
}

std::span<const std::byte> Part::sealed() {
  const std::uint64_t sum = checksum(std::span(bytes_).first(bytes_.size() - kSumBytes));
  std::memcpy(bytes_.data() + bytes_.size() - kSumBytes, &sum, sizeof sum);
  return bytes_;
}

std::uint64_t Part::sum() const {
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes_.data() + bytes_.size() - kSumBytes, sizeof sum);
  return sum;
}

Result<Part> Part::parse(std::vector<std::byte> content, const std::string& path) {
  Part part;
  const std::size_t size = content.size();
  const std::size_t shown = std::min(size, kPartMagic.size());
  if (std::memcmp(content.data(), kPartMagic.data(), shown) != 0)
    return fail(damaged(path, "this is not a part of a snapshot"));
  if (size < sizeof(PartHeader) + kSumBytes)
    return fail(damaged(path, format("the part is cut off after {} bytes", size)));
  std::memcpy(&part.header_, content.data(), sizeof(PartHeader));
  if (part.header_.version != kVersion) {
    return fail(damaged(path, format("the part is of version {}, and this leeway reads version {}",
                                     part.header_.version, kVersion)));
  }
  if (!plausible(part.header_, size) || part.set_layout() != size)
    return fail(damaged(path, format("the part is cut off or damaged: it has {} bytes", size)));
  part.bytes_ = std::move(content);
  if (checksum(std::span(part.bytes_).first(size - kSumBytes)) != part.sum())
    return fail(damaged(path, "the part is damaged: its checksum does not match"));
  return part;
}

namespace {

using std::chrono::milliseconds;
constexpr milliseconds kFirstLook{1};
constexpr milliseconds kLongestLook{50};
constexpr int kLooks = 10;

/// The top bit is set so that its encoding has a fixed length: a virtual cluster counts bytes.
std::uint64_t draw_run() {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63U;
  std::random_device random;
  return kTop | (std::uint64_t{random()} << 32U) | random();
}

}  // namespace

Recorder::~Recorder() {
  {
    const std::lock_guard locked(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  if (writer_.joinable()) writer_.join();
}

Status Recorder::open() {
  run_ = draw_run();
  LEEWAY_ASSIGN(folder_, Folder::open(plan_.folder, run_, plan_.kept));
  return {};
}

bool Recorder::due(Instant now, std::uint64_t rounds) const {
  const bool by_time = plan_.every_seconds > 0 && seconds(now - last_) >= plan_.every_seconds;
  return by_time || (plan_.every_rounds > 0 && rounds >= last_rounds_ + plan_.every_rounds);
}

bool Recorder::should_request(Instant now, std::uint64_t rounds) {
  // mutant: a-snapshot-is-made-valid-before-all-parts-are-there
  if (uncommitted_ && folder_->complete(uncommitted_->number, uncommitted_->nodes))
    commit(*std::exchange(uncommitted_, std::nullopt));
  const std::uint32_t requests =
      handles_requests_ && plan_.requests != nullptr ? plan_.requests->load() : 0;
  if (requests != handled_requests_) requested_ = true;
  handled_requests_ = requests;
  if (node_ != 0) return std::exchange(requested_, false);
  if (outstanding_ || writing_ || !(requested_ || due(now, rounds))) return false;
  requested_ = false;
  outstanding_ = true;
  return true;
}

void Recorder::note_failures(std::uint64_t all) {
  if (node_ != 0 || all == std::exchange(all_failed_, all)) return;
  if (uncommitted_) abandon(*std::exchange(uncommitted_, std::nullopt));
  {
    const std::lock_guard locked(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
}

void Recorder::give_up(std::uint64_t number) {
  folder_->drop(number);
  outstanding_ = false;
}

Part* Recorder::blank() {
  if (node_ == 0) {
    const std::lock_guard locked(mutex_);
    abandoned_ = false;
  }
  // Node 0 may have found the last part before the writing thread has finished.
  for (int look = 0; writing_ && look < kLooks; ++look) std::this_thread::sleep_for(kFirstLook);
  if (writing_) {
    ++skipped_;
    return nullptr;
  }
  if (writer_.joinable()) writer_.join();
  return &part_;
}

void Recorder::write(Instant now, std::uint64_t rounds) {
  last_ = now;
  last_rounds_ = rounds;
  Manifest manifest = plan_.of;
  manifest.number = part_.header().number;
  manifest.run = part_.header().run;
  manifest.nodes = part_.header().parts;
  manifest.state_bytes = part_.header().state_bytes;
  manifest.taken = std::time(nullptr);
  manifest.progress = plan_.rounds_before + rounds;
  manifest.seconds = plan_.seconds_before + seconds(now - begin_);
  writing_ = true;
  if (background_) {
    writer_ = std::thread([this, manifest] { work(manifest); });
  } else {
    work(manifest);
  }
}

void Recorder::work(const Manifest& manifest) {
  const Instant began = clock_.now();
  const std::span<const std::byte> sealed = part_.sealed();
  const Status written = write_part(plan_.folder, manifest.number, part_.header().part, sealed);
  if (!written) complain(written.error());
  if (node_ == 0) {
    if (!written) {
      abandon(manifest);
    } else if (!background_) {
      uncommitted_ = manifest;
    } else if (wait_for_parts(manifest)) {
      commit(manifest);
    } else {
      abandon(manifest);
    }
    written_ns_ += (clock_.now() - began).count();
  }
  writing_ = false;
}

bool Recorder::wait_for_parts(const Manifest& manifest) {
  milliseconds pause = kFirstLook;
  std::unique_lock locked(mutex_);
  while (!folder_->complete(manifest.number, manifest.nodes)) {
    if (abandoned_) return false;
    changed_.wait_for(locked, pause);
    pause = std::min(2 * pause, kLongestLook);
  }
  return true;
}

void Recorder::commit(const Manifest& manifest) {
  const auto bytes = folder_->commit(manifest);
  if (!bytes) {
    complain(bytes.error());
    return abandon(manifest);
  }
  ++taken_;
  bytes_ += *bytes;
  log_info("snapshot {} of {} is complete, {} bytes", manifest.number, plan_.folder, *bytes);
  outstanding_ = false;
}

void Recorder::abandon(const Manifest& manifest) {
  folder_->drop(manifest.number);
  outstanding_ = false;
}

void Recorder::complain(const Error& error) {
  ++failed_;
  if (plan_.complained->exchange(true)) return;
  log_warning("a snapshot could not be written, the run continues: {}", error.to_string());
}

void Recorder::paused(Duration time) {
  counts_.paused_ns += time.count();
  counts_.longest_ns = std::max<std::int64_t>(counts_.longest_ns, time.count());
}

void Recorder::end_writing() {
  // Node 0's thread waits for the parts that other nodes write until the following barrier.
  if (node_ != 0 && writer_.joinable()) writer_.join();
}

void Recorder::close() {
  if (uncommitted_) {
    const Manifest manifest = *std::exchange(uncommitted_, std::nullopt);
    if (folder_->complete(manifest.number, manifest.nodes))
      commit(manifest);
    else
      abandon(manifest);
  }
  {
    const std::lock_guard locked(mutex_);
    abandoned_ = true;  // no further parts will be written
  }
  changed_.notify_all();
  if (writer_.joinable()) writer_.join();
  // Abandoned snapshots, whose parts were written late.
  if (folder_) folder_->remove_unfinished();
  folder_.reset();
}

Counts Recorder::counts() const {
  Counts counts = counts_;
  counts.taken = taken_;
  counts.failed = failed_;
  counts.skipped = skipped_;
  counts.bytes = bytes_;
  counts.written_ns = written_ns_;
  return counts;
}

}  // namespace leeway::snapshot
