"""The commands that describe, generate, convert and partition graphs."""
import json
import os
import subprocess
import sys
import unittest

from command_case import LEEWAY, CommandTest, main

PART_MEMORY = os.path.abspath(sys.argv[2])


class GraphCommandsTest(CommandTest):
    def info(self, *arguments):
        return json.loads(self.succeeds("info", *arguments, "--json"))

    def test_info_knows_zacharys_karate_club(self):
        facts = self.info("known:karate")
        self.assertEqual((facts["vertices"], facts["edges"], facts["arcs"]), (34, 78, 156))
        self.assertEqual((facts["direction"], facts["weights"], facts["degree_max"]), ("undirected", "none", 17))

    def test_info_counts_loops_and_duplicates(self):
        self.write("g.txt", "1 1\n1 2\n1 2\n2 1\n7 1\n")
        facts = self.info("g.txt")
        self.assertEqual((facts["vertices"], facts["edges"], facts["self_loops"], facts["duplicates"]), (3, 5, 1, 1))
        facts = self.info("g.txt", "--self-loops", "drop", "--duplicates", "merge", "--undirected")
        self.assertEqual((facts["edges"], facts["self_loops"], facts["duplicates"]), (2, 0, 0))

    def test_info_shows_the_range_of_weights(self):
        self.write("g.txt", "1 2 0.5\n2 3 -4\n")
        facts = self.info("g.txt")
        self.assertEqual((facts["weights"], facts["weight_min"], facts["weight_max"]), ("real", -4, 0.5))

    def test_a_graph_survives_every_format(self):
        whole = self.info("known:karate")
        for name in ["k.lwg", "k.txt", "k.mtx", "k.graph", "k.gr", "k.txt.gz", "k.mtx.zst", "k.gr.xz"]:
            self.succeeds("convert", "known:karate", name, "--quiet")
            facts = self.info(name)
            for key in ["vertices", "edges", "arcs", "direction", "degree_max", "weights"]:
                self.assertEqual(facts[key], whole[key], f"{key} of {name}")
        self.assertEqual(len(self.left()), 8)

    def test_the_same_seed_gives_the_same_file_on_any_number_of_threads(self):
        for name, threads in [("a.lwg", "1"), ("b.lwg", "3")]:
            self.succeeds("generate", "kron:10:8", name, "--seed", "5", "--threads", threads)
        with open(f"{self.folder}/a.lwg", "rb") as a, open(f"{self.folder}/b.lwg", "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_partition_writes_each_vertex_once_by_its_own_name(self):
        self.write("g.txt", "100 7\n7 9000000000\n9000000000 100\n5 100\n")
        report = json.loads(self.succeeds("partition", "g.txt", "2", "owners.txt", "--partition", "block", "--json"))
        with open(f"{self.folder}/owners.txt", encoding="utf-8") as file:
            rows = [line.split() for line in file]
        self.assertEqual(sorted(int(row[0]) for row in rows), [5, 7, 100, 9000000000])
        self.assertEqual({row[1] for row in rows}, {"0", "1"})
        self.assertEqual([part["vertices"] for part in report["sizes"]],
                         [sum(row[1] == p for row in rows) for p in "01"])

    def test_a_run_uses_the_stored_partition_or_chooses_one(self):
        def division(graph, *flags):
            self.succeeds("run", "cc", graph, *(flags or ("--nodes", "3")), "--report", "r.json", "--force")
            with open(f"{self.folder}/r.json", encoding="utf-8") as report:
                return json.load(report)["configuration"]["partition"]
        self.succeeds("generate", "grid2d:200x200", "grid.lwg")
        self.succeeds("partition", "grid.lwg", "3", "three.lwg", "--partition", "hash", "--quiet")
        self.assertEqual(division("known:karate"), "metis")
        self.assertEqual(division("kron:12"), "block")
        self.assertEqual(division("kron:12", "--nodes", "3", "--net", "ec2"), "ldg")  # METIS takes longer than it saves
        self.assertEqual(division("kron:12", "--nodes", "3", "--fabric", "sim"), "metis")
        self.assertEqual(division("grid.lwg"), "block")
        self.assertEqual(division("grid.lwg", "--nodes", "3", "--fabric", "sim"), "metis")
        self.assertEqual(division("grid.lwg", "--nodes", "3", "--partition", "ldg"), "ldg")
        self.assertEqual(division("three.lwg"), "file:three.lwg")
        self.assertEqual(division("three.lwg", "--nodes", "2"), "block")

    def test_a_partition_can_be_read_back(self):
        first = json.loads(self.succeeds("partition", "known:karate", "3", "owners.txt", "--json"))
        again = json.loads(self.succeeds("partition", "known:karate", "3", "--partition", "file:owners.txt", "--json"))
        self.assertEqual(first["edge_cut"], again["edge_cut"])
        self.assertEqual(first["sizes"], again["sizes"])

    def test_more_parts_than_vertices_work(self):
        report = json.loads(self.succeeds("partition", "path:3", "8", "--partition", "block", "--json"))
        self.assertEqual(sum(part["vertices"] for part in report["sizes"]), 3)

    def plan_is_near(self, graph, nodes=4):
        """Memory that a separate process takes to load each node's part, compared with the plan for it."""
        plan = json.loads(self.succeeds("plan", graph, "--nodes", str(nodes), "--partition", "metis", "--json"))
        self.succeeds("partition", graph, str(nodes), "parts.lwg")
        empty = self.part_memory()["resident_bytes"]
        for number, node in enumerate(plan["per_node"]):
            measured = self.part_memory("parts.lwg", str(number))
            predicted = node["structure_bytes"]
            self.assertEqual(predicted, measured["array_bytes"])
            taken = measured["resident_bytes"] - empty
            self.assertLess(abs(predicted - taken), 0.25 * taken, f"{graph}, node {number}: {predicted} for {taken}")

    def part_memory(self, *arguments):
        done = subprocess.run([PART_MEMORY, *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    @unittest.skipIf("build-" in LEEWAY, "a sanitizer's own memory is measured with the rest")
    def test_the_plan_is_within_a_quarter_of_what_each_node_takes(self):
        for spec in ["kron:15:16", "grid2d:500x500"]:
            self.plan_is_near(spec)

    @unittest.skipIf("build-" in LEEWAY, "a sanitizer's own memory is measured with the rest")
    @unittest.skipUnless("LEEWAY_DATA" in os.environ, "LEEWAY_DATA is not set")
    def test_the_same_holds_for_roads_and_a_web(self):
        for name in ["USA-road-d.NY.gr.zst", "cnr-2000.txt.zst"]:
            self.plan_is_near(os.path.join(os.environ["LEEWAY_DATA"], name))

    def test_the_plan_of_a_graph_is_what_loading_it_takes(self):
        plan = json.loads(self.succeeds("plan", "kron:12", "--json"))
        self.assertEqual(plan["graph_bytes"], self.info("kron:12")["memory_bytes"])

    def test_doctor_gives_a_remedy_for_every_problem(self):
        findings = json.loads(self.run_leeway("doctor", "--json").stdout)
        topics = {finding["topic"] for finding in findings}
        self.assertLessEqual({"cores", "memory", "huge pages", "open files", "MPI", "launcher", "libfabric"}, topics)
        for finding in findings:
            self.assertEqual(finding["health"] == "ok", finding["remedy"] == "", finding)

    def test_doctor_sees_a_foreign_launcher(self):
        done = self.run_leeway("doctor", environment={"OMPI_COMM_WORLD_SIZE": "4"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("rank 0", done.stdout)


if __name__ == "__main__":
    main()
