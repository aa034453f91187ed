// The executable leeway-replay, which `leeway replay` starts with its own arguments. Measures the named figures and
// prints each with its verdicts.

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/embedded_run.h"
#include "app/graph_argument.h"
#include "app/job_agreement.h"
#include "app/output.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "benchmarks/replay/laboratory.h"
#include "benchmarks/replay/study_page.h"
#include "cli/command.h"
#include "cli/page.h"
#include "datasets/byte_stream.h"
#include "leeway/cluster.h"

namespace leeway::cli {

namespace {

using replay::Figure;
using replay::FigureGroup;
using replay::FigureRow;

constexpr std::uint32_t kMostNodes = 4096;  // nodes of a virtual cluster

/// The figures of a name, in table order; none, if nothing has this name.
std::vector<const FigureRow*> chosen(const std::string& name) {
  std::vector<const FigureRow*> rows;
  const auto group = std::find_if(replay::kGroupNames.begin(), replay::kGroupNames.end(),
                                  [&](const replay::GroupName& each) { return each.name == name; });
  const bool named_group = group != replay::kGroupNames.end();
  for (const FigureRow& row : replay::kFigures) {
    const bool of_all = row.group != FigureGroup::Loopback && row.group != FigureGroup::Ours;
    if (row.name == name || (name == "all" && of_all) || (named_group && row.group == group->group))
      rows.push_back(&row);
  }
  return rows;
}

Error nothing_called(const std::string& name, const std::string& second) {
  const auto names = replay_names();
  const auto known = [&](std::string_view each) {
    return std::find(names.begin(), names.end(), each) != names.end();
  };
  std::string remedy = did_you_mean(name, names);
  if (known(second)) remedy = format("the name comes first: leeway replay {} {}", second, name);
  if (known(lower_case(name))) remedy = format("did you mean '{}'?", lower_case(name));
  if (name.find(',') != std::string::npos) remedy = "give one name, or the name of a group";
  if (remedy.starts_with("valid:")) remedy = "leeway replay --help lists the names";
  return input_error("leeway replay", format("nothing is called '{}'", name), remedy);
}

/// Returns an Input error for a flag that applies to none of the figures.
Status check_flags(const std::vector<const FigureRow*>& rows, const CommandOptions& options) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 9> kFlags = {
      {{"graph", replay::kTakesGraph},
       {"nodes", replay::kTakesNodes},
       {"iterations", replay::kTakesIterations},
       {"net", replay::kTakesNet},
       {"cache", replay::kTakesCache},
       {"eviction", replay::kTakesCache},
       {"programs", replay::kTakesPrograms},
       {"schedulers", replay::kTakesPrograms},
       {"full-scale", replay::kTakesFullScale}}};
  for (const GivenSetting& given : options.given) {
    const auto flag = std::find_if(kFlags.begin(), kFlags.end(), [&](const auto& each) {
      return each.first == given.setting->name;
    });
    if (given.shared || flag == kFlags.end() ||
        std::any_of(rows.begin(), rows.end(),
                    [&](const FigureRow* row) { return (row->flags & flag->second) != 0; }))
      continue;
    return fail(input_error(
        given.where, format("does not apply to {}, which uses its own value", rows.front()->name),
        "leave it out"));
  }
  if (const GivenSetting* const given = find_given(options, "eviction");
      given != nullptr && !given->shared && !options.vertex.cache.any())
    return fail(
        input_error(given->where, "applies to caches of a bounded size only", "give --cache"));
  if (options.nodes && *options.nodes > kMostNodes) {
    return fail(input_error("--nodes",
                            format("{} is more than a virtual cluster holds", *options.nodes),
                            format("give at most {}", kMostNodes)));
  }
  return {};
}

/// On processes other than the first only whether it converged.
replay::CommandRun numbers_of(const EmbeddedResult& result) {
  const ReportNumbers& numbers = result.kept.numbers;
  return {.seconds = numbers.compute_seconds,
          .converged = result.at_rest,
          .iterations = numbers.iterations,
          .messages = numbers.messages,
          .bytes = numbers.bytes};
}

/// The progress shown while figures are measured, by one seed after another or by several at the same time.
struct SharedWatch {
  std::mutex mutex;
  std::optional<Watch> watch;
  bool alone = true;
};

Result<Graph> open_while_watching(const std::string& source, const CommandOptions& options,
                                  SharedWatch& shared) {
  if (!shared.alone) {
    CommandOptions silent = options;
    silent.quiet = true;
    return open_graph(source, silent);
  }
  shared.watch.reset();  // open_graph shows its own progress
  LEEWAY_ASSIGN(Graph graph, open_graph(source, options));
  shared.watch.emplace(options);
  return graph;
}

replay::LabSettings settings_of(const CommandOptions& options, std::uint64_t seed, bool all,
                                Job* job, SharedWatch& shared) {
  return {
      .network = options.network,
      .nodes = options.nodes,
      .iterations = options.iterations,
      .graph = options.graph,
      .first_seed = seed == options.load.seed,
      .seed = seed,
      .cache = options.vertex.cache,
      .programs = options.replayed_programs,
      .schedulers = options.replayed_schedulers,
      .job = job,
      .full_scale = options.full_scale,
      .all = all,
      .announce =
          [&shared, seed](const std::string& run, std::uint64_t at, std::uint64_t of) {
            const std::string place = of == 0 ? "" : format("{} of {}: ", at, of);
            const std::lock_guard lock(shared.mutex);
            shared.watch->progress()->start(format("replaying {}{}, seed {}", place, run, seed));
          },
      .open =
          [&options, &shared](const std::string& source) {
            return open_while_watching(source, options, shared);
          },
      .command = [job](const std::string& program, const std::string& graph,
                       const replay::CommandWords& words) -> Result<replay::CommandRun> {
        LEEWAY_ASSIGN(
            const EmbeddedResult result,
            run_embedded({.program = program, .graph_name = graph, .settings = words}, job));
        return numbers_of(result);
      }};
}

/// The job that this process belongs to; null: none. The processes of a job measure one figure together.
Result<Job*> job_for(const std::vector<const FigureRow*>& rows, const CommandOptions& options) {
  LEEWAY_ASSIGN(Job* const job, own_job());
  if (job == nullptr) return job;
  const bool together = rows.size() == 1 && (rows.front()->flags & replay::kTakesProcesses) != 0;
  if (!together) {
    return fail(input_error("leeway replay",
                            format("{} is replayed by one process", rows.front()->name),
                            "start it without a launcher; a job of processes measures modes"));
  }
  if (options.nodes && *options.nodes != job->node_count()) {
    return fail(input_error(
        "--nodes",
        format("the launcher started {} processes, not {}", job->node_count(), *options.nodes),
        "leave --nodes out: every process is a node"));
  }
  if (options.network) {
    return fail(input_error(
        "--net", "--net does not apply to a job of processes, which uses the real network",
        "leave it out"));
  }
  return job;
}

/// The title of the page of these figures.
std::string title_of(const std::vector<const FigureRow*>& rows,
                     const std::vector<Figure>& figures) {
  const bool ours = std::all_of(rows.begin(), rows.end(), [](const FigureRow* row) {
    return row->group == FigureGroup::Ours;
  });
  if (!ours) return "The papers' evaluations, replayed";
  if (figures.size() > 1) return "Comparisons of Leeway's own";
  return figures.front().title;
}

std::string figures_json(const std::string& title, const std::vector<Figure>& figures) {
  JsonWriter json;
  json.object([&] {
    json.member("title", title);
    json.member("about",
                "simulated: every time is in virtual seconds of a virtual cluster, unless a figure "
                "states that it was measured");
    json.key("figures").array(figures,
                              [&](const Figure& figure) { replay::write_for_page(figure, json); });
  });
  return std::move(json).text();
}

/// The figures of a paper among these; none, if some of the paper's are missing.
std::vector<Figure> complete(const replay::Paper& paper, const std::vector<Figure>& figures) {
  std::vector<Figure> of_paper;
  for (const FigureRow& row : replay::kFigures) {
    if (row.group != paper.group) continue;
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const Figure& figure) { return figure.name == row.name; });
    if (found == figures.end()) return {};
    of_paper.push_back(*found);
  }
  return of_paper;
}

