// The shared memory in Python: a cluster whose nodes each run a Python function, and spaces of objects that are fetched and
// stored in bulk. Calls that may block release the GIL.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/embedded_run.h"
#include "base/format.h"
#include "leeway/cluster.h"
#include "python/core/bindings.h"

namespace leeway::python {

namespace {

using Handles = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

/// Runs the function of a node on a thread of its own, and the node's calls of the shared memory on the thread that calls
/// `serve`. In the virtual cluster nodes are fibers of one thread, and Python needs a thread and a stack for each. Only one of
/// the two threads runs at a time, so runs are deterministic.
class CallServer {
 public:
  explicit CallServer(const std::atomic<bool>& stop) : stop_(stop) {}

  /// Returns when `body` has returned. An exception of a call ends the calls of `body`, then leaves.
  void serve(const std::function<void()>& body) {
    std::thread thread([&] {
      body();
      const std::lock_guard locked(mutex_);
      returned_ = true;
      turn_.notify_all();
    });
    std::exception_ptr thrown;
    std::unique_lock locked(mutex_);
    for (;;) {
      turn_.wait(locked, [&] { return work_ != nullptr || returned_; });
      if (work_ == nullptr) break;
      locked.unlock();  // the call may switch to another fiber
      try {
        if (!thrown) (*work_)();
      } catch (...) {
        thrown = std::current_exception();
      }
      locked.lock();
      ended_ = thrown != nullptr;
      work_ = nullptr;
      turn_.notify_all();
    }
    locked.unlock();
    thread.join();
    if (thrown) std::rethrow_exception(thrown);
  }

  /// Runs `work` on the serving thread. False if the run has ended early. Called by the body's thread, without the GIL.
  [[nodiscard]] bool call(const std::function<void()>& work) {
    if (stop_) return false;
    std::unique_lock locked(mutex_);
    work_ = &work;
    turn_.notify_all();
    turn_.wait(locked, [&] { return work_ == nullptr; });
    return !ended_;
  }

 private:
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable turn_;
  const std::function<void()>* work_ = nullptr;  // guarded by mutex_
  bool returned_ = false, ended_ = false;
};

/// A reference to a node that becomes invalid when the node's function returns; a later use from Python is an error.
class NodeReference {
 public:
  NodeReference(Node& node, CallServer* server)
      : shared_(std::make_shared<Shared>(Shared{&node, server})) {}
  void end() { shared_->node = nullptr; }
  [[nodiscard]] Node& operator*() const {
    if (shared_->node == nullptr)
      raise(input_error("node", "its function has returned",
                        "use nodes and spaces inside that function"));
    return *shared_->node;
  }

  /// Calls `work`, which may block, without the GIL, on the thread that may wait for other nodes.
  template <class Work>
  auto run(Work&& work) const {
    CallServer* const server = shared_->server;
    std::optional<decltype(work())> result;
    const bool served = [&] {
      const py::gil_scoped_release released;
      const auto keep = [&] { result.emplace(work()); };
      return server != nullptr ? server->call(keep) : (keep(), true);
    }();
    if (!served)
      raise({ErrorKind::Peer, "virtual cluster", "the run has ended",
             "call the same collectives in the same order on every node"});
    return std::move(*result);
  }

 private:
  struct Shared {
    Node* node;
    CallServer* server;  // null: calls run on the node's own thread
  };
  std::shared_ptr<Shared> shared_;
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
    Status resolved = node_.run([&]() -> Status {
      for (py::ssize_t i = 0; i < homes.size(); ++i) {
        const ObjectId id(NodeId(homes.data()[i]), LocalIndex(places.data()[i]));
        LEEWAY_ASSIGN(const Handle handle, target.resolve(id));
        handles.push_back(handle.value());
      }
      return {};
    });
    unwrap(std::move(resolved));
    return array_of(std::move(handles));
  }

  py::array fetch(const Handles& handles) {
    const auto requested = checked(handles);
    py::array values(dtype_, handles.size());
    auto* const out = static_cast<std::byte*>(values.mutable_data());
    Transport& transport = (*node_).transport();
    node_.run([&] {
      objects_->fetch(requested, out);
      return transport.charge({.fetches = requested.size()}), 0;
    });
    check_node(node_);
    return values;
  }

