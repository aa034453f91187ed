#include "base/parallel.h"

#include <sched.h>

#include <thread>
#include <vector>

#include "base/check.h"

namespace leeway {

unsigned thread_count(unsigned requested) {
  if (requested > 0) return requested;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  const int cores = CPU_COUNT(&allowed);
  return cores > 0 ? static_cast<unsigned>(cores) : 1;
}

void parallel_chunks(std::size_t count, unsigned threads,
                     const std::function<void(unsigned, std::size_t, std::size_t)>& work) {
  LEEWAY_CHECK(threads > 0u);
  const auto edge = [&](unsigned chunk) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(Wide{count} * chunk / threads);
  };
  std::vector<std::thread> helpers;
  for (unsigned chunk = 1; chunk < threads; ++chunk) {
    helpers.emplace_back([&, chunk] { work(chunk, edge(chunk), edge(chunk + 1)); });
  }
  work(0, 0, edge(1));
  for (auto& helper : helpers) helper.join();
}

}  // namespace leeway
