#!/usr/bin/env python3
"""Tests each rule with a small bad source tree, which it must refuse, and a good one, which it must accept."""
import os
import sys
import tempfile
import unittest

import rules
from self_contained import self_contained
from source_tree import SourceTree

COMPILER = sys.argv[1:] or ["c++"]
HEADER = "#pragma once\n"


class RulesTest(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in files.items():
            full = os.path.join(folder.name, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return SourceTree(folder.name)

    def refuses(self, rule, files, where):
        complaints = list(rule(self.tree(files)))
        self.assertEqual([c for c in complaints if not c.startswith(where)], [])
        self.assertEqual(len(complaints), 1, complaints)

    def accepts(self, rule, files):
        self.assertEqual(list(rule(self.tree(files))), [])

    def test_an_include_that_runs_up_is_refused(self):
        self.refuses(rules.floors, {"base/a.h": '\n#include "dsm/b.h"\n'}, "base/a.h:2:")

    def test_an_include_that_runs_sideways_is_refused(self):
        for here, there in [("protocol", "transport"), ("transport", "protocol"), ("datasets", "dsm"),
                            ("dsm", "datasets"), ("programs", "dsm"), ("programs", "protocol"),
                            ("cli", "benchmarks")]:
            self.refuses(rules.floors, {f"{here}/a.cc": f'#include "{there}/b.h"\n'},
                         f"{here}/a.cc:1:")

    def test_the_command_may_reach_the_replays_and_they_not_the_command(self):
        self.accepts(rules.floors, {"cli/a.cc": '#include "benchmarks/replay/b.h"\n'})
        self.refuses(rules.floors, {"benchmarks/replay/a.cc": '#include "cli/b.h"\n'},
                     "benchmarks/replay/a.cc:1:")

    def test_an_include_that_runs_down_is_accepted(self):
        self.accepts(rules.floors, {"dsm/a.cc": '#include "protocol/b.h"\n#include "dsm/c.h"\n'})

    def test_an_engine_that_includes_another_is_refused(self):
        for here, there in [("graph", "vertex"), ("pie", "vertex"), ("cluster", "graph"), ("tick", "piece")]:
            self.refuses(rules.engines_stand_side_by_side, {f"runtime/{here}/a.cc": f'#include "runtime/{there}/b.h"\n'},
                         f"runtime/{here}/a.cc:1:")
        self.refuses(rules.engines_stand_side_by_side, {"runtime/graph/a.cc": '#include "leeway/job.h"\n'}, "runtime/graph/a.cc:1:")
        self.refuses(rules.engines_stand_side_by_side, {"include/leeway/pie.h": '#include "leeway/tick.h"\n'}, "include/leeway/pie.h:1:")
        self.accepts(rules.engines_stand_side_by_side, {"runtime/pie/a.cc": '#include "runtime/graph/b.h"\n#include "leeway/cluster.h"\n'})
        self.refuses(rules.engines_stand_side_by_side, {"runtime/attic/a.cc": ""}, "runtime/attic/a.cc:1:")

    def test_a_folder_below_the_interface_includes_no_public_header(self):
        self.refuses(rules.engines_stand_side_by_side, {"dsm/a.cc": '#include "leeway/dsm.h"\n'}, "dsm/a.cc:1:")
        self.accepts(rules.engines_stand_side_by_side, {"cli/a.cc": '#include "leeway/dsm.h"\n'})

    def test_an_include_in_a_comment_is_not_one(self):
        self.accepts(rules.floors, {"base/a.h": '// #include "dsm/b.h"\n'})

    def test_the_library_never_includes_a_test(self):
        self.refuses(rules.floors, {"base/a.cc": '#include "test/support/b.h"\n'}, "base/a.cc:1:")

    def test_a_relative_include_is_refused(self):
        self.refuses(rules.floors, {"base/a.cc": '#include "a.h"\n'}, "base/a.cc:1:")

    def test_a_folder_outside_the_table_is_refused(self):
        self.refuses(rules.floors, {"attic/a.cc": ""}, "attic/a.cc:1:")

    def test_a_third_party_header_outside_its_home_is_refused(self):
        for header in ["mpi.h", "rdma/fabric.h", "metis.h", "spdlog/spdlog.h", "tbb/tbb.h", "zstd.h",
                       "tl/expected.hpp", "fmt/format.h", "CLI/CLI.hpp", "toml++/toml.h", "catch2/catch.hpp"]:
            self.refuses(rules.homes, {"datasets/graph.cc": f"#include <{header}>\n"},
                         "datasets/graph.cc:1:")

    def test_a_third_party_header_at_home_is_accepted(self):
        self.accepts(rules.homes, {"transport/mpi_wire.cc": "#include <mpi.h>\n#include <vector>\n",
                                   "test/a_test.cc": "#include <catch2/catch.hpp>\n"})

    def test_a_second_home_is_refused(self):
        self.refuses(rules.homes, {"transport/mpi_wire.cc": "#include <mpi.h>\n",
                                   "transport/mpi_world.cc": "#include <mpi.h>\n"},
                     "transport/mpi_world.cc:1:")

    def test_an_unknown_header_is_refused(self):
        self.refuses(rules.homes, {"base/a.cc": "#include <absl/hash/hash.h>\n"}, "base/a.cc:1:")

    def test_the_protocol_may_not_use_a_clock(self):
        for header in ["chrono", "thread", "mutex", "atomic", "random"]:
            self.refuses(rules.protocol_is_pure, {"protocol/a.cc": f"#include <{header}>\n"},
                         "protocol/a.cc:1:")

    def test_the_protocol_may_not_log(self):
        self.refuses(rules.protocol_is_pure, {"protocol/a.cc": '#include "base/log.h"\n',
                                              "base/log.h": HEADER}, "protocol/a.cc:1:")

    def test_the_protocol_may_not_reach_a_thread_through_another_header(self):
        self.refuses(rules.protocol_is_pure,
                     {"protocol/a.cc": '#include "base/b.h"\n',
                      "base/b.h": HEADER + "#include <thread>\n"}, "protocol/a.cc:1:")

    def test_other_folders_may_use_a_clock(self):
        self.accepts(rules.protocol_is_pure, {"transport/a.cc": "#include <chrono>\n"})

    def test_an_oracle_may_use_the_types_of_a_scene_only(self):
        self.refuses(rules.oracles_share_no_law,
                     {"programs/reference/a.cc": "\nauto next = scene::swim(model, fish, sum);\n"},
                     "programs/reference/a.cc:2:")
        self.accepts(rules.oracles_share_no_law, {"programs/reference/a.cc": "using scene::Fish;\n",
                                                  "programs/tick/b.cc": "scene::swim(model, fish, sum);\n"})

    def test_a_program_named_outside_its_folder_is_refused(self):
        row = {"programs/sssp/program.cc": '\nreturn {.name = "sssp"};\n'}
        self.refuses(rules.programs_are_named_in_their_folders, {**row, "cli/a.cc": '\nif (name == "sssp") run();\n'}, "cli/a.cc:2:")
        self.accepts(rules.programs_are_named_in_their_folders,
                     {**row, "cli/a.cc": '// "sssp"\nprint("leeway run sssp");\n', "benchmarks/a.cc": 'run("sssp");\n'})

    def test_a_source_that_is_not_built_is_refused(self):
        self.refuses(rules.every_file_is_used, {"base/a.cc": "", "base/b.cc": "",
                                                "base/meson.build": "static_library('x', 'b.cc')"},
                     "base/a.cc:1:")

    def test_a_header_included_by_its_own_source_alone_is_refused(self):
        self.refuses(rules.every_file_is_used, {"base/a.cc": '#include "base/a.h"\n',
                                                "base/a.h": HEADER,
                                                "base/meson.build": "static_library('x', 'a.cc')"},
                     "base/a.h:1:")

    def test_a_tool_that_is_not_called_is_refused(self):
        self.refuses(rules.every_file_is_used, {"tools/a.sh": "", "x/meson.build": ""}, "tools/a.sh:1:")

    def test_used_files_are_accepted(self):
        self.accepts(rules.every_file_is_used, {"base/a.cc": "", "base/a.h": HEADER,
                                                "base/meson.build": "static_library('x', 'a.cc', 't.cc')",
                                                "base/t.cc": '#include "base/a.h"\n',
                                                "tools/a.sh": "", "dev": "tools/a.sh\n"})

    def test_a_document_includes_public_headers_only(self):
        include = '#include "{}"\n'
        self.accepts(rules.public_headers_are_what_users_see,
                     {"include/leeway/dsm.h": HEADER, "docs/a.md": include.format("leeway/dsm.h")})
        self.refuses(rules.public_headers_are_what_users_see,
                     {"include/leeway/dsm.h": HEADER, "dsm/b.h": HEADER, "test/consumers/c/main.cc": include.format("dsm/b.h")},
                     "test/consumers/c/main.cc:1:")
        self.refuses(rules.public_headers_are_what_users_see, {"include/leeway/other.h": HEADER}, "include/leeway/other.h:1:")

    def test_public_headers_are_few(self):
        names = [f"include/leeway/a{i}.h" for i in range(rules.MAX_PUBLIC_HEADERS + 1)]
        complaints = list(rules.public_headers_are_what_users_see(self.tree({name: HEADER for name in names})))
        self.assertEqual(complaints[0].split(":")[0], "include/leeway")

    def test_a_type_name_that_occurs_twice_is_refused(self):
        self.refuses(rules.a_type_name_occurs_once,
                     {"base/a.h": "namespace a {\nclass Reader final : Base {};\n}\n", "base/b.cc": "enum class Reader { One };\n"},
                     "base/b.cc:1:")
        self.accepts(rules.a_type_name_occurs_once,
                     {"base/a.h": "struct A { struct Value {}; };\nclass B;\n", "base/b.h": "struct B { struct Value {}; };\n"})

    def test_a_marker_of_an_unknown_mutant_is_refused(self):
        table = {"test/mutants/mutants.py": 'MUTANTS = {"known": []}\n'}
        self.accepts(rules.marked_mutants_exist, {**table, "base/a.cc": "  // mutant: known\n  f();\n"})
        self.refuses(rules.marked_mutants_exist, {**table, "base/a.cc": "\n// mutants: known, other\n"}, "base/a.cc:2:")

    def test_an_unclear_word_is_refused(self):
        self.refuses(rules.words_are_clear, {"base/a.h": "\n// Nobody calls this.\n"}, "base/a.h:2:")
        self.accepts(rules.words_are_clear, {"base/a.h": "// besides the boxes, an intelligent comment\n"})

    def test_a_type_whose_name_has_a_word_of_another_subject_is_refused(self):
        self.refuses(rules.words_have_one_meaning, {"transport/a.h": "\nstruct JobParts {\n};\n"}, "transport/a.h:2:")
        self.refuses(rules.words_have_one_meaning, {"runtime/tick/a.h": "class Stretch {\n};\n"}, "runtime/tick/a.h:1:")
        self.accepts(rules.words_have_one_meaning, {"runtime/graph/a.h": "struct LoadedPart {\n};\nstruct Partition {\n};\n"})

    def test_a_local_name_that_occurs_twice_in_a_folder_is_refused(self):
        local = "namespace {{\nconstexpr int {} = 1;\n}}  // namespace\n"
        self.refuses(rules.local_names_differ, {"base/a.cc": local.format("kA"), "base/b.cc": local.format("kA")}, "base/b.cc:2:")
        self.accepts(rules.local_names_differ,
                     {"base/a.cc": local.format("kA"), "base/b.cc": local.format("kB"), "cli/c.cc": local.format("kA")})

    def test_a_program_with_thread_local_storage_is_refused(self):
        code = "void f() {\n  thread_local int room;\n}\n"
        self.refuses(rules.scratch_is_its_users, {"programs/a.cc": code}, "programs/a.cc:2:")
        self.refuses(rules.scratch_is_its_users, {"test/consumers/a.cc": code}, "test/consumers/a.cc:2:")
        self.accepts(rules.scratch_is_its_users, {"base/a.cc": code, "programs/b.cc": "// no thread_local\n"})

    def test_a_check_of_a_peer_s_value_is_refused(self):
        self.refuses(rules.a_peer_s_value_is_judged,
                     {"runtime/a.cc": "void on_tally(ByteReader& in) {\n  const auto count = in.varint();\n  LEEWAY_CHECK(count < 3);\n}\n"},
                     "runtime/a.cc:3:")
        self.refuses(rules.a_peer_s_value_is_judged,
                     {"dsm/a.cc": "void f(Bytes bytes) {\n  ByteReader in(bytes);\n  LEEWAY_CHECK(decode(in));\n}\n"}, "dsm/a.cc:3:")

    def test_a_check_of_an_own_value_is_accepted(self):
        self.accepts(rules.a_peer_s_value_is_judged,
                     {"runtime/a.cc": "void f(ByteReader& in) {\n  const int mine = 3;\n  LEEWAY_CHECK(mine < 4);\n  if (in.byte() > 1) fail();\n}\n"})

    def test_a_long_file_is_refused(self):
        self.refuses(rules.sizes, {"base/a.cc": "\n" * 901}, "base/a.cc:901:")

    def test_a_long_function_is_refused(self):
        body = "namespace leeway {\nclass A {\n void f() {\n" + "  g();\n" * 80 + "}\n};\n}\n"
        self.refuses(rules.sizes, {"base/a.cc": body}, "base/a.cc:3:")

    def test_a_long_class_of_short_functions_is_accepted(self):
        body = "class A {\n" + "  void f() {\n    if (x) { g('{'); }\n  }\n" * 60 + "};\n"
        self.accepts(rules.sizes, {"base/a.cc": body})

    def test_a_promise_is_refused(self):
        for word in ["TO" + "DO", "FIX" + "ME", "a st" + "ub", "not imple" + "mented"]:
            self.refuses(rules.no_promises, {"base/a.cc": f"// {word}: later\n"}, "base/a.cc:1:")

    def test_a_header_that_does_not_compile_alone_is_refused(self):
        tree = self.tree({"base/a.h": HEADER + "inline std::string name();\n",
                          "base/b.h": HEADER + "#include <string>\ninline std::string title() { return {}; }\n"})
        complaints = list(self_contained(tree, COMPILER, os.path.join(tree.root, "cache")))
        self.assertEqual([c.split(":")[0] for c in complaints], ["base/a.h"], complaints)
        # A failure is not cached as a success.
        self.assertEqual(len(list(self_contained(tree, COMPILER, os.path.join(tree.root, "cache")))), 1)

    def test_a_header_without_a_guard_is_refused(self):
        tree = self.tree({"base/a.h": "struct A {};\n"})
        self.assertEqual(len(list(self_contained(tree, COMPILER, os.path.join(tree.root, "cache")))), 1)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
