// Without a format, so that detection chooses it; archives are unpacked, too.
#include "test/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::testing::fuzz_reader(nullptr, data, size);
}
