// Bindings of graphs and of runs of the shipped programs.

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "app/embedded_run.h"
#include "base/format.h"
#include "cli/embedded_settings.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "datasets/vertex_numbering.h"
#include "leeway/cluster.h"
#include "programs/catalog/continuation.h"
#include "python/core/bindings.h"
#include "runtime/graph/lists.h"

namespace leeway::python {

namespace {

using Offsets = py::array_t<std::uint64_t, py::array::c_style>;
using Vertices = py::array_t<std::uint32_t, py::array::c_style>;
using Numbers = py::array_t<double, py::array::c_style>;

/// Keeps a Python array alive while a graph views it; any thread may release it.
std::shared_ptr<const void> keeper_of(const py::object& array) {
  return {new py::object(array), [](const void* held) {
            const py::gil_scoped_acquire locked;
            delete static_cast<const py::object*>(held);
          }};
}

template <class T>
std::span<const T> span_of(const py::array_t<T, py::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// `names`: None for 0, 1, 2, …; the first of successive numbers; an array of ascending numbers; or a list of strings.
Result<VertexNames> given_names(const py::object& names, std::uint32_t count) {
  if (names.is_none()) return VertexNames::sequence(0, count);
  if (py::isinstance<py::int_>(names))
    return VertexNames::sequence(names.cast<std::uint64_t>(), count);
  if (py::isinstance<py::array>(names)) {
    const auto ids = names.cast<Offsets>();
    LEEWAY_ASSIGN(auto kept, Array<std::uint64_t>::copy_of(span_of(ids)));
    return VertexNames::numbers(std::move(kept));
  }
  std::vector<std::uint64_t> offsets = {0};
  std::string text;
  std::vector<std::string> words;
  for (const py::handle name : names) {
    words.push_back(py::str(name));
    text += words.back();
    offsets.push_back(text.size());
  }
  std::vector<VertexId> sorted(words.size());
  for (std::uint32_t v = 0; v < sorted.size(); ++v) sorted[v] = VertexId(v);
  std::sort(sorted.begin(), sorted.end(),
            [&](VertexId a, VertexId b) { return words[a.index()] < words[b.index()]; });
  LEEWAY_ASSIGN(auto ends, Array<std::uint64_t>::copy_of(offsets));
  LEEWAY_ASSIGN(auto bytes, Array<char>::copy_of(std::span<const char>(text)));
  LEEWAY_ASSIGN(auto order, Array<VertexId>::copy_of(sorted));
  auto named = VertexNames::strings(std::move(ends), std::move(bytes), std::move(order));
  LEEWAY_TRY(check_one_line(named, "names"));
  return named;
}

/// Verifies that the arrays are valid adjacency lists.
Status check_lists(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> targets) {
  const auto refuse = [](std::string what) {
    return fail(input_error("indptr, indices", std::move(what),
                            "give the rows of a sparse matrix with sorted indices"));
  };
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != targets.size())
    return refuse("indptr must begin with 0 and end with the number of arcs");
  if (offsets.size() - 1 > UINT32_MAX) return refuse("more than 2^32 - 1 rows");
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    if (offsets[row] > offsets[row + 1]) return refuse(format("indptr decreases at row {}", row));
    for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i) {
      if (targets[i] >= offsets.size() - 1)
        return refuse(format("row {} holds column {}, beyond the last", row, targets[i]));
      if (i > offsets[row] && targets[i] < targets[i - 1])
        return refuse(format("the columns of row {} do not ascend", row));
    }
  }
  return {};
}

Result<Graph> graph_over(const Offsets& offsets, const Vertices& targets,
                         const std::optional<Numbers>& weights, bool whole_weights,
                         const py::object& names, bool directed) {
  LEEWAY_TRY(check_lists(span_of(offsets), span_of(targets)));
  GraphArrays parts;
  parts.directed = directed;
  parts.offsets = Array<std::uint64_t>::view(span_of(offsets), keeper_of(offsets));
  static_assert(sizeof(VertexId) == sizeof(std::uint32_t));
  const std::span<const VertexId> ends(reinterpret_cast<const VertexId*>(targets.data()),
                                       static_cast<std::size_t>(targets.size()));
  parts.targets = Array<VertexId>::view(ends, keeper_of(targets));
  if (weights) {
    parts.weight_kind = whole_weights ? WeightKind::Integer : WeightKind::Real;
    parts.weights = Array<double>::view(span_of(*weights), keeper_of(*weights));
    if (parts.weights.size() != parts.targets.size())
      return fail(input_error("weights", "the number of weights differs from the number of arcs",
                              "give one for each arc"));
  }
  LEEWAY_ASSIGN(parts.names,
                given_names(names, static_cast<std::uint32_t>(parts.offsets.size() - 1)));
  return Graph(std::move(parts));
}

