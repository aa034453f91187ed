// Runs by ticks of a program with its own scene: what does not depend on the engine, and what both engines need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "leeway/tick.h"
#include "programs/catalog/ticked_run.h"
#include "programs/scene/film.h"
#include "programs/scene/spatial.h"

namespace leeway {

/// States at some ticks, by id: views of the run's result.
template <class Thing>
using Pictures = std::vector<std::pair<std::uint32_t, std::span<const Thing>>>;

/// A simulation without its engine.
template <class Thing>
struct Scene {
  std::string name;          ///< "1000 fish in a basin of 100 x 100"
  std::string identity;      ///< name and all other parameters, for snapshots
  std::uint64_t count = 0;   ///< number of things or cells
  std::vector<Thing> first;  ///< empty if this process does not need it
  /// Hash of all model parameters and the initial state. Runs of equal length with equal hashes compute the same
  /// result on every engine; `leeway compare` warns if hashes differ.
  std::string hash;
  std::function<bool(std::uint64_t ticks)> verifies;
  /// The final state, computed sequentially.
  std::function<std::vector<Thing>(std::vector<Thing> first, std::uint32_t ticks)> after;
  std::function<ResultTable(std::span<const Thing>)> table;
  /// Makes the frames file; none: the scene has no frames.
  std::function<std::string(std::span<const Thing>, const Pictures<Thing>&)> film = {};
};

/// Where moving things are: they interact up to distance `range` in a plane.
struct MovingSpace {
  double range = 0;
  double width = 0, height = 0;
};

/// Sets verification, table and frames of a scene of moving things. `kind`: the member by which a player colours them.
template <class Thing>
void set_moving(std::string_view program, const MovingSpace& space, std::uint32_t Thing::*kind,
                Scene<Thing>& scene) {
  scene.verifies = [count = scene.count, space](std::uint64_t ticks) {
    return verifies_pairs(count, space.range, space.width, ticks);
  };
  scene.table = things_table<std::span<const Thing>>;
  scene.film = [=](std::span<const Thing> things, const Pictures<Thing>& pictures) {
    Film film{.program = std::string(program), .width = space.width, .height = space.height};
    for (const Thing& thing : things) film.kinds.push_back(thing.*kind);
    for (const auto& [tick, shown] : pictures) film.add(tick, shown);
    return film_json(film);
  };
}

/// Checks the number of things in the file against a number that was given.
Status check_count(const SceneParameters& scene, std::string_view flag, std::string_view things,
                   const std::optional<std::uint32_t>& given, std::uint64_t count);

template <class Thing>
class SceneRun : public TickedRun {
 public:
  explicit SceneRun(const TickedSettings& settings) : settings_(settings) {}

  Status open() override {
    LEEWAY_ASSIGN(scene_, make());
    return {};
  }
  [[nodiscard]] TickedSubject subject() const override {
    return {.name = scene_.name,
            .identity = {
                .graph = scene_.identity, .graph_hash = scene_.hash, .vertices = scene_.count}};
  }
  [[nodiscard]] bool verifies(std::uint64_t ticks) const override { return scene_.verifies(ticks); }
  Result<std::string> verify(std::uint32_t last) override {
    const std::vector<Thing> expected = scene_.after(std::move(scene_.first), last);
    const auto [ours, other] =
        std::mismatch(things_.begin(), things_.end(), expected.begin(), expected.end());
    if (ours != things_.end() || other != expected.end()) {
      return fail(differs(format("item {} of {} differs, of {} expected", ours - things_.begin(),
                                 things_.size(), expected.size())));
    }
    return std::string("bitwise equal to the sequential program's result");
  }
  [[nodiscard]] ResultTable table() const override { return scene_.table(things_); }
  [[nodiscard]] std::string film() const override { return scene_.film(things_, pictures_); }

 protected:
  /// The scene; its initial state only where it is needed.
  virtual Result<Scene<Thing>> make() = 0;
  [[nodiscard]] const TickedSettings& settings() const { return settings_; }
  [[nodiscard]] bool is_read() const { return !settings_.scene.file.empty(); }
  [[nodiscard]] Scene<Thing>& scene() { return scene_; }
  [[nodiscard]] const Scene<Thing>& scene() const { return scene_; }
  /// The things after the last tick; the run keeps them.
  void show(std::span<const Thing> things) { things_ = things; }
  void add_picture(std::uint32_t tick, std::span<const Thing> things) {
    pictures_.emplace_back(tick, things);
  }

 private:
  const TickedSettings& settings_;
  Scene<Thing> scene_;
  std::span<const Thing> things_;
  Pictures<Thing> pictures_;
};

/// The record of a run of a tick program with these options. Moves the nodes' records.
template <class State>
TickEngineRecord record_of(const tick::TickOptions& options, tick::TickResult<State>& run) {
  TickEngineRecord record{.used = options,
                          .nodes = std::move(run.result.nodes),
                          .elapsed = run.elapsed,
                          .digest = run.digest,
                          .rebalanced = run.result.rebalanced};
  record.used.depth = run.parameters.depth;
  record.used.every = run.parameters.every;
  record.used.replicas = run.parameters.replicas;
  return record;
}

/// A scene on the tick engine.
template <class Thing, class State>
class SceneInTicks : public SceneRun<Thing> {
 public:
  using SceneRun<Thing>::SceneRun;

