// The conversation of the nodes of a run, apart from what their engines send each other: Group and its helpers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "runtime/cluster/endpoint.h"

namespace leeway {

/// Lists of values, one for each node.
template <class T>
using ByNode = std::vector<std::vector<T>>;

/// Collective steps, which all nodes take in the same order: every function is collective, unless stated otherwise. Its
/// frames never reach an engine, and an engine's frames that arrive during a step wait until the engine receives. Not
/// thread-safe.
///
/// A step of small messages goes up and down a tree, by 2 (n - 1) frames. In a step of data, between `begin` and `end`, any
/// node sends messages to any other.
///
/// Arriving messages are checked here. A message that no correct peer sends (truncated, of another step, of an invalid
/// length, sent twice, or after its sender's end of the step) ends this node by Endpoint::refuse. The caller checks further
/// properties of the values with `require`.
class Group {
 public:
  using Take = std::function<void(NodeId from, std::span<const std::byte> bytes)>;

  /// Most children of a node of the tree.
  static constexpr std::uint32_t kArity = 8;
  /// Recommended largest size of a message, so that many are in flight.
  static constexpr std::size_t kMessageBytes = std::size_t{32} << 10U;

  /// Belongs to the endpoint. `step`: number of its first step.
  explicit Group(Endpoint& endpoint, std::uint32_t step = 0)
      : endpoint_(endpoint),
        step_(step),
        stops_(endpoint.node_count()),
        ended_(endpoint.node_count()) {}

  [[nodiscard]] NodeId self() const { return endpoint_.self(); }
  [[nodiscard]] std::uint32_t count() const { return endpoint_.node_count(); }
  /// Number of the next step.
  [[nodiscard]] std::uint32_t step() const { return step_; }

  /// If not `good`, ends this node with the reason "bad message from `from`". Not collective.
  void require(bool good, NodeId from) {
    if (!good) endpoint_.refuse(from);
  }

  // An early end, at any time. Not collective.

  /// Asks all nodes to end the run early.
  void stop();
  /// Whether any node has asked for it, as far as this node has received.
  [[nodiscard]] bool stopped() const { return stops_.count() > 0; }

  // Steps of small messages.

