#include "runtime/pie/conditions.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/bytes.h"
#include "base/format.h"
#include "base/random.h"

namespace leeway::pie {

namespace {

constexpr std::uint32_t kMostComparisons = 300;  // for T3, in a schedule
constexpr double kMostNew = 0.5;  // share of new values above which the domain counts as not finite
constexpr std::uint64_t kFewestValues = 20;
constexpr std::size_t kShownValues = 3;

/// The first example of a difference between two results, and the number of them.
struct SeenChange {
  std::uint64_t count = 0;
  std::string example;
};

using Results = std::vector<std::byte>;
using Messages = std::deque<std::vector<std::byte>>;

class ScheduleChecker {
 public:
  ScheduleChecker(const std::vector<Fragment>& fragments,
                  const std::function<std::unique_ptr<VirtualWorker>(const Fragment&)>& make,
                  bool announces, const ResultLayout& numbers, const CheckOptions& options)
      : fragments_(fragments),
        make_(make),
        numbers_(numbers),
        options_(options),
        copies_(fragments.size()) {
    for (const Fragment& fragment : fragments_) {
      for (Place p = fragment.inner_count(); announces && p < fragment.vertex_count(); ++p) {
        const Elsewhere home = fragment.home(p);
        copies_[home.fragment.index()].emplace_back(home.place, Elsewhere{fragment.id(), p});
      }
    }
  }

  ConditionReport check() {
    for (std::uint32_t schedule = 0; schedule < options_.schedules; ++schedule) run(schedule);
    conclude();
    return std::move(report_);
  }

 private:
  using Channel = std::pair<std::uint32_t, std::uint32_t>;  // from, to

  std::unique_ptr<VirtualWorker> worker_of(std::size_t fragment) const {
    auto worker = make_(fragments_[fragment]);
    for (const auto& [place, copy] : copies_[fragment]) worker->routes().announce(place, copy);
    worker->routes().settle();
    return worker;
  }

  void run(std::uint32_t schedule) {
    random_ = Random(options_.seed, schedule);
    last_quarter_ = 4 * schedule >= 3 * options_.schedules;
    compared_ = 0;
    workers_.clear();
    for (std::size_t i = 0; i < fragments_.size(); ++i) workers_.push_back(worker_of(i));
    begun_.assign(fragments_.size(), false);
    in_flight_.clear();
    // The chance of delivering a message before the next round differs between schedules.
    const double deliveries = random_.unit();
    std::uint32_t rounds = 0;
    while (rounds < options_.most_rounds) {
      const std::vector<std::uint32_t> runnable = workers_with_work();
      if (runnable.empty() && in_flight_.empty()) break;
      if (!in_flight_.empty() && (runnable.empty() || random_.chance(deliveries))) {
        deliver_any();
      } else {
        one_round(runnable[random_.below(runnable.size())], rounds++);
      }
    }
    report_.rounds += rounds;
    if (rounds == options_.most_rounds) {
      ++report_.unfinished;
    } else {
      compare_answers();
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> workers_with_work() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < workers_.size(); ++i) {
      if (!begun_[i] || workers_[i]->staleness() > 0 || workers_[i]->unfinished()) all.push_back(i);
    }
    return all;
  }

  void deliver_any() {
    auto channel = in_flight_.begin();
    std::advance(channel, static_cast<std::ptrdiff_t>(random_.below(in_flight_.size())));
    const auto [from, to] = channel->first;
    if (begun_[to] && workers_[to]->saves()) compare_rounds(to);
    (void)workers_[to]->receive(PartId(from), channel->second.front(), false);
    channel->second.pop_front();
    if (channel->second.empty()) in_flight_.erase(channel);
  }

  void one_round(std::uint32_t at, std::uint32_t round) {
    VirtualWorker& worker = *workers_[at];
    if (begun_[at]) {
      const Results before = results_of(worker);
      worker.inceval();
      look_for_changes(at, before, results_of(worker), round);
    } else {
      worker.peval();
      begun_[at] = true;
    }
    worker.drain([&](PartId to, std::span<const std::byte> message) {
      if (!message.empty())
        in_flight_[{at, to.value()}].emplace_back(message.begin(), message.end());
    });
  }

  [[nodiscard]] static Results results_of(const VirtualWorker& worker) {
    ByteWriter out;
    worker.write_results(out);
    return out.take();
  }

