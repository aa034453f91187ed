#include "leeway/base/phase.h"

#include <mutex>
#include <utility>

#include "leeway/base/progress.h"

namespace leeway {

namespace {

std::mutex mutex;
Progress* watcher = nullptr;

}  // namespace

void set_watcher(Progress* progress) {
  const std::lock_guard lock(mutex);
  watcher = progress;
}

void show_phase(std::string phase, std::uint64_t total, std::string unit) {
  const std::lock_guard lock(mutex);
  if (watcher != nullptr) watcher->start(std::move(phase), total, std::move(unit));
}

void show_done(std::uint64_t done) {
  const std::lock_guard lock(mutex);
  if (watcher != nullptr) watcher->update(done);
}

}  // namespace leeway
