// The shared memory in Python: a cluster whose nodes each run a Python function, and spaces of objects that are fetched and
// stored in bulk. Calls that may block release the GIL.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/format.h"
#include "cli/embedded_run.h"
#include "leeway/cluster.h"
#include "python/core/bindings.h"

namespace leeway::python {

namespace {

using Handles = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

/// A reference to a node that becomes invalid when the node's function returns; a later use from Python is an error.
class NodeReference {
 public:
  explicit NodeReference(Node& node) : node_(std::make_shared<Node*>(&node)) {}
  void end() { *node_ = nullptr; }
  [[nodiscard]] Node& operator*() const {
    if (*node_ == nullptr)
      raise(input_error("node", "its function has returned",
                        "use nodes and spaces inside that function"));
    return **node_;
  }

 private:
  std::shared_ptr<Node*> node_;
};

void check_node(const NodeReference& node) {
  if ((*node).failed()) raise(*(*node).failure());
}

/// One node's access to a space.
class PySpace {
 public:
  PySpace(NodeReference node, std::unique_ptr<Objects> objects, py::dtype dtype)
      : node_(std::move(node)), objects_(std::move(objects)), dtype_(std::move(dtype)) {}

  [[nodiscard]] const py::dtype& dtype() const { return dtype_; }
  [[nodiscard]] std::uint32_t local_count() { return space().local_count(); }

  py::array_t<std::uint32_t> resolve(const Handles& homes, const Handles& places) {
    std::vector<std::uint32_t> handles;
    Space& target = space();
    Status resolved = [&]() -> Status {
      const py::gil_scoped_release released;
      for (py::ssize_t i = 0; i < homes.size(); ++i) {
        const ObjectId id(NodeId(homes.data()[i]), LocalIndex(places.data()[i]));
        LEEWAY_ASSIGN(const Handle handle, target.resolve(id));
        handles.push_back(handle.value());
      }
      return {};
    }();
    unwrap(std::move(resolved));
    return array_of(std::move(handles));
  }

  py::array fetch(const Handles& handles) {
    const auto requested = checked(handles);
    py::array values(dtype_, handles.size());
    {
      const py::gil_scoped_release released;
      objects_->fetch(requested, static_cast<std::byte*>(values.mutable_data()));
    }
    check_node(node_);
    return values;
  }

  void store(const Handles& handles, const py::array& values) {
    const auto requested = own(handles);
    const py::array given = as_stored(values, handles.size());
    {
      const py::gil_scoped_release released;
      objects_->store(requested, static_cast<const std::byte*>(given.data()));
    }
    check_node(node_);
  }

  void set_initial(const Handles& handles, const py::array& values) {
    const py::array given = as_stored(values, handles.size());
    objects_->set_initial(own(handles), static_cast<const std::byte*>(given.data()));
  }

  void replicate(const Handles& handles, bool wait) {
    std::vector<Handle> requested;
    for (const std::uint32_t handle : checked(handles)) requested.emplace_back(handle);
    const py::gil_scoped_release released;
    if (wait) {
      objects_->replicate(requested);
    } else {
      objects_->space().prefetch(requested);
    }
  }

  py::dict stats() {
    const SpaceStats stats = space().stats();
    py::dict counts;
    counts["current"] = stats.accesses.current_hits;
    counts["stale"] = stats.accesses.stale_hits;
    counts["misses"] = stats.accesses.cache_misses;
    counts["stale_misses"] = stats.accesses.stale_misses;
    counts["refreshes"] = stats.cache.refreshes;
    return counts;
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> checked(const Handles& handles) {
    const std::span<const std::uint32_t> all(handles.data(),
                                             static_cast<std::size_t>(handles.size()));
    const std::uint64_t known = std::uint64_t{local_count()} + space().met_count();
    for (const std::uint32_t handle : all) {
      if (handle >= known)
        raise(input_error("handle", format("{} is not the handle of an object", handle),
                          "use the handles in .own or returned by handles()"));
    }
    return all;
  }
  [[nodiscard]] std::span<const std::uint32_t> own(const Handles& handles) {
    const auto all = checked(handles);
    for (const std::uint32_t handle : all) {
      if (handle >= local_count())
        raise(input_error("store", "an object of another home",
                          "store it at its home: only the home writes an object"));
    }
    return all;
  }
  [[nodiscard]] py::array as_stored(const py::array& values, py::ssize_t count) const {
    const py::object same = py::module_::import("numpy").attr("ascontiguousarray")(values, dtype_);
    const auto array = same.cast<py::array>();
    if (array.size() != count)
      raise(input_error("values", format("{} for {} objects", array.size(), count),
                        "give one value for each"));
    return array;
  }
  [[nodiscard]] Space& space() {
    (void)*node_;
    return objects_->space();
  }

  NodeReference node_;
  std::unique_ptr<Objects> objects_;
  py::dtype dtype_;
};

/// Calls body(node) without the GIL.
template <class Body>
auto collective(const NodeReference& reference, Body&& body) {
  Node& node = *reference;
  auto result = [&] {
    const py::gil_scoped_release released;
    return body(node);
  }();
  check_node(reference);
  return result;
}

/// One node of a cluster, passed to the function that runs on it.
class PyNode {
 public:
  explicit PyNode(NodeReference node) : node_(std::move(node)) {}
  [[nodiscard]] std::uint32_t rank() const { return (*node_).self().value(); }
  [[nodiscard]] std::uint32_t count() const { return (*node_).node_count(); }

