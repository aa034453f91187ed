// What the rendezvous decides: who goes because others cannot reach it, how the job ends, and what all wait for.
#include <algorithm>
#include <cstring>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/transport/rendezvous.h"

namespace leeway {

namespace {

constexpr std::uint32_t kPeerCode = 4;
constexpr Duration kEvidencePatience = std::chrono::seconds(2);
/// How long after the first failure others may still report theirs: mostly all fail alike, and then it is the
/// first node's that is named.
constexpr Duration kFailAlike = std::chrono::milliseconds(500);
constexpr Duration kShortestInquiry = std::chrono::milliseconds(100);
constexpr Duration kLongestInquiry = std::chrono::milliseconds(600);

}  // namespace

void Rendezvous::report(NodeId node, std::uint32_t code, const std::string& why) {
  {
    const std::lock_guard locked(reports_mutex_);
    reports_.push_back(
        {.kind = ControlKind::Report, .node = node.value(), .code = code, .text = why});
  }
  bell_.ring();
}

void Rendezvous::take_reports() {
  std::vector<ControlMessage> reports;
  {
    const std::lock_guard locked(reports_mutex_);
    reports.swap(reports_);
  }
  for (const ControlMessage& each : reports) on_report(NodeId(each.node), each.code, each.text);
}

void Rendezvous::on_report(NodeId node, std::uint32_t code, const std::string& why) {
  if (node.index() >= members_.size() || the_end_) return;
  Member& member = members_[node.index()];
  if (member.code != 0) return;  // what it said first is why
  member.reported = true;
  member.code = code;
  member.failure = why;
  if (code != 0 && !failing_since_) failing_since_ = awake_.now();
  settle_outcome();
}

bool Rendezvous::all_reported() const {
  // Without a failure, a node that is gone is no node that is through.
  return std::all_of(members_.begin(), members_.end(), [this](const Member& member) {
    return member.reported || (failing_since_ && member.state == MemberState::Gone);
  });
}

/// Once all have reported, or some time after a failure: whoever failed first may be what others wait for. Of
/// several failures the lowest node's counts; one that only tells of a peer's does not if there is another.
void Rendezvous::settle_outcome() {
  const bool late = failing_since_ && awake_.now() - *failing_since_ > kFailAlike;
  const auto said = [](const Member& member) { return member.reported; };
  if (the_end_ || std::none_of(members_.begin(), members_.end(), said)) return;
  if (!late && !all_reported()) return;
  ControlMessage outcome{.kind = ControlKind::Outcome};
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.reported = false;
    const bool better =
        outcome.code == 0 || (outcome.code == kPeerCode && member.code != kPeerCode);
    if (member.code == 0 || !better) continue;
    outcome.node = i;
    outcome.code = member.code;
    outcome.text = member.failure;
  }
  if (outcome.code != 0) the_end_ = outcome;
  broadcast(outcome, NodeId::none());
}

/// One inquiry at a time: what else is suspected meanwhile is settled by it, too.
void Rendezvous::on_suspicion(NodeId by, NodeId whom) {
  if (whom.index() >= members_.size() || members_[whom.index()].state == MemberState::Gone) return;
  if (!inquiry_) {
    inquiry_.emplace(members_.size());
    const Duration most =
        std::clamp<Duration>(options_.verdict / 4, kShortestInquiry, kLongestInquiry);
    inquire_until_ = awake_.now() + 2 * most;
    log_info("rendezvous: node {} does not reach node {}: asking all", by, whom);
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(most).count();
    broadcast(
        {.kind = ControlKind::Inquire, .milliseconds = static_cast<std::uint32_t>(milliseconds)},
        NodeId::none());
  }
  inquiry_->suspect(by, whom);
}

void Rendezvous::on_unreached(NodeId by, const std::vector<std::string>& list) {
  if (!inquiry_) return;
  std::vector<NodeId> unreached;
  for (const std::string& each : list) {
    std::uint32_t node = 0;
    if (each.size() != sizeof(node)) continue;
    std::memcpy(&node, each.data(), sizeof(node));
    unreached.push_back(NodeId(node));
  }
  inquiry_->answer(by, unreached);
  finish_inquiry();
}

void Rendezvous::finish_inquiry() {
  bool all = true;
  for (std::uint32_t i = 0; i < members_.size(); ++i)
    all = all && (members_[i].guest == nullptr || inquiry_->answered(NodeId(i)));
  if (!all && awake_.now() < inquire_until_) return;
  const Inquiry settled = *std::exchange(inquiry_, std::nullopt);
  for (const auto& [node, why] : settled.verdicts()) give_up(node, why);
}

void Rendezvous::start_dump() {
  if (dumping_ || !complete_) return;
  dumping_ = true;
  dump_until_ = awake_.now() + kEvidencePatience;
  evidence_.clear();
  for (Member& member : members_) member.answered = member.guest == nullptr;
  broadcast({.kind = ControlKind::Dump}, NodeId::none());
}

void Rendezvous::finish_dump() {
  const bool all = std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.answered || member.guest == nullptr;
  });
  if (!all && awake_.now() < dump_until_) return;
  dumping_ = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].answered) evidence_ += format("node {}: did not answer\n", i);
  }
  if (options_.on_evidence) options_.on_evidence(evidence_);
}

}  // namespace leeway
