"""What the instruction gate compares with what, and what it says: no valgrind here."""

PERCENT = 3
"""By how much a workload may grow or shrink."""

FACTS = ["compiler", "machine", "libc", "sqlite", "valgrind"]
"""What figures depend on besides the code: other figures where one differs."""

HEADER = """\
# Instructions that each workload of the gate takes, and what they were counted with.
# `make bench-gate` compares with this file; `make bench-gate-write` writes it.
"""


class FileError(Exception):
    """The file is not one of figures."""


class Figures:
    """Instructions by workload, and the facts that they depend on."""

    def __init__(self, facts, counts):
        self.facts = facts
        self.counts = counts

    @classmethod
    def parse(cls, text, path):
        """Reads the file's text; raises FileError with the line that is wrong."""
        facts, counts = {}, {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.startswith("#"):
                continue
            place = f"{path}:{number}"
            fields = line.split("\t")
            if len(fields) != 2 or not all(field and field == field.strip() for field in fields):
                raise FileError(f"{place}: expected a name, one tab and a value, not {line!r}")
            name, value = fields
            if name in facts or name in counts:
                raise FileError(f"{place}: '{name}' stands here a second time")
            if name in FACTS:
                facts[name] = value
            elif value.isascii() and value.isdigit() and int(value) > 0:
                counts[name] = int(value)
            else:
                raise FileError(f"{place}: '{value}' is not a number of instructions")
        missing = [fact for fact in FACTS if fact not in facts]
        if missing:
            raise FileError(f"{path}: no line for {', '.join(missing)}")
        if not counts:
            raise FileError(f"{path}: no workloads")
        return cls(facts, counts)

    @property
    def text(self):
        """The file's text."""
        lines = [f"{fact}\t{self.facts[fact]}" for fact in FACTS]
        lines += [f"{name}\t{count}" for name, count in self.counts.items()]
        return HEADER + "\n".join(lines) + "\n"


class Comparison:
    """Counted figures beside recorded ones.

    `partial` says that only some workloads were counted, so that the others are not missed.
    """

    def __init__(self, recorded, counted, path, partial=False):
        self.recorded, self.counted, self.path = recorded, counted, path
        self.differences = [
            fact for fact in FACTS if recorded.facts[fact] != counted.facts[fact]
        ]
        self.added = [name for name in counted.counts if name not in recorded.counts]
        self.removed = [
            name for name in recorded.counts if name not in counted.counts and not partial
        ]
        common = [name for name in counted.counts if name in recorded.counts]
        # In whole numbers, so that exactly 3 % is not more than 3 %.
        self.grown = [name for name in common if self.growth(name) * 100 > self.bound(name)]
        self.shrunk = [name for name in common if self.growth(name) * 100 < -self.bound(name)]

    def growth(self, name):
        """By how many instructions a workload has grown; negative for one that has shrunk."""
        return self.counted.counts[name] - self.recorded.counts[name]

    def bound(self, name):
        return self.recorded.counts[name] * PERCENT

    @property
    def is_comparable(self):
        return not self.differences

    @property
    def fails(self):
        return self.is_comparable and bool(self.grown or self.added or self.removed)

    @property
    def table(self):
        """One row a workload."""
        rows = [("workload", "recorded", "counted", "change", "")]
        for name, count in self.counted.counts.items():
            if name in self.added:
                rows.append((name, "-", f"{count:,}", "-", "not recorded"))
            else:
                note = "grew" if name in self.grown else "shrank" if name in self.shrunk else ""
                rows.append(
                    (name, f"{self.recorded.counts[name]:,}", f"{count:,}",
                     f"{100 * self.growth(name) / self.recorded.counts[name]:+.2f} %", note if self.is_comparable else ""))
        for name in self.removed:
            rows.append((name, f"{self.recorded.counts[name]:,}", "-", "-", "no such workload"))
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if column in (0, 4) else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows)

    @property
    def sentences(self):
        """What happened, then what to do."""
        if not self.is_comparable:
            lines = [f"The figures in {self.path} are not comparable with these:"]
            lines += [
                f"  {fact}: {self.recorded.facts[fact]} recorded, {self.counted.facts[fact]} here"
                for fact in self.differences
            ]
            return lines + [
                "Nothing is checked. To check against this machine, run `make bench-gate-write`."]
        lines = []
        if self.shrunk:
            lines += [
                f"note: {listed(self.shrunk)}: more than {PERCENT} % fewer instructions than in "
                f"{self.path}.",
                "  Run `make bench-gate-write` and commit the file, so that the gain is kept."]
        if self.grown:
            lines += [
                f"error: {listed(self.grown)}: more than {PERCENT} % more instructions than in "
                f"{self.path}."]
            lines += [
                f"  callgrind_annotate .build/bench-gate/{name}.callgrind | swift demangle"
                for name in self.grown
            ]
            lines += [
                "  shows which functions execute them. Make the code cheaper. If the growth is "
                "intended, run",
                "  `make bench-gate-write`, commit the file, and explain the growth in the commit "
                "message."]
        if self.added:
            lines += [
                f"error: {listed(self.added)}: not in {self.path}.",
                "  Run `make bench-gate-write` and commit the file."]
        if self.removed:
            lines += [
                f"error: {listed(self.removed)}: in {self.path}, but no such workload exists.",
                "  Restore it, or run `make bench-gate-write` and commit the file."]
        return lines or [f"No workload differs from {self.path} by more than {PERCENT} %."]


def listed(names):
    return ", ".join(names)
