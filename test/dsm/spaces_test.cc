// Several spaces in one cluster, values of many sizes, and errors where nodes disagree or requests
// exceed the limits.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "leeway/dsm.h"
#include "test/support/check_catcher.h"
#include "test/support/clusters.h"

using namespace leeway;
using Catch::Matchers::Contains;
using testing::finish_sim;
using testing::run_loopback;
using testing::run_sim;

namespace {

NodeOptions mode(const char* name) {
  NodeOptions options;
  options.policy = parse_policy(name).value();
  return options;
}

SpaceOptions named(const char* name, std::uint32_t local = 10) {
  SpaceOptions options;
  options.name = name;
  options.local_objects = local;
  options.remote_objects = 100;
  return options;
}

struct Wide {
  std::uint64_t words[32];
};

std::vector<std::byte> text(std::size_t size, std::uint8_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(seed + i);
  return bytes;
}

ObjectId next_door(const Node& node, std::uint32_t index) {
  return {NodeId((node.self().value() + 1) % node.node_count()), LocalIndex(index)};
}

}  // namespace

TEST_CASE("spaces of different types and modes live side by side") {
  const auto body = [](Node& node) {
    auto flags = Dsm<std::uint8_t>::open(node, named("flags")).value();
    auto ranks = Dsm<double>::open(node, named("ranks")).value();
    SpaceOptions strict = named("rows");
    strict.policy = parse_policy("scp").value();
    auto rows = Dsm<Wide>::open(node, strict).value();
    const std::uint32_t me = node.self().value();
    for (std::uint32_t i = 0; i < 10; ++i) {
      flags.store(Handle(i), static_cast<std::uint8_t>(me + i));
      ranks.store(Handle(i), me + i / 10.0);
      Wide row{};
      row.words[31] = me * 100 + i;
      rows.store(Handle(i), row);
    }
    node.quiesce();
    const std::uint32_t other = next_door(node, 0).home().value();
    for (std::uint32_t i = 0; i < 10; ++i) {
      const ObjectId id = next_door(node, i);
      if (flags.fetch(id) != other + i || ranks.fetch(id) != other + i / 10.0 ||
          rows.fetch(id).words[31] != other * 100 + i) {
        throw std::runtime_error("a value of another space came back");
      }
    }
    node.barrier();
  };
  run_loopback({.nodes = 3}, mode("rcp"), body);
  REQUIRE(run_sim({.nodes = 3}, mode("rcp"), body).outcome == SimOutcome::Finished);
}

