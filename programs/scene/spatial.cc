#include "programs/scene/spatial.h"

#include <cmath>
#include <unordered_set>

#include "base/format.h"

namespace leeway::piece {

namespace {

using scene::Body;
using scene::Fish;
using scene::FishModel;
using scene::NBodyModel;

Status admit(const FishModel& model, const std::vector<Fish>& fish) {
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

Status admit(const NBodyModel& model, const std::vector<Body>& bodies) {
  return scene::admit_bodies(model, bodies);
}

// What the laws of the two models differ in.
double visibility_of(const FishModel& model) { return model.visibility; }
double visibility_of(const NBodyModel& model) { return model.radius; }
void act(const FishModel& model, const Fish& to, const Fish& from, scene::Influence& sum) {
  scene::observe(model, to, from, sum);
}
void act(const NBodyModel& model, const Body& to, const Body& from, scene::Pull& sum) {
  sum += scene::pull_of(model, to, from);
}
Fish next_of(const FishModel& model, const Fish& fish, const scene::Influence& sum) {
  return scene::swim(model, fish, sum);
}
Body next_of(const NBodyModel& model, const Body& body, const scene::Pull& sum) {
  return scene::moved(model, body, sum);
}

/// The law of a job, for Spatial. Refers to the job.
template <class Model, class T>
class SpatialLaw {
 public:
  using Thing = T;
  using Sum = std::conditional_t<std::is_same_v<Thing, Fish>, scene::Influence, scene::Pull>;

  explicit SpatialLaw(const SpatialJob<Model, Thing>& job) : job_(&job) {}

  [[nodiscard]] Box space() const {
    return {.left = 0, .bottom = 0, .right = job_->model.width, .top = job_->model.height};
  }
  [[nodiscard]] double visibility() const { return visibility_of(job_->model); }
  [[nodiscard]] double reach() const { return job_->model.reach; }
  void add(const Thing& to, const Thing& from, Sum& sum) const { act(job_->model, to, from, sum); }
  [[nodiscard]] Thing next(const Thing& thing, const Sum& sum) const {
    return next_of(job_->model, thing, sum);
  }
  [[nodiscard]] const Prices& prices() const { return job_->prices; }

 private:
  const SpatialJob<Model, Thing>* job_;
};

}  // namespace

template <class Model, class Thing>
Result<SimulationResult<Thing>> run_spatial(const SpatialJob<Model, Thing>& job,
                                            const ClusterOptions& cluster,
                                            const PieceOptions& options,
                                            const PieceEnds<Thing>& ends) {
  const std::vector<Thing>& things = ends.from != nullptr ? *ends.from : job.things;
  LEEWAY_TRY(admit(job.model, things));
  using Law = SpatialLaw<Model, Thing>;
  const Law law(job);
  LEEWAY_ASSIGN(SpacePieces pieces, SpacePieces::make(law.space(), cluster.nodes, job.pieces,
                                                      law.visibility() + law.reach()));
  const Spatial<Law> program(law, std::move(pieces), things);
  LEEWAY_ASSIGN(PieceResult run,
                run_pieces_of(program, cluster, with_keeper(options, ends, things_by_id<Thing>)));
  return simulation_of<Thing>(std::move(run), options.frame_every > 0);
}

template Result<SimulationResult<Fish>> run_spatial(const FishJob&, const ClusterOptions&,
                                                    const PieceOptions&, const PieceEnds<Fish>&);
template Result<SimulationResult<Body>> run_spatial(const NBodyJob&, const ClusterOptions&,
                                                    const PieceOptions&, const PieceEnds<Body>&);

}  // namespace leeway::piece
