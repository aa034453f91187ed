#include "test/campaign/apart.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "base/format.h"
#include "leeway/mutant.h"
#include "test/campaign/in_child.h"

namespace leeway::campaign {

namespace {

using KnownFinds = std::map<std::string, KnownFind, std::less<>>;

KnownFinds read_known(const std::string& path) {
  KnownFinds known;
  if (path.empty()) return known;
  std::ifstream file(path);
  if (!file) std::printf("%s: cannot be read; the search begins at its first seed\n", path.c_str());
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string mutant, where;
    KnownFind find;
    if (line.starts_with('#') || !(words >> mutant >> find.seed)) continue;
    find.over_threads = words >> where && where == "threads";
    known[mutant] = find;
  }
  return known;
}

/// One line that describes how `find` found the mutant. If the child process ended early: the
/// watchdog's message. Empty: not found.
std::string found_apart(const std::function<std::optional<std::string>()>& find) {
  const std::string words = in_child([&] {
                              if (const auto found = find()) std::printf("%s\n", found->c_str());
                            }).output;
  if (!words.starts_with("FAILED ")) return words.substr(0, words.find('\n'));
  return words.substr(7, words.find(':') - 7) +
         ": every run ends";  // format of the watchdog's message
}

}  // namespace

int hunt(const MutantHunt& hunt) {
  const KnownFinds known = read_known(hunt.known);
  int caught = 0, survived = 0;
  for (std::size_t i = 0; i < hunt.mutants.size(); ++i) {
    const std::string_view mutant = hunt.mutants[i];
    const bool elsewhere = std::find(hunt.shown_by_tests.begin(), hunt.shown_by_tests.end(),
                                     mutant) != hunt.shown_by_tests.end();
    if (hunt.only.empty() ? elsewhere : mutant != hunt.only) continue;
    active_mutant = static_cast<int>(i) + 1;
    std::string found;
    const auto before = known.find(mutant);
    if (before != known.end()) found = found_apart([&] { return hunt.try_known(before->second); });
    if (found.empty()) found = found_apart(hunt.search);
    ++(found.empty() ? survived : caught);
    std::printf("%-56s %s\n", std::string(mutant).c_str(),
                found.empty() ? "SURVIVED" : format("caught by {}", found).c_str());
    std::fflush(stdout);
  }
  if (caught + survived == 0) std::printf("no mutant '%s'\n", hunt.only.c_str());
  std::printf("%d passed, %d failed, 0 skipped\n", caught, survived);
  return survived == 0 && caught > 0 ? 0 : 1;
}

}  // namespace leeway::campaign
