// The figures of AsyTick §5: skew, asynchronous share, overhead and cost (Figures 4 to 7), ticks ahead, absorbed
// skew, scheduler and speedups (8 to 11), and n-body with more workers, more data and more pieces (12 to 14).

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.h"
#include "benchmarks/replay/asytick.h"
#include "benchmarks/replay/laboratory.h"

namespace leeway::replay {

using piece::PieceRecord;
using piece::System;

Result<Figure> replay_asytick_fig12(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure, {both("workers"), both("s", ".3f", "seconds", ".9f"),
                     both("speedup", ".2f", "speedup", ".6f"), shown("ideal", ".0f")});
  AsyTickTrial trial = asytick_trial(lab, AsyTickBenchmark::NBody, System::AsyTickPlb);
  const std::uint32_t most = trial.workers;
  // The same pieces, distributed over fewer workers.
  const std::uint32_t pieces = most * 64;
  std::vector<double> speedups;
  double first = 0;
  std::uint32_t fewest = 0;
  for (std::uint32_t workers = std::max(most / 16, 1U); workers <= most; workers *= 2) {
    trial.workers = workers;
    trial.pieces = std::max(pieces / workers, 1U);
    LEEWAY_ASSIGN(const AsyTickRun* const run, run_asytick(lab, trial));
    if (first == 0) {
      first = run->seconds();
      fewest = workers;
    }
    speedups.push_back(first / run->seconds());
    rows.add({workers, run->seconds(), speedups.back(), static_cast<double>(workers) / fewest});
  }
  const double ideal = static_cast<double>(most) / fewest;
  figure.claims = {
      order_claim("it is faster with more workers", "doublings at which the speedup rises",
                  rising_steps(speedups), speedups.size() - 1),
      band_claim("it scales well", "the speedup at the end over the ideal one", 1 / kRatioBand,
                 kRatioBand, speedups.back() / ideal, 0)};
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_asytick_fig13(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure, {shown("data"), raw("percent"), both("s", ".3f", "seconds", ".9f"),
                     shown("s for each part", ".3f")});
  AsyTickTrial trial = asytick_trial(lab, AsyTickBenchmark::NBody, System::AsyTickPlb);
  std::vector<double> each;
  // Pieces keep their size, so their number grows with the bodies. Sides have even numbers of pieces, so that groups
  // fill the box.
  for (const std::uint32_t side : {8U, 10U, 12U, 14U}) {
    trial.pieces = side * side;
    trial.percent_of_data = (trial.pieces * 100 + 32) / 64;
    LEEWAY_ASSIGN(const AsyTickRun* const run, run_asytick(lab, trial));
    each.push_back(run->seconds() / trial.pieces * 64);
    rows.add({format("{} %", trial.percent_of_data), trial.percent_of_data, run->seconds(),
              each.back()});
  }
  figure.notes.emplace_back("a larger box of as many more groups and pieces, each as large");
  const auto [low, high] = std::minmax_element(each.begin(), each.end());
  figure.claims = {band_claim("time is almost linear in the data",
                              "greatest over least seconds for each part", 1, 4.0 / 3,
                              *high / *low)};
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_asytick_fig14(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure, {both("pieces"), shown("a worker"), both("s", ".3f", "seconds", ".9f"),
                     both("runtime's share", ".4f", "runtime", ".6f")});
  AsyTickTrial trial = asytick_trial(lab, AsyTickBenchmark::NBody, System::AsyTickPlb);
  trial.ticks = 16;
  constexpr std::array<std::uint32_t, 6> kPiecesOfWorker = {1, 4, 16, 64, 256, 576};
  constexpr double kPaperPieces = 64;
  std::vector<double> times;
  for (const std::uint32_t pieces : kPiecesOfWorker) {
    trial.pieces = pieces;
    LEEWAY_ASSIGN(const AsyTickRun* const run, run_asytick(lab, trial));
    times.push_back(run->seconds());
    rows.add({pieces * trial.workers, pieces, run->seconds(), run->overhead_share()});
  }
  figure.notes.emplace_back(
      "16 ticks; what affects a body lies within 8, the width of one of 64 pieces");
  const auto best = std::min_element(times.begin(), times.end());
  const auto place = static_cast<std::size_t>(best - times.begin());
  figure.claims = {
      holds_claim("more pieces make it faster at first",
                  "the least time is not at the fewest pieces", place > 0),
      holds_claim("too many make it slower", "the least time is not at the most pieces",
                  place + 1 < times.size()),
      because(ratio_claim("1024 x 1024 pieces are best",
                          "pieces of a worker with the least time, of which each represents 64 of "
                          "the paper's 4,096",
                          kPaperPieces, kPiecesOfWorker[place], 0),
              format("The optimum is flat: 64 pieces a worker take {:.2f} times as long as the "
                     "best number.",
                     times[3] / *best)),
  };
  lab.study().write_raw(figure);
  return figure;
}

