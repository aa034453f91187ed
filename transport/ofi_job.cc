#include <unistd.h>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/machine_room.h"
#include "leeway/transport/addresses.h"
#include "leeway/transport/job.h"
#include "leeway/transport/launcher.h"
#include "leeway/transport/ofi_wire.h"
#include "leeway/transport/process_job.h"

namespace leeway {

namespace {

Result<std::uint64_t> number_variable(std::string_view name) {
  const std::string_view text = variable(::environ, name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return fail(input_error(std::string(name), format("'{}' is not a number", text),
                            "let `leeway launch` start the processes"));
  }
  return value;
}

/// The data address and the machine's name, as one text for the rendezvous.
std::string join_address(const std::string& data, const std::string& machine) {
  return format("{}:", machine) + data;
}

/// Opens this node's end of the network and learns where the others' are.
Status enter(JobParts& parts, NodeId self, const OfiOptions& network) {
  LEEWAY_ASSIGN(auto wire, open_ofi(network));
  LEEWAY_TRY(parts.membership->enter(self, join_address(wire->address(), host_name())));
  std::vector<std::string> peers;
  parts.neighbours = 0;
  for (const std::string& address : parts.membership->peers()) {
    const std::size_t colon = address.find(':');
    if (address.substr(0, colon) == host_name()) ++parts.neighbours;
    peers.push_back(colon == std::string::npos ? "" : address.substr(colon + 1));
  }
  LEEWAY_TRY(wire->meet(peers));
  wire->set_neighbours(parts.neighbours);
  parts.wire = std::move(wire);
  return {};
}

}  // namespace

Result<std::unique_ptr<Job>> join_ofi_job(const JobOptions& given) {
  raise_descriptor_limit();
  JobOptions options = given;
  const std::string rendezvous(variable(::environ, "LEEWAYJOB_RENDEZVOUS"));
  if (rendezvous.empty()) {
    return fail(input_error("ofi", "this process was not started by `leeway launch`",
                            "leeway launch -n N -- run …"));
  }
  LEEWAY_ASSIGN(const Secret secret, Secret::from_text(variable(::environ, "LEEWAYJOB_SECRET")));
  ::unsetenv("LEEWAYJOB_SECRET");  // not for the children of this process
  LEEWAY_ASSIGN(const std::uint64_t node, number_variable("LEEWAYJOB_NODE"));
  LEEWAY_ASSIGN(const std::uint64_t nodes, number_variable("LEEWAYJOB_NODES"));
  LEEWAY_ASSIGN(const std::uint64_t verdict_ms, number_variable("LEEWAYJOB_VERDICT_MS"));
  LEEWAY_ASSIGN(const std::uint64_t encrypt, number_variable("LEEWAYJOB_ENCRYPT"));
  options.verdict = std::chrono::milliseconds(verdict_ms);
  std::string provider = options.provider;
  if (provider.empty()) provider = variable(::environ, "LEEWAYJOB_PROVIDER");
  if (provider.empty()) provider = "tcp;ofi_rxm";
  JobParts parts;
  parts.fabric = Fabric::Ofi;
  LEEWAY_ASSIGN(parts.membership, Membership::connect(rendezvous, secret, options.verdict));
  const NodeId self(static_cast<std::uint32_t>(node));
  const Status entered = enter(parts, self,
                               {.provider = provider,
                                .host = parts.membership->local_address(),
                                .self = self,
                                .nodes = static_cast<std::uint32_t>(nodes),
                                .secret = secret,
                                .encrypt = encrypt != 0});
  if (!entered) {
    parts.membership->say_now(report_of(self, entered));
    return fail(entered.error());
  }
  return std::make_unique<ProcessJob>(std::move(parts), options);
}

}  // namespace leeway
