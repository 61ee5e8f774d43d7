#!/usr/bin/env python3
"""Starts 500 commands of Debian packages with and without a shell, and compares what they are given.

  commands.py TAKT [--count N]

The commands are those of all packages with files in /etc/cron.d and, where these are too few, the
`ExecStart=` lines of packages with many services. The packages are downloaded with apt-get and
unpacked, never installed. No program of them runs: each path and each name leads to one that writes
down its arguments, environment and folder. takt runs all commands as nobody in scratch folders, first
with `direct: false`, then with `direct: true`. What is written down, the output and the exit status
must be equal. Needs root and cc. Without these means it says so and exits with 0.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import packages

RECORDER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
extern char **environ;
static int order(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }
int main(int count, char **words) {
  char name[4096], folder[4096];
  if (!getenv("RECORD") || !getcwd(folder, sizeof folder)) return 99;
  snprintf(name, sizeof name, "%s/%d", getenv("RECORD"), getpid());
  FILE *file = fopen(name, "wx");
  if (!file) return 98;
  int variables = 0;
  while (environ[variables]) variables++;
  qsort(environ, variables, sizeof *environ, order);
  for (int index = 0; index < count; index++) fprintf(file, "argument %s%c", words[index], 0);
  for (int index = 0; index < variables; index++) fprintf(file, "variable %s%c", environ[index], 0);
  fprintf(file, "folder %s%cstarted by %s", folder, 0, (char *)getauxval(AT_EXECFN));
  fclose(file);
  fprintf(stderr, "an error of %s\n", words[0]);
  printf("output of %s\n", words[0]);
  return count % 3;
}
"""
CONTENTS = {"MetaKey": "$(COMPONENT)/Contents-$(ARCHITECTURE)", "ShortDescription": "Contents",
            "Description": "Contents of $(RELEASE) $(ARCHITECTURE)", "Identifier": "Contents-deb"}
SERVICES = ("lib/systemd/system", "usr/lib/systemd/system")
FIND = "/usr/lib/apt/apt-helper cat-file $@ | grep -aE '^(etc/cron[.]d/|(usr/)?lib/systemd/system/.*[.]service )'"
# Larger packages are left out.
BYTES_MAX = 6_000_000
# Packages that one call of apt-get downloads.
AT_ONCE = 25
TIME = r"(?:@(?:reboot|hourly|daily|weekly|monthly|yearly|annually)|(?:[\d*][\d*/,-]*\s+){3}[\w*/,-]+\s+[\w*/,-]+)"
# Where a path begins that is not in a URL. Only /dev/null stays what it is.
ABSOLUTE = re.compile(r"""(?:(?<=[\s'"=:><(|&;`,!@-])|^)(?=/(?!/))(?!/dev/null\b)""")
# What is before a path here would lead out of the scratch folder.
LEADS_OUT = re.compile(r"\$\{?\w+[^\s/]*/|[\\)`]/|(?<!:)//|\.\./|~")
PATH = r"""[^\s'"=:><(|&;`,)]+"""
# They are other ones for each run.
OWN = ("TAKT_ATTEMPT_ID=", "TAKT_INSTANCE=", "TAKT_RUN=", "TAKT_SLOT=")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(0)


def candidates(archive):
    """Packages with files in /etc/cron.d, then others, those with the most services first."""
    options = [f"Acquire::IndexTargets::deb::Contents-deb::{key}={value}" for key, value in CONTENTS.items()]
    done = archive.run(*(word for option in options for word in ("-o", option)), "update")
    indexes = (archive.folder / "lists").glob("*_Contents-*")
    listed = subprocess.run(["sh", "-c", FIND, "sh", *indexes], capture_output=True, text=True)
    cron, services = set(), collections.Counter()
    for line in listed.stdout.splitlines():
        names = [place.rpartition("/")[2] for place in line.split()[-1].split(",")]
        (cron if line.startswith("etc/") else services).update(names)
    if done.returncode or not cron:
        skip("apt-get cannot download the lists of files here")
    return sorted(cron), [name for name, _ in sorted(services.items(), key=lambda s: (-s[1], s[0]))
                          if name not in cron]


