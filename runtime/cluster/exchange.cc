#include "runtime/cluster/exchange.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace leeway {

namespace {

/// Header of a frame: its kind, its number among the frames of its step from the sender to the receiver (modulo 65,536),
/// and the number of its step. The payload follows.
struct Head {
  std::uint8_t kind;
  std::uint8_t padding;
  std::uint16_t number;
  std::uint32_t step;
};
constexpr std::uint8_t kMessage = 1;
constexpr std::uint8_t kEnd = 2;
/// Backlog for one node above which a sender waits. Small, because the messages in flight should be small next to the
/// graph.
constexpr std::size_t kMostKept = std::size_t{256} << 10U;

/// Longest piece of text that a node has in memory while text is passed on.
constexpr std::size_t kTextBytes = std::size_t{1} << 20U;

Frame message(std::uint8_t kind, std::uint16_t number, std::uint32_t step,
              std::span<const std::byte> bytes) {
  const Head head{kind, 0, number, step};
  Frame frame(sizeof head + bytes.size());
  std::memcpy(frame.data(), &head, sizeof head);
  if (!bytes.empty()) std::memcpy(frame.data() + sizeof head, bytes.data(), bytes.size());
  return frame;
}

/// Requires a checked frame.
Head head_of(std::span<const std::byte> frame) {
  Head head{};
  std::memcpy(&head, frame.data(), sizeof head);
  return head;
}

constexpr std::string_view kReportedElsewhere = "another process reports the reason";

Error reported_elsewhere(ErrorKind kind) { return {kind, "", std::string(kReportedElsewhere), ""}; }

}  // namespace

void Exchange::begin(Take take) {
  LEEWAY_CHECK(!open_);
  take_ = std::move(take);
  open_ = true;
  ended_.clear();
  sent_.assign(count(), 0);
  taken_.assign(count(), 0);
  std::vector<Message> early;
  early.swap(early_);
  for (Message& each : early) on_frame(each.from, each.frame);
}

void Exchange::on_frame(NodeId from, std::span<const std::byte> frame) {
  require(frame.size() >= sizeof(Head), from);
  const Head head = head_of(frame);
  const bool whole_end = head.kind == kEnd && frame.size() == sizeof head;
  require(head.kind == kMessage || whole_end, from);
  const std::uint32_t step = head.step;
  if (open_ && step == step_) return take(from, frame);
  // No node is more than one step ahead, because no step ends without this node.
  require(step == step_ + (open_ ? 1U : 0U), from);
  early_.push_back({step, from, Frame(frame.begin(), frame.end())});
}

void Exchange::take(NodeId from, std::span<const std::byte> frame) {
  const Head head = head_of(frame);
  require(!ended_.has(from) && head.number == taken_[from.index()]++, from);
  if (head.kind == kEnd) {
    (void)ended_.add(from);
  } else {
    take_(from, frame.subspan(sizeof(Head)));
  }
}

void Exchange::receive() {
  endpoint_.receive(
      [this](NodeId from, std::span<const std::byte> frame) { on_frame(from, frame); });
}

void Exchange::send(NodeId to, std::span<const std::byte> bytes) {
  LEEWAY_CHECK(open_);
  if (to == self()) return take_(to, bytes);
  endpoint_.send(to, message(kMessage, sent_[to.index()]++, step_, bytes));
  receive();
  while (endpoint_.kept_bytes(to) > kMostKept) {
    endpoint_.wait({"room for what is sent in step", step_, to});
    receive();
  }
}

void Exchange::end() {
  LEEWAY_CHECK(open_);
  for (std::uint32_t to = 0; to < count(); ++to) {
    if (NodeId(to) != self()) endpoint_.send(NodeId(to), message(kEnd, sent_[to]++, step_, {}));
  }
  receive();
  while (ended_.count() + 1 < count()) {
    endpoint_.wait({"the end of step", step_});
    receive();
  }
  open_ = false;
  ++step_;
  take_ = nullptr;
}

std::vector<std::vector<std::byte>> Exchange::share_bytes(std::span<const std::byte> mine) {
  std::vector<std::vector<std::byte>> all(count());
  begin([&](NodeId from, std::span<const std::byte> bytes) {
    auto& list = all[from.index()];
    list.insert(list.end(), bytes.begin(), bytes.end());
  });
  for (std::uint32_t to = 0; to < count(); ++to) send(NodeId(to), mine);
  end();
  return all;
}

std::uint64_t Exchange::sum(std::uint64_t mine) {
  std::uint64_t total = 0;
  for (const std::uint64_t each : share(mine)) total += each;
  return total;
}

