"""Runs all benchmarks and writes their figures to one file.

    python3 bench.py TAKT [--out FILE] [--quick] [--only NAME[,NAME]] [--python VENV_PYTHON]
                     [--oracle FILE]

If a benchmark fails, the others still run; the file and the last lines name it, and the exit status is 1.
`--quick` is a short trial.
"""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from common import descendants, machine
from common.figures import take_option
from common.stopping import stop_once

HERE = pathlib.Path(__file__).resolve().parent
SWIFT = HERE / ".build/release"


def benchmarks(takt, python, oracle, quick):
    """The commands by name."""
    def script(path, *arguments):
        return [sys.executable, HERE / path, *arguments]

    quick_flag = ["--quick"] if quick else []
    found = {
        "peers": script("peers/peers.py", takt, "--python", python, *quick_flag),
        "storm": [SWIFT / "storm-bench", takt, *(["200", "1"] if quick else [])],
        "leeway": [SWIFT / "takt-bench", takt, *(["3", "1"] if quick else ["12", "3"])],
        "plugins": [SWIFT / "plugin-bench", takt, *(["1000", "1"] if quick else [])],
        "timers": [SWIFT / "timer-bench", *quick_flag],
        "simulate": script("simulate/simulate_bench.py", takt, *quick_flag),
        "ledger": script("ledger/ledger_bench.py", takt, "rate", "lookup", "restart"),
        "output": script("output/output_bench.py", takt, *quick_flag),
        "control": script("control/control_bench.py", takt, *quick_flag),
        "cluster": script("cluster/cluster_bench.py", takt, *quick_flag),
    }
    if oracle and os.path.exists(oracle):
        program = HERE.parent / ".build/release/schedule-bench"
        found["schedules"] = script("schedule/schedule_bench.py", program, oracle, python)
    return found


def processes_of(session):
    """The processes of a session, without those that have ended."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, leader = path.read_text().rpartition(")")[2].split()[:4]
            if int(leader) == session and state != "Z":
                found.append(int(path.parent.name))
    return found


class Run:
    """One benchmark: how it ended, and its rows."""

    def __init__(self, name, command):
        self.name = name
        self.command = [str(part) for part in command]
        self.process = None
        self.problem = "interrupted"
        self.rows = []
        self.seconds = 0

    def measure(self, quick):
        """Runs the benchmark."""
        print(f"\n# {self.name}\n", flush=True)
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="takt-bench-", ignore_cleanup_errors=True) as folder:
            # A database server, which has a user of its own, must reach its folder in this one.
            os.chmod(folder, 0o711)
            path = pathlib.Path(folder) / "rows.json"
            # Its files stay in this folder, so that they can be removed.
            environment = {**os.environ, "TMPDIR": folder, "LEDGER_BENCH_QUICK": str(int(quick))}
            try:
                self.process = subprocess.Popen(
                    [*self.command, "--json", path], env=environment, start_new_session=True)
                status = self.process.wait()
                self.problem = f"exit status {status}" if status else None
            except OSError as error:
                self.problem = error.strerror
            finally:
                self.stop()
                self.seconds = round(time.monotonic() - begin)
            if path.exists():
                self.rows = json.loads(path.read_text())
            elif not self.problem:
                self.problem = "it wrote no figures"

    def stop(self):
        """Stops its processes, with time to clean up, and kills those that are left."""
        if not self.process:
            return
        end = time.monotonic() + 30
        for pid in processes_of(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        while processes_of(self.process.pid) and time.monotonic() < end:
            self.process.poll()
            time.sleep(0.05)
        self.process.poll()
        # Schedulers and their commands have sessions of their own.
        descendants.kill(seconds=10)
        self.process.poll()


def write(path, facts, quick, runs):
    """Writes the machine, the benchmarks and all rows."""
    content = {
        "machine": facts, "quick": quick,
        "benchmarks": [
            {"name": run.name, "seconds": run.seconds, "problem": run.problem} for run in runs],
        "rows": [{"benchmark": run.name, **row} for run in runs for row in run.rows]}
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def main(arguments):
    """Runs the chosen benchmarks."""
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    out = take_option(arguments, "--out") or ".build/bench/bench.json"
    only = take_option(arguments, "--only")
    python = take_option(arguments, "--python") or sys.executable
    oracle = take_option(arguments, "--oracle")
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    takt = os.path.abspath(arguments[0])
    descendants.adopt_orphans()
    stop_once()
    # Without the environment, peers from PyPI are left out.
    python = os.path.abspath(python) if os.path.exists(python) else sys.executable
    commands = benchmarks(takt, python, oracle, quick)
    runs = []
    facts = machine.description(takt)
    if facts["busy_before_percent"] > machine.BUSY_PERCENT:
        print(f"The machine is busy ({facts['busy_before_percent']} % of its CPU time is used), so the "
              "figures are of little use.")
    for name, command in commands.items():
        if only and name not in only.split(","):
            continue
        runs.append(Run(name, command))
        try:
            runs[-1].measure(quick)
        finally:
            write(out, facts, quick, runs)
    failed = [run for run in runs if run.problem]
    print(f"\n{sum(run.seconds for run in runs)} s: "
          + ", ".join(f"{run.name} {run.seconds} s" for run in runs))
    for run in failed:
        print(f"FAILED: {run.name}: {run.problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
