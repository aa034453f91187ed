"""The tick and piece engines over processes: every synchronization and system, started by mpiexec and by leeway launch."""
import shutil
import subprocess
import unittest

from command_case import LEEWAY, CommandTest, main

PATIENCE_S = 60
TICKS = {
    "fish": ["--fish", "150", "--basin", "60x40", "--iterations", "10"],
    "jacobi": ["--plate", "40x30", "--iterations", "10"],
    "fish-food": ["--fish", "150", "--food", "60", "--basin", "40x30", "--iterations", "10"],
    "pagerank": ["--graph", "known:karate", "--iterations", "10", "--partition", "random", "--rebalance", "3"],
}
PIECES = {
    "fish": ["--fish", "150", "--basin", "60x40", "--iterations", "9", "--pieces", "4"],
    "nbody": ["--bodies", "150", "--box", "120x90", "--iterations", "9", "--pieces", "4"],
    "jacobi": ["--plate", "40x30", "--iterations", "9", "--pieces", "4"],
    "pagerank": ["--graph", "known:karate", "--pieces", "2"],
    "linear-system": ["--graph", "matrix:dominant:90:9", "--pieces", "3"],
}
SYNCS = ["barrier", "local", "schedule", "replicate", "combined"]
SYSTEMS = ["oritick", "comtick", "asytick", "asytick-plb"]


class TimeProcessesTest(CommandTest):
    def verified(self, starter, *arguments):
        done = subprocess.run([*starter, LEEWAY, "run", *arguments, "--quiet"], cwd=self.folder, capture_output=True,
                              text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"verified +(bitwise equal|within)", arguments)

    def go_through(self, starter, shift):
        """Every synchronization and system, with programs and two to four processes in turn."""
        turn = shift
        for ways, engine, flag, programs in ((SYNCS, "tick", "--sync", TICKS),
                                                (SYSTEMS, "piece", "--system", PIECES)):
            for way in ways:
                program = list(programs)[turn % len(programs)]
                self.verified(starter(2 + turn % 3), program, "--engine", engine, flag, way, *programs[program])
                turn += 1

    @unittest.skipUnless(shutil.which("mpiexec.mpich"), "needs MPICH's mpiexec")
    def test_results_are_the_sequential_ones_over_mpi(self):
        self.go_through(lambda count: ["mpiexec.mpich", "-n", str(count)], 0)

    def test_results_are_the_sequential_ones_over_libfabric(self):
        self.go_through(lambda count: [LEEWAY, "launch", "-n", str(count), "--"], 1)


if __name__ == "__main__":
    main()
