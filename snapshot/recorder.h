// Part: one process's part of a snapshot, in memory in the format of the file. Recorder: takes the
// snapshots of a run on one node.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "snapshot/folder.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {

/// One process's part of a snapshot, laid out as in the file. Plain data; one thread at a time.
class Part {
 public:
  /// Sets the layout and reuses the memory; the caller then fills the spans below.
  void shape(const PartHeader& header);

  [[nodiscard]] const PartHeader& header() const { return header_; }
  [[nodiscard]] std::span<std::uint32_t> vertices();
  [[nodiscard]] std::span<const std::uint32_t> vertices() const;
  [[nodiscard]] std::span<std::byte> states() { return range(states_at_, states_bytes()); }
  [[nodiscard]] std::span<const std::byte> states() const {
    return range(states_at_, states_bytes());
  }
  [[nodiscard]] std::span<std::byte> results() { return range(results_at_, results_bytes()); }
  /// The results of the vertices; their states if there are no separate results.
  [[nodiscard]] std::span<const std::byte> results() const {
    return header_.result_bytes == 0 ? states() : range(results_at_, results_bytes());
  }
  /// Size of an entry of `results() const`.
  [[nodiscard]] std::size_t result_size() const {
    return header_.result_bytes == 0 ? header_.state_bytes : header_.result_bytes;
  }
  [[nodiscard]] std::span<std::byte> own() { return range(own_at_, header_.own_bytes); }
  [[nodiscard]] std::span<const std::byte> own() const { return range(own_at_, header_.own_bytes); }

  /// Appends the checksum and returns the content of the file.
  std::span<const std::byte> sealed();
  /// The checksum of a sealed or parsed part.
  [[nodiscard]] std::uint64_t sum() const;

  /// Parses a file's content; an Input error that names `path` if it is not a complete, undamaged
  /// part of this version.
  static Result<Part> parse(std::vector<std::byte> content, const std::string& path);

 private:
  [[nodiscard]] std::size_t states_bytes() const { return header_.entries * header_.state_bytes; }
  [[nodiscard]] std::size_t results_bytes() const { return header_.entries * header_.result_bytes; }
  [[nodiscard]] std::span<std::byte> range(std::size_t at, std::size_t size) {
    return std::span(bytes_).subspan(at, size);
  }
  [[nodiscard]] std::span<const std::byte> range(std::size_t at, std::size_t size) const {
    return std::span(bytes_).subspan(at, size);
  }
  /// Computes the offsets and returns the total size.
  std::size_t set_layout();

  PartHeader header_;
  std::vector<std::byte> bytes_;
  std::size_t states_at_ = 0;
  std::size_t results_at_ = 0;
  std::size_t own_at_ = 0;
};

/// The error for an unusable snapshot, with its remedy.
[[nodiscard]] Error damaged(const std::string& path, std::string what);

/// The settings of a run's snapshots; equal on all nodes.
struct SnapshotOptions {
  std::string folder;
  double every_seconds = 0;        ///< 0: not periodically
  std::uint64_t every_rounds = 0;  ///< 0: not by number of rounds
  std::uint32_t kept = 2;
  Manifest of;                      ///< template of every snapshot's manifest
  std::uint64_t rounds_before = 0;  ///< rounds before this run was resumed
  double seconds_before = 0;
  /// Number of snapshots requested by signal; null: signals are not handled.
  const std::atomic<std::uint32_t>* requests = nullptr;
  /// Whether this process has already warned about a failed write.
  std::shared_ptr<std::atomic<bool>> complained = std::make_shared<std::atomic<bool>>(false);
};

