// The page of a paper's replays, in Markdown, and its chart, in SVG: what `leeway replay GROUP --out FOLDER` writes for
// each paper.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/figures.h"

namespace leeway::replay {

/// A paper, its group of figures and the name of its page.
struct Paper {
  FigureGroup group;
  std::string_view page;  ///< "aspire", without suffix
  std::string_view title;
  std::string_view citation;
  /// How its evaluation is reproduced, and where the prices come from; paragraphs in Markdown.
  std::string_view setup;
};
[[nodiscard]] std::span<const Paper> papers();

/// Requires that the figures are the paper's.
[[nodiscard]] std::string page_of_study(const Paper& paper, std::span<const Figure> figures);
/// Each number that the paper gives: ours over the paper's, with the spread over the seeds, on a logarithmic scale.
[[nodiscard]] std::string chart_of_study(const Paper& paper, std::span<const Figure> figures);

}  // namespace leeway::replay
