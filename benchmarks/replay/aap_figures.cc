// The figures of AAP except predictions (aap_tables.cc): Exp-1 and Exp-2 (time and messages of four programs under
// four models), Exp-3 and Exp-4 (scale-up, skew and many workers), Exp-7 (staleness bound of collaborative
// filtering) and Figure 12.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/format.h"
#include "benchmarks/replay/aap.h"
#include "benchmarks/replay/laboratory.h"
#include "leeway/pie.h"

namespace leeway::replay {

namespace {

// CF: a run ends when its workers' passes gain nothing any more, sooner or later by luck. Runs are compared by the time at
// which the sum of the workers' last losses first fell to a value.
constexpr double kLearnt = 1.05;  // relative to the least final loss of all runs
constexpr double kNever = std::numeric_limits<double>::infinity();

double reached(const AapResult& result, double loss) {
  for (const auto& [at, left] : result.loss_curve) {
    if (left <= loss) return at;
  }
  return kNever;
}

double least_loss(std::span<const AapResult* const> runs) {
  double least = kNever;
  for (const AapResult* const run : runs) {
    if (run->converged && !run->loss_curve.empty())
      least = std::min(least, run->loss_curve.back().second);
  }
  return least;
}

/// What the workers do under each model, by index in kModels.
struct ModelWork {
  std::array<double, kModels.size()> idle{};       ///< seconds, sum over workers
  std::array<double, kModels.size()> computing{};  ///< seconds, sum over workers
  std::array<double, kModels.size()> straggler_rounds{};
  std::array<double, kModels.size()> most_rounds{};          ///< of any worker
  std::array<double, kModels.size()> straggler_computing{};  ///< seconds
  std::array<double, kModels.size()> seconds{};
};

Result<ModelWork> work_of(Laboratory& lab, AapTrial trial) {
  ModelWork work;
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    trial.model = kModels[i];
    LEEWAY_ASSIGN(const AapResult* const run, run_aap(lab, trial));
    work.idle[i] = run->idle_share * run->seconds * trial.workers;
    work.computing[i] = run->computing;
    work.straggler_rounds[i] = run->straggler_rounds;
    work.most_rounds[i] = run->most_rounds;
    work.straggler_computing[i] = run->straggler_computing;
    work.seconds[i] = run->seconds;
  }
  return work;
}

constexpr std::size_t kBspIndex = 1, kApIndex = 2, kSspIndex = 3;  // in kModels, after AAP

double straggler_share(const ModelWork& work, std::size_t model) {
  return 100 * work.straggler_computing[model] / work.seconds[model];
}

/// What distinguishes AAP from another model in these runs.
std::string compared_with(std::span<const ModelWork> works, std::size_t other) {
  std::vector<double> rounds, computing;
  for (const ModelWork& work : works) {
    rounds.push_back(work.straggler_rounds[0] / work.straggler_rounds[other]);
    computing.push_back(work.straggler_computing[0] / work.straggler_computing[other]);
  }
  return format(
      "under AAP the straggler has {:.2f} of {}'s rounds, which take {:.2f} of their time",
      geometric_mean(rounds), scheduler_name(kModels[other]), geometric_mean(computing));
}

constexpr std::array kOthers = {kBspIndex, kApIndex, kSspIndex};

/// `others`: indices in kModels.
std::string cause_of_times(std::span<const ModelWork> works,
                           std::span<const std::size_t> others = kOthers) {
  std::string text;
  for (const std::size_t other : others)
    text += (text.empty() ? "" : "; ") + compared_with(works, other);
  text[0] = 'U';
  std::vector<double> aap;
  for (const ModelWork& work : works) aap.push_back(straggler_share(work, 0));
  return format(
      "{}. It computes for {:.0f} % of AAP's time. aap-rules below tests whether other "
      "waits would be faster; further causes: not examined.",
      text, mean(aap));
}

/// The paper's claims on waiting and stale computation (SSSP) and on the stragglers' rounds (PageRank).
std::vector<Claim> claims_of_work(std::span<const ModelWork> paths,
                                  std::span<const ModelWork> ranks) {
  std::vector<double> of_bsp, of_ssp, stale, more;
  for (const ModelWork& work : paths) {
    of_bsp.push_back(work.idle[0] / work.idle[kBspIndex]);
    of_ssp.push_back(work.idle[0] / work.idle[kSspIndex]);
    stale.push_back((work.computing[0] - work.computing[kBspIndex]) /
                    (work.computing[kApIndex] - work.computing[kBspIndex]));
    more.push_back(work.computing[kApIndex] / work.computing[kBspIndex]);
  }
  constexpr std::array<double, kModels.size()> kPaperRounds = {38, 101, 76, 62};
  std::vector<NamedRatio> rounds;
  for (std::size_t i = 1; i < kModels.size(); ++i) {
    std::vector<double> over_aap;
    for (const ModelWork& work : ranks)
      over_aap.push_back(work.straggler_rounds[i] / work.straggler_rounds[0]);
    rounds.push_back({std::string(scheduler_name(kModels[i])), kPaperRounds[i] / kPaperRounds[0],
                      mean(over_aap)});
  }
  const std::string waiting = cause_of_times(paths);
  return {
      because(
          share_claim("SSSP: workers wait under AAP 29.4 % of the time that they wait under BSP",
                      "mean over the inputs, in per cent", 29.4, 100 * mean(of_bsp), 100),
          waiting),
      because(share_claim("SSSP: and 41.7 % of the time that they wait under SSP",
                          "mean over the inputs, in per cent", 41.7, 100 * mean(of_ssp), 100),
              waiting),
      because(share_claim(
                  "SSSP: stale computation under AAP is 51.9 % of that under AP",
                  "time in rounds beyond that under BSP, in per cent of AP's; mean over the inputs",
                  51.9, 100 * mean(stale), 100),
              format("AP computes only {:.0f} % longer than BSP. Why: not examined.",
                     100 * (geometric_mean(more) - 1))),
      because(ratios_claim(
                  "PageRank: stragglers take 101, 76 and 62 rounds under BSP, AP and SSP, and 38 "
                  "under AAP",
                  "the straggler's rounds over those under AAP; mean over the inputs", rounds),
              cause_of_times(ranks)),
  };
}

/// The paper's mean ratios to AAP's time (Exp-1), by program, as kModels after AAP.
struct PaperRatios {
  std::string_view program;
  std::array<double, 3> over_aap;
};
constexpr std::array kPaperRatios = {
    PaperRatios{"sssp", {2.25, 1.7, 1.5}}, PaperRatios{"cc", {9.6, 1.3, 2.4}},
    PaperRatios{"pagerank", {1.6, 1.7, 1.2}}, PaperRatios{"cf", {1.4, 2.1, 1.2}}};

/// A case in which the straggler has fewer rounds leaves a schedule nothing to decide, and is not graded.
constexpr double kLeastRounds = 10;

/// One case of Exp-1 in all models.
struct CaseTimes {
  AapCase of;
  ModelTimes times{};
  double ours = 0;  ///< seconds of AAP as `leeway run` has it
  ModelWork work;