TEST_CASE("values of every size up to the limit are transferred; other sizes are refused") {
  for (const std::uint32_t size : {1u, 3u, 8u, 9u, 9'999u, kMaxValueBytes}) {
    finish_sim({}, mode("rcp"), [size](Node& node) {
      Space& space = *node.open_space(named("sizes"), size).value();
      const Handle there = space.resolve(next_door(node, 3)).value();
      std::vector<std::byte> found(size);
      for (std::uint8_t seed = 1; seed < 4; ++seed) {
        space.store(Handle(3), text(size, seed));
        space.fetch(Handle(3), found.data());
        REQUIRE(found == text(size, seed));
        node.quiesce();
        space.fetch(there, found.data());  // may be stale; requests a refresh
        node.quiesce();
        space.fetch(there, found.data());
        REQUIRE(found == text(size, seed));
        node.barrier();
      }
      testing::CheckCatcher catcher;
      for (const std::uint32_t other : {size - 1, size + 1})
        REQUIRE_THROWS_AS(space.store(Handle(3), text(other, 5)), testing::CheckFailed);
    });
  }
}

TEST_CASE("what a program must not do with objects is reported before memory is touched") {
  finish_sim({}, mode("rcp"), [](Node& node) {
    auto dsm = Dsm<double>::open(node, named("objects", 4)).value();
    const Handle other = dsm.resolve(next_door(node, 3)).value();
    node.barrier();
    testing::CheckCatcher catcher;
    const std::uint32_t beyond = other.value() + 1'000'000;
    REQUIRE_THROWS_WITH(dsm.set_initial(LocalIndex(4), 1),
                        Contains("object 4 of a node that has 4"));
    REQUIRE_THROWS_WITH(DSM_FETCH(dsm, Handle(beyond)), Contains("no object with handle"));
    REQUIRE_THROWS_WITH(DSM_STORE(dsm, other, 1.0),
                        Contains("only the home of an object stores to it"));
    REQUIRE(DSM_FETCH(dsm, Handle(3)) == 0);
  });
}

TEST_CASE("nodes that open one space with different types of the same size are refused") {
  finish_sim({.nodes = 2}, mode("rcp"), [](Node& node) {
    if (node.self() == NodeId(0)) {
      REQUIRE_FALSE(Dsm<double>::open(node, named("objects")).has_value());
    } else {
      REQUIRE_FALSE(Dsm<std::int64_t>::open(node, named("objects")).has_value());
    }
  });
}

TEST_CASE("sums may be of more numbers than one message has") {
  finish_sim({.nodes = 3}, mode("rcp"), [](Node& node) {
    for (const std::size_t count : {0u, 1u, 16u, 17u, 100u}) {
      std::vector<std::uint64_t> numbers(count);
      for (std::size_t i = 0; i < count; ++i) numbers[i] = i * (node.self().value() + 1);
      const auto sums = node.sum(numbers);
      REQUIRE(sums.size() == count);
      for (std::size_t i = 0; i < count; ++i) REQUIRE(sums[i] == i * 6);
    }
  });
}

TEST_CASE("invalid value sizes are refused on every node") {
  finish_sim({}, mode("rcp"), [](Node& node) {
    for (const std::uint32_t size : {0u, kMaxValueBytes + 1}) {
      const auto opened = node.open_space(named("sizes"), size);
      REQUIRE_FALSE(opened.has_value());
      REQUIRE(opened.error().exit_code() == 2);
    }
    SpaceOptions tiny = named("cramped");
    tiny.cache_capacity = 1;
    REQUIRE_FALSE(Dsm<double>::open(node, tiny).has_value());
    SpaceOptions vast = named("vast", 0xFFFF'0000u);
    vast.remote_objects = 0x1'0000u;  // one more than the range of Handle
    const auto opened = Dsm<std::uint8_t>::open(node, vast);
    REQUIRE_FALSE(opened.has_value());
    REQUIRE(opened.error().exit_code() == 2);
    REQUIRE(opened.error().to_string().find("than the 4294967295") != std::string::npos);
  });
}

TEST_CASE("if nodes open different spaces, all get an error") {
  const auto expect_error = [](auto&& open) {
    for (const std::uint32_t nodes : {2u, 3u}) {
      std::vector<std::string> errors(nodes);
      run_loopback({.nodes = nodes}, mode("rcp"), [&](Node& node) {
        const Status opened = open(node);
        if (!opened) errors[node.self().index()] = opened.error().to_string();
      });
      for (const std::string& error : errors) {
        REQUIRE(error.find("the nodes opened different spaces") != std::string::npos);
      }
    }
  };
  expect_error([](Node& node) -> Status {  // names
    LEEWAY_TRY(Dsm<double>::open(node, named(node.self() == NodeId(0) ? "ranks" : "marks")));
    return {};
  });
  expect_error([](Node& node) -> Status {  // types
    if (node.self() == NodeId(1)) {
      LEEWAY_TRY(Dsm<std::uint32_t>::open(node, named("ranks")));
      return {};
    }
    LEEWAY_TRY(Dsm<double>::open(node, named("ranks")));
    return {};
  });
}

TEST_CASE("if one node cannot open a space, all nodes get an error") {
  run_loopback({.nodes = 3}, mode("rcp"), [](Node& node) {
    SpaceOptions options = named("ranks");
    if (node.self() == NodeId(2)) options.cache_capacity = 3;  // too small
    const auto opened = Dsm<double>::open(node, options);
    if (opened.has_value()) throw std::runtime_error("opened");
    const bool mine = opened.error().exit_code() == 2;
    if (mine != (node.self() == NodeId(2))) throw std::runtime_error("the wrong node is blamed");
  });
}

TEST_CASE("ids beyond the size of a space are refused with an error that names them") {
  finish_sim({}, mode("rcp"), [](Node& node) {
    SpaceOptions options = named("few");
    options.remote_objects = 2;
    auto dsm = Dsm<double>::open(node, options).value();
    REQUIRE_FALSE(dsm.resolve({NodeId(7), LocalIndex(0)}).has_value());
    REQUIRE_FALSE(dsm.resolve({node.self(), LocalIndex(10)}).has_value());
    REQUIRE(dsm.resolve(next_door(node, 0)).has_value());
    REQUIRE(dsm.resolve(next_door(node, 1)).has_value());
    REQUIRE(dsm.resolve(next_door(node, 0)).has_value());
    const auto third = dsm.resolve(next_door(node, 2));
    REQUIRE_FALSE(third.has_value());
    REQUIRE(third.error().to_string().find("few") != std::string::npos);
    node.barrier();
  });
}