  py::array fetch_current(const Handles& handles) {
    std::vector<Handle> requested;
    for (const std::uint32_t handle : checked(handles)) requested.emplace_back(handle);
    py::array values(dtype_, handles.size());
    auto* const out = static_cast<std::byte*>(values.mutable_data());
    Transport& transport = (*node_).transport();
    Space& target = space();
    node_.run([&] {
      target.fetch_current(requested, out);
      return transport.charge({.fetches = requested.size()}), 0;
    });
    check_node(node_);
    return values;
  }

  void fence() {
    Node& node = *node_;
    Space& target = space();
    node_.run([&] { return node.fence(target), 0; });
    check_node(node_);
  }

  void store(const Handles& handles, const py::array& values) {
    const auto requested = own(handles);
    const py::array given = as_stored(values, handles.size());
    const auto* const in = static_cast<const std::byte*>(given.data());
    Transport& transport = (*node_).transport();
    node_.run([&] {
      objects_->store(requested, in);
      return transport.charge({.stores = requested.size()}), 0;
    });
    check_node(node_);
  }

  void set_initial(const Handles& handles, const py::array& values) {
    const py::array given = as_stored(values, handles.size());
    objects_->set_initial(own(handles), static_cast<const std::byte*>(given.data()));
  }

  void replicate(const Handles& handles, bool wait) {
    std::vector<Handle> requested;
    for (const std::uint32_t handle : checked(handles)) requested.emplace_back(handle);
    node_.run([&] {
      if (wait) {
        objects_->replicate(requested);
      } else {
        objects_->space().prefetch(requested);
      }
      return 0;
    });
    check_node(node_);
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
  auto result = reference.run([&] { return body(node); });
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
    const auto bytes = static_cast<std::size_t>(dtype.itemsize());
    auto objects = node_.run([&] { return open_objects(node, options, bytes); });
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
    return collective(node_, [](Node& node) {
      const auto found = node.verdict();
      if (!found) pass_time(node);
      return found;
    });
  }
  void relaxed_barrier() {
    collective(node_, [](Node& node) { return node.relaxed_barrier(), 0; });
  }
  void quiesce() {
    collective(node_, [](Node& node) { return node.quiesce(), 0; });
  }
  std::vector<std::uint64_t> sum(const std::vector<std::uint64_t>& numbers) {
    return collective(node_, [&](Node& node) { return node.sum(numbers); });
  }
  bool progress() {
    return collective(node_, [](Node& node) {
      const bool moved = node.progress();
      if (!moved) pass_time(node);
      return moved;
    });
  }
  void compute(double seconds) {
    const auto picoseconds = static_cast<std::uint64_t>(seconds * 1e12);
    collective(node_, [&](Node& node) {
      return node.transport().charge({.picoseconds = picoseconds}), 0;
    });
  }

 private:
  /// Advances virtual time, so that a loop that polls ends.
  static void pass_time(Node& node) { node.transport().charge({.picoseconds = 1'000'000}); }

  NodeReference node_;
};

/// State shared by the nodes of this process during a run: what their functions returned, the first exception and the node
/// that raised it.
struct SharedJob {
  explicit SharedJob(std::uint32_t count) : returned(count) {}

  std::mutex mutex;
  std::vector<Node*> nodes;
  std::vector<py::object> returned;  // guarded by the GIL
  std::optional<py::error_already_set> thrown;
  NodeId ended_by{0};             // the node that raised `thrown`
  std::atomic<bool> stop{false};  // Ctrl-C in the virtual cluster
  std::atomic<bool> failing{false};
  std::optional<Error> cause;  // the error of the nodes that have not failed by themselves
  bool apart = false;          // functions run on threads of their own: see CallServer

  /// Keeps the first exception.
  void keep(NodeId by, py::error_already_set& error) {
    const std::lock_guard locked(mutex);
    if (thrown) return;
    thrown.emplace(error);
    ended_by = by;
  }
  /// Makes all nodes of this process fail, so that none waits for another: with `error`, or because `thrown` ended a node.
  /// Also called by a node that fails, perhaps after its function has returned. Does not block while it holds the mutex.
  void fail(const Error* error) {
    if (failing.exchange(true)) return;  // true within the calls of Node::fail below
    const std::lock_guard locked(mutex);
    cause = error != nullptr
                ? *error
                : Error{ErrorKind::Peer, format("node {}", ended_by),
                        format("node {} ended by an exception", ended_by), "see its traceback"};
    for (Node* const node : nodes) node->fail(*cause);
  }
  /// Adds a node. Another node may have failed already.
  void join(Node& node) {
    const std::lock_guard locked(mutex);
    nodes.push_back(&node);
    if (cause) node.fail(*cause);
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
    bool raised = false;
    if (shared_.apart) {
      CallServer server(shared_.stop);
      server.serve([&] { raised = !call_body(&server); });
    } else {
      raised = !call_body(nullptr);
    }
    if (!raised) {
      finish();  // here, so that the run fails if this node fails while it serves the others
      return node_.failed() ? leeway::fail(*node_.failure()) : Status{};
    }
    shared_.fail(nullptr);
    return leeway::fail(input_error("Python", "a node ended by an exception", "see its traceback"));
  }
  void finish() override {
    if (!std::exchange(closed_, true)) node_.close();
  }
  [[nodiscard]] std::string evidence() override { return node_.evidence(); }

