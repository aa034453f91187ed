#include "leeway/runtime/tick/tick_mail.h"

#include <string>
#include <utility>

#include "leeway/base/check.h"

namespace leeway {

namespace {

std::string_view words_for(TickLetter kind) {
  switch (kind) {
    case TickLetter::State:
      return "the state of a tick";
    case TickLetter::Barrier:
      return "the barrier";
    case TickLetter::Gather:
      return "the state at the end of a stretch";
    case TickLetter::Deal:
      return "its part";
    case TickLetter::Picture:
      return "a picture";
    case TickLetter::Log:
      return "what it tells of its run";
    case TickLetter::Leave:
      return "leave to end";
    case TickLetter::Stop:
      break;
  }
  return "the end";
}

}  // namespace

TickMail::TickMail(Endpoint& endpoint)
    : endpoint_(endpoint),
      handler_([this](NodeId from, std::span<const std::byte> frame) { handle(from, frame); }) {
  for (auto& boxes : boxes_) boxes.resize(endpoint.node_count());
}

ByteWriter TickMail::letter(TickLetter kind, Tick tick, std::size_t room) {
  ByteWriter out;
  out.reserve(room);
  out.byte(static_cast<std::uint8_t>(kind));
  out.varint(tick.value());
  return out;
}

void TickMail::handle(NodeId from, std::span<const std::byte> frame) {
  ByteReader in(frame);
  const std::uint8_t kind = in.byte();
  const Tick tick(static_cast<std::uint32_t>(in.varint()));
  if (in.failed() || kind >= kKinds) endpoint_.refuse(from);
  if (kind == static_cast<std::uint8_t>(TickLetter::Stop)) {
    Error error;
    error.kind = static_cast<ErrorKind>(in.byte());
    error.where = in.text();
    error.what = in.text();
    error.remedy = in.text();
    if (in.failed() || error.kind > ErrorKind::Peer) endpoint_.refuse(from);
    if (!stopped_) stopped_ = std::move(error);
    ++stops_;
    return;
  }
  const auto body = in.raw(in.left());
  Frame kept;
  if (!spare_.empty()) {
    kept = std::move(spare_.back());
    spare_.pop_back();
  }
  kept.assign(body.begin(), body.end());
  boxes_[kind][from.index()].push_back({tick, std::move(kept)});
}

void TickMail::keep(ByteWriter& letter) { handle(self(), letter.take()); }

Status TickMail::poll() {
  endpoint_.receive(handler_);
  if (stopped_) return fail(*stopped_);
  return {};
}

Status TickMail::flush() {
  endpoint_.flush(handler_);
  if (stopped_) return fail(*stopped_);
  return {};
}

Status TickMail::await(TickLetter kind, NodeId from) {
  while (true) {
    LEEWAY_TRY(poll());
    if (first(kind, from)) return {};
    wait({words_for(kind), std::nullopt, from});
  }
}

std::deque<TickMail::Kept>& TickMail::box(TickLetter kind, NodeId from) {
  return boxes_[static_cast<std::size_t>(kind)][from.index()];
}
const std::deque<TickMail::Kept>& TickMail::box(TickLetter kind, NodeId from) const {
  return boxes_[static_cast<std::size_t>(kind)][from.index()];
}

std::optional<Tick> TickMail::first(TickLetter kind, NodeId from) const {
  const auto& letters = box(kind, from);
  if (letters.empty()) return std::nullopt;
  return letters.front().tick;
}

void TickMail::drop_before(TickLetter kind, NodeId from, Tick tick) {
  auto& letters = box(kind, from);
  while (!letters.empty() && letters.front().tick < tick) letters.pop_front();
}

Frame TickMail::take(TickLetter kind, NodeId from) {
  auto& letters = box(kind, from);
  LEEWAY_CHECK(!letters.empty());
  Frame body = std::move(letters.front().body);
  letters.pop_front();
  return body;
}

Error TickMail::stop(Error error) {
  if (!stopped_) stopped_ = std::move(error);
  ByteWriter out = letter(TickLetter::Stop, Tick(0));
  out.byte(static_cast<std::uint8_t>(stopped_->kind));
  out.text(stopped_->where);
  out.text(stopped_->what);
  out.text(stopped_->remedy);
  send_all(out);
  endpoint_.flush(handler_);
  while (stops_ + 1 < node_count()) {
    if (endpoint_.receive(handler_) == 0) endpoint_.wait({"the others, to stop"});
  }
  return *stopped_;
}

}  // namespace leeway
