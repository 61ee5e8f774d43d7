"""The interface of a measured scheduler."""

import pathlib


class Scheduler:
    """A program that runs jobs; each is in its own file, `scheduler_NAME.py`."""

    name = ""
    # The supported workloads.
    workloads = frozenset({"lateness", "storm", "idle"})
    # The largest number of idle jobs to try.
    most_idle_jobs = 100_000
    # The largest number of turns, for a slow peer without a target.
    most_turns = 100
    # Seconds to load a thousand jobs, rounded up.
    storm_lead = 3
    # The signal for a reload.
    reload_signal = None
    # Whether it can run jobs without a word on each run.
    can_be_quiet = False

    def absent(self):
        """Why it cannot be measured on this machine, or None."""
        return None

    def version(self):
        """Its version, as text."""
        return ""

    def write(self, folder, jobs, concurrency=None):
        """Writes the jobs in its own format."""
        raise NotImplementedError

    def launch(self, folder):
        """Starts it with the written jobs."""
        raise NotImplementedError

    def launch_quietly(self, folder):
        """Starts it with the written jobs, and without a word on each run."""
        raise NotImplementedError

    def start(self, folder, jobs, concurrency=None, is_quiet=False):
        """Writes the jobs and starts it."""
        self.write(pathlib.Path(folder), jobs, concurrency)
        launch = self.launch_quietly if is_quiet else self.launch
        return launch(pathlib.Path(folder))
