#!/usr/bin/env python3
"""One trial: one job and one fault. Runs on the first host of net.sh, started by faults.py.

usage: fault_trial.py LEEWAY SEED ONLY FOLDER REFERENCES

Prints one line of JSON. FOLDER keeps the output of all processes.
"""
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

from fault_kinds import KINDS

HERE = os.path.dirname(os.path.abspath(__file__))
# Each program takes some seconds over a network like ec2's. The arguments after the bar do not change the answer.
PROGRAMS = [
    "pagerank kron:11 |",
    "pagerank known:karate | --consistency stale-2",
    "pagerank kron:12 | --consistency rcp+push",
    "pagerank kron:11 | --scheduler ssp",
    "bfs grid2d:70x70 | --scheduler bsp",
    "bfs grid2d:60x60 | --partition hash --consistency stale-1",
    "bfs grid2d:20x20 | --partition hash --consistency scp",
    "cc grid2d:30x30 | --scheduler bsp --partition hash",
    "sssp grid2d:80x80 --weights random | --partition random",
    "sssp grid2d:80x80 --weights random | --partition hash --scheduler aap",
    "sssp grid2d:40x40 --weights random | --partition random --consistency stale-2",
    "cdlp kron:11 --undirected --iterations 200 | --scheduler bsp",
    "pagerank kron:14 --engine pie |",
    "sssp grid2d:100x100 --weights random --engine pie | --scheduler bsp --partition hash",
    "bfs grid2d:150x150 --engine pie | --scheduler bsp --partition random",
]
NETS = ["ec2", "ec2", "gigabit", "custom:latency_us=800,jitter_us=400"]
MORE = 2.0  # seconds allowed beyond the verdict time
SLACK = 1.0  # further seconds for this machine, plus the measured delay of its timers
LIMIT = 90.0  # seconds, for a run that survives the fault
STARTUP = 30.0  # seconds until a process that cannot reach the rendezvous ends
REASON = re.compile(r"is gone|failed|launcher|rendezvous|came apart|no longer reach|cannot|"
                    r"ended by|all nodes|terminated by|SIG[A-Z]+")
NODE = 'exec "$0" "$@" 2>>"$FAULTS_LOGS/node-$LEEWAYJOB_NODE"'


class Lateness:
    """Total delay of this machine's timers: the sum of all wake-ups that are more than 20 ms late."""

    def __init__(self):
        self.total = 0.0
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            before = time.monotonic()
            time.sleep(0.05)
            late = time.monotonic() - before - 0.05
            self.total += late if late > 0.02 else 0


class Drawn:
    """The trial that a seed determines."""

    def __init__(self, seed, only):
        draw = random.Random(seed)
        self.kind = draw.choice([name for name in KINDS if not only or name == only])
        self.hosts = draw.randint(2, 5)
        self.verdict = draw.randint(1, 3)
        self.net = draw.choice(NETS)
        fixed, _, free = draw.choice(PROGRAMS).partition("|")
        self.fixed, self.free = fixed.split(), free.split()
        self.writes = draw.random() < 0.5
        self.fault = KINDS[self.kind](draw, self.hosts, self.verdict)
        self.early = self.fault.early and draw.random() < 0.2
        self.onset = draw.uniform(0, 0.4) if self.early else draw.uniform(0, 0.8)
        self.encrypt = draw.random() < 0.25
        self.nodes = self.hosts + (draw.randint(1, 2) if self.hosts < 4 and draw.random() < 0.2 else 0)

    def describe(self):
        since = "the start" if self.early else "all have come"
        return (f"{self.nodes} nodes on {self.hosts} hosts, {self.net}, verdict {self.verdict} s{', encrypted' if self.encrypt else ''}, "
                f"{' '.join(self.fixed + self.free)}{' --out' if self.writes else ' --verify'}; {self.onset:.2f} s after {since}: {self.fault.describe()}")


def reference_name(fixed):
    return re.sub(r"[^a-z0-9]+", "-", " ".join(fixed)) + ".txt"


def same_answer(program, path, reference):
    with open(path) as one, open(reference) as other:
        ours, theirs = one.read().split("\n"), other.read().split("\n")
    if program != "pagerank" or len(ours) != len(theirs):
        return ours == theirs
    for one, other in zip(ours, theirs):
        if one == other:
            continue
        if one.split()[0] != other.split()[0] or not math.isclose(
                float(one.split()[1]), float(other.split()[1]), rel_tol=1e-4, abs_tol=1e-8):
            return False
    return True


