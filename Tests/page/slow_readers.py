#!/usr/bin/env python3
"""Measures how late a job of every 200 ms starts beside readers of the page that are slow.

    slow_readers.py TAKT [--seconds 20] [--jobs 10000] [--readers 4]

takt runs the job beside many others that are never due. In turn: nobody reads; readers of the event
stream take nothing; readers take the list of all jobs byte by byte; readers take a run's endless output
slowly. For each, the lateness of the slots that started meanwhile, as the log says it, is printed as a
row. There is no limit: PageReaderTests asserts that no slot is passed over.
"""
import argparse
import json
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time

JOBS = """scheduler: {{http: {{listen: 0}}, shutdown_grace: 1s}}
defaults: {{output: {{log: false}}}}
jobs:
  beat: {{every: 200ms, overlap: allow, run: ['/bin/true']}}
  flood: {{cron: '@yearly', run: 'yes "a line of output"'}}
{rest}
"""


class Log(threading.Thread):
    """The lines of takt's log, as they come."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.port, self.lateness = stream, None, []
        self.started = threading.Event()

    def run(self):
        for line in self.stream:
            record = json.loads(line)
            message = record.get("message", "")
            if message.startswith("the web page is at "):
                self.port = int(message.rstrip("/").rsplit(":", 1)[1])
            if message.startswith("started;"):
                self.started.set()
            if record.get("event") == "slot" and record.get("job") == "beat":
                self.lateness.append((record["verdict"], record.get("late_ms")))


class Reader(threading.Thread):
    """A client that reads an answer slowly, over and over."""

    def __init__(self, port, token, target, pause):
        super().__init__(daemon=True)
        self.place, self.pause, self.count = ("127.0.0.1", port), pause, 0
        self.request = (f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n").encode()
        self.over = threading.Event()

    def run(self):
        while not self.over.is_set():
            with socket.socket() as connection:
                # As little as the system allows waits on this side.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(self.place)
                connection.sendall(self.request)
                while not self.over.wait(self.pause or 0.5):
                    if self.pause is None:
                        continue
                    if not connection.recv(1):
                        break
                    self.count += 1


def post(port, token, target):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall((f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
                            "Content-Length: 0\r\nConnection: close\r\n\r\n").encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def phase(name, log, readers, seconds):
    """One row: what became of the slots while these readers read."""
    for reader in readers:
        reader.start()
    time.sleep(1)
    first = len(log.lateness)
    time.sleep(seconds)
    slots = log.lateness[first:]
    for reader in readers:
        reader.over.set()
    for reader in readers:
        reader.join()
    late = sorted(ms for verdict, ms in slots if verdict == "ran")
    at = lambda share: late[min(int(share * len(late)), len(late) - 1)]
    print(f"{name:34} {len(slots):6} {len(slots) - len(late):8} {at(0.5):9.2f} {at(0.99):9.2f} {late[-1]:9.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("takt")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--readers", type=int, default=4)
    wanted = parser.parse_args()
    rest = "\n".join(f"  idle-{number:05}: {{cron: '@yearly', run: 'true'}}" for number in range(wanted.jobs))
    with tempfile.TemporaryDirectory(prefix="takt-readers-") as place:
        folder = pathlib.Path(place)
        (folder / "jobs.yaml").write_text(JOBS.format(rest=rest))
        takt = subprocess.Popen(
            [str(pathlib.Path(wanted.takt).resolve()), "run", "--log-format", "json"], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            log = Log(takt.stdout)
            log.start()
            assert log.started.wait(120), "takt does not start"
            token = (folder / ".takt/token").read_text().strip()
            make = lambda target, pause: [
                Reader(log.port, token, target, pause) for _ in range(wanted.readers)]
            print(f"{'readers':34} {'slots':>6} {'not run':>8} {'median ms':>9} {'99 % ms':>9} {'worst ms':>9}")
            phase("none", log, [], wanted.seconds)
            phase("events, nothing taken", log, make("/api/v1/events?after=0", None), wanted.seconds)
            phase("all jobs, byte by byte", log, make("/api/v1/jobs?limit=100000&durations=true", 0.01), wanted.seconds)
            run = post(log.port, token, "/api/v1/jobs/flood/trigger")["run"]
            phase("none, beside an endless output", log, [], wanted.seconds)
            phase("that output, byte by byte", log, make(f"/api/v1/runs/{run}/output?follow=true", 0.01), wanted.seconds)
        finally:
            takt.send_signal(signal.SIGTERM)
            takt.wait(30)


if __name__ == "__main__":
    main()
