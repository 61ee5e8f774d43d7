"""The process of a scheduler: its log, its CPU time, its memory, and its end."""

import ctypes
import os
import pathlib
import re
import signal
import subprocess
import time


class NotReady(Exception):
    """A scheduler that has ended, or has not loaded its jobs in time."""


def end_with_parent():
    """In the child: the kernel ends it when this program is killed."""
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


class Daemon:
    """A process that is stopped at the end of a `with` statement."""

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
        """Seconds of CPU of this process: all threads, those that have ended too, but no children."""
        process_clock = ~self.pid << 3 | 2  # As clock_getcpuclockid makes it.
        return time.clock_gettime_ns(process_clock) / 1e9

    def memory(self):
        """Resident memory in MB."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def wait_ready(self, limit):
        """Waits for the word in the log that says so, where there is one, then for rest."""
        end = time.monotonic() + limit
        while self.ready and not self.has_logged(self.ready):
            self.check(end)
            time.sleep(0.05)
        self.wait_idle(end)

    def has_logged(self, word):
        """Whether the log has a word."""
        return word in self.log.read_bytes()

    def wait_idle(self, end, seconds=0.5):
        """Waits until it has used less than 1 % of a CPU for a while."""
        used = self.cpu()
        while True:
            time.sleep(seconds)
            self.check(end)
            before, used = used, self.cpu()
            if used - before < 0.01 * seconds:
                return

    def check(self, end):
        """Raises when the process has ended, or the time is over."""
        if self.process.poll() is not None:
            last = self.log.read_bytes()[-300:].decode(errors="replace").strip()
            raise NotReady(f"ended with {self.process.returncode}: {last}")
        if time.monotonic() > end:
            raise NotReady("has not loaded its jobs in time")

    def stop(self):
        """Ends it as an operator would, or kills it after some seconds."""
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