Result<Graph> graph_from_edges(std::uint32_t count, const Vertices& sources,
                               const Vertices& targets, const std::optional<Numbers>& weights,
                               bool whole_weights, bool directed, const py::object& names) {
  GraphShape shape{.vertex_count = count, .directed = directed};
  LEEWAY_ASSIGN(shape.names, given_names(names, count));
  EdgeChunkBuilder builder;
  for (py::ssize_t i = 0; i < sources.size(); ++i) {
    const VertexId from(sources.at(i)), to(targets.at(i));
    if (weights) {
      builder.add(from, to, weights->at(i));
    } else {
      builder.add(from, to);
    }
  }
  EdgeList edges;
  if (weights) edges.weight_kind = whole_weights ? WeightKind::Integer : WeightKind::Real;
  LEEWAY_ASSIGN(EdgeChunk chunk, builder.finish());
  edges.chunks.push_back(std::move(chunk));
  return build_graph(std::move(edges), std::move(shape), {});
}

std::shared_ptr<Graph> shared(Result<Graph> graph) {
  return std::make_shared<Graph>(unwrap(std::move(graph)));
}

/// The names as `Graph.over` and `Graph.from_edges` take them: the first number, if they count from it.
py::object own_names(const Graph& graph) {
  const bool sequence = graph.names().kind() == NameKind::Sequence;
  return sequence ? py::object(py::int_(graph.names().first())) : names_of(graph.names());
}

/// Everything that determines a graph, for pickle.
py::tuple state_of(const py::object& self) {
  const Graph& graph = self.cast<const Graph&>();
  return py::make_tuple(graph.directed(), static_cast<int>(graph.weight_kind()), graph.left_count(),
                        self.attr("indptr"), self.attr("indices"), self.attr("weights"),
                        own_names(graph));
}

Result<Graph> graph_of(const py::tuple& state) {
  const auto offsets = state[3].cast<Offsets>();
  const auto targets = state[4].cast<Vertices>();
  LEEWAY_TRY(check_lists(span_of(offsets), span_of(targets)));
  GraphArrays parts;
  parts.directed = state[0].cast<bool>();
  parts.weight_kind = static_cast<WeightKind>(state[1].cast<int>());
  parts.left_count = state[2].cast<std::uint32_t>();
  parts.offsets = Array<std::uint64_t>::view(span_of(offsets), keeper_of(offsets));
  const std::span<const VertexId> ends(reinterpret_cast<const VertexId*>(targets.data()),
                                       static_cast<std::size_t>(targets.size()));
  parts.targets = Array<VertexId>::view(ends, keeper_of(targets));
  if (!state[5].is_none()) {
    const auto weights = state[5].cast<Numbers>();
    parts.weights = Array<double>::view(span_of(weights), keeper_of(weights));
  }
  LEEWAY_ASSIGN(parts.names,
                given_names(state[6], static_cast<std::uint32_t>(parts.offsets.size() - 1)));
  return Graph(std::move(parts));
}

/// The in-arcs of each vertex (offsets, sources, weights). `self` is a Graph.
py::tuple in_arcs(const py::object& self) {
  const Graph& graph = self.cast<const Graph&>();
  auto made = [&] {
    const py::gil_scoped_release released;
    return lists_of(graph, Reads::In, true);
  }();
  // For an undirected graph the in-arcs are the graph's lists, so `self` must stay alive.
  auto* const kept = new std::pair<Csr, py::object>(unwrap(std::move(made)), self);
  const py::capsule owner(
      kept, [](void* memory) { delete static_cast<std::pair<Csr, py::object>*>(memory); });
  const Csr& lists = kept->first;
  return py::make_tuple(
      array_over(lists.offsets.data(), lists.offsets.size(), owner),
      array_over(lists.targets.data(), lists.targets.size(), owner),
      lists.weighted() ? py::object(array_over(lists.weights.data(), lists.weights.size(), owner))
                       : py::none());
}

}  // namespace