  /// Returns once all nodes have called it.
  void barrier();
  [[nodiscard]] std::uint64_t sum(std::uint64_t mine);
  /// Element-wise sum of the lists of all nodes, which have equal lengths.
  void sum(std::vector<std::uint64_t>& values);
  /// Allgather: every node's bytes, by node.
  std::vector<std::vector<std::byte>> share_bytes(std::span<const std::byte> mine);
  /// The same for one value of each node.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  std::vector<T> share(const T& mine) {
    std::vector<T> values(count());
    const auto all = share_bytes(std::as_bytes(std::span(&mine, 1)));
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      require(all[i].size() == sizeof(T), NodeId(i));
      std::memcpy(&values[i], all[i].data(), sizeof(T));
    }
    return values;
  }
  /// The bytes that node `from` gives; those of the other nodes are ignored.
  std::vector<std::byte> broadcast_bytes(std::span<const std::byte> mine, NodeId from);
  /// The same for a value.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  T broadcast(const T& mine, NodeId from) {
    const auto bytes = broadcast_bytes(std::as_bytes(std::span(&mine, 1)), from);
    require(bytes.size() == sizeof(T), from);
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  /// Agrees on the outcome of all nodes. If some have failed, the lowest of them returns its own error, and all
  /// others return an error that only refers to it (is_reported_elsewhere).
  Status agree(Status status);
  /// The same, but every node returns the error of the lowest failed node.
  Status agree_alike(Status status);
  /// For an error that all nodes have found: node 0 gets `error`, the others one that only refers to it. Not collective.
  [[nodiscard]] Error found_by_all(Error error) const;

  // Steps of data.

  /// Opens a step. Until `end` returns, `take` is called for each message, in sending order for each sender.
  void begin(Take take);
  /// Within a step, not collective. A message to this node itself is delivered immediately. Blocks while the backlog for
  /// `to` is above its limit.
  void send(NodeId to, std::span<const std::byte> bytes);
  /// Sends the list in messages of about kMessageBytes, each of whole elements.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void send_list(NodeId to, std::span<const T> list) {
    constexpr std::size_t kStep = std::max<std::size_t>(1, kMessageBytes / sizeof(T));
    for (std::size_t at = 0; at < list.size(); at += kStep)
      send(to, std::as_bytes(list.subspan(at, std::min(kStep, list.size() - at))));
  }
  /// Within a step, not collective: receives until `done()`.
  template <class Done>
  void receive_until(std::string_view what, Done&& done) {
    while (!done()) {
      endpoint_.receive_for_group();
      if (!done()) endpoint_.wait_for_group({what, step_});
    }
  }
  /// Blocks until all messages of this step, from all nodes, have been delivered.
  void end();
  /// The same for a step in which only `receiver` receives.
  void end_at(NodeId receiver);

  /// Gathers the bytes of all nodes at node 0, by node; empty lists elsewhere.
  std::vector<std::vector<std::byte>> gather_bytes(std::span<const std::byte> mine);
  /// Gathers one value of each node at node 0, by node; empty elsewhere.
  template <class T>
  std::vector<T> gather(const T& mine) {
    const bool first = self() == NodeId(0);
    const auto bytes = gather_bytes(first ? std::vector<std::byte>() : archived(mine));
    std::vector<T> all(bytes.size());
    if (first) all[0] = mine;
    for (std::uint32_t from = 1; from < all.size(); ++from)
      require(load_archived(bytes[from], all[from]), NodeId(from));
    return all;
  }
  /// All-to-all: `lists[i]` is sent to node i. Returns the lists received, by node.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  ByNode<T> swap(const ByNode<T>& lists) {
    ByNode<T> got(count());
    begin([&](NodeId from, std::span<const std::byte> bytes) {
      require(bytes.size() % sizeof(T) == 0, from);
      auto& list = got[from.index()];
      const std::size_t before = list.size();
      list.resize(before + bytes.size() / sizeof(T));
      std::memcpy(static_cast<void*>(list.data() + before), bytes.data(), bytes.size());
    });
    for (std::uint32_t to = 0; to < count(); ++to)
      send_list(NodeId(to), std::span<const T>(lists[to]));
    end();
    return got;
  }
  /// As `swap`, for answers to requests: node i must send `asked[i]` of them.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  ByNode<T> swap_answers(const ByNode<T>& answers, const std::vector<std::size_t>& asked) {
    auto got = swap(answers);
    for (std::uint32_t from = 0; from < got.size(); ++from)
      require(got[from].size() == asked[from], NodeId(from));
    return got;
  }
  /// Calls `use` for each record of a message that a MessageBatcher sent. Not collective.
  template <class T, class Use>
  void for_each_record(NodeId from, std::span<const std::byte> bytes, Use&& use) {
    require(bytes.size() % sizeof(T) == 0, from);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      T record;
      std::memcpy(static_cast<void*>(&record), bytes.data() + at, sizeof(T));
      use(record);
    }
  }

  // For the endpoint.

  /// A frame that begins with Endpoint::kGroupKind has arrived.
  void on_frame(NodeId from, std::span<const std::byte> frame);
  /// Whether the node may have taken this step and begun something else: no frame that it must send here is missing.
  [[nodiscard]] bool may_have_left(NodeId from) const;
  /// Removes and returns the frames of later steps that have arrived, and requests for an early end.
  [[nodiscard]] std::vector<std::pair<NodeId, Frame>> take_early();

 private:
  enum class GroupStep : std::uint8_t { None, Tree, Data };
  /// Joins the bytes of a child's subtree into those of this node.
  using Join =
      std::function<void(std::vector<std::byte>& all, NodeId child, std::span<const std::byte>)>;

  void open(GroupStep kind);
  void close();
  void take(NodeId from, std::span<const std::byte> frame);
  void send_end(NodeId to);
  void send_along(NodeId to, std::span<const std::byte> bytes);
  void sum_in_blocks(std::vector<std::uint64_t>& values);

  [[nodiscard]] NodeId parent() const { return NodeId((self().value() - 1) / kArity); }
  [[nodiscard]] bool is_child(NodeId node) const {
    return node != NodeId(0) && (node.value() - 1) / kArity == self().value();
  }
  /// Whether the way from `node` up to node 0 leads over `root`.
  [[nodiscard]] static bool is_below(NodeId node, NodeId root);
  [[nodiscard]] std::uint32_t child_count() const;
  /// The bytes of all nodes, joined on the way to node 0, at every node.
  std::vector<std::byte> join_at_first(std::vector<std::byte> mine, const Join& join);

  Endpoint& endpoint_;
  std::uint32_t step_;  // the current one, or the next
  GroupStep open_ = GroupStep::None;
  std::vector<std::pair<NodeId, Frame>> early_;  // frames of later steps
  SenderSet stops_;                              // nodes that ask for an early end

  // The open step of data.
  Take take_;
  SenderSet ended_;                   // nodes that have sent their last frame of this step
  std::vector<std::uint16_t> sent_;   // by node: frames of this step sent to it
  std::vector<std::uint16_t> taken_;  // by node: frames of this step received from it

  // The open step along the tree.
  std::map<NodeId, std::vector<std::byte>> from_children_;
  bool sent_up_ = false;
  std::vector<std::byte> from_parent_;
};

