"""Compiled helper programs and temporary folders."""

import collections
import pathlib
import subprocess
import tempfile

from job import Job

# Makes a command one that only a shell can run.
NEEDS_SHELL = " || exit 1"
HERE = pathlib.Path(__file__).resolve().parent


def compiled(source, folder):
    """The path of the program that a C file compiles to, in a folder, or None without a compiler."""
    program = pathlib.Path(folder) / source.stem
    command = ["cc", "-O2", "-static", "-o", program, source]
    try:
        answer = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return program if answer.returncode == 0 else None


class Tools:
    """Compiled programs, in a temporary folder that a `with` statement removes."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="takt-peers-")
        # The due time of the bare loop, if it has only one.
        self.due = 0
        self.note = compiled(HERE / "note.c", self.folder.name)
        self.bare_loop = compiled(HERE / "bare_loop.c", self.folder.name)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def case(self):
        """A new folder for one process, for a `with` statement."""
        return tempfile.TemporaryDirectory(dir=self.folder.name, ignore_cleanup_errors=True)


class Stamps:
    """The file to which commands append the time at which they run, and the name of their job."""

    def __init__(self, folder, tools, ending=""):
        self.path = pathlib.Path(folder) / "stamps"
        self.note = tools.note
        # What all commands end with: one that a shell has to read, or none.
        self.ending = ending

    def job(self, name, when):
        """A job whose command notes when it runs."""
        return Job(name, f"{self.note} {self.path} {name}{self.ending}", when)

    def lines(self):
        """The complete lines."""
        return self.path.read_bytes().splitlines() if self.path.exists() else []

    def count(self):
        """The number of commands that have run."""
        return len(self.lines())

    def seconds(self):
        """The times in seconds since the epoch, in order."""
        return sorted(time for times in self.by_job().values() for time in times)

    def by_job(self):
        """The times in seconds since the epoch, in order, by the name of the job."""
        found = collections.defaultdict(list)
        for line in self.lines():
            time, name = line.split()
            found[name.decode()].append(int(time) / 1e9)
        return {name: sorted(times) for name, times in found.items()}
