"""Measures the control of a takt with 10,000 jobs: commands, figures, the page, and readers.

    control_bench.py TAKT [--quick] [--json FILE]

What is asked: `takt status` in 40 ms; `status JOB`, `why`, `plan` and `runs --stats` in 100 ms, over a
ledger of 200,000 runs; `/metrics` in 50 ms, a first paint of the page within 1 s and no task of its over
200 ms; with 200 readers of events, one of them stalled, no slot late, and the memory bounded.
"""

import contextlib
import json
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from common.figures import Figures, take_option  # noqa: E402
from common.stopping import stop_once  # noqa: E402

JOBS = 10_000
PUNCTUAL = 20
RUNS_PER_JOB = 20
READERS = 200
SECONDS = 8
# The title of its figure, the command, and its bar in ms.
COMMANDS = [
    ("takt status with the HTTP API on", ["status"], 40),
    ("takt status JOB", ["status", "job05000"], 100),
    ("takt why JOB", ["why", "job05000"], 100),
    ("takt why JOB --at (a slot to come)", ["why", "job05000", "--at", "tomorrow 06:00"], 100),
    ("takt plan", ["plan"], 100),
    ("takt runs --stats", ["runs", "--stats"], 100),
    ("takt runs", ["runs"], 100),
]
DRIVER = pathlib.Path(__file__).resolve().parents[2] / "Tests/page/drive.py"


class Takt:
    """A takt that runs in a folder of its own."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = tempfile.mkdtemp(prefix="takt-control-")
        path = pathlib.Path(self.folder)
        jobs = [f"  job{n:05}: {{every: 1h, leeway: 5m, spread: 30m, run: 'true'}}" for n in range(JOBS)]
        jobs += [f"  beat{n:02}: {{every: 200ms, use: log, with: {{message: x}}}}" for n in range(PUNCTUAL)]
        (path / "jobs.yaml").write_text(
            "scheduler: {http: {listen: 0}, shutdown_grace: 1s}\njobs:\n" + "\n".join(jobs) + "\n")
        self._fill_ledger()
        self.process = subprocess.Popen(
            [self.program, "run", "--log-format", "json"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.latenesses = []
        self.verdicts = set()
        self.address = None
        self.ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        self.ready.wait(60)
        self.token = (path / ".takt/token").read_text().strip()

    def _fill_ledger(self):
        """Gives each job a past: runs an hour apart, one of seven of them failed."""
        first = subprocess.Popen(
            [self.program, "run", "--log-format", "json"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        for line in first.stdout:
            if b'"job":"beat' in line and b'"verdict"' in line:
                break
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=60)
        hour = 3_600_000
        now = int(time.time() * 1000)
        with contextlib.closing(
                sqlite3.connect(pathlib.Path(self.folder) / ".takt/ledger.sqlite")) as ledger, ledger:
            run = ledger.execute("SELECT coalesce(max(run), 0) FROM runs").fetchone()[0]
            jobs = ledger.execute(
                "SELECT id FROM jobs WHERE name LIKE 'job%' ORDER BY id").fetchall()
            for age in range(RUNS_PER_JOB, 0, -1):
                for (job,) in jobs:
                    run += 1
                    slot = now - age * hour - job
                    failed = run % 7 == 0
                    outcome = ("failed", "exit", 1) if failed else ("succeeded", "exit", 0)
                    ledger.execute(
                        "INSERT INTO runs (run, job, slot, kind, delivery, claimed_at, began_at, attempts,"
                        " outcome, reason, reason_number, ended_at, duration_us, late_us)"
                        " VALUES (?, ?, ?, 'slot', 'at_most_once', ?, ?, 1, ?, ?, ?, ?, ?, ?)",
                        (run, job, slot, slot, slot + 1, *outcome, slot + 50 + run % 400,
                         50_000 + run * 37 % 400_000, 1000 + run % 900))
                    ledger.execute(
                        "INSERT INTO verdicts (job, first, last, count, verdict, run, at)"
                        " VALUES (?, ?, ?, 1, 'ran', ?, ?)", (job, slot, slot, run, slot))
        self.runs = run

    def _read(self):
        for line in self.process.stdout:
            if b"the web page is at" in line:
                self.address = re.search(rb"http://(\S+?)\"", line).group(1).decode()
            if b'"job":"beat' in line and b'"verdict"' in line:
                event = json.loads(line)
                self.verdicts.add(event["verdict"])
                if "late_ms" in event:
                    self.latenesses.append(event["late_ms"])
            if self.address and self.latenesses:
                self.ready.set()

    def get(self, target, accept="application/json"):
        """The bytes of an answer, and how long it took."""
        begin = time.monotonic()
        stream = self.connect()
        stream.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {self.address}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Accept: {accept}\r\nConnection: close\r\n\r\n".encode())
        stream.shutdown(socket.SHUT_WR)
        answer = b""
        while part := stream.recv(1 << 20):
            answer += part
        stream.close()
        return answer, time.monotonic() - begin

    def time(self, arguments):
        """How many ms a command takes, seven times."""
        times = []
        for _ in range(7):
            begin = time.monotonic()
            answer = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True)
            times.append((time.monotonic() - begin) * 1000)
            if answer.returncode:
                sys.exit(f"takt {' '.join(arguments)}: exit {answer.returncode}: {answer.stderr.decode()}")
        return times

    def connect(self):
        host, port = self.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=30)

    def memory(self):
        """Resident memory in MB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024

    def measure(self, seconds):
        """How late the punctual jobs are for a while: median, 99th percentile and maximum in ms."""
        self.latenesses.clear()
        self.verdicts.clear()
        time.sleep(seconds)
        found = sorted(self.latenesses)
        return (statistics.median(found), found[int(len(found) * 0.99)], found[-1], len(found),
                sorted(self.verdicts))

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        shutil.rmtree(self.folder)


