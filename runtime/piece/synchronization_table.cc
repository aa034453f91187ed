#include "leeway/runtime/piece/synchronization_table.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway::piece {

void SynchronizationTable::note(PieceId piece, TickId tick, PieceId from) {
  const auto around = layout_.around(piece);
  const auto place = std::lower_bound(around.begin(), around.end(), from) - around.begin();
  Row& row = rows_[key(piece, tick)];
  row.from.resize(around.size());
  LEEWAY_CHECK(static_cast<std::size_t>(place) < around.size(), "piece", piece, "from", from);
  const auto index = static_cast<std::size_t>(place);
  LEEWAY_CHECK(around[index] == from);
  LEEWAY_CHECK(!row.from[index], "twice from", from, "for", piece);
  row.from[index] = true;
  ++row.in;
}

bool SynchronizationTable::barrier(PieceId piece, TickId tick) const {
  const auto row = rows_.find(key(piece, tick));
  return row != rows_.end() && row->second.in == layout_.around(piece).size();
}

std::vector<PieceId> SynchronizationTable::missing(PieceId piece, TickId tick) const {
  const auto around = layout_.around(piece);
  const auto row = rows_.find(key(piece, tick));
  std::vector<PieceId> missing;
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (row == rows_.end() || !row->second.from[i]) missing.push_back(around[i]);
  }
  return missing;
}

}  // namespace leeway::piece
