"""What the commands of several machines have noted, and the figures that follow from it."""

import collections
import dataclasses
import datetime
import math
import pathlib

from percentile import percentile

# The names of a distribution's figures, and their percentiles.
PERCENTILES = {"p50": 50, "p99": 99}


@dataclasses.dataclass(frozen=True)
class Start:
    """One start of a command; times are in seconds since the epoch."""

    time: float
    job: str
    slot: float
    machine: str

    @property
    def late_ms(self):
        """How long after its slot's nominal instant the command started."""
        return (self.time - self.slot) * 1000


def parse(line):
    """The start in one line of note_slot."""
    time, job, slot, machine = line.split()
    nominal = datetime.datetime.fromisoformat(slot.replace("Z", "+00:00"))
    return Start(int(time) / 1e9, job, nominal.timestamp(), machine)


def read(path):
    """All starts in a file, in order."""
    path = pathlib.Path(path)
    text = path.read_text() if path.exists() else ""
    # A line that is being written is left for the next time.
    complete = text[:text.rfind("\n") + 1]
    return sorted((parse(line) for line in complete.splitlines()), key=lambda start: start.time)


def within(starts, seconds):
    """The starts of slots in a range of whole seconds."""
    return [start for start in starts if start.slot in seconds]


def irregular(starts, jobs, seconds):
    """How many starts are missing or too many of jobs that are due each second."""
    counts = collections.Counter((start.job, start.slot) for start in starts)
    return sum(abs(counts[job, second] - 1) for job in jobs for second in seconds)


def due_while_leased(killed_at, lease):
    """The seconds in which slots are due after a machine was killed while its lease still counts."""
    return range(math.floor(killed_at) + 1, math.ceil(killed_at + lease))


def restart(starts, job, victim):
    """When a job first started on a machine other than this one, or None."""
    return next((one.time for one in starts if one.job == job and one.machine != victim), None)


def beyond(clustered_ms, alone_ms, round_trip_ms):
    """The part of a cluster's lateness that neither the scheduler nor a round trip explains."""
    return clustered_ms - alone_ms - round_trip_ms


def granted(grants, seconds):
    """Percentiles in ms from slots to their grants, and the transactions with grants per second.

    All grants of a transaction have the same time.
    """
    late = [(time - slot) * 1000 for slot, time in grants]
    values = {f"grant_{name}": percentile(late, percent) for name, percent in PERCENTILES.items()}
    return values | {"transactions": len({time for _, time in grants}) / len(seconds)}


def claims_per_second(due, granted):
    """The rate of claims, from the time when all are due to the last grant."""
    return len(granted) / (max(granted) - due)
