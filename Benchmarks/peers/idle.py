"""Idle jobs: CPU to load them, memory, and CPU to reload."""

import os
import statistics
import time

from job import idle_jobs
from measurements import Measurements

LIMIT = 240
# A scheduler that needs more CPU seconds than this is not given ten times the jobs.
PATIENCE = 12
# A scheduler that needs more CPU seconds than this gets one turn only.
SLOW_LOAD = 3
EMPTY_DAEMON_MB = 22
MEMORY_OF_A_JOB_KB = 1
LOAD_SECONDS = 2
BOUNDS = {10_000: {"APScheduler": 1, "supercronic": 1}}
# With fewer jobs a reload takes less CPU than can be measured.
LEAST_TO_RELOAD = 1_000


def measure(scheduler, tools, size, with_reload):
    """CPU seconds to load, memory in MB, and CPU seconds to reload after one job has changed."""
    with tools.case() as folder, scheduler.start(folder, idle_jobs(size)) as daemon:
        daemon.wait_ready(LIMIT)
        values = {"load": daemon.cpu(), "memory": daemon.memory()}
        if with_reload:
            # Some schedulers compare modification times in whole seconds.
            time.sleep(1)
            scheduler.write(daemon.log.parent, idle_jobs(size, changed=size // 2))
            before = daemon.cpu()
            os.kill(daemon.pid, scheduler.reload_signal)
            time.sleep(1)
            daemon.wait_idle(time.monotonic() + LIMIT)
            values["reload"] = daemon.cpu() - before
        return values


def run(schedulers, tools, figures, *, sizes):
    """Measures all schedulers in turns; `sizes` maps a number of jobs to a number of rounds."""
    slow = set()
    empty = {}
    for size, rounds in sizes.items():
        print(f"\n## {size:,} idle jobs: CPU s to load, MB, CPU s to reload with one job changed\n")
        found = Measurements()
        for number in range(1, rounds + 1):
            for scheduler in schedulers:
                if size > scheduler.most_idle_jobs or scheduler.name in slow:
                    continue
                if number > 1 and max(found.values[scheduler.name]["load"]) > SLOW_LOAD:
                    continue
                has_reload = "reload" in scheduler.workloads and size >= LEAST_TO_RELOAD
                found.take_turn(
                    scheduler, number, lambda: measure(scheduler, tools, size, has_reload))
        slow |= {name for name, values in found.values.items() if max(values["load"]) > PATIENCE}
        slow |= found.failed.keys()
        report(found, figures, size, empty)


def report(found, figures, size, empty):
    """Adds the rows for one number of jobs; `empty` keeps the memory of daemons with one job."""
    bounds = BOUNDS.get(size)
    found.report_failures(figures, f"{size:,} idle jobs")
    found.report(figures, "load", "idle jobs: CPU to load", "s", size=size, bounds=bounds,
                 own_bound=LOAD_SECONDS if size == 100_000 else None)
    found.report(figures, "memory", "idle jobs: memory", "MB", size=size, bounds=bounds,
                 own_bound=EMPTY_DAEMON_MB if size == 1 else None)
    for name, values in found.values.items():
        if size == 1:
            empty[name] = statistics.median(values["memory"])
        elif name in empty:
            values["job"] = [(memory - empty[name]) * 1024 / size for memory in values["memory"]]
    found.report(figures, "job", "idle jobs: memory per job", "KB", size=size,
                 own_bound=MEMORY_OF_A_JOB_KB if size == 100_000 else None)
    found.report(figures, "reload", "idle jobs: CPU to reload, one changed", "s", size=size)
