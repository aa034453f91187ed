// `leeway replay`: the figures are a program of their own, leeway-replay, so that this one does not link what measures
// them. It reads the same words again, the same settings and the same environment.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/figures.h"
#include "leeway/cli/command.h"

namespace leeway::cli {

namespace {

// A copy made by the compiler: reading the table itself here would refer to the functions in it.
constexpr auto kNames = [] {
  std::array<std::string_view, replay::kFigures.size() + replay::kGroupNames.size() + 1> names;
  auto end = std::transform(replay::kFigures.begin(), replay::kFigures.end(), names.begin(),
                            [](const replay::FigureRow& row) { return row.name; });
  end = std::transform(replay::kGroupNames.begin(), replay::kGroupNames.end(), end,
                       [](const replay::GroupName& group) { return group.name; });
  *end = "all";
  return names;
}();

}  // namespace

std::vector<std::string_view> replay_names() { return {kNames.begin(), kNames.end()}; }

Result<int> run_replay(const Invocation& invocation) {
  std::error_code fault;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", fault);
  const std::string program = (self.parent_path() / "leeway-replay").string();
  std::vector<std::string> words = invocation.words;
  words.front() = program;  // instead of the command's name
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return fail(environment_error(program,
                                format("the program that measures figures cannot be started: {}",
                                       std::generic_category().message(errno)),
                                "build or install leeway-replay, which belongs beside leeway"));
}

}  // namespace leeway::cli
