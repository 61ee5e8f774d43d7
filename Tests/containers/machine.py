"""A daemon of takt with its jobs file, and what it says of its runs."""

import datetime
import json
import os
import pathlib
import signal
import subprocess
import time

from podman import until


class Machine:
    def __init__(self, takt, folder, jobs, variables=()):
        self.environment = dict(os.environ, **dict(variables))
        self.takt, self.folder = os.path.abspath(takt), pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "state").mkdir(mode=0o700)
        self.jobs = self.folder / "jobs.yaml"
        self.jobs.write_text(jobs.replace("STATE", f"{self.folder}/state"))
        self.log = self.folder / "log"
        self.daemon = None

    def start(self):
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(
                [self.takt, "run", self.jobs], cwd=self.folder, stdout=log, stderr=log,
                env=self.environment)
        until("takt answers", lambda: self.call("status").returncode == 0)

    def kill(self):
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()

    def stop(self):
        """Ends the daemon as an operator does, and returns the seconds that it took."""
        start = time.monotonic()
        self.daemon.terminate()
        assert self.daemon.wait(timeout=300) == 0, "the daemon failed at its end"
        return time.monotonic() - start

    def call(self, *words):
        return subprocess.run(
            [self.takt, words[0], "-f", self.jobs, *words[1:]], cwd=self.folder,
            capture_output=True, text=True)

    def runs(self, job, count=1000):
        """The runs of a job, newest first."""
        said = self.call("runs", job, "--json", "-n", str(count)).stdout
        return [json.loads(line) for line in said.splitlines()]

    def last(self, job):
        return next(iter(self.runs(job, 1)), {})

    def outcome(self, job):
        """How the last run of a job ended, `failed exit(7)`; empty while it is active."""
        run = self.last(job)
        return f"{run['outcome']} {run['reason']}" if run.get("outcome") else ""

    def has_logged(self, words):
        return words in self.log.read_text()

    def is_in_order(self):
        return self.call("verify").returncode == 0


def seconds(instant):
    return datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


def lateness(run):
    return seconds(run["began"]) - seconds(run["slot"])
