#include "leeway/cli/trace_writer.h"

namespace leeway::cli {

void TraceWriter::lane_name(std::size_t lane, std::string_view name) {
  events_.object([&] {
    events_.member("ph", "M").member("pid", 0).member("tid", lane).member("name", "thread_name");
    events_.key("args").object([&] { events_.member("name", name); });
  });
}

void TraceWriter::begin_stretch(const Stretch& stretch) {
  events_.member("ph", "X").member("pid", stretch.group).member("tid", stretch.lane);
  events_.member("name", stretch.name);
  if (!stretch.category.empty()) events_.member("cat", stretch.category);
  events_.member("ts", micros(stretch.begin));
  events_.member("dur", seconds(stretch.end - stretch.begin) * 1e6);
}

void TraceWriter::begin_counter(std::string_view name, Instant at, std::uint32_t group) {
  events_.member("ph", "C").member("pid", group).member("name", name).member("ts", micros(at));
}

}  // namespace leeway::cli
