// Conway's game of life on the shared memory: each node owns some rows of a torus and reads the rows next to them.
//   life [GENERATIONS] [FLAG...]      --help lists the flags
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "leeway/cluster.h"
#include "leeway/dsm.h"
#include "leeway/settings.h"

using leeway::Handle, leeway::LocalIndex, leeway::NodeId, leeway::ObjectId;

constexpr std::uint32_t kSide = 64;

/// The program of one node; every node must own at least one row.
leeway::Status live(leeway::Node& node, int generations, std::uint64_t& alive) {
  const std::uint32_t self = node.self().value(), nodes = node.node_count();
  const auto first_row = [&](std::uint32_t owner) { return kSide * owner / nodes; };
  const std::uint32_t first = first_row(self), rows = first_row(self + 1) - first;
  leeway::SpaceOptions sizes;
  sizes.local_objects = rows * kSide;
  sizes.remote_objects = 2 * kSide;  // the row above and the row below
  LEEWAY_ASSIGN(auto cells, leeway::Dsm<std::uint8_t>::open(node, sizes));
  // The handle of each cell of the rows first - 1 to first + rows.
  std::vector<Handle> handles;
  for (std::uint32_t row = 0; row < rows + 2; ++row) {
    const std::uint32_t at = (first + row + kSide - 1) % kSide;
    std::uint32_t owner = 0;
    while (first_row(owner + 1) <= at) ++owner;
    for (std::uint32_t column = 0; column < kSide; ++column) {
      const LocalIndex cell((at - first_row(owner)) * kSide + column);
      LEEWAY_ASSIGN(const Handle handle, cells.resolve(ObjectId(NodeId(owner), cell)));
      handles.push_back(handle);
    }
  }
  const auto handle_of = [&](std::uint32_t row, std::uint32_t column) {
    return handles[row * kSide + column % kSide];
  };

  for (std::uint32_t i = 0; i < rows * kSide; ++i) {
    const std::uint32_t cell = first * kSide + i;
    cells.set_initial(LocalIndex(i), std::uint8_t(cell * 2654435761U >> 31));
  }
  node.barrier();  // all cells have their initial values
  std::vector<std::uint8_t> next(rows * kSide);
  for (int generation = 0; generation < generations; ++generation) {
    for (std::uint32_t row = 1; row <= rows; ++row) {
      for (std::uint32_t column = 0; column < kSide; ++column) {
        int neighbours = 0;
        for (std::uint32_t r = row - 1; r <= row + 1; ++r) {
          for (std::uint32_t c = column + kSide - 1; c <= column + kSide + 1; ++c)
            neighbours += DSM_FETCH(cells, handle_of(r, c));
        }
        const int now =
            DSM_FETCH(cells, handle_of(row, column));  // counted among the neighbours above
        next[(row - 1) * kSide + column] = neighbours == 3 || (neighbours == 4 && now == 1) ? 1 : 0;
      }
    }
    node.barrier();  // all nodes have read this generation
    for (std::uint32_t i = 0; i < rows * kSide; ++i) {
      if (DSM_FETCH(cells, Handle(i)) != next[i]) DSM_STORE(cells, Handle(i), next[i]);
    }
    node.barrier();  // from here on every read returns the next generation
  }
  std::uint64_t mine = 0;
  for (std::uint32_t i = 0; i < rows * kSide; ++i) mine += cells.fetch(Handle(i));
  const std::uint64_t all = node.sum(std::vector<std::uint64_t>{mine})[0];
  if (self == 0) alive = all;
  return {};
}

int main(int argc, char** argv) {
  leeway::Options options(argc, argv, leeway::OwnEngine::Memory);
  const int generations = options.arguments.empty() ? 100 : std::atoi(options.arguments[0].c_str());
  std::uint64_t alive = 0;
  leeway::value_or_exit(leeway::run_cluster(
      options.cluster, [&](leeway::Node& node) { return live(node, generations, alive); }));
  if (options.first) std::printf("%llu cells are alive\n", static_cast<unsigned long long>(alive));
  return 0;
}
