#include "leeway/transport/sim.h"

#include <utility>

#include "leeway/transport/sim_engine.h"

namespace leeway {

SimCluster::SimCluster(SimOptions options)
    : engine_(std::make_unique<Engine>(std::move(options))) {}
SimCluster::~SimCluster() = default;

Transport& SimCluster::node(NodeId id) { return engine_->endpoint(id); }
const SimOptions& SimCluster::options() const { return engine_->options(); }
Instant SimCluster::now() const { return engine_->now(); }

void SimCluster::begin_overtaking() { engine_->begin_overtaking(); }

SimReport SimCluster::run(const std::function<void(NodeId)>& body) { return engine_->run(body); }

}  // namespace leeway