/// Writes a page for a browser, and for each paper whose figures are all there a page in Markdown with its chart.
Status write_pages(const std::string& title, const std::vector<Figure>& figures,
                   const std::string& folder, bool quiet) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"replay.html", page_of(figures_json(title, figures))}};
  for (const replay::Paper& paper : replay::papers()) {
    const std::vector<Figure> of_paper = complete(paper, figures);
    if (of_paper.empty()) continue;
    const std::string page(paper.page);
    files.emplace_back(page + ".md", replay::page_of_study(paper, of_paper));
    files.emplace_back(page + ".svg", replay::chart_of_study(paper, of_paper));
  }
  for (const auto& [name, text] : files) {
    const std::string path = format("{}/{}", folder, name);
    LEEWAY_TRY(write_file(path, text));
    if (!quiet) LEEWAY_TRY(print(format("wrote {}\n", path)));
  }
  return {};
}

/// Prints the figure, unless JSON is printed at the end, and writes its files.
Status show(const Figure& figure, const CommandOptions& options, double real_seconds) {
  if (options.json) {
    if (options.out) LEEWAY_TRY(replay::write_files(figure, *options.out).map([](const auto&) {}));
    return {};
  }
  LEEWAY_TRY(print(replay::to_text(figure)));
  LEEWAY_TRY(print(format("  {} in {:.1f} s of real time\n",
                          figure.measured ? "measured" : "simulated", real_seconds)));
  if (options.out) {
    LEEWAY_ASSIGN(const auto paths, replay::write_files(figure, *options.out));
    for (const auto& path : paths) LEEWAY_TRY(print(format("  wrote {}\n", path.string())));
  }
  return print("\n");
}

