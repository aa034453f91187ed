#include "benchmarks/replay/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "datasets/byte_stream.h"
#include "datasets/parse.h"

namespace leeway::replay {

namespace {

double share(std::span<const std::uint64_t> some, std::span<const std::uint64_t> all) {
  const auto count = [](std::span<const std::uint64_t> numbers) {
    return static_cast<double>(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
  };
  return count(all) == 0 ? 0 : count(some) / count(all);
}

}  // namespace

std::string verdict(const Claim& claim) { return claim.agrees ? "agree" : "disagree"; }

bool below_everywhere(std::span<const double> series, std::span<const double> other) {
  LEEWAY_CHECK(series.size() == other.size());
  return std::equal(series.begin(), series.end(), other.begin(), std::less<>());
}

bool rises(std::span<const double> series) {
  return std::adjacent_find(series.begin(), series.end(), std::greater_equal<>()) == series.end();
}

bool falls(std::span<const double> series) {
  return std::adjacent_find(series.begin(), series.end(), std::less_equal<>()) == series.end();
}

bool rises_drastically(std::span<const double> series) {
  LEEWAY_CHECK(!series.empty());
  return rises(series) && series.back() >= kDrasticGrowth * series.front();
}

bool similar(std::span<const double> series, std::span<const double> reference) {
  LEEWAY_CHECK(series.size() == reference.size());
  return std::equal(
      series.begin(), series.end(), reference.begin(),
      [](double value, double other) { return std::abs(value / other - 1) <= kSimilarWithin; });
}

bool varies(std::span<const std::uint64_t> series) {
  return std::adjacent_find(series.begin(), series.end(), std::not_equal_to<>()) != series.end();
}

double geometric_mean(std::span<const double> numbers) {
  if (numbers.empty()) return 1;
  double sum = 0;
  for (const double number : numbers) sum += std::log(number);
  return std::exp(sum / static_cast<double>(numbers.size()));
}

std::vector<double> ratios(std::span<const double> of, std::span<const double> to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / to[i]);
  return ratios;
}

std::string listed(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += format("{}{:.2f}", text.empty() ? "" : " ", number);
  return text;
}

Claim at_least(std::string paper, double value, double least) {
  return {std::move(paper), format("at least {}", least), format("{:.2f}", value), value >= least};
}

Claim mean_at_least(std::string paper, std::string rule, std::span<const double> ratios,
                    std::string_view units, double least) {
  const double mean = geometric_mean(ratios);
  return {std::move(paper), std::move(rule),
          format("{:.2f} over {} {}", mean, ratios.size(), units),
          !ratios.empty() && mean >= least};
}

std::uint64_t greatest(std::span<const std::uint64_t> histogram) {
  std::uint64_t greatest = 0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    if (histogram[value] > 0) greatest = value;
  }
  return greatest;
}

double share_at_most(std::span<const std::uint64_t> histogram, std::uint64_t limit) {
  const auto low = histogram.first(std::min<std::size_t>(limit + 1, histogram.size()));
  return share(low, histogram);
}

double share_very_stale(std::span<const std::uint64_t> histogram) {
  const std::uint64_t bound = std::max(kLowStaleness, greatest(histogram) / 2);
  return share(histogram.subspan(std::min<std::size_t>(bound + 1, histogram.size())), histogram);
}

bool mostly_low(std::span<const std::uint64_t> histogram) {
  return share_at_most(histogram, kLowStaleness) > kMost && share_very_stale(histogram) < kVeryFew;
}

namespace {

std::string aligned(const FigureTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(column.size());
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    text += "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? format("{:<{}}", row[i], widths[i]) : format("  {:>{}}", row[i], widths[i]);
    }
    text += '\n';
  };
  add(table.columns);
  for (const auto& row : table.rows) add(row);
  return text;
}

bool is_number(const std::string& cell) {
  if (cell.empty() || cell.find_first_not_of("0123456789.+-e") != std::string::npos) return false;
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return *end == '\0';
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    if (!cells[i].empty()) line += csv_field(cells[i]);
  }
  return line + "\n";
}

template <class Items, class Show>
std::string joined(const Items& items, Show&& show) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + show(item);
  return text;
}

