#include "runtime/cluster/group.h"

#include <optional>

#include "base/bytes.h"
#include "base/check.h"
#include "leeway/cluster.h"
#include "transport/membership.h"

namespace leeway {

namespace {

/// What a frame is for.
enum class GroupOp : std::uint8_t {
  Message = 1,  ///< of a step of data
  End,          ///< the sender's last of a step of data
  Up,           ///< to the parent: bytes of the sender's subtree
  UpEnd,        ///< the same, the last
  Down,         ///< to a child: bytes of all nodes
  DownEnd,      ///< the same, the last
  Stop,         ///< of no step: the sender asks for an early end
};

/// Header of a frame. The payload follows.
struct Head {
  std::uint8_t kind = Endpoint::kGroupKind;
  GroupOp op;
  std::uint16_t number;  ///< among those of the step from the sender to the receiver, modulo 65,536
  std::uint32_t step;
};

/// Backlog for one node above which a sender waits. Small, because the messages in flight should be small next to the
/// graph.
constexpr std::size_t kMostKept = std::size_t{256} << 10U;
/// How many steps another node can be ahead: no step but that of `end_at` ends without this node, and a barrier follows
/// that.
constexpr std::uint32_t kMostAhead = 2;
/// Longest list that is summed along the tree.
constexpr std::size_t kMostSummed = 4096;

Frame frame_of(GroupOp op, std::uint16_t number, std::uint32_t step,
               std::span<const std::byte> bytes) {
  const Head head{.op = op, .number = number, .step = step};
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

// Steps.

void Group::open(GroupStep kind) {
  LEEWAY_CHECK(open_ == GroupStep::None);
  endpoint_.begin_step();
  open_ = kind;
  ended_.clear();
  sent_.assign(count(), 0);
  taken_.assign(count(), 0);
  const std::vector<std::pair<NodeId, Frame>> early = std::exchange(early_, {});
  for (const auto& [from, frame] : early) on_frame(from, frame);
}

void Group::close() {
  open_ = GroupStep::None;
  ++step_;
  take_ = nullptr;
  from_children_.clear();
  from_parent_.clear();
  sent_up_ = false;
}

std::vector<std::pair<NodeId, Frame>> Group::take_early() {
  std::vector<std::pair<NodeId, Frame>> early = std::exchange(early_, {});
  for (std::uint32_t from = 0; from < count(); ++from)
    if (stops_.has(NodeId(from)))
      early.emplace_back(NodeId(from), frame_of(GroupOp::Stop, 0, 0, {}));
  return early;
}

void Group::stop() {
  if (!stops_.add(self())) return;
  endpoint_.send_to_all(frame_of(GroupOp::Stop, 0, 0, {}));
}

void Group::on_frame(NodeId from, std::span<const std::byte> frame) {
  require(frame.size() >= sizeof(Head), from);
  const Head head = head_of(frame);
  if (head.op == GroupOp::Stop)
    return require(frame.size() == sizeof head && head.number == 0 && stops_.add(from), from);
  const bool open = open_ != GroupStep::None;
  if (open && head.step == step_) return take(from, frame);
  require(head.step - step_ <= kMostAhead, from);
  early_.emplace_back(from, Frame(frame.begin(), frame.end()));
}

void Group::take(NodeId from, std::span<const std::byte> frame) {
  const Head head = head_of(frame);
  const auto bytes = frame.subspan(sizeof head);
  require(!ended_.has(from) && head.number == taken_[from.index()]++, from);
  if (head.op == GroupOp::Message || head.op == GroupOp::End) {
    require(open_ == GroupStep::Data, from);
    if (head.op == GroupOp::Message) return take_(from, bytes);
    require(bytes.empty() && ended_.add(from), from);
    return;
  }
  const bool up = head.op == GroupOp::Up || head.op == GroupOp::UpEnd;
  const bool down = head.op == GroupOp::Down || head.op == GroupOp::DownEnd;
  const bool due = (up && is_child(from)) || (down && sent_up_ && from == parent());
  require(open_ == GroupStep::Tree && due, from);
  std::vector<std::byte>& all = up ? from_children_[from] : from_parent_;
  all.insert(all.end(), bytes.begin(), bytes.end());
  if (head.op == GroupOp::UpEnd || head.op == GroupOp::DownEnd) (void)ended_.add(from);
}

bool Group::may_have_left(NodeId from) const {
  if (open_ == GroupStep::Data) return ended_.has(from);
  // No node leaves a step of the tree before this one has sent its bytes up; the parent not before it has sent its own down.
  return open_ == GroupStep::None || (sent_up_ && (from != parent() || ended_.has(from)));
}

std::uint32_t Group::child_count() const {
  const std::uint64_t first = std::uint64_t{self().value()} * kArity + 1;
  if (first >= count()) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(kArity, count() - first));
}

/// Whether the way up the tree from `node` leads over `root`.
bool Group::is_below(NodeId node, NodeId root) {
  while (node.value() > root.value()) node = NodeId((node.value() - 1) / kArity);
  return node == root;
}

std::vector<std::byte> Group::join_at_first(std::vector<std::byte> mine, const Join& join) {
  open(GroupStep::Tree);
  receive_until("the nodes below it, in step", [this] { return ended_.count() == child_count(); });
  for (const auto& [child, bytes] : from_children_) join(mine, child, bytes);
  if (self() != NodeId(0)) {
    send_along(parent(), mine);
    sent_up_ = true;
    receive_until("the other nodes, in step", [this] { return ended_.has(parent()); });
    mine = std::move(from_parent_);
  }
  for (const auto& [child, bytes] : from_children_) send_along(child, mine);
  close();
  return mine;
}

/// Sends the bytes to the parent or a child, in frames of at most kMessageBytes.
void Group::send_along(NodeId to, std::span<const std::byte> bytes) {
  const bool up = !is_child(to);
  for (std::uint16_t number = 0;; ++number) {
    const bool last = bytes.size() <= kMessageBytes;
    const GroupOp op =
        up ? (last ? GroupOp::UpEnd : GroupOp::Up) : (last ? GroupOp::DownEnd : GroupOp::Down);
    const auto now = bytes.first(last ? bytes.size() : kMessageBytes);
    endpoint_.send(to, frame_of(op, number, step_, now));
    if (last) return;
    bytes = bytes.subspan(now.size());
  }
}

void Group::barrier() {
  (void)join_at_first(
      {}, [this](std::vector<std::byte>&, NodeId child, std::span<const std::byte> bytes) {
        require(bytes.empty(), child);
      });
}

std::vector<std::vector<std::byte>> Group::share_bytes(std::span<const std::byte> mine) {
  ByteWriter own;
  own.varint(self().value());
  own.varint(mine.size());
  own.raw(mine);
  // Calls `use` for the bytes of each node.
  const auto read = [this](std::span<const std::byte> bytes, NodeId sender, NodeId root,
                           const auto& use) {
    ByteReader in(bytes);
    while (!in.at_end()) {
      const NodeId node(static_cast<std::uint32_t>(in.varint_up_to(count() - 1)));
      const auto of_node = in.raw(in.varint());
      require(!in.failed() && is_below(node, root), sender);
      use(node, of_node);
    }
  };
  const auto ignore = [](NodeId, std::span<const std::byte>) {};
  const std::vector<std::byte> joined = join_at_first(
      own.take(), [&](std::vector<std::byte>& all, NodeId child, std::span<const std::byte> more) {
        read(more, child, child, ignore);
        all.insert(all.end(), more.begin(), more.end());
      });
  std::vector<std::vector<std::byte>> all(count());
  SenderSet there(count());
  const NodeId sender = self() == NodeId(0) ? self() : parent();
  read(joined, sender, NodeId(0), [&](NodeId node, std::span<const std::byte> bytes) {
    require(there.add(node), sender);
    all[node.index()].assign(bytes.begin(), bytes.end());
  });
  require(there.count() == count(), sender);
  return all;
}

std::vector<std::byte> Group::broadcast_bytes(std::span<const std::byte> mine, NodeId from) {
  std::vector<std::byte> own;
  if (self() == from) own.assign(mine.begin(), mine.end());
  return join_at_first(std::move(own), [&](std::vector<std::byte>& all, NodeId child,
                                           std::span<const std::byte> more) {
    require(more.empty() || is_below(from, child), child);
    all.insert(all.end(), more.begin(), more.end());
  });
}

std::uint64_t Group::sum(std::uint64_t mine) {
  std::vector<std::uint64_t> one = {mine};
  sum(one);
  return one.front();
}

void Group::sum(std::vector<std::uint64_t>& values) {
  if (values.size() > kMostSummed) return sum_in_blocks(values);
  const auto add = [this](std::vector<std::byte>& all, NodeId child,
                          std::span<const std::byte> more) {
    require(all.size() == more.size(), child);
    for (std::size_t at = 0; at < all.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t both[2];
      std::memcpy(&both[0], &all[at], sizeof both[0]);
      std::memcpy(&both[1], &more[at], sizeof both[1]);
      both[0] += both[1];
      std::memcpy(&all[at], &both[0], sizeof both[0]);
    }
  };
  const auto mine = std::as_bytes(std::span<const std::uint64_t>(values));
  const std::vector<std::byte> sums = join_at_first({mine.begin(), mine.end()}, add);
  require(sums.size() == mine.size(), parent());
  if (!sums.empty()) std::memcpy(values.data(), sums.data(), sums.size());
}

/// Each element is summed by one node, which then sends the sum to all.
void Group::sum_in_blocks(std::vector<std::uint64_t>& values) {
  const std::size_t block_size = (values.size() + count() - 1) / count();
  const auto block_of = [&](std::uint32_t node) {
    const std::size_t first = std::min(values.size(), node * block_size);
    return std::span(values).subspan(first, std::min(block_size, values.size() - first));
  };
  ByNode<std::uint64_t> parts(count());
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
  const auto sums = swap(ByNode<std::uint64_t>(count(), mine));
  for (std::uint32_t from = 0; from < count(); ++from) {
    const auto block_there = block_of(from);
    require(sums[from].size() == block_there.size(), NodeId(from));
    std::copy(sums[from].begin(), sums[from].end(), block_there.begin());
  }
}

Status Group::agree(Status status) {
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

Status Group::agree_alike(Status status) {
  const auto all = share_bytes(status ? std::vector<std::byte>() : archived(status.error()));
  for (std::uint32_t node = 0; node < all.size(); ++node) {
    if (all[node].empty()) continue;
    Error error;
    require(load_archived(all[node], error), NodeId(node));
    return fail(std::move(error));
  }
  return {};
}

Error Group::found_by_all(Error error) const {
  return self() == NodeId(0) ? std::move(error) : reported_elsewhere(error.kind);
}

bool is_reported_elsewhere(const Error& error) {
  return error.what.find(kReportedElsewhere) != std::string::npos;
}

// Steps of data.

void Group::begin(Take take) {
  take_ = std::move(take);
  open(GroupStep::Data);
}

void Group::send(NodeId to, std::span<const std::byte> bytes) {
  LEEWAY_CHECK((open_ == GroupStep::Data && bytes.size() < Endpoint::kPartBytes));
  if (to == self()) return take_(to, bytes);
  endpoint_.send(to, frame_of(GroupOp::Message, sent_[to.index()]++, step_, bytes));
  endpoint_.receive_for_group();
  while (endpoint_.kept_bytes(to) > kMostKept) {
    endpoint_.wait_for_group({"room for what is sent in step", step_, to});
    endpoint_.receive_for_group();
  }
}

void Group::send_end(NodeId to) {
  if (to != self()) endpoint_.send(to, frame_of(GroupOp::End, sent_[to.index()]++, step_, {}));
}

void Group::end() {
  LEEWAY_CHECK(open_ == GroupStep::Data);
  for (std::uint32_t to = 0; to < count(); ++to) send_end(NodeId(to));
  receive_until("the end of step", [this] { return ended_.count() + 1 == count(); });
  close();
}

void Group::end_at(NodeId receiver) {
  LEEWAY_CHECK(open_ == GroupStep::Data);
  send_end(receiver);
  if (self() == receiver)
    receive_until("the end of step", [this] { return ended_.count() + 1 == count(); });
  close();
  barrier();
}

std::vector<std::vector<std::byte>> Group::gather_bytes(std::span<const std::byte> mine) {
  const bool first = self() == NodeId(0);
  std::vector<std::vector<std::byte>> all(first ? count() : 0);
  begin([&](NodeId from, std::span<const std::byte> bytes) {
    require(first, from);
    all[from.index()].insert(all[from.index()].end(), bytes.begin(), bytes.end());
  });
  send_list(NodeId(0), mine);
  end_at(NodeId(0));
  return all;
}

// Outside of engines.

Status with_group(Job& job, const std::function<Status(Group&)>& body) {
  LEEWAY_TRY(admit_process(job));
  Endpoint endpoint(job.transport(), {}, Endpoint::kMostKeptBytes, &job);
  endpoint.serve_group_only();
  job.set_evidence([&endpoint] { return endpoint.evidence(); });
  Status status;
  try {
    status = body(endpoint.group());
    if (status) endpoint.pause(job);
  } catch (const NodeLost& lost) {
    status = fail(peer_is_gone(endpoint.self(), lost.node, ""));
  }
  job.set_evidence({});
  return status ? Status{} : job.agree(std::move(status));
}

Status with_group(const ClusterOptions& cluster, const std::function<Status(Group&)>& body) {
  LEEWAY_ASSIGN(const ClusterOptions options, settle_cluster(cluster));
  if (options.job != nullptr) return with_group(*options.job, body);
  LEEWAY_TRY(run_endpoints(options, [&](Endpoint& endpoint) { return body(endpoint.group()); }));
  return {};
}

double sum_of_all(Group& group, double mine) {
  double sum = 0;
  for (const double each : group.share(mine)) sum += each;
  return sum;
}

Result<double> sum_of_parts(const ClusterOptions& cluster, double mine) {
  double sum = 0;
  LEEWAY_TRY(with_group(cluster, [&](Group& group) -> Status {
    sum = sum_of_all(group, mine);
    return {};
  }));
  return sum;
}

Status stream_text(Group& group, const std::function<std::string(std::size_t most)>& next_piece,
                   const std::function<Status(std::string_view)>& take) {
  // Node 0 asks one node after another, by a message of one byte: whether it takes the text. An empty message ends a text.
  const bool first = group.self() == NodeId(0);
  constexpr std::byte kNo{0};
  constexpr std::byte kYes{1};
  const auto pieces = [&](const auto& use) {
    for (std::string text = next_piece(Group::kMessageBytes); !text.empty();
         text = next_piece(Group::kMessageBytes)) {
      if (!use(std::string_view(text))) return;
    }
  };
  Status taken;
  std::string got;
  NodeId speaks = NodeId::none();
  std::optional<std::byte> asked;
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    group.require(first ? from == speaks : from == NodeId(0) && bytes.size() == 1 && !asked, from);
    if (!first) {
      asked = bytes.front();
    } else if (bytes.empty()) {
      speaks = NodeId::none();
    } else {
      got.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  });
  if (first) {
    pieces([&](std::string_view text) {
      taken = take(text);
      return taken.has_value();
    });
    for (std::uint32_t node = 1; node < group.count(); ++node) {
      speaks = NodeId(node);
      group.send(speaks, std::span(taken ? &kYes : &kNo, 1));
      do {
        group.receive_until("the text in step",
                            [&] { return speaks == NodeId::none() || !got.empty(); });
        if (taken && !got.empty()) taken = take(got);
        got.clear();
      } while (speaks != NodeId::none());
    }
  } else {
    group.receive_until("its turn in step", [&] { return asked.has_value(); });
    if (asked == kYes) {
      pieces([&](std::string_view text) {
        group.send_list(NodeId(0), std::as_bytes(std::span(text)));
        return true;
      });
    }
    group.send(NodeId(0), {});
  }
  group.end();
  return group.agree(std::move(taken));
}

}  // namespace leeway
