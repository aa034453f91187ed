// A regenerated figure: its table, raw numbers, claims of the paper with our verdicts, and configuration; quantities that
// claims are about; and its output as text, JSON, CSV and page.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "benchmarks/replay/claim.h"

namespace leeway::replay {

/// "Similar": within 20 % of each other.
inline constexpr double kSimilarWithin = 0.20;
/// "Drastically": by half or more.
inline constexpr double kDrasticGrowth = 1.5;
/// "Low" staleness: the paper sees no difference between thresholds above 4 (ASPIRE §6.1, footnote).
inline constexpr std::uint64_t kLowStaleness = 4;
/// "Most": more than half.
inline constexpr double kMost = 0.5;
/// "Very few": less than a tenth.
inline constexpr double kVeryFew = 0.1;

// Rules. Series have equal length, with one number per configuration in the figure's order.

/// Places where a number is within kSimilarWithin of its counterpart.
[[nodiscard]] std::size_t places_similar(std::span<const double> series,
                                         std::span<const double> reference);
/// True if the numbers are not all equal.
[[nodiscard]] bool varies(std::span<const std::uint64_t> series);

/// The n-th root of the product; 1 if empty.
[[nodiscard]] double geometric_mean(std::span<const double> numbers);
/// NaN if empty.
[[nodiscard]] double mean(std::span<const double> numbers);
/// Element-wise quotients.
[[nodiscard]] std::vector<double> ratios(std::span<const double> of, std::span<const double> to);
/// "1.00 1.25 1.51"
[[nodiscard]] std::string listed(std::span<const double> numbers);

// Rules on histograms: [s] is the number of items with staleness s. An empty histogram has no share above or below
// any value.

[[nodiscard]] std::uint64_t greatest(std::span<const std::uint64_t> histogram);
[[nodiscard]] double share_at_most(std::span<const std::uint64_t> histogram, std::uint64_t limit);
/// Share above kLowStaleness and in the upper half of the values that occur.
[[nodiscard]] double share_very_stale(std::span<const std::uint64_t> histogram);
/// True if most are low and very few are very stale.
[[nodiscard]] bool mostly_low(std::span<const std::uint64_t> histogram);

/// Columns and rows of cells. In JSON, cells that are not numbers are quoted.
struct FigureTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A timing diagram: for each lane its busy intervals in seconds.
struct Lanes {
  struct Lane {
    std::string name;
    std::vector<std::pair<double, double>> spans;
  };
  std::string title;
  double seconds = 0;  ///< length of the diagram
  std::vector<Lane> lanes;
};

/// A map of coloured cells, with lines between cells where a number crosses a mark.
struct ColourMap {
  struct Contour {
    std::string name;
    std::vector<double> marks;
    std::vector<std::vector<double>> values;
  };
  std::string title;
  std::string across;  ///< meaning of the columns
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::string> kinds;               ///< meaning of the colours
  std::vector<std::vector<std::size_t>> cells;  ///< by row and column: an index of `kinds`
  std::vector<Contour> contours;
};

/// An additional table below the first.
struct FurtherTable {
  std::string title;
  FigureTable table;
};

/// One bar per entry, and a line at `mark` for comparison.
struct BarChart {
  std::string title;
  double mark = 1;
  std::vector<std::pair<std::string, double>> bars;
};

struct Figure {
  std::string name;  ///< "fig12"
  std::string title;
  /// Decided by real time, so numbers and verdict differ between machines and runs.
  bool measured = false;  ///< real time; false: simulated
  std::vector<std::pair<std::string, std::string>> configuration;
  std::vector<std::string> notes;  ///< limitations of the numbers
  std::string shown_title;         ///< heading; empty if the columns are self-explanatory
  FigureTable shown;
  std::vector<FurtherTable> further;
  FigureTable raw;
  std::vector<Claim> claims;
  std::vector<Lanes> drawings;   ///< on the page only
  std::vector<ColourMap> maps;   ///< on the page only
  std::vector<BarChart> charts;  ///< on the page only
  /// Abbreviations of the paper in the tables, with their meanings; on the page only.
  std::vector<std::pair<std::string, std::string>> abbreviations;
};

/// Adds the claims' numbers and the raw numbers of the same figure with another seed. Tables and charts remain those of
/// the first seed.
void add_seed(Figure& figure, const Figure& of_seed);
void add_claims(Figure& figure, std::vector<Claim> claims);
[[nodiscard]] std::string claims_as_text(std::span<const Claim> claims);
[[nodiscard]] std::string to_text(const Figure& figure);
[[nodiscard]] std::string to_json(const Figure& figure);
/// Writes what the page shows: formatted table, verdicts and configuration.
void write_for_page(const Figure& figure, JsonWriter& json);

/// Creates the folder if it does not exist.
Status make_folder(const std::filesystem::path& folder);
/// Writes NAME.json and NAME.csv into `folder`; returns their paths.
Result<std::vector<std::filesystem::path>> write_files(const Figure& figure,
                                                       const std::filesystem::path& folder);

// Rows of a figure. Each column defines the format of its cells in the table and in the raw numbers.

/// A column of the table, of the raw numbers, or of both. Formats are fmt's, without braces.
struct Column {
  std::string title;  ///< title in the table; empty: not in the table
  std::string form;
  std::string name;  ///< name in the raw numbers; empty: not in them
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

/// A text, a count, or a number with the column's format. NaN is shown as x.
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
/// A cell with a number, or an empty one.
[[nodiscard]] FigureCell cell_if(bool there, double number);

/// The columns of a figure's rows. A figure can have several, if the table summarizes the raw numbers.
class Rows {
 public:
  Rows(Figure& figure, std::vector<Column> columns);
  /// Requires one cell per column (checked).
  void add(const std::vector<FigureCell>& cells);
  /// A row of the table only, such as means. Requires a raw column as well.
  void add_shown(const std::vector<FigureCell>& cells);

 private:
  Figure& figure_;
  std::vector<Column> columns_;
};

}  // namespace leeway::replay
