#include "leeway/cli/report_text.h"

#include "leeway/base/json_text.h"
#include "leeway/cli/commit.h"

namespace leeway::cli {

std::string report_head(std::string_view engine, std::string_view program,
                        const ReportConfiguration& configuration, const ReportInput& input) {
  std::string text = format("{{\n\"leeway\": {}, \"commit\": {}, ", json_string(LEEWAY_VERSION),
                            json_string(source_commit()));
  if (!engine.empty()) text += "\"engine\": " + json_string(engine) + ", ";
  text += "\"program\": " + json_string(program) + ",\n";
  text += "\"configuration\": {" +
          list(configuration,
               [](const auto& pair) {
                 return json_string(pair.first) + ": " + json_string(pair.second);
               }) +
          "},\n";
  return text +
         format("\"input\": {{\"graph\": {}, \"hash\": {}, \"vertices\": {}, \"arcs\": {}}},\n",
                json_string(input.graph), json_string(input.hash), input.vertices, input.arcs);
}

}  // namespace leeway::cli
