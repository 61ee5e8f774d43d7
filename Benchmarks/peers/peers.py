"""Runs takt and other schedulers in turns, with the same work.

    python3 peers.py TAKT [--python VENV_PYTHON] [--json FILE] [--quick] [--only NAME[,NAME]]
                     [--with NAME[,NAME]]

Workloads: lateness, storm, idle, queries. `--with` chooses schedulers besides takt. The report names those
that are not installed. supercronic is searched in $SUPERCRONIC and in PATH.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import idle  # noqa: E402
import lateness  # noqa: E402
import queries  # noqa: E402
import storm  # noqa: E402
from common.figures import Figures, take_option  # noqa: E402
from common.stopping import stop_once  # noqa: E402
from daemon import NotReady  # noqa: E402
from schedulers.scheduler_apscheduler import APScheduler  # noqa: E402
from schedulers.scheduler_bare_loop import BareLoop  # noqa: E402
from schedulers.scheduler_cron import Cron  # noqa: E402
from schedulers.scheduler_cronstable import Cronstable  # noqa: E402
from schedulers.scheduler_supercronic import Supercronic  # noqa: E402
from schedulers.scheduler_systemd import Systemd  # noqa: E402
from schedulers.scheduler_takt import Takt  # noqa: E402
from tools import Tools  # noqa: E402

# Free memory from which a million jobs are tried.
MILLION_JOBS_GB = 8


def available_gb():
    """Free memory."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9


def present(schedulers, figures, chosen):
    """The installed schedulers; adds a row for each of the others."""
    found = []
    for scheduler in schedulers:
        if chosen and scheduler.name not in chosen and scheduler.name != "takt":
            continue
        reason = scheduler.absent()
        if reason:
            print(f"left out: {scheduler.name} ({reason})", flush=True)
            figures.rows.append({"left_out": scheduler.name, "reason": reason})
        else:
            version = scheduler.version()
            print(f"{scheduler.name} {version}".strip(), flush=True)
            figures.rows.append({"scheduler": scheduler.name, "version": version})
            found.append(scheduler)
    return found


def parts(schedulers, tools, figures, quick):
    """The workloads by name, as functions."""
    takt = schedulers[0]

    def able(workload):
        return [scheduler for scheduler in schedulers if workload in scheduler.workloads]

    # Rounds by number of jobs.
    sizes = {1: 3, 1_000: 3, 10_000: 5, 100_000: 3}
    # Repetitions by number of jobs.
    queried = {1_000: 9, 10_000: 9, 100_000: 9}
    if available_gb() > MILLION_JOBS_GB:
        sizes[1_000_000] = 1
        queried[1_000_000] = 3
    if quick:
        sizes = {1: 1, 1_000: 1, 10_000: 1}
        queried = {1_000: 3}
    return {
        "lateness": lambda: lateness.run(
            able("lateness"), tools, figures, rounds=1 if quick else 5, seconds=3 if quick else 8),
        "storm": lambda: storm.run(
            able("storm"), tools, figures, rounds=1 if quick else 3, count=200 if quick else 1000),
        "idle": lambda: idle.run(able("idle"), tools, figures, sizes=sizes),
        "queries": lambda: queries.run(
            takt, tools, figures, sizes=queried, seconds=2 if quick else 5),
    }


def main(arguments):
    """Runs the workloads, all of them even if one fails."""
    figures = Figures(take_option(arguments, "--json"))
    python = take_option(arguments, "--python") or sys.executable
    only = (take_option(arguments, "--only") or "").split(",")
    chosen = [name for name in (take_option(arguments, "--with") or "").split(",") if name]
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 64
    stop_once()
    failures = []
    with Tools() as tools:
        if not tools.note:
            print("cc is needed", file=sys.stderr)
            return 1
        schedulers = present(
            [Takt(os.path.abspath(arguments[0])), BareLoop(tools), APScheduler(python),
             Supercronic(), Cronstable(python), Systemd(), Cron()], figures, chosen)
        for name, part in parts(schedulers, tools, figures, quick).items():
            if only != [""] and name not in only:
                continue
            try:
                part()
            except (NotReady, OSError, RuntimeError) as error:
                print(f"FAILED: {name}: {error}", flush=True)
                failures.append(name)
                figures.rows.append({"failed": name, "reason": str(error)})
    figures.write()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
