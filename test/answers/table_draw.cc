#include "test/answers/table_draw.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/options.h"
#include "programs/catalog/program.h"

namespace leeway::answers {

namespace {

/// A setting without effect on the right answer, and values for it. A value that begins with @ is a file in the case's folder.
struct Neutral {
  std::string_view name;
  std::vector<std::string_view> values;
  bool (*fits)(const Case& drawn) = nullptr;  ///< null: every case
};

/// A run to convergence of sums that are real numbers.
bool converges(const Case& drawn) {
  return drawn.takes_graph && !drawn.has("iterations") && !drawn.has("ldbc");
}

const std::vector<Neutral>& neutral_settings() {
  static const std::vector<Neutral> all = {
      {"quiet", {""}},
      {"log-level", {"trace", "debug", "info", "error"}},
      {"cost", {""}},
      {"top", {"0", "1", "7"}},
      {"report", {"@report.json"}},
      // A trace has a span for each tick of each piece.
      {"trace", {"@trace.json"}, [](const Case& drawn) { return drawn.program != "nbody"; }},
      {"frames", {"@frames.json"}, [](const Case& drawn) { return !drawn.takes_graph; }},
      {"frame-every", {"1", "3"}},
      {"balance", {"vertices", "arcs"}},
      {"edge-weights", {""}},
      {"tries", {"1", "4"}},
      {"skew", {"1", "1.5", "4"}},
      {"service", {"separate"}},
      {"collocate=false", {""}},
      {"aggregate=false", {""}},
      {"flatten=false", {""}},
      {"eviction", {"known", "lru"}},
      {"aap-floor", {"0", "1", "5"}},
      {"gather-fraction", {"0", "0.5", "3"}},
      {"aap-equation", {""}},
      {"aap-senders", {""}},
      {"paced=false", {""}},
      {"rate-window", {"0.1", "20"}},
      {"hsync-ratio", {"0.5", "1", "4"}},
      {"rate", {"0.015", "0.025"}},
      {"regulariser", {"0.03", "0.06"}},
      {"tolerance",
       {"1e-9", "1e-10"},
       [](const Case& drawn) { return converges(drawn) && !drawn.has("precision"); }},
      {"tolerance-of",
       {"sum", "each", "mean"},
       [](const Case& drawn) { return converges(drawn) && !drawn.has("precision"); }},
      {"precision",
       {"single", "double"},
       [](const Case& drawn) {
         return converges(drawn) && !drawn.has("tolerance") && !drawn.has("tolerance-of");
       }},
      {"rescale=false", {""}, converges},
      // Label propagation in place may go round in circles.
      {"patience", {"100000"}, [](const Case& drawn) { return drawn.program != "cdlp"; }},
  };
  return all;
}

struct NotDrawn {
  std::string_view name;
  std::string_view reason;
  std::string_view engine = {};  ///< empty: on every engine
};
constexpr std::array kNotDrawn = {
    NotDrawn{"strict",
             "refuses settings without effect, which cases give: test/cli/applicability_test.py"},
    NotDrawn{"json", "the judge reads the summary as text: test/cli/outputs_test.py"},
    NotDrawn{"force", "only for files that the command did not write: test/cli/outputs_test.py"},
    NotDrawn{"out-parts", "the judge reads one file: test/jobs/parts_test.py"},
    NotDrawn{"frames", "only on a graph in the plane: test/cli/run_test.py", "vertex"},
    NotDrawn{"frame-every", "only on a graph in the plane: test/cli/run_test.py", "vertex"},
    NotDrawn{"personalization", "test/python/test_networkx_programs.py"},
    NotDrawn{"columns", "no case is a CSV file: test/datasets"},
    NotDrawn{"delimiter", "no case is a CSV file: test/datasets"},
    NotDrawn{"header", "no case is a CSV file: test/datasets"},
    NotDrawn{"weight-low", "random weights are the library's own: test/datasets"},
    NotDrawn{"weight-high", "random weights are the library's own: test/datasets"},
};

/// The name of the setting of a flag: "replicate" of --replicate=false.
std::string name_of(std::string_view flag) { return std::string(flag.substr(0, flag.find('='))); }

bool give(std::string_view flag, std::string_view value, app::CommandOptions& options) {
  const std::size_t equals = flag.find('=');
  const app::Setting* const setting = app::find_setting(flag.substr(0, equals));
  if (setting == nullptr) return false;
  if (equals != flag.npos) value = flag.substr(equals + 1);
  if (value.empty()) value = "true";
  return app::apply_setting(*setting, value, std::string(flag), options).has_value();
}

/// True if the run of the case with this setting would neither ignore nor refuse it.
bool takes_effect(const Case& drawn, const Choice& more) {
  app::CommandOptions options;
  if (drawn.takes_graph) give("graph", "graph.txt", options);
  if (!drawn.owners.empty()) give("partition", "owners.txt", options);
  if (drawn.resumes) give("snapshot", "snapshots", options);
  give("nodes", std::to_string(drawn.nodes), options);
  give("out", "values.txt", options);
  for (const Choice& choice : drawn.choices) give(choice.name, choice.value, options);
  if (!give(more.name, more.value, options)) return false;
  const auto program = app::program_called(drawn.program);
  if (!program) return false;
  const auto run = app::decide_run(**program, options, nullptr);
  return run.has_value() && app::find_given(options, name_of(more.name)) != nullptr;
}

}  // namespace

void draw_from_table(Case& drawn, Random& random) {
  const std::vector<Neutral>& all = neutral_settings();
  for (std::uint64_t left = 1 + random.below(5); left > 0; --left) {
    const Neutral& setting = all[random.below(all.size())];
    const Choice choice{std::string(setting.name),
                        std::string(setting.values[random.below(setting.values.size())])};
    const bool fits = setting.fits == nullptr || setting.fits(drawn);
    if (fits && !drawn.has(choice.name) && takes_effect(drawn, choice))
      drawn.choices.push_back(choice);
  }
}

std::set<Pair> applicable_pairs() {
  const auto is_drawn = [](std::string_view setting, std::string_view engine) {
    return std::none_of(kNotDrawn.begin(), kNotDrawn.end(), [&](const NotDrawn& each) {
      return each.name == setting && (each.engine.empty() || each.engine == engine);
    });
  };
  std::set<Pair> pairs;
  for (const app::Setting& setting : app::settings()) {
    if ((setting.group & app::kRunGroups) == 0) continue;
    for (const Program& program : all_programs()) {
      for (const EngineRun& run : program.engines) {
        const std::string_view engine = app::engine_info(run.engine).name;
        if (app::may_apply(setting, program, run) && is_drawn(setting.name, engine))
          pairs.emplace(setting.name, engine);
      }
    }
  }
  return pairs;
}

std::set<Pair> pairs_of(const Case& drawn, const std::string& folder) {
  std::set<Pair> pairs;
  std::vector<std::string> words = write_case(drawn, folder);
  if (drawn.runs_twice()) {
    const auto first = words_of_first_run(drawn, words, folder);
    words.insert(words.end(), first.begin(), first.end());
  }
  for (const std::string& word : words) {
    if (word.starts_with("--")) pairs.emplace(name_of(word.substr(2)), drawn.engine());
  }
  return pairs;
}

}  // namespace leeway::answers
