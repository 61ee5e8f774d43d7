"""The text of docs/internals/performance.md."""

import instructions
from rows import is_met, short, shortfall_percent, subject

# The figures of the overview, and their number of jobs.
OVERVIEW = [
    ("20 commands per second: lateness p50", None), ("20 commands per second: lateness p99", None),
    ("20 commands per second: starts missed or doubled", None),
    ("20 commands per second: scheduler CPU per run", None),
    ("20 commands per second: CPU of all processes per run", None),
    ("20 commands per second that need a shell: lateness p50", None),
    ("1,000 commands due at once: starts per second", None),
    ("1000 static programs due at once: starts per second", None),
    ("idle jobs: CPU to load", 10_000), ("idle jobs: memory", 10_000),
    ("idle jobs: CPU to load", 100_000), ("idle jobs: memory", 100_000),
    ("idle jobs: CPU to reload, one changed", 10_000),
    ("context switches per second, 10 % leeway", None)]

# Figures with alternative targets, of which one is enough.
ONE_IS_ENOUGH = {"20 commands per second: scheduler CPU per run"}

SECTIONS = [
    ("Twenty commands per second", ["commands"], ["20 commands per second"],
     "Each second, 20 jobs run a program that writes the time to a file. takt starts it without a shell, "
     "and so does the C loop; the other schedulers start `sh -c`. Commands that need a shell end with "
     "`|| exit 1`. Lateness is the written time minus the second in which the command was due, so it "
     "includes the start of the program, and of the shell where there is one. The n-th start of a job "
     "belongs to the n-th second, also if it is more than a second late; a start that never happens, or "
     "happens twice, is counted as missed or doubled. The CPU of the scheduler is that of its process, "
     "without its children; the CPU of all processes includes them. As quiet as possible is takt with "
     "`state: none` and `--log-level error`, and supercronic with `-quiet`."),
    ("A thousand commands at once", [], ["commands due at once", "static programs due at once"],
     "All jobs are due at one instant. Starts per second count from that instant to the last start "
     "(commands) or to the last end (static programs). takt, APScheduler and the C loop run 16 at a "
     "time; the others have no such limit."),
    ("Idle jobs", ["load", "memory-per-job", "reload"], ["idle jobs"],
     "Each job is due once a year. Load ends when the scheduler uses less than 1 % of a CPU for half a "
     "second. The memory per job is the resident memory above that of a daemon with one job. A reload "
     "reads a file in which one job has another minute."),
    ("Ledger", [], ["built-in runs per second", " runs", "last 50 runs", "after a week"],
     "1,000 built-in runs per second cost CPU with and without the ledger. Runs are found in a ledger "
     "of a million runs. After a week without takt, the daemon decides all missed slots."),
    ("Queries", ["queries"], ["takt --version", "takt status", "/metrics", "built-in jobs: lateness",
                              "GET "],
     "`takt status` is timed as a whole program, its start included. `/metrics` is read from the control "
     "socket. Twenty built-in jobs run five times a second meanwhile; their lateness shows whether "
     "queries delay the scheduler."),
    ("Timers", ["timers"], ["timer, ", "timers of 1 s", "one timer of"],
     "These figures are those of the TimerMachine library alone, beside one dispatch source per timer."),
    ("Leeway", [], ["context switches", "wake-ups"],
     "1,000 built-in jobs with intervals of 0.5 to 5 s run once without leeway and once with 10 %. The "
     "fewest possible wake-ups are computed from the same windows."),
    ("Plugins", [], ["plugin run", "built-in run"],
     "A service plugin in C runs 1,000 times per second. The bare C loop talks to the same plugin "
     "without takt."),
    ("Several machines", [], ["cluster: "],
     "Three daemons on one computer share 20 jobs, and a PostgreSQL server with its default "
     "durability, on the loopback interface. Each job is due each second; its command is a program that "
     "writes the time to a file. One daemon without a cluster runs the same jobs in turns with them: 2 "
     "turns of 6 s each. The lease is 3 s. At the end of a turn, the machine that runs a long command "
     "with `delivery: at_least_once` is killed. Until its lease is over, the others start the slots that "
     "it does not claim, 300 ms late. Its long command starts again elsewhere when the lease (3 s) and "
     "the grace period (3 s) are over, and another machine renews its lease (each second). Slots due at "
     "once are jobs of one machine of a cluster; claims per second count from the due time to the last "
     "grant in the database."),
]

