// Logs of rounds as text.
#include <algorithm>
#include <charconv>

#include "leeway/base/format.h"
#include "leeway/runtime/pie/forest_forecaster.h"

namespace leeway::pie {

namespace {

constexpr std::string_view kHead = "# leeway rounds 1";
constexpr std::size_t kNumbers = 7;  // x1 to x7
constexpr std::uint64_t kLongest = 100'000;

/// Words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : left_(line) {}

  /// False if there is none, or it is no number.
  template <class T>
  [[nodiscard]] bool number(T& value) {
    skip();
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc()) return false;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return true;
  }
  [[nodiscard]] bool mark(char wanted) {
    if (left_.empty() || left_.front() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool over() {
    skip();
    return left_.empty();
  }

 private:
  void skip() {
    while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
  }
  std::string_view left_;
};

bool parse_line(std::string_view line, RoundSample& sample) {
  Words words(line);
  if (!words.number(sample.seconds) || !(sample.seconds > 0)) return false;
  sample.features.resize(kNumbers);
  for (double& value : sample.features) {
    if (!words.number(value)) return false;
  }
  std::uint64_t length = 0;
  if (!words.number(length) || length == 0 || length > kLongest) return false;
  sample.features.resize(kNumbers + length, 0);
  while (!words.over()) {
    std::uint64_t place = 0;
    double count = 0;
    if (!words.number(place) || place >= length || !words.mark(':') || !words.number(count))
      return false;
    sample.features[kNumbers + place] = count;
  }
  return true;
}

}  // namespace

std::string round_log_text(const std::vector<RoundSample>& samples) {
  std::string text(kHead);
  text += ": seconds, x1 to x7, L, place:count of Z\n";
  for (const RoundSample& sample : samples) {
    text += format("{}", sample.seconds);
    for (std::size_t i = 0; i < kNumbers; ++i) text += format(" {}", sample.features[i]);
    text += format(" {}", sample.features.size() - kNumbers);
    for (std::size_t i = kNumbers; i < sample.features.size(); ++i) {
      if (sample.features[i] != 0) text += format(" {}:{}", i - kNumbers, sample.features[i]);
    }
    text += '\n';
  }
  return text;
}

Result<std::vector<RoundSample>> parse_round_log(std::string_view text, const std::string& name) {
  const auto wrong = [&](std::size_t line, const char* what) {
    return fail(input_error(format("{}:{}", name, line), what,
                            "give a file that leeway run --round-log has written"));
  };
  if (!text.starts_with(kHead)) return wrong(1, "this is no log of rounds");
  std::vector<RoundSample> samples;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (++number == 1 || line.empty()) continue;
    RoundSample sample;
    if (!parse_line(line, sample)) return wrong(number, "this line is not a round");
    if (!samples.empty() && sample.features.size() != samples.front().features.size())
      return wrong(number, "this round's Z is not as long as the first's");
    samples.push_back(std::move(sample));
  }
  if (samples.empty()) return wrong(1, "the log has no rounds to learn from");
  return samples;
}

}  // namespace leeway::pie
