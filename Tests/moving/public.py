#!/usr/bin/env python3
"""Imports files that others wrote: crontabs, timers and manifests of public repositories.

  public.py FOLDER TAKT [--keep FOLDER]

FOLDER has a folder for each kind of file, called like a word of `--from`: cron.d, crontab, anacrontab,
supercronic, k8s, yacron, ofelia, dkron, launchd, github, systemd. In `systemd` a timer lies beside its
service, in a folder of its own.
Crontabs are read as Debian's cron and as cronie read them.

Whatever a file says, the import ends with 0 or 1, or with 78 and a line and a column; each word of the
source is in the report; `takt check` accepts the jobs; and the next 1,000 times are those of croniter
and systemd-analyze, where these are installed. A reader of its own splits crontabs, and compares the
command, its input, the user and the variables with those of the jobs; values of YAML files are found
with PyYAML.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import packages

try:
    import yaml
except ImportError:
    yaml = None

CRONTABS = ["cron.d", "crontab"]
YAML = ["k8s", "yacron"]
# Their words are not compared: what they say of times and commands stands in keys of many kinds.
KEYED = ["ofelia", "dkron", "launchd", "github"]
KINDS = CRONTABS + ["anacrontab", "supercronic", *YAML, *KEYED, "systemd"]
SECONDS_MAX = 300
# Written by a program before cron or systemd read it.
TEMPLATE = re.compile(rb"\{\{|\{%|<%|@[A-Z][A-Z0-9_]+@|#[A-Z_]+#|__[A-Z_]+__")


class Case:
    """One file, in a tree of its own with the users that it names."""

    def __init__(self, kind, file, dialect=None):
        self.kind, self.file, self.dialect = kind, file, dialect
        self.name = f"{kind}/{file.name}" + (f" ({dialect})" if dialect else "")
        self.problems = []

    def plant(self, root):
        """Copies the file into the tree; returns its path there."""
        if self.kind == "systemd":
            folder = root / "usr/lib/systemd/system"
            shutil.copytree(self.file.parent, folder)
            place = folder / self.file.name
        else:
            place = root / ("etc/cron.d/public" if self.kind == "cron.d" else f"srv/public.{self.kind}")
            place.parent.mkdir(parents=True)
            shutil.copyfile(self.file, place)
        packages.prepare(root)
        return place

    def run(self, takt, keep):
        with tempfile.TemporaryDirectory(prefix="takt-public-") as scratch:
            root = pathlib.Path(scratch)
            place = self.plant(root)
            words = [takt, "import", "--root", scratch, "--from", self.kind, "--report", "json"]
            words += ["--dialect", self.dialect] if self.dialect else []
            words += ["--verify"] if self.dialect != "cronie" else []
            try:
                run = subprocess.run(words + [str(place.relative_to(root))], capture_output=True,
                                     timeout=SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.problems.append(f"takes longer than {SECONDS_MAX} seconds")
                return self
            self.status = run.returncode
            self.text = run.stdout.decode()
            if self.status not in (0, 1, 78):
                self.problems.append(f"exit status {self.status}: {run.stderr[-500:]}")
                return self
            self.report = json.loads(run.stderr)
            if keep:
                base = keep / re.sub(r"[^A-Za-z0-9._+-]", "_", self.name.replace("/", "+", 1))
                base.with_suffix(base.suffix + ".yaml").write_text(self.text)
                base.with_suffix(base.suffix + ".json").write_text(json.dumps(self.report, indent=1))
            self.check(takt, root, place)
        return self

    def check(self, takt, root, place):
        for unreadable in self.report["unreadable"]:
            if not re.search(r":\d+:\d+$", unreadable["at"]):
                self.problems.append(f"no line and column: {unreadable['at']}: {unreadable['message']}")
        if (self.status == 78) != bool(self.report["unreadable"]):
            self.problems.append(f"exit status {self.status}, {len(self.report['unreadable'])} unreadable")
        if self.kind in YAML:
            self.problems += [f"said nothing of {v}" for v in unsaid_values(place, self.report)]
        elif self.kind not in KEYED:
            files = own_units(place) if self.kind == "systemd" else [(place, "#")]
            self.problems += [f"said nothing of {word}" for word in packages.unsaid(files, self.report)]
            if not yaml or self.kind not in CRONTABS:
                self.problems += [f"not in the jobs: {w}" for w in packages.missing(self.report, self.text)]
        self.problems += [f"{n['at']}: {n['message']}" for n in self.report["refused"]]
        self.problems += [f"{t['job']}: other times from {t.get('first')} on" for t in self.times("different")]
        if yaml and self.kind in CRONTABS:
            self.problems += list(other_meanings(self, place))
        jobs = root / "jobs.yaml"
        # The users and files are those of the tree, and not of this machine.
        jobs.write_text(re.sub(r"(?m)^ +(user|group|env_file): .*\n", "", self.text))
        run = subprocess.run([takt, "check", str(jobs)], capture_output=True, text=True, timeout=60)
        if run.returncode:
            self.problems.append(f"takt check: {(run.stdout + run.stderr)[:500]}")

    def times(self, result):
        return [t for t in self.report.get("verification") or [] if t["result"] == result]

    @property
    def is_template(self):
        return bool(TEMPLATE.search(self.file.read_bytes()))


def own_units(place):
    """The timer and what it starts, once the report has them."""
    def files(read):
        for unit in sorted(place.parent.rglob("*")):
            if unit.is_file() and (unit == place or os.path.realpath(unit) in read):
                yield unit, "#;"
    return files


# MARK: Values of YAML files

def unsaid_values(file, report):
    """Values of a YAML file of which the report says nothing."""
    if yaml is None or report["unreadable"]:
        return
    said = {t["at"] for group in ("kept", "kept_differently", "not_kept") for t in report[group]}

    def walk(node, place):
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                yield from walk(value, key.start_mark)
        elif isinstance(node, yaml.SequenceNode):
            for value in node.value:
                yield from walk(value, value.start_mark)
        elif not node.tag.endswith(":null"):
            at = f"{file}:{place.line + 1}:{place.column + 1}"
            if at not in said:
                yield f"{at}: {node.value[:60]}"

    for document in yaml.compose_all(file.read_bytes(), Loader=yaml.SafeLoader):
        if document is not None:
            yield from walk(document, document.start_mark)


# MARK: Crontabs, as cron reads them

def variable(line, dialect):
    """`NAME = value`, or None."""
    match = re.fullmatch(r"(?:(['\"])([^=]*?)\1|([^'\"= \t][^= \t]*|))[ \t]*=[ \t]*(.*)", line)
    if not match:
        return None
    name, value = match[2] if match[1] else match[3], match[4]
    if not value and dialect == "debian":
        return None
    if value[:1] in ("'", '"'):
        if len(value) < 2 or value.find(value[0], 1) != len(value) - 1:
            return None
        value = value[1:-1]
        if dialect == "debian":
            value = value.rstrip(" \t")
            if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
                value = value[1:-1]
    return name, value


def entries(data, dialect, has_user):
    """The commands of a crontab: line number, user, command, input and variables."""
    variables = {}
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            line = raw.removesuffix(b"\r").decode().strip(" \t")
        except UnicodeDecodeError:
            continue
        if not line or line[0] == "#" or "\0" in line:
            continue
        found = variable(line, dialect)
        if found:
            variables[found[0]] = found[1]
            continue
        if dialect == "cronie":
            line = line.removeprefix("-").lstrip(" \t")
        # Blanks at the end are part of the command.
        line += raw.removesuffix(b"\r").decode()[len(raw.removesuffix(b"\r").decode().rstrip(" \t")):]
        words = re.match(r"(@\S+|(?:[^ \t]+[ \t]+){4}[^ \t]+)[ \t]+(.*)", line)
        if not words:
            continue
        user, rest = None, words[2]
        if has_user:
            parts = re.match(r"([^ \t]+)[ \t]+(.+)", rest)
            if not parts:
                continue
            user, rest = parts[1], parts[2]
        if dialect == "cronie":
            rest = re.sub(r"^-n[ \t]+", "", rest)
        yield number, user, *split(rest, dialect), dict(variables)


def split(text, dialect):
    """The command, and its input after the first `%`."""
    pattern = r"\\[%\\]" if dialect == "debian" else r"\\%"
    parts = re.split(r"((?:\\.|[^%\\])*\\?)", text, maxsplit=1, flags=re.S)
    command, rest = parts[1], parts[2]
    command = re.sub(r"\\(.)", lambda m: m[1] if re.fullmatch(pattern, m[0]) else m[0], command)
    if not rest.startswith("%"):
        return command, None
    given = re.sub(r"\\?%", lambda m: "%" if m[0] == "\\%" else "\n", rest[1:])
    return command, given + ("\n" if given and given[-1] != "\n" else "")


def other_meanings(case, place):
    """Where the jobs have another command, input, user or variable than the crontab."""
    # Texts as they stand: YAML 1.1 has other words for true and false.
    file = yaml.load(case.text, Loader=yaml.BaseLoader)
    defaults, jobs = file.get("defaults") or {}, file.get("jobs") or {}
    names = {}
    for group in ("kept", "kept_differently"):
        for token in case.report[group]:
            if token.get("job") and token["reason"] == "run":
                names[int(token["at"].split(":")[-2])] = token["job"]
    lost = {int(t["at"].split(":")[-2]) for t in case.report["not_kept"]}
    for number, user, command, given, variables in entries(place.read_bytes(), case.dialect,
                                                           case.kind == "cron.d"):
        if number not in names:
            if number not in lost:
                yield f"line {number}: no job, and nothing is said"
            continue
        job = jobs[names[number]]
        value = lambda key: job.get(key, defaults.get(key))
        variables = {k: v for k, v in variables.items() if k != "LOGNAME" and (k != "USER" or case.dialect == "debian")}
        expected = {"SHELL": "/bin/sh", "PATH": "/usr/bin:/bin", **variables}
        own = {**(defaults.get("env") or {}), **(job.get("env") or {})}
        for what, left, right in [
                ("run", job.get("run"), command if command.strip() else ":"),
                ("stdin", job.get("stdin"), given),
                ("user", job.get("user"), user),
                ("shell", job.get("shell", defaults.get("shell")),
                 variables["SHELL"] if variables.get("SHELL", "/bin/sh") != "/bin/sh" else None),
                ("hooks", value("on_failure") is None, variables.get("MAILTO") == ""),
                ("env", {k: own.get(k) for k in expected}, expected)]:
            if left != right:
                yield f"line {number}: {what}: {left!r}, not {right!r}"


def cases(folder):
    for kind in KINDS:
        if kind == "systemd":
            for timer in sorted((folder / kind).rglob("*.timer")):
                yield Case(kind, timer)
        for file in sorted((folder / kind).glob("*")) if kind != "systemd" else []:
            if file.is_file():
                for dialect in ("debian", "cronie") if kind in CRONTABS else (None,):
                    yield Case(kind, file, dialect)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("takt")
    parser.add_argument("--keep", type=pathlib.Path, help="where the jobs files and reports are kept")
    options = parser.parse_args()
    takt = os.path.abspath(options.takt)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    if yaml is None:
        print("without PyYAML: values of YAML files, and commands of crontabs, are not compared")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda case: case.run(takt, options.keep), cases(options.folder)))
    for kind in KINDS:
        mine = [c for c in done if c.kind == kind]
        if not mine:
            continue
        good = [c for c in mine if hasattr(c, "report")]
        status = collections.Counter(c.status for c in mine if hasattr(c, "status"))
        total = lambda key: sum(len(c.report[key]) for c in good)
        print(f"{kind}: {len({c.file for c in mine})} files, {total('jobs')} jobs; {total('kept')} words kept, "
              f"{total('kept_differently')} differently, {total('not_kept')} not; times of "
              f"{sum(len(c.times('equal')) for c in good)} jobs are equal, "
              f"{sum(len(c.times('not verified')) for c in good)} not verified; exit status "
              + ", ".join(f"{s}: {n}" for s, n in sorted(status.items())))
    for case in done:
        if case.is_template and case.dialect != "cronie" and hasattr(case, "report"):
            print(f"  a template, exit status {case.status}, {len(case.report['jobs'])} jobs: {case.name}")
    failures = [f"{case.name}: {problem}" for case in done for problem in case.problems]
    print(f"{len({c.file for c in done})} files, {len(done)} imports, {len(failures)} mistakes")
    for failure in failures:
        print(f"  {failure}")
    return 1 if failures or not done else 0


if __name__ == "__main__":
    sys.exit(main())
