// The settings of a program of your own. One line at the start of main reads them from flags, LEEWAY_ variables and a
// TOML file, with the names and checks of `leeway run`, and joins the job if a launcher started the process:
//
//   int main(int argc, char** argv) {
//     leeway::Options options(argc, argv);
//     const auto run = leeway::run_job(graph, Program(), options);
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/options.h"

namespace leeway {

/// What a program runs on. It determines which settings the program takes.
enum class OwnEngine {
  Memory,  ///< the shared memory: run_cluster
  Vertex,  ///< run_job
  Pie,     ///< pie::run_pie
  Tick,    ///< tick::run_ticks
  Piece,   ///< piece::run_pieces
};

/// The options of a run, as the user of the program has set them. Passed wherever RunOptions are expected.
struct Options : RunOptions {
  /// Reads the settings and joins the job, which blocks until all its processes have joined. Call it from the main
  /// thread. With a wrong setting it prints the problem and ends the process with exit code 2; with --help it prints
  /// the settings and ends with 0.
  Options(int argc, char** argv, OwnEngine engine = OwnEngine::Vertex);
  /// The same, but returns the problem, and takes the words without the program's name. `name`: for messages.
  static Result<Options> read(const std::string& name, std::span<const char* const> words,
                              OwnEngine engine = OwnEngine::Vertex);

  tick::TickOptions tick;     ///< of a tick program
  piece::PieceOptions piece;  ///< of a piece program
  LoadOptions load;           ///< how open_graph reads and generates graphs
  /// Words that are not flags, and all words after `--`.
  std::vector<std::string> arguments;
  bool first = true;  ///< this process has the results: node 0 of the job, or there is no job
  bool help = false;  ///< --help was given: nothing else is set

 private:
  Options() = default;
};

/// Prints the error and ends the process with its exit code. In a job, one process prints it and the others end too.
[[noreturn]] void exit_with(const Error& error);

/// The value, or the end of the process by `exit_with`.
template <class T>
T value_or_exit(Result<T> result) {
  if (!result) exit_with(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Reads a file, or generates the graph of a spec such as kron:10. An Input error for a text that is neither.
Result<Graph> open_graph(const std::string& text, const LoadOptions& options = {});

}  // namespace leeway
