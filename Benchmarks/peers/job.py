"""Jobs in a form that every scheduler can be given."""

import dataclasses
import datetime


@dataclasses.dataclass(frozen=True)
class Instant:
    """A pattern of UTC instants in whole seconds; None matches every value."""

    second: int | None = None
    minute: int | None = None
    hour: int | None = None
    day: int | None = None
    month: int | None = None

    @property
    def cron_fields(self):
        """Second, minute, hour, day of the month, month and day of the week, as text."""
        values = (self.second, self.minute, self.hour, self.day, self.month, None)
        return ["*" if value is None else str(value) for value in values]


EVERY_SECOND = Instant()


@dataclasses.dataclass(frozen=True)
class Job:
    """A name, a shell command, and when it is due."""

    name: str
    command: str
    when: Instant


def at(epoch_second):
    """The pattern that matches one instant of the year."""
    time = datetime.datetime.fromtimestamp(epoch_second, datetime.timezone.utc)
    return Instant(time.second, time.minute, time.hour, time.day, time.month)


def idle_jobs(count, changed=None):
    """Jobs that are due once a year, months from now; the job at `changed` gets another minute."""
    month = (datetime.datetime.now(datetime.timezone.utc).month + 5) % 12 + 1
    width = len(str(count))
    jobs = []
    for number in range(count):
        minute = (number + (number == changed)) % 60
        when = Instant(0, minute, number // 60 % 24, 1 + number // 1440 % 28, month)
        jobs.append(Job(f"job{number:0{width}}", "true", when))
    return jobs
