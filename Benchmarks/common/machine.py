"""The machine and the versions, without host names and paths."""

import datetime
import os
import pathlib
import platform
import re
import subprocess
import time


# More than this, and other work distorts the figures.
BUSY_PERCENT = 5


def first_match(path, pattern):
    """The first group of a pattern in a file, or an empty text."""
    try:
        found = re.search(pattern, pathlib.Path(path).read_text(), re.MULTILINE)
    except OSError:
        return ""
    return found[1].strip() if found else ""


def output(*command):
    """The first line that a command prints, or an empty text."""
    try:
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    except OSError:
        return ""
    return lines[0].strip() if lines else ""


def busy_percent(seconds=3):
    """The share of CPU time that other programs use now."""
    def times():
        fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
        values = [int(field) for field in fields[1:9]]
        return sum(values), values[3] + values[4]

    total, idle = times()
    time.sleep(seconds)
    total_after, idle_after = times()
    return 100 * (1 - (idle_after - idle) / max(1, total_after - total))


def description(takt):
    """Facts by name."""
    memory = first_match("/proc/meminfo", r"^MemTotal:\s+(\d+) kB")
    return {
        "date": datetime.date.today().isoformat(),
        "processor": first_match("/proc/cpuinfo", r"^model name\s*:\s*(.+)$") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "busy_before_percent": round(busy_percent()),
        "memory_gb": round(int(memory or 0) / 1024**2),
        "kernel": f"Linux {re.match(r'[0-9.]*', platform.release())[0]}",
        "system": first_match("/etc/os-release", r'^PRETTY_NAME="?([^"\n]+)'),
        "takt": output(takt, "--version"),
        "commit": output("git", "rev-parse", "--short=10", "HEAD"),
        "swift": re.sub(r"^.*Swift version (\S+).*$", r"\1", output("swift", "--version")),
        "python": platform.python_version(),
        "c_library": " ".join(platform.libc_ver()),
    }