METHOD = """\
- takt and its peers do the same work in one run, in turns: takt, peer, peer, takt and so on. A ratio is
  takt's value divided by the peer's value of the same turn.
- Every value is a median. Lateness and CPU have 5 turns of 8 s each, after 2 s of warm-up that do not
  count; static programs due at once have 9 turns. cronstable and systemd have 2 turns, because they are
  slow. The tables show the lowest and the highest turn in parentheses.
- takt runs with its ledger and with a JSON log at debug level, which records every transition. All other
  settings are defaults, except where a limit on running commands is named.
- APScheduler runs in a program that keeps the output of commands and logs each run. It gets 20 threads,
  because its default of 10 would make half of the commands wait.
- The C loop starts the same commands with `posix_spawn` at each expiry of a timerfd, without a shell where
  they need none. It writes no log and keeps no output.
- The schedulers run as `takt run jobs.yaml --log-format json`, `supercronic -json crontab`,
  `python apscheduler_program.py jobs.json`, `cronstable -c cronstable.yaml`, `systemd --user` and
  `cron -f`, each with nothing but the jobs of the benchmark.
- CPU time comes from the kernel's clock of the scheduler process, which counts ended threads, too. Memory
  is the resident set in `/proc/PID/status`.
- A peer that fails, or takes minutes for a number of jobs, is left out from there on.
"""

REPEAT = """\
```sh
make bench           # at most 20 minutes on two cores; writes .build/bench/bench.json
make bench-report    # writes this page and its pictures from that file
make bench QUICK=1   # tries every part in a few minutes
make bench ONLY=peers
```

`make bench` installs croniter, APScheduler, cronstable and matplotlib from PyPI into `.build/bench-venv`.
systemd and Debian's cron are measured where they are installed and takt's benchmark runs as root;
supercronic where it is in `PATH` or named by `$SUPERCRONIC`. The cluster is measured where the Debian
packages postgresql-15 and libpq5 are installed.
Run it on a machine that does nothing else. Other work on the same cores favors takt over the C loop:
takt gives each command its own session, and Linux shares the CPU among sessions.
"""

MACHINE = {
    "processor": "Processor", "cores": "Cores", "busy_before_percent": "CPU use before the start, %",
    "memory_gb": "Memory, GB", "kernel": "Kernel", "system": "System",
    "c_library": "C library", "takt": "takt", "commit": "Commit", "swift": "Swift", "python": "Python",
    "date": "Date"}


