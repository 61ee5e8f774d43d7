"""A systemd user manager in its own control group."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

from daemon import Daemon
from schedulers.scheduler import Scheduler

HIERARCHIES = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"]
# A user manager checks for this folder and refuses to start without it; where systemd is not the init
# system, a mount namespace provides the folder.
BOOTED = "/run/systemd/system"
START = 'mkdir -p "$1/systemd/system" && mount --bind "$1" /run && exec "$2" --user'
PROGRAMS = ["/usr/lib/systemd/systemd", "/lib/systemd/systemd"]
TIMER = """[Timer]
OnCalendar={when} UTC
AccuracySec=1us
"""
SERVICE = """[Unit]
StartLimitIntervalSec=0
[Service]
Type=oneshot
ExecStart=/bin/sh -c "{command}"
StandardOutput=null
StandardError=null
"""


class Systemd(Scheduler):
    """`systemd --user` with a timer and a service for each job."""

    name = "systemd --user"
    most_idle_jobs = 10_000
    most_turns = 2
    storm_lead = 8

    def __init__(self):
        self.program = next((path for path in PROGRAMS if os.path.exists(path)), None)

    def absent(self):
        if not self.program:
            return "not installed"
        if os.geteuid() != 0:
            return "needs root"
        return None if self.groups() else "no writable control group"

    @staticmethod
    def groups():
        """The writable hierarchies."""
        return [
            pathlib.Path(folder) for folder in HIERARCHIES
            if os.path.exists(f"{folder}/cgroup.procs") and os.access(folder, os.W_OK)]

    def version(self):
        answer = subprocess.run([self.program, "--version"], capture_output=True, text=True)
        return answer.stdout.split("\n")[0].removeprefix("systemd ")

    def write(self, folder, jobs, concurrency=None):
        units = folder / "config/systemd/user"
        wanted = units / "default.target.wants"
        wanted.mkdir(parents=True, exist_ok=True)
        (folder / "runtime").mkdir(mode=0o700, exist_ok=True)
        (units / "default.target").write_text("[Unit]\nDescription=The jobs\n")
        for job in jobs:
            second, minute, hour, day, month, _ = job.when.cron_fields
            when = f"*-{month}-{day} {hour}:{minute}:{second}"
            (units / f"{job.name}.timer").write_text(TIMER.format(when=when))
            (units / f"{job.name}.service").write_text(SERVICE.format(command=job.command))
            link = wanted / f"{job.name}.timer"
            if not link.is_symlink():
                link.symlink_to(units / f"{job.name}.timer")

    def launch(self, folder):
        groups = [group / f"takt-bench-{os.getpid()}" for group in self.groups()]
        for group in groups:
            group.mkdir(exist_ok=True)

        def enter():
            for group in groups:
                (group / "cgroup.procs").write_text(str(os.getpid()))

        command = [self.program, "--user"]
        if not os.path.isdir(BOOTED):
            command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", START, "sh",
                       folder / "run", self.program]
        return Daemon(
            command, folder, prepare=enter, clean=lambda: remove(groups),
            environment={"XDG_RUNTIME_DIR": str(folder / "runtime"), "HOME": str(folder),
                         "XDG_CONFIG_HOME": str(folder / "config"), "DBUS_SESSION_BUS_ADDRESS": ""})


def remove(groups):
    """Kills the processes in the groups and removes the groups."""
    for group in groups:
        folders = [pathlib.Path(place) for place, _, _ in os.walk(group, topdown=False)]
        for folder in folders:
            with contextlib.suppress(OSError):
                for pid in (folder / "cgroup.procs").read_text().split():
                    os.kill(int(pid), signal.SIGKILL)
    time.sleep(0.1)
    for group in groups:
        for place, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(place)