  [[nodiscard]] bool graded() const { return work.straggler_rounds[kBspIndex] >= kLeastRounds; }
};

/// CF's times until it has learnt, and those of the other programs until they end; of a descent that diverged NaN.
Status measure_times(Laboratory& lab, AapTrial trial, CaseTimes& measured) {
  std::array<const AapResult*, kModels.size() + 1> runs{};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    trial.ours = i == kModels.size();
    trial.model = trial.ours ? Scheduler::Aap : kModels[i];
    LEEWAY_ASSIGN(runs[i], run_aap(lab, trial));
  }
  const double loss = kLearnt * least_loss(runs);
  const auto time_of = [&](const AapResult& run) {
    if (!run.converged) return kNoNumber;
    return trial.program == "cf" ? reached(run, loss) : run.seconds;
  };
  for (std::size_t i = 0; i < kModels.size(); ++i) measured.times[i] = time_of(*runs[i]);
  measured.ours = time_of(*runs.back());
  return {};
}

Result<std::vector<CaseTimes>> measure_cases(Laboratory& lab) {
  std::vector<CaseTimes> cases;
  for (const AapCase& each : aap_cases()) {
    CaseTimes measured{.of = each};
    const AapTrial trial = aap_trial(lab, each);
    LEEWAY_TRY(measure_times(lab, trial, measured));
    LEEWAY_ASSIGN(measured.work, work_of(lab, trial));
    cases.push_back(measured);
  }
  return cases;
}

/// AAP compared with another model on the graded inputs.
struct AgainstAap {
  std::vector<double> ratios;    ///< the other's times over AAP's
  std::vector<ModelWork> works;  ///< of the same inputs
  bool diverged = false;         ///< on an input
  double greatest = kNoNumber;   ///< of the ratios
  std::string greatest_on;       ///< program and input
  std::size_t faster = 0;        ///< inputs on which AAP takes less time
  std::string not_faster_on;     ///< the others, with their ratios

  [[nodiscard]] std::string cause(std::size_t other) const {
    if (!works.empty()) return cause_of_times(works, {{other}});
    if (!diverged) return format("No input has {:.0f} rounds.", kLeastRounds);
    return format("{} diverges on the stand-in for the paper's ratings, so it has no time.",
                  scheduler_name(kModels[other]));
  }
};

/// `program`: empty: all.
AgainstAap against_aap(std::span<const CaseTimes> cases, std::size_t other,
                       std::string_view program = {}) {
  AgainstAap all;
  for (const CaseTimes& each : cases) {
    if (!each.graded() || (!program.empty() && each.of.program != program)) continue;
    const double ratio = each.times[other] / each.times[0];
    if (!std::isfinite(ratio)) {
      all.diverged = true;
      continue;
    }
    const std::string name = format("{} on {}", each.of.program, each.of.input);
    if (!(ratio <= all.greatest)) {
      all.greatest = ratio;
      all.greatest_on = name;
    }
    if (ratio > 1) {
      ++all.faster;
    } else {
      all.not_faster_on +=
          format("{}{} ({:.2f})", all.not_faster_on.empty() ? "" : ", ", name, ratio);
    }
    all.ratios.push_back(ratio);
    all.works.push_back(each.work);
  }
  return all;
}

