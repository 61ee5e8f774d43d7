"""APScheduler from PyPI, with jobs in memory and a thread pool."""

import json
import pathlib
import subprocess

from daemon import Daemon
from schedulers.scheduler import Scheduler

PROGRAM = pathlib.Path(__file__).with_name("apscheduler_program.py")


class APScheduler(Scheduler):
    """A Python library, in a minimal program that runs commands."""

    name = "APScheduler"

    def __init__(self, python):
        self.python = python

    def absent(self):
        answer = subprocess.run([self.python, "-c", "import apscheduler"], capture_output=True)
        return "not installed from PyPI" if answer.returncode else None

    def version(self):
        code = "import importlib.metadata as m; print(m.version('apscheduler'))"
        return subprocess.run([self.python, "-c", code], capture_output=True, text=True).stdout.strip()

    def write(self, folder, jobs, concurrency=None):
        rows = [[job.name, job.command, job.when.cron_fields] for job in jobs]
        # With the default of ten threads, half of twenty jobs would wait.
        (folder / "jobs.json").write_text(json.dumps({"threads": concurrency or 20, "jobs": rows}))

    def launch(self, folder):
        return Daemon([self.python, PROGRAM, "jobs.json"], folder, ready=b"loaded")
