// A virtual worker of one program (see worker.h): where its functions meet buffers and messages.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/runtime/pie/buffer.h"
#include "leeway/runtime/pie/update_sender.h"
#include "leeway/runtime/pie/virtual_worker.h"

namespace leeway::pie {

template <PieProgram P>
class VirtualWorkerOf final : public VirtualWorker {
  using Value = typename P::Value;

 public:
  VirtualWorkerOf(const Fragment& fragment, const P& program)
      : fragment_(fragment),
        program_(program),
        routes_(fragment),
        changes_(routes_, fragment.vertex_count(),
                 program.candidates() == Candidates::Border || fragment.cut() == Cut::Vertex),
        now_(fragment.vertex_count()),
        ahead_(fragment.fragment_count() > 1 ? fragment.vertex_count() : 0),
        sender_(routes_) {}

  [[nodiscard]] const Fragment& fragment() const override { return fragment_; }
  [[nodiscard]] Routes& routes() override { return routes_; }

  RoundWork peval() override {
    RoundWork round;
    round.work = evaluate();
    round.iterates = iterated();
    round.sent = gather();
    round.residual = residual_of(program_, partial_);
    return round;
  }

  RoundWork inceval() override {
    RoundWork round;
    round.folded = now_.folded();
    now_.take(updates_);
    next_messages();
    round.taken = updates_.size();
    round.work = program_.inceval(fragment_, partial_, std::span(updates_), changes_);
    round.iterates = iterated();
    if (in_lockstep_ && !cancels(program_, partial_)) leave_lockstep();
    round.sent = gather();
    round.residual = residual_of(program_, partial_);
    return round;
  }

  void drain(const std::function<void(PartId, std::span<const std::byte>)>& take) override {
    sender_.drain(take);
  }

  void pace(Pacing pacing) override {
    sender_.pace(pacing != Pacing::Off && adds_up<P>());
    began_in_lockstep_ = in_lockstep_ =
        pacing == Pacing::Lockstep && adds_up<P>() && cancels(program_, partial_);
  }
  [[nodiscard]] bool paced() const override { return sender_.paced(); }
  [[nodiscard]] bool in_lockstep() const override { return in_lockstep_; }
  [[nodiscard]] bool waits_in_vain() const override { return began_in_lockstep_ && !in_lockstep_; }
  void heard(PartId from) override {
    sender_.heard(from);
    if (in_lockstep_) ++came_[from];
  }
  [[nodiscard]] bool keeps() const override { return sender_.keeps(); }
  [[nodiscard]] bool ready() const override { return sender_.ready(); }
  [[nodiscard]] bool answered() const override { return sender_.answered(); }
  [[nodiscard]] bool answer() override {
    return sender_.answer([this](PartId to) { return !in_lockstep_ || came_from(to) <= 1; });
  }
  std::uint64_t release() override { return sender_.release(); }

  [[nodiscard]] bool receive(PartId from, std::span<const std::byte> message, bool ahead) override {
    const bool has_one = in_lockstep_ && !now_.empty() && came_from(from) > 0;
    Buffer<P>& buffer = ahead || has_one ? ahead_ : now_;
    ByteReader in(message);
    std::uint64_t place = 0;
    while (!in.at_end()) {
      // Places are written as what lies between them, for a home's mostly run upwards.
      const std::uint64_t step = in.varint();
      place += (step >> 1) ^ (0 - (step & 1));
      Value value{};
      read_value<P>(in, value);
      if (in.failed() || place >= fragment_.vertex_count()) return false;
      buffer.fold(static_cast<Place>(place), std::move(value));
    }
    buffer.count_message();
    return true;
  }

  void advance() override {
    if (ahead_.empty()) return;
    LEEWAY_CHECK(now_.empty());
    std::swap(now_, ahead_);
  }

  [[nodiscard]] std::uint64_t staleness() const override { return now_.messages(); }
  [[nodiscard]] std::uint64_t pending() const override { return now_.size(); }
  [[nodiscard]] bool has_ahead() const override { return !ahead_.empty(); }
  [[nodiscard]] bool unfinished() const override { return pie::unfinished(program_, partial_); }
  [[nodiscard]] std::uint64_t border_count() const override { return routes_.border_count(); }
  void each_update(const std::function<void(VertexId)>& take) const override {
    for (const auto& update : now_.updates()) take(fragment_.vertex(update.place));
  }

  [[nodiscard]] bool always_rests() const override { return pie::always_rests<P>(); }
  [[nodiscard]] bool resumes() const override { return ResumingProgram<P>; }
  void resume(std::span<const std::byte> results) override {
    ByteReader in(results);
    saved_.resize(fragment_.vertex_count());
    for (typename P::Result& result : saved_) read_value<P>(in, result);
    LEEWAY_CHECK(!in.failed());
    LEEWAY_CHECK(in.at_end());
  }

  void write_results(ByteWriter& out) const override {
    for (Place p = 0; p < fragment_.inner_count(); ++p) {
      const typename P::Result result = program_.result(fragment_, partial_, p);
      write_value<P>(result, out);
    }
  }

 private:
  void next_messages() {
    if (!in_lockstep_) return;
    for (auto& [from, messages] : came_) messages = messages > 1 ? 1 : 0;
    advance();
  }

  /// The others' messages are all due, whatever else they have sent.
  void leave_lockstep() {
    in_lockstep_ = false;
    came_.clear();
  }
  [[nodiscard]] std::uint32_t came_from(PartId peer) const {
    const auto found = came_.find(peer);
    return found == came_.end() ? 0 : found->second;
  }

  /// Whether the round was an iteration of the program.
  bool iterated() {
    const auto passes = passes_of(program_, partial_);
    if (!passes) return true;
    const bool more = *passes > passes_;
    passes_ = *passes;
    return more;
  }

  Work evaluate() {
    if constexpr (ResumingProgram<P>) {
      if (!saved_.empty()) {
        const auto saved = std::exchange(saved_, {});
        return program_.peval_from(fragment_, partial_, std::span(saved), changes_);
      }
    }
    return program_.peval(fragment_, partial_, changes_);
  }

  /// Designated messages: each marked parameter into the message of every fragment that holds it too.
  std::uint64_t gather() {
    std::uint64_t sent = 0;
    changes_.drain([&](Place place) {
      if (!changes_.border() && fragment_.is_inner(place)) return;
      if (routes_.of(place).empty()) return;
      sent += sender_.put(place, program_.parameter(fragment_, partial_, place));
    });
    (void)sender_.release();
    return sent;
  }

  const Fragment& fragment_;
  const P& program_;
  typename P::Partial partial_{};
  Routes routes_;
  Changes changes_;
  Buffer<P> now_;
  Buffer<P> ahead_;
  std::vector<Update<Value>> updates_;
  UpdateSender<P> sender_;
  std::uint32_t passes_ = 0;  // that the program has made
  bool in_lockstep_ = false;
  bool began_in_lockstep_ = false;
  std::unordered_map<PartId, std::uint32_t> came_;  // messages of which the next round takes one
  std::vector<typename P::Result> saved_;           // of a snapshot, by place; empty: none
};

}  // namespace leeway::pie
