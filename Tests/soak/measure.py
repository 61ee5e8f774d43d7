"""What a process and its ledger take, and whether that grows."""
import pathlib
import statistics

KINDS = {
    # Of each: its unit, and by how much the last third of the time may exceed the middle one, as a part
    # and as a number.
    "memory": ("MiB", 0.05, 2),
    # Without the pages of the program's file, which the kernel takes away and brings back as it likes.
    "anonymous memory": ("MiB", 0.05, 2),
    "descriptors": ("", 0.05, 3),
    "threads": ("", 0.05, 2),
    "children": ("", 0.25, 6),
    "ledger": ("MiB", 0.25, 4),
}
# The last events, slots and runs that takt remembers come to their bounds in this time, in seconds.
SETTLING = 600


def sample(takt):
    """The figures of now; None while the process is not there."""
    process = pathlib.Path(f"/proc/{takt.process.pid}")
    try:
        status = dict(
            line.split(":", 1) for line in (process / "status").read_text().splitlines() if ":" in line)
        return {
            "memory": int(status["VmRSS"].split()[0]) / 1024,
            "anonymous memory": int(status["RssAnon"].split()[0]) / 1024,
            "descriptors": len(list((process / "fd").iterdir())),
            "threads": int(status["Threads"]),
            "children": sum(
                len(path.read_text().split()) for path in process.glob("task/*/children")),
            "ledger": sum(
                path.stat().st_size for path in takt.state.iterdir() if path.name.startswith("ledger"))
            / (1 << 20),
        }
    except (OSError, KeyError):
        return None


def growth(samples):
    """Of each kind: (median of the middle third, of the last, whether it grows)."""
    result = {}
    for kind, (_, part, number) in KINDS.items():
        values = [values[kind] for _, values in samples]
        third = max(1, len(values) // 3)
        middle = statistics.median(values[third:2 * third] or values)
        last = statistics.median(values[-third:])
        result[kind] = (middle, last, last > middle * (1 + part) + number)
    return result
