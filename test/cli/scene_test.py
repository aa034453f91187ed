"""Scenes from files: fish and bodies with --scene, over processes, and malformed files."""
import os
import subprocess

from command_case import LEEWAY, CommandTest, main

ENGINES = [("fish", "tick"), ("fish", "piece"), ("fish-food", "tick"), ("nbody", "piece")]
THREE = "x,y,vx,vy\n10,10,1,0\n30,20,0,1\n50,5,-1,0\n"


class SceneTest(CommandTest):
    def final(self, program, *arguments):
        self.succeeds("run", program, *arguments, "--quiet", "--force", "--out", "end.csv")
        head, *rows = self.read("end.csv").splitlines()
        rows = [row.split(",") for row in rows]
        if program == "fish-food":  # by id: fish, and food from a million on
            self.assertEqual(head, "table,id,x,y,vx,vy,bites")
            rows = [[str(int(id) + 10 ** 6 * (table == "food")), *rest] for table, id, *rest in rows]
        else:
            self.assertEqual(head, "id,x,y,vx,vy")
        return {int(row[0]): [float(field) for field in row[1:]] for row in rows}

    def test_bodies_that_do_not_meet_move_uniformly(self):
        self.write("s.csv", "id,vx,vy,x,y\n7,0.5,-0.25,100,100\n3,0,0.125,20,30\n")
        for where in ([], ["--nodes", "3"], ["--nodes", "4", "--fabric", "sim", "--net", "ec2"]):
            self.assertEqual(self.final("nbody", "--scene", "s.csv", "--iterations", "8", *where),
                             {3: [20, 31, 0, 0.125], 7: [104, 98, 0.5, -0.25]})

    def test_fish_swim_their_reach_in_their_direction(self):
        self.write("s.tsv", "x\ty\tvx\tvy\n50\t50\t30\t40\n")
        for engine in ("tick", "piece"):
            [(x, y, vx, vy)] = self.final("fish", "--engine", engine, "--scene", "s.tsv", "--iterations", "1", "--reach", "2").values()
            self.assertAlmostEqual((x - 50) ** 2 + (y - 50) ** 2, 4, places=9)
            self.assertAlmostEqual(vx, 0.6, delta=0.1)  # 30 of 50; the heading has noise
            self.assertAlmostEqual(vy, 0.8, delta=0.1)

    def test_food_attracts_fish_and_is_eaten(self):
        self.write("s.csv", "table,id,x,y,vx,vy,bites\nfish,4,50,50,0,1,9\nfood,4,53,50,0,0,5\nfood,7,20,20,0.25,-2,5\n")
        for where in ([], ["--nodes", "3"]):
            end = self.final("fish-food", "--scene", "s.csv", "--iterations", "5", "--reach", "0.5", *where)
            self.assertGreater(end[4][0], 50.5)  # it has turned to the food
            self.assertEqual(end[10 ** 6 + 7], [21.25, 10, 0.25, -2, 5])
            end = self.final("fish-food", "--scene", "s.csv", "--iterations", "8", "--reach", "0.5", *where)
            self.assertGreater(end[4][4], 9)
            self.assertEqual(end[4][4] - 9, 5 - end[10 ** 6 + 4][4])

    def test_fish_with_a_goal_turn_to_it(self):
        self.write("s.csv", "id,x,y,vx,vy,goal\n0,10,50,0,1,0\n1,90,50,0,1,1\n")
        end = self.final("fish", "--scene", "s.csv", "--iterations", "6", "--reach", "0.5", "--visibility", "3")
        self.assertGreater(end[1][2], 0.5)  # the first goal is in the direction of x
        self.assertLess(abs(end[0][2]), 0.2)

    def test_the_random_state_comes_from_the_column_or_the_seed(self):
        self.write("s.csv", THREE)
        one, other = (self.final("fish", "--scene", "s.csv", "--iterations", "3", "--seed", seed) for seed in ("1", "2"))
        self.assertNotEqual(one, other)
        self.write("r.csv", "x,y,vx,vy,random\n" + "".join(f"{row},{2 ** 64 - 1 - i}\n" for i, row in enumerate(THREE.split()[1:])))
        one, other = (self.final("fish", "--scene", "r.csv", "--iterations", "3", "--seed", seed) for seed in ("1", "2"))
        self.assertEqual(one, other)

    def test_results_are_those_of_the_sequential_program_on_every_engine(self):
        self.write("s.csv", "id,x,y,vx,vy\n" + "".join(f"{3 * i + 1},{i % 13 * 3},{i // 13 * 3},{i % 3 - 1},1\n" for i in range(150)))
        for program, engine in ENGINES:
            for where in ([], ["--nodes", "3"], ["--nodes", "5", "--fabric", "sim"]):
                output = self.succeeds("run", program, "--engine", engine, "--scene", "s.csv", "--iterations", "7", "--verify", "--quiet",
                                       *where)
                self.assertRegex(output, r"verified +bitwise equal")
                self.assertRegex(output, r"150 (fish|bodies)")

    def test_the_result_of_a_run_is_a_scene(self):
        for program, engine in ENGINES:
            run = ["--engine", engine, "--quiet", "--iterations", "4"]
            first = self.final(program, *run, "--nodes", "2")
            os.replace(os.path.join(self.folder, "end.csv"), os.path.join(self.folder, "start.csv"))
            second = self.final(program, *run, "--scene", "start.csv", "--groups" if program == "nbody" else "--nodes", "2")
            self.assertEqual(sorted(first), sorted(second))
            self.assertNotEqual(first, second)

    def test_processes_share_a_scene_and_refuse_different_ones(self):
        self.write("s.csv", THREE)
        os.mkdir(os.path.join(self.folder, "other"))
        self.write("other/s.csv", THREE.replace("30,20", "30,21"))
        for program, engine in ENGINES:
            words = ["run", program, "--engine", engine, "--scene", "s.csv", "--iterations", "5", "--quiet"]
            for start in (["mpiexec.mpich", "-n", "3", LEEWAY], [LEEWAY, "launch", "-n", "2", "--", LEEWAY]):
                done = subprocess.run([*start, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"verified +bitwise equal")
            done = subprocess.run(["mpiexec.mpich", "-n", "1", LEEWAY, *words, ":", "-n", "1", "-wdir",
                                   os.path.join(self.folder, "other"), LEEWAY, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--scene: node 1 was given 'a file with the checksum", done.stderr)
        done = self.run_under_mpi(2, "run", "fish", "--scene", "none.csv", "--quiet")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("none.csv", done.stderr)

    def test_a_run_resumes_with_its_scene_only(self):
        self.write("s.csv", THREE)
        self.write("t.csv", THREE.replace("30,20", "30,21"))
        for program, engine in ENGINES:
            run = ["run", program, "--engine", engine, "--iterations", "30", "--quiet"]
            snaps = f"snaps-{program}-{engine}"
            self.succeeds(*run, "--scene", "s.csv", "--snapshot", snaps, "--snapshot-every", "5", "--force", "--out", "a.csv")
            self.succeeds(*run, "--scene", "s.csv", "--resume", snaps, "--force", "--out", "b.csv")
            self.assertEqual(self.read("a.csv"), self.read("b.csv"))
            self.refuses(*run, "--scene", "t.csv", "--resume", snaps, text=snaps)
            self.refuses(*run, "--resume", snaps, text=snaps)

    def test_malformed_files_are_refused_with_line_and_remedy(self):
        for text, part in [("", "the file is empty"), ("# only a comment\n\n", "the file is empty"),
                           ("x,y,vx\n1,1,1\n", "s.csv:1: the column vy is missing"),
                           ("x,y,vx,vy,colour\n", "s.csv:1: unknown column 'colour'"),
                           ("x,y,vx,vy,x\n", "s.csv:1: the column x occurs twice"),
                           ("x,y,vx,vy\n1,2,1\n", "s.csv:2: 3 fields below 4 titles"),
                           ("x,y,vx,vy\n1,2,1,0\n\n# c\n1,2,one,0\n", "s.csv:5: vx 'one' is not a finite number"),
                           ("x,y,vx,vy\n1,nan,1,0\n", "s.csv:2: y 'nan' is not a finite number"),
                           ("x,y,vx,vy\n1,,1,0\n", "s.csv:2: y '' is not a finite number"),
                           ("x,y,vx,vy\n1,1e999,1,0\n", "s.csv:2: y '1e999' is not a finite number"),
                           ("x,y,vx,vy\n1,-2,1,0\n", "s.csv:2: (1, -2) is outside"),
                           ("x,y,vx,vy\n1,2,1,0\n1000,2,1,0\n", "s.csv:3: (1000, 2) is outside"),
                           ("id,x,y,vx,vy\n4,1,2,1,0\n4,2,2,1,0\n", "s.csv:3: the id 4 is also on line 2"),
                           ("id,x,y,vx,vy\n-1,1,2,1,0\n", "s.csv:2: id '-1' is not a whole number"),
                           ("id,x,y,vx,vy\n4294967296,1,2,1,0\n", "s.csv:2: id '4294967296' is not a whole number"),
                           ("x,y,vx,vy\n1,\"2,1,0\n", "s.csv:2: a quoted field")]:
            self.write("s.csv", text)
            for program, engine in ENGINES:
                self.refuses("run", program, "--engine", engine, "--scene", "s.csv", text=["s.csv", part])
        with open(os.path.join(self.folder, "s.csv"), "wb") as file:
            file.write(b"x,y,vx,vy\n1,2,\xff,0\n")
        self.refuses("run", "fish", "--scene", "s.csv", text=["s.csv:2", "UTF-8"])
        self.refuses("run", "fish", "--scene", ".", text=".")
        self.write("s.csv", "x,y,vx,vy\n1,2,0,0\n")
        self.refuses("run", "fish", "--scene", "s.csv", text=["s.csv:2: vx and vy are no direction"])
        self.write("s.csv", "x,y,vx,vy,goal\n1,2,1,0,3\n")
        self.refuses("run", "fish", "--scene", "s.csv", text=["s.csv:2: there is no goal 3", "1 to 2"])
        self.refuses("run", "nbody", "--scene", "s.csv", text="unknown column 'goal'")
        for text, part in [("table,x,y,vx,vy\nfrog,1,2,1,0\n", "s.csv:2: unknown table 'frog'; give fish or food"),
                           ("table,x,y,vx,vy\n,1,2,1,0\n", "s.csv:2: unknown table ''"),
                           ("table,x,y,vx,vy,goal\nfood,1,2,1,0,1\n", "s.csv:2: food has no goal"),
                           ("table,x,y,vx,vy,bites\nfood,1,2,1,0,0\n", "s.csv:2: a piece of food has at least one bite"),
                           ("table,x,y,vx,vy,bites\nfood,1,2,1,0,-1\n", "s.csv:2: bites '-1' is not a whole number"),
                           ("table,x,y,vx,vy\nfood,1,2,50.5,0\n", "s.csv:2: the food drifts too far"),
                           ("table,x,y,vx,vy\nfish,1,2,0,0\n", "s.csv:2: vx and vy are no direction"),
                           ("table,id,x,y,vx,vy\nfood,1,2,1,0,0\nfish,1,2,1,0,1\nfood,1,2,1,0,0\n", "s.csv:4: the id 1 is also on line 2"),
                           ("table,x,y,vx,vy\nfood,1,200,1,0\n", "s.csv:2: (1, 200) is outside")]:
            self.write("s.csv", text)
            self.refuses("run", "fish-food", "--scene", "s.csv", text=part)
        self.write("s.csv", "x,y,vx,vy,trap\n1,2,1,0,3\n")
        self.refuses("run", "nbody", "--scene", "s.csv", "--groups", "2", text=["s.csv:2: there is no trap 3", "--groups"])

    def test_settings_that_contradict_the_file_are_refused(self):
        self.write("s.csv", THREE)
        self.refuses("run", "fish", "--scene", "s.csv", "--fish", "4", text=["s.csv: it has 3 fish, and --fish asks for 4", "leave --fish out"])
        self.refuses("run", "fish", "--scene", "s.csv", "--fish", "4", "--engine", "piece", text="--fish asks for 4")
        self.refuses("run", "nbody", "--scene", "s.csv", "--bodies", "2", text="s.csv: it has 3 bodies, and --bodies asks for 2")
        self.refuses("run", "fish", "--scene", "s.csv", "--informed", "1", text=["--informed: --scene FILE gives each fish its goal"])
        self.refuses("run", "jacobi", "--scene", "s.csv", text=["--scene", "scene is a setting of fish, fish-food or nbody"])
        self.refuses("run", "fish-food", "--scene", "s.csv", "--food", "2", text="s.csv: it has 0 pieces of food, and --food asks for 2")
        self.refuses("run", "fish-food", "--scene", "s.csv", "--fish", "4", text="s.csv: it has 3 fish, and --fish asks for 4")
        self.succeeds("run", "fish", "--scene", "s.csv", "--fish", "3", "--quiet")
        done = self.run_leeway("run", "nbody", "--scene", "s.csv", "--seed", "4", "--quiet")
        self.assertIn("--seed has no effect here", done.stderr)

    def test_an_empty_scene_has_no_fish(self):
        self.write("s.csv", "x,y,vx,vy\n")
        for program, engine in ENGINES:
            self.assertEqual(self.final(program, "--engine", engine, "--scene", "s.csv", "--iterations", "2", "--nodes", "2"), {})


if __name__ == "__main__":
    main()