Claim claim_of_program(std::span<const CaseTimes> cases, std::string_view program, double papers,
                       std::size_t other) {
  const std::string_view model = scheduler_name(kModels[other]);
  const AgainstAap compared = against_aap(cases, other, program);
  return because(ratio_claim(format("{}: AAP is {} times as fast as {}", program, papers, model),
                             format("mean over the inputs of {}'s time over AAP's", model), papers,
                             compared.ratios.empty() ? kNoNumber : mean(compared.ratios)),
                 compared.cause(other));
}

/// The greatest ratio, and that AAP is always the faster.
void add_claims_of_inputs(std::span<const CaseTimes> cases, double papers, std::size_t other,
                          std::vector<Claim>& claims) {
  const std::string_view model = scheduler_name(kModels[other]);
  const AgainstAap compared = against_aap(cases, other);
  const std::string cause = compared.cause(other);
  claims.push_back(
      because(ratio_claim(format("AAP is up to {} times as fast as {}", papers, model),
                          format("the greatest of the inputs' {}'s time over AAP's", model), papers,
                          compared.greatest),
              format("The greatest is that of {}. {}",
                     compared.greatest_on.empty() ? "no input" : compared.greatest_on, cause)));
  claims.push_back(because(
      order_claim(format("AAP is faster than {} on every input", model),
                  format("inputs on which {} takes more time", model), compared.faster,
                  compared.ratios.size()),
      format("{} is as fast or faster on {}. {}", model,
             compared.not_faster_on.empty() ? "none with the first seed" : compared.not_faster_on,
             cause)));
}

std::vector<Claim> claims_by_program(std::span<const CaseTimes> cases) {
  std::vector<Claim> claims;
  for (const PaperRatios& program : kPaperRatios) {
    for (std::size_t i = 0; i < program.over_aap.size(); ++i)
      claims.push_back(claim_of_program(cases, program.program, program.over_aap[i], i + 1));
  }
  constexpr std::array kGreatest = {27.4, 3.2, 5.0};
  for (std::size_t i = 1; i < kModels.size(); ++i)
    add_claims_of_inputs(cases, kGreatest[i - 1], i, claims);
  return claims;
}

/// SSSP's rounds under BSP and SSP.
Claim claim_of_rounds(std::span<const CaseTimes> cases) {
  struct PaperRounds {
    std::string_view input;
    double bsp, ssp;
  };
  constexpr std::array kRounds = {PaperRounds{"Friendster", 21, 30},
                                  PaperRounds{"traffic", 31, 42}};
  std::vector<NamedRatio> rounds;
  for (const PaperRounds& paper : kRounds) {
    for (const CaseTimes& each : cases) {
      if (each.of.program != "sssp" || each.of.input != paper.input) continue;
      const auto& here = each.work.most_rounds;
      rounds.push_back({format("{}, bsp", paper.input), paper.bsp, here[kBspIndex]});
      rounds.push_back({format("{}, ssp", paper.input), paper.ssp, here[kSspIndex]});
    }
  }
  return because(ratios_claim("SSSP takes 21 and 31 rounds under BSP, 30 and 42 under SSP",
                              "the greatest number of rounds of any worker", rounds, 0),
                 "The stand-ins have other diameters than the paper's graphs, and other parts.");
}

/// The table and claims of the workers' time and rounds.
void add_work(std::span<const CaseTimes> cases, Figure& figure) {
  Figure scratch;
  std::vector<Column> columns = {shown("program"), shown("input")};
  for (const char* what :
       {"waiting s", "computing s", "straggler's rounds", "straggler computes %"}) {
    for (const Scheduler model : kModels)
      columns.push_back(shown(format("{}, {}", what, scheduler_name(model)), ".4g"));
  }
  Rows rows(scratch, columns);
  std::vector<ModelWork> paths, ranks;
  for (const CaseTimes& each : cases) {
    const ModelWork& work = each.work;
    std::vector<FigureCell> row = {each.of.program, each.of.input};
    for (const auto& numbers : {work.idle, work.computing, work.straggler_rounds}) {
      for (const double number : numbers) row.emplace_back(number);
    }
    for (std::size_t i = 0; i < kModels.size(); ++i) row.emplace_back(straggler_share(work, i));
    rows.add(row);
    if (each.of.program == "sssp") paths.push_back(work);
    if (each.of.program == "pagerank") ranks.push_back(work);
  }
  figure.further.push_back({"what the workers do, sums over the workers", scratch.shown});
  add_claims(figure, claims_of_work(paths, ranks));
}

}  // namespace

