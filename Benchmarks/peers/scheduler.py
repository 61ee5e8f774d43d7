"""What all schedulers have in common."""

import pathlib


class Scheduler:
    """A program that runs jobs; each has a file of its own in this folder."""

    name = ""
    # The workloads that it can follow.
    workloads = frozenset({"lateness", "storm", "idle"})
    # The most idle jobs that it is given, so that a round does not take minutes.
    most_idle_jobs = 100_000
    # Seconds that it needs to load a thousand jobs.
    storm_lead = 3
    # The signal that makes it read its jobs again.
    reload_signal = None

    def absent(self):
        """Why it cannot be measured here, or None."""
        return None

    def version(self):
        """Its version, as text."""
        return ""

    def write(self, folder, jobs, concurrency=None):
        """Writes the jobs as its own configuration."""
        raise NotImplementedError

    def launch(self, folder):
        """Starts it with what `write` has written."""
        raise NotImplementedError

    def start(self, folder, jobs, concurrency=None):
        """Starts it with these jobs."""
        self.write(pathlib.Path(folder), jobs, concurrency)
        return self.launch(pathlib.Path(folder))
