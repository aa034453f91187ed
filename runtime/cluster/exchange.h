// Collective message steps of several nodes that load, partition and distribute a graph: Exchange and its helpers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "leeway/result.h"
#include "runtime/cluster/endpoint.h"

namespace leeway {

/// Lists of values, one for each node.
template <class T>
using ByNode = std::vector<std::vector<T>>;

/// Steps that all nodes take in the same order: in a step each node sends messages to any nodes, and the step ends
/// when all of them have arrived. A message of the next step that arrives early is set aside. Not thread-safe. Every
/// function is collective.
///
/// Arriving messages are checked here. A message that no correct peer sends (truncated, of another step, of an
/// invalid length, sent twice, or after its sender's end of the step) ends this node by Endpoint::refuse. The caller checks
/// further properties of the values with `require`.
class Exchange {
 public:
  using Take = std::function<void(NodeId from, std::span<const std::byte> bytes)>;

  /// Borrows the endpoint; nothing else may use it meanwhile.
  explicit Exchange(Endpoint& endpoint) : endpoint_(endpoint), ended_(endpoint.node_count()) {}

  [[nodiscard]] NodeId self() const { return endpoint_.self(); }
  [[nodiscard]] std::uint32_t count() const { return endpoint_.node_count(); }

  /// Opens a step. Until `end` returns, `take` is called for each message, in sending order for each sender.
  void begin(Take take);
  /// Within a step. A message to this node itself is delivered immediately. Blocks while the backlog for `to` is
  /// above its limit.
  void send(NodeId to, std::span<const std::byte> bytes);
  /// Blocks until all messages of this step, from all nodes, have been delivered.
  void end();

  /// If not `good`, ends this node with the reason "bad message from `from`".
  void require(bool good, NodeId from) {
    if (!good) endpoint_.refuse(from);
  }
  /// Calls `use` for each record of a message that a MessageBatcher sent.
  template <class T, class Use>
  void for_each_record(NodeId from, std::span<const std::byte> bytes, Use&& use) {
    require(bytes.size() % sizeof(T) == 0, from);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      T record;
      std::memcpy(static_cast<void*>(&record), bytes.data() + at, sizeof(T));
      use(record);
    }
  }

  /// Allgather: every node's bytes, by node.
  std::vector<std::vector<std::byte>> share_bytes(std::span<const std::byte> mine);

  /// Allgather of one value from each node, by node.
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
  [[nodiscard]] std::uint64_t sum(std::uint64_t mine);
  /// Element-wise sum of the lists of all nodes, which have equal lengths.
  void sum(std::vector<std::uint64_t>& values);

  /// All-to-all: `lists[i]` is sent to node i. Returns the lists received, by node.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  std::vector<std::vector<T>> swap(const std::vector<std::vector<T>>& lists) {
    std::vector<std::vector<T>> got(count());
    begin([&](NodeId from, std::span<const std::byte> bytes) {
      require(bytes.size() % sizeof(T) == 0, from);
      auto& list = got[from.index()];
      const std::size_t before = list.size();
      list.resize(before + bytes.size() / sizeof(T));
      std::memcpy(static_cast<void*>(list.data() + before), bytes.data(), bytes.size());
    });
    constexpr std::size_t kStep = std::max<std::size_t>(1, kMessageBytes / sizeof(T));
    for (std::uint32_t to = 0; to < count(); ++to) {
      const std::span<const T> list(lists[to]);
      for (std::size_t at = 0; at < list.size(); at += kStep)
        send(NodeId(to), std::as_bytes(list.subspan(at, std::min(kStep, list.size() - at))));
    }
    end();
    return got;
  }

  /// As `swap`, for answers to requests: node i must send `asked[i]` of them.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  std::vector<std::vector<T>> swap_answers(const std::vector<std::vector<T>>& answers,
                                           const std::vector<std::size_t>& asked) {
    auto got = swap(answers);
    for (std::uint32_t from = 0; from < got.size(); ++from)
      require(got[from].size() == asked[from], NodeId(from));
    return got;
  }

  /// Passes a value from node to node in their order; each node computes its value from the previous node's by
  /// `make`. Returns the last node's value at every node.
  std::uint64_t pass(std::uint64_t first,
                     const std::function<std::uint64_t(std::uint64_t before)>& make);

  /// Agrees on the outcome of all nodes. If some have failed, the lowest of them returns its own error, and all
  /// others return an error that only refers to it (is_reported_elsewhere).
  Status agree(Status status);
  /// For an error that all nodes have found: node 0 gets `error`, the others one that only refers to it.
  [[nodiscard]] Error found_by_all(Error error) const;

  /// Recommended largest size of a message, so that many are in flight.
  static constexpr std::size_t kMessageBytes = std::size_t{32} << 10U;

 private:
  struct Message {
    std::uint32_t step;
    NodeId from;
    Frame frame;
  };
  void on_frame(NodeId from, std::span<const std::byte> frame);
  void take(NodeId from, std::span<const std::byte> frame);
  void receive();

  Endpoint& endpoint_;
  Take take_;
  std::uint32_t step_ = 0;
  bool open_ = false;
  SenderSet ended_;                   // nodes that have sent their end of this step
  std::vector<std::uint16_t> sent_;   // by node: frames of this step sent to it
  std::vector<std::uint16_t> taken_;  // by node: frames of this step received from it
  std::vector<Message> early_;
};

