#include "runtime/cluster/run_outcome.h"

#include <cstring>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/format.h"
#include "base/process.h"
#include "runtime/cluster/recovery.h"
#include "snapshot/folder.h"

extern char** environ;

namespace leeway {

namespace {

/// The members of a Record that are stored. Times and counts of simulated runs are not needed.
template <class AnyRecord>
auto stored_members(AnyRecord& record) {
  return std::tie(record.phases, record.nodes, record.rounds_before, record.from_states,
                  record.recoveries, record.recovery_seconds, record.peak_memory_bytes,
                  record.frames);
}

}  // namespace

std::string name_of_copies() { return std::string(variable(::environ, "LEEWAYJOB_GRAPH")); }

RunOutcome::RunOutcome(Job* job) : job_(job) {
  if (job == nullptr || !job->replaces_lost() || job->position().within) return;
  prefix_ = name_of_copies();
}

std::string RunOutcome::file() const {
  return format("{}.run-{}.{}", prefix_, job_->position().run, job_->self());
}

Status RunOutcome::store(std::span<const std::byte> bytes) const {
  if (!is_stored()) return {};
  std::vector<std::byte> sealed(bytes.begin(), bytes.end());
  const std::uint64_t sum = checksum(bytes);
  const auto seal = std::as_bytes(std::span(&sum, 1));
  sealed.insert(sealed.end(), seal.begin(), seal.end());
  return snapshot::write_durably(file(), sealed);
}

Result<std::vector<std::byte>> RunOutcome::load() const {
  if (!is_stored()) return fail(unreadable());
  Result<std::vector<std::byte>> bytes = snapshot::content_of(file());
  std::uint64_t sum = 0;
  if (!bytes || bytes->size() < sizeof sum) return fail(unreadable());
  std::memcpy(&sum, bytes->data() + bytes->size() - sizeof sum, sizeof sum);
  bytes->resize(bytes->size() - sizeof sum);
  if (checksum(*bytes) != sum) return fail(unreadable());
  return bytes;
}

Error RunOutcome::unreadable() const {
  return needs_restart(
      job_->self(),
      "it replaces a lost process, whose outcome of an earlier run is missing or damaged");
}

std::vector<std::byte> archived_record(const Record& record) {
  ByteWriter out;
  std::apply([&](const auto&... member) { save_all(out, member...); }, stored_members(record));
  return out.take();
}

bool load_record(std::span<const std::byte> bytes, Record& record) {
  ByteReader in(bytes);
  std::apply([&](auto&... member) { load_all(in, member...); }, stored_members(record));
  return !in.failed() && in.at_end();
}

}  // namespace leeway
