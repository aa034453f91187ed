#include "leeway/python/core/fragment_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/python/core/calls.h"

namespace leeway::python {

namespace {

double idle(Combine combine) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return combine == Combine::Sum ? 0 : combine == Combine::Least ? kInfinity : -kInfinity;
}

}  // namespace

FragmentView::FragmentView(std::shared_ptr<HeldSession> held, const pie::Fragment& fragment,
                           Combine combine, double tolerance)
    : held_(std::move(held)),
      fragment_(fragment),
      combine_(combine),
      tolerance_(tolerance),
      values_(fragment.vertex_count(), idle(combine)),
      sent_(fragment.outer_count(), idle(combine)),
      seen_(fragment.vertex_count(), 0) {
  vertices_.reserve(fragment.vertex_count());
  for (pie::Place p = 0; p < fragment.vertex_count(); ++p)
    vertices_.push_back(fragment.vertex(p).value());
  for (pie::Place p = 0; p < fragment.inner_count(); ++p)
    degrees_.push_back(static_cast<std::int64_t>(fragment.degree(p)));
}

void FragmentView::set_values(const py::object& given) {
  const auto numbers =
      numbers_of(given, values_.size(), "part.values", "give one for each of part.vertices");
  std::copy(numbers.data(), numbers.data() + numbers.size(), values_.begin());
}

pie::Place FragmentView::checked(std::int64_t place, std::uint32_t end, const char* where) const {
  if (place < 0 || place >= std::int64_t{end})
    raise(input_error(where, format("place {} is beyond the {} there are", place, end),
                      "places count from 0; inner ones come first"));
  return static_cast<pie::Place>(place);
}

py::tuple FragmentView::arcs(const Places& places) {
  const std::uint64_t* const offsets = fragment_.offsets();
  std::uint64_t count = 0;
  for (py::ssize_t i = 0; i < places.size(); ++i) {
    const pie::Place place = checked(places.data()[i], fragment_.inner_count(), "part.arcs");
    count += offsets[place + std::size_t{1}] - offsets[place];
  }
  std::vector<std::int64_t> arcs, sources;
  arcs.reserve(count);
  sources.reserve(count);
  for (py::ssize_t i = 0; i < places.size(); ++i) {
    const std::int64_t place = places.data()[i];
    for (std::uint64_t arc = offsets[place]; arc < offsets[place + 1]; ++arc) {
      arcs.push_back(static_cast<std::int64_t>(arc));
      sources.push_back(place);
    }
  }
  walked_ += arcs.size();
  return py::make_tuple(array_of(std::move(arcs)), array_of(std::move(sources)));
}

FragmentView::Places FragmentView::offer(const Places& places, const py::object& offers) {
  const auto numbers = numbers_of(offers, static_cast<std::size_t>(places.size()), "part.offer",
                                  "give one for each place");
  std::vector<std::int64_t> changed;
  for (py::ssize_t i = 0; i < places.size(); ++i) {
    const pie::Place place = checked(places.data()[i], fragment_.vertex_count(), "part.offer");
    if (!take(place, numbers.data()[i]) || seen_[place] != 0) continue;
    seen_[place] = 1;
    changed.push_back(place);
  }
  for (const std::int64_t place : changed) seen_[static_cast<std::size_t>(place)] = 0;
  return array_of(std::move(changed));
}

py::array_t<double> FragmentView::spread(const py::object& shares) {
  const auto numbers =
      numbers_of(shares, fragment_.inner_count(), "part.spread", "give one for each inner place");
  std::vector<double> sums(fragment_.vertex_count(), 0.0);
  {
    const py::gil_scoped_release released;
    for (pie::Place p = 0; p < fragment_.inner_count(); ++p) {
      const double share = numbers.data()[p];
      const std::uint64_t end = fragment_.offsets()[p + std::size_t{1}];
      walked_ += share == 0 ? 0 : end - fragment_.offsets()[p];
      if (share == 0) continue;
      for (std::uint64_t arc = fragment_.offsets()[p]; arc < end; ++arc)
        sums[fragment_.targets()[arc]] += share;
    }
  }
  return array_of(std::move(sums));
}

bool FragmentView::take(pie::Place place, double come) {
  double& kept = values_[place];
  const double before = kept;
  switch (combine_) {
    case Combine::Least:
      if (come < kept) kept = come;
      break;
    case Combine::Most:
      if (come > kept) kept = come;
      break;
    case Combine::Sum:
      kept += come;
      break;
  }
  return kept != before;
}

bool FragmentView::news(pie::Place copy) const {
  if (combine_ == Combine::Sum) return std::abs(values_[copy]) > tolerance_;
  return values_[copy] != sent_[copy - fragment_.inner_count()];
}

double FragmentView::send(pie::Place place) {
  if (combine_ == Combine::Sum) return std::exchange(values_[place], 0.0);
  return sent_[place - fragment_.inner_count()] = values_[place];
}

std::uint64_t FragmentView::walked() { return std::exchange(walked_, 0); }

}  // namespace leeway::python
