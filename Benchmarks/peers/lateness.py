"""Twenty commands per second: lateness, missed starts, and CPU per run.

Commands are simple ones, or need a shell; the schedulers log each run, or are as quiet as they can be.
"""

import dataclasses
import math
import time

from daemon import NotReady
from every_second import served
from job import EVERY_SECOND
from measurements import Measurements
from percentile import percentile
from tools import NEEDS_SHELL, Stamps

JOBS = 20
WARM_UP = 2
# CPU is read this long before a full second, when the commands of the last one have ended.
REST = 0.2
# Starts that are later than this at the end of a turn are missed.
PATIENCE = 2
TITLE = f"{JOBS} commands per second"


@dataclasses.dataclass(frozen=True)
class Work:
    """What the commands are, how much is logged, and upper bounds of takt's ratios to its peers."""

    title: str
    ending: str = ""
    is_quiet: bool = False
    bounds: dict = dataclasses.field(default_factory=dict)


WORKS = [
    Work(TITLE, bounds={
        "p50": {"bare C loop": 1.1, "APScheduler": 0.5, "supercronic": 0.6},
        "p99": {"bare C loop": 1.2, "APScheduler": 0.5, "supercronic": 0.7},
        "cpu": {"APScheduler": 0.4, "supercronic": 0.5}, "tree": {"supercronic": 0.55}}),
    Work(f"{TITLE}, as quiet as possible", is_quiet=True),
    Work(f"{TITLE} that need a shell", ending=NEEDS_SHELL, bounds={
        "p50": {"bare C loop": 1.1}, "cpu": {"supercronic": 0.5}}),
]


def measure(scheduler, tools, seconds, work):
    """Lateness and CPU per run of one scheduler, in ms, and its missed starts."""
    with tools.case() as folder:
        stamps = Stamps(folder, tools, work.ending)
        jobs = [stamps.job(f"job{number:02}", EVERY_SECOND) for number in range(JOBS)]
        with scheduler.start(folder, jobs, is_quiet=work.is_quiet) as daemon:
            begin = math.ceil(time.time()) + WARM_UP
            sleep_until(begin - REST)
            before, before_tree = daemon.cpu(), daemon.tree_cpu()
            sleep_until(begin + seconds - REST)
            used, used_tree = daemon.cpu() - before, daemon.tree_cpu() - before_tree
            sleep_until(begin + seconds - 1 + PATIENCE)
            daemon.check(math.inf)
        starts = stamps.by_job()
    turn = range(begin, begin + seconds)
    late, missed = [], 0
    for job in jobs:
        delays, errors = served(starts.get(job.name, []), turn)
        late += [delay * 1000 for delay in delays]
        missed += errors
    if len(late) < JOBS * seconds / 2:
        raise NotReady(f"ran {len(late)} commands of {JOBS * seconds}")
    return {
        "p50": percentile(late, 50), "p99": percentile(late, 99), "cpu": used * 1000 / len(late),
        "tree": used_tree * 1000 / len(late), "missed": missed}


def sleep_until(second):
    """Sleeps until a wall-clock time."""
    time.sleep(max(0, second - time.time()))


def run(schedulers, tools, figures, *, rounds, seconds):
    """Measures all schedulers in turns, with each kind of work."""
    for work in WORKS:
        able = [one for one in schedulers if not work.is_quiet or one.can_be_quiet]
        print(f"\n## {work.title}, {seconds} s per turn after {WARM_UP} s of warm-up: "
              "lateness and CPU per run, ms\n")
        found = Measurements()
        for number in range(1, rounds + 1):
            for scheduler in able:
                found.take_turn(
                    scheduler, number, lambda: measure(scheduler, tools, seconds, work))
        for word in ("p50", "p99"):
            found.report(figures, word, f"{work.title}: lateness {word}", "ms",
                         bounds=work.bounds.get(word))
        found.report(figures, "missed", f"{work.title}: starts missed or doubled", "starts",
                     has_ratio=False)
        found.report_failures(figures, work.title)
        found.report(figures, "cpu", f"{work.title}: scheduler CPU per run", "ms",
                     bounds=work.bounds.get("cpu"))
        found.report(figures, "tree", f"{work.title}: CPU of all processes per run", "ms",
                     bounds=work.bounds.get("tree"))
