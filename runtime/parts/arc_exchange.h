// Arcs on their way to the nodes that will hold them. Who sends names the node and what the arc's source is called
// there; who receives gets, for its own sources, the arcs in the order of the senders and of what each sent.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/edge_list.h"
#include "leeway/runtime/parts/exchange.h"

namespace leeway {

/// One step of an exchange. Collective: made by all, `finish`ed by all.
class ArcExchange {
 public:
  /// `kind`: what weights travel with the arcs; the same at all nodes.
  ArcExchange(Exchange& exchange, WeightKind kind);

  void send(NodeId to, VertexId source, VertexId target, double weight = 0, double imaginary = 0);
  /// Blocks until all arcs are where they belong.
  Result<EdgeList> finish();

 private:
  struct Plain {
    VertexId source, target;
  };
  struct Weighted {
    VertexId source, target;
    double weight;
  };
  struct Complex {
    VertexId source, target;
    double weight, imaginary;
  };
  void take(NodeId from, std::span<const std::byte> bytes);
  void pack(NodeId from);

  Exchange& exchange_;
  WeightKind kind_;
  MessageBatcher<Plain> plain_;
  MessageBatcher<Weighted> weighted_;
  MessageBatcher<Complex> complex_;
  std::vector<EdgeChunkBuilder> builders_;      // by sender
  std::vector<std::vector<EdgeChunk>> chunks_;  // by sender
  Status packed_;
};

}  // namespace leeway
