#include <algorithm>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/machine.h"
#include "leeway/cli/output.h"

namespace leeway::cli {

namespace {

std::string_view health_name(Health health) {
  switch (health) {
    case Health::Good:
      return "ok";
    case Health::Advice:
      return "advice";
    case Health::Problem:
      return "problem";
  }
  return "unknown";
}

std::string as_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += format("{:<8} {:<14} {}\n", health_name(finding.health), finding.topic, finding.seen);
    if (!finding.remedy.empty()) text += format("{:<23} -> {}\n", "", finding.remedy);
  }
  return text;
}

std::string as_json(const std::vector<Finding>& findings) {
  JsonWriter json(JsonWriter::Layout::Lines);
  json.array(findings, [&](const Finding& finding) {
    json.object([&] {
      json.member("topic", finding.topic).member("health", health_name(finding.health));
      json.member("seen", finding.seen).member("remedy", finding.remedy);
    });
  });
  return std::move(json).text();
}

}  // namespace

Result<int> run_doctor(const Invocation& invocation) {
  const std::vector<Finding> findings = examine_machine();
  LEEWAY_TRY(print(invocation.options.json ? as_json(findings) : as_text(findings)));
  const bool sick = std::any_of(findings.begin(), findings.end(),
                                [](const Finding& f) { return f.health == Health::Problem; });
  return sick ? 3 : 0;
}

}  // namespace leeway::cli
