"""Which mode to take, as a user asks for it."""
import json

from command_case import CommandTest, main


class AdviseTest(CommandTest):
    def advice(self, *arguments):
        return json.loads(self.succeeds("advise", *arguments, "--json", "--quiet"))

    def test_it_names_a_mode_that_can_be_run_with_what_it_is_expected_to_take(self):
        said = self.advice("grid2d:40x40", "pagerank", "--nodes", "4", "--net", "infiniband")
        self.assertFalse(said["measured"])
        self.assertIn("infiniband", said["basis"])
        [program] = said["programs"]
        self.assertEqual([each["nodes"] for each in program["by_nodes"]], [1, 2, 4])
        self.assertEqual(program["take"]["expected_seconds"], min(each["expected_seconds"] for each in program["by_nodes"]))
        for each in program["by_nodes"][1:]:
            self.assertLessEqual(each["expected_seconds"], each["runner_up_seconds"])
            self.assertGreaterEqual(each["confidence"], 0.5)
            self.succeeds("run", "pagerank", "grid2d:40x40", "--nodes", str(each["nodes"]), *each["flags"].split(), "--quiet")

    def test_the_same_question_has_the_same_answer(self):
        asked = ["advise", "--graph", "kron:8", "sssp", "--nodes", "4", "--net", "ec2", "--weights", "random", "--quiet"]
        text = self.succeeds(*asked)
        self.assertEqual(text, self.succeeds(*asked))
        for words in ["sssp", "not measured", "runner-up", "ec2"]:
            self.assertIn(words, text)

    def test_without_a_program_it_speaks_of_all_and_of_those_that_refuse_the_graph(self):
        self.write("path.txt", "1 2 3\n2 3 1\n3 4 1\n")
        said = self.advice("path.txt", "--undirected", "--nodes", "2", "--net", "gigabit")
        self.assertEqual([each["program"] for each in said["programs"]], ["pagerank", "sssp", "cc", "heat"])
        self.assertIn("diagonal", said["programs"][3]["refused"])
        self.assertIn("take", said["programs"][0])
        self.refuses("advise", "path.txt", "heat", "--undirected", "--nodes", "2", says="diagonal")

    def test_slow_networks_speak_for_fewer_nodes_and_not_for_strictness(self):
        near, far = (self.advice("grid2d:60x60", "pagerank", "--nodes", "8", "--net", net)["programs"][0]
                     for net in ("custom:latency_us=0.1", "custom:latency_us=100000"))
        self.assertGreater(near["take"]["nodes"], 1)
        self.assertEqual(far["take"]["nodes"], 1)
        for program in (near, far):
            self.assertNotIn("scp", [each["mode"] for each in program["by_nodes"]])

    def test_alone_it_says_what_it_assumes(self):
        said = self.advice("grid2d:10x10", "cc", "--nodes", "2")
        self.assertIn("assumed", said["basis"])
        self.assertIn("--net PROFILE", said["basis"])
        self.assertEqual(said["network"], self.advice("grid2d:10x10", "cc", "--nodes", "2", "--net", "measured")["network"])

    def test_a_job_measures_its_own_network(self):
        for start in (["launch", "-n", "3", "--"], None):
            arguments = ["advise", "kron:7", "cc", "--undirected", "--json", "--quiet"]
            done = self.run_leeway(*start, *arguments) if start else self.run_under_mpi(3, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = json.loads(done.stdout)
            self.assertTrue(said["measured"])
            self.assertIn("400 round trips between 3 processes", said["basis"])
            self.assertEqual([each["nodes"] for each in said["programs"][0]["by_nodes"]], [1, 2, 3])

    def test_a_job_that_cannot_is_told_once(self):
        done = self.run_leeway("launch", "-n", "2", "--", "advise", "nowhere.txt", "cc", "--quiet")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("nowhere.txt"), 1, done.stderr)

    def test_what_it_cannot_follow_is_refused(self):
        self.refuses("advise", says="GRAPH")
        self.refuses("advise", "kron:6", "bfs", says=["'bfs'", "pagerank"])
        self.refuses("advise", "--graph", "kron:6", "kron:6", "cc", says="--graph")
        self.refuses("advise", "kron:6", "cc", "--net", "infinband", says=["--net", "'infiniband'"])
        self.refuses("advise", "kron:6", "cc", "--nodes", "99999", says="--nodes")
        self.refuses("run", "cc", "kron:6", "--net", "measured", says=["--net", "leeway advise"])
        self.refuses("replay", "fig12", "--net", "measured", says="--net")


if __name__ == "__main__":
    main()