// AsyTick §5.1, §5.2: skew left to the persistence-based balancer (Figure 4), asynchronous share of a tick (5),
// shares of time (6), and cost relative to ComTick (7).
using piece::TickId;

Result<Figure> replay_asytick_fig4(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure,
            {shown("benchmark"), shown("λ_L, tick t", ".2f"), shown("λ_L, t+1", ".2f"),
             shown("λ_C, tick t", ".2f"), shown("λ_C, t+1", ".2f"), shown("λ_L, mean", ".2f")});
  Rows ticks(figure,
             {raw("benchmark"), raw("tick"), raw("lambda_l", ".6f"), raw("lambda_c", ".6f")});
  double nbody = 0;
  double nbody_growth = 0;
  double nbody_way = 0;
  double least = 1e9;
  double least_way = 1e9;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const AsyTickRun* const run, run_asytick(lab, benchmark, System::ComTick));
    double sum = 0;
    for (TickId tick(0); tick.value() < run->ticks; tick = tick.next()) {
      sum += run->lambda_l(tick);
      ticks.add({paper_name(benchmark), tick.value(), run->lambda_l(tick), run->lambda_c(tick)});
    }
    const double mean = sum / run->ticks;
    const TickId tick(std::min(50U, run->ticks - 2));  // the paper's ticks are 50 and 51
    rows.add({paper_name(benchmark), run->lambda_l(tick), run->lambda_l(tick.next()),
              run->lambda_c(tick), run->lambda_c(tick.next()), mean});
    if (benchmark == AsyTickBenchmark::NBody) {
      nbody = mean;
      nbody_growth = run->lambda_l(tick.next()) / run->lambda_l(tick);
      nbody_way = run->lambda_c(tick.next());
    }
    least = std::min(least, mean);
    least_way = std::min(least_way, run->lambda_c(tick));
  }
  figure.claims = {
      band_claim("much computational skew is left under ComTick", "the least mean λ_L of the four",
                 0.5, std::numeric_limits<double>::infinity(), least),
      ratio_claim("on n-body λ_L is up to 3.3", "mean λ_L", 3.3, nbody, 0),
      ratio_claim("on n-body λ_L rises from 3.1 in tick 50 to 3.3 in tick 51",
                  "λ_L of the second tick over that of the first", 3.3 / 3.1, nbody_growth),
      band_claim("the network adds communication skew", "the least λ_C of the four", 0.1,
                 std::numeric_limits<double>::infinity(), least_way),
      ratio_claim("on n-body λ_C is up to 0.61", "λ_C of the second tick", 0.61, nbody_way, 0),
  };
  explain(figure.claims, "Not examined. The scenes of the paper are not published.");
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_asytick_fig5(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure, {both("benchmark"), both("share", ".3f", "share", ".6f")});
  double least = 1;
  double jacobi = 0;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const AsyTickRun* const run, run_asytick(lab, benchmark, System::AsyTickPlb));
    const double share = run->asynchronous_share();
    least = std::min(least, share);
    if (benchmark == AsyTickBenchmark::Jacobi) jacobi = share;
    rows.add({paper_name(benchmark), share});
  }
  figure.claims = {
      band_claim("more than 85.7 % of each benchmark is asynchronous",
                 "the least share of the four, in per cent", 85.7, 100, 100 * least),
      share_claim("of Jacobi 96.4 % is", "share in per cent", 96.4, 100 * jacobi),
  };
  lab.study().write_raw(figure);
  return figure;
}

namespace {

constexpr std::string_view kPutIn = "an arrival was priced at 5 us";

struct Shares {
  double processing, waiting, runtime;
};

Shares shares_of(const PieceRecord& run) {
  double computing = 0;
  double all = 0;
  for (const NodeRecord& worker : run.nodes) {
    computing += static_cast<double>(worker.counters[Counter::ComputeTime]);
    all += static_cast<double>((worker.end - worker.begin).count());
  }
  const double runtime = run.overhead_share();
  return {computing / all, 1 - computing / all - runtime, runtime};
}

}  // namespace