def small(archive, names):
    """Those of the packages that are to be had and are not too large."""
    listed = archive.run("download", "--print-uris", *names).stdout
    sizes = {name: int(size) for name, size in re.findall(r"' ([^\s_]+)_\S+\.deb (\d+) ", listed)}
    return [name for name in names if sizes.get(name, BYTES_MAX + 1) <= BYTES_MAX]


def commands(root):
    """Each command of a package that is unpacked, and where it is from."""
    for file in sorted((root / "etc/cron.d").glob("*")):
        for line in file.read_text(errors="replace").splitlines() if file.is_file() else ():
            if match := re.fullmatch(rf"\s*(#+\s*)?{TIME}\s+[a-z_][\w-]*\s+(\S.*?)\s*", line):
                # As cron reads it: a '%' ends the command.
                text = re.split(r"(?<!\\)%", match[2])[0].replace("\\%", "%")
                yield text, "of lines in comments of cron.d" if match[1] else "of cron.d"
    for folder in SERVICES:
        for unit in sorted((root / folder).glob("*.service")):
            if unit.is_file() and not unit.is_symlink():
                text = re.sub(r"\\\n\s*", " ", unit.read_text(errors="replace"))
                for line in re.findall(r"^ExecStart=[-@:+!|]*(\S.*?)\s*$", text, re.M):
                    yield line, "of services"


def collect(archive, count):
    """Different commands by their text, each with where it is from and its package."""
    found, left_out = {}, {}
    for names, wanted in zip(candidates(archive), (sys.maxsize, count)):
        names = small(archive, names)
        for first in range(0, len(names), AT_ONCE):
            if len(found) >= wanted:
                break
            archive.run("download", *names[first:first + AT_ONCE])
            for file in sorted(archive.folder.glob("*.deb")):
                root = archive.folder / "root"
                subprocess.run(["dpkg-deb", "-x", str(file), str(root)], check=True)
                for text, kind in commands(root):
                    kept = left_out if LEADS_OUT.search(text) else found
                    kept.setdefault(text, (kind, file.name.partition("_")[0]))
                shutil.rmtree(root)
                file.unlink()
    return found, left_out


