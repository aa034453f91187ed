#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/scene_run.h"
#include "programs/jacobi/piece.h"
#include "programs/jacobi/tick.h"
#include "programs/reference/oracles.h"
#include "programs/scene/hash.h"
#include "programs/scene/scenes.h"

namespace leeway {

namespace {

std::string hash_of(const scene::Plate& plate, std::span<const double> heat) {
  SceneHash hash;
  hash.add(plate.columns);
  hash.add(plate.rows);
  for (const double cell : heat) hash.add({cell});
  return hash.text();
}

/// Cells of a plate in row-major order.
ResultTable plate_table(std::size_t columns, std::span<const double> cells) {
  ResultTable table;
  table.columns = {"column", "row", "value"};
  table.named = 2;
  table.rows = cells.size();
  table.fill = [columns, cells](std::uint64_t row, std::vector<ResultCell>& into) {
    into = {row % columns, row / columns, cells[row]};
  };
  return table;
}

scene::Plate plate_of(const TickedSettings& settings) {
  return {settings.scene.columns, settings.scene.rows};
}

Scene<double> plate_scene(const TickedSettings& settings) {
  const scene::Plate plate = plate_of(settings);
  Scene<double> scene;
  scene.name = format("a plate of {} x {} cells", plate.columns, plate.rows);
  scene.identity = format("{}, seed {}", scene.name, settings.seed);
  scene.count = plate.cells();
  if (settings.makes_state) scene.first = scene::first_plate(plate, settings.seed);
  scene.hash = hash_of(plate, scene.first);
  scene.verifies = [plate](std::uint64_t ticks) { return verifies_cells(plate.cells(), ticks); };
  scene.after = [plate](std::vector<double> first, std::uint32_t ticks) {
    return reference::plate_after(plate, std::move(first), ticks);
  };
  scene.table = [plate](std::span<const double> heat) { return plate_table(plate.columns, heat); };
  return scene;
}

class PlateInTicks final : public SceneInTicks<double, tick::Field> {
 public:
  using SceneInTicks::SceneInTicks;

  [[nodiscard]] std::vector<MemoryDemand> memory() const override {
    return {{"--plate", "cells", plate_of(settings()).cells(),
             tuple_bytes(sizeof(double), settings().cluster)}};
  }

 private:
  Result<Scene<double>> make() override { return plate_scene(settings()); }
  [[nodiscard]] tick::IndexRange all() const override {
    const scene::Plate plate = plate_of(settings());
    return {0, 0, plate.columns, plate.rows};
  }
  Result<tick::HeatRun> step(const tick::TickOptions& options,
                             const tick::HeatEnds& ends) override {
    return tick::run_heat({.plate = plate_of(settings()), .seed = settings().seed}, options,
                          settings().cluster, ends);
  }
  [[nodiscard]] std::span<const double> things_of(const tick::Field& state) override {
    return {state.at(0, 0), plate_of(settings()).cells()};
  }
};

class PlateInPieces final : public SceneRun<double> {
 public:
  using SceneRun::SceneRun;

  [[nodiscard]] std::vector<MemoryDemand> memory() const override {
    return {{"--plate", "cells", plate_of(settings()).cells(), 4 * sizeof(double)}};
  }
  [[nodiscard]] TickedSubject subject() const override {
    TickedSubject subject = SceneRun::subject();
    subject.identity.settings = {{"tolerance", tolerance_name(tolerance())}};
    return subject;
  }
  [[nodiscard]] TickInterval interval() const override {
    return piece_interval<double>(settings(), tolerance().has_value(), "f64");
  }
  Result<TickedRecord> run(TickSnapshots& snapshots, const TickInterval& span) override {
    const PieceStart<double> start(snapshots, span);
    const piece::PieceOptions options = pieces_in_span(settings(), span);
    const piece::JacobiJob job{.plate = plate_of(settings()),
                               .seed = settings().seed,
                               .pieces = settings().pieces,
                               .tolerance = tolerance(),
                               .measure = measured_every(settings().measures, settings().ticks())};
    LEEWAY_ASSIGN(run_, piece::run_jacobi(job, settings().cluster, options, start.ends()));
    show(run_.heat);
    return PieceEngineRecord{options, run_.record};
  }

 private:
  [[nodiscard]] std::optional<double> tolerance() const {
    return settings().iterations ? std::nullopt : settings().parameters.tolerance;
  }
  Result<Scene<double>> make() override { return plate_scene(settings()); }

  piece::JacobiResult run_;
};

}  // namespace

const Program& programs::jacobi() {
  static const Program kProgram = {
      .name = "jacobi",
      .summary = "heat that spreads over a plate, tick by tick",
      .result = "a report",
      .input = ProgramInput::Scene,
      .exact = true,
      .engines = {{.engine = EngineName::Tick,
                   .takes = {Parameter::Seed, Parameter::Plate},
                   .ticked = ticked_by<PlateInTicks>},
                  {.engine = EngineName::Piece,
                   .takes = {Parameter::Seed, Parameter::Plate, Parameter::Tolerance},
                   .ticked = ticked_by<PlateInPieces>}},
  };
  return kProgram;
}

}  // namespace leeway
