// One case of the campaign: everything `leeway run` is told, and the files it reads. A case is a pure function
// of its seed; half of them leave every setting but the graph, the nodes and the program at its default.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/answers/graph_input.h"
#include "test/answers/oracles.h"

namespace leeway::answers {

/// Who starts the processes; Inside: nobody, the command is called in this process.
enum class Launcher : std::uint8_t { Inside, Leeway, Mpiexec };

struct Case {
  std::uint64_t seed = 0;
  std::string program;
  Launcher launcher = Launcher::Inside;
  std::uint32_t nodes = 1;
  bool takes_graph = true;
  InputGraph graph;
  /// A part a vertex, given as a file; empty: the command divides.
  std::vector<std::uint32_t> owners;
  GivenCells cells;
  Choices choices;
  /// Run twice: the first run takes snapshots, the judged one resumes the last of them.
  bool resumes = false;

  /// What --engine says, or what it is when nothing is said: vertex, pie, tick or piece.
  [[nodiscard]] std::string engine() const;
  [[nodiscard]] bool by_fragments() const { return engine() == "pie"; }
  [[nodiscard]] bool by_ticks() const { return engine() == "tick"; }
  [[nodiscard]] bool by_pieces() const { return engine() == "piece"; }
  /// What --scheduler says, or what it is when nothing is said; empty under an engine that has none.
  [[nodiscard]] std::string scheduler() const;
  [[nodiscard]] std::string choice(std::string_view name, std::string otherwise = {}) const {
    return chosen(choices, name).value_or(std::move(otherwise));
  }
  [[nodiscard]] bool has(std::string_view name) const { return chosen(choices, name).has_value(); }
  /// Takes a flag back, also where it was given as NAME=VALUE. False if it was not given.
  bool drop(const std::string& name);
  /// The number that a flag gives, or another.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise) const;
  /// How many parts owners may name.
  [[nodiscard]] std::uint32_t parts() const;
};

struct Draw {
  std::string only;        ///< a program; empty: all
  bool processes = false;  ///< every case as a job of processes
  /// Every case on thousands of vertices with 2 or 3 threads, which share a node's work only from there on.
  bool large = false;
};

[[nodiscard]] Case draw_case(std::uint64_t seed, const Draw& draw);

/// Writes the case's files into `folder` and gives the command's words, from "run" on.
std::vector<std::string> write_case(const Case& drawn, const std::string& folder);
/// The words of the run before it, whose snapshots a case that resumes goes on from.
std::vector<std::string> words_of_first_run(const std::vector<std::string>& words,
                                            const std::string& folder);

}  // namespace leeway::answers
