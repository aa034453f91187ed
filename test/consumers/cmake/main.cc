// A user's program: the seeded numbers and the errors of Leeway's base, found through CMake.
#include <cstdio>

#include "leeway/leeway.h"

int main() {
  // The same seed gives the same numbers, wherever it runs.
  leeway::Random first(7);
  leeway::Random second(7);
  if (first.below(1000) != second.below(1000)) return 1;

  leeway::PartitionOptions options;
  const auto refused = leeway::parse_partition_method("metsi", options);
  if (refused) return 1;
  std::puts(refused.error().to_string().c_str());
  return 0;
}
