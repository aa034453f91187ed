#include "leeway/runtime/pie/routes.h"

#include <numeric>

namespace leeway::pie {

void Routes::settle() {
  for (Place p = fragment_.inner_count(); p < fragment_.vertex_count(); ++p)
    homes_.push_back(fragment_.home(p));
  border_ = homes_.size();
  if (announced_.empty()) return;
  firsts_.assign(fragment_.inner_count() + std::size_t{1}, 0);
  for (const Announced& each : announced_) ++firsts_[each.inner + std::size_t{1}];
  for (std::size_t v = 1; v < firsts_.size(); ++v) border_ += firsts_[v] > 0 ? 1 : 0;
  std::partial_sum(firsts_.begin(), firsts_.end(), firsts_.begin());
  copies_.resize(announced_.size());
  std::vector<std::uint32_t> next(firsts_.begin(), firsts_.end() - 1);
  for (const Announced& each : announced_) copies_[next[each.inner]++] = each.copy;
  announced_ = {};
}

}  // namespace leeway::pie
