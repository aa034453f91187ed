#include "test/conformance/cases.h"

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "dsm/node.h"

namespace leeway::conformance {

namespace {

constexpr std::array<std::size_t, 13> kSizes = {0,    1,    24, 4095,  4096,    4097, 8191,
                                                8192, 8193, 24, 65536, 1 << 20, 3};

void sizes(Mailroom& node, const Setting&) {
  for (std::uint32_t step = 0; step < node.node_count(); ++step) {
    const NodeId to = node.neighbour(step);
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      node.send(to, make_frame(node.self(), to, i, kSizes[i]));
    }
  }
  for (std::uint32_t step = 0; step < node.node_count(); ++step) {
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      node.expect_frame(node.neighbour(step), i, kSizes[i]);
    }
  }
}

void flood(Mailroom& node, const Setting&) {
  constexpr std::uint64_t kFrames = 5000;
  const NodeId to = node.neighbour(1);
  const NodeId from = node.neighbour(node.node_count() - 1);
  std::uint64_t got = 0;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    node.send(to, make_frame(node.self(), to, i, i % 97));
    while (got < kFrames && node.waiting(from) > 0) node.expect_frame(from, got, got % 97), ++got;
  }
  for (; got < kFrames; ++got) node.expect_frame(from, got, got % 97);
}

void all_nodes_flood_all_others(Mailroom& node, const Setting&) {
  constexpr std::uint64_t kFrames = 400;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    for (std::uint32_t step = 1; step < node.node_count(); ++step) {
      const NodeId to = node.neighbour(step);
      node.send(to, make_frame(node.self(), to, i, (i * 37) % 9000));
    }
  }
  for (std::uint32_t step = 1; step < node.node_count(); ++step) {
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      node.expect_frame(node.neighbour(step), i, (i * 37) % 9000);
    }
  }
}

constexpr std::size_t kSlowBytes = 4000;
constexpr std::uint64_t kNoMorePolls = 77;

/// Fills the window to `receiver`; frames to others must not be blocked by it.
void fill_the_way(Mailroom& node, const Setting& setting, NodeId receiver) {
  constexpr std::uint64_t kMost = 100'000;
  const NodeId sender = node.self();
  std::uint64_t sent = 0;
  node.expect_frame(receiver, kNoMorePolls,
                    8);  // until then it may still poll in a barrier
  Frame frame = make_frame(sender, receiver, sent, kSlowBytes);
  while (sent < kMost && node.transport().send(receiver, frame) == SendOutcome::Sent) {
    frame = make_frame(sender, receiver, ++sent, kSlowBytes);
  }
  if (setting.way_is_full != nullptr) *setting.way_is_full = true;
  expect(sent > 0, "the first frame was refused");
  // Between processes the receiver is not notified that the window is full, so it may have polled
  // too early.
  const bool not_polled = setting.virtual_time || setting.way_is_full != nullptr;
  expect(!not_polled || sent * kSlowBytes <= setting.window_bytes + kSlowBytes,
         format("{} bytes were taken for a receiver that does not poll; the window holds {}",
                sent * kSlowBytes, setting.window_bytes));
  expect(frame == make_frame(sender, receiver, sent, kSlowBytes), "a refused frame was changed");
  for (std::uint32_t i = 2; i < node.node_count(); ++i) {
    Frame aside = make_frame(sender, NodeId(i), 0, 8);
    expect(node.transport().send(NodeId(i), aside) == SendOutcome::Sent,
           "a full way to one node holds up another");
  }
  node.send(receiver, frame);  // returns once there is room
  Frame count(sizeof(sent));
  std::memcpy(count.data(), &sent, sizeof(sent));
  node.send(receiver, count);
}

