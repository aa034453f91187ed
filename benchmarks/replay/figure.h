// What a paper says of its figure, held against our numbers by a rule. The rules are fixed here, before
// any run, and know nothing of the figures: numbers in, yes or no out. Pure.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/result.h"

namespace leeway::replay {

/// "Similar": within a fifth of each other.
inline constexpr double kSimilarWithin = 0.20;
/// "Drastically": half as much again.
inline constexpr double kDrasticGrowth = 1.5;
/// "Low" staleness: the paper sees no difference between thresholds above 4 (ASPIRE §6.1, footnote).
inline constexpr std::uint64_t kLowStaleness = 4;
/// "Most": more than half.
inline constexpr double kMost = 0.5;
/// "Very few": less than a tenth.
inline constexpr double kVeryFew = 0.1;

struct Claim {
  std::string paper;     ///< the claim, in our words
  std::string rule;      ///< when it holds
  std::string measured;  ///< the numbers it was decided by
  bool agrees = false;
  bool timed =
      false;  ///< decided by real time, so the numbers and the verdict differ between machines and runs
};
[[nodiscard]] std::string verdict(const Claim& claim);

// The rules. Series of one length, one number a configuration, in the order of the figure.

[[nodiscard]] bool below_everywhere(std::span<const double> series, std::span<const double> other);
/// Each number above the one before.
[[nodiscard]] bool rises(std::span<const double> series);
[[nodiscard]] bool falls(std::span<const double> series);
/// Rises, and ends at kDrasticGrowth times its beginning or more.
[[nodiscard]] bool rises_drastically(std::span<const double> series);
/// Every number within kSimilarWithin of its counterpart.
[[nodiscard]] bool similar(std::span<const double> series, std::span<const double> reference);
/// Not the same number everywhere.
[[nodiscard]] bool varies(std::span<const std::uint64_t> series);

/// The n-th root of the product; 1 of none.
[[nodiscard]] double geometric_mean(std::span<const double> numbers);
/// Each beside its counterpart.
[[nodiscard]] std::vector<double> ratios(std::span<const double> of, std::span<const double> to);
/// "1.00 1.25 1.51"
[[nodiscard]] std::string listed(std::span<const double> numbers);

// Claims of the usual forms.

/// By "at least LEAST".
[[nodiscard]] Claim at_least(std::string paper, double value, double least);
/// By the geometric mean of ratios, of so many `units`; of none it does not hold.
[[nodiscard]] Claim mean_at_least(std::string paper, std::string rule,
                                  std::span<const double> ratios, std::string_view units,
                                  double least);

// Histograms: [s] = how many have s. An empty one has nothing above or below anything.

[[nodiscard]] std::uint64_t greatest(std::span<const std::uint64_t> histogram);
[[nodiscard]] double share_at_most(std::span<const std::uint64_t> histogram, std::uint64_t limit);
/// Above kLowStaleness and in the upper half of what occurs at all.
[[nodiscard]] double share_very_stale(std::span<const std::uint64_t> histogram);
/// Most are low and very few very stale.
[[nodiscard]] bool mostly_low(std::span<const std::uint64_t> histogram);

// One figure of a paper as we regenerate it: a table for people, the raw numbers for programs, the
// paper's claims with our verdicts, and everything needed to run it again.

/// Columns and rows of cells. In the raw numbers, a cell that is no number is quoted where JSON wants it.
struct FigureTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A timing diagram: for each lane the stretches in which it was busy, in seconds.
struct Lanes {
  struct Lane {
    std::string name;
    std::vector<std::pair<double, double>> spans;
  };
  std::string title;
  double seconds = 0;  ///< that the diagram covers
  std::vector<Lane> lanes;
};

/// A map of coloured cells, and lines in it where a number passes a mark.
struct ColourMap {
  struct Contour {
    std::string name;
    std::vector<double> marks;
    std::vector<std::vector<double>>
        values;  ///< by row and column; not a number where there is none
  };
  std::string title;
  std::string across;  ///< what columns are
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::string> kinds;               ///< what colours mean
  std::vector<std::vector<std::size_t>> cells;  ///< by row and column: a place in `kinds`
  std::vector<Contour> contours;
};

/// A table below the first one.
struct FurtherTable {
  std::string title;
  FigureTable table;
};

/// One bar per entry, and a line at `mark` to compare them with.
struct BarChart {
  std::string title;
  double mark = 1;
  std::vector<std::pair<std::string, double>> bars;
};

struct Figure {
  std::string name;  ///< "fig12"
  std::string title;
  bool measured = false;  ///< in real time; else simulated
  std::vector<std::pair<std::string, std::string>> configuration;
  std::vector<std::string> notes;  ///< what a reader must know before believing the numbers
  std::string shown_title;         ///< heading; empty if the columns are self-explanatory
  FigureTable shown;
  std::vector<FurtherTable> further;
  FigureTable raw;
  std::vector<Claim> claims;
  std::vector<Lanes> drawings;   ///< shown by the page only
  std::vector<ColourMap> maps;   ///< likewise
  std::vector<BarChart> charts;  ///< likewise
};

[[nodiscard]] std::string to_text(const Figure& figure);
[[nodiscard]] std::string to_csv(const Figure& figure);
[[nodiscard]] std::string to_json(const Figure& figure);
/// What a page shows of it: the table as people read it, the verdicts, how it was measured.
[[nodiscard]] std::string to_page_json(const Figure& figure);

/// Makes the folder unless it is there.
Status make_folder(const std::filesystem::path& folder);
/// Writes NAME.json and NAME.csv into `folder`; returns their paths.
Result<std::vector<std::filesystem::path>> write_files(const Figure& figure,
                                                       const std::filesystem::path& folder);

// Rows of a figure, written once: each column knows how people read its cells and how the raw numbers have them.

/// A column of the table for people, of the raw numbers, or of both; forms are fmt's, without braces.
struct Column {
  std::string title;  ///< in the table; empty: not shown there
  std::string form;
  std::string name;  ///< in the raw numbers; empty: not kept there
  std::string raw_form;
};
[[nodiscard]] inline Column both(std::string title, std::string form, std::string name,
                                 std::string raw_form) {
  return {std::move(title), std::move(form), std::move(name), std::move(raw_form)};
}
[[nodiscard]] inline Column both(const std::string& title) { return {title, "", title, ""}; }
[[nodiscard]] inline Column shown(std::string title, std::string form = "") {
  return {std::move(title), std::move(form), "", ""};
}
[[nodiscard]] inline Column raw(std::string name, std::string form = "") {
  return {"", "", std::move(name), std::move(form)};
}

/// A text, a count, or a number whose column decides its digits. A number that is none is an x.
class FigureCell {
 public:
  FigureCell(std::string text) : text_(std::move(text)) {}
  FigureCell(std::string_view text) : text_(text) {}
  FigureCell(const char* text) : text_(text) {}
  template <std::integral Count>
  FigureCell(Count count) : text_(std::to_string(count)) {}
  FigureCell(bool yes) : text_(yes ? "yes" : "no") {}
  FigureCell(double number) : number_(number), is_number_(true) {}

  [[nodiscard]] std::string as(const std::string& form) const;

 private:
  std::string text_;
  double number_ = 0;
  bool is_number_ = false;
};
/// A number where there is one.
[[nodiscard]] FigureCell cell_if(bool there, double number);

/// The columns of one figure's rows; a figure may have several such, where what is shown sums up what is raw.
class Rows {
 public:
  Rows(Figure& figure, std::vector<Column> columns);
  /// Requires a cell for each column (checked).
  void add(const std::vector<FigureCell>& cells);
  /// A row that only the table has, such as means. Requires a raw column as well.
  void add_shown(const std::vector<FigureCell>& cells);

 private:
  Figure& figure_;
  std::vector<Column> columns_;
};

}  // namespace leeway::replay
