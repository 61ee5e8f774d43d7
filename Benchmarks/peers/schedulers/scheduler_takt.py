"""takt, with its ledger and a JSON log, or with neither; other settings are defaults."""

import signal
import subprocess

from daemon import Daemon
from schedulers.scheduler import Scheduler


class Takt(Scheduler):
    """The program under test."""

    name = "takt"
    workloads = Scheduler.workloads | {"reload"}
    most_idle_jobs = 1_000_000
    reload_signal = signal.SIGHUP
    can_be_quiet = True

    def __init__(self, program):
        self.program = program

    def version(self):
        return subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout.strip()

    def write(self, folder, jobs, concurrency=None):
        limit = f", max_running: {concurrency}" if concurrency else ""
        lines = [f"scheduler: {{state: state, timezone: UTC{limit}}}", "jobs:"]
        lines += [
            f'  {job.name}: {{cron: "{" ".join(job.when.cron_fields)}", run: "{job.command}"}}'
            for job in jobs]
        (folder / "jobs.yaml").write_text("\n".join(lines) + "\n")

    def launch(self, folder):
        return Daemon(
            [self.program, "run", "jobs.yaml", "--log-format", "json"], folder,
            ready=b'"message":"started;')

    def launch_quietly(self, folder):
        jobs = folder / "jobs.yaml"
        jobs.write_text(jobs.read_text().replace("state: state", "state: none", 1))
        return Daemon([self.program, "run", "jobs.yaml", "--log-level", "error"], folder)
