#include "leeway/programs/piece/nbody.h"

#include "leeway/programs/piece/spatial.h"

namespace leeway::piece {

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

Result<SimulationRun<scene::Body>> run_nbody(const NBodyJob& job, const ClusterOptions& cluster,
                                             const Options& options,
                                             const PieceEnds<scene::Body>& ends) {
  const std::vector<scene::Body>& things = ends.from != nullptr ? *ends.from : job.bodies;
  LEEWAY_TRY(scene::admit_bodies(job.model, things));
  const NBodyLaw law(job.model, job.prices);
  LEEWAY_ASSIGN(SpacePieces pieces, SpacePieces::make(law.space(), cluster.nodes, job.pieces,
                                                      law.visibility() + law.reach()));
  const Spatial<NBodyLaw> program(law, std::move(pieces), things);
  LEEWAY_ASSIGN(PieceRun run, run_pieces_of(program, cluster,
                                            with_keeper(options, ends, things_by_id<scene::Body>)));
  return simulation_of<scene::Body>(std::move(run), options.frame_every > 0);
}

}  // namespace leeway::piece
