#include "transport/cluster_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "base/check.h"
#include "base/format.h"
#include "base/random.h"

namespace leeway {

namespace {

constexpr std::array kHelp = {
    ProfileHelp{"ideal", "no latency, no cost: for tests of logic"},
    ProfileHelp{"infiniband", "a 2014 InfiniBand cluster with MPI, after ASPIRE's Tardis"},
    ProfileHelp{"gigabit", "switched gigabit Ethernet with TCP, after AsyTick's cluster"},
    ProfileHelp{"ec2",
                "a virtualised cloud network: modest mean, spikes an order of magnitude above it"},
    ProfileHelp{"custom:KEY=VALUE,…",
                "keys: latency_us jitter_us spike_per_million spike_us spike_base_bytes gbit "
                "send_us receive_us cpu_ns_per_byte"},
};

std::uint64_t draw(std::span<const std::uint64_t> quantiles, std::uint64_t bits) {
  LEEWAY_CHECK(!quantiles.empty());
  if (quantiles.size() == 1) return quantiles[0];
  // 32 bits of probability: the high part selects the interval, the low part the position within
  // it.
  const std::uint64_t scaled = (bits >> 32) * (quantiles.size() - 1);
  const auto interval = static_cast<std::size_t>(scaled >> 32);
  const std::uint64_t place = scaled & 0xFFFFFFFFu;
  const std::uint64_t low = quantiles[interval];
  const std::uint64_t high = quantiles[interval + 1];
  return low + (((high - low) * (place >> 8)) >> 24);
}

NetworkProfile infiniband() {
  NetworkProfile profile;
  profile.name = "infiniband";
  profile.latency_ns = {1'700, 1'800, 1'850, 1'900, 1'950, 2'000,
                        2'100, 2'250, 2'500, 3'500, 12'000};
  profile.picoseconds_per_byte = 312;  // 3.2 GB/s
  profile.send_cost_ns = 700;
  profile.receive_cost_ns = 900;
  return profile;
}

NetworkProfile gigabit() {
  NetworkProfile profile;
  profile.name = "gigabit";
  profile.latency_ns = {38'000, 42'000, 45'000, 47'000,  50'000, 53'000,
                        57'000, 63'000, 75'000, 110'000, 400'000};
  profile.spike_per_million = 200;
  profile.spike_ns = {1'000'000, 5'000'000};
  profile.picoseconds_per_byte = 8'500;  // 117 MB/s
  profile.send_cost_ns = 4'000;
  profile.receive_cost_ns = 6'000;
  return profile;
}

NetworkProfile ec2() {
  NetworkProfile profile;
  profile.name = "ec2";
  profile.latency_ns = {150'000, 200'000, 230'000, 260'000,   290'000,  320'000,
                        370'000, 450'000, 600'000, 1'000'000, 4'000'000};
  profile.spike_per_million = 10'000;
  profile.spike_base_bytes = 16'384;
  profile.spike_ns = {4'000'000, 10'000'000, 16'000'000, 25'000'000, 40'000'000};
  profile.picoseconds_per_byte = 12'000;  // 83 MB/s
  profile.send_cost_ns = 6'000;
  profile.receive_cost_ns = 9'000;
  profile.send_ps_per_byte = 7'100;
  profile.receive_ps_per_byte = 7'100;
  return profile;
}

/// "1.5" microseconds → 1500 ns; accepts only digits with at most three decimals.
bool parse_micros(std::string_view text, std::uint64_t& nanos) {
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  std::string decimals = point == std::string_view::npos ? "" : std::string(text.substr(point + 1));
  if (digits.empty() || decimals.size() > 3) return false;
  decimals.resize(3, '0');
  digits += decimals;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), nanos);
  return error == std::errc{} && end == digits.data() + digits.size() && nanos <= 60'000'000'000u;
}

struct CustomKey {
  std::string_view key;
  std::function<void(NetworkProfile&, std::uint64_t)> set;  // from thousandths
};

const std::array<CustomKey, 9>& custom_keys() {
  static const std::array<CustomKey, 9> keys = {
      CustomKey{"latency_us",
                [](auto& p, auto v) {
                  p.latency_ns = {v, v + (p.latency_ns.back() - p.latency_ns.front())};
                }},
      CustomKey{"jitter_us",
                [](auto& p, auto v) {
                  p.latency_ns = {p.latency_ns.front(), p.latency_ns.front() + v};
                }},
      CustomKey{"spike_per_million", [](auto& p, auto v) { p.spike_per_million = v / 1000; }},
      CustomKey{"spike_us", [](auto& p, auto v) { p.spike_ns = {v}; }},
      CustomKey{"spike_base_bytes", [](auto& p, auto v) { p.spike_base_bytes = v / 1000; }},
      CustomKey{"gbit",
                [](auto& p, auto v) { p.picoseconds_per_byte = v == 0 ? 0 : 8'000'000 / v; }},
      CustomKey{"send_us", [](auto& p, auto v) { p.send_cost_ns = v; }},
      CustomKey{"receive_us", [](auto& p, auto v) { p.receive_cost_ns = v; }},
      CustomKey{"cpu_ns_per_byte",
                [](auto& p, auto v) { p.send_ps_per_byte = p.receive_ps_per_byte = v; }},
  };
  return keys;
}

Status set_custom(NetworkProfile& profile, std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  std::vector<std::string_view> names;
  for (const CustomKey& known : custom_keys()) {
    names.push_back(known.key);
    if (known.key != key) continue;
    if (equals == std::string_view::npos) {
      return fail(input_error("network profile", format("{} needs a value", key),
                              format("as in custom:{}=50", key)));
    }
    std::uint64_t thousandths = 0;
    if (!parse_micros(setting.substr(equals + 1), thousandths)) {
      return fail(input_error("network profile", format("'{}' has no valid number", setting),
                              format("write {}=NUMBER, at most three decimals, below 60 s", key)));
    }
    known.set(profile, thousandths);
    return {};
  }
  return fail(input_error("network profile", format("unknown setting '{}'", setting),
                          did_you_mean(key, names)));
}

Result<NetworkProfile> parse_custom(std::string_view settings) {
  NetworkProfile profile;
  profile.name = "custom";
  if (settings.size() > 1 && settings.ends_with(',')) settings.remove_suffix(1);
  if (settings.empty()) return profile;
  for (const std::string_view setting : split(settings, ','))
    LEEWAY_TRY(set_custom(profile, setting));
  return profile;
}

}  // namespace

Duration NetworkProfile::transmission(std::size_t bytes) const {
  const std::uint64_t header = std::min<std::uint64_t>(bytes, header_bytes);
  return Duration(static_cast<Duration::rep>(
      (header * header_ps_per_byte + (bytes - header) * picoseconds_per_byte) / 1000));
}

Duration NetworkProfile::sample(Random& random, std::size_t bytes) const {
  std::uint64_t nanos = draw(latency_ns, random());
  std::uint64_t chance = spike_per_million;
  if (spike_base_bytes > 0 && bytes > spike_base_bytes) chance = chance * bytes / spike_base_bytes;
  if (spike_per_million > 0 && random.below(1'000'000) < chance) {
    nanos += draw(spike_ns, random());
  }
  return Duration(static_cast<Duration::rep>(nanos)) + transmission(bytes);
}

NetworkProfile NetworkProfile::carrying(double scale, std::uint64_t header) const {
  const auto times = [](std::uint64_t number, double factor) {
    return static_cast<std::uint64_t>(static_cast<double>(number) * factor);
  };
  NetworkProfile network = *this;
  network.header_bytes = header;
  network.header_ps_per_byte = picoseconds_per_byte;
  network.picoseconds_per_byte = times(picoseconds_per_byte, scale);
  network.send_ps_per_byte = times(send_ps_per_byte, scale);
  network.receive_ps_per_byte = times(receive_ps_per_byte, scale);
  if (spike_base_bytes > 0)
    network.spike_base_bytes = std::max<std::uint64_t>(1, times(spike_base_bytes, 1 / scale));
  return network;
}

std::span<const ProfileHelp> profile_help() { return kHelp; }

Result<NetworkProfile> parse_profile(std::string_view text) {
  if (text == "ideal") return NetworkProfile{};
  if (text == "infiniband") return infiniband();
  if (text == "gigabit") return gigabit();
  if (text == "ec2") return ec2();
  constexpr std::string_view kCustom = "custom";
  if (text == kCustom) return parse_custom("");
  if (text.starts_with("custom:")) return parse_custom(text.substr(kCustom.size() + 1));
  constexpr std::array<std::string_view, 5> kNames = {"ideal", "infiniband", "gigabit", "ec2",
                                                      "custom"};
  return fail(input_error("network profile", format("unknown profile '{}'", text),
                          did_you_mean(text, kNames)));
}

}  // namespace leeway
