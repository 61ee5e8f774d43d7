"""The machines of a cluster: daemons with folders and names of their own."""

import contextlib
import os
import pathlib
import signal
import time

from daemon import Daemon, NotReady

LEASE = 3
KILL_GRACE = 1
# The time that takt adds to the longest `kill.grace`.
GRACE_MARGIN = 2
GRACE = KILL_GRACE + GRACE_MARGIN
# A machine renews its lease three times in it.
RENEWAL = LEASE / 3
# What a machine waits before it asks for a slot whose first machine has not.
RANK_PACE_MS = 300


class Machine(Daemon):
    """One daemon, of a cluster if a URL is given."""

    def __init__(self, takt, folder, name, jobs, url=None, cluster=None, max_running=None):
        folder = pathlib.Path(folder) / name
        folder.mkdir()
        settings = ["state: state", "timezone: UTC", "shutdown_grace: 1s"]
        if max_running:
            settings.append(f"max_running: {max_running}")
        if url:
            settings.append(
                f'cluster: {{engine: postgres, url: "{url}", name: {cluster}, machine: {name}, '
                f"lease: {LEASE}s}}")
        lines = [
            f"scheduler: {{{', '.join(settings)}}}", f"defaults: {{kill: {{grace: {KILL_GRACE}s}}}}",
            "jobs:", *(f"  {job}: {{{keys}}}" for job, keys in jobs.items())]
        path = folder / "jobs.yaml"
        path.touch(mode=0o600)
        path.write_text("\n".join(lines) + "\n")
        self.name = name
        super().__init__(
            [takt, "run", "jobs.yaml", "--log-format", "json"], folder,
            ready=b'"message":"joined the cluster' if url else b'"message":"started;',
            environment={"BENCH_MACHINE": name})

    def wait_started(self, end):
        """Waits until it runs jobs, at most to a wall-clock time."""
        while not self.has_logged(self.ready):
            if time.time() > end:
                raise NotReady(f"machine {self.name} did not start in time")
            self.check(time.monotonic() + 1)
            time.sleep(0.02)

    def fail(self):
        """Kills it, and returns when."""
        at = time.time()
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait()
        return at


@contextlib.contextmanager
def started(machines):
    """Stops all machines at the end, at the same time; `machines` starts one after the other."""
    with contextlib.ExitStack() as stack:
        found = []
        try:
            for machine in machines:
                found.append(stack.enter_context(machine))
            yield found
        finally:
            for machine in found:
                if machine.process.poll() is None:
                    machine.process.terminate()