py::object names_of(const VertexNames& names) {
  if (names.kind() != NameKind::Strings) {
    std::vector<std::uint64_t> ids(names.count());
    for (std::uint32_t v = 0; v < ids.size(); ++v)
      ids[v] = names.kind() == NameKind::Sequence ? names.first() + v : names.ids()[v];
    return array_of(std::move(ids));
  }
  py::list words;
  for (VertexId v(0); v.value() < names.count(); v = v.next()) words.append(names.name(v));
  return words;
}

void bind_graph(py::module_& module) {
  py::class_<Graph, std::shared_ptr<Graph>>(module, "Graph")
      .def_static("open",
                  [](const std::string& name, const Settings& settings) {
                    std::vector<std::string> warnings;
                    auto graph = [&] {
                      const py::gil_scoped_release released;
                      return app::open_embedded(name, settings, warnings);
                    }();
                    return std::pair(shared(std::move(graph)), warnings);
                  })
      .def_static(
          "over",
          [](const Offsets& offsets, const Vertices& targets, const std::optional<Numbers>& weights,
             bool whole, const py::object& names, bool directed) {
            return shared(graph_over(offsets, targets, weights, whole, names, directed));
          })
      .def_static("from_edges",
                  [](std::uint32_t count, const Vertices& sources, const Vertices& targets,
                     const std::optional<Numbers>& weights, bool whole, bool directed,
                     const py::object& names) {
                    return shared(
                        graph_from_edges(count, sources, targets, weights, whole, directed, names));
                  })
      .def_static("is_spec", [](const std::string& text) { return is_graph_spec(text); })
      .def("save",
           [](const Graph& graph, const std::string& path, const Settings& settings) {
             unwrap(app::save_embedded(graph, path, settings));
           })
      .def_property_readonly("vertices", &Graph::vertex_count)
      .def_property_readonly("arcs", &Graph::arc_count)
      .def_property_readonly("edges", &Graph::edge_count)
      .def_property_readonly("directed", &Graph::directed)
      .def_property_readonly("weighted", &Graph::weighted)
      .def_property_readonly(
          "whole_weights",
          [](const Graph& graph) { return graph.weight_kind() == WeightKind::Integer; })
      .def_property_readonly("own_names", &own_names)
      .def_property_readonly("indptr",
                             [](const py::object& self) {
                               const auto offsets = self.cast<const Graph&>().offsets();
                               return array_over(offsets.data(), offsets.size(), self);
                             })
      .def_property_readonly("indices",
                             [](const py::object& self) {
                               const auto targets = self.cast<const Graph&>().targets();
                               return array_over(
                                   reinterpret_cast<const std::uint32_t*>(targets.data()),
                                   targets.size(), self);
                             })
      .def_property_readonly("weights",
                             [](const py::object& self) -> py::object {
                               const Graph& graph = self.cast<const Graph&>();
                               if (!graph.weighted()) return py::none();
                               const auto weights = graph.weights();
                               return array_over(weights.data(), weights.size(), self);
                             })
      .def("in_arcs", &in_arcs)
      .def(py::pickle(&state_of, [](const py::tuple& state) { return shared(graph_of(state)); }))
      .def("names", [](const Graph& graph) { return names_of(graph.names()); });
}