class Page:
    """Sentences and tables."""

    def __init__(self, content, rows, pictures):
        self.content = content
        self.rows = rows
        self.pictures = pictures

    def text(self, has_matplotlib):
        """The whole page."""
        parts = [
            "# Performance",
            "`make bench-report` writes this page from the figures of `make bench`. Do not edit it."]
        if self.content["quick"]:
            parts.append("**These figures are from a short trial (`QUICK=1`) and mean little.**")
        if self.content["machine"].get("busy_before_percent", 0) > 5:
            parts.append("**The machine was busy with other work, so these figures are of little use.**")
        if not has_matplotlib:
            parts.append("matplotlib was not available, so this page has no pictures.")
        parts += [*self.problems(), *self.overview(), "## Targets", *self.targets(), "## Method", METHOD.strip(),
                  "## Machine and versions", self.machine()]
        shown = set()
        for title, pictures, prefixes, words in SECTIONS:
            parts += self.section(title, pictures, prefixes, words, shown)
        rest = [row for row in self.rows.measured if id(row) not in shown]
        if rest:
            parts += ["## Other figures", table(rest), command(rest)]
        parts += instructions.section()
        parts += ["## Repeat the measurement", REPEAT.strip()]
        return "\n\n".join(parts) + "\n"

    def problems(self):
        """The benchmarks that failed."""
        failed = [one for one in self.content["benchmarks"] if one["problem"]]
        lines = [f"**The benchmark `{one['name']}` failed: {one['problem']}.**" for one in failed]
        return lines + [
            f"**The part `{name}` failed: {reason}.**" for name, reason in self.rows.failed.items()]

    def overview(self):
        """The most important figures of all schedulers."""
        rows = [row for name, size in OVERVIEW for row in self.rows.named(name)
                if row.get("size") == size]
        return ["## Overview", table(rows)] if rows else []

    def targets(self):
        """A summary and the table of all rows with a target."""
        rows = self.rows.bounded()
        missed = [row for row in rows if not self.is_reached(row)]
        lines = ["| figure | takt | peer | takt ÷ peer | target | result |", "|---|---|---|---|---|---|"]
        lines += [self.target(row) for row in rows]
        count = f"{len(rows) - len(missed)} of {len(rows)} targets are met."
        return [f"{count} With a peer, the target applies to the ratio; otherwise to takt's value. Of the "
                "targets for CPU per run, one is enough.", "\n".join(lines)]

    def target(self, row):
        """The line of one target."""
        bound = f"≤ {short(row['at_most'])}" if "at_most" in row else f"≥ {short(row['at_least'])}"
        result = "met" if is_met(row) else f"missed by {shortfall_percent(row):.0f} %"
        if not is_met(row) and self.is_reached(row):
            result = "not needed"
        if "ratio" not in row:
            value = f"{short(row['value'])} {row['unit']}".strip()
            bound = f"{bound} {row['unit']}".strip()
            return f"| {title_of(row)} | {value} | | | {bound} | {result} |"
        own = self.rows.same_figure(row, "takt")
        value = f"{short(own['value'])} {row['unit']}" if own else ""
        peer = f"{row['peer']}: {short(row['value'])} {row['unit']}"
        return f"| {title_of(row)} | {value} | {peer} | {short(row['ratio'])} | {bound} | {result} |"

    def is_reached(self, row):
        """Whether a row's target, or an alternative to it, is met."""
        alternatives = [row]
        if row["name"] in ONE_IS_ENOUGH:
            alternatives = [one for one in self.rows.bounded() if one["name"] == row["name"]]
        return any(is_met(one) for one in alternatives)

    def machine(self):
        """The machine, the versions, and the peers that were not measured."""
        facts = self.content["machine"]
        lines = ["| | |", "|---|---|"]
        lines += [f"| {word} | {facts[name]} |" for name, word in MACHINE.items()
                  if facts.get(name, "") != ""]
        lines += [f"| {name} | {version} |" for name, version in self.rows.versions.items()
                  if version and name != "takt"]
        text = "\n".join(lines)
        for name, reason in self.rows.left_out:
            text += f"\n\nNot measured: {name} ({reason})."
        return text

    def section(self, title, pictures, prefixes, words, shown):
        """A section with pictures and a table, or nothing without figures."""
        rows = [row for row in self.rows.measured
                if id(row) not in shown and any(prefix in row["name"] for prefix in prefixes)]
        if not rows:
            return []
        shown.update(id(row) for row in rows)
        images = [f"![{title}](performance/{name}.svg)" for name in pictures if name in self.pictures]
        return [f"## {title}", words, *images, table(rows), command(rows)]


def command(rows):
    """The command that measures these rows again."""
    names = ",".join(dict.fromkeys(row["benchmark"] for row in rows if "benchmark" in row))
    return f"Command: `make bench ONLY={names}`"


def title_of(row):
    """The name of a figure, with the number of jobs where there are several."""
    return name_with_size(row["name"], row.get("size"))


def name_with_size(name, size):
    """The name of a figure, and how many jobs or timers there were."""
    if not size:
        return name
    word = "timer" if name.startswith("timer") else "job"
    return f"{name}, {size:,} {word}{'' if size == 1 else 's'}"


def table(rows):
    """A table with one column for each measured program."""
    subjects = list(dict.fromkeys(subject(row) for row in rows))
    subjects.sort(key=lambda one: one != "takt")
    cells = {}
    for row in rows:
        cells.setdefault((row["name"], row.get("size", 0), row["unit"]), {})[subject(row)] = cell(row)
    lines = ["| figure | unit | " + " | ".join(subjects) + " |", "|---|---|" + "---|" * len(subjects)]
    for (name, size, unit), found in cells.items():
        values = " | ".join(found.get(one, "") for one in subjects)
        lines.append(f"| {name_with_size(name, size)} | {unit} | {values} |")
    return "\n".join(lines)


def cell(row):
    """The median, with the lowest and the highest value if there are several."""
    if row["samples"] == 1:
        return short(row["value"])
    return f"{short(row['value'])} ({short(row['low'])}–{short(row['high'])})"
