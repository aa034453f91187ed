// `leeway doctor`: examines the machine by reading files, limits and environment variables and by running mpiexec and
// fi_info. Changes nothing.
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/output.h"
#include "base/format.h"
#include "base/parallel.h"
#include "base/process.h"
#include "cli/command.h"
#include "transport/ofi.h"

namespace leeway::cli {

namespace {

enum class Health {
  Good,
  Advice,   ///< works; an improvement is possible
  Problem,  ///< must be fixed before a run over several processes
};

struct Finding {
  std::string topic;
  Health health = Health::Good;
  std::string seen;
  std::string remedy;  ///< empty: nothing to do
};

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool on_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// The output of a program, which gets five seconds and no input.
std::string answer_of(const char* command) {
  const std::string guarded = format("timeout 5 {} </dev/null 2>/dev/null", command);
  std::FILE* pipe = ::popen(guarded.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string answer;
  std::array<char, 4096> block{};
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), pipe)) > 0;) {
    answer.append(block.data(), got);
  }
  ::pclose(pipe);
  return answer;
}

Finding examine_cores() {
  const unsigned usable = thread_count(0);
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  Finding finding{"cores", Health::Good, format("{} usable of {}", usable, online), ""};
  const std::string quota = first_line("/sys/fs/cgroup/cpu.max");
  if (!quota.empty() && !quota.starts_with("max")) finding.seen += format(", quota {}", quota);
  return finding;
}

Finding examine_memory() {
  const double total =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const Room room = memory_room();
  const double left = static_cast<double>(room.left);
  Finding finding{"memory", Health::Good,
                  format("{} left of {}, by {}", format_bytes(left), format_bytes(total), room.by),
                  ""};
  if (left < 0.1 * total) {
    finding.health = Health::Advice;
    finding.remedy = "less than a tenth is left; compare with leeway plan before loading";
  }
  return finding;
}

Finding examine_huge_pages() {
  const std::string mode = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  Finding finding{"huge pages", Health::Good, mode.empty() ? "not offered by this kernel" : mode,
                  ""};
  if (mode.find("[never]") != std::string::npos) {
    finding.health = Health::Advice;
    finding.remedy = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root)";
  }
  return finding;
}

std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : format_count(limit);
}

Finding examine_open_files() {
  constexpr rlim_t kEnough = 1024;  // files, and sockets to a few hundred peers
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  Finding finding{"open files", Health::Good, limit_text(limit.rlim_cur), ""};
  if (limit.rlim_cur < kEnough) {
    finding.health = Health::Problem;
    finding.remedy = format("ulimit -n {}", kEnough);
  }
  return finding;
}

Finding examine_address_space() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  Finding finding{"address space", Health::Good, limit_text(limit.rlim_cur), ""};
  if (limit.rlim_cur != RLIM_INFINITY) {
    finding.health = Health::Advice;
    finding.remedy = "mapped graphs count against it; ulimit -v unlimited";
  }
  return finding;
}

Finding examine_locked_memory() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return {"locked memory", Health::Good, limit_text(limit.rlim_cur), ""};
}

Finding examine_shared_memory() {
  constexpr double kEnough = 64.0 * 1024 * 1024;  // MPICH stores its queues there
  struct statvfs space {};
  if (::statvfs("/dev/shm", &space) != 0) {
    return {"shared memory", Health::Problem, "/dev/shm is not there",
            "mount -t tmpfs tmpfs /dev/shm (as root); MPI on one host needs it"};
  }
  const double free_bytes =
      static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  Finding finding{"shared memory", Health::Good,
                  format("{} free in /dev/shm", format_bytes(free_bytes)), ""};
  if (free_bytes < kEnough) {
    finding.health = Health::Advice;
    finding.remedy = "enlarge /dev/shm (docker: --shm-size=1g); MPI on one host may fail to start";
  }
  return finding;
}

