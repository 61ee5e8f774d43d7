"""A scheduler process: start, log, CPU time, memory, stop."""

import ctypes
import os
import pathlib
import re
import signal
import subprocess
import time


class NotReady(Exception):
    """A scheduler ended, or did not load its jobs in time."""


def end_with_parent():
    """Runs in the child: asks the kernel to kill it when this program dies."""
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


class Daemon:
    """A process that stops at the end of a `with` statement."""

    def __init__(self, arguments, folder, *, ready=None, prepare=lambda: None, clean=lambda: None,
                 environment=None):
        self.ready = ready
        self.clean = clean
        self.log = pathlib.Path(folder) / "log"

        def before_exec():
            end_with_parent()
            prepare()

        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [str(argument) for argument in arguments], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, preexec_fn=before_exec, start_new_session=True,
                env={**os.environ, "TZ": "UTC", **(environment or {})})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def pid(self):
        return self.process.pid

    def cpu(self):
        """CPU seconds of all threads of the process, ended ones included, without its children."""
        process_clock = ~self.pid << 3 | 2  # As clock_getcpuclockid makes it.
        return time.clock_gettime_ns(process_clock) / 1e9

    def tree_cpu(self):
        """The same with all of its children that have ended, and theirs."""
        status = pathlib.Path(f"/proc/{self.pid}/stat").read_text()
        user, system = status.rsplit(")", 1)[1].split()[13:15]
        return self.cpu() + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Resident memory in MB."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def wait_ready(self, limit):
        """Waits until the log contains `ready`, if given, and then until the process is idle."""
        end = time.monotonic() + limit
        while self.ready and not self.has_logged(self.ready):
            self.check(end)
            time.sleep(0.05)
        self.wait_idle(end)

    def has_logged(self, word):
        """Whether the log contains a word."""
        return word in self.log.read_bytes()

    def wait_idle(self, end, seconds=0.5):
        """Waits until the process uses less than 1 % of a CPU for `seconds`."""
        used = self.cpu()
        while True:
            time.sleep(seconds)
            self.check(end)
            before, used = used, self.cpu()
            if used - before < 0.01 * seconds:
                return

    def check(self, end):
        """Raises NotReady if the process has ended or the time is up."""
        if self.process.poll() is not None:
            last = self.log.read_bytes()[-300:].decode(errors="replace").strip()
            raise NotReady(f"ended with {self.process.returncode}: {last}")
        if time.monotonic() > end:
            raise NotReady("has not loaded its jobs in time")

    def stop(self):
        """Sends SIGTERM, and SIGKILL after 15 s."""
        try:
            if self.process.poll() is None:
                self.process.terminate()
                try:
                    self.process.wait(15)
                except subprocess.TimeoutExpired:
                    self.process.kill()
                    self.process.wait()
        finally:
            self.clean()
