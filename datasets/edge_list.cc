#include "leeway/datasets/edge_list.h"

#include "leeway/base/check.h"

namespace leeway {

namespace {

template <class T>
Result<Array<T>> pack(std::vector<T>& values) {
  auto array = Array<T>::copy_of(values);
  values.clear();  // keeps its capacity for the next chunk
  return array;
}

}  // namespace

Result<EdgeChunk> EdgeChunkBuilder::finish() {
  LEEWAY_CHECK((weights_.empty() || weights_.size() == targets_.size()));
  LEEWAY_CHECK((imaginary_.empty() || imaginary_.size() == targets_.size()));
  EdgeChunk chunk;
  LEEWAY_ASSIGN(chunk.starts_, pack(starts_));
  LEEWAY_ASSIGN(chunk.sources_, pack(sources_));
  LEEWAY_ASSIGN(chunk.targets_, pack(targets_));
  LEEWAY_ASSIGN(chunk.weights_, pack(weights_));
  LEEWAY_ASSIGN(chunk.imaginary_, pack(imaginary_));
  return chunk;
}

std::uint64_t EdgeList::size() const {
  std::uint64_t total = 0;
  for (const auto& chunk : chunks) total += chunk.size();
  return total;
}

}  // namespace leeway
