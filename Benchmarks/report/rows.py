"""The rows of all benchmarks, and lookups in them."""

# The order of schedulers in tables and pictures.
ORDER = ["takt", "bare C loop", "supercronic", "APScheduler", "cronstable", "systemd --user",
         "Debian's cron"]


class Rows:
    """All rows of a file."""

    def __init__(self, rows):
        self.versions = {row["scheduler"]: row["version"] for row in rows if "scheduler" in row}
        self.left_out = [(row["left_out"], row["reason"]) for row in rows if "left_out" in row]
        self.failed = {row["failed"]: row["reason"] for row in rows if "failed" in row}
        self.measured = [row for row in rows if "value" in row]

    def named(self, name):
        """All rows of one figure."""
        return [row for row in self.measured if row["name"] == name]

    def subjects(self, name):
        """The schedulers of a figure, takt first."""
        found = list(dict.fromkeys(subject(row) for row in self.named(name)))
        return sorted(found, key=lambda one: ORDER.index(one) if one in ORDER else len(ORDER))

    def by_size(self, name, who):
        """Sizes and values of one subject, in order of size."""
        found = [row for row in self.named(name) if subject(row) == who and "size" in row]
        found.sort(key=lambda row: row["size"])
        return [row["size"] for row in found], [row["value"] for row in found]

    def value(self, name, who):
        """The row of one subject, or None."""
        return next((row for row in self.named(name) if subject(row) == who), None)

    def same_figure(self, row, who):
        """The row of another program for the same figure and number of jobs, or None."""
        return next((one for one in self.named(row["name"])
                     if subject(one) == who and one.get("size") == row.get("size")), None)

    def bounded(self):
        """The rows that have a target."""
        return [row for row in self.measured if "at_most" in row or "at_least" in row]


def subject(row):
    """The measured program."""
    return row.get("peer", "takt")


def judged(row):
    """The number to which a row's target applies."""
    return row.get("ratio", row["value"])


def is_met(row):
    """Whether a row meets its target."""
    number = judged(row)
    return number <= row["at_most"] if "at_most" in row else number >= row["at_least"]


def shortfall_percent(row):
    """By how much a row misses its target."""
    if "at_most" in row:
        return (judged(row) / row["at_most"] - 1) * 100
    return (1 - judged(row) / row["at_least"]) * 100


def short(number):
    """A number with three significant digits and thousands separators."""
    if number == 0:
        return "0"
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}"