void Exchange::sum(std::vector<std::uint64_t>& values) {
  // Each element is summed by one node, which then sends the sum to all.
  const std::size_t block_size = (values.size() + count() - 1) / count();
  const auto block_of = [&](std::uint32_t node) {
    const std::size_t first = std::min(values.size(), node * block_size);
    return std::span(values).subspan(first, std::min(block_size, values.size() - first));
  };
  std::vector<std::vector<std::uint64_t>> parts(count());
  for (std::uint32_t to = 0; to < count(); ++to) {
    const auto part = block_of(to);
    parts[to].assign(part.begin(), part.end());
  }
  std::vector<std::uint64_t> mine(block_of(self().value()).size());
  const auto got = swap(parts);
  for (std::uint32_t from = 0; from < count(); ++from) {
    require(got[from].size() == mine.size(), NodeId(from));
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += got[from][i];
  }
  const auto sums = share_bytes(std::as_bytes(std::span<const std::uint64_t>(mine)));
  for (std::uint32_t from = 0; from < count(); ++from) {
    const auto block_there = block_of(from);
    require(sums[from].size() == block_there.size_bytes(), NodeId(from));
    if (!sums[from].empty()) std::memcpy(block_there.data(), sums[from].data(), sums[from].size());
  }
}

std::uint64_t Exchange::pass(std::uint64_t first,
                             const std::function<std::uint64_t(std::uint64_t)>& make) {
  std::optional<std::uint64_t> before;
  if (self() == NodeId(0)) before = first;
  begin([&](NodeId from, std::span<const std::byte> bytes) {
    require(from.value() + 1 == self().value() && bytes.size() == sizeof(std::uint64_t), from);
    for_each_record<std::uint64_t>(from, bytes, [&](std::uint64_t value) { before = value; });
  });
  endpoint_.wait_until(
      {"the value of the node before, in step", step_}, [this] { receive(); },
      [&] { return before.has_value(); });
  const std::uint64_t made = make(*before);
  if (const NodeId next(self().value() + 1); next.value() < count())
    send(next, std::as_bytes(std::span(&made, 1)));
  end();
  return share(made).back();
}

Status Exchange::agree(Status status) {
  // By node: 0 for success, else 1 + the kind of its error.
  const auto kinds = share(
      static_cast<std::uint32_t>(status ? 0 : 1 + static_cast<std::uint32_t>(status.error().kind)));
  for (std::uint32_t node = 0; node < kinds.size(); ++node) {
    if (kinds[node] == 0) continue;
    if (NodeId(node) == self()) return status;
    require(kinds[node] <= 1 + static_cast<std::uint32_t>(ErrorKind::Peer), NodeId(node));
    return fail(reported_elsewhere(static_cast<ErrorKind>(kinds[node] - 1)));
  }
  return {};
}

Error Exchange::found_by_all(Error error) const {
  return self() == NodeId(0) ? std::move(error) : reported_elsewhere(error.kind);
}

bool is_reported_elsewhere(const Error& error) {
  return error.what.find(kReportedElsewhere) != std::string::npos;
}

Status exchange_parts(const ClusterOptions& cluster, const std::function<Status(Exchange&)>& body) {
  LEEWAY_TRY(run_endpoints(cluster, [&](Endpoint& endpoint) {
    Exchange exchange(endpoint);
    return body(exchange);
  }));
  return {};
}

Result<double> sum_of_parts(const ClusterOptions& cluster, double mine) {
  double sum = 0;
  LEEWAY_TRY(exchange_parts(cluster, [&](Exchange& exchange) -> Status {
    for (const double each : exchange.share(mine)) sum += each;
    return {};
  }));
  return sum;
}

Status stream_text(Exchange& exchange,
                   const std::function<std::string(std::size_t most)>& next_piece,
                   const std::function<Status(std::string_view)>& take) {
  const bool first = exchange.self() == NodeId(0);
  for (std::uint32_t node = 0; node < exchange.count(); ++node) {
    for (bool more = true; more;) {
      std::string got;
      const std::string piece =
          exchange.self() == NodeId(node) ? next_piece(kTextBytes) : std::string();
      exchange.begin([&](NodeId, std::span<const std::byte> bytes) {
        got.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
      for (std::size_t at = 0; at < piece.size(); at += Exchange::kMessageBytes)
        exchange.send(NodeId(0), std::as_bytes(std::span(piece).subspan(
                                     at, std::min(Exchange::kMessageBytes, piece.size() - at))));
      exchange.end();
      LEEWAY_TRY(exchange.agree(first && !got.empty() ? take(got) : Status{}));
      more = exchange.sum(piece.empty() ? 0 : 1) > 0;
    }
  }
  return {};
}

}  // namespace leeway
