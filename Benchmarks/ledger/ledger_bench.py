#!/usr/bin/env python3
"""Measures what the ledger costs, and what a bad disk under it does to the jobs.

    python3 ledger_bench.py PATH_TO_TAKT [faults] [rate] [lookup] [restart] [--json FILE]

Without a part it does all of them. LEDGER_BENCH_QUICK=1 makes everything short, to try the program
itself. `Tests/faults/faults.c` is compiled with cc; as root a real file system
is filled for `disk full`, else a failing write stands for it. Everything is done in a temporary
folder (TMPDIR), of which `lookup` fills about 2 GB.

Exits with 1 when something is wrong (books that do not balance, verdicts that are not right, too
many runs at once), never because something is slow: the bars are printed beside the numbers.
"""

import atexit
import collections
import contextlib
import datetime
import json
import math
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from common.figures import Figures, take_option  # noqa: E402

QUICK = os.environ.get("LEDGER_BENCH_QUICK") == "1"
HERE = pathlib.Path(__file__).resolve().parent
WEEK_MS = 7 * 86_400_000
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")

problems = []
figures = Figures()


def broken(text):
    """Says that something is wrong, and that the whole is a failure."""
    problems.append(text)
    print(f"  WRONG: {text}", flush=True)


def say(text=""):
    """Prints at once, so that a long measurement can be watched."""
    print(text, flush=True)


def milliseconds(text):
    """An RFC 3339 instant of the log as milliseconds since the epoch."""
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000)


def p99(values):
    """The smallest value that 99 % do not exceed."""
    return sorted(values)[math.ceil(0.99 * len(values)) - 1] if values else math.nan


def spread(values, unit="ms"):
    """Median and greatest of some values, as text."""
    return f"median {statistics.median(values):.1f} {unit}, max {max(values):.1f} {unit}"


# MARK: takt


class Bench:
    """Where it all happens: the program, the temporary folder, and what must be undone."""

    def __init__(self, takt):
        self.takt = os.path.abspath(takt)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="takt-ledger-bench-"))
        self.count = 0
        self.mounts = []
        self.daemons = []
        atexit.register(self.clean)

    def case(self):
        """A new folder for one takt."""
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        return folder

    def shim(self):
        """The compiled faults.c."""
        library = self.folder / "faults.so"
        if not library.exists():
            source = HERE.parent.parent / "Tests" / "faults" / "faults.c"
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
        return library

    def mount(self, folder, size):
        """Puts a small file system on a folder; whether that could be done."""
        if os.geteuid() != 0 or not shutil.which("mount"):
            return False
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "takt-bench", folder]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return False
        self.mounts.append(folder)
        return True

    def unmount(self, folder):
        """Takes the file system away again."""
        if folder in self.mounts:
            self.mounts.remove(folder)
            subprocess.run(["umount", "-l", folder], capture_output=True)

    def run(self, *arguments):
        """Runs a command of takt and returns how it ended, with what it printed."""
        return subprocess.run([self.takt, *map(str, arguments)], capture_output=True, text=True)

    def clean(self):
        """Ends what still runs, and takes away all that was made."""
        for daemon in self.daemons:
            daemon.kill()
        for folder in list(self.mounts):
            self.unmount(folder)
        shutil.rmtree(self.folder, ignore_errors=True)


class Daemon:
    """A `takt run`, and its log as it grows."""

    def __init__(self, bench, folder, *options, environment=None):
        self.path = folder / f"log-{time.monotonic_ns()}"
        self.lines = []
        self.rest = b""
        self.began = time.monotonic()
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(
                [bench.takt, "run", folder / "jobs.yaml", "--log-format", "json", *options],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})})
        self.log = open(self.path, "rb")
        bench.daemons.append(self)

    def read(self):
        """Takes the lines that have come; returns them."""
        *lines, self.rest = (self.rest + self.log.read()).split(b"\n")
        new = []
        for line in lines:
            with contextlib.suppress(ValueError):
                new.append(json.loads(line))
        self.lines += new
        return new

    def wait(self, wanted, timeout):
        """Waits for a line, old or new; the seconds since takt was started, or None."""
        place = 0
        end = time.monotonic() + timeout
        while True:
            self.read()
            for line in self.lines[place:]:
                if wanted(line):
                    return time.monotonic() - self.began
            place = len(self.lines)
            if time.monotonic() > end or self.process.poll() is not None:
                return None
            time.sleep(0.01)

    def wait_started(self, timeout=60):
        """Waits until takt has loaded its jobs; the seconds that it took."""
        took = self.wait(lambda line: line.get("message", "").startswith("started;"), timeout)
        if took is None:
            raise RuntimeError(f"takt does not start:\n{self.path.read_text()[-2000:]}")
        return took

    def stop(self):
        """Stops it as an operator would."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                broken("takt does not end within 60 s of SIGTERM")
                self.kill()
        if self.process.returncode not in (0, None):
            broken(f"takt ended with {self.process.returncode}")
        self.read()
        self.log.close()

    def kill(self):
        """Ends it without a word, if it is still there."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def messages(self, event, level=None):
        """What it says of itself."""
        return [
            line.get("message", "") for line in self.lines
            if line.get("event") == event and level in (None, line.get("level"))]


