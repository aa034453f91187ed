// StrongComponents: vertices that reach each other along arcs, by colours (Orzan, 2004; Slota, Rajamanickam & Madduri, 2014). A
// round of stages: vertices without open predecessors or without open successors are components alone (Trim); every open vertex
// takes the first colour, in a pseudo-random order of vertices, of those that reach it (Forward); the vertices of a colour that
// reach the vertex that the colour is named after are its component (Backward). Rounds follow until no vertex is open, then
// each component takes the number of its first vertex (Label). Values within a stage only grow in one direction, so that each
// stage has the same end under every schedule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "leeway/vertex.h"

namespace leeway {

struct StrongState {
  static constexpr std::uint32_t kOpen = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t component = kOpen;  ///< the vertex that its colour was named after
  std::uint32_t colour = kOpen;
  std::uint32_t label = kOpen;
  std::uint32_t stage = 0;
  [[nodiscard]] bool open() const { return component == kOpen; }
  friend bool operator==(const StrongState&, const StrongState&) = default;
};

class StrongComponents {
 public:
  using Value = StrongState;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::BothMarked;
  static constexpr bool kWeights = true;
  static constexpr bool kDropLoops = true;
  static constexpr bool kAlwaysRests = true;

  explicit StrongComponents(bool directed) : directed_(directed) {}

  [[nodiscard]] StrongState init(VertexId) const { return {}; }
  [[nodiscard]] StrongState update(const Vertex<StrongState>& vertex) const {
    StrongState own = vertex.value();
    switch (kind()) {
      case StrongStage::Trim:
        if (own.open() && ends_here(vertex)) own.component = vertex.id().value();
        break;
      case StrongStage::Forward:
        if (own.open()) own.colour = first_colour(vertex, own.colour);
        break;
      case StrongStage::Backward:
        if (own.open() && reaches_root(vertex, own.colour)) own.component = own.colour;
        break;
      case StrongStage::Label:
        own.label = first_label(vertex, own);
        break;
    }
    return own;
  }
  [[nodiscard]] std::uint32_t result(const Vertex<StrongState>& vertex) const {
    return vertex.value().label;
  }

  void enter(std::uint32_t stage) { stage_ = stage; }
  [[nodiscard]] static std::uint32_t stage_of(const StrongState& value) { return value.stage; }
  [[nodiscard]] std::uint64_t left(LocalVertex, const StrongState& value) const {
    return value.open() ? 1 : 0;
  }
  [[nodiscard]] std::optional<std::uint32_t> next_stage(std::uint64_t open) const {
    const std::uint32_t round = stage_ - stage_ % kKinds;
    switch (kind()) {
      case StrongStage::Trim:
        return round + number(open == 0 ? StrongStage::Label : StrongStage::Forward);
      case StrongStage::Forward:
        return round + number(StrongStage::Backward);
      case StrongStage::Backward:
        return open == 0 ? round + number(StrongStage::Label) : round + kKinds;
      case StrongStage::Label:
        break;
    }
    return std::nullopt;
  }
  [[nodiscard]] StrongState begin(const LocalVertex& v, const StrongState& last) const {
    StrongState first = last;
    first.stage = stage_;
    const std::uint32_t own = v.id.value();
    if (kind() == StrongStage::Forward && first.open()) first.colour = own;
    if (kind() == StrongStage::Backward && first.open() && first.colour == own)
      first.component = own;
    if (kind() == StrongStage::Label) first.label = own;
    return first;
  }

 private:
  enum class StrongStage : std::uint32_t { Trim, Forward, Backward, Label };
  static constexpr std::uint32_t kKinds = 4;
  [[nodiscard]] static constexpr std::uint32_t number(StrongStage kind) {
    return static_cast<std::uint32_t>(kind);
  }
  [[nodiscard]] StrongStage kind() const { return static_cast<StrongStage>(stage_ % kKinds); }
  [[nodiscard]] bool comes_in(double mark) const { return !directed_ || mark == kIncoming; }
  [[nodiscard]] bool goes_out(double mark) const { return !directed_ || mark == kOutgoing; }

  [[nodiscard]] bool ends_here(const Vertex<StrongState>& vertex) const {
    bool before = false;
    bool after = false;
    vertex.each([&](const StrongState& other, double mark) {
      if (!other.open()) return;
      before = before || comes_in(mark);
      after = after || goes_out(mark);
    });
    return !before || !after;
  }
  [[nodiscard]] std::uint32_t first_colour(const Vertex<StrongState>& vertex,
                                           std::uint32_t first) const {
    vertex.each([&](const StrongState& other, double mark) {
      if (other.stage != stage_ || !other.open() || !comes_in(mark)) return;
      if (goes_first(other.colour, first)) first = other.colour;
    });
    return first;
  }
  [[nodiscard]] bool reaches_root(const Vertex<StrongState>& vertex, std::uint32_t colour) const {
    bool reaches = false;
    vertex.each([&](const StrongState& other, double mark) {
      reaches = reaches || (other.stage == stage_ && goes_out(mark) && other.colour == colour &&
                            other.component == colour);
    });
    return reaches;
  }
  [[nodiscard]] std::uint32_t first_label(const Vertex<StrongState>& vertex,
                                          const StrongState& own) const {
    std::uint32_t first = own.label;
    vertex.each([&](const StrongState& other, double mark) {
      if (other.stage == stage_ && comes_in(mark) && other.component == own.component)
        first = std::min(first, other.label);
    });
    return first;
  }
  static bool goes_first(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t first = mix64(a);
    const std::uint64_t second = mix64(b);
    return first != second ? first < second : a < b;
  }

  bool directed_;
  std::uint32_t stage_ = 0;
};

}  // namespace leeway
