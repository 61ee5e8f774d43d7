"""Twenty shell commands per second: lateness, missed starts, and CPU per run of the scheduler."""

import math
import time

from daemon import NotReady
from every_second import served
from job import EVERY_SECOND
from measurements import Measurements
from percentile import percentile
from tools import Stamps

JOBS = 20
WARM_UP = 2
# CPU is read this long before a full second, when the commands of the last one have ended.
REST = 0.2
# Starts that are later than this at the end of a turn are missed.
PATIENCE = 2
TITLE = f"{JOBS} commands per second"
LATENESS_BOUNDS = {"bare C loop": 1.2, "APScheduler": 0.5, "supercronic": 0.7}
CPU_BOUNDS = {"APScheduler": 0.4, "supercronic": 0.5}


def measure(scheduler, tools, seconds):
    """Lateness and CPU per run of one scheduler, in ms, and its missed starts."""
    with tools.case() as folder:
        stamps = Stamps(folder, tools)
        jobs = [stamps.job(f"job{number:02}", EVERY_SECOND) for number in range(JOBS)]
        with scheduler.start(folder, jobs) as daemon:
            begin = math.ceil(time.time()) + WARM_UP
            sleep_until(begin - REST)
            before = daemon.cpu()
            sleep_until(begin + seconds - REST)
            used = daemon.cpu() - before
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
        "missed": missed}


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
    found.report(figures, "missed", f"{TITLE}: starts missed or doubled", "starts", has_ratio=False)
    found.report_failures(figures, TITLE)
    found.report(figures, "cpu", f"{TITLE}: scheduler CPU per run", "ms", bounds=CPU_BOUNDS)
