"""Messages, bytes and visits of default runs in the virtual cluster (independent of the machine), against committed
bounds. More than 1.1 times a bound fails, and so does less than 0.8 times: then lower the bound.
LEEWAY_WORK_BOUNDS=write python3 test/cli/work_test.py LEEWAY writes the table."""
import json
import os

from command_case import CommandTest, main

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work_bounds.tsv")
GRAPHS = ["kron:10", "grid2d:50x50", "known:karate"]
RUNS = ["pagerank --iterations 20", "sssp", "cc", "bfs", "pagerank --engine pie", "sssp --engine pie", "cc --engine pie",
        "pagerank --iterations 20 --scheduler bsp", "pagerank --consistency rcp --iterations 20"]
NODES = [2, 16]
COUNTS = ["messages", "bytes", "visited"]


class WorkTest(CommandTest):
    def work(self, run, graph, nodes):
        words = run.split()
        self.succeeds("run", words[0], graph, *words[1:], "--nodes", str(nodes), "--fabric", "sim", "--net", "ec2", "--quiet",
                      "--report", "r.json", "--force")
        with open(f"{self.folder}/r.json", encoding="utf-8") as file:
            report = json.load(file)
        return [sum(kind["count"] for kind in report["messages"].values()), report["wire_bytes"], report["visited"]]

    def rows(self):
        for graph in GRAPHS:
            for run in RUNS:
                for nodes in NODES:
                    yield run, graph, str(nodes)

    def test_defaults_do_no_more_work_than_they_did(self):
        if os.environ.get("LEEWAY_WORK_BOUNDS") == "write":
            with open(TABLE, "w", encoding="utf-8") as file:
                file.write("\t".join(["run", "graph", "nodes", *COUNTS]) + "\n")
                for row in self.rows():
                    file.write("\t".join([*row, *map(str, self.work(*row))]) + "\n")
        with open(TABLE, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file][1:]
        bounds = {tuple(line[:3]): [int(count) for count in line[3:]] for line in lines}
        self.assertEqual(list(bounds), list(self.rows()))
        for row, most in bounds.items():
            for name, count, bound in zip(COUNTS, self.work(*row), most):
                with self.subTest(run=row[0], graph=row[1], nodes=row[2], what=name):
                    self.assertLessEqual(count, 1.1 * bound, "more work than it took; find out why")
                    self.assertGreaterEqual(count, 0.8 * bound - 10, "less work than the bound: update the table")


main()
