// Distances after changes of the graph as a PIE program. PEval begins with the old distances that still hold, at the vertices that may
// shorten others; IncEval is that of Paths.
#pragma once

#include <memory>
#include <utility>

#include "programs/sssp/path_start.h"
#include "programs/sssp/pie.h"

namespace leeway::pie {

template <class Length>
class ContinuedPaths : public Paths<Length> {
 public:
  using Partial = typename Paths<Length>::Partial;

  ContinuedPaths(const Paths<Length>& paths, std::shared_ptr<const PathStart> start)
      : Paths<Length>(paths), start_(std::move(start)) {}

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.length.resize(fragment.vertex_count());
    partial.queue = this->empty_queue();
    for (Place p = 0; p < fragment.vertex_count(); ++p) {
      const std::size_t v = fragment.vertex(p).index();
      const double distance = start_->distance[v];
      const bool reached = distance < std::numeric_limits<double>::infinity();
      partial.length[p] = reached ? static_cast<Length>(distance) : Paths<Length>::kFar;
      if (start_->offers[v] != 0 && p < fragment.listed_count())
        this->put(partial.queue, p, partial.length[p]);
    }
    return this->settle(fragment, partial, changes);
  }

 private:
  std::shared_ptr<const PathStart> start_;
};

}  // namespace leeway::pie