  [[nodiscard]] double number(const Results& results, Place place, std::size_t index) const {
    return numbers_.number(results.data() + place * numbers_.bytes, index);
  }
  [[nodiscard]] std::string name(VertexId vertex) const {
    return options_.name ? options_.name(vertex) : format("{}", vertex);
  }
  [[nodiscard]] std::string name(std::uint32_t fragment, Place place) const {
    return name(fragments_[fragment].vertex(place));
  }

  /// Calls `take(place, index, a, b)` for each number that differs.
  template <class Take>
  void each_difference(std::uint32_t fragment, const Results& a, const Results& b,
                       Take&& take) const {
    for (Place p = 0; p < fragments_[fragment].inner_count(); ++p) {
      for (std::size_t index = 0; index < numbers_.count; ++index) {
        const double one = number(a, p, index);
        const double other = number(b, p, index);
        if (one == other || (std::isnan(one) && std::isnan(other))) continue;
        const double size = std::max(std::abs(one), std::abs(other));
        if (std::isfinite(size) && std::abs(one - other) <= numbers_.rounding * size) continue;
        take(p, index, one, other);
      }
    }
  }

  void look_for_changes(std::uint32_t at, const Results& before, const Results& after,
                        std::uint32_t round) {
    each_difference(at, before, after, [&](Place p, std::size_t index, double was, double is) {
      SeenChange& seen = is > was ? rose_ : fell_;
      if (seen.count++ == 0)
        seen.example = format("vertex {}: from {} to {} in round {}", name(at, p), was, is, round);
      if (index > 0) return;
      note_value(fragments_[at].vertex(p), is);
    });
  }

  void note_value(VertexId vertex, double value) {
    auto& taken = taken_[vertex.value()];
    const bool fresh = taken.insert(value).second;
    report_.values += fresh ? 1 : 0;
    if (!last_quarter_) return;
    ++late_values_;
    late_new_ += fresh ? 1 : 0;
  }

  /// T3: the worker's next round with the messages that it has and some of those in flight, and with all of them; then
  /// the former gets the others too. Messages of one sender stay in order. f_aggr is a function of a set, so the results must not
  /// depend on the order in which messages arrive; that is tested too.
  void compare_rounds(std::uint32_t at) {
    struct Sent {
      PartId from{0};
      const std::vector<std::byte>* message = nullptr;
    };
    std::vector<Sent> some, others;
    for (const auto& [channel, messages] : in_flight_) {
      if (channel.second != at) continue;
      std::uint64_t first = random_.below(messages.size() + 1);
      for (const auto& message : messages) {
        (first > 0 ? some : others).push_back({PartId(channel.first), &message});
        first -= first > 0 ? 1 : 0;
      }
    }
    if (others.empty() || compared_ == kMostComparisons) return;
    ByteWriter state;
    workers_[at]->save(state);
    const auto give = [](VirtualWorker& worker, const std::vector<Sent>& all) {
      for (const Sent& each : all) (void)worker.receive(each.from, *each.message, false);
    };
    const auto copy = [&] {
      auto worker = worker_of(at);
      ByteReader in(state.span());
      (void)worker->restore(in);
      give(*worker, some);
      return worker;
    };
    const auto behind = copy();
    const auto ahead = copy();
    if (behind->staleness() == 0 && !behind->unfinished()) return;
    give(*ahead, others);
    run_and_drop(*behind);
    run_and_drop(*ahead);
    compare(at, *ahead, *behind, "with more messages");
    give(*behind, others);
    run_and_drop(*behind);
    compare(at, *ahead, *behind, "with the same messages one round earlier");
    const auto reordered = copy();
    std::reverse(others.begin(), others.end());
    give(*reordered, others);
    run_and_drop(*reordered);
    each_difference(at, results_of(*ahead), results_of(*reordered),
                    [&](Place p, std::size_t, double one, double other) {
                      if (order_matters_.count++ == 0)
                        order_matters_.example =
                            format("vertex {}: {}, and {} with the same messages in another order",
                                   name(at, p), one, other);
                    });
    ++compared_;
    ++report_.comparisons;
  }