void slow_receiver(Mailroom& node, const Setting& setting) {
  const NodeId sender(0), receiver(1);
  if (node.self() == sender) return fill_the_way(node, setting, receiver);
  if (node.self() != receiver) return node.expect_frame(sender, 0, 8);
  node.send(sender, make_frame(receiver, sender, kNoMorePolls, 8));
  // Does not poll until the sender has filled the window.
  const Instant until = node.transport().now() + std::chrono::milliseconds(50);
  while (node.transport().now() < until) {
    node.transport().wait(node.transport().ticket(), until);
  }
  while (setting.way_is_full != nullptr && !*setting.way_is_full) std::this_thread::yield();
  std::uint64_t got = 0;
  Frame frame = node.receive(sender);
  for (; frame.size() == kSlowBytes; frame = node.receive(sender), ++got) {
    expect(frame == make_frame(sender, receiver, got, kSlowBytes), "a frame is out of order");
  }
  std::uint64_t sent = 0;
  expect(frame.size() == sizeof(sent), "not the closing frame");
  std::memcpy(&sent, frame.data(), sizeof(sent));
  expect(got == sent + 1, format("{} frames arrived of {}", got, sent + 1));
}

void larger_than_the_window(Mailroom& node, const Setting& setting) {
  const std::size_t bytes = setting.window_bytes + 12345;
  const NodeId to = node.neighbour(1);
  const NodeId from = node.neighbour(node.node_count() - 1);
  for (std::uint64_t i = 0; i < 3; ++i) {
    node.send(to, make_frame(node.self(), to, i, bytes));
    node.expect_frame(from, i, bytes);
  }
}

void poll_takes_no_more_than_asked(Mailroom& node, const Setting&) {
  constexpr std::uint64_t kFrames = 20;
  const NodeId to = node.neighbour(1);
  const NodeId from = node.neighbour(node.node_count() - 1);
  for (std::uint64_t i = 0; i < kFrames; ++i) node.send(to, make_frame(node.self(), to, i, 8));
  node.receive(from);
  std::uint64_t got = 1 + node.waiting(from);
  while (got < kFrames) {
    const std::uint64_t ticket = node.transport().ticket();
    const std::size_t before = node.waiting(from);
    const std::size_t polled = node.poll(3);
    expect(polled <= 3, format("poll(3) handed over {} frames", polled));
    expect(node.waiting(from) - before <= 3, "poll(3) delivered more than it returned");
    got += node.waiting(from) - before;
    if (polled == 0) {
      node.transport().wait(ticket, node.transport().now() + std::chrono::milliseconds(100));
    }
  }
  for (std::uint64_t i = 1; i < kFrames; ++i) node.receive(from);
}

void a_wake_ends_a_wait(Mailroom& node, const Setting&) {
  Transport& transport = node.transport();
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t ticket = transport.ticket();
    transport.spawn("waker", [&] { transport.wake(); });
    const Instant limit = transport.now() + std::chrono::seconds(20);
    while (transport.ticket() == ticket) {
      transport.wait(ticket, limit);
      expect(transport.now() < limit, "no waiter was woken");
    }
    transport.join();
  }
}

void every_waiter_is_woken(Mailroom& node, const Setting&) {
  Transport& transport = node.transport();
  std::atomic<int> woken{0};
  const std::uint64_t ticket = transport.ticket();
  for (int i = 0; i < 3; ++i) {
    transport.spawn("sleeper", [&] {
      while (transport.ticket() == ticket) transport.wait(ticket, std::nullopt);
      ++woken;
    });
  }
  transport.wait(transport.ticket(), transport.now() + std::chrono::milliseconds(20));
  transport.wake();
  transport.join();
  expect(woken == 3, "a waiter was not woken");
}

void an_arrival_ends_a_wait(Mailroom& node, const Setting&) {
  for (std::uint64_t round = 0; round < 50; ++round) {
    const NodeId to = node.neighbour(1);
    const NodeId from = node.neighbour(node.node_count() - 1);
    if (node.self() == NodeId(0)) node.send(to, make_frame(node.self(), to, round, 24));
    node.expect_frame(from, round, 24);  // fails after a minute
    if (node.self() != NodeId(0)) node.send(to, make_frame(node.self(), to, round, 24));
  }
}

