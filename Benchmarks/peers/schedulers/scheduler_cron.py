"""Debian's cron, with its own crontab in its own mount namespace."""

import os
import shutil
import subprocess

from daemon import Daemon
from schedulers.scheduler import Scheduler

# Hides the machine's crontabs, so that none of their jobs runs twice.
START = """
mount --bind "$1/spool" /var/spool && mount --bind "$1/run" /run || exit
[ ! -d /etc/cron.d ] || mount --bind "$1/run" /etc/cron.d || exit
[ ! -f /etc/crontab ] || mount --bind "$1/empty" /etc/crontab || exit
exec cron -f
"""


class Cron(Scheduler):
    """Its schedules have no seconds, so only idle jobs are measured."""

    name = "Debian's cron"
    workloads = frozenset({"idle"})
    # It refuses longer crontabs.
    most_idle_jobs = 10_000

    def absent(self):
        if not shutil.which("cron"):
            return "not installed"
        return None if os.geteuid() == 0 else "needs root"

    def version(self):
        answer = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", "cron"], capture_output=True, text=True)
        return answer.stdout

    def write(self, folder, jobs, concurrency=None):
        for name in ["spool/cron/crontabs", "run"]:
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "empty").touch()
        lines = [" ".join([*job.when.cron_fields[1:], job.command]) for job in jobs]
        crontab = folder / "spool/cron/crontabs/root"
        crontab.write_text("\n".join(lines) + "\n")
        crontab.chmod(0o600)

    def launch(self, folder):
        return Daemon(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", START, "sh", folder],
            folder)
