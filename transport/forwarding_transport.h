// A transport that hands everything on to another one: for who steps in at some calls.
#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "leeway/transport/transport.h"

namespace leeway {

/// As the transport it wraps, which outlives it.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(Transport& inner) : inner_(inner) {}

  NodeId self() const override { return inner_.self(); }
  std::uint32_t node_count() const override { return inner_.node_count(); }
  SendOutcome send(NodeId to, Frame& frame) override { return inner_.send(to, frame); }
  std::size_t poll(FrameSink& sink, std::size_t most) override { return inner_.poll(sink, most); }
  std::uint64_t ticket() const override { return inner_.ticket(); }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override {
    inner_.wait(seen, deadline);
  }
  void wake() override { inner_.wake(); }
  Instant now() const override { return inner_.now(); }
  void charge(const Work& work) override { inner_.charge(work); }
  void spawn(std::string name, std::function<void()> body) override {
    inner_.spawn(std::move(name), std::move(body));
  }
  void join() override { inner_.join(); }
  TransportStats stats() const override { return inner_.stats(); }
  [[noreturn]] void end_node(const Error& error) override {
    inner_.end_node(error);
    std::abort();  // GCC does not take a virtual function's word that it never returns
  }

 private:
  Transport& inner_;
};

}  // namespace leeway
