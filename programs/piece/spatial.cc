#include "programs/piece/spatial.h"

#include <cmath>
#include <unordered_set>

#include "base/format.h"

namespace leeway::piece {

namespace {

using scene::Fish;
using scene::FishModel;

class FishLaw {
 public:
  using Thing = Fish;
  using Sum = scene::Influence;

  FishLaw(const FishModel& model, const Prices& prices) : model_(&model), prices_(prices) {}

  [[nodiscard]] Box space() const {
    return {.left = 0, .bottom = 0, .right = model_->width, .top = model_->height};
  }
  [[nodiscard]] double visibility() const { return model_->visibility; }
  [[nodiscard]] double reach() const { return model_->reach; }
  void add(const Thing& to, const Thing& from, Sum& sum) const {
    scene::observe(*model_, to, from, sum);
  }
  [[nodiscard]] Thing next(const Thing& fish, const Sum& sum) const {
    return scene::swim(*model_, fish, sum);
  }
  [[nodiscard]] const Prices& prices() const { return prices_; }

 private:
  const FishModel* model_;
  Prices prices_;
};

Status admit_fish(const FishModel& model, const std::vector<Fish>& fish) {
  const auto refuse = [](const Fish& each, std::string what) {
    return fail(input_error(format("fish {}", each.id), std::move(what),
                            "give positions inside the basin and finite numbers"));
  };
  if (!(model.width > 0 && model.height > 0 && model.visibility > 0 && model.reach > 0)) {
    return fail(input_error("fish", "the basin, what is visible and the reach must be above 0",
                            "give positive sizes"));
  }
  std::unordered_set<std::uint32_t> ids;
  for (const Fish& each : fish) {
    if (!std::isfinite(each.x) || !std::isfinite(each.y))
      return refuse(each, "its position is not finite");
    if (!std::isfinite(each.vx) || !std::isfinite(each.vy))
      return refuse(each, "its heading is not finite");
    if (each.x < 0 || each.x > model.width || each.y < 0 || each.y > model.height)
      return refuse(each, format("({}, {}) is outside the basin", each.x, each.y));
    if (!ids.insert(each.id).second) return refuse(each, "its id occurs twice");
  }
  return {};
}

}  // namespace

Result<SimulationResult<Fish>> run_fish(const FishJob& job, const ClusterOptions& cluster,
                                        const PieceOptions& options,
                                        const PieceEnds<scene::Fish>& ends) {
  const std::vector<Fish>& things = ends.from != nullptr ? *ends.from : job.fish;
  LEEWAY_TRY(admit_fish(job.model, things));
  const FishLaw law(job.model, job.prices);
  LEEWAY_ASSIGN(SpacePieces pieces, SpacePieces::make(law.space(), cluster.nodes, job.pieces,
                                                      law.visibility() + law.reach()));
  const Spatial<FishLaw> program(law, std::move(pieces), things);
  LEEWAY_ASSIGN(
      PieceResult run,
      run_pieces_of(program, cluster, with_keeper(options, ends, things_by_id<scene::Fish>)));
  return simulation_of<Fish>(std::move(run), options.frame_every > 0);
}

namespace {

class NBodyLaw {
 public:
  using Thing = scene::Body;
  using Sum = scene::Pull;

  NBodyLaw(const scene::NBodyModel& model, const Prices& prices)
      : model_(&model), prices_(prices) {}

  [[nodiscard]] Box space() const {
    return {.left = 0, .bottom = 0, .right = model_->width, .top = model_->height};
  }
  [[nodiscard]] double visibility() const { return model_->radius; }
  [[nodiscard]] double reach() const { return model_->reach; }
  void add(const Thing& to, const Thing& from, Sum& sum) const {
    sum += scene::pull_of(*model_, to, from);
  }
  [[nodiscard]] Thing next(const Thing& body, const Sum& sum) const {
    return scene::moved(*model_, body, sum);
  }
  [[nodiscard]] const Prices& prices() const { return prices_; }

 private:
  const scene::NBodyModel* model_;
  Prices prices_;
};

}  // namespace

Result<SimulationResult<scene::Body>> run_nbody(const NBodyJob& job, const ClusterOptions& cluster,
                                                const PieceOptions& options,
                                                const PieceEnds<scene::Body>& ends) {
  const std::vector<scene::Body>& things = ends.from != nullptr ? *ends.from : job.bodies;
  LEEWAY_TRY(scene::admit_bodies(job.model, things));
  const NBodyLaw law(job.model, job.prices);
  LEEWAY_ASSIGN(SpacePieces pieces, SpacePieces::make(law.space(), cluster.nodes, job.pieces,
                                                      law.visibility() + law.reach()));
  const Spatial<NBodyLaw> program(law, std::move(pieces), things);
  LEEWAY_ASSIGN(
      PieceResult run,
      run_pieces_of(program, cluster, with_keeper(options, ends, things_by_id<scene::Body>)));
  return simulation_of<scene::Body>(std::move(run), options.frame_every > 0);
}

}  // namespace leeway::piece
