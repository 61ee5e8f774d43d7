#!/usr/bin/env python3
"""Imports what Debian packages bring along: cron.d, cron.daily and timers.

  packages.py TAKT [--count N] [--keep FOLDER] [PACKAGE...]

The packages are downloaded with apt-get and unpacked, never installed. For each of them, `takt import
--system --all` must read everything; a checker of its own splits the sources by blanks and looks for
each word in the report. The jobs file must be valid, and the next 1,000 times must be those of
systemd-analyze and of croniter, where these are installed. Where nothing can be downloaded, it says so
and exits with 0.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Some of each kind first, so that the first ten are a sample.
PACKAGES = """anacron certbot munin mdadm sysstat php-common man-db postgresql-common apticron logrotate
exim4-base e2fsprogs util-linux dpkg apt systemd prometheus-node-exporter-collectors btrfsmaintenance
snapper ganeti mailman3 xymon cacti sendmail-base logcheck atop tiger cron-apt munin-node debsums
chkrootkit rkhunter aide-common popularity-contest plocate locate awstats amavisd-new cyrus-common inn2
roundcube-core request-tracker5 sanoid borgmatic apt-mirror ntpsec fwupd podman etckeeper dlocate quota
leafnode dma checksecurity lynis systemd-cron backupninja spamassassin apt-show-versions""".split()
FOLDERS = ["etc/cron.d", "etc/cron.hourly", "etc/cron.daily", "etc/cron.weekly", "etc/cron.monthly"]
UNITS = ["lib/systemd/system", "usr/lib/systemd/system"]
CRONTAB = """SHELL=/bin/sh
17 * * * * root cd / && run-parts --report /etc/cron.hourly
25 6 * * * root cd / && run-parts --report /etc/cron.daily
47 6 * * 7 root cd / && run-parts --report /etc/cron.weekly
52 6 1 * * root cd / && run-parts --report /etc/cron.monthly
"""


class Archive:
    """The distribution's packages, with lists of its own: those of the machine stay as they are."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
        (folder / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
        self.is_there = self.run("update").returncode == 0 and any((folder / "lists").glob("*Packages*"))

    def run(self, *words):
        return subprocess.run(
            ["apt-get", "-q", "-o", "APT::Sandbox::User=root", "-o", f"Dir::State::lists={self.folder}/lists",
             "-o", f"Dir::Cache={self.folder}/cache", *words], cwd=self.folder, capture_output=True,
            text=True, timeout=300)

    def download(self, package):
        """The package's file; None where apt-get does not bring it."""
        if self.run("download", package).returncode:
            return None
        return next(iter(self.folder.glob(f"{package}_*.deb")), None)


def has_sources(root):
    return any((root / f).is_dir() and any(p.name != ".placeholder" for p in (root / f).iterdir())
               for f in FOLDERS) or any(list((root / u).glob("*.timer")) for u in UNITS)


def prepare(root):
    """Adds what a machine has beside the package: users, a crontab, an instance of each template."""
    etc = root / "etc"
    etc.mkdir(exist_ok=True)
    users = ["root:x:0:0:root:/root:/bin/sh"]
    names = set()
    for file in (root / "etc/cron.d").glob("*"):
        for line in file.read_text(errors="replace").splitlines():
            words = line.split()
            if len(words) > 6 and not line.lstrip().startswith("#") and "=" not in words[0]:
                names.add(words[1] if words[0].startswith("@") else words[5])
    for folder in UNITS:
        for unit in (root / folder).glob("*.service"):
            if unit.is_file():
                names.update(re.findall(r"^User=(\S+)", unit.read_text(errors="replace"), re.M))
        for timer in (root / folder).glob("*@.timer"):
            wants = root / "etc/systemd/system/timers.target.wants"
            wants.mkdir(parents=True, exist_ok=True)
            link = wants / timer.name.replace("@.", "@15-main.")
            if not link.is_symlink():
                link.symlink_to(f"/{folder}/{timer.name}")
    users += [f"{name}:x:{1000 + n}:{1000 + n}::/var/lib/{name}:/bin/sh"
              for n, name in enumerate(sorted(names - {"root"}))]
    (etc / "passwd").write_text("\n".join(users) + "\n")
    (etc / "crontab").write_text(CRONTAB)


def sources(root, read):
    """The files that are read, each with the signs that begin a comment; `read`: those in the report."""
    yield root / "etc/crontab", "#"
    for file in sorted((root / "etc/cron.d").glob("*")):
        if re.fullmatch(r"[A-Za-z0-9_-]+", file.name):
            yield file, "#"
    if (root / "etc/anacrontab").is_file() and os.access(root / "usr/sbin/anacron", os.X_OK):
        yield root / "etc/anacrontab", "#"
    for folder in UNITS:
        for unit in sorted((root / folder).glob("*.timer")) + sorted((root / folder).glob("*.service")):
            # Services count that some timer starts.
            if unit.is_file() and not unit.is_symlink() and (
                    unit.suffix == ".timer" or os.path.realpath(unit) in read):
                yield unit, "#;"


def unsaid(files, report):
    """Words of the files of which the report says nothing.

    `files`: pairs of a file and the signs that begin a comment, or a function of the paths of the files
    that are in the report.
    """
    covered = {}
    read = set()
    for group in ("kept", "kept_differently", "not_kept"):
        for token in report[group]:
            match = re.fullmatch(r"(.*):(\d+):(\d+)", token["at"])
            if match:
                file, line, column = match[1], int(match[2]), int(match[3])
                read.add(os.path.realpath(file))
                covered.setdefault((os.path.realpath(file), line), []).append(
                    (column, column + max(1, len(token["token"]))))
    for file, signs in files(read) if callable(files) else files:
        text = file.read_bytes().removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip(" \t\r") or line.strip(" \t\r")[0] in signs:
                continue
            places = covered.get((os.path.realpath(file), number), [])
            for word in re.finditer(r"[^ \t\r]+", line):
                if word[0] != "\\" and not any(a <= word.start() + 1 < b for a, b in places):
                    yield f"{file}:{number}:{word.start() + 1}: {word[0]}"


def plain(text):
    return re.sub(r"['\"\\]", "", text)


def missing(report, jobs):
    """Kept commands whose words are not in the jobs file."""
    text = plain("\n".join(l for l in jobs.splitlines() if not l.lstrip().startswith("#")))
    for token in report["kept"]:
        if token["reason"] == "run" and not re.match(r"\S*=|\w+ +=", token["token"]):
            for word in plain(token["token"]).split():
                if word not in text:
                    yield f"{token['at']}: {word}"


def check(takt, root, name):
    """Imports a tree; returns how many jobs there are, how many times were verified, and the mistakes."""
    run = subprocess.run(
        [takt, "import", "--root", str(root), "--system", "--all", "--dialect", "debian", "--verify",
         "--report", "json"], capture_output=True, text=True, timeout=300)
    if run.returncode not in (0, 1):
        return 0, 0, [f"exit status {run.returncode}: {run.stderr[-500:]}"]
    report = json.loads(run.stderr)
    problems = [f"said nothing of {word}" for word in unsaid(lambda read: sources(root, read), report)]
    problems += [f"not in the jobs: {word}" for word in missing(report, run.stdout)]
    problems += [f"{n['at']}: {n['message']}" for n in report["refused"] + report["unreadable"]]
    times = report.get("verification") or []
    problems += [f"{t['job']}: {t['result']} from {t.get('first')}" for t in times if t["result"] == "different"]
    equal = sum(t["result"] == "equal" for t in times)
    open_ = [t["job"] for t in times if t["result"] == "not verified"]
    lost = len(report["not_kept"])
    print(f"{name}: {len(report['jobs'])} jobs, {len(report['kept'])} tokens kept, "
          f"{len(report['kept_differently'])} differently, {lost} not; times of {equal} jobs are equal"
          + (f", {len(open_)} not verified" if open_ else ""))
    return len(report["jobs"]), equal, problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("takt")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    takt = os.path.abspath(options.takt)
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        print("skipped: there is no apt-get here to download packages with")
        return 0
    found, jobs, equal, failures = 0, 0, 0, []
    with tempfile.TemporaryDirectory(prefix="takt-moving-") as scratch:
        folder = pathlib.Path(scratch)
        archive = Archive(folder)
        if not archive.is_there:
            print("skipped: apt-get cannot download packages here")
            return 0
        for package in options.packages:
            if found >= options.count:
                break
            file = archive.download(package)
            if file is None:
                print(f"{package}: cannot be downloaded")
                continue
            root = (options.keep or folder) / f"root-{package}"
            shutil.rmtree(root, ignore_errors=True)
            root.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["dpkg-deb", "-x", str(file), str(root)], check=True)
            file.unlink()
            if not has_sources(root):
                print(f"{package}: nothing to import")
                continue
            prepare(root)
            found += 1
            count, same, problems = check(takt, root, package)
            jobs += count
            equal += same
            failures += [f"{package}: {problem}" for problem in problems]
            if not options.keep:
                shutil.rmtree(root, ignore_errors=True)
    print(f"{found} packages, {jobs} jobs, {equal} with equal times, {len(failures)} mistakes")
    for failure in failures:
        print(f"  {failure}")
    if found < options.count and options.packages is PACKAGES:
        print(f"only {found} of {options.count} packages could be had")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
