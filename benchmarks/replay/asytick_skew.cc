// AsyTick §5.1, §5.2: what skew is left to the persistence-based balancer (Figure 4), what is asynchronous
// of a tick (5), where time goes (6), and what it costs beside ComTick (7).
#include <algorithm>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

using piece::PieceRecord;
using piece::System;
using piece::TickId;

Result<Figure> replay_asytick_fig4(Laboratory& lab) {
  AsyTickTrials& trials = lab.asytick();
  Figure figure = trials.blank();
  Rows rows(figure,
            {shown("benchmark"), shown("λ_L, tick t", ".2f"), shown("λ_L, t+1", ".2f"),
             shown("λ_C, tick t", ".2f"), shown("λ_C, t+1", ".2f"), shown("λ_L, mean", ".2f")});
  Rows ticks(figure,
             {raw("benchmark"), raw("tick"), raw("lambda_l", ".6f"), raw("lambda_c", ".6f")});
  double nbody = 0;
  double least = 1e9;
  double least_way = 1e9;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(benchmark, System::ComTick));
    double sum = 0;
    for (TickId tick(0); tick.value() < run->ticks; tick = tick.next()) {
      sum += run->lambda_l(tick);
      ticks.add({paper_name(benchmark), tick.value(), run->lambda_l(tick), run->lambda_c(tick)});
    }
    const double mean = sum / run->ticks;
    const TickId tick(run->ticks - 2);  // of two that follow each other, late in the run
    rows.add({paper_name(benchmark), run->lambda_l(tick), run->lambda_l(tick.next()),
              run->lambda_c(tick), run->lambda_c(tick.next()), mean});
    if (benchmark == AsyTickBenchmark::NBody) nbody = mean;
    least = std::min(least, mean);
    least_way = std::min(least_way, run->lambda_c(tick));
  }
  figure.claims = {
      {"much computational skew is left under ComTick", "λ_L on average at least 0.5 on all four",
       format("least {:.2f}", least), least >= 0.5},
      {"on n-body λ_L is up to 3.3", "on average within 3.3, give or take a half of it",
       format("{:.2f}", nbody), nbody >= 1.65 && nbody <= 4.95},
      {"the network adds communication skew", "λ_C at least 0.1 on all four",
       format("least {:.2f}", least_way), least_way >= 0.1},
  };
  return figure;
}

Result<Figure> replay_asytick_fig5(Laboratory& lab) {
  AsyTickTrials& trials = lab.asytick();
  Figure figure = trials.blank();
  Rows rows(figure, {both("benchmark"), both("share", ".3f", "share", ".6f")});
  double least = 1;
  double jacobi = 0;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(benchmark, System::AsyTickPlb));
    const double share = run->asynchronous_share();
    least = std::min(least, share);
    if (benchmark == AsyTickBenchmark::Jacobi) jacobi = share;
    rows.add({paper_name(benchmark), share});
  }
  figure.claims = {
      {"more than 85.7 % of each benchmark is asynchronous", "above 0.857 on all four",
       format("least {:.3f}", least), least > 0.857},
      {"of Jacobi 96.4 % is", "at least 0.964, less a fiftieth", format("{:.3f}", jacobi),
       jacobi >= 0.944},
  };
  return figure;
}

namespace {

struct Shares {
  double processing, waiting, runtime;
};

Shares shares_of(const PieceRecord& run) {
  double computing = 0;
  double all = 0;
  for (const piece::WorkerRecord& worker : run.workers) {
    computing += static_cast<double>(worker.computing());
    all += static_cast<double>(worker.finished - worker.begin);
  }
  const double runtime = run.overhead_share();
  return {computing / all, 1 - computing / all - runtime, runtime};
}

std::uint64_t frames_of(const PieceRecord& run) {
  std::uint64_t frames = 0;
  for (const piece::WorkerRecord& worker : run.workers) frames += worker.frames;
  return frames;
}

}  // namespace

Result<Figure> replay_asytick_fig6(Laboratory& lab) {
  AsyTickTrials& trials = lab.asytick();
  Figure figure = trials.blank();
  Rows rows(figure, {both("benchmark"), both("processing", ".3f", "processing", ".6f"),
                     both("waiting for information", ".3f", "waiting", ".6f"),
                     both("runtime", ".4f", "runtime", ".6f")});
  double most = 0;
  double nbody = 0;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(benchmark, System::AsyTickPlb));
    const Shares shares = shares_of(*run);
    most = std::max(most, shares.runtime);
    if (benchmark == AsyTickBenchmark::NBody) nbody = shares.runtime;
    rows.add({paper_name(benchmark), shares.processing, shares.waiting, shares.runtime});
  }
  figure.claims = {
      {"the runtime takes at most 19.2 % of the time", "at most 0.192 on all four",
       format("most {:.4f}", most), most <= 0.192},
      {"on n-body it takes only 4.1 %", "at most 0.041", format("{:.4f}", nbody), nbody <= 0.041},
  };
  return figure;
}

Result<Figure> replay_asytick_fig7(Laboratory& lab) {
  AsyTickTrials& trials = lab.asytick();
  Figure figure = trials.blank();
  Rows rows(figure, {both("benchmark"),
                     both("runtime's share, AsyTick-PLB", ".5f", "runtime_asytick_plb", ".8f"),
                     both("ComTick", ".5f", "runtime_comtick", ".8f"),
                     both("frames, ratio", ".2f", "frames_ratio", ".6f")});
  double most_runtime = 0;
  double most_frames = 0;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const PieceRecord* const ours, trials.run(benchmark, System::AsyTickPlb));
    LEEWAY_ASSIGN(const PieceRecord* const theirs, trials.run(benchmark, System::ComTick));
    // Shares of times that differ: in seconds, per second of ComTick's.
    const double runtime = ours->overhead_share() * ours->seconds() /
                           std::max(theirs->overhead_share() * theirs->seconds(), 1e-12);
    const double frames = static_cast<double>(frames_of(*ours)) /
                          static_cast<double>(std::max<std::uint64_t>(frames_of(*theirs), 1));
    most_runtime = std::max(most_runtime, runtime);
    most_frames = std::max(most_frames, frames);
    rows.add({paper_name(benchmark), ours->overhead_share(), theirs->overhead_share(), frames});
  }
  figure.claims = {
      {"its runtime costs at most 6.08 times ComTick's", "in seconds, on all four",
       format("most {:.2f}", most_runtime), most_runtime <= 6.08},
      {"it communicates less than 6.72 times as much", "in frames, on all four",
       format("most {:.2f}", most_frames), most_frames < 6.72},
  };
  return figure;
}

}  // namespace leeway::replay
