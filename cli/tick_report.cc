#include "leeway/cli/tick_report.h"

#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/base/json_text.h"
#include "leeway/cli/output.h"
#include "leeway/cli/report_text.h"
#include "leeway/cli/run_lanes.h"

namespace leeway::cli {

namespace {

constexpr std::array<std::string_view, 5> kActivities = {"step", "ahead", "replica", "wait",
                                                         "barrier"};

Instant first_begin(const TickFacts& facts) {
  Instant begin = facts.logs.empty() ? Instant{} : facts.logs.front().counts.begin;
  for (const TickLog& log : facts.logs) begin = std::min(begin, log.counts.begin);
  return begin;
}

/// What every node did, together.
TickCounts total(const TickFacts& facts) {
  TickCounts sum;
  for (const TickLog& log : facts.logs) {
    sum.steps += log.counts.steps;
    sum.stepped += log.counts.stepped;
    sum.ahead += log.counts.ahead;
    sum.copied += log.counts.copied;
    sum.letters += log.counts.letters;
    sum.bytes += log.counts.bytes;
    sum.most_versions = std::max(sum.most_versions, log.counts.most_versions);
    sum.most_ahead = std::max(sum.most_ahead, log.counts.most_ahead);
    sum.step += log.counts.step;
    sum.wait += log.counts.wait;
    sum.stepping += log.counts.stepping;
    sum.own += log.counts.own;
    sum.end += log.counts.end - log.counts.begin;
  }
  return sum;
}

double share(Duration part, Duration whole) {
  return whole.count() > 0 ? seconds(part) / seconds(whole) : 0;
}

/// The activities that pictures of runs know.
NodeLog drawn(const TickLog& log) {
  NodeLog node;
  node.begin = log.counts.begin;
  node.end = log.counts.end;
  node.trace = true;
  for (const TickSpan& span : log.spans) {
    const Activity activity = span.activity == TickActivity::Wait      ? Activity::Blocked
                              : span.activity == TickActivity::Barrier ? Activity::Barrier
                                                                       : Activity::Compute;
    node.span(activity, span.begin, span.end);
  }
  return node;
}

std::string lanes(const TickLog& log, Instant begin) {
  constexpr std::array<std::string_view, 4> kDrawn = {"compute", "blocked", "refresh", "barrier"};
  return list(lanes_of(drawn(log), kLanePieces), [&](const ActivitySpan& span) {
    return format("[{}, {}, {}]", json_string(kDrawn[static_cast<std::size_t>(span.activity)]),
                  number(seconds(span.begin - begin)), number(seconds(span.end - begin)));
  });
}

std::string node_json(const TickLog& log, Instant begin) {
  const TickCounts& counts = log.counts;
  return format(
      "{{\"begin\": {}, \"end\": {}, \"iterations\": {}, \"steps\": {}, \"stepped\": {}, "
      "\"ahead\": {}, \"copied\": {}, \"letters\": {}, \"bytes_sent\": {}, \"most_versions\": {}, "
      "\"most_ahead\": {}, \"step_seconds\": {}, \"wait_seconds\": {}, \"runtime_seconds\": {}, "
      "\"spans\": [{}]}}",
      number(seconds(counts.begin - begin)), number(seconds(counts.end - begin)), counts.ticks,
      counts.steps, counts.stepped, counts.ahead, counts.copied, counts.letters, counts.bytes,
      counts.most_versions, counts.most_ahead, number(seconds(counts.step)),
      number(seconds(counts.wait)), number(seconds(counts.runtime())), lanes(log, begin));
}

/// When the last node had completed each tick.
std::string series(const TickFacts& facts, Instant begin) {
  std::vector<Instant> last;
  for (const TickLog& log : facts.logs) {
    last.resize(std::max(last.size(), log.completed.size()), begin);
    for (std::size_t i = 0; i < log.completed.size(); ++i)
      last[i] = std::max(last[i], log.completed[i]);
  }
  return list(last, [&](Instant at) {
    return format("{{\"seconds\": {}, \"changed\": {}, \"visited\": {}}}",
                  number(seconds(at - begin)), facts.tuples, facts.tuples);
  });
}

}  // namespace

std::string tick_summary(const TickFacts& facts, bool json) {
  const TickCounts sum = total(facts);
  const Duration all = sum.end - Instant{};
  Facts shown;
  shown.text("program", "program", facts.program);
  shown.text("input", "input", facts.input);
  for (const auto& [key, value] : facts.configuration) shown.text(key, key, value);
  shown.count("ticks", "ticks", facts.ticks);
  shown.count("tuples", "tuples", facts.tuples);
  shown.flag("simulated", "simulated time", facts.simulated);
  if (facts.load_seconds) shown.real("load_seconds", "load, seconds", *facts.load_seconds);
  if (facts.setup_seconds) shown.real("setup_seconds", "set up, seconds", *facts.setup_seconds);
  shown.real("compute_seconds", facts.simulated ? "compute, virtual seconds" : "compute, seconds",
             facts.compute_seconds);
  shown.real("tuple_ticks_per_second", "tuple ticks a second",
             static_cast<double>(facts.tuples) * facts.ticks / facts.compute_seconds);
  shown.real("step_share", "share of time in STEP", share(sum.step, all));
  shown.real("wait_share", "share of time waiting", share(sum.wait, all));
  shown.real("runtime_share", "share of time of the runtime",
             share(all - sum.step - sum.wait, all));
  if (sum.own.count() > 0) {
    shown.real("runtime_processor_share", "share of processor time of the runtime",
               share(sum.own, sum.own + sum.stepping));
  }
  shown.count("ahead", "tuples stepped ahead of messages", sum.ahead);
  shown.count("copied", "tuples stepped for others", sum.copied);
  shown.count("messages", "messages", sum.letters);
  shown.bytes("bytes", "sent", sum.bytes);
  shown.count("most_versions", "most versions kept", sum.most_versions);
  if (facts.rebalanced > 0) shown.count("rebalanced", "divided anew", facts.rebalanced);
  if (!facts.verified.empty()) shown.text("verified", "verified", facts.verified);
  return shown.show(json);
}

std::string tick_report_json(const TickFacts& facts) {
  const Instant begin = first_begin(facts);
  const TickCounts sum = total(facts);
  std::string text = report_head("tick", facts.program, facts.configuration,
                                 {facts.input, facts.input_hash, facts.tuples, facts.links});
  text += format(
      "\"simulated\": {},\n\"seconds\": {{{}{}\"compute\": {}, \"output\": {}}},\n"
      "\"virtual_seconds\": {},\n",
      facts.simulated, phase("load", facts.load_seconds), phase("setup", facts.setup_seconds),
      number(facts.compute_seconds), number(facts.output_seconds),
      facts.simulated ? "[\"compute\"]" : "[]");
  text += format(
      "\"iterations\": {}, \"why\": \"as many ticks as were asked for\",\n"
      "\"visited\": {}, \"changed\": {},\n",
      facts.ticks, sum.stepped, sum.stepped);
  text += format(
      "\"ticks\": {{\"steps\": {}, \"stepped\": {}, \"ahead\": {}, \"copied\": {}, "
      "\"most_versions\": {}, \"most_ahead\": {}, \"rebalanced\": {}, \"step_seconds\": {}, "
      "\"wait_seconds\": {}, \"runtime_seconds\": {}, "
      "\"step_processor_seconds\": {}, \"runtime_processor_seconds\": {}}},\n",
      sum.steps, sum.stepped, sum.ahead, sum.copied, sum.most_versions, sum.most_ahead,
      facts.rebalanced, number(seconds(sum.step)), number(seconds(sum.wait)),
      number(seconds(sum.runtime())), number(seconds(sum.stepping)), number(seconds(sum.own)));
  text += format("\"messages\": {{\"state\": {{\"count\": {}, \"bytes\": {}}}}},\n", sum.letters,
                 sum.bytes);
  text += format("\"wire_bytes\": {}, \"digest\": \"x{:016x}\",\n", sum.bytes, facts.digest);
  if (!facts.verified.empty()) text += "\"verified\": " + json_string(facts.verified) + ",\n";
  if (!facts.film.empty()) text += "\"film\": " + facts.film + ",\n";
  text += "\"series\": [" + series(facts, begin) + "],\n";
  text += "\"nodes\": [" +
          list(facts.logs, [&](const TickLog& log) { return node_json(log, begin); }) + "]\n}\n";
  return text;
}

std::string tick_trace_json(const TickFacts& facts) {
  const Instant begin = first_begin(facts);
  const auto micros = [&](Instant at) { return number(seconds(at - begin) * 1e6); };
  std::vector<std::string> events;
  for (std::size_t node = 0; node < facts.logs.size(); ++node) {
    events.push_back(
        format("{{\"ph\":\"M\",\"pid\":0,\"tid\":{},\"name\":\"thread_name\","
               "\"args\":{{\"name\":\"node {}\"}}}}",
               node, node));
    for (const TickSpan& span : facts.logs[node].spans) {
      std::string args = format("\"tick\":{}", span.tick);
      if (span.on != NodeId::none()) args += format(",\"waits_for_node\":{}", span.on);
      events.push_back(
          format("{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"name\":\"{} {}\",\"cat\":\"{}\",\"ts\":{},"
                 "\"dur\":{},\"args\":{{{}}}}}",
                 node, kActivities[static_cast<std::size_t>(span.activity)], span.tick,
                 kActivities[static_cast<std::size_t>(span.activity)], micros(span.begin),
                 number(seconds(span.end - span.begin) * 1e6), args));
    }
    for (std::size_t i = 0; i < facts.logs[node].completed.size(); ++i) {
      events.push_back(
          format("{{\"ph\":\"C\",\"pid\":0,\"name\":\"tick of node {}\",\"ts\":{},"
                 "\"args\":{{\"tick\":{}}}}}",
                 node, micros(facts.logs[node].completed[i]), i + 1));
    }
  }
  return format(
      "{{\"otherData\":{{\"program\":{},\"input\":{},\"time\":\"{}\"}},\n"
      "\"traceEvents\":[\n{}\n]}}\n",
      json_string(facts.program), json_string(facts.input),
      facts.simulated ? "virtual (simulated)" : "real", fmt::join(events, ",\n"));
}

}  // namespace leeway::cli