  std::unique_ptr<PySpace> open(const py::object& type, std::uint32_t local, std::uint32_t remote,
                                const std::string& name, std::uint32_t cache,
                                const std::string& consistency) {
    const py::dtype dtype = py::dtype::from_args(type);
    SpaceOptions options;
    options.name = name;
    options.local_objects = local;
    options.remote_objects = remote;
    options.cache_capacity = cache;
    if (!consistency.empty()) options.policy = unwrap(parse_policy(consistency));
    Node& node = *node_;
    auto objects = [&] {
      const py::gil_scoped_release released;
      return open_objects(node, options, static_cast<std::size_t>(dtype.itemsize()));
    }();
    return std::make_unique<PySpace>(node_, unwrap(std::move(objects)), dtype);
  }

  void barrier() {
    collective(node_, [](Node& node) { return node.barrier(), 0; });
  }
  bool converged(bool changed) {
    return collective(node_, [&](Node& node) { return node.converged(changed); });
  }
  void vote(bool changed) {
    collective(node_, [&](Node& node) { return node.vote(changed), 0; });
  }
  std::optional<bool> verdict() {
    return collective(node_, [](Node& node) { return node.verdict(); });
  }
  void quiesce() {
    collective(node_, [](Node& node) { return node.quiesce(), 0; });
  }
  std::vector<std::uint64_t> sum(const std::vector<std::uint64_t>& numbers) {
    return collective(node_, [&](Node& node) { return node.sum(numbers); });
  }
  bool progress() {
    return collective(node_, [](Node& node) { return node.progress(); });
  }

 private:
  NodeReference node_;
};

/// State shared by the nodes of this process during a run: the first exception and the node that raised it.
struct SharedJob {
  std::mutex mutex;
  std::vector<Node*> nodes;
  std::optional<py::error_already_set> thrown;
  NodeId ended_by{0};  // the node that raised `thrown`

  /// Keeps the first exception and makes all nodes of this process fail, so that none waits for another. Does not block
  /// while it holds the mutex.
  void fail(NodeId by, py::error_already_set& error) {
    const std::lock_guard locked(mutex);
    if (!thrown) {
      thrown.emplace(error);
      ended_by = by;
    }
    for (Node* const node : nodes) end(*node);
  }
  /// Adds a node. Another node may have failed already.
  void join(Node& node) {
    const std::lock_guard locked(mutex);
    nodes.push_back(&node);
    if (thrown) end(node);
  }

 private:
  void end(Node& node) const {
    node.fail({ErrorKind::Peer, format("node {}", node.self()),
               format("node {} ended by an exception", ended_by), "see its traceback"});
  }
};

class PyNodeProgram final : public NodeProgram {
 public:
  PyNodeProgram(Transport& transport, const NodeOptions& options, const py::function& body,
                SharedJob& shared)
      : node_(transport, options), body_(body), shared_(shared) {
    shared_.join(node_);
  }
  ~PyNodeProgram() override {
    const std::lock_guard locked(shared_.mutex);
    std::erase(shared_.nodes, &node_);
  }
  Status run() override {
    const py::gil_scoped_acquire locked;
    NodeReference reference(node_);
    try {
      body_(PyNode(reference));
      reference.end();
      return {};
    } catch (py::error_already_set& error) {
      reference.end();
      shared_.fail(node_.self(), error);
      return leeway::fail(
          input_error("Python", "a node ended by an exception", "see its traceback"));
    }
  }
  void finish() override { node_.close(); }
  [[nodiscard]] std::string evidence() override { return node_.evidence(); }

 private:
  Node node_;
  const py::function& body_;
  SharedJob& shared_;
};

void run_on_nodes(std::uint32_t nodes, const Settings& settings, const py::function& body) {
  ClusterOptions cluster = unwrap(cli::embedded_cluster(nodes, settings));
  cluster.job = unwrap([] {
    const py::gil_scoped_release released;
    return own_job();
  }());
  if (cluster.job != nullptr) {
    cluster.fabric = cluster.job->fabric();
    cluster.nodes = cluster.job->node_count();
  }
  SharedJob shared;
  // A Python function may compute for a long time without accessing the shared memory, so by default a background thread
  // serves the requests of other nodes.
  const NodeOptions options{.policy = cluster.policy,
                            .service = cluster.service.value_or(Service::Background),
                            .on_failure = [](const Error&) {}};
  const auto ran = [&] {
    const py::gil_scoped_release released;
    return run_node_programs(cluster, [&](Transport& transport) {
      return std::make_unique<PyNodeProgram>(transport, options, body, shared);
    });
  }();
  if (shared.thrown) {
    shared.thrown->restore();
    throw py::error_already_set();
  }
  if (!ran) raise(ran.error());
}

}  // namespace

void bind_memory(py::module_& module) {
  py::class_<PySpace>(module, "Space")
      .def_property_readonly("dtype", &PySpace::dtype)
      .def_property_readonly("local_count", &PySpace::local_count)
      .def("resolve", &PySpace::resolve)
      .def("fetch", &PySpace::fetch)
      .def("store", &PySpace::store)
      .def("set_initial", &PySpace::set_initial)
      .def("prefetch", [](PySpace& space, const Handles& all) { space.replicate(all, false); })
      .def("replicate", [](PySpace& space, const Handles& all) { space.replicate(all, true); })
      .def("stats", &PySpace::stats);
  py::class_<PyNode>(module, "Node")
      .def_property_readonly("rank", &PyNode::rank)
      .def_property_readonly("count", &PyNode::count)
      .def("open", &PyNode::open)
      .def("barrier", &PyNode::barrier)
      .def("converged", &PyNode::converged)
      .def("vote", &PyNode::vote)
      .def("verdict", &PyNode::verdict)
      .def("quiesce", &PyNode::quiesce)
      .def("sum", &PyNode::sum)
      .def("progress", &PyNode::progress);
  module.def("run_on_nodes", &run_on_nodes);
}

}  // namespace leeway::python
