// A node's graph: its own vertices, copies of the remote ones that it reads, and their lists in handles (LocalGraph). GraphCut
// cuts the local graphs of all nodes from a whole graph; build_local.h makes a node's from its part of a graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/csr.h"
#include "datasets/graph.h"
#include "protocol/ids.h"
#include "runtime/graph/lists.h"
#include "runtime/graph/vertex_records.h"

namespace leeway {

class Layout;
enum class VertexOrder;

/// The parts of a local graph that a program needs.
struct LocalNeeds {
  Reads reads = Reads::In;
  bool weights = false;
  bool drop_loops = false;
  bool inputs = true;
  bool readers = false;
  bool degrees = false;  ///< the out-degree of each vertex
  /// The program's records of the vertices of the whole graph or of this process's range; null: it has none. Borrowed.
  const VertexRecords* records = nullptr;
};

/// The arrays of a LocalGraph.
struct LocalArrays {
  Array<VertexId> vertices;      ///< this node's, by local index
  std::vector<ObjectId> copies;  ///< ascending
  std::vector<std::uint64_t>
      boundary;  ///< a bit for each local vertex: another node reads it; empty: none is
  Array<std::uint32_t> degrees;
  VertexRecords records;              ///< of the local vertices
  Csr inputs;                         ///< of each local vertex, in handles, local ones first
  Array<std::uint32_t> local_inputs;  ///< by vertex: number of local inputs; empty: all are local
  /// The local vertices that read each local vertex. Not made if `inputs_read_back`: they are then its local inputs.
  Csr local_readers;
  Csr copy_readers;  ///< the local vertices that read each copy; may be a view of local_readers
  bool inputs_read_back = false;
  bool mutual = false;  ///< whatever reads a vertex is read by it

  /// `all`: the readers of every handle.
  void set_readers(Csr all, std::uint32_t locals);
};

/// One node's part of a job's graph. Vertices have handles: first this node's own, then the copies of remote ones, which ascend
/// by home and local index there. For every local vertex the inputs of its update, local ones first; for every handle the local
/// vertices that read it. The values are in the shared memory. Immutable once made; may borrow arrays.
class LocalGraph {
 public:
  explicit LocalGraph(LocalArrays arrays);

  [[nodiscard]] std::uint32_t local_count() const { return local_count_; }
  [[nodiscard]] std::uint32_t copy_count() const {
    return static_cast<std::uint32_t>(arrays_.copies.size());
  }
  /// Local vertices, by local index.
  [[nodiscard]] std::span<const VertexId> vertices() const { return arrays_.vertices.span(); }
  /// The remote objects that are read here; the i-th has the handle local_count() + i.
  [[nodiscard]] std::span<const ObjectId> copies() const { return arrays_.copies; }
  /// Whether another node reads this local vertex.
  [[nodiscard]] bool read_remotely(std::uint32_t local) const {
    return !arrays_.boundary.empty() && (arrays_.boundary[local / 64] >> (local % 64) & 1) != 0;
  }
  /// The out-degree of each local vertex in the graph; empty unless needed.
  [[nodiscard]] std::span<const std::uint32_t> degrees() const { return arrays_.degrees.span(); }
  /// The program's records of the local vertices. Requires that it has some, of this type.
  template <class T>
  [[nodiscard]] std::span<const T> records() const {
    return arrays_.records.of<T>();
  }
  [[nodiscard]] std::uint64_t input_count() const { return arrays_.inputs.targets.size(); }
  [[nodiscard]] std::size_t bytes() const;

  // The inputs of local vertex v: handles in [offset(v), offset(v + 1)), the first local_inputs(v) local.

  [[nodiscard]] const std::uint64_t* input_offsets() const { return arrays_.inputs.offsets.data(); }
  [[nodiscard]] const std::uint32_t* inputs() const { return arrays_.inputs.targets.data(); }
  [[nodiscard]] const double* input_weights() const { return pointer(arrays_.inputs.weights); }
  /// Number of local inputs of each vertex; null: all are local.
  [[nodiscard]] const std::uint32_t* local_inputs() const { return pointer(arrays_.local_inputs); }