  [[nodiscard]] TickInterval interval() const override {
    return {.ticks = this->settings().ticks(),
            .synchronization = tick::sync_name(this->settings().tick.sync)};
  }
  Result<TickedRecord> run(TickSnapshots& snapshots, const TickInterval& span) override {
    LEEWAY_ASSIGN(const tick::TickEnds<State> ends, tick::ends_of(snapshots, all(), from_));
    tick::TickOptions ticks = in_span(this->settings(), span);
    ticks.measure = measured_every(this->settings().measures, this->settings().ticks());
    LEEWAY_ASSIGN(run_, step(ticks, ends));
    if (this->settings().first) {
      for (const auto& [tick, state] : run_.result.frames)
        this->add_picture(tick.value(), things_of(state));
      this->show(things_of(run_.result.state));
    }
    return record_of(ticks, run_);
  }

 protected:
  /// The query that selects every tuple.
  [[nodiscard]] virtual typename State::Query all() const = 0;
  virtual Result<tick::TickResult<State>> step(const tick::TickOptions& options,
                                               const tick::TickEnds<State>& ends) = 0;
  /// A state's things, by id.
  [[nodiscard]] virtual std::span<const Thing> things_of(const State& state) = 0;

 private:
  State from_;
  tick::TickResult<State> run_;
};

/// The start of a run of the piece engine that may resume a snapshot, and the receiver of its checkpoints.
template <class Thing>
class PieceStart {
 public:
  PieceStart(TickSnapshots& snapshots, const TickInterval& span) {
    static_assert(std::is_trivially_copyable_v<Thing>);
    ends_.every = span.every;
    if (const auto& start = snapshots.start()) {
      from_.resize(start->state.size() / sizeof(Thing));
      if (!start->state.empty())
        std::memcpy(static_cast<void*>(from_.data()), start->state.data(), start->state.size());
      ends_.from = &from_;
    }
    if (!snapshots.takes()) return;
    ends_.keep = [&snapshots](piece::TickId tick, const std::vector<Thing>& things) {
      snapshots.keep(snapshots.first() + tick.value(), std::as_bytes(std::span(things)));
    };
  }
  PieceStart(const PieceStart&) = delete;
  PieceStart& operator=(const PieceStart&) = delete;
  [[nodiscard]] const piece::PieceEnds<Thing>& ends() const { return ends_; }

 private:
  std::vector<Thing> from_;
  piece::PieceEnds<Thing> ends_;
};

/// The ticks of a run of the piece engine. `terminates`: it ends by convergence. `type`: of the elements in snapshots.
template <class Thing>
[[nodiscard]] TickInterval piece_interval(const TickedSettings& settings, bool terminates,
                                          std::string_view type) {
  constexpr std::uint32_t kMostTicksToConverge = 100'000;
  return {.ticks = terminates ? kMostTicksToConverge : settings.ticks(),
          .terminates = terminates,
          .synchronization = piece::system_name(settings.piece.system),
          .thing_bytes = sizeof(Thing),
          .thing_type = type};
}
/// Options of a run of the ticks of `span`.
[[nodiscard]] piece::PieceOptions pieces_in_span(const TickedSettings& settings,
                                                 const TickInterval& span);
/// The priority considers the tick only: D(P) is undefined for graphs and equations (AsyTick §4.2.2, §5.3).
void ignore_distance(const TickedSettings& settings, piece::PieceOptions& options);
/// The tolerance as snapshots record it: 0 for a fixed number of ticks, too, because the states are the same.
[[nodiscard]] std::string tolerance_name(const std::optional<double>& tolerance);

/// A scene of moving things on the piece engine.
template <class Model, class Thing>
class SceneInPieces : public SceneRun<Thing> {
 public:
  using SceneRun<Thing>::SceneRun;

  [[nodiscard]] TickInterval interval() const override {
    return piece_interval<Thing>(this->settings(), false, "bytes");
  }
  Result<TickedRecord> run(TickSnapshots& snapshots, const TickInterval& span) override {
    const PieceStart<Thing> start(snapshots, span);
    const piece::PieceOptions options = pieces_in_span(this->settings(), span);
    piece::SpatialJob<Model, Thing> moving{.model = model(),
                                           .things = std::move(this->scene().first),
                                           .pieces = this->settings().pieces};
    LEEWAY_ASSIGN(run_,
                  piece::run_spatial(moving, this->settings().cluster, options, start.ends()));
    this->scene().first = std::move(moving.things);
    for (const auto& [tick, shown] : run_.frames)
      this->add_picture(snapshots.first() + tick, shown);
    this->show(run_.things);
    return PieceEngineRecord{options, run_.record};
  }

 protected:
  [[nodiscard]] virtual Model model() const = 0;

 private:
  piece::SimulationResult<Thing> run_;
};

/// For EngineRun::ticked.
template <class Run>
std::unique_ptr<TickedRun> ticked_by(const TickedSettings& settings) {
  return std::make_unique<Run>(settings);
}

}  // namespace leeway