/// One laboratory per seed; they live as long as the command, because figures share runs.
using Laboratories = std::vector<std::unique_ptr<replay::Laboratory>>;

constexpr std::uint32_t kSeeds = 5;

std::uint32_t seeds_for(const CommandOptions& options, const std::vector<const FigureRow*>& rows) {
  const bool graded = std::any_of(rows.begin(), rows.end(), [](const FigureRow* row) {
    return row->group != FigureGroup::Loopback && row->group != FigureGroup::Ours;
  });
  return options.seeds.value_or(graded ? kSeeds : 1);
}

/// Seeds simulated at the same time. Runs in real time, and those of a job, need the machine for themselves.
std::size_t jobs_for(const CommandOptions& options, const std::vector<const FigureRow*>& rows,
                     Job* job) {
  const bool real = std::any_of(rows.begin(), rows.end(), [](const FigureRow* row) {
    return row->group == FigureGroup::Loopback;
  });
  if (real || job != nullptr) return 1;
  return options.jobs.value_or(std::max(std::thread::hardware_concurrency(), 1U));
}

/// Measures the figure with every seed, `jobs` of them at the same time.
Result<Figure> replay_with_seeds(const FigureRow& row, const Laboratories& labs, std::size_t jobs) {
  std::vector<std::optional<Result<Figure>>> of_seeds(labs.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    for (std::size_t i = next++; i < labs.size() && !failed; i = next++) {
      of_seeds[i] = labs[i]->replay(row);
      if (!*of_seeds[i]) failed = true;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(jobs, labs.size()); ++i) others.emplace_back(work);
    work();
  }
  for (auto& of_seed : of_seeds) {
    if (of_seed && !*of_seed) return fail(std::move(*of_seed).error());
  }
  Figure figure = std::move(**of_seeds.front());
  for (std::size_t i = 1; i < labs.size(); ++i) replay::add_seed(figure, **of_seeds[i]);
  const std::uint64_t first = labs.front()->settings().seed;
  const std::uint64_t last = labs.back()->settings().seed;
  figure.configuration.emplace_back(
      "seed", first == last ? std::to_string(first)
                            : format("{} to {}; tables show the first", first, last));
  return figure;
}

Result<int> run_figures(const Invocation& invocation) {
  CommandOptions options = invocation.options;
  const auto rows = chosen(invocation.argument(0));
  if (rows.empty()) return fail(nothing_called(invocation.argument(0), invocation.argument(1)));
  if (!chosen(invocation.argument(1)).empty() && !std::filesystem::exists(invocation.argument(1))) {
    return fail(input_error(
        "leeway replay",
        format("'{}' is a second name; one is measured at a time", invocation.argument(1)),
        "give a group, or call it once for each"));
  }
  LEEWAY_TRY(take_graph_argument(invocation.argument(1), options));
  LEEWAY_TRY(check_flags(rows, options));
  LEEWAY_ASSIGN(Job* const job, job_for(rows, options));
  const bool first = job == nullptr || job->self() == NodeId(0);
  options.quiet = options.quiet || !first;
  if (options.out && first) LEEWAY_TRY(replay::make_folder(*options.out));  // fail early
  const std::size_t jobs = jobs_for(options, rows, job);
  const std::uint32_t seeds = seeds_for(options, rows);
  SharedWatch shared;
  shared.alone = std::min<std::size_t>(jobs, seeds) == 1;
  Laboratories labs;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    labs.push_back(std::make_unique<replay::Laboratory>(settings_of(
        options, options.load.seed + seed, invocation.argument(0) == "all", job, shared)));
  }
  std::vector<Figure> figures;
  for (const FigureRow* row : rows) {
    const Stopwatch replaying;
    shared.watch.emplace(options);  // progress is shown while measuring, not while printing
    Result<Figure> figure = replay_with_seeds(*row, labs, jobs);
    shared.watch.reset();
    LEEWAY_ASSIGN(figures.emplace_back(), std::move(figure));
    if (!first) return 0;
    LEEWAY_TRY(show(figures.back(), options, replaying.elapsed_seconds()));
  }
  const std::string title = title_of(rows, figures);
  if (options.json) LEEWAY_TRY(print(figures_json(title, figures) + "\n"));
  if (options.out) LEEWAY_TRY(write_pages(title, figures, *options.out, options.json));
  return 0;
}

}  // namespace

}  // namespace leeway::cli

int main(int count, char** values) {
  // A closed pipe is detected by `write`.
  std::signal(SIGPIPE, SIG_IGN);
  leeway::cli::handle_end_signals();
  std::vector<const char*> words = {"replay"};
  words.insert(words.end(), values + std::min(count, 1), values + count);
  return leeway::cli::invoke(words, leeway::cli::run_figures);
}
