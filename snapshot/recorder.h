// One process's part of a snapshot, in memory as it is on the disk. Plain data; one thread's at a time.
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
#include "leeway/result.h"
#include "snapshot/folder.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {

/// What vertices' states were, in some order of vertices.
struct States {
  std::vector<std::byte> bytes;  ///< of one size each
  std::vector<bool> known;       ///< empty: all; else those of others mean nothing
};

class Part {
 public:
  /// Lays it out anew, keeping its memory; what the spans below show is then to be filled.
  void shape(const PartHeader& header);

  [[nodiscard]] const PartHeader& header() const { return header_; }
  [[nodiscard]] std::span<std::uint32_t> vertices();
  [[nodiscard]] std::span<const std::uint32_t> vertices() const;
  [[nodiscard]] std::span<std::byte> states() { return stretch(states_at_, states_bytes()); }
  [[nodiscard]] std::span<const std::byte> states() const {
    return stretch(states_at_, states_bytes());
  }
  [[nodiscard]] std::span<std::byte> results() { return stretch(results_at_, results_bytes()); }
  /// What each vertex's result is: its state where no results are kept apart.
  [[nodiscard]] std::span<const std::byte> results() const {
    return header_.result_bytes == 0 ? states() : stretch(results_at_, results_bytes());
  }
  /// Of one entry of `results() const`.
  [[nodiscard]] std::size_t result_size() const {
    return header_.result_bytes == 0 ? header_.state_bytes : header_.result_bytes;
  }
  [[nodiscard]] std::span<std::byte> own() { return stretch(own_at_, header_.own_bytes); }
  [[nodiscard]] std::span<const std::byte> own() const {
    return stretch(own_at_, header_.own_bytes);
  }

  /// Puts the checksum behind it; then it is what a file holds.
  std::span<const std::byte> sealed();
  /// The checksum of a sealed or parsed part.
  [[nodiscard]] std::uint64_t sum() const;

  /// Takes a file's content; an Input error that names `path` for what is no whole, undamaged part of this version.
  static Result<Part> parse(std::vector<std::byte> content, const std::string& path);

 private:
  [[nodiscard]] std::size_t states_bytes() const { return header_.entries * header_.state_bytes; }
  [[nodiscard]] std::size_t results_bytes() const { return header_.entries * header_.result_bytes; }
  [[nodiscard]] std::span<std::byte> stretch(std::size_t at, std::size_t size) {
    return std::span(bytes_).subspan(at, size);
  }
  [[nodiscard]] std::span<const std::byte> stretch(std::size_t at, std::size_t size) const {
    return std::span(bytes_).subspan(at, size);
  }
  /// Where everything lies, and how long it is in all.
  std::size_t place();

  PartHeader header_;
  std::vector<std::byte> bytes_;
  std::size_t states_at_ = 0;
  std::size_t results_at_ = 0;
  std::size_t own_at_ = 0;
};

/// What is wrong with a snapshot, and what helps.
[[nodiscard]] Error damaged(const std::string& path, std::string what);

// Takes a run's snapshots on one node: tells when one is due, writes this node's part behind the computation, and on
// node 0 makes the snapshot valid once all parts are there. Who takes part agrees on each snapshot beforehand (the
// engines, with their votes); nothing here sends. A folder that cannot be written to is refused when it is opened. What
// cannot be written later is warned of once and counted: the run goes on, and its ending says so.
//
// Called by the node's main thread only; a thread of its own writes. Where nodes are fibers of one thread
// (`background` false) the caller writes.

/// What a run is told of its snapshots; the same on every node.
struct Plan {
  std::string folder;
  double every_seconds = 0;        ///< 0: not by time
  std::uint64_t every_rounds = 0;  ///< 0: not by rounds
  std::uint32_t kept = 2;
  Manifest of;                      ///< what every snapshot says of its job
  std::uint64_t rounds_before = 0;  ///< of the run that this one goes on from
  double seconds_before = 0;
  /// How often somebody has asked for one, by a signal; null: nobody can.
  const std::atomic<std::uint32_t>* requests = nullptr;
  /// Whether this process has said that something could not be written.
  std::shared_ptr<std::atomic<bool>> complained = std::make_shared<std::atomic<bool>>(false);
};

class Recorder {
 public:
  /// `hears`: heeds the plan's requests; one node a process.
  Recorder(const Plan& plan, std::uint32_t node, bool background, bool hears)
      : plan_(plan), node_(node), background_(background), hears_(hears) {}
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// On node 0, before anything else: draws the run's number and takes the folder. An Environment error where it cannot
  /// be written to, an Input error where another job holds it or where it is no folder.
  Status open();
  /// On node 0, opened: tells the parts of this run from those of others.
  [[nodiscard]] std::uint64_t run() const { return run_; }
  /// On node 0, opened: the number of its next snapshot.
  [[nodiscard]] std::uint64_t next_number() const { return folder_->next_number(); }

  /// The run begins, from which on time and rounds count.
  void begin(Instant now) { begin_ = last_ = now; }
  /// Whether this node asks for a snapshot now: node 0 when one is due and the last is done with, every node that
  /// hears when a request came.
  [[nodiscard]] bool wants(Instant now, std::uint64_t rounds);
  /// Another node asked: node 0 does as soon as it can.
  void ask() { asked_ = true; }
  /// So many of the parts that all nodes were to write could not be written: what node 0 waits for is given up.
  void note_failures(std::uint64_t all);
  /// Parts of this node so far that are missing: not written, or skipped.
  [[nodiscard]] std::uint64_t failures() const { return failed_ + skipped_; }

  /// Where this node's part is to be laid out; null while the last one is still being written: this snapshot is skipped.
  [[nodiscard]] Part* blank();
  /// Writes it: what there was now, after so many rounds of this run.
  void write(Instant now, std::uint64_t rounds);
  /// A part cannot be written: said once, and counted. Any thread.
  void complain(const Error& error);
  /// This node has computed nothing since then.
  void paused(Duration time);

  /// After the run, in two steps with a barrier between them: this node's part is written, and on node 0 the last
  /// snapshot is valid or gone.
  void end_writing();
  void close();
  [[nodiscard]] Counts counts() const;

 private:
  void work(const Manifest& manifest);
  void settle(const Manifest& manifest);
  void give_up(const Manifest& manifest);
  /// Blocks until all parts are there; false if that is not to be waited for any longer.
  bool wait_for_parts(const Manifest& manifest);
  [[nodiscard]] bool due(Instant now, std::uint64_t rounds) const;

  const Plan& plan_;
  const std::uint32_t node_;
  const bool background_;
  const bool hears_;
  std::unique_ptr<Folder> folder_;  // node 0's
  Part part_;
  std::thread writer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hopeless_ = false;  // with the mutex: the snapshot in the making will never be whole
  std::optional<Manifest> unsettled_;  // node 0, where no thread waits for the parts
  SteadyClock clock_;
  std::uint64_t run_ = 0;  // node 0's
  Instant begin_{};        // on the run's clock
  Instant last_{};         // when the last was agreed on, or the run began
  std::uint64_t last_rounds_ = 0;
  std::uint32_t heard_ = 0;       // requests
  bool asked_ = false;            // by another node
  std::uint64_t all_failed_ = 0;  // on all nodes, as far as node 0 knows
  Counts counts_;                 // what the main thread counts
  std::atomic<bool> writing_{false};
  std::atomic<bool> outstanding_{false};  // node 0: a snapshot is neither valid nor given up
  std::atomic<std::uint64_t> failed_{0};
  std::uint64_t skipped_ = 0;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::int64_t> written_ns_{0};
};

}  // namespace leeway::snapshot
