#!/usr/bin/env python3
"""Exports 2,000 commands with `takt export --to crontab`, and lets Debian's cron start them.

  exported.py TAKT [--count N] [--seed N] [--cronie CROND]

CROND is a crond of cronie, which then starts them instead. Needs root, and apt-get to download cron, which is unpacked and not installed. cron runs in a mount
namespace of its own, with scratch folders over /etc/cron.d and /var/spool. The shell of each job writes
down the command, the standard input and a variable that cron gave to it. Each must be what the jobs file
says, or the export must have reported it. Without these means it says so and exits with 0.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import packages

BASE = pathlib.Path("/run/exported-test")
RECORDER = """#!/bin/sh
out=/run/exported-test/seen
{ printf '%s\\0' "$2"; cat; printf '\\0%s' "$V"; } > "$out/.$$" && mv "$out/.$$" "$out/$$-$N"
"""
PIECES = ["\\", "\\\\", "%", "\\%", "a", "b c", " ", "\t", "'", '"', "$x", "#", "é", "'\u0301", "%\u0301",
          "\\\u0301", "\r", "-", "|", "{{.Name}}", "\u2028", "d", "=", "  "]
# As many as cron starts at once.
AT_ONCE = 250


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(0)


def text(source, more=()):
    return "".join(source.choice([*PIECES, *more]) for _ in range(source.randint(1, 9)))


def samples(count, seed):
    source = random.Random(seed)
    for number in range(count):
        yield {"command": "c" + text(source), "input": text(source, ["\n"]) if number % 2 else "",
               "value": text(source) if number % 3 else ""}


def jobs_file(part, first):
    lines = [f"defaults: {{cwd: /, shell: [{BASE}/recorder, -c]}}", "jobs:"]
    for number, sample in enumerate(part, first):
        lines += [f"  j{number}:", "    on: boot", f"    run: {json.dumps(sample['command'])}",
                  f"    env: {{HOME: /, MAILTO: '', N: 'j{number}', V: {json.dumps(sample['value'])}}}"]
        if sample["input"]:
            lines.append(f"    stdin: {json.dumps(sample['input'])}")
    return "\n".join(lines) + "\n"


def mount(*words):
    subprocess.run(["mount", *words], check=True, capture_output=True)


def prepare(scratch):
    archive = packages.Archive(scratch)
    package = archive.download("cron") if archive.is_there else None
    if package is None:
        skip("apt-get cannot download cron here")
    subprocess.run(["dpkg-deb", "-x", str(package), str(scratch / "cron")], check=True)
    mount("-t", "tmpfs", "-o", "mode=755", "none", "/run")
    BASE.mkdir()
    (BASE / "recorder").write_text(RECORDER, encoding="utf-8")
    (BASE / "recorder").chmod(0o755)
    for place in ("/etc", "/var/spool"):
        name = place.strip("/").replace("/", "-")
        for layer in ("upper", "work"):
            (BASE / "layers" / f"{name}-{layer}").mkdir(parents=True)
        mount("-t", "overlay", "-o", f"lowerdir={place},upperdir={BASE}/layers/{name}-upper,"
              f"workdir={BASE}/layers/{name}-work", "none", place)
    shutil.rmtree("/etc/cron.d", ignore_errors=True)
    pathlib.Path("/etc/crontab").unlink(missing_ok=True)
    os.makedirs("/etc/cron.d")
    os.makedirs("/var/spool/cron/crontabs", exist_ok=True)
    shutil.copy(scratch / "cron/etc/pam.d/cron", "/etc/pam.d/cron")


def start(command, crontab, names):
    """What cron starts for @reboot, which it does at once, by the name of the job."""
    seen = BASE / "seen"
    shutil.rmtree(seen, ignore_errors=True)
    seen.mkdir()
    pathlib.Path("/etc/cron.d/exported").write_bytes(crontab)
    for name in ("crond.reboot", "cron.reboot", "crond.pid"):
        pathlib.Path("/run", name).unlink(missing_ok=True)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    try:
        while time.monotonic() < end and len([f for f in seen.iterdir() if f.name[0] != "."]) < names:
            time.sleep(0.05)
    finally:
        process.terminate()
        process.wait()
    found = {}
    for file in seen.iterdir():
        if file.name.startswith("."):
            continue
        command, rest = file.read_bytes().split(b"\0", 1)
        given, value = rest.rsplit(b"\0", 1)
        found[file.name.split("-", 1)[1]] = (command, given, value)
    return found


def inside(options):
    failures = lost = 0
    everything = list(samples(options.count, options.seed))
    with tempfile.TemporaryDirectory(prefix="takt-exported-", dir="/var/tmp") as folder:
        scratch = pathlib.Path(folder)
        prepare(scratch)
        for first in range(0, len(everything), AT_ONCE):
            part = everything[first:first + AT_ONCE]
            (scratch / "jobs.yaml").write_text(jobs_file(part, first), encoding="utf-8")
            done = subprocess.run([options.takt, "export", str(scratch / "jobs.yaml"), "--to", "crontab",
                                   "--dialect", "cronie" if options.cronie else "debian"],
                                  capture_output=True, check=False)
            crontab = re.sub(rb"(?m)^@reboot ", b"@reboot root ", done.stdout)
            reported = done.stderr.decode(errors="replace").partition("not kept:")[2]
            without = {(job, key) for job, key in re.findall(r"^  (j\d+): (\w+): ", reported, re.M)}
            wanted = sum(1 for n, _ in enumerate(part, first) if not {(f"j{n}", "run"), (f"j{n}", "stdin")} & without)
            command = [options.cronie, "-n", "-s"] if options.cronie else [str(scratch / "cron/usr/sbin/cron"), "-f"]
            found = start(command, crontab, wanted)
            for number, sample in enumerate(part, first):
                name = f"j{number}"
                if {(name, "run"), (name, "stdin")} & without:
                    lost += 1
                    continue
                given = sample["input"]
                given += "\n" if given and not given.endswith("\n") else ""
                expected = [sample["command"].encode(), given.encode(), sample["value"].encode()]
                seen = list(found.get(name, ()))
                if (name, "env") in without:
                    lost += 1
                    expected, seen = expected[:2], seen[:2]
                if seen != expected:
                    failures += 1
                    print(f"{name}: cron starts {seen}, the jobs file says {expected}")
    print(f"{len(everything)} exported commands under {'cronie' if options.cronie else 'cron'}: {failures} differ, {lost} reported as not kept")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("takt")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=45)
    parser.add_argument("--cronie")
    parser.add_argument("--inside", action="store_true")
    options = parser.parse_args()
    options.takt = os.path.abspath(options.takt)
    if options.inside:
        return inside(options)
    if os.geteuid() != 0:
        skip("this needs root")
    for tool in ("unshare", "apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            skip(f"there is no {tool} here")
    return subprocess.run(
        ["unshare", "--mount", "--propagation", "private", sys.executable, "-B",
         os.path.abspath(__file__), options.takt, "--count", str(options.count), "--seed",
         str(options.seed), *(["--cronie", os.path.abspath(options.cronie)] if options.cronie else []),
         "--inside"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
