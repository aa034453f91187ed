#include "test/answers/case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace leeway::answers {

std::string Case::engine() const {
  if (const auto given = chosen(choices, "engine")) return *given;
  if (program == "fish" || program == "fish-food" || program == "jacobi") return "tick";
  if (program == "nbody" || program == "linear-system") return "piece";
  return program == "cf" ? "pie" : "vertex";
}

std::string Case::scheduler() const {
  if (const auto given = chosen(choices, "scheduler")) return *given;
  if (by_ticks() || by_pieces()) return "";
  if (by_fragments()) return "aap";
  const bool rounds = has("ldbc") && (program == "cdlp" || program == "pagerank");
  const bool by_levels = program == "betweenness" || program == "eigenvector" || program == "hits";
  return rounds || by_levels ? "bsp" : "do-work";
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

Lists Case::lists() const {
  Lists lists = read_as(graph, choices);
  apply_changes(changes, lists);
  return lists;
}

std::uint32_t Case::parts() const {
  return by_fragments() ? static_cast<std::uint32_t>(number("workers", nodes)) : nodes;
}

namespace {

std::pair<double, double> sides_of(const Case& drawn, std::string_view flag) {
  const std::string text = drawn.choice(flag);
  const std::size_t cross = text.find('x');
  return {std::strtod(text.c_str(), nullptr), std::strtod(text.c_str() + cross + 1, nullptr)};
}

/// The initial state, in ascending or descending order of the ids.
void write_scene(const Case& drawn, const std::string& path) {
  const bool fish = drawn.program != "nbody";
  const bool tables = drawn.program == "fish-food";
  PondMovers all;
  if (tables) {
    all = pond_after(pond_of(drawn), 0);
  } else {
    all.fish = fish ? school_after(school_of(drawn), 0) : bodies_after(bodies_of(drawn), 0);
  }
  std::ofstream file(path);
  file.precision(17);
  file << "# initial state\nx,y,vx,vy,id," << (fish ? "goal" : "trap")
       << (tables ? ",table,bites" : "") << "\n";
  const auto write = [&](const std::vector<Mover>& movers, const char* table) {
    for (std::size_t i = 0; i < movers.size(); ++i) {
      const std::size_t id = drawn.seed % 2 == 0 ? i : movers.size() - 1 - i;
      const Mover& each = movers[id];
      file << each.x << ',' << each.y << ',' << each.vx << ',' << each.vy << ',' << id << ','
           << each.group;
      if (tables) file << ',' << table << ',' << each.bites;
      file << "\n";
    }
  };
  write(all.food, "food");
  write(all.fish, "fish");
}

}  // namespace

SchoolScene school_of(const Case& drawn) {
  const auto [width, height] = sides_of(drawn, "basin");
  const auto length = [&](std::string_view flag, const char* otherwise) {
    return std::strtod(drawn.choice(flag, otherwise).c_str(), nullptr);
  };
  return {.width = width,
          .height = height,
          .visibility = length("visibility", "6"),
          .reach = length("reach", "0.2"),
          .fish = static_cast<std::uint32_t>(drawn.number("fish", 0)),
          .informed = static_cast<std::uint32_t>(drawn.number("informed", 0)),
          .goals = static_cast<std::uint32_t>(drawn.number("goals", 1)),
          .seed = drawn.number("seed", 1)};
}

PondScene pond_of(const Case& drawn) {
  return {school_of(drawn), static_cast<std::uint32_t>(drawn.number("food", 0))};
}

BodyScene bodies_of(const Case& drawn) {
  const auto [width, height] = sides_of(drawn, "box");
  return {.width = width,
          .height = height,
          .cutoff = std::strtod(drawn.choice("cutoff", "8").c_str(), nullptr),
          .bodies = static_cast<std::uint32_t>(drawn.number("bodies", 0)),
          .groups = static_cast<std::uint32_t>(drawn.number("groups", 4)),
          .seed = drawn.number("seed", 1)};
}

PowerSteps power_steps(const Case& drawn) {
  const Lists lists = read_as(drawn.graph, drawn.choices);
  const auto steps = static_cast<std::uint32_t>(drawn.number("iterations", 0));
  const double tolerance = std::strtod(drawn.choice("tolerance", "1e-9").c_str(), nullptr);
  return drawn.program == "hits"
             ? hubs_after(lists, steps, tolerance)
             : eigenvector_after(lists, steps, drawn.has("by-weight"), tolerance);
}

std::vector<std::string> write_case(const Case& drawn, const std::string& folder) {
  std::vector<std::string> words = {"run", drawn.program};
  const auto give = [&](const std::string& flag, const std::string& value) {
    words.push_back("--" + flag);
    words.push_back(value);
  };
  if (drawn.takes_graph) give("graph", write_graph(drawn.graph, folder + "/graph"));
  if (drawn.names_format) give("format", format_of(drawn.graph));
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
  if (drawn.scene_file) {
    write_scene(drawn, folder + "/scene.csv");
    give("scene", folder + "/scene.csv");
  }
  for (const Choice& choice : drawn.choices) {
    const bool in_scene = choice.name == "informed" || choice.name == "goals";
    if (drawn.scene_file && in_scene) continue;  // in the column goal
    words.push_back("--" + choice.name);
    if (choice.value.starts_with('@')) {
      words.push_back(folder + "/" + choice.value.substr(1));
    } else if (!choice.value.empty()) {
      words.push_back(choice.value);
    }
  }
  if (drawn.resumes) give("resume", folder + "/snapshots");
  if (!drawn.changes.empty()) {
    write_changes(drawn.changes, read_as(drawn.graph, drawn.choices), drawn.graph.names,
                  folder + "/changes.txt");
    give("changes", folder + "/changes.txt");
    give("from", folder + "/first-values.txt");
  }
  give("out", folder + "/values.txt");
  return words;
}

std::vector<std::string> words_of_first_run(const Case& drawn,
                                            const std::vector<std::string>& words,
                                            const std::string& folder) {
  std::vector<std::string> first = words;
  if (drawn.resumes) {
    const auto resume = std::find(first.begin(), first.end(), "--resume");
    *resume = "--snapshot";
    first.insert(first.end() - 2, {"--snapshot-every", "1", "--snapshots-kept", "3"});
  } else {
    const auto changes = std::find(first.begin(), first.end(), "--changes");
    first.erase(changes, changes + 4);
  }
  first.back() = folder + "/first-values.txt";
  return first;
}

}  // namespace leeway::answers