  /// Calls use(handle) for every copy that a local vertex reads, as often as it does.
  template <class Use>
  void each_copy(std::uint32_t local, const Use& use) const {
    const std::uint64_t skipped = local_inputs() == nullptr ? 0 : local_inputs()[local];
    const std::uint64_t end = input_offsets()[local + std::size_t{1}];
    for (std::uint64_t i = input_offsets()[local] + skipped; i < end; ++i) {
      if (inputs()[i] >= local_count_) use(inputs()[i]);
    }
  }

  /// The local vertices that read a handle, and the weights of the arcs.
  struct Readers {
    std::span<const std::uint32_t> vertices;
    const double* weights;  ///< null: no weights
  };
  [[nodiscard]] bool has_readers() const { return of_locals_.offsets != nullptr; }
  [[nodiscard]] Readers readers(std::uint32_t handle) const {
    const bool local = handle < local_count_;
    const ReaderLists& lists = local ? of_locals_ : of_copies_;
    const std::size_t row = local ? handle : handle - local_count_;
    const std::uint64_t first = lists.offsets[row];
    const std::uint64_t count =
        lists.counts != nullptr ? lists.counts[row] : lists.offsets[row + 1] - first;
    return {{lists.vertices + first, count},
            lists.weights != nullptr ? lists.weights + first : nullptr};
  }
  /// The first local vertex from `from` on that reads a copy, or, if there is none, the first of all. Requires readers, and
  /// that one reads it.
  [[nodiscard]] std::uint32_t next_reader(std::uint32_t handle, std::uint32_t from) const {
    const auto all = readers(handle).vertices;
    const auto next = std::lower_bound(all.begin(), all.end(), from);
    return next != all.end() ? *next : all.front();
  }
  /// Number of pairs of a local vertex and a local reader of it.
  [[nodiscard]] std::uint64_t local_reader_count() const { return local_reader_count_; }
  /// Whether the local vertices that read a local one are also its local inputs, as in an undirected graph.
  [[nodiscard]] bool mutual() const { return arrays_.mutual; }

 private:
  struct ReaderLists {
    const std::uint64_t* offsets = nullptr;
    const std::uint32_t* counts = nullptr;  // null: a list ends where the next begins
    const std::uint32_t* vertices = nullptr;
    const double* weights = nullptr;
  };
  template <class T>
  [[nodiscard]] static const T* pointer(const Array<T>& array) {
    return array.empty() ? nullptr : array.data();
  }

  LocalArrays arrays_;
  std::uint32_t local_count_;
  // Views of arrays_, which stay valid when a local graph moves.
  ReaderLists of_locals_;
  ReaderLists of_copies_;
  std::uint64_t local_reader_count_ = 0;
};

/// A whole graph with the homes of its vertices and the lists of all nodes, from which each node's local graph is cut. One for a
/// job. Borrows from the graph, which must outlive it and the local graphs. Immutable once made.
class GraphCut {
 public:
  /// `partition` null: computed by `how`. Requires as many parts as nodes (checked).
  static Result<GraphCut> make(const Graph& graph, const LocalNeeds& needs, std::uint32_t nodes,
                               PartitionOptions how, VertexOrder order, const Partition* partition);

  ~GraphCut();
  GraphCut(GraphCut&&) noexcept;
  GraphCut& operator=(GraphCut&&) noexcept;

  /// Any thread. The cut must outlive the local graph.
  [[nodiscard]] Result<LocalGraph> local(NodeId node) const;
  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] double partition_seconds() const { return partition_seconds_; }

 private:
  GraphCut();
  [[nodiscard]] bool stands_alone() const;
  [[nodiscard]] bool is_by_ranges() const;
  [[nodiscard]] LocalGraph borrow(LocalArrays arrays) const;
  Status cut_range(NodeId node, LocalArrays& arrays) const;
  Status cut_any(NodeId node, LocalArrays& arrays) const;
  void mark_boundary(LocalArrays& arrays) const;

  LocalNeeds needs_;
  const Graph* graph_ = nullptr;
  std::unique_ptr<Layout> layout_;
  std::optional<Csr> reads_;    // the inputs of each update; none: one node does not need them
  std::optional<Csr> readers_;  // the reverse, for one node
  /// One bit for each vertex: whether a node other than its home reads it. Empty if local graphs find it by themselves.
  std::vector<std::uint64_t> read_remotely_;
  double partition_seconds_ = 0;
};

}  // namespace leeway