def write_jobs(folder, jobs, settings=None, defaults=None):
    """Writes jobs.yaml; YAML is a superset of JSON."""
    scheduler = {"state": str(folder / "state"), "shutdown_grace": "5s", **(settings or {})}
    document = {"scheduler": scheduler, "defaults": defaults or {}, "jobs": jobs}
    path = folder / "jobs.yaml"
    with open(path, "w") as file:
        json.dump(document, file, indent=0)
    path.chmod(0o600)


def verify(bench, state, *options):
    """`takt verify`; its exit status and its lines."""
    answer = bench.run("verify", "--state", state, *options)
    return answer.returncode, (answer.stdout + answer.stderr).splitlines()


@contextlib.contextmanager
def database(state):
    """The ledger, opened beside takt."""
    connection = sqlite3.connect(state / "ledger.sqlite", timeout=5, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


# MARK: Faults


class Fault:
    """Something that is wrong with the disk, from `begin` to `lift`. `repeat` is called each second
    in between. Both runs of a pair have the same surroundings."""

    def __init__(self, bench, folder):
        self.bench = bench
        self.state = folder / "state"
        self.switch = folder / "fault"

    def environment(self):
        return {}

    def prepare(self):
        """Before takt starts."""

    def begin(self):
        """takt runs."""

    def repeat(self):
        """It runs on."""

    def lift(self):
        """All is well again."""

    def clean(self):
        """takt has ended, and its books have been looked at."""


class ShimFault(Fault):
    """What faults.c does."""

    word = ""

    def environment(self):
        return {"LD_PRELOAD": str(self.bench.shim()), "TAKT_FAULT_FILE": str(self.switch)}

    def begin(self):
        self.switch.write_text(self.word)

    def lift(self):
        self.switch.unlink()


class ReadOnly(ShimFault):
    """Whatever writes fails."""

    word = "erofs"


class SlowSync(ShimFault):
    """A disk that takes half a second to say that it has written."""

    word = "slow 500"


class DiskFull(ShimFault):
    """No room: a file fills a small file system; without root, the shim says so."""

    word = "enospc"
    size_mb = 16

    def environment(self):
        return {} if self.is_real else super().environment()

    def prepare(self):
        self.state.mkdir(mode=0o700)
        self.is_real = self.bench.mount(self.state, f"{self.size_mb}m")

    def begin(self):
        if not self.is_real:
            return super().begin()
        self.repeat()

    def repeat(self):
        if not self.is_real:
            return
        with contextlib.suppress(OSError), open(self.state / "filler", "ab", 0) as filler:
            while True:
                filler.write(bytes(4096))

    def lift(self):
        if not self.is_real:
            return super().lift()
        (self.state / "filler").unlink()

    def clean(self):
        self.bench.unmount(self.state)


class Deleted(Fault):
    """Somebody takes the files away, each second anew."""

    def begin(self):
        self.repeat()

    def repeat(self):
        for path in self.state.glob("ledger.sqlite*"):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()


class Locked(Fault):
    """Another process has the database for itself."""

    def begin(self):
        self.connection = sqlite3.connect(
            self.state / "ledger.sqlite", timeout=10, isolation_level=None)
        self.connection.execute("BEGIN EXCLUSIVE")

    def lift(self):
        self.connection.execute("ROLLBACK")
        self.connection.close()


class Corrupted(Fault):
    """Garbage over the page to which the next verdict goes. What waits in the WAL is brought into the
    file before, which also makes takt forget the pages that it has read. The file is damaged a second
    after the beginning, when there is something to lose, and again until takt has seen it: a write of
    its own at the same moment may heal the page."""

    def repeat(self):
        if not list(self.state.glob("*.damaged-*")):
            with contextlib.suppress(sqlite3.Error):
                self.overwrite()

    def overwrite(self):
        path = self.state / "ledger.sqlite"
        with database(self.state) as connection:
            size, = connection.execute("PRAGMA page_size").fetchone()
            root, = connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = 'verdicts'").fetchone()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        with open(path, "r+b", buffering=0) as file:
            page = last_leaf(file, root, size)
            os.pwrite(file.fileno(), os.urandom(size), (page - 1) * size)


def last_leaf(file, page, size):
    """The page of a table to which the next row goes: the rightmost one, found from its root."""
    while True:
        content = os.pread(file.fileno(), size, (page - 1) * size)
        header = 100 if page == 1 else 0
        if content[header] != 5:
            return page
        page = int.from_bytes(content[header + 8:header + 12], "big")


FAULTS = {
    "disk full": DiskFull, "read-only": ReadOnly, "deleted": Deleted, "corrupted": Corrupted,
    "locked": Locked, "slow fsync": SlowSync,
}


class FaultRun:
    """One takt of a pair: how late its slots were, and what is said of its books."""

    jobs_count = 20
    seconds = 3 if QUICK else 6

    def __init__(self, bench, kind, is_active):
        self.bench = bench
        self.folder = bench.case()
        self.fault = FAULTS[kind](bench, self.folder)
        self.is_active = is_active
        self.late, self.not_ran, self.errors, self.books = [], 0, [], []
        self.healed = None

    def write_jobs(self):
        """20 punctual commands; and two that wait for the disk each time."""
        jobs = {}
        for number in range(self.jobs_count):
            delivery = "at_least_once" if number % 2 else "best_effort"
            jobs[f"punctual-{number:02}"] = {
                "every": "1s", "run": ["/bin/true"], "delivery": delivery}
        for number in range(2):
            jobs[f"once-{number}"] = {
                "every": "1s", "run": ["/bin/true"], "delivery": "at_most_once"}
        # So that LD_PRELOAD reaches takt alone.
        write_jobs(self.folder, jobs, {"max_running": 64}, {"inherit_env": False})

    def measure(self):
        """Runs takt through the window, then lets it come to rest and looks at its books."""
        self.write_jobs()
        self.fault.prepare()
        try:
            daemon = Daemon(self.bench, self.folder, environment=self.fault.environment())
            daemon.wait_started()
            time.sleep(0.9)
            begin = time.time() * 1000
            self.stay(daemon)
            end = time.time() * 1000
            if self.is_active:
                self.fault.lift()
                self.wait_healed(daemon)
            daemon.stop()
            self.take(daemon, begin, end)
            self.check()
        finally:
            self.fault.clean()
        return self

    def stay(self, daemon):
        """The window."""
        if self.is_active:
            self.fault.begin()
        until = time.monotonic() + self.seconds - 1
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(1, left))
            if self.is_active and left > 1:
                self.fault.repeat()
        daemon.read()

    def wait_healed(self, daemon):
        """Waits until the ledger is written again, where it says that it could not be."""
        lifted = time.monotonic()
        while time.monotonic() < lifted + 10:
            daemon.read()
            failed = [n for n, text in enumerate(daemon.messages("ledger")) if "cannot be" in text]
            again = [n for n, text in enumerate(daemon.messages("ledger")) if "again" in text]
            if not failed or again and again[-1] > failed[-1]:
                self.healed = time.monotonic() - lifted
                return
            time.sleep(0.05)

    def take(self, daemon, begin, end):
        """How late the punctual ones were that came due in the window, and what takt said."""
        for line in daemon.lines:
            if line.get("event") != "slot" or not line["job"].startswith("punctual"):
                continue
            if line.get("verdict") != "ran":
                self.not_ran += line.get("count", 1)
            elif begin <= milliseconds(line["due"]) <= end:
                self.late.append(line["late_ms"])
        self.errors = daemon.messages("ledger", "error")

    def check(self):
        """The books balance, or say what is lost."""
        status, lines = verify(self.bench, self.folder / "state")
        self.books = lines[-2:]
        is_told = any(line.startswith("not kept:") for line in lines)
        if status != 0 and not (self.is_active and is_told):
            broken(f"verify exits with {status}: {' / '.join(lines[-3:])}")