namespace {

py::object values_of(ProgramValues values) {
  if (values.row > 0) {
    const auto row = static_cast<py::ssize_t>(values.row);
    const py::array_t<float> flat = array_of(std::move(values.rows));
    return flat.attr("reshape")(-1, row);
  }
  py::object all = std::visit([](auto& each) -> py::object { return array_of(std::move(each)); },
                              values.by_vertex);
  // A vertex without a side has -1.
  return values.shown == Shown::Side ? py::object(all.attr("view")("int64")) : all;
}

py::object table_of(app::ResultNumbers table) {
  if (table.columns == 0) return py::none();
  const auto columns = static_cast<py::ssize_t>(table.columns);
  const py::array_t<double> flat = array_of(std::move(table.numbers));
  return flat.attr("reshape")(-1, columns);
}

/// A graph's changes, the number of batches before an answer, and the values of that answer by vertex.
using ContinuedFrom = std::tuple<std::shared_ptr<ChangingGraph>, std::size_t, Numbers>;

std::shared_ptr<const Continuation> continuation_of(const ContinuedFrom& from) {
  const auto& [graph, version, values] = from;
  const std::span<const double> old = span_of(values);
  if (old.size() != graph->graph()->vertex_count()) {
    raise(input_error("session", "the answer has not one value of each vertex",
                      "continue from an answer of this graph"));
  }
  return std::make_shared<const Continuation>(
      Continuation{std::vector<double>(old.begin(), old.end()), graph->since(version)});
}

/// `kinds`: 0 for an added arc, 1 for a removed one, 2 for a new weight.
void change(ChangingGraph& graph, const py::array_t<std::uint8_t, py::array::c_style>& kinds,
            const Vertices& sources, const Vertices& targets, const Numbers& weights) {
  std::vector<GraphChange> changes;
  for (py::ssize_t i = 0; i < kinds.size(); ++i) {
    changes.push_back({.kind = static_cast<ChangeKind>(kinds.at(i)),
                       .source = VertexId(sources.at(i)),
                       .target = VertexId(targets.at(i)),
                       .weight = weights.at(i)});
  }
  unwrap(graph.change(changes));
}

/// `gather`: the first process gets all values; otherwise each process gets the values of its vertices.
py::dict run(const std::string& program, const std::optional<std::shared_ptr<Graph>>& graph,
             const std::string& graph_name, const Settings& settings, bool gather,
             const std::optional<ContinuedFrom>& from) {
  std::atomic<bool> stop = false;
  std::shared_ptr<const Continuation> continuation;
  if (from) continuation = continuation_of(*from);
  Job* const job = unwrap([] {
    const py::gil_scoped_release released;
    return own_job();
  }());
  const auto work = [&] {
    return app::run_embedded({.program = program,
                              .graph = graph ? graph->get() : nullptr,
                              .graph_name = graph_name,
                              .settings = settings,
                              .continuation = continuation,
                              .own_part = !gather,
                              .stop = &stop},
                             job);
  };
  app::EmbeddedResult done = unwrap(run_here<app::EmbeddedResult>(job, work, stop));
  py::dict found;
  found["at_rest"] = done.at_rest;
  found["warnings"] = done.kept.warnings;
  found["report"] = std::move(done.kept.report);
  found["table"] = table_of(std::move(done.kept.table));
  found["first"] = done.kept.first;
  found["names"] = names_of(done.kept.names);
  found["values"] = py::none();
  found["shown"] = py::none();
  if (done.kept.values) {
    found["shown"] = shown_name(done.kept.values->shown);
    found["values"] = values_of(std::move(*done.kept.values));
  }
  return found;
}

}  // namespace

void bind_runs(py::module_& module) {
  module.attr("version") = LEEWAY_VERSION;
  py::class_<ChangingGraph, std::shared_ptr<ChangingGraph>>(module, "ChangingGraph")
      .def(py::init([](const std::shared_ptr<Graph>& graph) {
        return std::make_shared<ChangingGraph>(std::shared_ptr<const Graph>(graph));
      }))
      .def_property_readonly(
          "graph",
          [](const ChangingGraph& graph) { return std::const_pointer_cast<Graph>(graph.graph()); })
      .def_property_readonly("version", &ChangingGraph::version)
      .def("change", &change);
  module.def("run", &run, py::arg("program"), py::arg("graph"), py::arg("graph_name"),
             py::arg("settings"), py::arg("gather"), py::arg("continued_from") = py::none());
  module.def("programs", [] {
    py::list programs;
    for (const auto& each : app::embedded_programs())
      programs.append(py::make_tuple(each.name, each.summary, each.result, each.graph));
    return programs;
  });
  module.def("program_facts", [] {
    py::dict facts;
    for (const auto& each : app::embedded_programs()) {
      py::dict one;
      one["vertex_valued"] = each.vertex_valued;
      one["groups"] = each.groups;
      one["continues"] = each.continues;
      one["known_as"] = each.known_as;
      facts[py::str(each.name)] = one;
    }
    return facts;
  });
  module.def("settings", [] {
    py::list settings;
    for (const auto& each : cli::embedded_settings())
      settings.append(py::make_tuple(each.name, each.value, each.fallback, each.help, each.programs,
                                     each.own_of, each.usual));
    return settings;
  });
  module.def("check_settings",
             [](const Settings& settings) { unwrap(app::check_embedded(settings)); });
  module.def("place", []() -> py::tuple {
    Job* const job = unwrap([] {
      const py::gil_scoped_release released;
      return own_job();
    }());
    if (job == nullptr) return py::make_tuple(0, 1);
    return py::make_tuple(job->self().value(), job->node_count());
  });
  module.def("leave", [](bool failed) {
    const py::gil_scoped_release released;
    leave_own_job(failed ? 1 : 0);
  });
}

}  // namespace leeway::python
