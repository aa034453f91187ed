#include "runtime/piece/compression.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "base/random.h"
#include "programs/jacobi/piece.h"
#include "programs/reference/oracles.h"
#include "programs/scene/spatial.h"
#include "test/piece/piece_support.h"

using namespace leeway;
using namespace leeway::piece;
using namespace leeway::testing;

namespace {

constexpr std::uint8_t kKind = 77;

/// Bytes of a few values, so that they compress.
std::vector<std::byte> draw_bytes(std::size_t size, Random& random) {
  std::vector<std::byte> bytes(size);
  const std::uint64_t values = 1 + random.below(40);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random.below(values));
  return bytes;
}

}  // namespace

TEST_CASE("frames of all sizes are the same after compression") {
  FrameCompressor compressor;
  FrameCompressor receiver;
  Random random(3, 0x7A737464);
  for (std::size_t size = FrameCompressor::kLeastBytes; size < 4'000; size += 1 + random.below(9)) {
    const auto frame = draw_bytes(size, random);
    const auto packed = compressor.pack(frame, kKind);
    CAPTURE(size);
    REQUIRE(packed);
    REQUIRE(packed->size() < size);
    REQUIRE(packed->front() == std::byte{kKind});
    const auto unpacked = receiver.unpack(std::span(*packed).subspan(1));
    REQUIRE(unpacked);
    REQUIRE(std::vector<std::byte>(unpacked->begin(), unpacked->end()) == frame);
  }
}

TEST_CASE("frames that are small or do not shrink are left as they are") {
  FrameCompressor compressor;
  Random random(4, 0x7A737464);
  CHECK_FALSE(compressor.pack(std::vector<std::byte>(FrameCompressor::kLeastBytes - 1), kKind));
  CHECK(compressor.pack(std::vector<std::byte>(FrameCompressor::kLeastBytes), kKind));
  std::vector<std::byte> noise(8192);
  for (std::byte& each : noise) each = static_cast<std::byte>(random());
  CHECK_FALSE(compressor.pack(noise, kKind));
}

TEST_CASE("corrupt compressed frames are detected") {
  FrameCompressor compressor;
  FrameCompressor receiver;
  Random random(5, 0x7A737464);
  const auto frame = draw_bytes(5'000, random);
  const Frame packed = compressor.pack(frame, kKind).value();
  const auto content = std::span(packed).subspan(1);
  for (std::size_t size = 0; size < content.size(); ++size)
    REQUIRE_FALSE(receiver.unpack(content.first(size)));
  std::size_t detected = 0;
  for (int round = 0; round < 20'000; ++round) {
    Frame damaged(content.begin(), content.end());
    for (std::uint64_t i = 0; i <= random.below(4); ++i)
      damaged[random.below(damaged.size())] = static_cast<std::byte>(random());
    const auto unpacked = receiver.unpack(damaged);
    if (unpacked) REQUIRE(std::vector<std::byte>(unpacked->begin(), unpacked->end()) == frame);
    detected += unpacked ? 0 : 1;
  }
  CHECK(detected > 19'000);
  // A size that no sender states: nothing is allocated.
  Frame huge = {std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF},
                std::byte{0xFF}, std::byte{0xFF}, std::byte{0x7F}};
  huge.insert(huge.end(), content.begin() + 2, content.end());
  CHECK_FALSE(receiver.unpack(huge));
}

TEST_CASE("compression changes no result, and sends fewer bytes where values repeat") {
  const JacobiJob plate{.plate = {.columns = 600, .rows = 40}, .pieces = 2};
  const auto heat = reference::plate_after(plate.plate, scene::first_plate(plate.plate, 1), 9);
  FishJob school;
  school.model.width = 80;
  school.model.height = 60;
  school.model.reach = 1.5;
  school.things = scene::school(school.model, 400, 40, 2, 5);
  const auto fish = reference::fish_after(school.model, school.things, 8);
  for (const Fabric fabric : {Fabric::Loopback, Fabric::Sim}) {
    for (const System system : kSystems) {
      CAPTURE(system_name(system));
      PieceOptions options{.system = system, .ticks = 9, .balance_every = 3, .compress = true};
      const auto cluster = piece_cluster(fabric, 4, "ideal");
      CHECK(run_jacobi(plate, cluster, options)->heat == heat);
      options.ticks = 8;
      CHECK(run_spatial(school, cluster, options)->things == fish);
    }
  }
  // Zeros everywhere: the values that arrive at the first worker shrink.
  std::vector<double> cold(plate.plate.cells());
  const auto bytes_with = [&](bool compress) {
    const auto run =
        run_jacobi(plate, piece_cluster(Fabric::Sim, 2, "ideal"),
                   {.system = System::AsyTick, .ticks = 3, .compress = compress}, {.from = &cold});
    REQUIRE(run.has_value());
    return run->record.nodes.at(0).counters[Counter::BytesSent] +
           run->record.nodes.at(1).counters[Counter::BytesSent];
  };
  CHECK(bytes_with(true) * 10 < bytes_with(false));
}