std::string json_row(const FigureTable& table, const std::vector<std::string>& row) {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += format("{}{}: {}", i == 0 ? "" : ", ", json_string(table.columns[i]),
                   is_number(row[i]) ? row[i] : json_string(row[i]));
  }
  return "{" + text + "}";
}

std::string json_claim(const Claim& claim) {
  return format(R"({{"paper": {}, "rule": {}, "measured": {}, "verdict": {}{}}})",
                json_string(claim.paper), json_string(claim.rule), json_string(claim.measured),
                json_string(verdict(claim)), claim.timed ? R"(, "timed": true)" : "");
}

}  // namespace

std::string to_text(const Figure& figure) {
  std::string text = format("{}: {}\n", figure.name, figure.title);
  text += figure.measured ? "measured: every time is in real seconds of this machine\n\n"
                          : "simulated: every time is in virtual seconds of a virtual cluster\n\n";
  for (const auto& [key, value] : figure.configuration) {
    text += format("  {:<12}{}{}\n", key, key.size() < 12 ? "" : " ", value);
  }
  text += figure.shown_title.empty() ? "\n" : format("\n  {}\n", figure.shown_title);
  text += aligned(figure.shown) + "\n";
  for (const FurtherTable& each : figure.further)
    text += format("  {}\n{}\n", each.title, aligned(each.table));
  for (const std::string& note : figure.notes) text += format("  note: {}\n", note);
  for (const Claim& claim : figure.claims) {
    text += format("  {:<8}  {}\n            rule: {}\n            ours: {}\n", verdict(claim),
                   claim.paper, claim.rule, claim.measured);
  }
  const auto agreed = std::count_if(figure.claims.begin(), figure.claims.end(),
                                    [](const Claim& claim) { return claim.agrees; });
  if (figure.claims.empty()) return text;
  return text + format("  {} of {} claims agree\n", agreed, figure.claims.size());
}

std::string to_csv(const Figure& figure) {
  std::string text = csv_row(figure.raw.columns);
  for (const auto& row : figure.raw.rows) text += csv_row(row);
  return text;
}

std::string to_json(const Figure& figure) {
  const std::string configuration = joined(figure.configuration, [](const auto& entry) {
    return format("{}: {}", json_string(entry.first), json_string(entry.second));
  });
  const std::string rows = joined(
      figure.raw.rows, [&](const auto& row) { return "\n    " + json_row(figure.raw, row); });
  const std::string claims =
      joined(figure.claims, [](const Claim& claim) { return "\n    " + json_claim(claim); });
  const std::string notes =
      joined(figure.notes, [](const std::string& note) { return json_string(note); });
  return format(
      "{{\n  \"figure\": {},\n  \"title\": {},\n  \"simulated\": {},\n  \"configuration\": "
      "{{{}}},\n"
      "  \"notes\": [{}],\n  \"rows\": [{}],\n  \"claims\": [{}]\n}}\n",
      json_string(figure.name), json_string(figure.title), !figure.measured, configuration, notes,
      rows, claims);
}

namespace {

std::string lanes_json(const Lanes& drawing) {
  const std::string lanes = joined(drawing.lanes, [](const Lanes::Lane& lane) {
    return format(R"({{"name": {}, "spans": [{}]}})", json_string(lane.name),
                  joined(lane.spans, [](const auto& span) {
                    return format("[{:.6g},{:.6g}]", span.first, span.second);
                  }));
  });
  return format(R"({{"title": {}, "seconds": {}, "lanes": [{}]}})", json_string(drawing.title),
                drawing.seconds, lanes);
}

std::string texts_json(const std::vector<std::string>& texts) {
  return "[" + joined(texts, [](const std::string& text) { return json_string(text); }) + "]";
}

/// Numbers that are not finite become null.
std::string numbers_json(const std::vector<double>& numbers) {
  return "[" +
         joined(numbers,
                [](double each) { return std::isfinite(each) ? format("{:.6g}", each) : "null"; }) +
         "]";
}

std::string map_json(const ColourMap& map) {
  const std::string cells = joined(map.cells, [](const std::vector<std::size_t>& row) {
    return "[" + joined(row, [](std::size_t kind) { return std::to_string(kind); }) + "]";
  });
  const std::string contours = joined(map.contours, [](const ColourMap::Contour& contour) {
    return format(R"({{"name": {}, "marks": {}, "values": [{}]}})", json_string(contour.name),
                  numbers_json(contour.marks), joined(contour.values, numbers_json));
  });
  return format(
      R"({{"title": {}, "across": {}, "columns": {}, "rows": {}, "kinds": {}, "cells": [{}], "contours": [{}]}})",
      json_string(map.title), json_string(map.across), texts_json(map.columns),
      texts_json(map.rows), texts_json(map.kinds), cells, contours);
}

std::string table_json(const std::string& title, const FigureTable& table) {
  return format(R"({{"title": {}, "columns": {}, "rows": [{}]}})", json_string(title),
                texts_json(table.columns), joined(table.rows, texts_json));
}

std::string chart_json(const BarChart& chart) {
  return format(R"({{"title": {}, "mark": {:.6g}, "bars": [{}]}})", json_string(chart.title),
                chart.mark, joined(chart.bars, [](const auto& bar) {
                  return format("[{}, {:.6g}]", json_string(bar.first), bar.second);
                }));
}

}  // namespace

