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
        "using a Relaxed Consistency based DSM. OOPSLA 2014.",
        "Sixteen virtual nodes with METIS partitions. The prices of a local fetch and of a "
        "message, and "
        "the tolerances of PR, HS and WS, are fitted to RCP's columns of Tables 3 to 5; SCP, "
        "SCP+RW, "
        "Stale-n and BSP are predictions. Tables also show the ratios at Leeway's own prices."},
    Paper{FigureGroup::Tick, "tick", "Tick: jitter-tolerant time-stepped programs",
          "Zou, Wang, Vaz Salles, Bindel, Demers, Gehrke, White: Making Time-stepped Applications "
          "Tick in "
          "the Cloud. SOCC 2011.",
          "Fifty virtual nodes on the network profile `ec2`, 500 ticks; every technique runs in "
          "every "
          "round. STEP is priced, and not computed."},
    Paper{FigureGroup::Aap, "aap", "AAP: adaptive asynchronous parallelism",
          "Fan, Lu, Yu, Xu, Yin, Luo, Zhou, Jin: Adaptive Asynchronous Parallelization of Graph "
          "Algorithms. TODS 2020.",
          "Virtual servers with sixteen workers each, which share its memory bandwidth and its "
          "network "
          "interface. Prices are from the paper's Tables 3 to 6 and its single-thread times. An "
          "arc and "
          "a message of a stand-in are charged by the ratio of the paper's arcs and vertices to "
          "ours."},
    Paper{FigureGroup::AsyTick, "asytick",
          "AsyTick: asynchronous ticks over pieces, on 16 of the paper's 256 workers",
          "Zhang, Liao, Jin, Min: Resisting Skew-accumulation for Time-stepped Applications in the "
          "Cloud via "
          "Exploiting Parallelism.",
          "Virtual hosts with up to sixteen workers each, on the network profile `gigabit`. "
          "Computing, "
          "messages and the runtime are charged for the size of the paper's scenes."},
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
                   claim.reason.empty() ? "See set-up.md." : claim.reason);
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
  text += format(
      "## Set-up\n\n{} [set-up.md](set-up.md) has the details and causes of differences, and "
      "[profiles.md](../profiles.md) the source of every price.\n\n## Claims\n\n",
      paper.setup);
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
