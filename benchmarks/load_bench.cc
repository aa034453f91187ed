// bench-load FILE [RUNS]: time and memory of loading a text file as a graph, compared with `wc -l` on the same file.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/parallel.h"
#include "benchmarks/harness.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"

namespace leeway {

namespace {

/// Cost of a load in a separate process. Plain data, because it is returned through a pipe.
struct Cost {
  double seconds = -1;  // negative: failed
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;  // peak resident memory of the process
  std::uint64_t graph_bytes = 0;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
};

Cost load_here(const std::filesystem::path& path, unsigned threads) {
  LoadOptions options;
  options.threads = threads;
  Cost cost;
  const Stopwatch watch;
  const auto graph = load_graph(path, options);
  if (!graph) {
    std::fprintf(stderr, "bench-load: %s\n", graph.error().to_string().c_str());
    return cost;
  }
  cost.seconds = watch.elapsed_seconds();
  ::rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  cost.cpu_seconds = bench::processor_seconds();
  cost.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  cost.graph_bytes = graph->bytes();
  cost.vertices = graph->vertex_count();
  cost.edges = graph->edge_count();
  return cost;
}

/// Loads in a new process, so that peaks of earlier loads do not count.
Cost load_apart(const std::filesystem::path& path, unsigned threads) {
  int pipe[2];
  if (::pipe(pipe) != 0) return {};
  const ::pid_t child = ::fork();
  if (child == 0) {
    const Cost cost = load_here(path, threads);
    const bool written = ::write(pipe[1], &cost, sizeof cost) == sizeof cost;
    ::_exit(written ? 0 : 1);
  }
  ::close(pipe[1]);
  Cost cost;
  if (child < 0 || ::read(pipe[0], &cost, sizeof cost) != sizeof cost) cost = {};
  ::close(pipe[0]);
  ::waitpid(child, nullptr, 0);
  return cost;
}

double wc_seconds(const std::string& file) {
  const Stopwatch watch;
  const ::pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) != nullptr) {
      ::execlp("wc", "wc", "-l", file.c_str(), static_cast<char*>(nullptr));
    }
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? watch.elapsed_seconds() : -1;
}

/// Prints a row of the table and writes the member of the JSON.
void print_cost(const Cost& cost, double megabytes, unsigned threads, JsonWriter& json) {
  const double rate = megabytes / cost.seconds;
  const double ratio = static_cast<double>(cost.peak_bytes) / static_cast<double>(cost.graph_bytes);
  std::printf("%-10s %9.3f %9.0f %14.0f %10.1f %10.1f %6.2f\n",
              format("{} thread{}", threads, threads > 1 ? "s" : "").c_str(), cost.seconds, rate,
              rate / threads, static_cast<double>(cost.peak_bytes) / 1e6,
              static_cast<double>(cost.graph_bytes) / 1e6, ratio);
  json.key(format("threads_{}", threads)).object([&] {
    json.member("seconds", cost.seconds, ".3f").member("cpu_seconds", cost.cpu_seconds, ".3f");
    json.member("mb_per_s", rate, ".0f").member("mb_per_s_core", rate / threads, ".0f");
    json.member("peak_bytes", cost.peak_bytes).member("graph_bytes", cost.graph_bytes);
    json.member("peak_ratio", ratio, ".3f");
    json.member("vertices", cost.vertices).member("edges", cost.edges);
  });
}

int compare(const std::string& file, int runs) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(file, failure);
  if (failure) {
    std::fprintf(stderr, "bench-load: %s: %s; name a plain text graph\n", file.c_str(),
                 failure.message().c_str());
    return 2;
  }
  const double megabytes = static_cast<double>(size) / 1e6;
  const double wc = bench::best_of(
      runs, [&] { return wc_seconds(file); }, std::less<>());
  std::vector<unsigned> counts = {1};
  if (thread_count(0) > 1) counts.push_back(thread_count(0));
  std::printf("%-10s %9s %9s %14s %10s %10s %6s\n", "", "seconds", "MB/s", "MB/s a core", "peak MB",
              "graph MB", "ratio");
  std::printf("%-10s %9.3f %9.0f\n", "wc -l", wc, megabytes / wc);
  std::vector<std::pair<unsigned, Cost>> costs;
  for (const unsigned threads : counts) {
    costs.emplace_back(threads,
                       bench::best_of(
                           runs, [&] { return load_apart(file, threads); },
                           [](const Cost& a, const Cost& b) { return a.seconds < b.seconds; }));
    if (costs.back().second.seconds < 0) return 2;
  }
  bench::print_json("load", [&](JsonWriter& json) {
    json.member("megabytes", megabytes, ".1f").member("wc_seconds", wc, ".3f");
    for (const auto& [threads, cost] : costs) print_cost(cost, megabytes, threads, json);
  });
  return 0;
}

}  // namespace

/// Unpacks the actors' graph of the data folder to a file; empty on failure.
static std::string unpacked_actors() {
  const char* folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr) return {};
  auto packed = open_source(std::filesystem::path(folder) / "imdb-actors.txt.zst");
  const auto plain =
      std::filesystem::temp_directory_path() / format("leeway-actors-{}.txt", ::getpid());
  auto file = create_sink(plain);
  if (!packed || !file) return {};
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const auto got = (*packed)->read(piece.data(), piece.size());
    if (!got) return {};
    if (*got == 0) break;
    if (!(*file)->write({piece.data(), *got})) return {};
  }
  return (*file)->finish() ? plain.string() : std::string();
}

}  // namespace leeway

int main(int argc, char** argv) {
  const int runs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
  if (argc > 1) return leeway::compare(argv[1], runs);
  const std::string file = leeway::unpacked_actors();
  if (file.empty()) {
    std::fprintf(stderr,
                 "usage: bench-load [FILE [RUNS]]; without FILE, LEEWAY_DATA must hold "
                 "imdb-actors.txt.zst\n");
    return 2;
  }
  const int code = leeway::compare(file, runs);
  std::filesystem::remove(file);
  return code;
}
