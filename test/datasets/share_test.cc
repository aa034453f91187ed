// Shares of an input: together they are the whole input, for every number of shares.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "datasets/build_graph.h"
#include "datasets/text_input.h"
#include "leeway/graph.h"

namespace leeway {

namespace {

std::vector<std::string> lines_of(const std::string& text, const Share& share,
                                  std::uint64_t& before) {
  TextInput input("text", memory_source(text, "text").value());
  (void)input.next_line().value();  // belongs to no share
  REQUIRE(input.narrow(share).value());
  std::vector<std::string> lines;
  TextBlock block;
  while (input.next_block(block).value()) {
    std::string_view left = block.text;
    while (!left.empty()) {
      lines.emplace_back(left.substr(0, left.find('\n')));
      left.remove_prefix(lines.back().size() + 1);
    }
  }
  before = input.lines_before().value();
  return lines;
}

using Arc = std::pair<VertexId, VertexId>;

std::vector<Arc> arcs_of(const EdgeList& edges) {
  std::vector<Arc> arcs;
  for (const EdgeChunk& chunk : edges.chunks)
    chunk.for_each([&](std::size_t, VertexId s, VertexId t) { arcs.emplace_back(s, t); });
  return arcs;
}

}  // namespace

TEST_CASE("each line of a text is in one share, and knows its number") {
  for (const bool ended : {true, false}) {
    std::string text = "header\n";
    std::vector<std::string> all;
    for (int i = 0; i < 37; ++i) {
      all.push_back(format("{} {}", i, std::string(static_cast<std::size_t>(i * 7 % 23), 'x')));
      text += all.back() + "\n";
    }
    if (!ended) text.pop_back();
    for (std::uint32_t count : {1u, 2u, 3u, 5u, 64u, 1000u}) {
      std::vector<std::string> found;
      for (std::uint32_t i = 0; i < count; ++i) {
        std::uint64_t before = 0;
        const auto lines = lines_of(text, {i, count}, before);
        if (!lines.empty()) CHECK(before == 1 + found.size());
        found.insert(found.end(), lines.begin(), lines.end());
      }
      CHECK(found == all);
    }
  }
}

TEST_CASE("shares cover every total exactly once, even if a product would overflow") {
  for (const std::uint64_t total : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    std::uint64_t at = 0;
    for (std::uint32_t i = 0; i < 7; ++i) {
      const Share share{i, 7};
      CHECK(share.begin(total) == at);
      at = share.end(total);
    }
    CHECK(at == total);
  }
}

TEST_CASE("the shares of a generator are its edges, in order") {
  for (const std::string_view spec :
       {"kron:8", "uniform:100:3", "grid2d:9x7", "tree:40:3", "complete:9", "small-world:50:4:0.3",
        "powerlaw:100:2.5", "known:karate", "matrix:poisson2d:6x5"}) {
    CAPTURE(spec);
    const auto whole = arcs_of(list_spec(spec, {}).value().edges);
    for (const std::uint32_t count : {2u, 3u, 7u}) {
      std::vector<Arc> found;
      for (std::uint32_t i = 0; i < count; ++i) {
        LoadOptions options;
        options.share = {i, count};
        const auto part = arcs_of(list_spec(spec, options).value().edges);
        found.insert(found.end(), part.begin(), part.end());
      }
      CHECK(found == whole);
    }
  }
}

}  // namespace leeway
