#include "leeway/cli/restarts.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <thread>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/snapshot/folder.h"
#include "leeway/snapshot/salvage.h"
#include "leeway/snapshot/source.h"

namespace leeway::cli {

namespace {

constexpr int kBadInput = 2;
constexpr double kLongestPause = 60;
/// That processes of a job that died may take to see it.
constexpr double kLongestEnd = 60;

/// A mistake in the command stays one; what was stopped on purpose, or given up, is over.
bool deserves_restart(int code) {
  return code != 0 && code != kBadInput && code != kGaveUp && code != kSnapshotsLost &&
         code != kCannotStart && code != kKilled + SIGINT;
}

}  // namespace

std::string snapshot_folder_in(const std::vector<std::string>& command) {
  constexpr std::string_view kFlag = "--snapshot";
  std::string folder;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == kFlag && i + 1 < command.size()) folder = command[i + 1];
    if (command[i].starts_with(std::string(kFlag) + "="))
      folder = command[i].substr(kFlag.size() + 1);
  }
  return folder;
}

Result<int> Restarts::run(const Run& once) {
  for (std::uint32_t restart = 0;; ++restart) {
    const Instant begun = clock_.now();
    LEEWAY_ASSIGN(const JobEnd end, once(resumes_));
    const double lived = seconds(clock_.now() - begun);
    // Whatever a launcher that was told, too, makes of it.
    if (options_.stopped() != 0) return kKilled + options_.stopped();
    if (!deserves_restart(end.code)) return end.code;
    const std::string died = format("the job {} after {:.1f} s", end.words, lived);
    if (restart == options_.most) {
      say(format("{}; it is given up after {} restarts", died, restart));
      return end.code;
    }
    LEEWAY_TRY(wait_until_free());
    prepare(died, lived, restart + 1);
    sleep(pause_);
    pause_ = std::min(2 * pause_, std::max(kLongestPause, options_.pause));
    if (options_.stopped() != 0) return kKilled + options_.stopped();
  }
}

/// Processes of the job that died may still hold the folder: they end when they see that others are gone.
Status Restarts::wait_until_free() const {
  const std::string& folder = options_.folder;
  if (!std::filesystem::exists(folder)) return {};
  const Instant begun = clock_.now();
  while (true) {
    const auto free = snapshot::Folder::is_free(folder);
    if (!free || *free) return {};
    if (seconds(clock_.now() - begun) > kLongestEnd) {
      return fail(environment_error(folder, "the job that died has left a process that lives on",
                                    "end it: " + snapshot::lock_text(folder)));
    }
    if (options_.stopped() != 0) return {};
    sleep(0.02);
  }
}

void Restarts::prepare(const std::string& died, double lived, std::uint32_t restart) {
  const auto now = std::filesystem::file_time_type::clock::now();
  double lost = lived;
  std::string from = "from the beginning, for there is no snapshot";
  const auto source = snapshot::Source::open(options_.folder);
  const auto salvaged = snapshot::Salvage::all_in(options_.folder);
  resumes_ = source.has_value() || !salvaged.empty();
  if (source) {
    std::error_code error;
    const auto taken = std::filesystem::last_write_time(source->path(), error);
    const double old = std::chrono::duration<double>(now - taken).count();
    if (!error) lost = std::clamp(old, 0.0, lived);
    from = format("from snapshot {}", source->manifest().number);
    if (source->manifest().number > newest_) pause_ = options_.pause;
    newest_ = std::max(newest_, source->manifest().number);
  }
  if (!salvaged.empty() &&
      (!source || salvaged.back().manifest().taken >= source->manifest().taken)) {
    const snapshot::Salvage& held = salvaged.back();
    const std::size_t nodes = std::max<std::size_t>(held.manifest().nodes, held.nodes().size());
    // What is lost is what only the nodes knew that are gone.
    lost *= static_cast<double>(nodes - held.nodes().size()) / static_cast<double>(nodes);
    from = format("from what {} of {} nodes held{}", held.nodes().size(), nodes,
                  source ? format(", else {}", from.substr(from.find(' ') + 1)) : "");
  }
  if (resumes_) from += format(", with {:.2f} s of work lost", lost);
  say(format("{}; starting it again {} (restart {} of {}, after {:.2f} s)", died, from, restart,
             options_.most, pause_));
  if (std::filesystem::exists(options_.folder)) {
    if (const Status noted = snapshot::note_restart(options_.folder, lost, died); !noted)
      say(noted.error().to_string());
  }
}

void Restarts::say(const std::string& text) const {
  std::fprintf(stderr, "leeway %s: %s\n", options_.who.c_str(), text.c_str());
}

void Restarts::sleep(double time) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(time);
  while (options_.stopped() == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace leeway::cli