Result<Figure> replay_aap_exp1(Laboratory& lab) {
  Figure figure = blank_aap(lab);
  std::vector<Column> columns =
      model_columns({shown("program"), shown("input"), shown("stand-in")});
  columns.push_back(shown("ours s", ".4f"));
  columns.push_back(shown("BSP/ours", ".2f"));
  Rows rows(figure, columns);
  figure.notes.push_back(kDivergedNote);
  figure.notes.push_back(
      format("graded are inputs on which the straggler has at least {:.0f} rounds under BSP; ours: "
             "AAP as `leeway run` has it; cf: seconds until the loss is within {:.0f} % of the "
             "least of these runs",
             kLeastRounds, (kLearnt - 1) * 100));
  LEEWAY_ASSIGN(const std::vector<CaseTimes> cases, measure_cases(lab));
  for (const CaseTimes& each : cases) {
    std::vector<FigureCell> row =
        model_cells({each.of.program, each.of.input, stand_in_of(lab, each.of.input)}, each.times);
    row.emplace_back(each.ours);
    row.emplace_back(each.times[kBspIndex] / each.ours);
    rows.add(row);
  }
  figure.claims = claims_by_program(cases);
  figure.claims.push_back(claim_of_rounds(cases));
  add_work(cases, figure);
  figure.claims.push_back(not_testable(
      "AAP is faster than Giraph, GraphLab, GiraphUC, Maiter, PowerSwitch, Husky, Galois, Pregel+, "
      "TDataflow and Petuum",
      "Those systems are not run here. ../performance.md measures GAPBS and libgrape-lite next "
      "to Leeway."));
  figure.claims.push_back(not_testable(
      "on ClueWeb12 AAP is 2.8, 1.3 and 1.5 times as fast as BSP, AP and SSP",
      "The graph has 42.6 billion arcs, and no stand-in of its kind was chosen beforehand."));
  figure.claims.push_back(
      not_testable("2 to 14 cores are faster than the best program for one thread (COST)",
                   "That program is not run here. ../performance.md has the cores with which "
                   "Leeway's own engines are faster than one thread."));
  figure.claims.push_back(
      not_testable("a snapshot takes 40 s, a recovery 20 s and a restart 40 min (7)",
                   "These are times of the paper's file system and cluster. "
                   "../adr/0008-snapshots.md compares recovery with a restart here."));
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_aap_exp2(Laboratory& lab) {
  constexpr std::array<double, 3> kPaper = {1.04, 0.78, 0.95};
  Figure figure = blank_aap(lab);
  Rows rows(figure, {shown("program"), shown("input"), shown("AAP bytes"), shown("in parameters"),
                     shown("AAP/BSP", ".2f"), shown("AAP/AP", ".2f"), shown("AAP/SSP", ".2f")});
  figure.notes.push_back(
      "ratios are of the bytes that parameters take in messages; headers, and the notices by which "
      "BSP and SSP count rounds, do not grow with the graph, and would have no weight at the "
      "paper's size");
  std::array<std::vector<double>, 3> all;
  for (const AapCase& each : {aap_cases()[4], aap_cases()[2]}) {
    AapTrial trial = aap_trial(lab, each);
    LEEWAY_ASSIGN(const AapResult* const aap, run_aap(lab, trial));
    std::vector<FigureCell> row = {each.program, each.input, aap->bytes, aap->parameter_bytes};
    for (std::size_t i = 0; i < all.size(); ++i) {
      trial.model = kModels[i + 1];
      LEEWAY_ASSIGN(const AapResult* const other, run_aap(lab, trial));
      all[i].push_back(static_cast<double>(aap->parameter_bytes) /
                       static_cast<double>(other->parameter_bytes));
      row.emplace_back(all[i].back());
    }
    rows.add(row);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view model = scheduler_name(kModels[i + 1]);
    figure.claims.push_back(share_claim(
        format("AAP sends {} of what {} sends", kPaper[i], model),
        format("geometric mean of AAP's bytes in parameters, in per cent of {}'s", model),
        100 * kPaper[i], 100 * geometric_mean(all[i])));
  }
  figure.claims.push_back(
      not_testable("AAP sends 7.1 to 55.6 % of what six other systems send; Galois sends 37.3 % "
                   "less than AAP",
                   "Those systems are not run here."));
  lab.study().write_raw(figure);
  explain(figure.claims,
          "A value that changes several times before the next message is sent once. BSP sends it "
          "in each superstep in which it changes.");
  return figure;
}

namespace {

/// How AAP's time falls from 64 to 192 workers, by program, and how many times as fast as one thread it is on average,
/// by input of the programs that the paper compares.
struct ScalingOfTimes {
  std::map<std::string, std::vector<double>> by_program;
  std::map<std::string, double> paths_by_input;  ///< SSSP
  std::vector<double> over_one_thread;
};

/// Seconds of one thread: the paper's sequential algorithm where it gives its time (Exp-1), as times here are charged for
/// the paper's inputs; otherwise AAP's with one worker.
Result<double> one_thread(Laboratory& lab, AapTrial trial) {
  struct Sequential {
    std::string_view program, input;
    double seconds;
  };
  constexpr std::array kSequential = {
      Sequential{"sssp", "traffic", 6.7}, Sequential{"sssp", "Friendster", 157.8},
      Sequential{"cc", "traffic", 4.3}, Sequential{"cc", "Friendster", 88.7}};
  for (const Sequential& each : kSequential) {
    if (each.program == trial.program && each.input == trial.input) return each.seconds;
  }
  trial.workers = 1;
  trial.skew = 1;
  LEEWAY_ASSIGN(const AapResult* const one, run_aap(lab, trial));
  return one->seconds;
}

}  // namespace

Result<Figure> replay_aap_workers(Laboratory& lab) {
  Figure figure = blank_aap(lab);
  Rows rows(figure,
            {shown("program"), shown("input"), shown("one thread s", ".4f"),
             shown("64 workers s", ".4f"), shown("192 workers s", ".4f"), shown("64 / 192", ".2f"),
             shown("one / 64", ".2f"), shown("one / 192", ".2f")});
  figure.notes.push_back(
      "one thread: the paper's time of a sequential algorithm (SSSP, CC); PageRank and CF: AAP's "
      "with one worker");
  ScalingOfTimes scaling;
  for (const AapCase& each : aap_cases()) {
    AapTrial trial = aap_trial(lab, each);
    LEEWAY_ASSIGN(const double one, one_thread(lab, trial));
    LEEWAY_ASSIGN(const AapResult* const few, run_aap(lab, trial));
    trial.workers *= 3;
    LEEWAY_ASSIGN(const AapResult* const many, run_aap(lab, trial));
    const double ratio = few->seconds / many->seconds;
    const std::array over_one = {one / few->seconds, one / many->seconds};
    rows.add({each.program, each.input, one, few->seconds, many->seconds, ratio, over_one[0],
              over_one[1]});
    scaling.by_program[std::string(each.program)].push_back(ratio);
    if (each.program == "sssp") scaling.paths_by_input[std::string(each.input)] = ratio;
    if (each.program != "pagerank") scaling.over_one_thread.push_back(mean(over_one));
  }
  const std::vector<double>& over = scaling.over_one_thread;  // CF is the last
  const auto [least, greatest] = std::minmax_element(over.begin(), over.end());
  const auto scaled = [&](const char* program) { return mean(scaling.by_program[program]); };
  const std::array by_program = {
      NamedRatio{"sssp", 2.4, scaled("sssp")}, NamedRatio{"cc", 2.7, scaled("cc")},
      NamedRatio{"pagerank", 2.3, scaled("pagerank")}, NamedRatio{"cf", 1.8, scaled("cf")}};
  const std::array by_input = {NamedRatio{"traffic", 2.5, scaling.paths_by_input["traffic"]},
                               NamedRatio{"Friendster", 2.3, scaling.paths_by_input["Friendster"]}};
  const std::array over_one = {NamedRatio{"least", 1.6, *least},
                               NamedRatio{"greatest", 12.9, *greatest}};
  figure.claims = {
      ratios_claim("AAP with 192 workers is 2.4, 2.7, 2.3 and 1.8 times as fast as with 64, for "
                   "SSSP, CC, PageRank and CF",
                   "time with 64 workers over that with 192; mean over the inputs", by_program),
      ratios_claim("SSSP: 2.5 and 2.3 times as fast on traffic and Friendster",
                   "time with 64 workers over that with 192", by_input),
      because(
          ratios_claim("AAP with 64 to 192 workers is on average 1.6 to 12.9 times as fast as one "
                       "thread",
                       "mean of the ratios with 64 and 192 workers, for the inputs of SSSP, CC and "
                       "CF with the least and the greatest",
                       over_one),
          format(
              "The greatest is CF's, for which the paper gives the time of one thread on another "
              "input, Netflix; one worker replaces it. Without CF it is {:.1f}. The least is that "
              "of roads, where 192 workers gain most over 64.",
              *std::max_element(over.begin(), std::prev(over.end())))),
  };
  lab.study().write_raw(figure);
  return figure;
}

namespace {

// AAP Exp-7 (2): collaborative filtering over the staleness bound c. SSP needs a good value of c, AAP does not.
constexpr std::array<std::uint32_t, 8> kBounds = {2, 3, 5, 8, 12, 20, 35, 50};
constexpr std::size_t kUsualBound = 2;  // in kBounds: c of the other figures
constexpr double kInsensitive = 1.1;    // the worst bound's time over the best's

struct LossCurve {
  const AapResult* aap = nullptr;
  const AapResult* ssp = nullptr;
};

/// CF under BSP and AP, compared with AAP and SSP over all bounds.
Status add_synchronous(Laboratory& lab, const std::vector<LossCurve>& bounded, Figure& figure) {
  AapTrial trial{
      .program = "cf", .input = "movieLens", .model = Scheduler::Bsp, .workers = lab.nodes(64)};
  LEEWAY_ASSIGN(const AapResult* const bsp, run_aap(lab, trial));
  trial.model = Scheduler::Ap;
  LEEWAY_ASSIGN(const AapResult* const ap, run_aap(lab, trial));
  std::size_t more_than_bsp = 0, fewer_than_ap = 0;
  for (const LossCurve& run : bounded) {
    for (const AapResult* const result : {run.aap, run.ssp}) {
      more_than_bsp += result->most_rounds > bsp->most_rounds ? 1 : 0;
      fewer_than_ap += !ap->converged || result->most_rounds < ap->most_rounds ? 1 : 0;
    }
  }
  Figure scratch;
  Rows rows(scratch, {shown("model"), shown("s", ".5f"), shown("most rounds of a worker")});
  rows.add({"BSP", bsp->seconds, bsp->most_rounds});
  rows.add({"AP", cell_if(ap->converged, ap->seconds), ap->most_rounds});
  const LossCurve& usual = bounded[kUsualBound];
  rows.add(
      {format("SSP, c = {}", kBounds[kUsualBound]), usual.ssp->seconds, usual.ssp->most_rounds});
  rows.add(
      {format("AAP, c = {}", kBounds[kUsualBound]), usual.aap->seconds, usual.aap->most_rounds});
  figure.further.push_back({"until a run ends", scratch.shown});
  add_claims(figure, {order_claim("BSP converges in the fewest rounds",
                                  "runs under AAP and SSP with more rounds", more_than_bsp,
                                  2 * bounded.size()),
                      order_claim("AP takes the most rounds",
                                  "runs under AAP and SSP with fewer rounds; all, if AP diverges",
                                  fewer_than_ap, 2 * bounded.size())});
  return {};
}

}  // namespace

Result<Figure> replay_aap_exp7(Laboratory& lab) {
  Figure figure = blank_aap(lab, "movieLens");
  Rows rows(figure, {shown("c"), shown("AAP s", ".5f"), shown("SSP s", ".5f"),
                     shown("SSP/AAP", ".3f"), shown("AAP ends", ".5f"), shown("SSP ends", ".5f"),
                     shown("AAP RMSE", ".4f"), shown("SSP RMSE", ".4f")});
  figure.notes.push_back(
      format("seconds until the loss of all workers' last passes is within {:.0f} % of the least "
             "that a run ends with; a run ends when its workers' passes gain nothing any more, "
             "sooner or later by luck",
             (kLearnt - 1) * 100));
  figure.notes.push_back(kDivergedNote);
  std::vector<LossCurve> runs;
  for (const std::uint32_t bound : kBounds) {
    AapTrial trial{.program = "cf", .input = "movieLens", .workers = lab.nodes(64), .bound = bound};
    LossCurve run;
    LEEWAY_ASSIGN(run.aap, run_aap(lab, trial));
    trial.model = Scheduler::Ssp;
    LEEWAY_ASSIGN(run.ssp, run_aap(lab, trial));
    runs.push_back(run);
  }
  std::vector<const AapResult*> all;
  for (const LossCurve& run : runs) all.insert(all.end(), {run.aap, run.ssp});
  const double loss = kLearnt * least_loss(all);
  std::vector<double> aap, ssp;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& [ours, theirs] = runs[i];
    aap.push_back(reached(*ours, loss));
    ssp.push_back(reached(*theirs, loss));
    rows.add({kBounds[i], aap.back(), ssp.back(), ssp.back() / aap.back(), ours->seconds,
              theirs->seconds, ours->rmse, theirs->rmse});
  }
  const auto [best, worst] = std::minmax_element(aap.begin(), aap.end());
  const double rival = *std::min_element(ssp.begin(), ssp.end());
  figure.claims = {
      band_claim("AAP is insensitive to c", "its time with the worst c over that with the best", 1,
                 kInsensitive, *worst / *best),
      holds_claim("AAP outperforms SSP even where SSP has the best c",
                  "AAP with any c takes less time than SSP with its best", *worst < rival),
  };
  LEEWAY_TRY(add_synchronous(lab, runs, figure));
  lab.study().write_raw(figure);
  explain(figure.claims, "Not examined.");
  return figure;
}

