// One case of the campaign: all arguments of `leeway run` and the files it reads. A case is a pure
// function of its seed. Half of the cases use defaults for all settings but the graph, the nodes
// and the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/answers/centrality_oracles.h"
#include "test/answers/graph_changes.h"
#include "test/answers/graph_input.h"
#include "test/answers/models.h"
#include "test/answers/oracles.h"

namespace leeway::answers {

/// The program that starts the processes; Inside: the command is called in this process.
enum class Launcher : std::uint8_t { Inside, Leeway, Mpiexec };

struct Case {
  std::uint64_t seed = 0;
  std::string program;
  Launcher launcher = Launcher::Inside;
  std::uint32_t nodes = 1;
  bool takes_graph = true;
  InputGraph graph;
  /// A part for each vertex, passed as a file; empty: the command partitions.
  std::vector<std::uint32_t> owners;
  GivenCells cells;
  Choices choices;
  /// Run twice: the first run takes snapshots, and the second one, which is judged, resumes from
  /// the last of them.
  bool resumes = false;
  /// Run twice: the second run, which is judged, changes the graph and continues from the values of the first. Empty: one run.
  std::vector<EdgeChange> changes;
  /// The run states the format of the graph's file.
  bool names_format = false;
  /// Fish and bodies: the initial state is passed as a file, in place of a generated one.
  bool scene_file = false;

  /// The value of --engine or its default: vertex, pie, tick or piece.
  [[nodiscard]] std::string engine() const;
  [[nodiscard]] bool by_fragments() const { return engine() == "pie"; }
  [[nodiscard]] bool by_ticks() const { return engine() == "tick"; }
  [[nodiscard]] bool by_pieces() const { return engine() == "piece"; }
  /// The value of --scheduler or its default; empty for an engine without schedulers.
  [[nodiscard]] std::string scheduler() const;
  [[nodiscard]] std::string choice(std::string_view name, std::string otherwise = {}) const {
    return chosen(choices, name).value_or(std::move(otherwise));
  }
  [[nodiscard]] bool has(std::string_view name) const { return chosen(choices, name).has_value(); }
  /// Removes a flag, also in the form NAME=VALUE. False if it was not given.
  bool drop(const std::string& name);
  /// The numeric value of a flag, or `otherwise` if it was not given.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise) const;
  [[nodiscard]] bool runs_twice() const { return resumes || !changes.empty(); }
  /// The graph of the run that is judged.
  [[nodiscard]] Lists lists() const;
  /// Number of parts that `owners` may use.
  [[nodiscard]] std::uint32_t parts() const;
};

/// The scenes of a case, whose program is fish or fish-food, or nbody.
[[nodiscard]] SchoolScene school_of(const Case& drawn);
[[nodiscard]] PondScene pond_of(const Case& drawn);
[[nodiscard]] BodyScene bodies_of(const Case& drawn);

/// The power iteration of a case, whose program is eigenvector or hits.
[[nodiscard]] PowerSteps power_steps(const Case& drawn);

struct Draw {
  std::string only;        ///< a program; empty: all
  bool processes = false;  ///< every case as a job of processes
  /// All cases have thousands of vertices and 2 or 3 threads; smaller graphs are not divided among
  /// the threads of a node.
  bool large = false;
};

[[nodiscard]] Case draw_case(std::uint64_t seed, const Draw& draw);

/// Writes the case's files into `folder` and returns the command's arguments, from "run" on.
std::vector<std::string> write_case(const Case& drawn, const std::string& folder);
/// The arguments of the first run of a case that runs twice. `words`: those of the second.
std::vector<std::string> words_of_first_run(const Case& drawn,
                                            const std::vector<std::string>& words,
                                            const std::string& folder);

}  // namespace leeway::answers
