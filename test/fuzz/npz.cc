#include "test/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::testing::fuzz_reader("npz", data, size);
}
