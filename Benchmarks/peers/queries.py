"""Times of `takt status` and `/metrics`, and the lateness of slots meanwhile."""

import json
import pathlib
import socket
import statistics
import subprocess
import time

from job import idle_jobs
from percentile import percentile

PUNCTUAL = 20
LIMIT = 120
STATUS_BOUNDS = {10_000: 40, 100_000: 250}
METRICS_BOUNDS = {100_000: 50}
START_BOUND = 5
STARTS = 36


def write(takt, folder, size):
    """Writes idle jobs, and some that are due five times per second."""
    takt.write(folder, idle_jobs(size))
    with open(folder / "jobs.yaml", "a") as file:
        for number in range(PUNCTUAL):
            file.write(f"  beat{number:02}: {{every: 200ms, use: log, with: {{message: x}}}}\n")


def get_metrics(folder):
    """Sends `GET /metrics` to the control socket and reads the answer."""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(str(folder / "state/control.sock"))
        stream.sendall(b"GET /metrics HTTP/1.1\r\nHost: takt\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := stream.recv(1 << 20):
            answer += part
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"/metrics: {answer[:200]}")


def get_status(takt, folder):
    """Runs `takt status`."""
    subprocess.run([takt.program, "status"], cwd=folder, stdout=subprocess.DEVNULL, check=True)


def timed(action, count):
    """The time of each call in ms, after one call that does not count."""
    action()
    times = []
    for _ in range(count):
        begin = time.monotonic()
        action()
        times.append((time.monotonic() - begin) * 1000)
    return times


def lateness(log, place):
    """Lateness in ms of the frequent jobs, read from an offset of the log."""
    with open(log, "rb") as file:
        file.seek(place)
        lines = [json.loads(line) for line in file
                 if b'"job":"beat' in line and b'"late_ms"' in line and line.endswith(b"\n")]
    return [line["late_ms"] for line in lines if line.get("verdict") == "ran"]


def measure(takt, tools, figures, size, repetitions, seconds):
    """Measures a daemon with `size` idle jobs."""
    with tools.case() as name:
        folder = pathlib.Path(name)
        write(takt, folder, size)
        with takt.launch(folder) as daemon:
            end = time.monotonic() + LIMIT
            while not daemon.has_logged(daemon.ready):
                daemon.check(end)
                time.sleep(0.1)
            time.sleep(2)
            place = daemon.log.stat().st_size
            time.sleep(seconds)
            quiet = lateness(daemon.log, place)
            place = daemon.log.stat().st_size
            status = timed(lambda: get_status(takt, folder), repetitions)
            metrics = timed(lambda: get_metrics(folder), repetitions)
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                get_status(takt, folder)
                get_metrics(folder)
            asked = lateness(daemon.log, place)
    figures.add("takt status", "ms", status, size=size, at_most=STATUS_BOUNDS.get(size))
    figures.add("/metrics", "ms", metrics, size=size, at_most=METRICS_BOUNDS.get(size))
    for words, values in [("without queries", quiet), ("during queries", asked)]:
        title = f"built-in jobs: lateness p99 {words}"
        figures.add(title, "ms", [percentile(values, 99)], size=size)
    print(f"  {size:>9,} jobs: takt status {statistics.median(status):.1f} ms, /metrics "
          f"{statistics.median(metrics):.1f} ms; slots late by {percentile(quiet, 99):.2f} ms at p99 "
          f"without queries, {percentile(asked, 99):.2f} ms during them", flush=True)


def run(takt, tools, figures, *, sizes, seconds):
    """Measures each number of jobs; `sizes` maps it to a number of repetitions."""
    print("\n## Queries\n")
    start = timed(
        lambda: subprocess.run([takt.program, "--version"], stdout=subprocess.DEVNULL), STARTS)
    print(f"  takt --version: {statistics.median(start):.1f} ms")
    figures.add("takt --version", "ms", start, at_most=START_BOUND)
    for size, repetitions in sizes.items():
        measure(takt, tools, figures, size, repetitions, seconds)
