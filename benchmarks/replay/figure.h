// One figure of a paper as we regenerate it: a table for people, the raw numbers for programs, the
// paper's claims with our verdicts, and everything needed to run it again.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/claim.h"

namespace leeway::replay {

/// Columns and rows of cells. In the raw numbers, a cell that is no number is quoted where JSON wants it.
struct Table {
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
  Table table;
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
  Table shown;
  std::vector<FurtherTable> further;
  Table raw;
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

}  // namespace leeway::replay
