"""The pictures of the report; the same figures give the same bytes."""

import html
import math
import re

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402
from rows import short  # noqa: E402

# Okabe and Ito's colours, which remain distinct for colour-blind readers.
COLOURS = {
    "takt": "#0072B2", "bare C loop": "#555555", "supercronic": "#D55E00", "APScheduler": "#009E73",
    "cronstable": "#CC79A7", "systemd --user": "#E69F00", "Debian's cron": "#56B4E9"}
SPARE_COLOURS = ["#009E73", "#D55E00", "#CC79A7", "#E69F00"]
MARKERS = "osD^vPX*"
WIDTH, HEIGHT = 8.6, 4.0
TIMER_OPERATIONS = ["activate", "reschedule", "suspend and resume", "cancel"]

plt.rcParams.update({
    "svg.hashsalt": "takt", "svg.fonttype": "none", "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True,
    "legend.frameon": False, "lines.markersize": 5,
    # An opaque background, so that text is readable on a dark page.
    "figure.facecolor": "white", "axes.facecolor": "white", "savefig.facecolor": "white"})


class Pictures:
    """Draws each picture that has figures."""

    def __init__(self, rows, folder):
        self.rows = rows
        self.folder = folder
        self.names = set()

    def draw(self):
        """Draws all of them, and returns the names of the files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.draw_bars()
        self.draw_growth(
            "load", "CPU to load idle jobs and memory, by number of jobs", "jobs",
            [("idle jobs: CPU to load", "CPU to load, s"), ("idle jobs: memory", "memory, MB")])
        self.draw_growth(
            "memory-per-job", "Memory per idle job, by number of jobs", "jobs",
            [("idle jobs: memory per job", "memory per job, KB")])
        self.draw_growth(
            "reload", "CPU to reload with one job changed, by number of jobs", "jobs",
            [("idle jobs: CPU to reload, one changed", "CPU to reload, s")])
        self.draw_queries()
        self.draw_timers()
        return self.names

    def draw_bars(self):
        """Lateness and CPU per run of all schedulers."""
        title = "20 commands per second"
        names = [f"{title}: lateness p50", f"{title}: lateness p99", f"{title}: scheduler CPU per run"]
        schedulers = self.rows.subjects(names[0])
        if not schedulers:
            return
        figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, HEIGHT), sharey=True)
        places = range(len(schedulers))
        for shift, name, shade, word in [(-0.2, names[0], 1, "p50"), (0.2, names[1], 0.45, "p99")]:
            values = [self.rows.value(name, one)["value"] for one in schedulers]
            bars = left.barh([place + shift for place in places], values, 0.38, alpha=shade,
                             color=[COLOURS.get(one, "#555555") for one in schedulers])
            left.bar_label(bars, [f"{word} {short(value)}" for value in values], padding=3, fontsize=8)
        values = [self.rows.value(names[2], one)["value"] for one in schedulers]
        bars = right.barh(places, values, 0.6,
                          color=[COLOURS.get(one, "#555555") for one in schedulers])
        right.bar_label(bars, [short(value) for value in values], padding=3, fontsize=8)
        left.set_yticks(places, schedulers)
        left.invert_yaxis()
        left.set_xlabel("lateness, ms")
        right.set_xlabel("scheduler CPU per run, ms")
        for axes in (left, right):
            axes.margins(x=0.22)
            axes.grid(axis="y", visible=False)
        self.save(figure, "commands", f"{title}: lateness and scheduler CPU per run")

    def draw_growth(self, file, title, count_label, panels):
        """One panel per figure, one line per scheduler, logarithmic axes."""
        if not any(self.rows.named(name) for name, _ in panels):
            return
        figure, all_axes = plt.subplots(
            1, len(panels), figsize=(WIDTH, HEIGHT), squeeze=False)
        for axes, (name, label) in zip(all_axes[0], panels):
            for place, one in enumerate(self.rows.subjects(name)):
                self.line(axes, name, one, one, COLOURS.get(one, "#555555"), place, one == "takt")
            finish(axes, count_label, label)
        all_axes[0][0].legend(fontsize=8)
        self.save(figure, file, title)

    def draw_queries(self):
        """`takt status` and `/metrics`."""
        names = ["takt status", "/metrics"]
        if not self.rows.named(names[0]):
            return
        figure, axes = plt.subplots(figsize=(WIDTH, HEIGHT))
        for place, name in enumerate(names):
            self.line(axes, name, "takt", name, [COLOURS["takt"], "#D55E00"][place], place, True)
        finish(axes, "jobs", "time, ms")
        axes.legend(fontsize=8)
        self.save(figure, "queries", "Time of takt status and /metrics, by number of jobs")

    def draw_timers(self):
        """All operations of takt's timers, and `reschedule` of all kinds of timers."""
        if not self.rows.named("timer, reschedule"):
            return
        figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, HEIGHT))
        colours = [COLOURS["takt"], *SPARE_COLOURS]
        for place, operation in enumerate(TIMER_OPERATIONS):
            self.line(left, f"timer, {operation}", "takt", operation, colours[place], place, False)
        finish(left, "timers", "time per operation, ns")
        left.set_title("takt's timers", fontsize=10)
        for place, one in enumerate(self.rows.subjects("timer, reschedule")):
            label = "takt's timers" if one == "takt" else one
            self.line(right, "timer, reschedule", one, label, colours[place], place, one == "takt")
        finish(right, "timers", "time per operation, ns")
        right.set_title("reschedule", fontsize=10)
        for axes in (left, right):
            axes.legend(fontsize=8)
        self.save(figure, "timers", "Time per timer operation, by number of timers")

    def line(self, axes, name, who, label, colour, place, is_thick):
        """One line of a growth picture."""
        sizes, values = self.rows.by_size(name, who)
        if sizes and all(value > 0 for value in values):
            axes.plot(sizes, values, label=label, color=colour, marker=MARKERS[place % len(MARKERS)],
                      linewidth=2.6 if is_thick else 1.4)

    def save(self, figure, name, title):
        """Writes the file, with a title for screen readers and without a date."""
        path = self.folder / f"{name}.svg"
        figure.tight_layout()
        figure.savefig(path, metadata={"Date": None, "Creator": None})
        plt.close(figure)
        text = re.sub(
            r"<svg ([^>]*)>",
            rf'<svg \1 role="img" aria-labelledby="title">\n <title id="title">{html.escape(title)}</title>',
            path.read_text(), count=1)
        path.write_text(text)
        self.names.add(name)


def finish(axes, x_label, y_label):
    """Logarithmic axes with plain numbers, and whole decades of values."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    values = [value for line in axes.get_lines() for value in line.get_ydata()]
    if values:
        axes.set_ylim(10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values))))
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
        axis.set_minor_formatter(NullFormatter())


def plain(value):
    """1, 10, 1k, 1M."""
    for scale, letter in [(1e6, "M"), (1e3, "k")]:
        if value >= scale:
            return f"{value / scale:g}{letter}"
    return f"{value:g}"
