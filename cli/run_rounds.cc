#include "leeway/cli/run_rounds.h"

#include <map>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

struct WorkerTotal {
  std::uint64_t rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t sent = 0;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  double computing = 0;
  double stretched = 0;
};

double micros(Instant at, Instant begin) { return seconds(at - begin) * 1e6; }

}  // namespace

std::vector<std::string> round_events(const RunRecord& record, Instant begin) {
  std::vector<std::string> events;
  for (const pie::RoundRecord& round : record.rounds) {
    const char* const kind = round.round == Round(0) ? "PEval" : "IncEval";
    events.push_back(format(
        "{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":\"{}\",\"ts\":{},\"dur\":{},\"args\":"
        "{{\"round\":{},\"eta\":{},\"L\":{},\"t\":{},\"s\":{},\"DS\":{},\"r_min\":{},"
        "\"r_max\":{},\"taken\":{},\"sent\":{},\"edges\":{}}}}}",
        round.worker, kind, micros(round.begin, begin), seconds(round.end - round.begin) * 1e6,
        round.round, round.staleness, round.target, round.predicted_seconds, round.arrival_rate,
        round.stretch_seconds, round.slowest, round.fastest, round.taken, round.sent, round.edges));
    events.push_back(
        format("{{\"ph\":\"C\",\"pid\":1,\"name\":\"worker {}\",\"ts\":{},"
               "\"args\":{{\"eta\":{},\"L\":{},\"DS us\":{}}}}}",
               round.worker, micros(round.begin, begin), round.staleness, round.target,
               round.stretch_seconds * 1e6));
  }
  return events;
}

std::string workers_json(const RunRecord& record) {
  std::map<PartId, WorkerTotal> totals;
  for (const pie::RoundRecord& round : record.rounds) {
    WorkerTotal& total = totals[round.worker];
    ++total.rounds;
    total.messages += round.staleness;
    total.sent += round.sent;
    total.vertices += round.vertices;
    total.edges += round.edges;
    total.computing += seconds(round.end - round.begin);
    total.stretched += round.stretch_seconds;
  }
  std::string text;
  for (const auto& [worker, total] : totals) {
    text += format(
        "{}\n {{\"worker\": {}, \"rounds\": {}, \"messages\": {}, \"parameters_sent\": {}, "
        "\"vertices\": {}, \"edges\": {}, \"computing\": {}, \"held\": {}}}",
        text.empty() ? "" : ",", worker, total.rounds, total.messages, total.sent, total.vertices,
        total.edges, total.computing, total.stretched);
  }
  return "[" + text + "]";
}

}  // namespace leeway::cli
