// A PRAM program on the pie engine: the rank of every element of a linked list, its distance from the end, by pointer
// jumping (Wyllie): each of log n jumps replaces an element's successor by the successor's successor.
//
//   list_ranking [N] [FLAG...]      N: length of the list; --help lists the flags
#include <cstdio>
#include <cstdlib>

#include "leeway/pie_models.h"
#include "leeway/settings.h"

namespace pie = leeway::pie;

int main(int argc, char** argv) {
  leeway::Options options(argc, argv, leeway::OwnEngine::Pie);
  const char* const given = options.arguments.empty() ? "10" : options.arguments[0].c_str();
  const auto n = static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
  if (n == 0 || n > 10000) {
    std::fprintf(stderr, "usage: list_ranking [1..10000] [FLAG...]\n");
    return 2;
  }
  // Cell i is the successor of element i, cell n + i its rank so far. The list visits every seventh element, modulo n.
  pie::PramProgram program{.processors = n, .registers = 3};
  std::uint32_t stride = 7;
  while (n % stride == 0) ++stride;
  program.memory.assign(2 * n, 1);
  for (std::uint32_t i = 0; i < n; ++i)
    program.memory[i * std::uint64_t{stride} % n] = (i + 1) * std::uint64_t{stride} % n;
  const std::uint64_t last = (n - 1) * std::uint64_t{stride} % n;
  program.memory[last] = static_cast<std::int64_t>(last);  // the end is its own successor
  program.memory[n + last] = 0;
  // A jump takes five steps. Registers: the successor, the own rank, the successor's rank.
  for (std::uint32_t reach = 1; reach < n; reach *= 2) program.steps += 5;
  program.steps -= 1;
  program.read = [n](const pie::PramView& at) -> std::optional<std::uint64_t> {
    const auto successor = static_cast<std::uint64_t>(at.registers[0]);
    const std::uint64_t cells[] = {at.processor, n + at.processor, n + successor, successor};
    if (at.step % 5 == 4) return std::nullopt;
    return cells[at.step % 5];
  };
  program.compute = [n](const pie::PramView& at, std::optional<std::int64_t> value) {
    std::optional<pie::PramWrite> write;
    if (at.step % 5 < 3) at.registers[at.step % 5] = *value;
    if (at.step % 5 == 3) {
      write = pie::PramWrite{n + at.processor, at.registers[1] + at.registers[2]};
      at.registers[0] = *value;
    }
    if (at.step % 5 == 4) write = pie::PramWrite{at.processor, at.registers[0]};
    return write;
  };
  const auto answer = leeway::value_or_exit(pie::run_pram(program, options));
  if (!options.first) return 0;
  for (std::uint32_t i = 0; i < n; ++i)
    std::printf("%u %lld\n", i, static_cast<long long>(answer.memory[n + i]));
}
