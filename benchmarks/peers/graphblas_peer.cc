// GraphBLAS, with the algorithms that its authors publish for the GAP benchmark: pull with (plus, second),
// delta-stepping with (min, plus) on separate light and heavy arcs, and FastSV. Single-threaded, like all contenders.

extern "C" {  // this version's header lacks it
#include <GraphBLAS.h>
}

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "benchmarks/peers/peer.h"
#include "programs/reference/kernels.h"

namespace leeway::peers {
namespace {

void must(GrB_Info outcome) { LEEWAY_CHECK(outcome == GrB_SUCCESS, outcome); }

/// Owns one object of the library.
template <class T, GrB_Info (*Free)(T*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (object_ != nullptr) Free(&object_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T* out() { return &object_; }
  operator T() const { return object_; }  // NOLINT: converts implicitly in calls

 private:
  T object_ = nullptr;
};
using Matrix = Owned<GrB_Matrix, GrB_Matrix_free>;
using Vector = Owned<GrB_Vector, GrB_Vector_free>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class GraphBlas final : public Peer {
 public:
  explicit GraphBlas(const Graph& graph) : count_(graph.vertex_count()) {
    [[maybe_unused]] static const bool once = [] {
      must(GrB_init(GrB_NONBLOCKING));
      return true;
    }();
    must(GxB_Global_Option_set_INT32(GxB_GLOBAL_NTHREADS, 1));
    delta_ = reference::DeltaStepping(graph).delta();
    build(graph);
  }

  [[nodiscard]] std::string name() const override { return "GraphBLAS"; }
  std::vector<double> pagerank(std::uint32_t iterations) override;
  std::vector<double> distances(VertexId source) override;
  std::vector<std::uint32_t> components() override;

 private:
  void build(const Graph& graph);
  void vector(Vector& out, GrB_Type type) const { must(GrB_Vector_new(out.out(), type, count_)); }
  [[nodiscard]] std::vector<double> dense(GrB_Vector values) const;

  GrB_Index count_;
  double delta_ = 1;
  Matrix incoming_;  // row v: sources of v's incoming arcs
  Matrix joined_;    // both directions
  Matrix light_, heavy_;
  Vector per_arc_;  // 0.85 / out-degree; absent without arcs
  std::vector<GrB_Index> everyone_;
};

void GraphBlas::build(const Graph& graph) {
  std::vector<GrB_Index> rows, columns;
  std::vector<double> lengths, shares(count_), ones;
  for (VertexId v(0); v.value() < count_; v = v.next()) {
    const auto neighbors = graph.neighbors(v);
    everyone_.push_back(v.value());
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      rows.push_back(v.value());
      columns.push_back(neighbors[i].value());
      lengths.push_back(graph.weighted() ? graph.weights(v)[i] : 1.0);
    }
  }
  ones.assign(rows.size(), 1.0);
  const auto make = [&](Matrix& out, const auto& from, const auto& to, const auto& values) {
    must(GrB_Matrix_new(out.out(), GrB_FP64, count_, count_));
    must(GrB_Matrix_build_FP64(out, from.data(), to.data(), values.data(), from.size(),
                               GrB_FIRST_FP64));
  };
  make(incoming_, columns, rows, ones);
  Matrix arcs;
  make(arcs, rows, columns, lengths);
  for (const auto& [out, op] :
       {std::pair(&light_, GrB_VALUELE_FP64), {&heavy_, GrB_VALUEGT_FP64}}) {
    must(GrB_Matrix_new(out->out(), GrB_FP64, count_, count_));
    must(GrB_Matrix_select_FP64(*out, nullptr, nullptr, op, arcs, delta_, nullptr));
  }
  must(GrB_Matrix_new(joined_.out(), GrB_FP64, count_, count_));
  must(GrB_Matrix_eWiseAdd_BinaryOp(joined_, nullptr, nullptr, GrB_PLUS_FP64, arcs, incoming_,
                                    nullptr));
  vector(per_arc_, GrB_FP64);
  for (VertexId v(0); v.value() < count_; v = v.next()) {
    if (graph.degree(v) == 0) continue;
    must(GrB_Vector_setElement_FP64(per_arc_, 0.85 / static_cast<double>(graph.degree(v)),
                                    v.value()));
  }
  must(GrB_Vector_wait(per_arc_, GrB_MATERIALIZE));
}

std::vector<double> GraphBlas::dense(GrB_Vector values) const {
  std::vector<GrB_Index> where(count_);
  std::vector<double> found(count_);
  GrB_Index size = count_;
  must(GrB_Vector_extractTuples_FP64(where.data(), found.data(), &size, values));
  std::vector<double> result(count_, kInfinity);
  for (GrB_Index i = 0; i < size; ++i) result[where[i]] = found[i];
  return result;
}

std::vector<double> GraphBlas::pagerank(std::uint32_t iterations) {
  Vector rank, share;
  vector(rank, GrB_FP64);
  vector(share, GrB_FP64);
  const auto n = static_cast<double>(count_);
  must(GrB_Vector_assign_FP64(rank, nullptr, nullptr, 1.0 / n, GrB_ALL, count_, nullptr));
  for (std::uint32_t i = 0; i < iterations; ++i) {
    must(GrB_Vector_eWiseMult_BinaryOp(share, nullptr, nullptr, GrB_TIMES_FP64, rank, per_arc_,
                                       nullptr));
    // A vertex with arcs retains 0.15 of its rank, one without arcs all of it; the sum is spread over all vertices.
    double total = 0;
    double linked = 0;
    must(GrB_Vector_reduce_FP64(&total, nullptr, GrB_PLUS_MONOID_FP64, rank, nullptr));
    Vector with_arcs;
    vector(with_arcs, GrB_FP64);
    must(GrB_Vector_eWiseMult_BinaryOp(with_arcs, nullptr, nullptr, GrB_FIRST_FP64, rank, per_arc_,
                                       nullptr));
    must(GrB_Vector_reduce_FP64(&linked, nullptr, GrB_PLUS_MONOID_FP64, with_arcs, nullptr));
    const double base = (0.15 * total + 0.85 * (total - linked)) / n;
    must(GrB_Vector_assign_FP64(rank, nullptr, nullptr, base, GrB_ALL, count_, nullptr));
    must(GrB_mxv(rank, nullptr, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, incoming_, share, nullptr));
  }
  return dense(rank);
}

std::vector<double> GraphBlas::distances(VertexId source) {
  Vector distance, reach, settled, request, better;
  vector(distance, GrB_FP64);
  vector(request, GrB_FP64);
  vector(better, GrB_BOOL);
  vector(reach, GrB_FP64);
  must(GrB_Vector_assign_FP64(distance, nullptr, nullptr, kInfinity, GrB_ALL, count_, nullptr));
  must(GrB_Vector_setElement_FP64(distance, 0, source.value()));
  double low = 0;
  const auto relax = [&](GrB_Vector from, GrB_Matrix arcs) {
    must(GrB_vxm(request, nullptr, nullptr, GrB_MIN_PLUS_SEMIRING_FP64, from, arcs, GrB_DESC_R));
    must(GrB_Vector_eWiseMult_BinaryOp(better, nullptr, nullptr, GrB_LT_FP64, request, distance,
                                       GrB_DESC_R));
    must(GrB_Vector_assign(distance, better, nullptr, request, GrB_ALL, count_, nullptr));
  };
  while (true) {
    const double high = low + delta_;
    must(GrB_Vector_clear(reach));
    Vector later;
    vector(later, GrB_FP64);
    must(GrB_Vector_select_FP64(later, nullptr, nullptr, GrB_VALUEGE_FP64, distance, low, nullptr));
    must(GrB_Vector_select_FP64(reach, nullptr, nullptr, GrB_VALUELT_FP64, later, high, nullptr));
    Vector seen;
    vector(seen, GrB_BOOL);
    GrB_Index waiting = 0;
    must(GrB_Vector_nvals(&waiting, reach));
    while (waiting > 0) {
      must(GrB_Vector_assign_BOOL(seen, reach, nullptr, true, GrB_ALL, count_, GrB_DESC_S));
      relax(reach, light_);
      must(GrB_Vector_select_FP64(reach, better, nullptr, GrB_VALUELT_FP64, request, high,
                                  GrB_DESC_R));
      must(GrB_Vector_nvals(&waiting, reach));
    }
    Vector done;
    vector(done, GrB_FP64);
    must(GrB_Vector_assign(done, seen, nullptr, distance, GrB_ALL, count_, GrB_DESC_S));
    relax(done, heavy_);
    must(
        GrB_Vector_select_FP64(later, nullptr, nullptr, GrB_VALUEGE_FP64, distance, high, nullptr));
    double nearest = kInfinity;
    must(GrB_Vector_reduce_FP64(&nearest, nullptr, GrB_MIN_MONOID_FP64, later, nullptr));
    if (nearest == kInfinity) return dense(distance);
    low =
        std::max(high, delta_ * static_cast<double>(static_cast<std::uint64_t>(nearest / delta_)));
  }
}

/// Zhang, Azad & Buluç, J. Parallel Distrib. Comput. 144, 2020.
std::vector<std::uint32_t> GraphBlas::components() {
  std::vector<std::uint64_t> parent(everyone_.begin(), everyone_.end());
  std::vector<std::uint64_t> grandparent = parent, least = parent, before = parent;
  Vector grandparents, leasts;
  vector(grandparents, GrB_UINT64);
  vector(leasts, GrB_UINT64);
  must(GrB_Vector_build_UINT64(grandparents, everyone_.data(), parent.data(), count_,
                               GrB_FIRST_UINT64));
  must(GrB_Vector_dup(leasts.out(), grandparents));
  while (true) {
    must(GrB_mxv(leasts, nullptr, GrB_MIN_UINT64, GrB_MIN_SECOND_SEMIRING_UINT64, joined_,
                 grandparents, nullptr));
    GrB_Index size = count_;
    must(GrB_Vector_extractTuples_UINT64(nullptr, least.data(), &size, leasts));
    for (GrB_Index v = 0; v < count_; ++v) {
      parent[parent[v]] = std::min(parent[parent[v]], least[v]);
    }
    for (GrB_Index v = 0; v < count_; ++v) {
      parent[v] = std::min({parent[v], least[v], grandparent[v]});
    }
    before = grandparent;
    for (GrB_Index v = 0; v < count_; ++v) grandparent[v] = parent[parent[v]];
    if (before == grandparent) break;
    must(GrB_Vector_clear(grandparents));
    must(GrB_Vector_build_UINT64(grandparents, everyone_.data(), grandparent.data(), count_,
                                 GrB_FIRST_UINT64));
  }
  return {parent.begin(), parent.end()};
}

}  // namespace

std::unique_ptr<Peer> graphblas(const Graph& graph) { return std::make_unique<GraphBlas>(graph); }

}  // namespace leeway::peers
