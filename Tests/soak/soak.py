#!/usr/bin/env python3
"""Lets takt run for long while things go wrong, and looks at what it takes.

  Tests/soak/soak.py PROGRAM [--minutes 60] [--seed N] [--out FOLDER]

Two daemons: one that is never stopped, whose memory, descriptors, threads, children and ledger must not
grow, and one that is killed and restarted. Both get reloads, broken files, clock steps (the wall clock of
the process, by Tests/faults/clock.c), full disks (a tmpfs; needs root), suspensions, hostile plugins, and readers of
the page at once. At the end `takt verify` must find nothing in either ledger. Before it, a year in virtual
time must take no more memory than a month.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import apart
import measure
import picture
import troubles
from world import Takt, clock_library

YEAR = """jobs:
  hourly: {cron: "7 * * * *", run: x}
  often: {every: 5m, run: x}
  weekly: {calendar: "Mon *-*-* 04:00", run: x, timezone: Europe/Berlin}
  biweekly: {cron: "0 6 * * 1", nth: {every: 2, starting: 2026-01-05}, run: x}
  after: {after: {job: hourly}, run: x}
"""


def simulated_year(program, folder):
    """Peak memory in MiB of a month and of a year in virtual time."""
    file = folder / "year.yaml"
    file.write_text(YEAR)
    peaks = {}
    for days in (30, 365):
        done = subprocess.run(
            [shutil.which("time") or "/usr/bin/time", "-f", "%M", program, "simulate", file, "--from", "2026-01-01T00:00:00Z",
             "--for", f"{days}d", "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"takt simulate: {done.stderr}")
        peaks[days] = int(done.stderr.split()[-1]) / 1024
    return peaks


class Trial:
    """One daemon and what befalls it, on a thread of its own."""

    def __init__(self, takt, kinds, seed, end):
        self.takt, self.kinds, self.pick, self.end = takt, kinds, random.Random(seed), end
        self.events, self.samples, self.failure = [], [], None
        self.start = time.monotonic()

    def run(self):
        round = []
        try:
            while time.monotonic() < self.end:
                # In rounds: each part of the time gets as much of each trouble as any other one.
                if not round:
                    round = self.pick.sample(self.kinds, len(self.kinds))
                trouble = round.pop()
                self.events.append((time.monotonic() - self.start, trouble.__name__))
                trouble(self.takt, self.pick)
                time.sleep(self.pick.uniform(0.5, 6))
                if not self.takt.is_running:
                    raise RuntimeError(
                        f"takt ended with {self.takt.process.returncode} after {trouble.__name__}: "
                        + self.takt.last_errors())
        except Exception as failure:  # One daemon's end must not hide the other's.
            self.failure = failure

    def measure(self):
        if self.takt.is_running and (figures := measure.sample(self.takt)):
            self.samples.append((time.monotonic() - self.start, figures))


def judge(name, trial, must_be_flat):
    """Prints what was found; whether all is well."""
    print(f"{name}: {trial.takt.starts} starts, " + ", ".join(
        f"{kind} {count}" for kind, count in sorted(counts(trial.events).items())))
    is_well = trial.failure is None
    if trial.failure:
        print(f"  FAILED: {trial.failure}")
    elif (status := trial.takt.stop()) != 0:
        print(f"  FAILED: it stopped with {status}")
        is_well = False
    if not trial.takt.is_running and (left := await_none(trial.takt)):
        print(f"  FAILED: left behind: {', '.join(f'{name}({pid})' for pid, name in left)}")
        is_well = False
    verified = trial.takt.command("verify", timeout=600)
    print("  takt verify: " + " / ".join(verified.stdout.strip().splitlines()[-3:]))
    if verified.returncode != 0:
        print(f"  FAILED: takt verify ended with {verified.returncode}: {verified.stdout}{verified.stderr}")
        is_well = False
    if must_be_flat and len(trial.samples) >= 30:
        is_settled = trial.samples[-1][0] >= 3 * measure.SETTLING
        for kind, (middle, last, grows) in measure.growth(trial.samples).items():
            unit = measure.KINDS[kind][0]
            print(f"  {kind}: {middle:.1f} {unit} in the middle third, {last:.1f} in the last"
                  + (": it GROWS" if grows and is_settled else ""))
            is_well = is_well and not (grows and is_settled)
        if not is_settled:
            print("  no verdict on growth: what takt remembers has not come to its bounds in the first third")
    return is_well


def await_none(takt, seconds=40):
    """What is left of a daemon that has stopped, when those that end by themselves have ended."""
    end = time.monotonic() + seconds
    while (left := takt.leftovers()) and time.monotonic() < end:
        time.sleep(0.5)
    return left


def counts(events):
    result = {}
    for _, name in events:
        result[name] = result.get(name, 0) + 1
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(".build/soak"))
    options = parser.parse_args()
    if not apart.enter():
        print("soak: without a namespace of processes: if this is killed, processes are left")
    program = options.program.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"soak: {options.minutes:g} minutes, seed {options.seed}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="takt-soak-"))
    takts, is_well = [], True
    try:
        peaks = simulated_year(program, folder)
        is_well = peaks[365] < peaks[30] * 1.5 + 8
        print(f"virtual time: peak memory {peaks[30]:.0f} MiB for a month, {peaks[365]:.0f} for a year"
              + ("" if is_well else ": it GROWS"), flush=True)
        clock = clock_library(folder)
        for name in ("steady", "mortal"):
            takts.append(Takt(program, folder / name, options.seed, clock))
            takts[-1].start()
        if not takts[0].has_own_disk:
            print("soak: without full disks: no file system can be mounted here")
        end = time.monotonic() + options.minutes * 60
        steady = Trial(takts[0], troubles.LASTING, options.seed + 1, end)
        mortal = Trial(takts[1], troubles.DEADLY, options.seed + 2, end)
        threads = [threading.Thread(target=trial.run) for trial in (steady, mortal)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            steady.measure()
            mortal.measure()
            time.sleep(5)
        is_well = judge("steady", steady, True) and is_well
        is_well = judge("mortal", mortal, False) and is_well
        (options.out / "soak.json").write_text(json.dumps(
            {"seed": options.seed, "minutes": options.minutes, "samples": steady.samples,
             "events": steady.events, "mortal": {"samples": mortal.samples, "events": mortal.events}}))
        picture.draw(
            options.out / "soak.svg", steady.samples, steady.events,
            f"takt under {options.minutes:g} minutes of trouble (red: clock steps, full disks, suspensions)")
    except BaseException:
        is_well = False
        raise
    finally:
        for takt in takts:
            takt.clean_up()
        if is_well:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"soak: what is left is in {folder}")
    print("soak: " + ("nothing found" if is_well else "FAILED"))
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