/// Joins one list from each node into one array, in the order of the nodes. The lengths are given in advance; a node
/// that sends more or fewer elements sent a bad message.
template <class T>
  requires std::is_trivially_copyable_v<T>
class ListJoiner {
 public:
  /// `lengths`: the length of each node's list.
  ListJoiner(Exchange& exchange, const std::vector<std::uint64_t>& lengths) : exchange_(exchange) {
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
    exchange_.require(bytes.size() % sizeof(T) == 0 && count <= ends_[from.index()] - place, from);
    if (count > 0) std::memcpy(static_cast<void*>(all.data() + place), bytes.data(), bytes.size());
    place += count;
  }
  /// After the step: requires that every list is complete.
  void finish() {
    for (std::uint32_t from = 0; from < at_.size(); ++from)
      exchange_.require(at_[from] == ends_[from], NodeId(from));
  }

 private:
  Exchange& exchange_;
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

/// True for an error that another process of the job reports in full.
[[nodiscard]] bool is_reported_elsewhere(const Error& error);

/// Collects records for many nodes into messages. Used within a step.
template <class T>
  requires std::is_trivially_copyable_v<T>
class MessageBatcher {
 public:
  explicit MessageBatcher(Exchange& exchange) : exchange_(exchange), messages_(exchange.count()) {}
  void add(NodeId to, const T& record) {
    auto& message = messages_[to.index()];
    message.push_back(record);
    if (message.size() * sizeof(T) >= Exchange::kMessageBytes) send_batch(to);
  }
  void flush() {
    for (std::uint32_t to = 0; to < messages_.size(); ++to) {
      if (!messages_[to].empty()) send_batch(NodeId(to));
    }
  }

 private:
  void send_batch(NodeId to) {
    auto& message = messages_[to.index()];
    exchange_.send(to, std::as_bytes(std::span<const T>(message)));
    message.clear();
  }

  Exchange& exchange_;
  std::vector<std::vector<T>> messages_;
};

/// Gathers the values of all nodes at node 0, in the order of the nodes; empty elsewhere. Node 0 must have memory for
/// all. Collective.
template <class T>
Result<Array<T>> gather_array(Exchange& exchange, std::span<const T> mine) {
  // Node 0 is the only receiver.
  const bool first = exchange.self() == NodeId(0);
  std::vector<std::uint64_t> sizes = exchange.share(std::uint64_t{mine.size()});
  if (!first) sizes.assign(sizes.size(), 0);
  ListJoiner<T> joiner(exchange, sizes);
  auto all = Array<T>::make(joiner.total());
  LEEWAY_TRY(exchange.agree(all ? Status{} : fail(all.error())));
  exchange.begin([&](NodeId from, std::span<const std::byte> bytes) {
    exchange.require(first, from);
    joiner.take(from, bytes, all->mutable_span());
  });
  constexpr std::size_t kStep = Exchange::kMessageBytes / sizeof(T);
  for (std::size_t i = 0; i < mine.size(); i += kStep)
    exchange.send(NodeId(0), std::as_bytes(mine.subspan(i, std::min(kStep, mine.size() - i))));
  exchange.end();
  joiner.finish();
  return all;
}

/// The same as a vector.
template <class T>
Result<std::vector<T>> gather_values(Exchange& exchange, std::span<const T> mine) {
  LEEWAY_ASSIGN(const Array<T> all, gather_array(exchange, mine));
  return std::vector<T>(all.span().begin(), all.span().end());
}

/// A separate run in which the nodes of a job exchange messages by `body`. An error of one node ends it for all.
/// Collective.
Status exchange_parts(const ClusterOptions& cluster, const std::function<Status(Exchange&)>& body);

/// The sum of the values of all nodes, added in the order of the nodes. Collective.
Result<double> sum_of_parts(const ClusterOptions& cluster, double mine);

/// Passes the text of all nodes, node after node, to `take` at node 0, in pieces of at most `most` bytes, so that no
/// node holds all of it. An error of `take` ends it for all. Collective.
Status stream_text(Exchange& exchange,
                   const std::function<std::string(std::size_t most)>& next_piece,
                   const std::function<Status(std::string_view)>& take);

}  // namespace leeway