Result<Figure> replay_asytick_fig6(Laboratory& lab) {
  constexpr double kFewPoints = 5;  // 15 points would accept three times such small shares
  Figure figure = blank_asytick(lab);
  Rows rows(figure, {both("benchmark"), both("processing", ".3f", "processing", ".6f"),
                     both("waiting for information", ".3f", "waiting", ".6f"),
                     both("runtime", ".4f", "runtime", ".6f")});
  double most = 0;
  Shares nbody{};
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const AsyTickRun* const run, run_asytick(lab, benchmark, System::AsyTickPlb));
    const Shares shares = shares_of(*run);
    most = std::max(most, shares.runtime);
    if (benchmark == AsyTickBenchmark::NBody) nbody = shares;
    rows.add({paper_name(benchmark), shares.processing, shares.waiting, shares.runtime});
  }
  figure.claims = {
      as_calibration(share_claim("the runtime takes at most 19.2 % of the time",
                                 "the most of the four, in per cent", 19.2, 100 * most),
                     std::string(kPutIn)),
      as_calibration(narrow_share_claim("on n-body it takes only 4.1 %", "in per cent", 4.1,
                                        100 * nbody.runtime, kFewPoints),
                     std::string(kPutIn)),
      share_claim("on n-body processing takes 92.7 % of the time", "in per cent", 92.7,
                  100 * nbody.processing),
      narrow_share_claim("on n-body communication takes 3.2 % of the time",
                         "waiting for information, in per cent", 3.2, 100 * nbody.waiting,
                         kFewPoints),
  };
  explain(figure.claims,
          "Arrivals cost 5 us each, and computing takes less of a tick than in the paper, "
          "whose bodies affect more others.");
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_asytick_fig7(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure, {both("benchmark"),
                     both("runtime's share, AsyTick-PLB", ".5f", "runtime_asytick_plb", ".8f"),
                     both("ComTick", ".5f", "runtime_comtick", ".8f"),
                     both("frames, ratio", ".2f", "frames_ratio", ".6f")});
  double most_runtime = 0;
  double most_frames = 0;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    LEEWAY_ASSIGN(const AsyTickRun* const ours, run_asytick(lab, benchmark, System::AsyTickPlb));
    LEEWAY_ASSIGN(const AsyTickRun* const theirs, run_asytick(lab, benchmark, System::ComTick));
    // Shares of different total times: converted to seconds, relative to ComTick's.
    const double runtime = ours->overhead_share() * ours->seconds() /
                           std::max(theirs->overhead_share() * theirs->seconds(), 1e-12);
    const double frames = static_cast<double>(frames_of(*ours)) /
                          static_cast<double>(std::max<std::uint64_t>(frames_of(*theirs), 1));
    most_runtime = std::max(most_runtime, runtime);
    most_frames = std::max(most_frames, frames);
    rows.add({paper_name(benchmark), ours->overhead_share(), theirs->overhead_share(), frames});
  }
  figure.claims = {
      as_calibration(ratio_claim("its runtime costs up to 6.08 times ComTick's",
                                 "in seconds, the most of the four", 6.08, most_runtime),
                     std::string(kPutIn)),
      because(ratio_claim("it communicates up to 6.72 times as much",
                          "in frames, the most of the four", 6.72, most_frames),
              "Messages of pieces to the same worker are collected in frames under both systems."),
      not_testable("its storage is almost that of ComTick",
                   "Virtual workers share one process, which does not count memory by worker."),
  };
  lab.study().write_raw(figure);
  return figure;
}

// AsyTick §5.3: ticks ahead (Figure 8), absorbed skew (9), the scheduler's part in it (10), and speedups (11).

