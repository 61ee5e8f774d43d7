#!/usr/bin/env python3
"""Counts the instructions of the gate's workloads and compares them with the recorded ones.

`gate.py [--write] PROGRAM FILE [WORKLOAD ...]`, where PROGRAM is gate-bench. Counts do not depend
on how fast or how busy the machine is. Exits 1 when a workload takes more than 3 % more
instructions than FILE says, or cannot be counted, 2 when FILE is malformed.
"""

import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from comparison import Comparison, FileError, Figures

FUNCTION = "takt_gate_counted"
"""The function whose instructions count, with all that it calls, where one thread counts."""

COUNTING = {
    "one": [f"--toggle-collect={FUNCTION}"],
    # Callgrind toggles for one thread only; here the workload itself says when it counts.
    "all": ["--instr-atstart=no"],
}
"""The options of callgrind by the threads that count."""

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    "TZ": "UTC",
    # Without these a run differs from the next, or one processor from another: random hash seeds,
    # symbols bound at first use, copies in variants for the processor and the size of its caches.
    "SWIFT_DETERMINISTIC_HASHING": "1",
    "LD_BIND_NOW": "1",
    "GLIBC_TUNABLES": ":".join([
        "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,"
        "-SSE4_2,-SSSE3",
        "glibc.cpu.x86_data_cache_size=32768",
        "glibc.cpu.x86_shared_cache_size=1048576",
        "glibc.cpu.x86_non_temporal_threshold=1048576",
    ]),
}


class GateError(Exception):
    """A workload that could not be counted."""


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needed(program, package):
    path = shutil.which(program)
    if path is None:
        raise GateError(f"{program} is not installed; install the package {package}")
    return path


def sqlite_version():
    """The version of the library that the program loads."""
    library = ctypes.CDLL("libsqlite3.so.0")
    library.sqlite3_libversion.restype = ctypes.c_char_p
    return library.sqlite3_libversion().decode()


def facts(swift):
    """What the figures depend on besides the code, as coarsely as the figures do."""
    version = re.search(r"Swift version (\S+)", output(swift, "--version"))
    return {
        "compiler": f"Swift {version.group(1) if version else 'unknown'}",
        "machine": platform.machine(),
        "libc": os.confstr("CS_GNU_LIBC_VERSION"),
        "sqlite": sqlite_version(),
        "valgrind": output("valgrind", "--version").strip().removeprefix("valgrind-"),
    }


def fixed_addresses():
    """The command that switches off random addresses; nothing where a sandbox forbids that."""
    command = ["setarch", platform.machine(), "-R"]
    try:
        subprocess.run(command + ["true"], capture_output=True, check=True)
        return command
    except (OSError, subprocess.CalledProcessError):
        print("note: random addresses cannot be switched off here; figures may vary a little")
        return []


def workloads(listing):
    """Names, and which threads count, from the text of `gate-bench --list`."""
    return dict(line.split("\t")[:2] for line in listing.splitlines())


def total(profile):
    """The instructions of a profile."""
    found = re.search(r"^totals: (\d+)", profile, re.MULTILINE)
    return int(found.group(1)) if found else 0


def last_lines(text, count=20):
    """The end of what a program has printed: valgrind may print thousands of warnings."""
    return "\n".join(text.strip().splitlines()[-count:])


def count(program, name, threads, folder, prefix):
    """The instructions of one workload; its profile is left in `folder`."""
    profile = folder / f"{name}.callgrind"
    profile.unlink(missing_ok=True)
    command = prefix + [
        "valgrind", "--tool=callgrind", *COUNTING[threads],
        f"--callgrind-out-file={profile}", str(program), name]
    run = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd="/")
    if run.returncode != 0:
        raise GateError(f"{name} ended with status {run.returncode}:\n{last_lines(run.stderr)}")
    instructions = total(profile.read_text())
    if instructions == 0:
        raise GateError(
            f"{name}: nothing was counted; {FUNCTION} was not called, or the program was built "
            "without valgrind/callgrind.h")
    return instructions


def count_all(program, names, folder):
    """The workloads by name, as many at a time as there are processors."""
    known = workloads(output(program, "--list"))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise GateError(f"no workload '{unknown[0]}'; there are {', '.join(known)}")
    names = names or list(known)
    prefix = fixed_addresses()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        counts = pool.map(lambda name: count(program, name, known[name], folder, prefix), names)
        return dict(zip(names, counts))


def bare(program, folder):
    """A copy without debugging facts, which valgrind may not know how to read."""
    copy = folder / "gate-bench"
    subprocess.run([needed("strip", "binutils"), "-g", "-o", copy, program], check=True)
    return copy


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write FILE instead of comparing")
    parser.add_argument("--swift", default="swift", help="the compiler that built PROGRAM")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("workloads", nargs="*", help="count these only")
    arguments = parser.parse_args()
    if arguments.write and arguments.workloads:
        parser.error("--write counts all workloads")
    # First of all: a file that cannot be compared with is no reason to count for minutes.
    recorded = None
    if not arguments.write:
        if not arguments.file.exists():
            raise FileError(f"{arguments.file}: there is no such file")
        recorded = Figures.parse(arguments.file.read_text(), arguments.file)
    needed("valgrind", "valgrind")
    folder = pathlib.Path(".build/bench-gate").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    counted = Figures(
        facts(arguments.swift),
        count_all(bare(arguments.program, folder), arguments.workloads, folder))
    if recorded is None:
        arguments.file.write_text(counted.text)
        print(f"{arguments.file} is written:\n\n{counted.text}")
        return 0
    comparison = Comparison(
        recorded, counted, arguments.file, partial=bool(arguments.workloads))
    print(comparison.table, end="\n\n")
    print("\n".join(comparison.sentences))
    return 1 if comparison.fails else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (FileError, UnicodeDecodeError) as error:
        print(f"error: {error}\n  `make bench-gate-write` writes the file again.", file=sys.stderr)
        sys.exit(2)
    except GateError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
