"""The section on the instructions of the gate's workloads, today and at earlier dates."""

import pathlib
import sys

GATE = pathlib.Path(__file__).resolve().parent.parent / "gate"
sys.path.insert(0, str(GATE))

from comparison import Figures  # noqa: E402

WORDS = """\
`make bench-gate` counts the instructions that eleven workloads take in the program's own code: loading and
reloading 1,000 jobs, deciding slots, a whole run with its output, ledger and log, and others. The counts
do not depend on how busy the machine is. They are millions; the percentage is the last column against the
one before it."""


def section(folder=GATE):
    """Earlier counts are in `history/DATE.tsv`, whose first line says what was new after it."""
    files = sorted((folder / "history").glob("*.tsv"))
    if not files:
        return []
    texts = [path.read_text(encoding="utf-8") for path in files]
    counts = [Figures.parse(text, path).counts for text, path in zip(texts, files)]
    today = folder / "instructions.tsv"
    counts.append(Figures.parse(today.read_text(encoding="utf-8"), today).counts)
    titles = [path.stem for path in files] + ["today"]
    labels = [
        f"- {title}: {text.splitlines()[0].lstrip('# ')}" for title, text in zip(titles, texts)]
    lines = ["| workload | " + " | ".join(titles) + " | change |", "|---|" + "---|" * (len(titles) + 1)]
    for name in counts[-1]:
        values = [f"{count[name] / 1e6:,.2f}" if name in count else "" for count in counts]
        lines.append(f"| {name} | {' | '.join(values)} | {change(counts, name)} |")
    return ["## Instructions over time", WORDS, "\n".join(labels), "\n".join(lines),
            "Command: `make bench-gate`"]


def change(counts, name):
    """From the newest of the earlier counts to today's."""
    before = counts[-2].get(name)
    return f"{100 * (counts[-1][name] / before - 1):+.1f} %" if before else ""