namespace {

/// The cost of skew behind barriers (§5.3, (2) and (3)): in every tick, the greatest compute time beyond the mean;
/// and of the remaining time, the share of the longest communication beyond the mean.
double skew_seconds(const PieceRecord& run) {
  double beyond_mean = 0;
  for (piece::TickId tick(0); tick.value() < run.ticks; tick = tick.next()) {
    const double lambda = run.lambda_c(tick);
    beyond_mean += lambda / (1 + lambda) / run.ticks;
  }
  const double moving = std::max(run.seconds() - run.barrier_seconds(), 0.0);
  return run.barrier_seconds() - run.even_seconds() + moving * beyond_mean;
}

/// Stricter: relative to all of ComTick's time beyond perfectly even computing, including communication.
double absorbed_of_all(const PieceRecord& comtick, const PieceRecord& run) {
  const double lost = comtick.seconds() - comtick.even_seconds();
  return lost > 0 ? (comtick.seconds() - run.seconds()) / lost : 0;
}

/// The share of ComTick's time lost to skew that the run does not spend.
double absorbed(const PieceRecord& comtick, const PieceRecord& run) {
  const double lost = skew_seconds(comtick);
  return lost > 0 ? (comtick.seconds() - run.seconds()) / lost : 0;
}

/// The share of each following tick's computing that was done when the last worker completed `tick`.
std::vector<double> done_after(const PieceRecord& run, std::uint32_t tick, std::uint32_t ahead) {
  Instant moment{};
  for (const NodeRecord& worker : run.nodes) {
    if (tick < worker.iterations.size()) moment = std::max(moment, worker.iterations[tick].at);
  }
  std::vector<double> done(ahead);
  std::vector<double> all(ahead);
  for (const NodeRecord& worker : run.nodes) {
    for (const ActivitySpan& span : worker.spans) {
      if (span.activity == Activity::Wait || span.tick <= tick || span.tick > tick + ahead)
        continue;
      const Duration before = std::max(std::min(span.end, moment) - span.begin, Duration::zero());
      done[span.tick - tick - 1] += static_cast<double>(before.count());
      all[span.tick - tick - 1] += static_cast<double>((span.end - span.begin).count());
    }
  }
  for (std::size_t i = 0; i < done.size(); ++i) done[i] = all[i] > 0 ? done[i] / all[i] : 0;
  return done;
}

}  // namespace

Result<Figure> replay_asytick_fig8(Laboratory& lab) {
  constexpr std::uint32_t kTick = 9;
  constexpr std::uint32_t kAhead = 5;
  Figure figure = blank_asytick(lab);
  AsyTickTrial trial = asytick_trial(lab, AsyTickBenchmark::Fish, System::AsyTick);
  trial.disturbed_tick = kTick;
  trial.ticks = kTick + kAhead + 2;
  LEEWAY_ASSIGN(const AsyTickRun* const run, run_asytick(lab, trial));
  const std::vector<double> done = done_after(*run, kTick, kAhead);
  constexpr std::array kPaper = {0.802, 0.526, 0.284, 0.165, 0.043};
  Rows rows(figure, {both("tick"), both("done", ".3f", "done", ".6f"),
                     both("paper", ".3f", "paper", ".3f")});
  for (std::size_t i = 0; i < done.size(); ++i) rows.add({kTick + 1 + i, done[i], kPaper[i]});
  figure.notes.emplace_back("one worker in the middle takes six times as long in tick 9");
  Claim shares{"of the five ticks that follow, 80.2, 52.6, 28.4, 16.5 and 4.3 % are done already",
               "in per cent",
               {}};
  for (std::size_t i = 0; i < done.size(); ++i) {
    Claim one = share_claim("", "", 100 * kPaper[i], 100 * done[i]);
    one.measures.front().name = format("tick {}", kTick + 1 + i);
    shares.measures.push_back(std::move(one.measures.front()));
  }
  figure.claims = {
      std::move(shares),
      order_claim("the later a tick, the less of it is done", "steps at which the share falls",
                  falling_steps(done), done.size() - 1),
  };
  explain(figure.claims,
          "One worker is late here, and only what depends on it must wait: a region that "
          "grows by one piece on each side in a tick. How many are late in the paper is not "
          "known.");
  return figure;
}