def listening_ports(pid):
    with open(f"/proc/{pid}/net/tcp") as table:
        rows = [line.split() for line in table][1:]
    own = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found = re.match(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{name}"))
        except OSError:
            continue
        if found:
            own.add(found[1])
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in own]


def last_line(path):
    try:
        with open(path, errors="replace") as file:
            lines = [line for line in file.read().split("\n") if line.strip()]
    except FileNotFoundError:
        return ""
    return lines[-1] if lines else ""


class Trial:
    def __init__(self, leeway, seed, only, folder, references):
        self.leeway = leeway
        self.drawn = Drawn(seed, only)
        self.seed = seed
        self.logs = folder
        self.work = os.path.join(folder, "work")
        os.makedirs(self.work)
        self.reference = os.path.join(references, reference_name(self.drawn.fixed))
        self.mark = f"FAULTS_RUN={os.getpid()}-{time.monotonic_ns()}"
        self.hit = False
        self.strangers = []
        self.late = Lateness()

    def processes(self):
        """{pid: node} of all running processes of this job; -1 is the launcher."""
        found = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if self.mark.encode() not in words:
                continue
            node = [word.partition(b"=")[2] for word in words if word.startswith(b"LEEWAYJOB_NODE=")]
            found[int(name)] = int(node[0]) if node else -1
        return found

    def start(self):
        drawn = self.drawn
        words = [self.leeway, "launch", "-n", str(drawn.nodes), "--verdict", str(drawn.verdict), *(["--encrypt"] if drawn.encrypt else []),
                 "--", "sh", "-c", NODE, self.leeway, "run", *drawn.fixed, *drawn.free, "--log-level", "info"]
        words += ["--out", "answer.txt", "--verify=false"] if drawn.writes else ["--verify"]
        name, _, value = self.mark.partition("=")
        environment = {**os.environ, name: value, "FAULTS_LOGS": self.logs, "LEEWAYJOB_EVIDENCE": self.logs}
        with open(os.path.join(self.logs, "output"), "w") as out, open(os.path.join(self.logs, "launcher"), "a") as errors:
            self.job = subprocess.Popen(words, cwd=self.work, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        self.began = time.monotonic()

    def all_came(self):
        try:
            with open(os.path.join(self.logs, "node-0")) as file:
                return "info: running" in file.read()
        except FileNotFoundError:
            return False

    def signal(self, who, which):
        for pid, node in self.processes().items():
            if who in ("all", node) or (who == "nodes" and node >= 0) or (who == "launcher" and node < 0):
                try:
                    os.kill(pid, which)
                    self.hit = True
                except ProcessLookupError:
                    pass

    def flood(self, what, seconds):
        """Sent from the last host, so that it uses the network."""
        ends = []
        for pid, node in self.processes().items():
            try:
                if (node < 0) == (what == "rendezvous"):
                    ends += [f"10.77.0.{max(node, 0) % self.drawn.hosts + 1}:{port}" for port in listening_ports(pid)]
            except OSError:
                pass
        if not ends:
            return
        with open(os.environ["LEEWAY_HOSTS"]) as file:
            host = file.read().split()[-1]
        self.strangers.append(subprocess.Popen(
            ["ip", "netns", "exec", host, sys.executable, os.path.join(HERE, "stranger.py"), str(self.seed), str(seconds), *ends],
            stdout=subprocess.PIPE, text=True))

    def take_step(self, verb, words):
        if verb == "order":
            with open(os.environ["NET_ORDERS"], "w") as orders:
                orders.write(words + "\n")
        elif verb == "signal":
            self.signal(*words)
        else:
            self.flood(*words)

    def took_effect(self):
        """When the first packet was affected by the fault; None: not yet."""
        with open(os.environ["NET_EVENTS"]) as file:
            times = [float(line.split()[0]) for line in file if line.endswith("\n") and line.split()[1] in self.drawn.fault.signs]
        return min(times, default=None)

    def run(self):
        drawn = self.drawn
        self.start()
        while not drawn.early and not self.all_came() and self.job.poll() is None and time.monotonic() - self.began < STARTUP:
            time.sleep(0.01)
        onset = time.monotonic() + drawn.onset
        steps = sorted(drawn.fault.steps, key=lambda step: step[0])
        self.onset, self.effect, self.came = onset, None, False
        ended = None
        while True:
            now = time.monotonic()
            while steps and now >= onset + steps[0][0]:
                if self.job.poll() is None or steps[0][2][-1] == signal.SIGCONT:
                    if self.onset == onset:
                        self.onset = now
                        self.came = self.all_came()
                    self.take_step(*steps[0][1:])
                steps.pop(0)
            if self.job.poll() is not None:
                ended = ended or now
                if not self.processes():
                    break
                if now - ended > LIMIT / 2:
                    break
            if now - self.began > LIMIT:
                break
            time.sleep(0.02)
        self.gone = time.monotonic()
        self.ended = ended

    def clear(self):
        """Kills the remaining processes of the job, after they reported what they wait for."""
        left = self.processes()
        for pid, node in left.items():
            if node < 0:
                os.kill(pid, signal.SIGUSR2)
        if left:
            time.sleep(3)
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.job.wait()
        for stranger in self.strangers:
            connections, _ = stranger.communicate(timeout=10)
            self.hit = self.hit or int(connections or 0) > 20
        return left

    def judge(self):
        """(outcome, what is wrong, seconds left until the bound)"""
        drawn, fault = self.drawn, self.drawn.fault
        left = self.clear()
        if fault.signs:
            self.effect = self.took_effect()
            self.hit = self.effect is not None
        since = self.effect if fault.signs else self.onset
        files = set(os.listdir(self.work))
        if 0 in self.killed():
            files = {name for name in files if not name.startswith("answer.txt.")}  # the process was killed
        if left:
            return "wrong", f"still there after {self.gone - self.began:.1f} s: {sorted(left.values())}", 0
        if files - ({"answer.txt"} if drawn.writes else set()):
            return "wrong", f"files left: {sorted(files)}", 0
        if drawn.writes and files and not same_answer(drawn.fixed[0], os.path.join(self.work, "answer.txt"), self.reference):
            return "wrong", "a wrong answer", 0
        with open(os.path.join(self.logs, "output")) as file:
            verified = re.search(r"^verified +(equals|within)", file.read(), re.M)
        answered = files if drawn.writes else verified
        if self.job.returncode == 0 and not answered:
            return "wrong", "exit 0 without an answer", 0
        # If the launcher is killed at the very end, the nodes may have finished without an error.
        if self.job.returncode == 0 or drawn.kind == "kill_launcher" and answered:
            return "right", "", 0
        if since is None:
            return "wrong", f"exit {self.job.returncode}, though no packet met the fault", 0
        allowed = drawn.verdict + MORE + SLACK + self.late.total
        if not self.came:
            allowed += STARTUP
        took = self.gone - since
        if fault.survives:
            return "wrong", f"exit {self.job.returncode} after {took:.1f} s, though it should have gone on", 0
        if fault.bounded and took > allowed:
            return "wrong", f"gone after {took:.2f} s instead of {drawn.verdict + MORE:.0f} (and {allowed - drawn.verdict - MORE:.2f} of slack)", 0
        return self.reasons() + (drawn.verdict + MORE - took if fault.bounded and self.came else 0,)

    def killed(self):
        """The nodes that were killed by a signal of another process, so that they could not print a reason."""
        with open(os.path.join(self.logs, "launcher")) as file:
            log = file.read()
        lingering = re.findall(r"by SIGTERM: nodes ([\d, ]+)", log)
        return {int(node) for node in re.findall(r"node (\d+) was ended by signal 9", log) + ", ".join(lingering).split(", ") if node}

    def reasons(self):
        """Whether the last line of every process that could print one is a reason."""
        if self.drawn.kind != "kill_launcher":
            line = last_line(os.path.join(self.logs, "launcher"))
            if line and not REASON.search(line):
                return "wrong", f"the launcher's last line is not a reason: {line}"
            if self.drawn.kind == "end_launcher":  # the launcher prints the reason for all
                # Until the launcher listens and starts processes, a signal ends it like any program.
                started = any(name.startswith("node-") for name in os.listdir(self.logs))
                return ("gave up", "") if line or not started else ("wrong", "the launcher prints no reason")
        lines = {node: last_line(os.path.join(self.logs, f"node-{node}")) for node in range(self.drawn.nodes)}
        silent = [node for node, line in lines.items()
                  if node not in self.killed() and (not REASON.search(line) or " info: running" in line)]
        if silent and self.came:
            return "wrong", f"nodes that ended without a reason: {silent}"
        return "gave up", ""


def main():
    leeway, seed, only, folder, references = sys.argv[1:]
    trial = Trial(leeway, int(seed), only, folder, references)
    trial.run()
    outcome, wrong, spare = trial.judge()
    print(json.dumps({"outcome": outcome, "wrong": wrong, "hit": trial.hit, "spare": spare, "late": trial.late.total,
                      "took": trial.gone - trial.began, "code": trial.job.returncode}))


if __name__ == "__main__":
    main()