/// Joins one list from each node into one array, in the order of the nodes. The lengths are given in advance; a node
/// that sends more or fewer elements sent a bad message.
template <class T>
  requires std::is_trivially_copyable_v<T>
class ListJoiner {
 public:
  /// `lengths`: the length of each node's list.
  ListJoiner(Group& group, const std::vector<std::uint64_t>& lengths) : group_(group) {
    for (const std::uint64_t length : lengths) {
      at_.push_back(total());
      ends_.push_back(total() + length);
    }
  }
  [[nodiscard]] std::uint64_t total() const { return ends_.empty() ? 0 : ends_.back(); }
  /// Within a step: takes a part of the sender's list. `all` has room for `total` elements.
  void take(NodeId from, std::span<const std::byte> bytes, std::span<T> all) {
    std::uint64_t& place = at_[from.index()];
    const std::uint64_t count = bytes.size() / sizeof(T);
    group_.require(bytes.size() % sizeof(T) == 0 && count <= ends_[from.index()] - place, from);
    if (count > 0) std::memcpy(static_cast<void*>(all.data() + place), bytes.data(), bytes.size());
    place += count;
  }
  /// After the step: requires that every list is complete.
  void finish() {
    for (std::uint32_t from = 0; from < at_.size(); ++from)
      group_.require(at_[from] == ends_[from], NodeId(from));
  }

 private:
  Group& group_;
  std::vector<std::uint64_t> at_;    // by node: index of its next element
  std::vector<std::uint64_t> ends_;  // by node
};

/// The length of each list, by node.
template <class T>
[[nodiscard]] std::vector<std::size_t> lengths(const std::vector<std::vector<T>>& lists) {
  std::vector<std::size_t> all;
  for (const auto& list : lists) all.push_back(list.size());
  return all;
}

/// Asks node homes[i] the question questions[i], and returns the answers in this order. `answer(question, from)` gives this node's
/// answers to the others. Collective.
template <class T, class Question, class Answer>
std::vector<T> ask(Group& group, std::span<const NodeId> homes, std::span<const Question> questions,
                   const Answer& answer) {
  ByNode<Question> asked(group.count());
  for (std::size_t i = 0; i < homes.size(); ++i) asked[homes[i].index()].push_back(questions[i]);
  ByNode<T> answers(group.count());
  const auto coming = group.swap(asked);
  for (std::uint32_t node = 0; node < coming.size(); ++node) {
    answers[node].reserve(coming[node].size());
    for (const Question& question : coming[node])
      answers[node].push_back(answer(question, NodeId(node)));
  }
  const auto received = group.swap_answers(answers, lengths(asked));
  std::vector<std::size_t> next(group.count(), 0);
  std::vector<T> values;
  values.reserve(homes.size());
  for (const NodeId home : homes) values.push_back(received[home.index()][next[home.index()]++]);
  return values;
}

/// True for an error that another process of the job reports in full.
[[nodiscard]] bool is_reported_elsewhere(const Error& error);

