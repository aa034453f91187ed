// The first and the last messages of a PIE run: the announcements of copies, the results, and the nodes' outcomes.
#include <algorithm>
#include <utility>

#include "base/archive.h"
#include "base/bytes.h"
#include "runtime/pie/engine.h"

namespace leeway::pie {

void PieEngine::receive_from_all(const Awaited& awaited,
                                 const std::function<std::size_t()>& received) {
  endpoint_.wait_until(
      awaited, [this] { receive(); }, [&] { return received() + 1 >= endpoint_.node_count(); });
}

void PieEngine::announce() {
  std::vector<ByteWriter> frames(endpoint_.node_count());
  for (WorkerSlot& slot : slots_) {
    const Fragment& fragment = slot.worker().fragment();
    for (Place p = fragment.inner_count(); p < fragment.vertex_count(); ++p) {
      const Elsewhere home = fragment.home(p);
      const NodeId node = nodes_of_[home.fragment.index()];
      if (node == endpoint_.self()) {
        slot_of(home.fragment)->worker().routes().announce(home.place, {slot.id(), p});
        continue;
      }
      ByteWriter& frame = frames[node.index()];
      if (frame.empty()) frame.byte(static_cast<std::uint8_t>(PieMessageKind::Copies));
      frame.varint(home.fragment.value());
      frame.varint(home.place);
      frame.varint(slot.id().value());
      frame.varint(p);
    }
  }
  for (std::uint32_t node = 0; node < frames.size(); ++node) {
    if (NodeId(node) == endpoint_.self()) continue;
    if (frames[node].empty()) frames[node].byte(static_cast<std::uint8_t>(PieMessageKind::Copies));
    endpoint_.send(NodeId(node), frames[node].take());
  }
  receive_from_all({"the announcements of copies"}, [this] { return announced_.count(); });
}

void PieEngine::on_copies(NodeId from, ByteReader& in) {
  while (!in.at_end()) {
    WorkerSlot* const home = slot_of(PartId(static_cast<std::uint32_t>(in.varint())));
    const auto inner = static_cast<Place>(in.varint());
    const PartId fragment(static_cast<std::uint32_t>(in.varint()));
    const auto copy = static_cast<Place>(in.varint());
    if (in.failed() || home == nullptr || !home->worker().fragment().is_inner(inner) ||
        fragment.value() >= nodes_of_.size() || nodes_of_[fragment.index()] != from)
      return in.fail();
    home->worker().routes().announce(inner, {fragment, copy});
  }
  if (!announced_.add(from)) in.fail();
}

void PieEngine::gather(const std::function<void(PartId, std::span<const std::byte>)>& take) {
  const bool first = endpoint_.self() == NodeId(0);
  for (WorkerSlot& slot : slots_) {
    ByteWriter results;
    // A worker that was stopped before its PEval has no results.
    if (slot.statistics().rounds_run() > 0) slot.worker().write_results(results);
    if (first) {
      take(slot.id(), results.span());
      continue;
    }
    ByteWriter frame = frame_of(PieMessageKind::Result);
    frame.varint(slot.id().value());
    frame.raw(results.span());
    endpoint_.send(NodeId(0), frame.take());
  }
  // A node's Finished is its last message, so after all of them no message is in flight when the next run begins.
  endpoint_.send_to_all(frame_of(PieMessageKind::Finished).span());
  receive_from_all({"results"}, [this] { return finished_.count(); });
  for (const auto& [worker, piece] : results_) take(worker, piece);
  results_.clear();
}

std::vector<std::pair<NodeId, NodeOutcome>> PieEngine::exchange_outcomes(const NodeOutcome& own) {
  if (endpoint_.self() != NodeId(0)) {
    ByteWriter frame = frame_of(PieMessageKind::Outcome);
    save_all(frame, own);
    endpoint_.send(NodeId(0), frame.take());
    return {};
  }
  receive_from_all({"the outcomes of the nodes"}, [this] { return outcomes_.size(); });
  return std::move(outcomes_);
}

void PieEngine::on_result(NodeId from, ByteReader& in) {
  const PartId worker(static_cast<std::uint32_t>(in.varint_up_to(nodes_of_.size() - 1)));
  const auto bytes = in.raw(in.left());
  const bool again = std::any_of(results_.begin(), results_.end(),
                                 [&](const auto& each) { return each.first == worker; });
  if (in.failed() || again || !is_first() || finished_.has(from) ||
      nodes_of_[worker.index()] != from)
    return in.fail();
  results_.emplace_back(worker, Frame(bytes.begin(), bytes.end()));
}

/// On node 0, after the results of all workers of the node.
void PieEngine::on_finished(NodeId from, ByteReader& in) {
  const auto expected = std::count(nodes_of_.begin(), nodes_of_.end(), from);
  const auto arrived = std::count_if(results_.begin(), results_.end(), [&](const auto& each) {
    return nodes_of_[each.first.index()] == from;
  });
  if (!finished_.add(from) || (is_first() && arrived != expected)) in.fail();
}

void PieEngine::on_outcome(NodeId from, ByteReader& in) {
  NodeOutcome outcome;
  load_all(in, outcome);
  const bool again = std::any_of(outcomes_.begin(), outcomes_.end(),
                                 [&](const auto& each) { return each.first == from; });
  if (again || !is_first()) return in.fail();
  outcomes_.emplace_back(from, std::move(outcome));
}

}  // namespace leeway::pie
