#!/usr/bin/env python3
"""Runs twenty crontab lines under Debian's cron and, imported, under takt, and compares what they see.

  beside_cron.py TAKT

Needs root, and apt-get to download cron, which is unpacked and not installed. Both run in a mount
namespace of their own, with scratch folders over /etc/cron.d, /var/spool/cron and sendmail. Each job
writes down its environment, folder, user, groups, mask, standard input and arguments; sendmail writes
down the mails. Without these means it says so and exits with 0.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import packages

PROBE = r"""#!/bin/sh
# probe NAME [ARGUMENT...]: writes down what a job sees.
name=$1; out=$(readlink /run/moving-test/now)/$name
{
  echo "cwd $(pwd)"; echo "user $(id -un)"; echo "groups $(id -Gn)"; echo "umask $(umask)"
  for argument; do echo "argument $argument"; done
  echo "stdin $(od -An -c | tr -s ' \n' ' ')"
  env | LC_ALL=C sort | sed 's/^/env /'
} > "$out.part" 2>&1
echo "hello from $name"
mv "$out.part" "$out"
"""
SENDMAIL = r"""#!/bin/sh
# Writes down the mail's recipients and body.
mail=$(cat); out=$(readlink /run/moving-test/now)/mails
printf '%s\n' "$mail" | awk -v out="$out" '
  /^$/ && !body { body = 1; next }
  !body && /^To: / { to = $0 }
  body { text = text $0 "\n" }
  END { split(text, words, " "); file = out "/" words[3]; print to > file; printf "%s", text > file }'
"""
LINES = r"""
* * * * * root /run/moving-test/probe plain
* * * * * nobody /run/moving-test/probe other-user
* * * * * daemon /run/moving-test/probe daemon
* * * * * root /run/moving-test/probe percent \% 100\% a\\b "c\\d" 'e\\f' \\\\
* * * * * root /run/moving-test/probe input%one%two \% three\\four\n
* * * * * root /run/moving-test/probe empty-input%
* * * * * root cd /usr && /run/moving-test/probe changed-folder
* * * * * root /run/moving-test/probe quotes 'a b' "c d" e\ f # no comment
* * * * * root A=1 /run/moving-test/probe inline
* * * * * root umask 077; /run/moving-test/probe masked
* * * * * root /run/moving-test/probe fails; exit 3
A=one
B = "  two words  "
'C' = 'three'
D=$HOME/bin  # with 'a' "b"
E="'inner'"
* * * * * root /run/moving-test/probe variables
A=other
* * * * * nobody /run/moving-test/probe later-variables
HOME=/usr
* * * * * root /run/moving-test/probe home
PATH=/bin:/usr/bin:/opt/bin
* * * * * root /run/moving-test/probe path
SHELL=/bin/bash
* * * * * root [[ a == a ]] && /run/moving-test/probe shell
MAILTO=ops@example.org
* * * * * root /run/moving-test/probe mail-to
MAILTO=""
* * * * * root /run/moving-test/probe no-mail
"""
USER_LINES = r"""LANG=C.UTF-8
* * * * * /run/moving-test/probe user-crontab
@reboot /run/moving-test/probe at-reboot
"""
# What takt adds for its own: a name for each run, and the user as a login does.
OWN = ("env TAKT_", "env USER=", "env PWD=", "env OLDPWD=", "env SHLVL=", "env _=")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(0)


def in_namespace(takt):
    """The rest runs where mounts are this process's own."""
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, "-B",
                          os.path.abspath(__file__), takt, "--inside"])


def mount(*words):
    subprocess.run(["mount", *words], check=True, capture_output=True)


def prepare(scratch):
    base = pathlib.Path("/run/moving-test")
    base.mkdir(exist_ok=True)
    mount("-t", "tmpfs", "-o", "mode=755", "none", str(base))
    for side in ("cron", "takt"):
        (base / side / "mails").mkdir(parents=True)
        for folder in (base / side, base / side / "mails"):
            folder.chmod(0o1777)
    for name, text in (("probe", PROBE), ("sendmail", SENDMAIL)):
        (base / name).write_text(text)
        (base / name).chmod(0o755)
    archive = packages.Archive(scratch)
    package = archive.download("cron") if archive.is_there else None
    if package is None:
        skip("apt-get cannot download cron here")
    subprocess.run(["dpkg-deb", "-x", str(package), str(scratch / "cron")], check=True)
    # Over the machine's own folders, for this namespace alone.
    for place in ("/etc", "/var/spool", "/usr/sbin"):
        name = place.strip("/").replace("/", "-")
        for part in ("upper", "work"):
            (base / "layers" / f"{name}-{part}").mkdir(parents=True)
        mount("-t", "overlay", "-o", f"lowerdir={place},upperdir={base}/layers/{name}-upper,"
              f"workdir={base}/layers/{name}-work", "none", place)
    shutil.rmtree("/etc/cron.d", ignore_errors=True)
    os.makedirs("/etc/cron.d")
    pathlib.Path("/etc/crontab").unlink(missing_ok=True)
    shutil.copy(scratch / "cron/etc/pam.d/cron", "/etc/pam.d/cron")
    pathlib.Path("/usr/sbin/sendmail").unlink(missing_ok=True)
    shutil.copy(base / "sendmail", "/usr/sbin/sendmail")
    pathlib.Path("/etc/cron.d/moving").write_text(LINES)
    os.makedirs("/var/spool/cron/crontabs", exist_ok=True)
    spool = pathlib.Path("/var/spool/cron/crontabs/root")
    spool.write_text(USER_LINES)
    spool.chmod(0o600)
    return base


