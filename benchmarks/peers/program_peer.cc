// Contenders that are separate programs: SciPy in Debian's Python, and the kernels of the GAP Benchmark Suite, if the
// environment variable GAPBS names a folder with a build of it. They read the graph from files in a temporary folder and
// print the seconds of the algorithm alone.

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "benchmarks/peers/peer.h"

namespace leeway::peers {
namespace {

/// A temporary folder.
class PeerFolder {
 public:
  PeerFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "leeway-peer-XXXXXX").string();
    LEEWAY_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~PeerFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PeerFolder(const PeerFolder&) = delete;
  PeerFolder& operator=(const PeerFolder&) = delete;
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// What a shell command prints; empty if it fails.
std::string printed(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  LEEWAY_CHECK(pipe != nullptr);
  std::string text;
  std::array<char, 4096> room{};
  while (const std::size_t read = std::fread(room.data(), 1, room.size(), pipe))
    text.append(room.data(), read);
  return ::pclose(pipe) == 0 ? text : std::string();
}

template <class T>
void write_array(const std::string& path, std::span<const T> values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
  LEEWAY_CHECK(out.good(), path);
}

class Scipy final : public Peer {
 public:
  explicit Scipy(const Graph& graph) : count_(graph.vertex_count()) {
    write_array(folder_.file("offsets"), graph.offsets());
    write_array(folder_.file("targets"), graph.targets());
    if (graph.weighted()) write_array(folder_.file("weights"), graph.weights());
  }
  [[nodiscard]] std::string name() const override { return "SciPy"; }
  [[nodiscard]] std::optional<double> own_seconds() const override { return seconds_; }

  std::vector<double> pagerank(std::uint32_t iterations) override {
    return answer(format("pagerank {}", iterations));
  }
  std::vector<double> distances(VertexId source) override {
    return answer(format("distances {}", source.value()));
  }
  std::vector<std::uint32_t> components() override {
    const std::vector<double> labels = answer("components 0");
    return {labels.begin(), labels.end()};
  }

 private:
  std::vector<double> answer(const std::string& question) {
    const std::string text = printed(
        format("/usr/bin/python3 '" SCIPY_PEER "' '{}' {} </dev/null", folder_.file(""), question));
    LEEWAY_CHECK(!text.empty(), question);
    seconds_ = std::atof(text.c_str());
    std::vector<double> result(count_);
    std::ifstream in(folder_.file("result"), std::ios::binary);
    in.read(reinterpret_cast<char*>(result.data()),
            static_cast<std::streamsize>(result.size() * sizeof(double)));
    LEEWAY_CHECK(in.good());
    return result;
  }

  PeerFolder folder_;
  std::uint32_t count_;
  double seconds_ = 0;
};

/// The graph in the suite's formats.
struct GapbsFiles {
  explicit GapbsFiles(const Graph& graph) : symmetric(!graph.directed()) {
    std::ofstream out_plain(plain);
    std::ofstream out_weighted(weighted);
    for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
      const auto neighbors = graph.neighbors(v);
      for (std::size_t i = 0; i < neighbors.size(); ++i) {
        if (symmetric && neighbors[i] < v) continue;
        const double weight = graph.weighted() ? graph.weights(v)[i] : 1;
        out_plain << v.value() << ' ' << neighbors[i].value() << '\n';
        out_weighted << v.value() << ' ' << neighbors[i].value() << ' ' << weight << '\n';
      }
    }
    LEEWAY_CHECK(out_plain.good());
    LEEWAY_CHECK(out_weighted.good());
  }

  bool symmetric;
  PeerFolder folder;
  std::string plain = folder.file("graph.el");
  std::string weighted = folder.file("graph.wel");
};

class Gapbs final : public Peer {
 public:
  Gapbs(std::shared_ptr<const GapbsFiles> files, std::string suite, unsigned threads)
      : files_(std::move(files)), suite_(std::move(suite)), threads_(threads) {}
  [[nodiscard]] std::string name() const override {
    return format("GAPBS, {} thread{}", threads_, threads_ == 1 ? "" : "s");
  }
  [[nodiscard]] std::optional<double> own_seconds() const override { return seconds_; }
  [[nodiscard]] bool shows_answers() const override { return false; }

  std::vector<double> pagerank(std::uint32_t iterations) override {
    run("pr_spmv", files_->plain, format("-t 0 -i {}", iterations));
    return {};
  }
  std::vector<double> distances(VertexId source) override {
    run("sssp", files_->weighted, format("-r {}", source.value()));
    return {};
  }
  std::vector<std::uint32_t> components() override {
    run("cc", files_->plain, "");
    return {};
  }

 private:
  void run(std::string_view kernel, const std::string& file, const std::string& flags) {
    constexpr std::string_view kTime = "Average Time:";
    const std::string text =
        printed(format("OMP_NUM_THREADS={} '{}/{}' {} -f '{}' -n 1 {} </dev/null", threads_, suite_,
                       kernel, files_->symmetric ? "-s" : "", file, flags));
    const std::size_t at = text.find(kTime);
    LEEWAY_CHECK(at != std::string::npos, kernel);
    seconds_ = std::atof(text.c_str() + at + kTime.size());
  }

  std::shared_ptr<const GapbsFiles> files_;
  std::string suite_;
  unsigned threads_;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<Peer> scipy(const Graph& graph) {
  if (printed("/usr/bin/python3 -c 'import scipy; print(1)' 2>/dev/null").empty()) return nullptr;
  return std::make_unique<Scipy>(graph);
}

std::vector<std::unique_ptr<Peer>> gapbs(const Graph& graph) {
  const char* const suite = std::getenv("GAPBS");
  const auto whole = [](double weight) { return weight == std::floor(weight); };
  std::vector<std::unique_ptr<Peer>> peers;
  if (suite == nullptr || !std::all_of(graph.weights().begin(), graph.weights().end(), whole))
    return peers;
  const auto files = std::make_shared<const GapbsFiles>(graph);
  for (const unsigned threads : {1U, 2U})
    peers.push_back(std::make_unique<Gapbs>(files, suite, threads));
  return peers;
}

}  // namespace leeway::peers
