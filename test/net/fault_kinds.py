"""The faults of the campaign: each is drawn at random as a sequence of steps, with the required outcome of the job."""
import signal


class Fault:
    """The steps of a fault, in seconds from the onset, and the required outcome of the job.

    steps: (seconds, verb, words): "order" to the relay, "signal" to a process, "flood" of a port.
    survives: the job must end with the right answer; otherwise it may also end with an error that gives the reason.
    bounded: the job must end within the verdict time after the fault took effect. Otherwise only the limit of the run
    applies, because the fault just slows the job down, or has no definite time of effect.
    """

    def __init__(self, name, survives=False, bounded=True):
        self.name = name
        self.steps = []
        self.survives = survives
        self.bounded = bounded
        self.signs = set()  # events of the relay that show an effect; empty: not needed
        self.early = False  # may occur before the processes have connected

    def order(self, at, *words):
        self.steps.append((at, "order", " ".join(str(word) for word in words)))
        return self

    def signal(self, at, who, which):
        self.steps.append((at, "signal", (who, int(which))))
        return self

    def flood(self, at, what, seconds):
        self.steps.append((at, "flood", (what, seconds)))
        return self

    def shows(self, *signs):
        self.signs.update(signs)
        return self

    def describe(self):
        def text(step):
            at, verb, words = step
            if verb == "signal":
                words = f"{signal.Signals(words[1]).name} to {words[0]}"
            if verb == "flood":
                words = f"of the {words[0]} port for {words[1]:.1f} s"
            return f"{verb + ' ' if verb == 'flood' else ''}{words}" + (f" after {at:.2f} s" if at else "")

        asked = "must survive" if self.survives else "bound by the verdict" if self.bounded else "bound by the limit"
        return f"{self.name}: " + ", ".join(text(step) for step in sorted(self.steps, key=lambda s: s[0])) + f" ({asked})"


# A fault that ends within this fraction of the verdict time must not end a job: TCP retransmits after 0.2, 0.6 and 1.4
# s, and later on a busy machine.
HEALS = 0.25


def pair(draw, hosts):
    return draw.sample(range(1, hosts + 1), 2)


def way(draw, hosts):
    """One direction between two hosts, or all directions."""
    return ("*", "*") if draw.random() < 0.4 else tuple(pair(draw, hosts))


def loss(draw, hosts, verdict):
    percent = draw.choice([1, 3, 10])
    # Three losses of one packet in a row can last as long as a short verdict time.
    fault = Fault("loss", survives=percent == 1 and verdict >= 2, bounded=False).shows("loss")
    return fault.order(0, "loss", *way(draw, hosts), percent)


def reorder(draw, hosts, verdict):
    return Fault("reorder", survives=True).shows("reorder").order(0, "reorder", *way(draw, hosts), draw.choice([1, 5, 30]))


def duplicate(draw, hosts, verdict):
    return Fault("duplicate", survives=True).shows("duplicate").order(
        0, "duplicate", *way(draw, hosts), draw.choice([1, 10, 100]))


def delay(draw, hosts, verdict):
    """A short outage: both directions together last much shorter than the verdict time."""
    where = way(draw, hosts)
    fault = Fault("delay", survives=True).shows("delay")
    return fault.order(0, "delay", *where, round(draw.uniform(20, 150 * verdict))).order(
        draw.uniform(0.2, 2), "delay", *where, 0)


def long_delay(draw, hosts, verdict):
    where = way(draw, hosts)
    fault = Fault("long delay", bounded=False).shows("delay")
    return fault.order(0, "delay", *where, round(draw.uniform(500, 2000) * verdict)).order(
        draw.uniform(1, 2) * verdict, "delay", *where, 0)


def cut(draw, hosts, verdict):
    a, b = pair(draw, hosts)
    fault = Fault("cut").shows("down").order(0, "down", a, b).order(0, "down", b, a)
    fault.early = True
    return fault


def cut_one_way(draw, hosts, verdict):
    fault = Fault("cut one way").shows("down").order(0, "down", *pair(draw, hosts))
    fault.early = True
    return fault


def cut_host(draw, hosts, verdict):
    host = draw.randint(1, hosts)
    fault = Fault("cut host").shows("down").order(0, "down", host, "*").order(0, "down", "*", host)
    fault.early = True
    return fault


def healed_early(draw, hosts, verdict):
    a, b = pair(draw, hosts)
    word, back = draw.choice([("down", "up"), ("hold", "release")])
    fault = Fault("healed before", survives=True).shows(word)
    until = draw.uniform(0.1, HEALS) * verdict
    ways = [(a, b), (b, a)] if draw.random() < 0.6 else [("*", "*")]
    for each in ways:
        fault.order(0, word, *each).order(until, back, *each)
    return fault