/// Takes a run's snapshots on one node: decides when one is due, writes this node's part in the
/// background, and on node 0 makes the snapshot valid once all parts exist. The engines agree on
/// each snapshot beforehand, with their votes; a Recorder sends nothing. An unwritable folder is an
/// error of `open`. Later failures are reported once and counted, and the run continues.
///
/// Called only by the node's main thread; a separate thread writes. If nodes are fibers of one
/// thread (`background` false), the caller writes.
class Recorder {
 public:
  /// `handles_requests`: handle the requests of the plan; true for one node per process.
  Recorder(const SnapshotOptions& plan, std::uint32_t node, bool background, bool handles_requests)
      : plan_(plan), node_(node), background_(background), handles_requests_(handles_requests) {}
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// On node 0, before all other calls: draws the run's number and locks the folder. An Environment
  /// error if it cannot be written, an Input error if another job holds it or it is not a folder.
  Status open();
  /// On node 0, after open: the random number that identifies the parts of this run.
  [[nodiscard]] std::uint64_t run() const { return run_; }
  /// On node 0, after open: the number of the next snapshot.
  [[nodiscard]] std::uint64_t next_number() const { return folder_->next_number(); }

  /// The run begins: starts to count time and rounds.
  void begin(Instant now) { begin_ = last_ = now; }
  /// Whether this node requests a snapshot now: node 0 when one is due and the previous one is
  /// finished, other nodes after a signal.
  [[nodiscard]] bool should_request(Instant now, std::uint64_t rounds);
  /// Another node has requested a snapshot: node 0 requests it at the next opportunity.
  void request() { requested_ = true; }
  /// `all`: number of parts that failed on all nodes so far. If it has grown, node 0 abandons the
  /// snapshot that it waits for.
  void note_failures(std::uint64_t all);
  /// On node 0: the snapshot that it has requested last, and has not begun to write, is not taken.
  void give_up(std::uint64_t number);
  /// Number of this node's parts that failed or were skipped.
  [[nodiscard]] std::uint64_t failures() const { return failed_ + skipped_; }

  /// The buffer for this node's part; null if the previous part is still being written, and this
  /// one is skipped.
  [[nodiscard]] Part* blank();
  /// Writes the part: the state at `now`, after `rounds` rounds of this run.
  void write(Instant now, std::uint64_t rounds);
  /// A part could not be written: warns once and counts it. Any thread.
  void complain(const Error& error);
  /// Records a pause of this node's computation.
  void paused(Duration time);

  /// After the run, in two steps with a barrier between them. After end_writing this node's part is
  /// written; after close, node 0's last snapshot is valid or removed.
  void end_writing();
  void close();
  [[nodiscard]] Counts counts() const;

 private:
  void work(const Manifest& manifest);
  void commit(const Manifest& manifest);
  void abandon(const Manifest& manifest);
  /// Blocks until all parts exist; false if the snapshot is abandoned.
  bool wait_for_parts(const Manifest& manifest);
  [[nodiscard]] bool due(Instant now, std::uint64_t rounds) const;

  const SnapshotOptions& plan_;
  const std::uint32_t node_;
  const bool background_;
  const bool handles_requests_;
  std::unique_ptr<Folder> folder_;  // on node 0
  Part part_;
  std::thread writer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool abandoned_ = false;  // guarded by mutex_: the unfinished snapshot will not become complete
  std::optional<Manifest> uncommitted_;  // on node 0, if no thread waits for the parts
  SteadyClock clock_;
  std::uint64_t run_ = 0;  // on node 0
  Instant begin_{};        // by the run's clock
  Instant last_{};         // time of the last agreed snapshot, or begin of the run
  std::uint64_t last_rounds_ = 0;
  std::uint32_t handled_requests_ = 0;  // requests handled so far
  bool requested_ = false;              // by a signal or another node
  std::uint64_t all_failed_ = 0;        // on all nodes, as known to node 0
  Counts counts_;                       // pauses, counted by the main thread
  std::atomic<bool> writing_{false};
  std::atomic<bool> outstanding_{false};  // on node 0: a snapshot is neither valid nor abandoned
  std::atomic<std::uint64_t> failed_{0};
  std::uint64_t skipped_ = 0;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::int64_t> written_ns_{0};
};

}  // namespace leeway::snapshot
