#include "app/own_kind.h"

#include <array>
#include <utility>

#include "base/format.h"

namespace leeway::app {

namespace {

constexpr std::array<OwnKind, 5> kOwnKinds = {{
    {OwnEngine::Memory, EngineName::Vertex, kOwnCluster, "a program on the shared memory"},
    {OwnEngine::Vertex, EngineName::Vertex, kOwnVertex, "a vertex program"},
    {OwnEngine::Pie, EngineName::Pie, kOwnPie, "a PIE program"},
    {OwnEngine::Tick, EngineName::Tick, kOwnTick, "a tick program"},
    {OwnEngine::Piece, EngineName::Piece, kOwnPiece, "a piece program"},
}};

/// The facts of a program of the caller that settings depend on. It may have any input and work by list.
const Program& own_program(EngineName engine) {
  static const auto row = [](EngineName on, ProgramInput input) {
    return Program{.name = "a program of the caller",
                   .input = input,
                   .exact = true,
                   .engines = {{.engine = on, .selects = true}}};
  };
  static const std::array kRows = {
      row(EngineName::Vertex, ProgramInput::Graph), row(EngineName::Pie, ProgramInput::Graph),
      row(EngineName::Tick, ProgramInput::Scene), row(EngineName::Piece, ProgramInput::Scene)};
  return kRows[static_cast<std::size_t>(engine)];
}

}  // namespace

std::span<const OwnKind> own_kinds() { return kOwnKinds; }

const OwnKind& kind_of(OwnEngine engine) { return kOwnKinds[static_cast<std::size_t>(engine)]; }

Result<OwnRequest> own_request(const OwnKind& kind, CommandOptions options, Job* job) {
  OwnRequest run;
  run.options = std::move(options);
  LEEWAY_TRY(apply_setting(*find_setting("engine"), engine_info(kind.runs_on).name, "engine",
                           run.options));
  LEEWAY_ASSIGN(run.decided, decide_run(own_program(kind.runs_on), run.options, job, true));
  return run;
}

Status check_fabric(Fabric requested, Job* job) {
  const bool processes = requested == Fabric::Mpi || requested == Fabric::Ofi;
  if (job == nullptr && processes) {
    return fail(input_error(
        "fabric",
        format("{} joins processes, and this one was started alone", fabric_name(requested)),
        "start the script by mpiexec or leeway launch, and leave fabric out"));
  }
  if (job != nullptr && requested != Fabric::Auto && requested != job->fabric()) {
    return fail(input_error("fabric",
                            format("the processes are joined over {}, not {}",
                                   fabric_name(job->fabric()), fabric_name(requested)),
                            "leave it out, or start one process"));
  }
  return {};
}

}  // namespace leeway::app
