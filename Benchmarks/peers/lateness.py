"""Twenty shell commands per second: lateness, and CPU per run of the scheduler."""

import math
import time

from daemon import NotReady
from job import EVERY_SECOND, Job
from measurements import Measurements
from percentile import percentile
from tools import Stamps

JOBS = 20
WARM_UP = 2
# CPU is read this long before a full second, when the commands of the last one have ended.
REST = 0.2
TITLE = f"{JOBS} commands per second"
LATENESS_BOUNDS = {"bare C loop": 1.2, "APScheduler": 0.5, "supercronic": 0.7}
CPU_BOUNDS = {"APScheduler": 0.4, "supercronic": 0.5}


def measure(scheduler, tools, seconds):
    """Lateness and CPU per run of one scheduler, in ms."""
    with tools.case() as folder:
        stamps = Stamps(folder, tools)
        jobs = [Job(f"job{number:02}", stamps.command, EVERY_SECOND) for number in range(JOBS)]
        with scheduler.start(folder, jobs) as daemon:
            begin = math.ceil(time.time()) + WARM_UP
            sleep_until(begin - REST)
            before = daemon.cpu()
            sleep_until(begin + seconds - REST)
            used = daemon.cpu() - before
            daemon.check(math.inf)
        inside = [stamp for stamp in stamps.seconds() if begin - REST <= stamp < begin + seconds - REST]
        if len(inside) < JOBS * seconds / 2:
            raise NotReady(f"ran {len(inside)} commands of {JOBS * seconds}")
    late = [stamp % 1 * 1000 for stamp in inside]
    return {
        "p50": percentile(late, 50), "p99": percentile(late, 99), "cpu": used * 1000 / len(inside),
        "runs": len(inside)}


def sleep_until(second):
    """Sleeps until a wall-clock time."""
    time.sleep(max(0, second - time.time()))


def run(schedulers, tools, figures, *, rounds, seconds):
    """Measures all schedulers in turns."""
    print(f"\n## {TITLE}, {seconds} s per turn after {WARM_UP} s of warm-up: lateness and CPU per run, ms\n")
    found = Measurements()
    for number in range(1, rounds + 1):
        for scheduler in schedulers:
            found.take_turn(scheduler, number, lambda: measure(scheduler, tools, seconds))
    for word in ("p50", "p99"):
        found.report(figures, word, f"{TITLE}: lateness {word}", "ms", bounds=LATENESS_BOUNDS)
    found.report_failures(figures, TITLE)
    found.report(figures, "cpu", f"{TITLE}: scheduler CPU per run", "ms", bounds=CPU_BOUNDS)