class World:
    """Scratch folders in which each program is the recorder."""

    def __init__(self, folder, texts):
        self.folder = folder
        folder.chmod(0o755)
        subprocess.run(["cc", "-static", "-x", "c", "-o", folder / "recorder", "-"], input=RECORDER.encode(), check=True)
        (folder / "bin").mkdir()
        for name in {word for text in texts for word in re.findall(r"[\w.+-]+", text)} - {".", ".."}:
            (folder / "bin" / name[:200]).symlink_to(folder / "recorder")
        self.texts = [ABSOLUTE.sub(f"{folder}/work/{number}", text) for number, text in enumerate(texts)]

    def jobs_file(self, is_direct):
        file = self.folder / f"direct-{is_direct}.yaml"
        lines = ["scheduler: {state: none, max_running: 4}", f"defaults: {{user: nobody, timeout: 60s, direct: "
                 f"{json.dumps(is_direct)}, env: {{PATH: {self.folder}/bin}}}}", "jobs:"]
        for number, text in enumerate(self.texts):
            home = f"{self.folder}/work/{number}"
            lines += [f"  j{number}:", "    on: start", f"    run: {json.dumps(text)}", f"    cwd: {home}",
                      f"    env: {{HOME: {home}, RECORD: {self.folder}/seen/{number}}}"]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file

    def prepare(self):
        """The folders of each command, as the run before had them."""
        before = os.umask(0)
        for name in ("work", "seen"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for number, text in enumerate(self.texts):
            home = f"{self.folder}/work/{number}"
            os.makedirs(f"{self.folder}/seen/{number}")
            os.makedirs(home)
            # Where systemd runs, most commands of cron.d do nothing.
            path = rf"['\"]?({re.escape(home)}(?!/run/systemd/system\b){PATH})"
            folders = re.findall(rf"(?:\bcd|-d)\s+{path}", text)
            programs = re.findall(rf"(?:^|[|&;(`!]|-x|\b(?:then|do|else|exec)|=\w+)\s*{path}", text)
            for name in folders + [os.path.dirname(name) for name in re.findall(path, text)]:
                os.makedirs(name, exist_ok=True)
            for name in programs:
                if not os.path.lexists(name):
                    os.symlink(self.folder / "recorder", name)
            for name in re.findall(rf"(?:-[efrs]|(?:^|\s)\.)\s+{path}", text):
                pathlib.Path(name).touch()
        os.umask(before)

    def run(self, takt, is_direct):
        """The result, the output and what was written down, of each command."""
        self.prepare()
        ends, output = {}, collections.defaultdict(list)
        process = subprocess.Popen([takt, "run", self.jobs_file(is_direct), "--log-format", "json"],
                                   stdout=subprocess.PIPE, text=True, errors="surrogateescape", cwd=self.folder)
        watch = threading.Timer(600, process.kill)
        watch.start()
        for line in process.stdout:
            record = json.loads(line)
            if record["event"] == "output":
                output[record["job"]].append(f"{record['stream']} {record['line']}")
            elif record["event"] == "run" and record["to"] == "ended":
                ends[record["job"]] = record.get("reason", record["outcome"])
                if len(ends) == len(self.texts):
                    process.terminate()
        watch.cancel()
        process.wait()
        return [self.seen(number, ends.get(f"j{number}", "never"), output[f"j{number}"])
                for number in range(len(self.texts))]

    def seen(self, number, end, output):
        # Programs of a pipe run side by side, in any order.
        records = sorted(file.read_bytes().decode(errors="surrogateescape").split("\0")
                         for file in (self.folder / "seen" / str(number)).iterdir())
        return [f"ended {end}", *sorted(output), *(
            repr(part) for record in records for part in record
            if not part.removeprefix("variable ").startswith(OWN))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("takt", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=500)
    options = parser.parse_args()
    if os.geteuid() != 0:
        skip("this needs root")
    if not all(map(shutil.which, ("apt-get", "dpkg-deb", "cc"))):
        skip("there is no apt-get, dpkg-deb or cc here")
    with tempfile.TemporaryDirectory(prefix="takt-commands-") as name:
        folder = pathlib.Path(name)
        archive = packages.Archive(folder / "archive")
        if not archive.is_there:
            skip("apt-get cannot download packages here")
        found, left_out = collect(archive, options.count)
        world = World(folder, list(found))
        by_shell, directly = world.run(options.takt, False), world.run(options.takt, True)
        check = subprocess.check_output([options.takt, "check", "--verbose", world.jobs_file(True)], text=True)
        direct = {int(n) for n in re.findall(r"^j(\d+): runs without a shell$", check, re.M)}
    failures = 0
    for number, text in enumerate(found):
        if by_shell[number] != directly[number] or by_shell[number][0] == "ended never":
            failures += 1
            print(f"{found[text][1]}: {text}\n  differs {'without' if number in direct else 'with'} a shell")
            one, other = collections.Counter(by_shell[number]), collections.Counter(directly[number])
            print(*(f"  shell: {l}" for l in one - other), *(f"  direct: {l}" for l in other - one), sep="\n")
    kinds = collections.Counter(kind for kind, _ in found.values()).most_common()
    names = sorted({package for _, package in found.values()})
    recorded = sum(any(line.startswith("'argument ") for line in lines) for lines in directly)
    print(f"packages: {' '.join(names)}\n{len(left_out)} commands left out, which might reach outside")
    print(f"{len(found)} commands ({', '.join(f'{n} {kind}' for kind, n in kinds)}) of {len(names)} packages: "
          f"{len(direct)} started without a shell, {recorded} wrote down what they were given, "
          f"{failures} differ")
    if len(found) < options.count:
        print(f"only {len(found)} of {options.count} commands could be had")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