std::string to_page_json(const Figure& figure) {
  const std::string configuration = joined(figure.configuration, [](const auto& entry) {
    return texts_json({entry.first, entry.second});
  });
  const std::string claims = joined(figure.claims, [](const Claim& claim) {
    return format(R"({{"paper": {}, "rule": {}, "measured": {}, "agrees": {}}})",
                  json_string(claim.paper), json_string(claim.rule), json_string(claim.measured),
                  claim.agrees);
  });
  return format(
      R"({{"name": {}, "title": {}, "configuration": [{}], "notes": {}, "table": {}, "further": [{}], "claims": [{}], "drawings": [{}], "maps": [{}], "charts": [{}]}})",
      json_string(figure.name), json_string(figure.title), configuration, texts_json(figure.notes),
      table_json(figure.shown_title, figure.shown),
      joined(figure.further,
             [](const FurtherTable& each) { return table_json(each.title, each.table); }),
      claims, joined(figure.drawings, lanes_json), joined(figure.maps, map_json),
      joined(figure.charts, chart_json));
}

Status make_folder(const std::filesystem::path& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (!fault) return {};
  return fail(
      system_error(folder.string(), "make this folder", fault.value(), "name another with --out"));
}

Result<std::vector<std::filesystem::path>> write_files(const Figure& figure,
                                                       const std::filesystem::path& folder) {
  const std::vector<std::filesystem::path> paths = {folder / (figure.name + ".json"),
                                                    folder / (figure.name + ".csv")};
  LEEWAY_TRY(write_file(paths[0], to_json(figure)));
  LEEWAY_TRY(write_file(paths[1], to_csv(figure)));
  return paths;
}

std::string FigureCell::as(const std::string& form) const {
  if (!is_number_) return text_;
  return std::isfinite(number_) ? format(fmt::runtime("{:" + form + "}"), number_) : "x";
}

FigureCell cell_if(bool there, double number) {
  return there ? number : std::numeric_limits<double>::quiet_NaN();
}

Rows::Rows(Figure& figure, std::vector<Column> columns)
    : figure_(figure), columns_(std::move(columns)) {
  for (const Column& column : columns_) {
    if (!column.title.empty()) figure_.shown.columns.push_back(column.title);
    if (!column.name.empty()) figure_.raw.columns.push_back(column.name);
  }
}

void Rows::add(const std::vector<FigureCell>& cells) {
  LEEWAY_CHECK(cells.size() == columns_.size());
  std::vector<std::string> shown, raw;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!columns_[i].title.empty()) shown.push_back(cells[i].as(columns_[i].form));
    if (!columns_[i].name.empty()) raw.push_back(cells[i].as(columns_[i].raw_form));
  }
  if (!shown.empty()) figure_.shown.rows.push_back(std::move(shown));
  if (!raw.empty()) figure_.raw.rows.push_back(std::move(raw));
}

void Rows::add_shown(const std::vector<FigureCell>& cells) {
  add(cells);
  figure_.raw.rows.pop_back();
}

}  // namespace leeway::replay