def wait(base, side, names, seconds=150):
    """Waits until each job has written down what it saw, and the mails are there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        there = {p.name for p in (base / side).iterdir() if p.is_file() and not p.name.endswith(".part")}
        mails = {p.name for p in (base / side / "mails").iterdir()}
        if names <= there and names - {"no-mail"} <= mails:
            return
        time.sleep(0.5)
    missing = sorted(names - there) or sorted(f"mail {n}" for n in names - {"no-mail"} - mails)
    print(f"{side}: never came: {', '.join(missing)}")


def seen(base, side):
    result = {}
    for file in (base / side).iterdir():
        if file.is_file():
            lines = file.read_text(errors="replace").splitlines()
            result[file.name] = [line for line in lines if not line.startswith(OWN)]
    mails = {p.name: p.read_text() for p in (base / side / "mails").iterdir()}
    return result, mails


def run(base, side, command, names, **keywords):
    (base / "now").unlink(missing_ok=True)
    (base / "now").symlink_to(base / side)
    process = subprocess.Popen(command, start_new_session=True, **keywords)
    try:
        wait(base, side, names)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def inside(takt):
    names = {line.split("/probe ")[1].split()[0].split("%")[0].rstrip(";")
             for line in (LINES + USER_LINES).splitlines() if "/probe " in line}
    with tempfile.TemporaryDirectory(prefix="takt-beside-") as folder:
        scratch = pathlib.Path(folder)
        base = prepare(scratch)
        pathlib.Path("/run/crond.reboot").unlink(missing_ok=True)
        run(base, "cron", [str(scratch / "cron/usr/sbin/cron"), "-f"], names)
        pathlib.Path("/run/crond.reboot").unlink(missing_ok=True)
        pathlib.Path("/run/crond.pid").unlink(missing_ok=True)
        imported = subprocess.run(
            [takt, "import", "--from", "cron.d", "/etc/cron.d/moving",], capture_output=True, text=True)
        user = subprocess.run(
            [takt, "import", "/var/spool/cron/crontabs/root"], capture_output=True, text=True)
        if imported.returncode or user.returncode:
            print(imported.stderr, user.stderr)
            return 1
        (scratch / "jobs.yaml").write_text(imported.stdout)
        (scratch / "user.yaml").write_text(user.stdout)
        os.chmod(scratch, 0o755)
        (scratch / "main.yaml").write_text("include: [jobs.yaml, user.yaml]\njobs: {}\n")
        run(base, "takt", [takt, "run", str(scratch / "main.yaml")], names,
            stdout=subprocess.DEVNULL)
        return compare(base, names)


def compare(base, names):
    cron, cron_mails = seen(base, "cron")
    own, own_mails = seen(base, "takt")
    failures = 0
    for name in sorted(names):
        before, after = cron.get(name), own.get(name)
        if before != after:
            failures += 1
            print(f"{name}: differs")
            for line in before or ["nothing"]:
                if line not in (after or []):
                    print(f"  cron: {line}")
            for line in after or ["nothing"]:
                if line not in (before or []):
                    print(f"  takt: {line}")
        if cron_mails.get(name) != own_mails.get(name):
            failures += 1
            print(f"{name}: the mails differ\n  cron: {cron_mails.get(name)!r}\n  takt: {own_mails.get(name)!r}")
    print(f"{len(names)} jobs under cron and under takt: {failures} differences in environment, folder, "
          "user, groups, mask, standard input, arguments and mail")
    return 1 if failures else 0


def main():
    takt = os.path.abspath(sys.argv[1])
    if "--inside" in sys.argv:
        return inside(takt)
    if os.geteuid() != 0:
        skip("this needs root")
    for tool in ("unshare", "apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            skip(f"there is no {tool} here")
    in_namespace(takt)


if __name__ == "__main__":
    sys.exit(main())