namespace {

// AAP's Figure 12: timing diagrams of PageRank on 32 workers, one a straggler, under four models.
constexpr std::array kDrawnModels = {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap};

void draw(const AapTrial& trial, const AapResult& result, Figure& figure, Rows& rows) {
  Lanes lanes;
  lanes.title = format("{}: {:.2f} s", scheduler_name(trial.model), result.seconds);
  lanes.seconds = result.seconds;
  lanes.lanes.resize(trial.workers);
  // Lanes are lower than text, so every fourth has a name.
  for (std::uint32_t worker = 3; worker < trial.workers; worker += 4)
    lanes.lanes[worker].name = format("P{}", worker + 1);
  lanes.lanes[0].name = "straggler";
  for (const pie::RoundRecord& round : result.records) {
    const double begin = seconds(round.begin - result.begin);
    const double end = seconds(round.end - result.begin);
    lanes.lanes[round.worker.index()].spans.emplace_back(begin, end);
    rows.add({scheduler_name(trial.model), round.worker.value(), round.round.value(), begin, end,
              round.staleness, format("{:.2f}", round.target), round.stretch_seconds});
  }
  figure.drawings.push_back(std::move(lanes));
}

/// The longest delay stretch of the straggler over its mean round.
double longest_hold(const AapResult& result) {
  double longest = 0, computing = 0, rounds = 0;
  for (const pie::RoundRecord& round : result.records) {
    if (round.worker != PartId(0)) continue;
    longest = std::max(longest, round.stretch_seconds);
    computing += seconds(round.end - round.begin);
    ++rounds;
  }
  return longest / (computing / rounds);
}

/// With L_bottom = 31, a message of each other worker, as the paper suggests.
Status add_bottom(Laboratory& lab, AapTrial trial, std::uint32_t rounds, Figure& figure) {
  trial.model = Scheduler::Aap;
  trial.bottom = trial.workers - 1;
  LEEWAY_ASSIGN(const AapResult* const result, run_aap(lab, trial));
  figure.notes.push_back(
      format("with L_bottom = {} AAP takes {:.4f} s, and the straggler {} rounds", trial.bottom,
             result->seconds, result->straggler_rounds));
  figure.claims.push_back(holds_claim(
      format("with L_bottom = {} the straggler has fewer redundant rounds", trial.bottom),
      "its rounds are fewer than with 0", result->straggler_rounds < rounds));
  return {};
}

}  // namespace

