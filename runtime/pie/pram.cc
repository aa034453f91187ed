#include "leeway/pie_models.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/format.h"

namespace leeway::pie {

namespace {

using Registers = std::vector<std::int64_t>;

// A key is the kind of its owner and a number.
constexpr char kCell = 'c';
constexpr char kProcessor = 'p';
constexpr char kFault = 'f';

// A value is its kind and its content, in this order where a reducer needs one: values arrive in ascending order.
constexpr char kContent = '1';  // of a cell
constexpr char kWrite = '2';    // to a cell: processor, value
constexpr char kRequest = '3';  // of a cell: processor
constexpr char kState = '4';    // of a processor: registers
constexpr char kAnswer = '5';   // to a processor: value

template <class... T>
std::string pack(char kind, const T&... values) {
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>(kind));
  save_all(out, values...);
  return {reinterpret_cast<const char*>(out.span().data()), out.size()};
}

template <class... T>
void unpack(std::string_view text, T&... values) {
  ByteReader in(std::as_bytes(std::span(text.substr(1))));
  load_all(in, values...);
}

std::string key_of(char kind, std::uint64_t number) { return pack(kind, number); }
std::uint64_t number_of(const std::string& key) {
  std::uint64_t number = 0;
  unpack(key, number);
  return number;
}

/// Runs the steps of a program as subroutines.
class PramMachine {
 public:
  explicit PramMachine(const PramProgram& program) : program_(program) {}

  [[nodiscard]] MapReduceJob job() const {
    MapReduceJob job;
    for (std::uint64_t cell = 0; cell < program_.memory.size(); ++cell)
      job.input.push_back({key_of(kCell, cell), pack(kContent, program_.memory[cell])});
    for (std::uint32_t processor = 0; processor < program_.processors; ++processor) {
      job.input.push_back(
          {key_of(kProcessor, processor), pack(kState, Registers(program_.registers, 0))});
    }
    for (std::uint32_t step = 0; step < program_.steps; ++step) {
      job.subroutines.push_back(
          {.map = [this, step](const KeyValue& pair, const Emit& emit) { ask(step, pair, emit); },
           .reduce = [this](const auto& key, const auto& values,
                            const Emit& emit) { serve(key, values, emit); }});
      job.subroutines.push_back(
          {.map = pass_on,
           .reduce = [this, step](const auto& key, const auto& values, const Emit& emit) {
             compute(step, key, values, emit);
           }});
    }
    job.subroutines.push_back(
        {.map = pass_on, .reduce = [this](const auto& key, const auto& values, const Emit& emit) {
           serve(key, values, emit);
         }});
    return job;
  }

 private:
  static void pass_on(const KeyValue& pair, const Emit& emit) { emit(pair.key, pair.value); }
  static void fault(std::string what, const Emit& emit) {
    emit(std::string(1, kFault), std::move(what));
  }

  /// A processor's state stays where it is; its request goes to the cell.
  void ask(std::uint32_t step, const KeyValue& pair, const Emit& emit) const {
    emit(pair.key, pair.value);
    if (pair.key.front() != kProcessor || !program_.read) return;
    Registers registers;
    unpack(pair.value, registers);
    const auto processor = static_cast<std::uint32_t>(number_of(pair.key));
    const auto cell = program_.read({processor, step, registers});
    if (!cell) return;
    if (*cell >= program_.memory.size())
      return fault(format("processor {} reads cell {} in step {}", processor, *cell, step), emit);
    emit(key_of(kCell, *cell), pack(kRequest, processor));
  }

  /// At a cell: applies the writes, then answers the requests. Other pairs are passed on.
  void serve(const std::string& key, const std::vector<std::string>& values,
             const Emit& emit) const {
    if (key.front() != kCell) {
      for (const std::string& value : values) emit(key, value);
      return;
    }
    std::int64_t content = 0;
    std::optional<std::pair<std::uint32_t, std::int64_t>> written;  // by the first processor
    for (const std::string& value : values) {
      if (value.front() == kContent) {
        unpack(value, content);
      } else if (value.front() == kWrite) {
        std::pair<std::uint32_t, std::int64_t> next;
        unpack(value, next.first, next.second);
        resolve(number_of(key), next, written, emit);
      }
    }
    if (written) content = written->second;
    emit(key, pack(kContent, content));
    for (const std::string& value : values) {
      if (value.front() != kRequest) continue;
      std::uint32_t processor = 0;
      unpack(value, processor);
      emit(key_of(kProcessor, processor), pack(kAnswer, content));
    }
  }

  void resolve(std::uint64_t cell, const std::pair<std::uint32_t, std::int64_t>& next,
               std::optional<std::pair<std::uint32_t, std::int64_t>>& written,
               const Emit& emit) const {
    if (!written) {
      written = next;
      return;
    }
    switch (program_.conflict) {
      case PramConflict::Sum:
        written->second += next.second;
        return;
      case PramConflict::Priority:
        if (next.first < written->first) written = next;
        return;
      case PramConflict::Common:
        if (next.second == written->second) return;
        break;
      case PramConflict::Exclusive:
        break;
    }
    fault(format("processors {} and {} write to cell {} in one step",
                 std::min(written->first, next.first), std::max(written->first, next.first), cell),
          emit);
  }

  void compute(std::uint32_t step, const std::string& key, const std::vector<std::string>& values,
               const Emit& emit) const {
    if (key.front() != kProcessor) {
      for (const std::string& value : values) emit(key, value);
      return;
    }
    Registers registers;
    std::optional<std::int64_t> answer;
    for (const std::string& value : values) {
      if (value.front() == kState) unpack(value, registers);
      if (value.front() == kAnswer) unpack(value, answer.emplace());
    }
    const auto processor = static_cast<std::uint32_t>(number_of(key));
    const auto write = program_.compute({processor, step, registers}, answer);
    emit(key, pack(kState, registers));
    if (!write) return;
    if (write->cell >= program_.memory.size()) {
      return fault(
          format("processor {} writes to cell {} in step {}", processor, write->cell, step), emit);
    }
    emit(key_of(kCell, write->cell), pack(kWrite, processor, write->value));
  }

  const PramProgram& program_;
};

}  // namespace

Result<PramAnswer> run_pram(const PramProgram& program, RunOptions options) {
  if (!program.compute) {
    return fail(input_error("PramProgram::compute", "the program has no function compute",
                            "set it to what a processor does in a step"));
  }
  const PramMachine machine(program);
  LEEWAY_ASSIGN(MapReduceAnswer done, map_reduce(machine.job(), std::move(options)));
  PramAnswer answer;
  answer.record = std::move(done.record);
  answer.memory.resize(program.memory.size());
  for (const KeyValue& pair : done.output) {
    if (pair.key.front() == kFault) {
      return fail(input_error("PramProgram", pair.value,
                              format("it has {} cells; see PramProgram::conflict for writes to one "
                                     "cell",
                                     program.memory.size())));
    }
    if (pair.key.front() == kCell) unpack(pair.value, answer.memory[number_of(pair.key)]);
  }
  return answer;
}

}  // namespace leeway::pie