Finding examine_mpi() {
  if (!on_path("mpiexec")) {
    return {"MPI", Health::Advice, "no mpiexec on the path",
            "apt-get install mpich; a single process and the fabrics without MPI work as they are"};
  }
  const std::string answer = answer_of("mpiexec --version");
  const auto has = [&](std::string_view word) { return answer.find(word) != std::string::npos; };
  if (has("HYDRA")) {
    const auto at = answer.find("Version:");
    std::istringstream words(at == std::string::npos ? "" : answer.substr(at + 8));
    std::string version;
    words >> version;
    return {"MPI", Health::Good, format("mpiexec of MPICH {}", version), ""};
  }
  if (has("Open MPI") || has("OpenRTE")) {
    return {"MPI", Health::Problem, "mpiexec of Open MPI; Leeway is built for MPICH",
            "start jobs with mpiexec.mpich: under another launcher every process believes it is "
            "rank 0"};
  }
  return {"MPI", Health::Advice, "an unknown kind of mpiexec",
          "start jobs with mpiexec.mpich, or srun --mpi=pmi2"};
}

/// Tries each provider, because a listed provider may still not work.
Finding examine_fabric() {
  std::vector<std::string> working, broken;
  bool default_works = false;
  for (const ProviderTrial& trial : try_providers()) {
    if (trial.works) {
      working.push_back(trial.name);
    } else {
      broken.push_back(format("{} ({})", trial.name, trial.why_not));
    }
    default_works = default_works || (trial.works && trial.name == "tcp;ofi_rxm");
  }
  Finding finding{
      "libfabric", Health::Good,
      format("works: {}; does not: {}", fmt::join(working, " "), fmt::join(broken, ", ")), ""};
  if (!default_works) {
    finding.health = Health::Problem;
    finding.remedy =
        "leeway launch needs tcp;ofi_rxm or --provider; check FI_PROVIDER, the loopback "
        "interface, and fi_info -p tcp";
  }
  return finding;
}

/// The launcher that the variables of `environment`, which has the form of ::environ, indicate.
Finding examine_launcher(const char* const* environment) {
  std::set<std::string> launchers;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    if (entry.starts_with("PMI_RANK=") || entry.starts_with("PMI_SIZE="))
      launchers.insert("PMI (MPICH, Slurm)");
    if (entry.starts_with("OMPI_COMM_WORLD_SIZE=")) launchers.insert("Open MPI");
    if (entry.starts_with("PMIX_RANK=")) launchers.insert("PMIx");
    if (entry.starts_with("SLURM_JOB_ID=")) launchers.insert("Slurm job");
  }
  if (launchers.empty()) return {"launcher", Health::Good, "none: this is a single process", ""};
  Finding finding{"launcher", Health::Good, format("{}", fmt::join(launchers, ", ")), ""};
  const bool foreign = launchers.contains("Open MPI");
  if (foreign) {
    finding.health = Health::Problem;
    finding.remedy =
        "started by Open MPI's launcher: every process believes it is rank 0; use mpiexec.mpich";
  }
  return finding;
}

/// Takes up to a few seconds if an external program does not respond.
std::vector<Finding> examine_machine() {
  return {examine_cores(),         examine_memory(),        examine_huge_pages(),
          examine_open_files(),    examine_locked_memory(), examine_address_space(),
          examine_shared_memory(), examine_mpi(),           examine_launcher(::environ),
          examine_fabric()};
}

std::string_view health_name(Health health) {
  switch (health) {
    case Health::Good:
      return "ok";
    case Health::Advice:
      return "advice";
    case Health::Problem:
      return "problem";
  }
  return "unknown";
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += format("{:<8} {:<14} {}\n", health_name(finding.health), finding.topic, finding.seen);
    if (!finding.remedy.empty()) text += format("{:<23} -> {}\n", "", finding.remedy);
  }
  return text;
}

std::string findings_json(const std::vector<Finding>& findings) {
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.array(findings, [&](const Finding& finding) {
    json.object([&] {
      json.member("topic", finding.topic).member("health", health_name(finding.health));
      json.member("seen", finding.seen).member("remedy", finding.remedy);
    });
  });
  return std::move(json).text();
}

}  // namespace

Result<int> run_doctor(const Invocation& invocation) {
  const std::vector<Finding> findings = examine_machine();
  LEEWAY_TRY(print(invocation.options.json ? findings_json(findings) : findings_text(findings)));
  const bool sick = std::any_of(findings.begin(), findings.end(),
                                [](const Finding& f) { return f.health == Health::Problem; });
  return sick ? 3 : 0;
}

}  // namespace leeway::cli