Result<Figure> replay_aap_fig12(Laboratory& lab) {
  Figure figure = blank_aap(lab, "Friendster");
  Rows rows(figure, {shown("model"), shown("seconds", ".4f"), shown("rounds"),
                     shown("straggler's rounds"), shown("idle share", ".2f")});
  Rows drawn(figure, {raw("model"), raw("worker"), raw("round"), raw("begin", ".6f"),
                      raw("end", ".6f"), raw("eta"), raw("L"), raw("DS", ".6f")});
  AapTrial trial{.program = "pagerank",
                 .input = "Friendster",
                 .workers = lab.nodes(32),
                 .skew = 4,
                 .keep_rounds = true};
  std::array<double, 4> seconds{};
  std::array<std::uint32_t, 4> rounds{};
  double hold = 0;
  for (std::size_t i = 0; i < kDrawnModels.size(); ++i) {
    trial.model = kDrawnModels[i];
    LEEWAY_ASSIGN(const AapResult* const result, run_aap(lab, trial));
    seconds[i] = result->seconds;
    rounds[i] = result->straggler_rounds;
    if (trial.model == Scheduler::Aap) hold = longest_hold(*result);
    rows.add(
        {scheduler_name(trial.model), seconds[i], result->rounds, rounds[i], result->idle_share});
    draw(trial, *result, figure, drawn);
  }
  const std::array over_aap = {NamedRatio{"BSP", 174.0 / 112, seconds[0] / seconds[3]},
                               NamedRatio{"AP", 166.0 / 112, seconds[1] / seconds[3]},
                               NamedRatio{"SSP", 145.0 / 112, seconds[2] / seconds[3]}};
  std::size_t faster = 0;
  for (const NamedRatio& ratio : over_aap) faster += ratio.here > 1 ? 1 : 0;
  figure.claims = {
      order_claim("AAP is the fastest", "models that take more time", faster, over_aap.size()),
      ratios_claim("AAP takes 112 s, BSP 174, AP 166 and SSP 145", "time over AAP's", over_aap),
      order_claim("under AAP the straggler converges in fewer rounds than under AP and SSP",
                  "models under which it takes more",
                  (rounds[1] > rounds[3] ? 1U : 0U) + (rounds[2] > rounds[3] ? 1U : 0U), 2),
      ratio_claim("the straggler takes 8 rounds under AAP, and 13 under BSP",
                  "AAP's rounds over BSP's", 8.0 / 13, static_cast<double>(rounds[3]) / rounds[0]),
      ratio_claim("AAP holds the straggler for 8 s before a round of 13.4 s",
                  "the straggler's longest delay stretch over its mean round", 8 / 13.4, hold, 0),
      not_testable("from the straggler's third round on, the fast workers run BSP within a group",
                   "The paper draws it, and gives no measure; `leeway replay aap-fig12 --out` "
                   "writes the same drawing."),
  };
  LEEWAY_TRY(add_bottom(lab, trial, rounds[3], figure));
  LEEWAY_ASSIGN(const ModelWork work, work_of(lab, trial));
  explain(figure.claims, cause_of_times({&work, 1}));
  return figure;
}

