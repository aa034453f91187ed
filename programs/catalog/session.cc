#include "base/format.h"
#include "leeway/programs.h"

namespace leeway {

Result<KeptAnswer> GraphSession::run(std::string_view program, const ProgramParameters& parameters,
                                     EngineName engine) const {
  const Program* const found = find_program(program);
  if (found == nullptr || found->on(engine) == nullptr || found->on(engine)->run == nullptr) {
    return fail(input_error("program",
                            format("no program '{}' runs on a graph on this engine", program),
                            "give one that `leeway programs` lists"));
  }
  return answered_by(*found, engine, parameters);
}

Result<KeptAnswer> GraphSession::renew(const KeptAnswer& answer) const {
  ProgramParameters parameters = answer.parameters;
  if (answer.program->on(answer.engine)->continues && answer.version < graph_.version()) {
    parameters.continuation = std::make_shared<const Continuation>(
        Continuation{answer.numbers, graph_.since(answer.version)});
  }
  return answered_by(*answer.program, answer.engine, parameters);
}

Result<KeptAnswer> GraphSession::answered_by(const Program& program, EngineName engine,
                                             const ProgramParameters& parameters) const {
  RunOptions options = options_;
  if (program.on(engine)->needs_supersteps) options.vertex.scheduler = Scheduler::Bsp;
  LEEWAY_TRY(admit(program, engine, graph(), parameters, options));
  KeptAnswer answer{
      .program = &program, .engine = engine, .parameters = parameters, .version = graph_.version()};
  answer.parameters.continuation = nullptr;
  LEEWAY_ASSIGN(answer.result, program.on(engine)->run(graph(), parameters, options));
  LEEWAY_ASSIGN(answer.numbers, old_values(answer.result.values, options.cluster));
  return answer;
}

}  // namespace leeway
