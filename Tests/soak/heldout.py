#!/usr/bin/env python3
"""Compares a simulation with what really happened afterwards.

  Tests/soak/heldout.py TAKT [--learn MINUTES] [--held-out MINUTES] [--seeds N]

Runs takt in a folder of its own with twelve jobs whose real commands take another time in each hour and
each run, with fewer places than they need. Then it simulates the last part of that time, of which
`takt simulate --history --from` reads nothing, and compares late slots and runs at once with the ledger. It
exits with 1 if one of them is more than 10 % off.

A run over a whole hour's change shows that hours matter; one of a week and a day is the real thing.
"""
import argparse
import datetime
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

JOBS, PLACES = 12, 4
# Between 1 and 5 s, by the process's number, and twice as long in every second hour.
WORK = "sleep $(( ($$ % 5 + 1) * (1 + $(date +%-H) % 2) )).$(( $$ % 10 ))"


def main(arguments):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="takt-heldout-"))
    jobs = "".join(
        f"  job{number}:\n    calendar: '*:*:{number % 4 * 5}/30'\n    run: '{WORK}'\n"
        "    overlap: queue\n"
        for number in range(JOBS))
    (folder / "jobs.yaml").write_text(
        f"scheduler: {{timezone: UTC, max_running: {PLACES}}}\njobs:\n{jobs}")
    takt = subprocess.Popen(
        [arguments.takt, "run"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(60 * arguments.learn)
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    time.sleep(60 * arguments.held_out)
    takt.send_signal(signal.SIGTERM)
    takt.wait()
    real = happened(folder, start, arguments.held_out)
    foretold = json.loads(subprocess.run(
        [arguments.takt, "simulate", "--history", "--from", start.isoformat(), "--for",
         f"{arguments.held_out}m", "--seeds", str(arguments.seeds), "--json"],
        cwd=folder, check=True, capture_output=True, text=True).stdout)
    print(f"{folder}: {foretold['historyRuns']} runs before {start.isoformat()}")
    wrong = False
    for name, key in [("late slots", "lateSlots"), ("runs at once", "runningMax")]:
        median, high = foretold[key]["median"], foretold[key]["p95"]
        off = abs(median - real[key]) / max(1, real[key])
        wrong |= off > 0.1
        print(f"{name}: {real[key]}, foretold {median} (p95 {high}), {100 * off:.1f} % off")
    sys.exit(wrong)


def happened(folder, start, minutes):
    """What the ledger says of the time that was held out."""
    begin = int(start.timestamp() * 1000)
    end = begin + minutes * 60_000
    rows = sqlite3.connect(folder / ".takt/ledger.sqlite").execute(
        "SELECT slot, began_at, coalesce(ended_at, ?), late_us FROM runs"
        " WHERE kind = 'slot' AND began_at IS NOT NULL", (end,)).fetchall()
    late = sum(begin <= slot < end and began < end and (us or 0) > 1_000_000
               for slot, began, _, us in rows)
    steps = sorted([(began, 1) for _, began, ended, _ in rows if ended > begin and began < end]
                   + [(ended, -1) for _, began, ended, _ in rows if ended > begin and began < end],
                   key=lambda step: step)
    running = most = 0
    for _, step in steps:
        running += step
        most = max(most, running)
    return {"lateSlots": late, "runningMax": most}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt")
    parser.add_argument("--learn", type=int, default=60)
    parser.add_argument("--held-out", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=20)
    main(parser.parse_args())