// AAP Exp-3 and Exp-4: scale-up, skewed partitions, and many workers on a large synthetic graph.
Result<Figure> replay_aap_fig6n(Laboratory& lab) {
  constexpr std::array<double, 3> kPaper = {9.5, 2.3, 4.9};
  Figure figure = blank_aap(lab, "Friendster");
  Rows rows(figure, model_columns({shown("r")}));
  const auto trial_of = [&](double skew) {
    return AapTrial{
        .program = "sssp", .input = "Friendster", .workers = lab.nodes(64), .skew = skew};
  };
  ModelTimes balanced{}, skewed{};
  std::array<std::vector<double>, kModels.size()> over_aap;
  for (const double skew : {1.0, 3.0, 5.0, 7.0, 9.0}) {
    LEEWAY_ASSIGN(skewed, times_of(lab, trial_of(skew)));
    for (std::size_t i = 1; i < kModels.size(); ++i) over_aap[i].push_back(skewed[i] / skewed[0]);
    rows.add(model_cells({skew}, skewed));
    if (skew == 1) balanced = skewed;
  }
  LEEWAY_ASSIGN(const ModelWork work, work_of(lab, trial_of(9)));
  for (std::size_t i = 0; i < kPaper.size(); ++i) {
    const std::string_view model = scheduler_name(kModels[i + 1]);
    figure.claims.push_back(because(
        ratio_claim(format("at r = 9 AAP is {} times as fast as {}", kPaper[i], model),
                    format("{}'s time over AAP's", model), kPaper[i], skewed[i + 1] / skewed[0]),
        cause_of_times({&work, 1}, {{i + 1}})));
  }
  std::size_t rising = 0, steps = 0;
  for (std::size_t i = 1; i < kModels.size(); ++i) {
    rising += rising_steps(over_aap[i]);
    steps += over_aap[i].size() - 1;
  }
  figure.claims.push_back(
      order_claim("the more skewed the partition, the more effective AAP is",
                  "steps of r at which BSP's, AP's or SSP's time over AAP's rises", rising, steps));
  const double ratio = balanced[0] / balanced[1];
  figure.claims.push_back(band_claim("AAP works as well as BSP on a balanced partition",
                                     "AAP's time over BSP's", 1 / (1 + kSimilarWithin),
                                     1 + kSimilarWithin, ratio));
  lab.study().write_raw(figure);
  explain(figure.claims, "At r = 9: " + cause_of_times({&work, 1}));
  return figure;
}

