#include "benchmarks/replay/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/csv.h"
#include "base/format.h"
#include "datasets/byte_stream.h"

namespace leeway::replay {

namespace {

double share(std::span<const std::uint64_t> some, std::span<const std::uint64_t> all) {
  const auto count = [](std::span<const std::uint64_t> numbers) {
    return static_cast<double>(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
  };
  return count(all) == 0 ? 0 : count(some) / count(all);
}

}  // namespace

std::size_t places_similar(std::span<const double> series, std::span<const double> reference) {
  LEEWAY_CHECK(series.size() == reference.size());
  std::size_t places = 0;
  for (std::size_t i = 0; i < series.size(); ++i)
    places += std::abs(series[i] / reference[i] - 1) <= kSimilarWithin ? 1 : 0;
  return places;
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

double mean(std::span<const double> numbers) {
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  return numbers.empty() ? kNoNumber : sum / static_cast<double>(numbers.size());
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

constexpr std::string_view kDigits = ".6g";  // of numbers on the page

bool is_number(const std::string& cell) {
  if (cell.empty() || cell.find_first_not_of("0123456789.+-e") != std::string::npos) return false;
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return *end == '\0';
}

/// A number is unquoted, other cells are text.
void write_cell(const std::string& cell, JsonWriter& json) {
  if (is_number(cell))
    json.raw(cell);
  else
    json.value(cell);
}

}  // namespace

void add_seed(Figure& figure, const Figure& of_seed) {
  add_seed(figure.claims, of_seed.claims);
  FigureTable& raw = figure.raw;
  std::vector<std::size_t> places;
  for (const std::string& column : of_seed.raw.columns) {
    const auto found = std::find(raw.columns.begin(), raw.columns.end(), column);
    places.push_back(static_cast<std::size_t>(found - raw.columns.begin()));
    if (found != raw.columns.end()) continue;
    raw.columns.push_back(column);
    for (auto& row : raw.rows) row.emplace_back();
  }
  for (const auto& from : of_seed.raw.rows) {
    auto& row = raw.rows.emplace_back(raw.columns.size());
    for (std::size_t i = 0; i < from.size(); ++i) row[places[i]] = from[i];
  }
}

void add_claims(Figure& figure, std::vector<Claim> claims) {
  figure.claims.insert(figure.claims.end(), std::make_move_iterator(claims.begin()),
                       std::make_move_iterator(claims.end()));
}

std::string claims_as_text(std::span<const Claim> claims) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += format("    {:<6} {}\n", name, value);
  };
  for (const Claim& claim : claims) {
    text += format("  {}: {}\n", verdict_text(claim), claim.text);
    add("rule", claim.rule);
    add("paper", paper_text(claim));
    add("band", band_text(claim));
    add("here", here_text(claim));
    const bool differs = !claim.graded() || claim.verdict() != Verdict::Agrees;
    if (differs) add("why", claim.reason);
  }
  const ClaimCounts counts = count_claims(claims);
  if (counts.graded() > 0)
    text += format("  {} of {} claims agree, {} have another size\n", counts.agree, counts.graded(),
                   counts.other_size);
  return text;
}

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
  return text + claims_as_text(figure.claims);
}

namespace {

std::string to_csv(const Figure& figure) {
  std::string text;
  CsvWriter csv(text);
  const auto write_row = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) cell.empty() ? csv.plain(cell) : csv.text(cell);
    csv.end_row();
  };
  write_row(figure.raw.columns);
  for (const auto& row : figure.raw.rows) write_row(row);
  return text;
}

}  // namespace

std::string to_json(const Figure& figure) {
  JsonWriter json(JsonWriter::JsonLayout::Indented);
  json.object([&] {
    json.member("figure", figure.name).member("title", figure.title);
    json.member("simulated", !figure.measured);
    json.key("configuration").object([&] {
      for (const auto& [key, value] : figure.configuration) json.member(key, value);
    });
    json.member("notes", figure.notes);
    json.key("rows").array(figure.raw.rows, [&](const std::vector<std::string>& row) {
      json.object([&] {
        for (std::size_t i = 0; i < row.size(); ++i) {
          json.key(figure.raw.columns[i]);
          write_cell(row[i], json);
        }
      });
    });
    json.key("claims").array(
        figure.claims, [&](const Claim& claim) { json.object([&] { write_claim(claim, json); }); });
  });
  return std::move(json).text();
}

namespace {

void write_lanes(const Lanes& drawing, JsonWriter& json) {
  json.member("title", drawing.title).member("seconds", drawing.seconds);
  json.key("lanes").array(drawing.lanes, [&](const Lanes::Lane& lane) {
    json.object([&] {
      json.member("name", lane.name);
      json.key("spans").array(lane.spans, [&](const auto& span) {
        json.array([&] { json.value(span.first, kDigits).value(span.second, kDigits); });
      });
    });
  });
}

void write_numbers(const std::vector<double>& numbers, JsonWriter& json) {
  json.array(numbers, [&](double number) { json.value(number, kDigits); });
}

void write_map(const ColourMap& map, JsonWriter& json) {
  json.member("title", map.title).member("across", map.across).member("columns", map.columns);
  json.member("rows", map.rows).member("kinds", map.kinds).member("cells", map.cells);
  json.key("contours").array(map.contours, [&](const ColourMap::Contour& contour) {
    json.object([&] {
      write_numbers(contour.marks, json.member("name", contour.name).key("marks"));
      json.key("values").array(contour.values, [&](const auto& row) { write_numbers(row, json); });
    });
  });
}

void write_table(const std::string& title, const FigureTable& table, JsonWriter& json) {
  json.object([&] {
    json.member("title", title).member("columns", table.columns).member("rows", table.rows);
  });
}

void write_chart(const BarChart& chart, JsonWriter& json) {
  json.member("title", chart.title).member("mark", chart.mark, kDigits);
  json.key("bars").array(chart.bars, [&](const auto& bar) {
    json.array([&] { json.value(bar.first).value(bar.second, kDigits); });
  });
}

}  // namespace

void write_for_page(const Figure& figure, JsonWriter& json) {
  const auto each = [&](std::string_view name, const auto& items, auto&& write) {
    json.key(name).array(items, [&](const auto& item) { json.object([&] { write(item, json); }); });
  };
  const auto pairs = [&](std::string_view name, const auto& entries) {
    json.key(name).array(entries, [&](const auto& entry) {
      json.array([&] { json.value(entry.first).value(entry.second); });
    });
  };
  json.object([&] {
    json.member("name", figure.name).member("title", figure.title);
    pairs("configuration", figure.configuration);
    pairs("abbreviations", figure.abbreviations);
    json.member("notes", figure.notes);
    write_table(figure.shown_title, figure.shown, json.key("table"));
    json.key("further").array(figure.further, [&](const FurtherTable& further) {
      write_table(further.title, further.table, json);
    });
    each("claims", figure.claims, write_claim);
    each("drawings", figure.drawings, write_lanes);
    each("maps", figure.maps, write_map);
    each("charts", figure.charts, write_chart);
  });
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
