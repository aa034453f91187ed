// PageRank's eight functions (Appendix B.2): tuples are vertices, queries a part and a least label, so R_D and R_X
// move by one label; vertices stay where they are, so W_D and W_X are the identity. Immutable but for the
// divisions it looks up.
#pragma once

#include "leeway/base/bytes.h"
#include "leeway/programs/tick/page_ranks.h"
#include "leeway/programs/tick/ranked_parts.h"
#include "leeway/runtime/residual.h"

namespace leeway::tick {

class PageRankTicks {
 public:
  using Query = LabelQuery;
  using State = VertexState;

  /// Starts from `from`, a rank a vertex, or from even ranks if it is null.
  PageRankTicks(const RankedParts& parts, const PageRankSettings& settings,
                const std::vector<double>* from)
      : parts_(parts), settings_(settings), from_(from) {}

  /// Of a state under way: a new division, seeded by it, if that is more even than the present one.
  [[nodiscard]] Result<std::vector<LabelQuery>> part(std::uint32_t count, const State* now) const;
  Status create(const LabelQuery& query, State& state) const;
  void step(const State::Selection& to_step, const State& context, State& result) const;
  [[nodiscard]] LabelQuery rd(const LabelQuery& query) const { return query.moved(-1); }
  [[nodiscard]] LabelQuery rx(const LabelQuery& query) const { return query.moved(1); }
  [[nodiscard]] LabelQuery wd(const LabelQuery& query) const { return query; }
  [[nodiscard]] LabelQuery wx(const LabelQuery& query) const { return query; }
  [[nodiscard]] bool disjoint(const LabelQuery& a, const LabelQuery& b) const {
    return a.disjoint(b);
  }
  [[nodiscard]] Residual moved(const State::Selection& own, const State& before,
                               const State& after) const;
  /// By arcs read, as each costs the same: a vertex counts as one arc more.
  [[nodiscard]] Duration price(const State::Selection& to_step) const;

  /// Queries as what their division is made from: labels lie in one process.
  void pack(std::span<const LabelQuery> parts, ByteWriter& out) const;
  [[nodiscard]] Result<std::vector<LabelQuery>> unpack(ByteReader& in) const;

 private:
  void step_whole(std::span<const std::uint32_t> vertices, const State& context,
                  State& result) const;
  [[nodiscard]] double base() const {
    return (1 - settings_.what.damping) / static_cast<double>(parts_.vertices());
  }

  const RankedParts& parts_;
  const PageRankSettings& settings_;
  const std::vector<double>* from_;
};

}  // namespace leeway::tick