void a_deadline_ends_a_wait(Mailroom& node, const Setting& setting) {
  Transport& transport = node.transport();
  for (const Duration length : {Duration(std::chrono::milliseconds(1)),
                                Duration(std::chrono::milliseconds(30)), Duration::zero()}) {
    const Instant start = transport.now();
    while (transport.now() < start + length) {
      transport.wait(transport.ticket(), start + length);
    }
    const Duration late = transport.now() - (start + length);
    const Duration allowed =
        setting.virtual_time ? Duration::zero() : Duration(std::chrono::seconds(2));
    expect(late <= allowed,
           format("a wait of {} ns ended {} ns late", length.count(), late.count()));
  }
  const Instant start = transport.now();
  transport.wait(transport.ticket(), start - std::chrono::seconds(1));  // a deadline in the past
  expect(transport.now() - start < std::chrono::seconds(2),
         "a deadline in the past was waited for");
}

void threads_send_together(Mailroom& node, const Setting&) {
  constexpr std::uint64_t kThreads = 3, kFrames = 300;
  Transport& transport = node.transport();
  const NodeId to = node.neighbour(1);
  const NodeId from = node.neighbour(node.node_count() - 1);
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    transport.spawn("sender", [&transport, to, thread] {
      for (std::uint64_t i = 0; i < kFrames; ++i) {
        Frame frame(16);
        std::memcpy(frame.data(), &thread, 8);
        std::memcpy(frame.data() + 8, &i, 8);
        while (true) {
          const std::uint64_t ticket = transport.ticket();
          if (transport.send(to, frame) == SendOutcome::Sent) break;
          transport.wait(ticket, transport.now() + std::chrono::milliseconds(10));
        }
      }
    });
  }
  std::array<std::uint64_t, kThreads> next{};
  for (std::uint64_t count = 0; count < kThreads * kFrames; ++count) {
    const Frame frame = node.receive(from);
    std::uint64_t thread = 0, number = 0;
    expect(frame.size() == 16, "a frame of another length");
    std::memcpy(&thread, frame.data(), 8);
    std::memcpy(&number, frame.data() + 8, 8);
    expect(thread < kThreads && number == next[thread], "one thread's frames are out of order");
    ++next[thread];
  }
  transport.join();
}

void what_is_sent_is_counted(Mailroom& node, const Setting&) {
  constexpr std::uint64_t kFrames = 10;
  constexpr std::size_t kBytes = 1000;
  const NodeId to = node.neighbour(1);
  const NodeId from = node.neighbour(node.node_count() - 1);
  const TransportStats long_before = node.transport().stats();
  node.barrier();  // no frame arrives before the next line
  const TransportStats before = node.transport().stats();
  for (std::uint64_t i = 0; i < kFrames; ++i) node.send(to, make_frame(node.self(), to, i, kBytes));
  for (std::uint64_t i = 0; i < kFrames; ++i) node.expect_frame(from, i, kBytes);
  const TransportStats after = node.transport().stats();
  expect(after.frames_sent - before.frames_sent == kFrames, "frames sent are miscounted");
  expect(after.bytes_sent - before.bytes_sent == kFrames * kBytes, "bytes sent are miscounted");
  // A neighbour may have finished and sent the first frame of the next case.
  expect(after.frames_received - long_before.frames_received >= kFrames, "too few frames received");
}

constexpr std::array kCases = {
    Case{"frames of every size arrive whole and in order", sizes},
    Case{"a flood of small frames arrives in order", flood},
    Case{"all nodes flood all others without deadlock", all_nodes_flood_all_others},
    Case{"a receiver that does not poll bounds what is sent to it", slow_receiver},
    Case{"a frame larger than the window passes alone", larger_than_the_window},
    Case{"poll takes no more than asked", poll_takes_no_more_than_asked},
    Case{"a wake ends a wait", a_wake_ends_a_wait},
    Case{"every waiter is woken", every_waiter_is_woken},
    Case{"an arrival ends a wait", an_arrival_ends_a_wait},
    Case{"a deadline ends a wait", a_deadline_ends_a_wait},
    Case{"threads that send together keep their own order", threads_send_together},
    Case{"what is sent is counted", what_is_sent_is_counted},
};

}  // namespace

std::span<const Case> cases() { return kCases; }

}  // namespace leeway::conformance
