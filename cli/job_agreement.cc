#include "leeway/cli/job_agreement.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/part_job.h"

namespace leeway::cli {

namespace {

/// What machines may differ in: how much they say, and what they have.
constexpr std::array<std::string_view, 5> kOwn = {"quiet", "log-level", "threads", "provider",
                                                  "verdict"};

using Words = std::map<std::string, std::string>;

/// What counts, by name.
Words what_counts(const Invocation& invocation) {
  Words words;
  words["the program"] = invocation.argument(0);
  const Options& options = invocation.options;
  for (const Said& said : options.said) {
    const std::string_view name = said.setting->name;
    if (std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end()) continue;
    words[format("--{}", name)] = said.value;
  }
  if (options.lent != nullptr) {
    words["the graph"] =
        format("{} vertices and {} arcs", options.lent->vertex_count(), options.lent->arc_count());
  }
  return words;
}

std::vector<std::byte> packed(const Words& words) {
  std::string text;
  for (const auto& [name, value] : words) text += name + '\0' + value + '\0';
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Words unpacked(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t middle = text.find('\0', at), end = text.find('\0', middle + 1);
    words[std::string(text.substr(at, middle - at))] = text.substr(middle + 1, end - middle - 1);
    at = end + 1;
  }
  return words;
}

Status compared(const Words& mine, const Words& first, NodeId self) {
  if (mine == first) return {};
  const auto differs = [](const Words& one, const Words& other) {
    return std::find_if(one.begin(), one.end(), [&](const auto& each) {
      const auto found = other.find(each.first);
      return found == other.end() || found->second != each.second;
    });
  };
  const auto here = differs(mine, first);
  const std::string name = here != mine.end() ? here->first : differs(first, mine)->first;
  const auto told = [&](const Words& words) {
    const auto found = words.find(name);
    return found == words.end() ? std::string("nothing") : format("'{}'", found->second);
  };
  return fail(
      input_error(name, format("node {} was told {}, and node 0 {}", self, told(mine), told(first)),
                  "tell every process of a job the same: look at command lines, LEEWAY_ "
                  "variables and configuration files of all machines"));
}

}  // namespace

Status agree_on_what_was_said(const Invocation& invocation, Job& job) {
  ClusterOptions cluster;
  cluster.fabric = job.fabric();
  cluster.nodes = job.node_count();
  cluster.job = &job;
  return exchange_parts(cluster, [&](Exchange& exchange) {
    const Words mine = what_counts(invocation);
    const auto all = exchange.share_bytes(packed(mine));
    return exchange.agree(compared(mine, unpacked(all[0]), exchange.self()));
  });
}

}  // namespace leeway::cli