def measure_fault(bench, kind):
    """Pairs of runs with and without one fault; prints what came of them."""
    pairs = []
    for _ in range(1 if QUICK else 5):
        without = FaultRun(bench, kind, False).measure()
        pairs.append((without, FaultRun(bench, kind, True).measure()))
    ratios = [p99(active.late) / p99(without.late) for without, active in pairs]
    medians = [statistics.median(p99(run.late) for run in column) for column in zip(*pairs)]
    median = statistics.median(ratios)
    say(
        f"{kind:10}  {' '.join(f'{ratio:5.2f}' for ratio in ratios)}  median {median:5.2f}  "
        f"p99 {medians[0]:6.2f} -> {medians[1]:6.2f} ms")
    tell_fault([active for _, active in pairs])
    return median


def tell_fault(runs):
    """What else is to be known of the runs with the fault."""
    healed = [run.healed for run in runs if run.healed is not None]
    counts = [len(run.late) for run in runs]
    say(
        f"            {min(counts)}-{max(counts)} slots a run, not ran: "
        f"{sum(run.not_ran for run in runs)}; errors logged a run: "
        f"{max(len(run.errors) for run in runs)}; well again after "
        + (f"{max(healed):.1f} s at most" if len(healed) == len(runs) else "more than 10 s"))
    for text in dict.fromkeys(re.sub(r"/\S+|\d+", "…", e) for run in runs for e in run.errors):
        say(f"            log: {text[:150]}")
    for text in dict.fromkeys(" / ".join(run.books) for run in runs):
        say(f"            books: {text}")


