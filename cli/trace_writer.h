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
  void lane_name(std::size_t lane, std::string_view name);
  void stretch(const Stretch& stretch) {
    stretch_with(stretch, [] {});
  }
  /// `arguments()` writes members that a viewer shows beside it.
  template <class Arguments>
  void stretch_with(const Stretch& stretch, Arguments&& arguments) {
    events_.object([&] {
      begin_stretch(stretch);
      events_.key("args").object(arguments);
    });
  }
  template <class Values>
  void counter(std::string_view name, Instant at, Values&& values, std::uint32_t group = 0) {
    events_.object([&] {
      begin_counter(name, at, group);
      events_.key("args").object(values);
    });
  }
  JsonWriter& json() { return events_; }

 private:
  void begin_stretch(const Stretch& stretch);
  void begin_counter(std::string_view name, Instant at, std::uint32_t group);
  [[nodiscard]] double micros(Instant at) const { return seconds(at - begin_) * 1e6; }

  JsonWriter& events_;
  Instant begin_;
};

}  // namespace leeway::cli
