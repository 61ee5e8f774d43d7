"""supercronic, from $SUPERCRONIC or PATH."""

import os
import shutil
import signal
import subprocess

from daemon import Daemon
from schedulers.scheduler import Scheduler


class Supercronic(Scheduler):
    """A cron for containers, in Go."""

    name = "supercronic"
    workloads = Scheduler.workloads | {"reload"}
    reload_signal = signal.SIGUSR2
    can_be_quiet = True

    def __init__(self):
        self.program = os.environ.get("SUPERCRONIC") or shutil.which("supercronic")

    def absent(self):
        return None if self.program else "neither in PATH nor named by $SUPERCRONIC"

    def version(self):
        answer = subprocess.run([self.program, "-version"], capture_output=True, text=True)
        return (answer.stdout or answer.stderr).strip().split("\n")[-1]

    def write(self, folder, jobs, concurrency=None):
        lines = [" ".join([*job.when.cron_fields, "*", job.command]) for job in jobs]
        (folder / "crontab").write_text("\n".join(lines) + "\n")

    def launch(self, folder):
        return Daemon([self.program, "-json", "crontab"], folder)

    def launch_quietly(self, folder):
        return Daemon([self.program, "-quiet", "crontab"], folder)
