#include <algorithm>
#include <set>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/output.h"
#include "leeway/cli/page.h"
#include "leeway/cli/report_from_json.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/overwriting.h"

namespace leeway::cli {

namespace {

std::string comparison_table(const std::vector<ReadReport>& runs) {
  std::vector<std::vector<std::string>> rows = {{"run", "seconds", "of " + runs.front().name,
                                                 "iterations", "current", "blocked", "messages",
                                                 "bytes", "converged"}};
  for (const ReadReport& run : runs) {
    rows.push_back({run.name, format("{:.4f}", run.compute_seconds),
                    format("{:.2f}x", run.compute_seconds / runs.front().compute_seconds),
                    format_count(run.iterations),
                    run.current_share ? format("{:.1f} %", 100 * *run.current_share) : "-",
                    run.blocked_fetches ? format_count(*run.blocked_fetches) : "-",
                    format_count(run.messages), format_bytes(static_cast<double>(run.bytes)),
                    run.converged ? *run.converged ? "yes" : "no" : "-"});
  }
  return table(rows);
}

/// What a reader must know before believing a ratio.
std::vector<std::string> warnings(const std::vector<ReadReport>& runs) {
  const auto differ = [&](auto field) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const ReadReport& run) { return run.*field != runs.front().*field; });
  };
  std::vector<std::string> said;
  if (differ(&ReadReport::program)) said.emplace_back("the runs are of different programs");
  if (differ(&ReadReport::input_hash)) said.emplace_back("the runs are on different graphs");
  if (differ(&ReadReport::simulated))
    said.emplace_back("some times are virtual (simulated), others real");
  return said;
}

/// Names that tell the runs apart: where files of two folders share one, a number is added.
void make_names_differ(std::vector<ReadReport>& runs) {
  std::set<std::string> taken;
  for (ReadReport& run : runs) {
    const std::string first = run.name;
    for (int i = 2; !taken.insert(run.name).second; ++i) run.name = format("{} ({})", first, i);
  }
}

std::string page_data(const std::vector<ReadReport>& runs, const std::vector<std::string>& said) {
  std::string about = format("{} {}, {} times", runs.size(), runs.size() == 1 ? "run" : "runs",
                             runs.front().simulated ? "virtual (simulated)" : "real");
  for (const std::string& warning : said) about += "; " + warning;
  JsonWriter json;
  json.object([&] {
    json.member("title", runs.front().program + " on " + runs.front().graph);
    json.member("about", about);
    json.key("runs").array(runs, [&](const ReadReport& run) {
      json.object([&] {
        for (const auto& [name, value] : run.members) json.key(name).raw(value);
        if (!run.film.empty()) json.key("film").raw(run.film);
        json.member("name", run.name);
      });
    });
  });
  return std::move(json).text();
}

}  // namespace

Result<int> run_compare(const Invocation& invocation) {
  const Options& options = invocation.options;
  if (!options.force) LEEWAY_TRY(check_keeps(invocation.arguments, {{"--page", options.page}}));
  if (!options.page.empty()) LEEWAY_TRY(may_replace(options.page));
  std::vector<ReadReport> runs;
  for (const std::string& path : invocation.arguments) {
    LEEWAY_ASSIGN(runs.emplace_back(), read_report(path));
  }
  make_names_differ(runs);
  const std::vector<std::string> said = warnings(runs);
  if (!options.page.empty()) LEEWAY_TRY(write_file(options.page, page_of(page_data(runs, said))));
  std::string text = comparison_table(runs);
  for (const std::string& warning : said) text += format("note: {}\n", warning);
  if (!options.page.empty() && options.page != "-" && !options.quiet)
    text += format("\nwrote {}: open it in a browser\n", options.page);
  LEEWAY_TRY(say_beside({{"--page", options.page}}, text));
  return 0;
}

}  // namespace leeway::cli
