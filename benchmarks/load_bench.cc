// bench-load FILE [RUNS]: time and memory of loading a text file as a graph, compared with `wc -l` on the same file.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "datasets/byte_stream.h"
#include "leeway/graph.h"

namespace leeway {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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
  const auto start = std::chrono::steady_clock::now();
  const auto graph = load_graph(path, options);
  if (!graph) {
    std::fprintf(stderr, "bench-load: %s\n", graph.error().to_string().c_str());
    return cost;
  }
  cost.seconds = seconds_since(start);
  ::rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const ::timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  cost.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
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
  const auto start = std::chrono::steady_clock::now();
  const ::pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) != nullptr) {
      ::execlp("wc", "wc", "-l", file.c_str(), static_cast<char*>(nullptr));
    }
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? seconds_since(start) : -1;
}

template <class Run>
auto best_of(int runs, const Run& run, auto seconds_of) {
  auto best = run();
  for (int i = 1; i < runs; ++i) {
    auto next = run();
    if (seconds_of(next) < seconds_of(best)) best = next;
  }
  return best;
}

int bench(const std::string& file, int runs) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(file, failure);
  if (failure) {
    std::fprintf(stderr, "bench-load: %s: %s; name a plain text graph\n", file.c_str(),
                 failure.message().c_str());
    return 2;
  }
  const double megabytes = static_cast<double>(size) / 1e6;
  const double wc = best_of(
      runs, [&] { return wc_seconds(file); }, [](double s) { return s; });
  std::vector<unsigned> counts = {1};
  if (thread_count(0) > 1) counts.push_back(thread_count(0));
  std::string json =
      format("{{\"bench\":\"load\",\"megabytes\":{:.1f},\"wc_seconds\":{:.3f}", megabytes, wc);
  std::printf("%-10s %9s %9s %14s %10s %10s %6s\n", "", "seconds", "MB/s", "MB/s a core", "peak MB",
              "graph MB", "ratio");
  std::printf("%-10s %9.3f %9.0f\n", "wc -l", wc, megabytes / wc);
  for (const unsigned threads : counts) {
    const Cost cost = best_of(
        runs, [&] { return load_apart(file, threads); }, [](const Cost& c) { return c.seconds; });
    if (cost.seconds < 0) return 2;
    const double rate = megabytes / cost.seconds;
    const double ratio =
        static_cast<double>(cost.peak_bytes) / static_cast<double>(cost.graph_bytes);
    std::printf("%-10s %9.3f %9.0f %14.0f %10.1f %10.1f %6.2f\n",
                format("{} thread{}", threads, threads > 1 ? "s" : "").c_str(), cost.seconds, rate,
                rate / threads, static_cast<double>(cost.peak_bytes) / 1e6,
                static_cast<double>(cost.graph_bytes) / 1e6, ratio);
    json += format(
        ",\"threads_{}\":{{\"seconds\":{:.3f},\"cpu_seconds\":{:.3f},\"mb_per_s\":{:.0f},\"mb_per_"
        "s_core\":{:.0f},"
        "\"peak_bytes\":{},\"graph_bytes\":{},\"peak_ratio\":{:.3f},\"vertices\":{},\"edges\":{}}}",
        threads, cost.seconds, cost.cpu_seconds, rate, rate / threads, cost.peak_bytes,
        cost.graph_bytes, ratio, cost.vertices, cost.edges);
  }
  std::printf("%s}\n", json.c_str());
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
  if (argc > 1) return leeway::bench(argv[1], runs);
  const std::string file = leeway::unpacked_actors();
  if (file.empty()) {
    std::fprintf(stderr,
                 "usage: bench-load [FILE [RUNS]]; without FILE, LEEWAY_DATA must hold "
                 "imdb-actors.txt.zst\n");
    return 2;
  }
  const int code = leeway::bench(file, runs);
  std::filesystem::remove(file);
  return code;
}
