#include "leeway/programs/law/modes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/programs/pie/catalog.h"

namespace leeway::law {

namespace {

constexpr std::array<Mode, kModes> kAll = {{
    {"scp", "--consistency scp", "scp"},
    {"scp+rw", "--consistency scp+rw", "scp+rw"},
    {"stale-1", "--consistency stale-1", "stale-1"},
    {"stale-2", "--consistency stale-2", "stale-2"},
    {"stale-3", "--consistency stale-3", "stale-3"},
    {"rcp", "--consistency rcp", "rcp"},
    {"rcp+push", "--consistency rcp+push", "rcp+push"},
    {"bsp", "--scheduler bsp", "rcp", Scheduler::Bsp},
    {"ap", "--scheduler ap", "rcp", Scheduler::Ap},
    {"ssp", "--scheduler ssp", "rcp", Scheduler::Ssp},
    {"aap", "--scheduler aap", "rcp", Scheduler::Aap},
    {"pie-bsp", "--engine pie --scheduler bsp", "rcp", Scheduler::Bsp, true},
    {"pie-aap", "--engine pie --scheduler aap", "rcp", Scheduler::Aap, true},
}};

constexpr std::array<std::string_view, kPrograms> kKnown = {"pagerank", "sssp", "cc", "heat"};

/// A mode that takes so many sweeps is no candidate, whatever they would end with.
constexpr std::uint32_t kMostIterations = 20'000;

const ProgramInfo* form_of(std::string_view program, const Mode& mode) {
  return mode.pie ? find_pie_program(program) : find_vertex_program(program);
}

}  // namespace

std::span<const Mode, kModes> modes() { return kAll; }
std::size_t mode_place(std::string_view name) {
  const auto found =
      std::find_if(kAll.begin(), kAll.end(), [&](const Mode& mode) { return mode.name == name; });
  LEEWAY_CHECK(found != kAll.end(), name);
  return static_cast<std::size_t>(found - kAll.begin());
}
std::span<const std::string_view, kPrograms> programs() { return kKnown; }

Result<std::size_t> program_place(std::string_view name) {
  const auto found = std::find(kKnown.begin(), kKnown.end(), name);
  if (found != kKnown.end()) return static_cast<std::size_t>(found - kKnown.begin());
  return fail(input_error("PROGRAM", format("the law was not fitted on '{}'", name),
                          did_you_mean(name, kKnown)));
}

bool has_form(std::string_view program, const Mode& mode) {
  return form_of(program, mode) != nullptr;
}

Result<RunRecord> simulate(const Setup& setup, const Mode& mode, const NetworkProfile& network,
                           std::shared_ptr<const WayPlan> ways) {
  const ProgramInfo* const program = form_of(setup.program, mode);
  LEEWAY_CHECK(program != nullptr, setup.program);
  ProgramOptions options;
  options.cluster.fabric = Fabric::Sim;
  options.cluster.nodes = setup.nodes();
  options.cluster.network = network;
  options.cluster.cost = setup.cost;
  options.cluster.seed = setup.seed;
  options.cluster.faults.slowdown_percent = setup.slowdown_percent;
  LEEWAY_ASSIGN(options.cluster.policy, parse_policy(mode.consistency));
  options.engine.scheduler = mode.scheduler;
  options.engine.most_iterations = kMostIterations;
  options.engine.cost = setup.cost;
  options.engine.several_ways = ways != nullptr;
  options.ways = std::move(ways);
  options.residuals = false;
  options.divided = setup.division;
  LEEWAY_TRY(admit(*program, *setup.graph, setup.settings, options));
  LEEWAY_ASSIGN(ProgramRun run, program->run(*setup.graph, setup.settings, options));
  return std::move(run.record);
}

}  // namespace leeway::law