def faults(bench):
    """A bad disk keeps no job waiting, and the books say what was lost."""
    say("faults: p99 of how late 20 commands a second start, with the fault / without, by pairs")
    say("        bar: near 1, no slot is late because of it\n")
    for kind in FAULTS:
        measure_fault(bench, kind)


# MARK: Rate


class Usage:
    """What a process has used up to now."""

    def __init__(self, pid):
        self.at = time.monotonic()
        self.cpu = self.ticks(f"/proc/{pid}/stat")[1]
        self.threads = {}
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                name, cpu = self.ticks(task / "stat")
                self.threads[int(task.name)] = (name, cpu, self.written(task))

    @staticmethod
    def ticks(path):
        """Name, and seconds of CPU, of a process or a thread."""
        before, _, after = pathlib.Path(path).read_text().rpartition(")")
        fields = after.split()
        return before.partition("(")[2], (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    @staticmethod
    def written(task):
        """Bytes that a thread has given to write calls: by them the ledger's thread is known."""
        with contextlib.suppress(OSError):
            found = re.search(r"wchar: (\d+)", (task / "io").read_text())
            return int(found[1]) if found else 0
        return 0


class RateRun:
    """One takt with 1,000 runs a second."""

    jobs_count = 1000

    def __init__(self, bench, seconds, has_ledger):
        self.folder = bench.case()
        settings = {"history": {"max_runs": 1_000_000}}
        if not has_ledger:
            settings["state"] = "none"
        jobs = {
            f"j{number:03}": {
                "every": "1s", "first": f"{number + 1}ms", "use": "log",
                "with": {"message": "still here", "level": "debug"}}
            for number in range(self.jobs_count)}
        write_jobs(self.folder, jobs, settings)
        # No lines for runs: what is measured is not the log.
        daemon = Daemon(bench, self.folder, "--log-level", "notice")
        daemon.wait_started()
        self.first = Usage(daemon.process.pid)
        time.sleep(seconds)
        self.last = Usage(daemon.process.pid)
        daemon.stop()
        self.seconds = self.last.at - self.first.at
        self.cpu = self.last.cpu - self.first.cpu
        books = next(m for m in reversed(daemon.messages("scheduler")) if m.startswith("slots "))
        self.ran = int(re.search(r"ran (\d+)", books)[1])
        if has_ledger:
            self.take_ledger(bench)

    def take_ledger(self, bench):
        """What is in the books, and how large they are."""
        state = self.folder / "state"
        status, lines = verify(bench, state, "--json")
        answer = json.loads(lines[-1])
        if status != 0 or answer["verdicts"].get("ran") != self.ran:
            broken(f"verify exits with {status}, says {lines[-1][:300]}; takt said ran {self.ran}")
        self.bytes = sum(path.stat().st_size for path in state.glob("ledger.sqlite*"))

    @property
    def cpu_per_run_us(self):
        return self.cpu / self.ran * 1e6

    def tell_threads(self):
        """All threads with more than 1 % of a CPU."""
        for thread, (name, cpu, written) in self.last.threads.items():
            _, cpu_before, written_before = self.first.threads.get(thread, ("", 0, 0))
            share = (cpu - cpu_before) / self.seconds
            rate = (written - written_before) / self.seconds
            if share > 0.01:
                mark = "  <- writes the ledger" if rate > 50_000 else ""
                say(f"  thread {thread} ({name}): {share:6.1%} CPU, {rate / 1e6:.2f} MB/s{mark}")


def rate(bench):
    """What a thousand runs a second cost, with the ledger and without."""
    seconds, short, rounds = (5, 4, 1) if QUICK else (20, 8, 3)
    say(f"rate: 1,000 built-in runs a second, {seconds} s with the ledger, then "
        f"{rounds} x ({short} s with, {short} s without)")
    say("      bar: 1,000 a second reached; the cost is told\n")
    long = RateRun(bench, seconds, True)
    say(f"  {long.ran} runs in {long.seconds:.1f} s: {long.ran / long.seconds:.0f} a second; "
        f"CPU {long.cpu / long.seconds:.1%}; "
        f"{long.bytes / long.ran:.0f} bytes of database a run ({long.bytes / 1e6:.1f} MB)")
    long.tell_threads()
    pairs = [
        (RateRun(bench, short, True).cpu_per_run_us, RateRun(bench, short, False).cpu_per_run_us)
        for _ in range(rounds)]
    say("  CPU a run, with / without: "
        + ", ".join(f"{one:.0f} / {other:.0f} us" for one, other in pairs))
    one, other = (statistics.median(column) for column in zip(*pairs))
    with_ledger, without = zip(*pairs)
    figures.add("1,000 built-in runs per second: CPU per run with the ledger", "µs", with_ledger)
    figures.add("1,000 built-in runs per second: CPU per run without a ledger", "µs", without)
    say(f"  median: with {one:.0f} us, without {other:.0f} us, the ledger {one - other:.0f} us")


# MARK: Lookup


def fill(state, runs_count, jobs_count):
    """Puts runs into a ledger that a takt has made, as if its jobs had come due each minute until
    their first load. Indexes stay in place, so that they grow as they would have."""
    with database(state) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -200000")
        anchor, = db.execute("SELECT max(anchor) FROM jobs").fetchone()
        db.execute("BEGIN")
        per_job = runs_count // jobs_count
        for shift in range(0, runs_count, 500_000):
            batch = range(shift, min(shift + 500_000, runs_count))
            rows = [(n + 1, n % jobs_count + 1, anchor - (per_job - 1 - n // jobs_count) * 60_000)
                    for n in batch]
            insert(db, rows)
        db.execute("INSERT INTO outputs (run, at, head, tail, dropped) "
                   "SELECT run, ended_at, 'all is well\n', '', 0 FROM runs WHERE run > ?",
                   [runs_count - jobs_count])
        # From one minute before the first of them on, all slots are decided.
        db.execute("UPDATE jobs SET anchor = ?, clock_mark = ?",
                   [anchor - per_job * 60_000, anchor])
        db.execute("UPDATE schedules SET anchor = ?1, clock_from = ?1, wall_from = ?1, "
                   "began_at = ?1", [anchor - per_job * 60_000])
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def insert(db, rows):
    """Runs with their verdicts and attempts."""
    db.executemany(
        "INSERT INTO runs (run, job, slot, kind, delivery, began_at, attempts, outcome, reason, "
        "reason_number, ended_at, duration_us) VALUES (?1, ?2, ?3, 'slot', 'best_effort', ?3 + 1, 1, "
        "iif(?1 % 97, 'succeeded', 'failed'), 'exit', iif(?1 % 97, 0, 1), "
        "?3 + 40 + ?1 % 900, (39 + ?1 % 900) * 1000)", rows)
    db.executemany(
        "INSERT INTO verdicts (job, first, last, count, verdict, run, at) "
        "VALUES (?2, ?3, ?3, 1, 'ran', ?1, ?3 + 1)", rows)
    db.executemany(
        "INSERT INTO attempts (run, attempt, began_at, ended_at, outcome, reason, "
        "reason_number, pid, ticks_from, ticks_to) VALUES (?1, 1, ?3 + 1, ?3 + 40 + ?1 % 900, "
        "iif(?1 % 97, 'succeeded', 'failed'), 'exit', iif(?1 % 97, 0, 1), 1000 + ?1 % 30000 + 0 * ?2, ?3 / 10, ?3 / 10 + 1)",
        rows)


# What LedgerArchive.runs asks for one job.
LOOKUP = """
    SELECT runs.*, jobs.name AS name FROM runs JOIN jobs ON jobs.id = runs.job
    WHERE runs.job = ? AND kind <> 'hook' ORDER BY run DESC LIMIT 50
    """


def timed(action, count=20):
    """Milliseconds that an action takes, so many times."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        action()
        times.append((time.perf_counter() - begin) * 1000)
    return times


def lookup(bench):
    """How fast one job's runs are found among millions."""
    runs_count = 100_000 if QUICK else 1_000_000
    say(f"lookup: one job's last 50 runs among {runs_count:,} of 500 jobs")
    say("        bar: 20 ms\n")
    folder = bench.case()
    state = folder / "state"
    jobs = {f"j{n:03}": {"every": "1m", "use": "log", "with": {"message": "x"}} for n in range(500)}
    write_jobs(folder, jobs, {
        "history": {"max_runs": 1_000_000_000, "max_size": "100GB", "keep": "365d"}})
    daemon = Daemon(bench, folder)
    daemon.wait_started()
    time.sleep(2)
    daemon.stop()
    begin = time.monotonic()
    fill(state, runs_count, len(jobs))
    size = (state / "ledger.sqlite").stat().st_size
    say(f"  filled in {time.monotonic() - begin:.0f} s: {size / 1e6:.0f} MB, "
        f"{size / runs_count:.0f} bytes a run")
    look_up(bench, state, runs_count)
    verify_all(bench, state, runs_count)
    daemon = Daemon(bench, folder)
    say(f"  takt run on it: started after {daemon.wait_started() * 1000:.0f} ms")
    daemon.stop()


def look_up(bench, state, runs_count):
    """The query alone, and the commands."""
    with database(state) as db:
        number, = db.execute("SELECT id FROM jobs WHERE name = 'j250'").fetchone()
        rows = db.execute(LOOKUP, [number]).fetchall()
        if [row[0] for row in rows] != [
                run for run in range(runs_count, 0, -1) if run % 500 == number % 500][:50]:
            broken("the query does not give the newest 50 runs")
        times = timed(lambda: db.execute(LOOKUP, [number]).fetchall())
    say(f"  the query alone:        {spread(times)}")
    figures.add(f"a job's last 50 runs among {runs_count:,}: the query", "ms", times, at_most=20)
    own = range(number, runs_count + 1, 500)
    failed = sum(run % 97 == 0 for run in own)
    commands = [
        ("runs", "j250", "-n", "50"), ("runs", "j250", "-n", "50", "--failed"), ("runs",),
        ("runs", "--failed"), ("runs", "j250", "--since", "1h"), ("logs", "j250"), ("--version",)]
    for command in commands:
        options = [] if command == ("--version",) else ["--state", state]
        answer = bench.run(*command, *options)
        lines = len(answer.stdout.splitlines())
        if answer.returncode != 0 or command[:2] == ("runs", "j250") and "-n" in command \
                and lines != min(50, failed if "--failed" in command else len(own)) + 1:
            broken(f"takt {' '.join(command)} ended with {answer.returncode}, {lines} lines")
        times = timed(lambda: bench.run(*command, *options))
        say(f"  takt {' '.join(command):27} {spread(times)}")
        figures.add(f"takt {' '.join(command)} among {runs_count:,} runs", "ms", times)


def verify_all(bench, state, runs_count):
    """The whole ledger must balance, which shows that it was filled as takt would have."""
    begin = time.monotonic()
    status, lines = verify(bench, state)
    say(f"  takt verify: {time.monotonic() - begin:.1f} s, {' / '.join(lines[-2:])}")
    if status != 0 or not lines[-2].startswith(f"slots {runs_count} = ran {runs_count} "):
        broken(f"verify exits with {status}")


# MARK: Restart

INSTANTS = {
    "jobs": ["clock_label", "anchor", "clock_mark", "wall_mark", "delayed"],
    "schedules": [
        "anchor", "clock_from", "wall_from", "instants_from", "began_at", "clock_to", "wall_to",
        "ended_at"],
    "verdicts": ["first", "last", "at"],
    "runs": ["slot", "claimed_at", "began_at", "ended_at", "retry_at"],
    "attempts": ["began_at", "ended_at"],
    "daemons": ["up_at", "seen_at", "down_at"],
}
POLICIES = {"skip": 0, "last": 1, "all": 5}


def put_back(state, by):
    """Makes a ledger as old as if takt had stopped so many milliseconds earlier, on a machine that
    has been started anew since."""
    with database(state) as db:
        db.execute("BEGIN IMMEDIATE")
        for table, columns in INSTANTS.items():
            changes = ", ".join(f"{column} = {column} - {by}" for column in columns)
            db.execute(f"UPDATE {table} SET {changes}")
        db.execute("UPDATE daemons SET boot = 'other'")
        db.execute("COMMIT")
        return db.execute("SELECT max(id) FROM verdicts").fetchone()[0] or 0


def restart_jobs(count):
    """Minutely jobs of three policies; each tenth takes a while, so that `max_running` is met."""
    jobs = {}
    for number in range(count):
        policy = list(POLICIES)[number % 3]
        job = {"every": "1m", "use": "log", "with": {"message": "x", "level": "debug"}}
        if number % 10 == 5:
            job = {"every": "1m", "run": ["sleep", "0.3"]}
        if policy == "skip":
            job["missed"] = {"policy": "skip"}
        elif policy == "all":
            job["missed"] = {"policy": "all", "within": "5m"}
        jobs[f"{policy}-{number:05}"] = job
    return jobs


def wait_decided(daemon, state, count):
    """Seconds from the start of takt until all jobs have verdicts on what they missed: in the log,
    and in the ledger."""
    in_log, in_ledger, seen = None, None, set()
    place = 0
    end = daemon.began + 30
    while (in_log is None or in_ledger is None) and time.monotonic() < end:
        daemon.read()
        for line in daemon.lines[place:]:
            if line.get("event") == "slot" and line.get("verdict") == "missed":
                seen.add(line["job"])
        place = len(daemon.lines)
        if in_log is None and len(seen) == count:
            in_log = time.monotonic() - daemon.began
        if in_ledger is None:
            with contextlib.suppress(sqlite3.OperationalError), database(state) as db:
                found, = db.execute(
                    "SELECT count(DISTINCT job) FROM verdicts WHERE verdict = 'missed'").fetchone()
                if found == count:
                    in_ledger = time.monotonic() - daemon.began
        time.sleep(0.02)
    return in_log, in_ledger


def check_verdicts(state, last_verdict):
    """Holds what each job has against what its policy asks for."""
    with database(state) as db:
        # The moment at which they were decided, which is the reading of all their clocks.
        now, = db.execute(
            "SELECT min(at) FROM verdicts WHERE id > ? AND verdict = 'missed'",
            [last_verdict]).fetchone()
        verdicts = collections.defaultdict(collections.Counter)
        for name, verdict, count in db.execute(
                "SELECT name, verdict, sum(count) FROM verdicts JOIN jobs ON jobs.id = job "
                "WHERE last <= ? GROUP BY job, verdict", [now]):
            verdicts[name][verdict] += count
        for name, count in db.execute(
                "SELECT name, count(*) FROM pending JOIN jobs ON jobs.id = job GROUP BY job"):
            verdicts[name]["pending"] += count
        anchors = db.execute(
            "SELECT name, jobs.anchor, clock_from FROM jobs "
            "JOIN schedules ON schedules.job = jobs.id").fetchall()
    totals = {policy: collections.Counter() for policy in POLICIES}
    wrong = []
    for name, anchor, begin in anchors:
        policy = name.split("-")[0]
        expected = expectation(policy, anchor, begin, now)
        found = verdicts[name]
        totals[policy].update(found)
        late = sum(found.values()) - found["missed"]
        if (found["missed"], late) != expected:
            wrong.append(f"{name}: {dict(found)}, expected missed, late: {expected}")
    if wrong:
        broken(f"{len(wrong)} jobs have other verdicts, such as {wrong[0]}")
    for policy, found in totals.items():
        say(f"  {policy:5} {', '.join(f'{k} {v:,}' for k, v in sorted(found.items()))}")


def expectation(policy, anchor, begin, now):
    """How many slots of a minutely job are missed, and how many run late."""
    interval, within = 60_000, 300_000 if policy == "all" else 60_000
    newest = (now - anchor) // interval
    all_count = newest - (begin - anchor) // interval
    young = sum(
        1 for k in range(max(0, newest - 10), newest + 1) if anchor + k * interval >= now - within)
    late = min(young, POLICIES[policy])
    return all_count - late, late


def most_at_once(lines):
    """The most runs that were in progress at one time, how many have begun, and how many at most
    within a second of the clock."""
    active, most, seconds = set(), 0, collections.Counter()
    for line in lines:
        if line.get("event") != "run" or "to" not in line:
            continue
        if line["to"] == "running":
            seconds[line["ts"][:19]] += line["from"] == "queued"
            active.add(line["machine"])
        elif line["to"] in ("ended", "backing_off", "queued"):
            active.discard(line["machine"])
        most = max(most, len(active))
    return most, seconds.total(), max(seconds.values(), default=0)


def restart(bench):
    """A week without takt, and what it does when it comes back."""
    count, limit, after = (1000 if QUICK else 10_000), 8, (5 if QUICK else 10)
    say(f"restart: {count:,} minutely jobs after a week, max_running {limit}, every tenth run "
        "takes 0.3 s")
    say("         bar: all verdicts within 3 s, never more runs than max_running\n")
    folder = bench.case()
    state = folder / "state"
    write_jobs(folder, restart_jobs(count), {"max_running": limit})
    daemon = Daemon(bench, folder)
    daemon.wait_started()
    time.sleep(3)
    daemon.stop()
    last_verdict = put_back(state, WEEK_MS)
    daemon = Daemon(bench, folder)
    started = daemon.wait_started()
    in_log, in_ledger = wait_decided(daemon, state, count)
    say("  since exec: " + ", ".join(
        f"{what} {seconds:.2f} s" if seconds is not None else f"{what} never"
        for what, seconds in [
            ("started", started), ("all in the log", in_log), ("all in the ledger", in_ledger)]))
    if in_ledger is not None:
        figures.add(
            f"{count:,} jobs after a week: all verdicts in the ledger", "s", [in_ledger], at_most=3)
    else:
        broken("jobs have no verdicts on what they missed after 30 s")
    time.sleep(after)
    daemon.stop()
    most, began, in_a_second = most_at_once(daemon.lines)
    dropped = [m for m in daemon.messages("scheduler", "warning") if "drop" in m]
    say(f"  in {after} s: {began:,} runs begun, {in_a_second} in a second at most, at most {most} at "
        "once"
        + (f"; log: {dropped}" if dropped else ""))
    if most > limit:
        broken(f"{most} runs at once, max_running is {limit}")
    check_verdicts(state, last_verdict)
    status, lines = verify(bench, state, "--log", daemon.path)
    say(f"  verify: {' / '.join(lines[-3:])}")
    if status != 0:
        broken(f"verify exits with {status}: {' / '.join(lines[:3])}")


# MARK: The program

PARTS = {"faults": faults, "rate": rate, "lookup": lookup, "restart": restart}


def main(arguments):
    """Does the parts that are asked for."""
    figures.path = take_option(arguments, "--json")
    if not arguments or any(part not in PARTS for part in arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 64
    # So that a stopped benchmark cleans up as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bench = Bench(arguments[0])
    for part in arguments[1:] or PARTS:
        try:
            PARTS[part](bench)
        except Exception as error:  # The other parts have something to say all the same.
            broken(f"{part}: {type(error).__name__}: {error}")
        say()
    figures.write()
    for problem in problems:
        say(f"WRONG: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
