// What this process is at, told to whoever watches it, if anybody does: for work so deep that nobody hands it a
// Progress. Thread-safe; cheap enough for every tick and round, not for every item.
#pragma once

#include <cstdint>
#include <string>

namespace leeway {

class Progress;

/// Whom the functions below tell from now on; null: nobody. It outlives their calls.
void set_watcher(Progress* progress);

/// A new phase of work, as Progress::start.
void show_phase(std::string phase, std::uint64_t total = 0, std::string unit = {});
/// How much of it is done.
void show_done(std::uint64_t done);

}  // namespace leeway