/// Collects records for many nodes into messages. Used within a step.
template <class T>
  requires std::is_trivially_copyable_v<T>
class MessageBatcher {
 public:
  explicit MessageBatcher(Group& group) : group_(group), messages_(group.count()) {}
  void add(NodeId to, const T& record) {
    auto& message = messages_[to.index()];
    message.push_back(record);
    if (message.size() * sizeof(T) >= Group::kMessageBytes) send_batch(to);
  }
  /// Records that are to arrive in the same message.
  void add_together(NodeId to, std::span<const T> records) {
    auto& message = messages_[to.index()];
    message.insert(message.end(), records.begin(), records.end());
    if (message.size() * sizeof(T) >= Group::kMessageBytes) send_batch(to);
  }
  void flush() {
    for (std::uint32_t to = 0; to < messages_.size(); ++to) {
      if (!messages_[to].empty()) send_batch(NodeId(to));
    }
  }

 private:
  void send_batch(NodeId to) {
    auto& message = messages_[to.index()];
    group_.send(to, std::as_bytes(std::span<const T>(message)));
    message.clear();
  }

  Group& group_;
  std::vector<std::vector<T>> messages_;
};

/// A step in which `send(batcher)` sends lists to other nodes. Returns the lists sent here, in the order of the nodes. `from_each`: their
/// lengths. Collective.
template <class T, class Send>
Result<Array<T>> exchange_lists(Group& group, const std::vector<std::uint64_t>& from_each,
                                Send&& send) {
  ListJoiner<T> joiner(group, from_each);
  auto all = Array<T>::make(joiner.total());
  LEEWAY_TRY(group.agree(all ? Status{} : fail(all.error())));
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    joiner.take(from, bytes, all->mutable_span());
  });
  MessageBatcher<T> batcher(group);
  send(batcher);
  batcher.flush();
  group.end();
  joiner.finish();
  return all;
}

/// Gathers the values of all nodes at node 0, in the order of the nodes; empty elsewhere. Node 0 must have memory for
/// all. Collective.
template <class T>
Result<Array<T>> gather_array(Group& group, std::span<const T> mine) {
  // Node 0 is the only receiver.
  const bool first = group.self() == NodeId(0);
  std::vector<std::uint64_t> sizes = group.share(std::uint64_t{mine.size()});
  if (!first) sizes.assign(sizes.size(), 0);
  ListJoiner<T> joiner(group, sizes);
  auto all = Array<T>::make(joiner.total());
  LEEWAY_TRY(group.agree(all ? Status{} : fail(all.error())));
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    group.require(first, from);
    joiner.take(from, bytes, all->mutable_span());
  });
  group.send_list(NodeId(0), mine);
  group.end_at(NodeId(0));
  joiner.finish();
  return all;
}

/// The same as a vector.
template <class T>
Result<std::vector<T>> gather_values(Group& group, std::span<const T> mine) {
  LEEWAY_ASSIGN(const Array<T> all, gather_array(group, mine));
  return std::vector<T>(all.span().begin(), all.span().end());
}

/// The nodes take collective steps by `body`, outside of any engine. In a job of processes this is not a separate run: the
/// steps of all calls are one sequence, and a call ends without waiting for the other processes. An error that not all
/// processes return ends the job. Collective.
Status with_group(const ClusterOptions& cluster, const std::function<Status(Group&)>& body);
/// The same among the processes of a job.
Status with_group(Job& job, const std::function<Status(Group&)>& body);

/// The sum of all nodes' `mine`, added in the order of the nodes, so that it is the same everywhere. Collective.
[[nodiscard]] double sum_of_all(Group& group, double mine);
/// The same without a group. Collective.
Result<double> sum_of_parts(const ClusterOptions& cluster, double mine);

/// Passes the text of all nodes, node after node, to `take` at node 0, in pieces of at most `most` bytes, so that no
/// node holds all of it. An error of `take` ends it for all. Collective.
Status stream_text(Group& group, const std::function<std::string(std::size_t most)>& next_piece,
                   const std::function<Status(std::string_view)>& take);

}  // namespace leeway
