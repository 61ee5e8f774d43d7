"""cronstable from PyPI."""

import pathlib
import signal
import subprocess

from daemon import Daemon
from schedulers.scheduler import Scheduler


class Cronstable(Scheduler):
    """A cron in Python, with jobs in YAML."""

    name = "cronstable"
    workloads = Scheduler.workloads | {"reload"}
    most_idle_jobs = 10_000
    most_turns = 2
    storm_lead = 8
    reload_signal = signal.SIGHUP

    def __init__(self, python):
        self.program = pathlib.Path(python).with_name("cronstable")

    def absent(self):
        return None if self.program.exists() else "not installed from PyPI"

    def version(self):
        answer = subprocess.run([self.program, "--version"], capture_output=True, text=True)
        return answer.stdout.split()[-1]

    def write(self, folder, jobs, concurrency=None):
        lines = ["jobs:"]
        for job in jobs:
            fields = " ".join([*job.when.cron_fields, "*"])
            lines += [
                f"  - name: {job.name}", f"    command: {job.command}", f'    schedule: "{fields}"']
        (folder / "cronstable.yaml").write_text("\n".join(lines) + "\n")

    def launch(self, folder):
        return Daemon([self.program, "-c", "cronstable.yaml"], folder)
