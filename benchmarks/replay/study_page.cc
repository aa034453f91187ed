#include "benchmarks/replay/study_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/format.h"

namespace leeway::replay {

namespace {

constexpr std::array kPapers = {
    Paper{
        FigureGroup::Aspire, "aspire", "ASPIRE: relaxed consistency on a DSM",
        "Vora, Koduru, Gupta: ASPIRE: Exploiting Asynchronous Parallelism in Iterative Algorithms "
        "using "
        "a Relaxed Consistency based DSM. OOPSLA 2014.",
        R"(**Programs.** The eight programs of the paper's Table 1 as `leeway run` has them, visited as in its DO-WORK: every vertex in
every sweep, one fetch at a time, one compute thread a node, caches that are empty at first (Table 5: filled). A run
that has not converged after 2,000 sweeps is shown as `x`.

**Prices.** A fetch that a node serves itself takes *a*, and each end of a frame *h* of processor time. Both follow from RCP's columns
of Tables 3 and 5 alone, so that SCP, SCP+RW, Stale-n and BSP are predictions; `leeway replay aspire-prices` prints the arithmetic
cell by cell, and [profiles.md](../profiles.md) explains it. The tolerances of PR, HS and WS, which the paper does not give, are
those with which RCP needs as many sweeps as its columns imply.

**Inputs.** Smaller graphs of the same kind replace the paper's. A message is priced by how many copied objects of the
paper's input one of ours stands for, a fetch by how many arcs, so that the share of messages in the time is that
of the paper's size.

**Figures 12 to 15** run the paper's synthetic program, as in Algorithm 1: fetch a vertex, fetch its neighbours one after the
other, compute, store; a barrier ends an iteration. With W writes an iteration, the neighbours are cut into W groups, and the vertex
is stored after each. Caches are filled beforehand, because the first reads, which are negligible in the
paper's long runs, would be half of a short one. Figure 15 delays answers to fetches and refreshes only, as in the paper.)"},
    Paper{
        FigureGroup::Tick, "tick", "Tick: jitter-tolerant time-stepped programs",
        "Zou, Wang, Salles, Bindel, Demers, Gehrke, White: Making Time-stepped Applications Tick "
        "in the "
        "Cloud. SOCC 2011.",
        R"(Profile `ec2`, 50 virtual nodes, 500 ticks, five rounds; every technique runs in every round, and rounds differ by the
network's seed. The engine, its queries and its message sizes are real. The program's STEP is priced and not computed:
50 nodes of a million cells would compute for hours. [profiles.md](../profiles.md) gives the source of every number of the network.)"},
    Paper{
        FigureGroup::Aap, "aap", "AAP: adaptive asynchronous parallelism",
        "Fan, Lu, Yu, Xu, Luo, Yin, Yuan, Xu: Adaptive Asynchronous Parallelization of Graph "
        "Algorithms. "
        "TODS 2020.",
        R"(The paper's graphs have billions of arcs, and smaller ones replace them. Each arc, vertex and message byte is charged as many times
as the paper's graph has arcs or vertices for one of ours, so that the ratio of a round to the network's latency is that of the
paper. Skew r: a small portion of the partitioned graph is moved at random, as in the paper; sizes count vertices and arcs.)"},
    Paper{
        FigureGroup::AsyTick, "asytick", "AsyTick: asynchronous ticks over pieces",
        "AsyTick: a runtime for tick-based iterative computation.",
        R"(Profile `gigabit`; scenes of the paper's kinds, drawn at random, in which a thing stands for as many of the paper's as the paper
has more of them: computing is charged for all of them.)"},
};

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string table_row(std::span<const std::string> cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += format(" {} |", escaped(cell));
  return line + "\n";
}

std::string markdown(const FigureTable& table) {
  std::string text = table_row(table.columns) + "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += table_row(row);
  return text;
}

void for_each_claim(std::span<const Figure> figures,
                    const std::function<void(const Figure&, const Claim&)>& visit) {
  for (const Figure& figure : figures) {
    for (const Claim& claim : figure.claims) visit(figure, claim);
  }
}

std::vector<Claim> all_claims(std::span<const Figure> figures) {
  std::vector<Claim> all;
  for_each_claim(figures, [&](const Figure&, const Claim& claim) { all.push_back(claim); });
  return all;
}

std::string claims_table(std::span<const Figure> figures) {
  std::string text =
      "| figure | claim | measured | paper | agrees | here | verdict "
      "|\n|---|---|---|---|---|---|---|\n";
  for_each_claim(figures, [&](const Figure& figure, const Claim& claim) {
    if (claim.kind == Claim::Kind::NotTestable) return;
    const std::string owner = claim.kind == Claim::Kind::Ours ? "(ours) " : "";
    const bool agrees = claim.graded() && claim.verdict() == Verdict::Agrees;
    const std::string verdict = verdict_text(claim);
    const std::array<std::string, 7> cells = {
        figure.name,
        owner + claim.text,
        claim.rule,
        paper_text(claim),
        band_text(claim),
        claim.timed ? "real time" : here_text(claim),
        claim.timed ? "by machine" : (agrees ? verdict : format("**{}**", verdict))};
    text += table_row(cells);
  });
  return text;
}

std::string section_of(std::string_view title, std::string_view intro,
                       std::span<const Figure> figures,
                       const std::function<bool(const Claim&)>& chosen) {
  std::string text;
  for_each_claim(figures, [&](const Figure& figure, const Claim& claim) {
    if (!chosen(claim)) return;
    text += format("- **{}: {}** {}\n", figure.name, claim.text,
                   claim.reason.empty() ? "The cause is not known." : claim.reason);
  });
  return text.empty() ? text : format("## {}\n\n{}\n\n{}\n", title, intro, text);
}

std::string figure_section(const Figure& figure) {
  std::string text = format("### {}: {}\n\n", figure.name, figure.title);
  if (!figure.shown_title.empty()) text += format("{}:\n\n", figure.shown_title);
  text += markdown(figure.shown) + "\n";
  for (const FurtherTable& further : figure.further)
    text += format("{}:\n\n{}\n", further.title, markdown(further.table));
  for (const std::string& note : figure.notes) text += format("- {}\n", note);
  for (const auto& [key, value] : figure.configuration) text += format("- {}: {}\n", key, value);
  return text + "\n";
}

}  // namespace

std::span<const Paper> papers() { return kPapers; }

std::string page_of_study(const Paper& paper, std::span<const Figure> figures) {
  const ClaimCounts counts = count_claims(all_claims(figures));
  std::string text = format(
      "# {}\n\n<!-- Written by `leeway replay all --out docs/studies`. -->\n\n{}\n\n"
      "Everything here is **simulated**: times are virtual seconds of a virtual cluster "
      "([simulation.md](../simulation.md)), in which the code of a real node runs under a cost "
      "model and "
      "a network profile.\n\n"
      "Of {} claims that can be tested, **{} agree**, {} have the paper's direction but another "
      "size, and "
      "{} disagree. {} cannot be tested here, and {} are calibrations: numbers that were put "
      "in.\n\n"
      "![Our numbers over the paper's]({}.svg)\n\n",
      paper.title, paper.citation, counts.graded(), counts.agree, counts.other_size,
      counts.disagree, counts.not_testable, counts.calibrations, paper.page);
  text += format("## Set-up\n\n{}\n\n## Claims\n\n", paper.setup);
  text += format(
      "A ratio agrees within a factor of {} of the paper's, a share within {} percentage points, "
      "an order "
      "if it holds in every case. *Here* is the median over the seeds, with the least and the "
      "greatest in "
      "brackets.\n\n",
      kRatioBand, kShareBand);
  text += claims_table(figures) + "\n";
  text += section_of("Differences and their causes", "Claims that do not agree.", figures,
                     [](const Claim& claim) {
                       return claim.kind == Claim::Kind::Graded && !claim.timed &&
                              claim.verdict() != Verdict::Agrees;
                     });
  text += section_of("Not testable here", "Claims that these replays cannot decide.", figures,
                     [](const Claim& claim) { return claim.kind == Claim::Kind::NotTestable; });
  text += "## Figures\n\n";
  for (const Figure& figure : figures) text += figure_section(figure);
  text.pop_back();
  return text;
}

namespace {

struct ChartLine {
  std::string name;
  double low, median, high;  ///< ours over the paper's
  Verdict verdict;
};

std::vector<ChartLine> chart_lines(std::span<const Figure> figures) {
  std::vector<ChartLine> lines;
  for_each_claim(figures, [&](const Figure& figure, const Claim& claim) {
    if (claim.kind != Claim::Kind::Graded || claim.timed) return;
    for (const Measure& measure : claim.measures) {
      const double median = measure.median();
      if (!(measure.paper > 0) || !(median > 0)) continue;
      ChartLine line{format("{}: {}{}{}", figure.name, claim.text, measure.name.empty() ? "" : ", ",
                            measure.name),
                     median, median, median, measure.verdict_of(median)};
      for (const double here : measure.here) {
        line.low = std::fmin(line.low, here);
        line.high = std::fmax(line.high, here);
      }
      line.low /= measure.paper, line.median /= measure.paper, line.high /= measure.paper;
      lines.push_back(std::move(line));
    }
  });
  return lines;
}

/// At most kMostBytes and three dots, without cutting a character.
std::string shortened(std::string text) {
  constexpr std::size_t kMostBytes = 86;
  if (text.size() <= kMostBytes) return text;
  std::size_t end = kMostBytes;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

std::string xml(std::string text) {
  for (const auto& [from, to] : {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += 4)
      text.replace(at, 1, to);
  }
  return text;
}

}  // namespace

std::string chart_of_study(const Paper& paper, std::span<const Figure> figures) {
  constexpr int kLeft = 560, kWidth = 1000, kRow = 20, kTop = 40;
  constexpr double kReach = 16;  // the scale goes from 1/16 to 16
  const auto x = [&](double ratio) {
    const double clamped = std::clamp(ratio, 1 / kReach, kReach);
    return kLeft + (kWidth - kLeft - 20) * (std::log2(clamped) / std::log2(kReach) + 1) / 2;
  };
  const std::vector<ChartLine> lines = chart_lines(figures);
  const int height = kTop + kRow * static_cast<int>(lines.size()) + 10;
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"8\" y=\"16\" font-weight=\"bold\">{}: our numbers over the paper's</text>\n",
      kWidth, height, xml(std::string(paper.title)));
  svg += format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"#e3efe3\"/>\n",
                x(1 / kRatioBand), kTop - 8, x(kRatioBand) - x(1 / kRatioBand), height - kTop);
  for (const double tick : {1.0 / 16, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0}) {
    svg += format(
        "<text x=\"{0:.1f}\" y=\"30\" text-anchor=\"middle\" fill=\"#555\">{1:.3g}</text>"
        "<path d=\"M{0:.1f} {2}V{3}\" stroke=\"#ccc\"/>\n",
        x(tick), tick, kTop - 8, height - 8);
  }
  int y = kTop + 6;
  for (const ChartLine& line : lines) {
    const char* const colour = line.verdict == Verdict::Agrees      ? "#2a7d3f"
                               : line.verdict == Verdict::OtherSize ? "#b07d12"
                                                                    : "#b3261e";
    std::string name = shortened(line.name);
    svg += format(
        "<text x=\"8\" y=\"{}\">{}</text><path d=\"M{:.1f} {}H{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"3\"/><circle cx=\"{:.1f}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n",
        y + 4, xml(std::move(name)), x(line.low), y, x(line.high), colour, x(line.median), y,
        colour);
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace leeway::replay
