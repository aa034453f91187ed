// Memory that one node's part of a partitioned binary graph takes. Copies the part into anonymous
// memory, unmaps the file, and prints the anonymous memory of the process and the size of the
// arrays.
//
// usage: part_memory [FILE.lwg PART]    without arguments: an empty process, for comparison
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "datasets/binary.h"

using namespace leeway;

namespace {

template <class T>
Array<T> own(const Array<T>& mapped) {
  return Array<T>::copy_of(mapped.span()).value();
}

BinaryPart read_part(const std::string& path, PartId which) {
  const BinaryPart mapped = open_binary_part(path, which).value();
  BinaryPart part;
  part.offsets = own(mapped.offsets);
  part.targets = own(mapped.targets);
  part.weights = own(mapped.weights);
  return part;
}

unsigned long anonymous_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    unsigned long kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 1 && count != 3) return 2;
  if (count == 1) {
    std::printf("{\"resident_bytes\": %lu, \"array_bytes\": 0}\n", 1024 * anonymous_kib());
    return 0;
  }
  const PartId which(static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 10)));
  const BinaryPart part = read_part(arguments[1], which);
  const std::size_t bytes = part.offsets.bytes() + part.targets.bytes() + part.weights.bytes();
  std::printf("{\"resident_bytes\": %lu, \"array_bytes\": %zu}\n", 1024 * anonymous_kib(), bytes);
  return 0;
}