 private:
  /// False if the function has raised an exception.
  bool call_body(CallServer* server) {
    const py::gil_scoped_acquire locked;
    NodeReference reference(node_, server);
    bool done = true;
    try {
      shared_.returned[node_.self().index()] = body_(PyNode(reference));
    } catch (py::error_already_set& error) {
      shared_.keep(node_.self(), error);
      done = false;
    }
    reference.end();
    return done;
  }

  Node node_;
  bool closed_ = false;
  const py::function& body_;
  SharedJob& shared_;
};

/// What the nodes' functions returned, by node, and the run's seconds, virtual in the virtual cluster.
py::tuple run_on_nodes(std::uint32_t nodes, const Settings& settings, const py::function& body) {
  ClusterOptions cluster = unwrap(app::embedded_cluster(nodes, settings));
  const bool virtual_nodes = cluster.fabric == Fabric::Sim;
  const bool alone = virtual_nodes || std::any_of(settings.begin(), settings.end(), [](auto& each) {
                       return each.first == "fabric" && each.second == "loopback";
                     });
  if (!alone) {
    cluster.job = unwrap([] {
      const py::gil_scoped_release released;
      return own_job();
    }());
  }
  if (cluster.job != nullptr) {
    cluster.fabric = cluster.job->fabric();
    cluster.nodes = cluster.job->node_count();
  } else if (cluster.fabric != Fabric::Sim && cluster.fabric != Fabric::Loopback) {
    raise(input_error("fabric", "this process was started alone",
                      "start the script by mpiexec or leeway launch, and leave fabric out"));
  }
  SharedJob shared(cluster.nodes);
  shared.apart = virtual_nodes;
  // A Python function may compute for a long time without accessing the shared memory, so by default a background thread
  // serves the requests of other nodes.
  const NodeOptions options{.policy = cluster.policy,
                            .service = cluster.service.value_or(Service::Background),
                            .on_failure = [&](const Error& error) { shared.fail(&error); }};
  const auto work = [&] {
    return run_node_programs(cluster, [&](Transport& transport) {
      return std::make_unique<PyNodeProgram>(transport, options, body, shared);
    });
  };
  // The virtual cluster calls no Python on this thread, so this thread checks for Ctrl-C.
  const auto ran = virtual_nodes ? run_here<NodeProgramsOutcome>(nullptr, work, shared.stop) : [&] {
    const py::gil_scoped_release released;
    return work();
  }();
  if (shared.thrown) {
    shared.thrown->restore();
    throw py::error_already_set();
  }
  if (!ran) raise(ran.error());
  py::list returned;
  for (const py::object& each : shared.returned) returned.append(each ? each : py::none());
  return py::make_tuple(returned, seconds(ran->elapsed));
}

}  // namespace

void bind_memory(py::module_& module) {
  py::class_<PySpace>(module, "Space")
      .def_property_readonly("dtype", &PySpace::dtype)
      .def_property_readonly("local_count", &PySpace::local_count)
      .def("resolve", &PySpace::resolve)
      .def("fetch", &PySpace::fetch)
      .def("fetch_current", &PySpace::fetch_current)
      .def("fence", &PySpace::fence)
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
      .def("relaxed_barrier", &PyNode::relaxed_barrier)
      .def("converged", &PyNode::converged)
      .def("vote", &PyNode::vote)
      .def("verdict", &PyNode::verdict)
      .def("quiesce", &PyNode::quiesce)
      .def("sum", &PyNode::sum)
      .def("progress", &PyNode::progress)
      .def("compute", &PyNode::compute);
  module.def("run_on_nodes", &run_on_nodes);
}

}  // namespace leeway::python