def healed_late(draw, hosts, verdict):
    a, b = pair(draw, hosts)
    fault = Fault("healed after").shows("down")
    until = verdict + draw.uniform(-0.5, 3)
    for each in [(a, b), (b, a)]:
        fault.order(0, "down", *each).order(until, "up", *each)
    return fault


def flip(draw, hosts, verdict):
    # Not every byte matters, so rare changes need not have a lasting effect.
    percent = draw.choice([1, 20, 100])
    return Fault("flip", bounded=percent >= 20).shows("flip").order(0, "flip", *way(draw, hosts), percent)


def replay(draw, hosts, verdict):
    percent = draw.choice([5, 50, 100])
    return Fault("replay", bounded=percent >= 50).shows("replay").order(0, "replay", *way(draw, hosts), percent)


def truncate(draw, hosts, verdict):
    percent = draw.choice([2, 30, 100])
    return Fault("truncate").shows("truncate").order(0, "truncate", *way(draw, hosts), percent)


def reset(draw, hosts, verdict):
    return Fault("reset").shows("reset").order(0, "reset", *way(draw, hosts), draw.choice([1, 1, 100]))


def half_open(draw, hosts, verdict):
    return Fault("half open").shows("half").order(0, "half", *way(draw, hosts), draw.choice([1, 1, 100]))


def silent_death(draw, hosts, verdict):
    """A host that vanishes: its processes are killed and its packets are lost, so the others see only silence."""
    fault = Fault("silent death").order(0, "swallow", "*", "*", 1)
    return fault.signal(0.05, draw.randrange(hosts), signal.SIGKILL)


def stall(draw, hosts, verdict):
    where = way(draw, hosts)
    fault = Fault("stall").shows("stall").order(0, "stall", *where, 1)
    # The job waits for a launcher whose messages do not arrive while its machine answers, as for a stopped launcher.
    return fault.order(verdict + 4, "stall", *where, 0)


def short_stall(draw, hosts, verdict):
    where = pair(draw, hosts)  # one direction only: TCP does not recover from both
    fault = Fault("short stall", survives=True).shows("stall").order(0, "stall", *where, 1)
    return fault.order(draw.uniform(0.1, HEALS) * verdict, "stall", *where, 0)


def pause(draw, hosts, verdict):
    who = draw.randrange(hosts)
    return Fault("pause of one", survives=True).signal(0, who, signal.SIGSTOP).signal(
        draw.uniform(0.1, HEALS) * verdict, who, signal.SIGCONT)


def stop(draw, hosts, verdict):
    who = draw.randrange(hosts)
    fault = Fault("stop of one").signal(0, who, signal.SIGSTOP)
    return fault.signal(verdict + draw.uniform(0.5, 3), who, signal.SIGCONT) if draw.random() < 0.5 else fault


def stop_nodes(draw, hosts, verdict):
    return Fault("stop of all nodes").signal(0, "nodes", signal.SIGSTOP)


def pause_all(draw, hosts, verdict):
    return Fault("pause of all", survives=True).signal(0, "all", signal.SIGSTOP).signal(
        draw.uniform(0.2, verdict + 3), "all", signal.SIGCONT)


def pause_launcher(draw, hosts, verdict):
    return Fault("pause of the launcher", survives=True).signal(0, "launcher", signal.SIGSTOP).signal(
        draw.uniform(0.2, verdict + 3), "launcher", signal.SIGCONT)


def kill(draw, hosts, verdict):
    fault = Fault("kill").signal(0, draw.randrange(hosts), signal.SIGKILL)
    fault.early = True
    return fault


def kill_launcher(draw, hosts, verdict):
    fault = Fault("kill of the launcher").signal(0, "launcher", signal.SIGKILL)
    fault.early = True
    return fault


def end_launcher(draw, hosts, verdict):
    fault = Fault("SIGTERM to the launcher").signal(0, "launcher", signal.SIGTERM)
    fault.early = True
    return fault


def flood_rendezvous(draw, hosts, verdict):
    fault = Fault("flood of the rendezvous", survives=True).flood(0, "rendezvous", draw.uniform(0.5, 3))
    fault.early = True
    return fault


def flood_data(draw, hosts, verdict):
    return Fault("flood of data ports", survives=True).flood(0, "data", draw.uniform(0.5, 3))


KINDS = {make.__name__: make for make in (
    loss, reorder, duplicate, delay, long_delay, cut, cut_one_way, cut_host, healed_early, healed_late, flip, replay, truncate,
    reset, half_open, silent_death, stall, short_stall, pause, stop, stop_nodes, pause_all, pause_launcher, kill, kill_launcher,
    end_launcher, flood_rendezvous, flood_data)}
