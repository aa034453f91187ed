#include "leeway/cli/run_report.h"

#include <algorithm>
#include <array>
#include <bit>

#include "leeway/base/format.h"
#include "leeway/base/json_text.h"
#include "leeway/base/mix.h"
#include "leeway/cli/report_text.h"
#include "leeway/cli/run_lanes.h"
#include "leeway/cli/run_rounds.h"

namespace leeway::cli {

namespace {

constexpr std::array<std::string_view, 4> kActivities = {"compute", "blocked", "refresh",
                                                         "barrier"};

std::string_view name_of(Activity activity) {
  return kActivities[static_cast<std::size_t>(activity)];
}

Instant first_begin(const RunRecord& record) {
  Instant begin = record.nodes.empty() ? Instant{} : record.nodes.front().log.begin;
  for (const NodeRecord& node : record.nodes) begin = std::min(begin, node.log.begin);
  return begin;
}

std::string staleness(const RunRecord& record) {
  const AccessCounts accesses = record.accesses();
  // Index is staleness: what was current, or came fresh because it was waited for, is of age 0.
  std::vector<std::uint64_t> uses(accesses.stale_by_age.begin(), accesses.stale_by_age.end());
  uses[0] += accesses.current_hits + accesses.stale_misses + accesses.cache_misses;
  while (uses.size() > 1 && uses.back() == 0) uses.pop_back();
  return list(uses, [](std::uint64_t count) { return std::to_string(count); });
}

std::string messages(const RunRecord& record) {
  const KindCounts counts = record.sent_by_kind();
  std::string text;
  for (std::uint8_t kind = 1; kind <= kLastMessageKind; ++kind) {
    text += format("{}{}: {{\"count\": {}, \"bytes\": {}}}", text.empty() ? "" : ", ",
                   json_string(message_kind_name(static_cast<MessageKind>(kind))),
                   counts[kind].messages, counts[kind].bytes);
  }
  return text;
}

std::string node_json(const NodeRecord& node, Instant begin) {
  const AccessCounts& accesses = node.space.accesses;
  std::string text = format(
      "{{\"vertices\": {}, \"inputs\": {}, \"remote\": {}, \"bytes\": {}, \"begin\": {}, \"end\": "
      "{}, "
      "\"iterations\": {}, \"blocked_fetches\": {}, \"current_hits\": {}, \"stale_hits\": {}, "
      "\"stale_misses\": {}, \"cache_misses\": {}, \"spans\": [",
      node.vertices, node.arcs, node.remote, node.bytes, number(seconds(node.log.begin - begin)),
      number(seconds(node.log.end - begin)), node.log.iterations.size(), node.node.blocked_fetches,
      accesses.current_hits, accesses.stale_hits, accesses.stale_misses, accesses.cache_misses);
  text += list(lanes_of(node.log, kLanePieces), [&](const ActivitySpan& span) {
    return format("[{}, {}, {}]", json_string(name_of(span.activity)),
                  number(seconds(span.begin - begin)), number(seconds(span.end - begin)));
  });
  return text + "]}";
}

}  // namespace

std::string figure_label(const std::string& name) {
  if (name == "rmse_train") return "RMSE of ratings that trained";
  if (name == "rmse_test") return "RMSE of ratings kept apart";
  return name;
}

std::string report_json(const RunFacts& facts, const RunRecord& record) {
  const Instant begin = first_begin(record);
  const PhaseSeconds& phases = record.phases;
  const AccessCounts accesses = record.accesses();
  std::string text = report_head("", facts.program, facts.configuration,
                                 {facts.graph, facts.input_hash, facts.vertices, facts.arcs});
  text += format(
      "\"simulated\": {},\n\"seconds\": {{\"load\": {}, \"partition\": {}, \"setup\": {}, "
      "\"compute\": {}, \"output\": {}}},\n\"virtual_seconds\": {},\n",
      record.simulated, number(phases.load), number(phases.partition), number(phases.setup),
      number(phases.compute), number(phases.output), record.simulated ? "[\"compute\"]" : "[]");
  text += format("\"iterations\": {}, \"converged\": {}, \"why\": {},\n", record.iterations(),
                 record.converged(), json_string(facts.why));
  text += format("\"visited\": {}, \"changed\": {},\n", record.visited(), record.changed());
  text += format(
      "\"hits\": {{\"current\": {}, \"stale\": {}, \"stale_misses\": {}, \"cache_misses\": {}}},\n",
      accesses.current_hits, accesses.stale_hits, accesses.stale_misses, accesses.cache_misses);
  text += "\"staleness\": [" + staleness(record) + "],\n";
  text += format("\"blocked_fetches\": {}, \"refreshes\": {},\n", record.blocked_fetches(),
                 record.refreshes());
  text += "\"messages\": {" + messages(record) + "},\n";
  text += format("\"wire_bytes\": {}, \"peak_memory_bytes\": {}, \"digest\": \"x{:016x}\",\n",
                 record.bytes(), record.peak_memory_bytes, record.digest);
  if (!facts.verified.empty()) text += "\"verified\": " + json_string(facts.verified) + ",\n";
  if (facts.cost_seconds >= 0) {
    text += format("\"cost\": {{\"method\": {}, \"seconds\": {}}},\n",
                   json_string(facts.cost_method), number(facts.cost_seconds));
  }
  text += "\"series\": [" +
          list(record.series(),
               [](const IterationTotal& total) {
                 return format("{{\"seconds\": {}, \"changed\": {}, \"visited\": {}}}",
                               number(total.seconds), total.changed, total.visited);
               }) +
          "],\n";
  if (!facts.figures.empty()) {
    text += "\"figures\": {" +
            list(facts.figures,
                 [](const auto& figure) {
                   return format("{}: {}", json_string(figure.first), number(figure.second));
                 }) +
            "},\n";
  }
  const pie::ForecastCost& cost = record.forecasts;
  if (cost.trained_on > 0) {
    text += format(
        "\"predictor\": {{\"trained_on\": {}, \"training_seconds\": {}, \"predictions\": {}, "
        "\"prediction_seconds\": {}}},\n",
        cost.trained_on, number(cost.training_seconds), cost.predictions,
        number(cost.predictions > 0
                   ? cost.predicting_seconds / static_cast<double>(cost.predictions)
                   : 0));
  }
  if (!record.rounds.empty()) text += "\"workers\": " + workers_json(record) + ",\n";
  text += "\"nodes\": [" +
          list(record.nodes, [&](const NodeRecord& node) { return node_json(node, begin); }) +
          "]\n}\n";
  return text;
}

std::string trace_json(const RunFacts& facts, const RunRecord& record) {
  const Instant begin = first_begin(record);
  const auto micros = [&](Instant at) { return number(seconds(at - begin) * 1e6); };
  std::vector<std::string> events;
  for (std::size_t node = 0; node < record.nodes.size(); ++node) {
    events.push_back(
        format("{{\"ph\":\"M\",\"pid\":0,\"tid\":{},\"name\":\"thread_name\","
               "\"args\":{{\"name\":\"node {}\"}}}}",
               node, node));
    for (const ActivitySpan& span : record.nodes[node].log.spans) {
      events.push_back(
          format("{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"name\":\"{}\",\"ts\":{},\"dur\":{}}}", node,
                 name_of(span.activity), micros(span.begin),
                 number(seconds(span.end - span.begin) * 1e6)));
    }
    for (const IterationSample& sample : record.nodes[node].log.iterations) {
      events.push_back(
          format("{{\"ph\":\"C\",\"pid\":0,\"name\":\"changed, node {}\",\"ts\":{},"
                 "\"args\":{{\"vertices\":{}}}}}",
                 node, micros(sample.at), sample.changed));
    }
  }
  for (std::string& event : round_events(record, begin)) events.push_back(std::move(event));
  return format(
      "{{\"otherData\":{{\"program\":{},\"graph\":{},\"time\":\"{}\"}},\n"
      "\"traceEvents\":[\n{}\n]}}\n",
      json_string(facts.program), json_string(facts.graph),
      record.simulated ? "virtual (simulated)" : "real", fmt::join(events, ",\n"));
}

std::string partition_text(const PartitionOptions& options) {
  if (options.method == PartitionMethod::File) return "file:" + options.owner_file;
  return std::string(partition_method_name(options.method));
}

std::string hash_of(const Graph& graph) {
  std::uint64_t hash = mix64(graph.vertex_count()) ^ (graph.directed() ? 1 : 0);
  for (const std::uint64_t offset : graph.offsets()) hash = mix64(hash ^ offset);
  for (const VertexId target : graph.targets())
    hash = (hash ^ target.value()) * 0x9e3779b97f4a7c15U;
  for (const double weight : graph.weights())
    hash = mix64(hash ^ std::bit_cast<std::uint64_t>(weight));
  return format("{:016x}", mix64(hash));
}

}  // namespace leeway::cli
