// The key exchange between ranks over MPI. The test records every byte that an eavesdropper would
// see.
#include "transport/secret.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace leeway;

namespace {

/// Ranks that broadcast one after another, starting with rank 0.
class Rank final : public MpiWire {
 public:
  Rank(std::uint32_t self, std::uint32_t ranks, std::vector<std::byte>& seen)
      : self_(self), ranks_(ranks), seen_(seen) {}
  Status broadcast(std::span<std::byte> data) override {
    if (self_ == NodeId(0)) seen_.assign(data.begin(), data.end());
    std::copy(seen_.begin(), seen_.end(), data.begin());
    return {};
  }
  NodeId self() const override { return self_; }
  std::uint32_t node_count() const override { return ranks_; }
  Result<std::vector<std::byte>> gather(std::span<const std::byte>) override {
    return std::vector<std::byte>{};
  }
  bool owns_mpi() const override { return true; }
  void set_neighbours(std::uint32_t) override {}
  bool send(NodeId, const Envelope&, Frame&) override { return false; }
  bool receive(Packet&) override { return false; }
  bool drained() override { return true; }
  void rest(Duration, Duration) override {}
  void interrupt() override {}
  void drop(NodeId) override {}

 private:
  NodeId self_;
  std::uint32_t ranks_;
  std::vector<std::byte>& seen_;
};

/// Decodes pairs of hexadecimal digits.
std::vector<std::byte> bytes_in(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

}  // namespace

TEST_CASE("all ranks receive rank 0's secret, and an eavesdropper does not see it") {
  constexpr std::uint32_t kRanks = 5;
  std::vector<std::byte> seen;
  std::vector<KeyPair> keys(kRanks);
  std::vector<KeyPair::PublicHalf> halves;
  for (const KeyPair& each : keys) halves.push_back(each.public_half());
  const Secret secret = Secret::random();
  for (std::uint32_t i = 0; i < kRanks; ++i) {
    Rank rank(i, kRanks, seen);
    const Secret own = i == 0 ? secret : Secret::random();
    CHECK(share_secret(rank, own, keys[i], halves).value().to_text() == secret.to_text());
  }
  const std::vector<std::byte> inside = bytes_in(secret.to_text());
  REQUIRE(inside.size() == 32);
  REQUIRE(seen.size() == kRanks * KeyPair::kWrappedBytes);
  for (std::size_t at = 0; at + 8 <= inside.size(); ++at) {
    const auto part = std::span(inside).subspan(at, 8);
    CHECK(std::search(seen.begin(), seen.end(), part.begin(), part.end()) == seen.end());
  }
  // Another key pair cannot decrypt it.
  Rank stranger(1, kRanks, seen);
  CHECK_FALSE(share_secret(stranger, secret, KeyPair(), halves).has_value());
}