def readers(takt):
    """Readers of events, all but the first of which read."""
    streams = []
    for _ in range(READERS):
        stream = takt.connect()
        stream.sendall(
            f"GET /api/v1/events HTTP/1.1\r\nHost: {takt.address}\r\n"
            f"Authorization: Bearer {takt.token}\r\n\r\n".encode())
        streams.append(stream)
    counts = [0] * READERS

    def drain(index):
        try:
            while part := streams[index].recv(1 << 16):
                counts[index] += part.count(b"\nid: ")
        except OSError:
            pass

    for index in range(1, READERS):
        threading.Thread(target=drain, args=(index,), daemon=True).start()
    return streams, counts


def report(figures, words, measured):
    median, p99, most, count, verdicts = measured
    figures.add(f"built-in jobs: lateness p50 {words}", "ms", [median])
    figures.add(f"built-in jobs: lateness p99 {words}", "ms", [p99])
    print(f"{words}: {count} slots, late by {median:.2f} ms in the median, {p99:.2f} ms at the 99th "
          f"percentile, {most:.2f} ms at most; verdicts: {', '.join(verdicts)}")


def main(options):
    figures = Figures(take_option(options, "--json"))
    seconds = 2 if "--quick" in options else SECONDS
    stop_once()
    takt = Takt(options[0])
    try:
        print(f"{JOBS} jobs, {takt.runs} runs in the ledger; each command is a whole program")
        for title, arguments, bar in COMMANDS:
            times = takt.time(arguments)
            print(f"takt {' '.join(arguments)}: median {statistics.median(times):.0f} ms, "
                  f"max {max(times):.0f} ms (bar {bar} ms)")
            figures.add(title, "ms", times, size=JOBS)
        for target in ["/metrics", "/api/v1/jobs?limit=100000", "/api/v1/status"]:
            answers = [takt.get(target) for _ in range(20)]
            times = [seconds for _, seconds in answers]
            bar = " (bar 50 ms)" if target == "/metrics" else ""
            print(f"GET {target}, {len(answers[0][0]) / 1000:.0f} kB: median "
                  f"{statistics.median(times) * 1000:.1f} ms, max {max(times) * 1000:.1f} ms{bar}")
            figures.add(f"GET {target}", "ms", [time * 1000 for time in times], size=JOBS)
        if shutil.which("chromedriver"):
            page = subprocess.run(
                [sys.executable, DRIVER, f"http://{takt.address}", takt.token, "large"],
                capture_output=True, text=True)
            print(f"the page: {page.stdout.strip() or page.stderr.strip()}")
        report(figures, "without readers", takt.measure(seconds))
        before = takt.memory()
        streams, counts = readers(takt)
        report(figures, f"with {READERS} readers, one of them stalled", takt.measure(seconds))
        print(f"events read by each of the others: {min(counts[1:])} to {max(counts)}; "
              f"memory {before:.0f} MB before, {takt.memory():.0f} MB with them")
        for stream in streams:
            stream.close()
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                takt.get("/api/v1/jobs?limit=100000")

        thread = threading.Thread(target=ask)
        thread.start()
        report(figures, "while all jobs are asked for again and again", takt.measure(seconds))
        stop.set()
        thread.join()
    finally:
        takt.close()
    figures.write()


if __name__ == "__main__":
    main(sys.argv[1:])