Result<Figure> replay_aap_fig6o(Laboratory& lab) {
  constexpr std::array<double, 3> kPaper = {4.3, 14.7, 4.7};
  Figure figure = blank_aap(lab, "synthetic");
  Rows rows(figure, model_columns({shown("workers"), shown("vertices a fragment"),
                                   shown("border %", ".0f")}));
  figure.notes.push_back(
      "a quarter of the paper's workers, so that a fragment has at least 4,000 vertices; border: "
      "vertices with an arc to or from another worker's");
  std::vector<ModelWork> works;
  std::array<std::vector<double>, 3> all;
  for (const std::uint32_t workers : {24U, 40U, 56U}) {
    const AapTrial trial{
        .program = "pagerank", .input = "synthetic", .workers = lab.nodes(workers)};
    LEEWAY_ASSIGN(const PreparedTrial prepared, prepare_aap(lab, trial));
    LEEWAY_ASSIGN(const ModelTimes times, times_of(lab, trial));
    LEEWAY_ASSIGN(works.emplace_back(), work_of(lab, trial));
    rows.add(model_cells({trial.workers, prepared.graph->vertex_count() / trial.workers,
                          100 * border_share(prepared)},
                         times));
    for (std::size_t i = 0; i < all.size(); ++i) all[i].push_back(times[i + 1] / times[0]);
    if (lab.settings().nodes) break;
  }
  constexpr std::array<double, 3> kGreatest = {5.0, 16.8, 5.9};
  for (std::size_t i = 0; i < kPaper.size(); ++i) {
    const std::string cause = cause_of_times(works, {{i + 1}});
    figure.claims.push_back(because(average_claim(i, kPaper[i], all[i]), cause));
    const std::string_view model = scheduler_name(kModels[i + 1]);
    figure.claims.push_back(
        because(ratio_claim(format("AAP is up to {} times as fast as {}", kGreatest[i], model),
                            format("the greatest of {}'s times over AAP's", model), kGreatest[i],
                            *std::max_element(all[i].begin(), all[i].end())),
                cause));
  }
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_aap_exp3(Laboratory& lab) {
  Figure figure = blank_aap(lab);
  Rows rows(figure, model_columns({shown("program"), shown("workers")}));
  figure.notes.push_back("a stand-in's charges shrink as it grows; growth is corrected for this");
  for (const char* program : {"sssp", "pagerank"}) {
    ModelTimes first{}, last{};
    for (const std::uint32_t times_as_large : {1U, 2U, 3U}) {
      const AapTrial trial{.program = program,
                           .input = "Friendster",
                           .workers = 32 * times_as_large,
                           .graph = format("powerlaw:{}:2.1", 12'000 * times_as_large)};
      LEEWAY_ASSIGN(last, times_of(lab, trial));
      if (times_as_large == 1) first = last;
      rows.add(model_cells({program, trial.workers}, last));
    }
    std::array<double, kModels.size()> growth{};
    for (std::size_t i = 0; i < growth.size(); ++i) growth[i] = last[i] * 3 / first[i];
    std::vector<NamedRatio> comparable;
    for (std::size_t i = 1; i < growth.size(); ++i)
      comparable.push_back({std::string(scheduler_name(kModels[i])), 1, growth[0] / growth[i]});
    figure.claims.push_back(
        ratio_claim(format("{}: AAP keeps its time as graph and workers grow together", program),
                    "time at the largest size over that at the smallest", 1, growth[0], 0));
    figure.claims.push_back(
        ratios_claim(format("{}: its scale-up is comparable to that of BSP, AP and SSP", program),
                     "AAP's growth over the model's", comparable, 0));
  }
  lab.study().write_raw(figure);
  return figure;
}

}  // namespace leeway::replay
