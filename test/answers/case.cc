#include "test/answers/case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

namespace leeway::answers {

std::string Case::engine() const {
  if (const auto given = chosen(choices, "engine")) return *given;
  if (program == "fish" || program == "jacobi") return "tick";
  if (program == "nbody" || program == "linear-system") return "piece";
  return program == "cf" ? "pie" : "vertex";
}

std::string Case::scheduler() const {
  if (const auto given = chosen(choices, "scheduler")) return *given;
  if (by_ticks() || by_pieces()) return "";
  if (by_fragments()) return "aap";
  const bool rounds = has("ldbc") && (program == "cdlp" || program == "pagerank");
  return rounds ? "bsp" : "do-work";
}

bool Case::drop(const std::string& name) {
  return std::erase_if(choices, [&](const Choice& choice) {
           return choice.name == name || choice.name.starts_with(name + "=");
         }) > 0;
}

std::uint64_t Case::number(std::string_view name, std::uint64_t otherwise) const {
  const auto given = chosen(choices, name);
  return given ? std::strtoull(given->c_str(), nullptr, 10) : otherwise;
}

std::uint32_t Case::parts() const {
  return by_fragments() ? static_cast<std::uint32_t>(number("workers", nodes)) : nodes;
}

std::vector<std::string> write_case(const Case& drawn, const std::string& folder) {
  std::vector<std::string> words = {"run", drawn.program};
  const auto give = [&](const std::string& flag, const std::string& value) {
    words.push_back("--" + flag);
    words.push_back(value);
  };
  if (drawn.takes_graph) give("graph", write_graph(drawn.graph, folder + "/graph"));
  if (drawn.launcher == Launcher::Inside && drawn.nodes != 1)
    give("nodes", std::to_string(drawn.nodes));
  if (!drawn.owners.empty()) {
    std::ofstream file(folder + "/owners.txt");
    for (const std::uint32_t owner : drawn.owners) file << owner << "\n";
    give("partition", folder + "/owners.txt");
  }
  const auto give_cells = [&](const std::string& flag, const std::vector<double>& values) {
    if (values.empty()) return;
    std::ofstream file(folder + "/" + flag + ".txt");
    file.precision(17);
    for (std::uint32_t v = 0; v < values.size(); ++v) {
      if (!std::isnan(values[v])) file << drawn.graph.names[v] << " " << values[v] << "\n";
    }
    give(flag, folder + "/" + flag + ".txt");
  };
  give_cells("rhs", drawn.cells.rhs);
  give_cells("start", drawn.cells.start);
  give_cells("fixed", drawn.cells.fixed);
  for (const Choice& choice : drawn.choices) {
    words.push_back("--" + choice.name);
    if (!choice.value.empty()) words.push_back(choice.value);
  }
  if (drawn.resumes) give("resume", folder + "/snapshots");
  give("out", folder + "/values.txt");
  return words;
}

std::vector<std::string> words_of_first_run(const std::vector<std::string>& words,
                                            const std::string& folder) {
  std::vector<std::string> first = words;
  const auto resume = std::find(first.begin(), first.end(), "--resume");
  *resume = "--snapshot";
  first.insert(first.end() - 2, {"--snapshot-every", "1"});
  first.back() = folder + "/first-values.txt";
  return first;
}

}  // namespace leeway::answers
