"""A thousand commands due at one instant, simple ones or such that need a shell: starts per second."""

import time

from daemon import NotReady
from job import at
from measurements import Measurements
from tools import NEEDS_SHELL, Stamps

CONCURRENCY = 16
LIMIT = 60
# The kinds of command: what they end with, and lower bounds of takt's ratio to its peers.
KINDS = {"commands": ("", {"supercronic": 1.8}), "commands that need a shell": (NEEDS_SHELL, {})}


def measure(scheduler, tools, count, ending):
    """Starts per second, from the due time to the last start."""
    due = int(time.time()) + 1 + scheduler.storm_lead
    tools.due = due
    with tools.case() as folder:
        stamps = Stamps(folder, tools, ending)
        jobs = [stamps.job(f"job{number:04}", at(due)) for number in range(count)]
        with scheduler.start(folder, jobs, CONCURRENCY) as daemon:
            while stamps.count() < count:
                daemon.check(time.monotonic() + 1)
                if time.time() > due + LIMIT:
                    raise NotReady(f"started {stamps.count()} of {count} in {LIMIT} s")
                time.sleep(0.1)
        return {"starts": count / (stamps.seconds()[count - 1] - due)}


def run(schedulers, tools, figures, *, rounds, count):
    """Measures all schedulers in turns."""
    for kind, (ending, bounds) in KINDS.items():
        title = f"{count:,} {kind} due at once: starts per second"
        print(f"\n## {title}; takt, APScheduler and the bare loop run {CONCURRENCY} at a time\n")
        found = Measurements()
        for number in range(1, rounds + 1):
            for scheduler in schedulers:
                found.take_turn(
                    scheduler, number, lambda: measure(scheduler, tools, count, ending))
        found.report_failures(figures, title)
        found.report(figures, "starts", title, "1/s", least=bounds)