  /// One IncEval: rounds of a program that ends them early (PIE's bounded programs), until no local work is left.
  void run_and_drop(VirtualWorker& worker) const {
    std::uint32_t rounds = 0;
    do {
      worker.inceval();
      worker.drain([](PartId, std::span<const std::byte>) {});
    } while (worker.unfinished() && ++rounds < options_.most_rounds);
  }

  void compare(std::uint32_t at, const VirtualWorker& ahead, const VirtualWorker& behind,
               std::string_view how) {
    each_difference(at, results_of(behind), results_of(ahead),
                    [&](Place p, std::size_t, double less, double more) {
                      SeenChange& seen = more > less ? more_is_above_ : more_is_below_;
                      if (seen.count++ == 0)
                        seen.example =
                            format("vertex {}: {} {}, else {}", name(at, p), more, how, less);
                    });
  }

  void compare_answers() {
    std::vector<Results> answers;
    for (const auto& worker : workers_) answers.push_back(results_of(*worker));
    if (first_answers_.empty()) {
      first_answers_ = std::move(answers);
      return;
    }
    for (std::uint32_t i = 0; i < answers.size(); ++i) {
      each_difference(
          i, first_answers_[i], answers[i], [&](Place p, std::size_t, double one, double other) {
            const double most = std::max(std::abs(one), std::abs(other));
            const double difference = std::abs(one - other) / most;
            if (difference <= largest_difference_) return;
            largest_difference_ = difference;
            report_.same_answer.counterexample = format(
                "vertex {}: {} or {}, by {:.2g} of the larger", name(i, p), one, other, difference);
          });
    }
  }

  void conclude() {
    report_.rises = rose_.count > fell_.count;
    const SeenChange& minority = report_.rises ? fell_ : rose_;
    const SeenChange& majority = report_.rises ? rose_ : fell_;
    if (minority.count > 0)
      report_.contracting.counterexample = format("{}; but {}", minority.example, majority.example);
    const SeenChange& wrong = report_.rises ? more_is_below_ : more_is_above_;
    report_.monotonic.counterexample = wrong.count > 0 ? wrong.example : order_matters_.example;
    if (!workers_.empty() && !workers_.front()->saves()) {
      report_.monotonic = {false, "the program's Partial cannot be saved (base/archive.h)"};
    }
    if (late_values_ == 0) return;
    report_.new_values = static_cast<double>(late_new_) / static_cast<double>(late_values_);
    if (late_values_ >= kFewestValues && report_.new_values > kMostNew) {
      const auto most = std::max_element(
          taken_.begin(), taken_.end(),
          [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
      const std::vector<double> values(most->second.begin(), most->second.end());
      const auto shown = std::span(values).first(std::min(values.size(), kShownValues));
      report_.finite.counterexample = format(
          "vertex {} took {} values, among them {}; {:.0f} % of the values in the last schedules "
          "were new",
          name(VertexId(most->first)), values.size(), fmt::join(shown, ", "),
          100 * report_.new_values);
    }
  }

  const std::vector<Fragment>& fragments_;
  const std::function<std::unique_ptr<VirtualWorker>(const Fragment&)>& make_;
  const ResultLayout& numbers_;
  const CheckOptions& options_;
  std::vector<std::vector<std::pair<Place, Elsewhere>>> copies_;  // of inner vertices, by fragment
  Random random_{0, 0};
  std::vector<std::unique_ptr<VirtualWorker>> workers_;
  std::vector<bool> begun_;
  std::map<Channel, Messages> in_flight_;  // no empty lists
  std::vector<Results> first_answers_;
  double largest_difference_ = 0;
  std::uint32_t compared_ = 0;  // in this schedule
  SeenChange rose_, fell_, more_is_above_, more_is_below_, order_matters_;
  std::unordered_map<std::uint32_t, std::set<double>> taken_;  // by vertex: the values it took
  bool last_quarter_ = false;
  std::uint64_t late_values_ = 0;  // taken in the last quarter of the schedules
  std::uint64_t late_new_ = 0;
  ConditionReport report_;
};

}  // namespace

ConditionReport check_workers(
    const std::vector<Fragment>& fragments,
    const std::function<std::unique_ptr<VirtualWorker>(const Fragment&)>& make, bool announces,
    const ResultLayout& numbers, const CheckOptions& options) {
  return ScheduleChecker(fragments, make, announces, numbers, options).check();
}

}  // namespace leeway::pie
