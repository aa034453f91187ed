// This machine's names towards others. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace leeway {

/// "address:port,…" of every interface, the loopback last, in at most so many bytes.
[[nodiscard]] std::string own_addresses(std::uint16_t port, std::size_t most_bytes);
[[nodiscard]] std::string host_name();

}  // namespace leeway