Result<Figure> replay_asytick_fig9(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure,
            {both("benchmark"), both("absorbed", ".3f", "absorbed", ".6f"), shown("paper", ".3f"),
             both("of all beyond even work", ".3f", "absorbed_of_all", ".6f"),
             raw("comtick_seconds", ".6f"), raw("asytick_plb_seconds", ".6f"),
             raw("even_seconds", ".6f"), raw("skew_seconds", ".6f")});
  constexpr std::array kPaper = {0.743, 1.0, 0.885, 1.0};
  for (std::size_t i = 0; i < kAsyTickBenchmarks.size(); ++i) {
    const AsyTickBenchmark benchmark = kAsyTickBenchmarks[i];
    LEEWAY_ASSIGN(const AsyTickRun* const theirs, run_asytick(lab, benchmark, System::ComTick));
    LEEWAY_ASSIGN(const AsyTickRun* const ours, run_asytick(lab, benchmark, System::AsyTickPlb));
    const double share = absorbed(*theirs, *ours);
    const std::string name(paper_name(benchmark));
    rows.add({name, share, kPaper[i], absorbed_of_all(*theirs, *ours), theirs->seconds(),
              ours->seconds(), theirs->even_seconds(), skew_seconds(*theirs)});
    figure.claims.push_back(
        share_claim(format("{} % of {}'s skew is absorbed", kPaper[i] * 100, name), "in per cent",
                    100 * kPaper[i], 100 * share, 0));
  }
  explain(figure.claims,
          "On n-body a run without barriers cannot end before its busiest worker. PageRank and "
          "Jacobi: not examined.");
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_asytick_fig10(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure,
            {both("benchmark"), both("absorbed, scheduler on", ".3f", "absorbed_on", ".6f"),
             both("off", ".3f", "absorbed_off", ".6f"), both("its share", ".3f", "share", ".6f")});
  std::vector<double> shares;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    // Enough skew that not all of it can be absorbed.
    AsyTickTrial trial = asytick_trial(lab, benchmark, System::ComTick);
    trial.skew = 10;
    LEEWAY_ASSIGN(const AsyTickRun* const theirs, run_asytick(lab, trial));
    trial.system = System::AsyTickPlb;
    LEEWAY_ASSIGN(const AsyTickRun* const on, run_asytick(lab, trial));
    trial.scheduler = false;
    LEEWAY_ASSIGN(const AsyTickRun* const off, run_asytick(lab, trial));
    const double with = absorbed(*theirs, *on);
    const double without = absorbed(*theirs, *off);
    shares.push_back(with > 0 ? (with - without) / with : 0);
    rows.add({paper_name(benchmark), with, without, shares.back()});
  }
  figure.notes.emplace_back(
      "workers are slowed down in one tick of five instead of one of fifty; AsyTick-PLB compared "
      "with ComTick");
  figure.claims = {
      share_claim("on FS 23.4 % of what is absorbed is the scheduler's", "in per cent", 23.4,
                  100 * shares[0], 0),
      holds_claim("where it knows ticks alone it matters less",
                  "the shares of PageRank and Jacobi are below those of FS and n-body",
                  std::max(shares[1], shares[3]) < std::min(shares[0], shares[2])),
  };
  explain(figure.claims,
          "Without priorities tasks run in the order in which they become ready, which "
          "already follows the ticks.");
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_asytick_fig11(Laboratory& lab) {
  Figure figure = blank_asytick(lab);
  Rows rows(figure,
            {both("benchmark"), both("OriTick s", ".3f", "oritick_seconds", ".9f"),
             raw("comtick_seconds", ".9f"), raw("asytick_seconds", ".9f"),
             raw("asytick_plb_seconds", ".9f"), shown("ComTick", ".2f"), shown("AsyTick", ".2f"),
             shown("AsyTick-PLB", ".2f"), shown("AsyTick-PLB over ComTick", ".2f")});
  std::vector<double> over_comtick;
  double nbody = 0;
  for (const AsyTickBenchmark benchmark : kAsyTickBenchmarks) {
    std::array<double, 4> times{};
    for (std::size_t i = 0; i < times.size(); ++i) {
      LEEWAY_ASSIGN(const AsyTickRun* const run,
                    run_asytick(lab, benchmark, static_cast<System>(i)));
      times[i] = run->seconds();
    }
    over_comtick.push_back(times[1] / times[3]);
    if (benchmark == AsyTickBenchmark::NBody) nbody = times[0] / times[3];
    rows.add({paper_name(benchmark), times[0], times[1], times[2], times[3], times[0] / times[1],
              times[0] / times[2], times[0] / times[3], over_comtick.back()});
  }
  const std::vector<double> one(over_comtick.size(), 1.0);
  figure.claims = {
      order_claim("AsyTick-PLB is faster than ComTick on all four", "benchmarks on which it is",
                  places_below(one, over_comtick), one.size()),
      ratio_claim("on n-body up to 2.53 times as fast", "ComTick's time over AsyTick-PLB's", 2.53,
                  over_comtick[2]),
      ratio_claim("and on no benchmark more", "the greatest of the four", 2.53,
                  *std::max_element(over_comtick.begin(), over_comtick.end())),
      ratio_claim("and 3.67 times as fast as OriTick", "OriTick's time over AsyTick-PLB's", 3.67,
                  nbody),
      ratio_claim("ComTick is 1.45 times as fast as OriTick on n-body",
                  "OriTick's time over ComTick's", 1.45, nbody / over_comtick[2]),
  };
  explain(figure.claims,
          "A run without barriers cannot end before its busiest worker, so that the gain "
          "over ComTick is at most 1 + lambda_L. Groups of bodies contract and disperse "
          "faster than the balancer of ComTick can follow, and a piece that moves takes "
          "all its bodies through the interface. On 256 workers AsyTick-PLB is 2.64 times "
          "as fast as ComTick.");
  lab.study().write_raw(figure);
  return figure;
}

}  // namespace leeway::replay
