"""Help, flags, environment variables and configuration files."""
import json
import os
import resource
import subprocess

from command_case import COMMANDS, LEEWAY, CommandTest, main


class HelpTest(CommandTest):
    def test_every_command_has_help_with_an_example_that_runs(self):
        for command in COMMANDS:
            text = self.succeeds(command, "--help")
            example = text.strip().splitlines()[-1].split()
            self.assertEqual(example[:2], ["leeway", command])
            if command not in ("convert", "compare", "snapshot", "doctor"):  # the examples need user files, or the machine
                self.succeeds(*example[1:])

    def test_help_lists_every_command_and_the_exit_codes(self):
        text = self.succeeds("--help")
        for words in [*COMMANDS, "exit codes", "2  bad input"]:
            self.assertIn(words, text)
        self.assertEqual(self.succeeds("help", "info"), self.succeeds("info", "--help"))

    def test_help_names_every_exit_code(self):
        text = self.succeeds("--help")
        for code in ("0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "6 ", "130, 143 "):
            self.assertRegex(text, rf"(?m)^ *{code} +\w")
        self.assertIn("leeway check: the program violates a condition", text)

    def test_help_has_the_default_of_net_that_a_run_uses(self):
        self.assertIn("(default: infiniband on sim, else ideal: no delays)", " ".join(self.succeeds("run", "cc", "--help").split()))
        self.assertIn("(default: the figure's)", " ".join(self.succeeds("replay", "--help").split()))
        for fabric, profile in (("sim", "infiniband"), ("loopback", "ideal")):
            report = json.loads(self.succeeds("run", "cc", "known:karate", "--nodes", "2", "--fabric", fabric, "--json"))
            self.assertEqual(report["configuration"]["net"], profile)

    def test_a_wrong_value_in_a_file_is_reported_with_its_key(self):
        for line, words in [("nodes = 'two'", "c.toml:1: nodes must be a whole number from 1"), ("nodes = [2]", "c.toml:1: nodes: the value is neither"),
                            ("scheduler = 'bps'", "c.toml:1: scheduler: unknown value 'bps'; did you mean 'bsp'?"),
                            ("verify = 'maybe'", "c.toml:1: verify: 'maybe' is neither true nor false")]:
            self.write("c.toml", line + "\n")
            self.refuses("run", "cc", "known:karate", "--config", "c.toml", text=words)

    def test_a_flag_that_is_a_plain_argument_is_refused_with_the_usage(self):
        for flag in ("--parts", "--nodes", "--parts=10"):
            self.refuses("partition", "known:karate", flag, "10", text="N is an argument without a flag: leeway partition GRAPH N [OUT]")

    def test_the_version_is_one_line(self):
        self.assertRegex(self.succeeds("--version"), r"^leeway \d+\.\d+\.\d+\n$")

    def test_a_missing_command_is_an_error(self):
        self.refuses(text="no command")

    def test_start_up_takes_little_processor_time(self):
        best = min(self.processor_seconds() for _ in range(5))  # processor time, as the machine is shared
        self.assertLess(best, 0.1 * (10 if "build-" in LEEWAY else 1))

    def processor_seconds(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.succeeds("--version")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_man_pages_and_completion_come_from_the_tables(self):
        self.succeeds("--generate-documents", self.folder)
        self.assertEqual(self.left(), sorted(["leeway.1", "leeway.bash", "_leeway", "leeway.fish", *[f"leeway-{c}.1" for c in COMMANDS]]))
        script = "source ./leeway.bash; COMP_WORDS=(leeway info --dup); COMP_CWORD=2; _leeway; echo ${COMPREPLY[@]}"
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "--duplicates")


class SettingsTest(CommandTest):
    def seed_used(self, *arguments, **more):
        self.succeeds("generate", "uniform:50:3", "out.txt", *arguments, **more)
        with open(os.path.join(self.folder, "out.txt"), encoding="utf-8") as file:
            return file.read()

    def test_flags_override_the_environment_which_overrides_the_file(self):
        by_seed = {n: self.seed_used("--seed", str(n)) for n in (2, 3, 4)}
        self.assertEqual(len(set(by_seed.values())), 3)
        config = self.write("c.toml", "seed = 2\n")
        variable = {"LEEWAY_SEED": "3"}
        self.assertEqual(self.seed_used("--config", config), by_seed[2])
        self.assertEqual(self.seed_used(environment={"LEEWAY_CONFIG": config}), by_seed[2])
        self.assertEqual(self.seed_used("--config", config, environment=variable), by_seed[3])
        self.assertEqual(self.seed_used("--config", config, "--seed", "4", environment=variable), by_seed[4])

    def test_a_table_applies_to_its_command_only(self):
        self.write("c.toml", "seed = 2\n[generate]\nseed = 3\n[info]\nseed = 4\n")
        self.assertEqual(self.seed_used("--config", "c.toml"), self.seed_used("--seed", "3"))

    def test_an_unknown_key_names_file_line_and_the_nearest(self):
        self.write("c.toml", "quiet = true\n\nthread = 2\n")
        self.refuses("info", "known:karate", "--config", "c.toml", text=["c.toml:3:", "'thread'", "'threads'"])

    def test_an_unknown_value_in_a_file_names_the_nearest(self):
        self.write("c.toml", "duplicates = 'mrege'\n")
        self.refuses("info", "known:karate", "--config", "c.toml", text=["c.toml:1:", "'merge'"])

    def test_an_unknown_table_names_the_nearest(self):
        self.write("c.toml", "[partiton]\n")
        self.refuses("info", "known:karate", "--config", "c.toml", text=["c.toml:1:", "'partition'"])

    def test_a_value_of_the_wrong_type_is_refused(self):
        for text in ["threads = [1]\n", "threads = 1.5\n", "threads = -1\n", "quiet = 3\n"]:
            self.write("c.toml", text)
            self.refuses("info", "known:karate", "--config", "c.toml", text="c.toml:1:")

    def test_a_file_that_is_not_toml_is_refused_with_its_line(self):
        self.write("c.toml", "threads = 1\nthreads\n")
        self.refuses("info", "known:karate", "--config", "c.toml", text="c.toml:2:")

    def test_non_ascii_letters_are_allowed_in_strings_and_comments_only(self):
        self.write("c.toml", "# größer\nx = [1, {y = \u0386]\n")
        self.refuses("info", "known:karate", "--config", "c.toml", text=["c.toml:2:", "in quotes"])
        self.write("d.toml", "# größer\nformat = 'größe' # ja\n")
        self.refuses("info", "known:karate", "--config", "d.toml", text=["d.toml:2:", "größe"])

    def test_a_configuration_that_cannot_be_read_is_refused(self):
        self.refuses("info", "known:karate", "--config", "none.toml", text="none.toml")
        self.refuses("info", "known:karate", "--config", ".", text=".:")

    def test_an_unknown_variable_names_the_nearest(self):
        self.refuses("info", "known:karate", environment={"LEEWAY_THREDS": "2"},
                     text=["LEEWAY_THREDS", "LEEWAY_THREADS"])

    def test_an_unknown_flag_command_or_value_names_the_nearest(self):
        self.refuses("info", "known:karate", "--theads", "2", text="'--threads'")
        self.refuses("inof", "known:karate", text="'info'")
        self.refuses("info", "known:karate", "--weights", "randm", text=["--weights", "'random'"])
        self.refuses("info", "known:karat", text="'karate'")
        self.refuses("partition", "known:karate", "2", "--partition", "metsi", text="'metis'")
        self.refuses("info", "known:karate", "--format", "dimcas", text="'dimacs'")

    def test_a_run_does_not_choose_a_mode(self):
        for flag, valid in [("--scheduler", "valid: do-work, "), ("--consistency", "valid: scp, ")]:
            self.refuses("run", "pagerank", "known:karate", flag, "auto", text=[flag, "unknown", "'auto'", valid])
            self.assertNotIn("advise", self.succeeds("run", "pagerank", "--help"))
        self.refuses("advise", "known:karate", text=["unknown command 'advise'"])
        self.refuses("replay", "law", text="nothing is called 'law'")

    def test_missing_and_extra_arguments_are_refused(self):
        self.refuses("info", text="GRAPH is missing")
        self.refuses("info", "known:karate", "more", text="'more'")
        self.refuses("info", "known:karate", "--threads", text="--threads")
        self.refuses("info", "known:karate", "--nodes", "2", text="--nodes")

    def test_contradictions_are_refused(self):
        self.refuses("info", "known:karate", "--directed", "--undirected", text="contradicts")
        self.refuses("info", "known:karate", "--directed", "--symmetrize", text="contradicts")
        self.refuses("info", "known:karate", "--weight-low", "5", "--weight-high", "2", text="--weight-high")


if __name__ == "__main__":
    main()
