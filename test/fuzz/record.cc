// Any bytes as a node's record of its run, under every engine: a record or none, but never a crash,
// nor an allocation beyond the size of the input. The first byte selects the record or an engine's trace.
#include "runtime/cluster/record.h"
#include "base/archive.h"
#include "base/bytes.h"
#include "base/check.h"
#include "leeway/pie_program.h"
#include "leeway/piece.h"

namespace {

/// A record that was read must be unchanged after it is written and read again.
template <class Record>
void read(std::span<const std::byte> bytes) {
  Record record;
  if (!leeway::load_archived(bytes, record)) return;
  const auto written = leeway::archived(record);
  Record again;
  LEEWAY_CHECK(leeway::load_archived(written, again));
  LEEWAY_CHECK(leeway::archived(again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 3) {
    case 0:
      read<leeway::NodeRecord>(bytes);
      break;
    case 1:
      read<leeway::pie::NodeTrace>(bytes);
      break;
    default:
      read<std::vector<leeway::piece::TickSample>>(bytes);
  }
  return 0;
}
