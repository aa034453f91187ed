// MapReduce on the pie engine: counts the words of a file.
//
//   word_count FILE [FLAG...]      --help lists the flags
#include <cstdio>
#include <fstream>
#include <sstream>

#include "leeway/pie_models.h"
#include "leeway/settings.h"

namespace pie = leeway::pie;

int main(int argc, char** argv) {
  leeway::Options options(argc, argv, leeway::OwnEngine::Pie);
  std::ifstream file(options.arguments.empty() ? argv[0] : options.arguments[0].c_str());
  if (options.arguments.empty() || !file) {
    std::fprintf(stderr, "usage: word_count FILE [FLAG...]\n");
    return 2;
  }
  pie::MapReduceJob job;
  for (std::string line; std::getline(file, line);) job.input.push_back({"", line});
  job.subroutines.push_back(
      {.map =
           [](const pie::KeyValue& line, const pie::Emit& emit) {
             std::istringstream words(line.value);
             for (std::string word; words >> word;) emit(word, "1");
           },
       .reduce = [](const std::string& word, const std::vector<std::string>& ones,
                    const pie::Emit& emit) { emit(word, std::to_string(ones.size())); }});
  const auto answer = leeway::value_or_exit(pie::map_reduce(job, options));
  if (!options.first) return 0;
  for (const pie::KeyValue& each : answer.output)
    std::printf("%s %s\n", each.key.c_str(), each.value.c_str());
}
