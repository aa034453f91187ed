// Events in Chrome's trace format: lanes of stretches and counters, times in microseconds since a start.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leeway/base/clock.h"
#include "leeway/base/json_writer.h"

namespace leeway::cli {

class TraceWriter {
 public:
  TraceWriter(JsonWriter& events, Instant begin) : events_(events), begin_(begin) {}

  /// A stretch of time in a lane; lanes of one `group` stand together.
  struct Stretch {
    std::size_t lane = 0;
    std::string name;
    Instant begin{};
    Instant end{};
    std::string_view category = {};
    std::uint32_t group = 0;
  };
  void lane_name(std::size_t lane, std::string_view name) {
    event([&] { begin_event("M", 0).member("tid", lane).member("name", "thread_name"); },
          [&] { events_.member("name", name); });
  }
  /// `arguments()` writes members that a viewer shows beside it.
  template <class Arguments>
  void stretch(const Stretch& stretch, Arguments&& arguments) {
    event(
        [&] {
          begin_event("X", stretch.group).member("tid", stretch.lane).member("name", stretch.name);
          if (!stretch.category.empty()) events_.member("cat", stretch.category);
          events_.member("ts", micros(stretch.begin));
          events_.member("dur", seconds(stretch.end - stretch.begin) * 1e6);
        },
        arguments);
  }
  template <class Values>
  void counter(std::string_view name, Instant at, Values&& values, std::uint32_t group = 0) {
    event([&] { begin_event("C", group).member("name", name).member("ts", micros(at)); }, values);
  }
  JsonWriter& json() { return events_; }

 private:
  template <class Head, class Arguments>
  void event(Head&& head, Arguments&& arguments) {
    events_.object([&] {
      head();
      events_.key("args").object(arguments);
    });
  }
  JsonWriter& begin_event(const char* phase, std::uint32_t group) {
    return events_.member("ph", phase).member("pid", group);
  }
  [[nodiscard]] double micros(Instant at) const { return seconds(at - begin_) * 1e6; }

  JsonWriter& events_;
  Instant begin_;
};

}  // namespace leeway::cli
