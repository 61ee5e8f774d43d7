"""The Debian package on a machine with systemd: what administrators do with the service."""
import re
import shutil

from examples import example
from machine import Machine
from scratch import ROOT, await_true, check

# The last attempt's output says which control group the job is in.
JOBS = """scheduler: {state: /var/lib/takt}
jobs:
  tick: {every: 1s, first: now, run: "true"}
  long: {every: 2s, first: now, run: sleep 6}
  where: {every: 1s, first: now, run: "grep ^0:: /proc/self/cgroup"}
  write: {every: 1s, first: now, run: "touch /usr/written && echo written"}
  other: {every: 1s, first: now, user: daemon, group: daemon, run: id -un}
"""
FILE = "/etc/takt/jobs.yaml"


class Service:
    """takt's service on a machine."""

    def __init__(self, machine):
        self.machine = machine

    def show(self, *names):
        """Values of systemd's about the unit."""
        lines = self.machine.succeed(
            f"systemctl show takt {' '.join(f'-p {name}' for name in names)}").splitlines()
        values = dict(line.split("=", 1) for line in lines)
        return values[names[0]] if len(names) == 1 else values

    @property
    def is_active(self):
        return self.show("ActiveState") == "active"

    @property
    def status(self):
        """What takt says of itself to systemd."""
        return self.show("StatusText")

    @property
    def pid(self):
        return self.show("MainPID")

    def runs(self, job):
        """How many runs of a job have succeeded."""
        return self.machine.call(f"takt runs {job} -f {FILE} -n 1000 --json")[1].count(
            '"succeeded"')

    def await_runs(self, sentence, job, more=2):
        count = self.runs(job)
        await_true(sentence, lambda: self.runs(job) >= count + more)

    def output(self, job):
        """What the last run has printed, without the line that names the run."""
        return self.machine.call(f"takt logs {job} --file {FILE}")[1].partition("\n")[2].strip()

    def check_ledger(self, when):
        status, report = self.machine.call(f"takt verify -f {FILE}")
        check(status == 0, f"takt verify is clean {when}: {report.strip().splitlines()[-1]}")

    def set_up(self, *lines):
        """A drop-in of the test's own."""
        self.machine.write("etc/systemd/system/takt.service.d/test.conf",
                           "[Service]\n" + "\n".join(lines) + "\n")
        self.machine.succeed("systemctl daemon-reload && systemctl restart takt")


def test(package, newer):
    with Machine() as machine:
        machine.boot()
        before = machine.listing()
        takt = Service(machine)
        install(machine, takt, package)
        start(machine, takt)
        watchdog(machine, takt)
        reload(machine, takt)
        limits_of_the_unit(machine, takt)
        upgrade(machine, takt, newer)
        machine.power_off()
        machine.boot()
        check(takt.is_active, "it starts at the next boot")
        takt.await_runs("jobs run again", "tick")
        takt.check_ledger("over the power cut")
        remove(machine, takt, before)


def install(machine, takt, package):
    """By the commands of docs/installing.md."""
    (machine.path / "root/.build/packages").mkdir(parents=True)
    shutil.copy(package, machine.path / "root/.build/packages")
    # What somebody writes in the editor.
    machine.write("usr/local/bin/editor", f"#!/bin/sh\ncat >\"$1\" <<'END'\n{JOBS}END\n")
    (machine.path / "usr/local/bin/editor").chmod(0o755)
    commands = example("installing.md", "sudo dpkg -i").splitlines()
    for command in commands:
        command = command.replace("takt_0.2.0_amd64.deb", package.name)
        machine.succeed(command)
        print(f"  ok  {command}", flush=True)
        if command == commands[0]:
            check(takt.is_active and takt.status == "0 jobs", "which starts it, without jobs")
    await_true("which applies the jobs", lambda: takt.status == "5 jobs")
    check(machine.call("systemctl is-enabled takt")[1].strip() == "enabled",
          "and at each boot")


def start(machine, takt):
    machine.succeed(f"systemctl stop takt && mv {FILE} /root/kept")
    machine.succeed("systemctl start takt")
    check(not takt.is_active and takt.show("ConditionResult") == "no",
          "without a jobs file it does not start, and that is no failure")
    check(machine.call("systemctl is-failed takt")[1].strip() != "failed", "systemd agrees")
    machine.write(FILE, "jobs: {bad: {evry: 1s, run: 'true'}}\n")
    status, _ = machine.call("systemctl start takt")
    words = machine.succeed("journalctl -u takt -n 20 --no-pager -o cat")
    check(status != 0 and "did you mean 'every'?" in words,
          "with mistakes in the file it fails, and the journal names them")
    check(takt.show("NRestarts") == "0", "it is not started again for the same mistakes")
    machine.write(FILE, JOBS)
    machine.succeed("systemctl disable takt && systemctl enable --now takt")
    check(takt.is_active and takt.status == "5 jobs",
          "`systemctl enable --now` returns when the jobs are running: STATUS=5 jobs")
    takt.await_runs("jobs run", "tick")
    check("/takt.service/" in takt.output("where"),
          f"each attempt has a control group below the unit's: {takt.output('where')}")


def watchdog(machine, takt):
    first = takt.show("WatchdogTimestampMonotonic")
    await_true("it feeds the watchdog",
               lambda: takt.show("WatchdogTimestampMonotonic") not in ("0", first))
    takt.set_up("WatchdogSec=2s")
    takt.await_runs("jobs run with a watchdog of 2 s", "tick")
    pid = takt.pid
    machine.succeed(f"kill -STOP {pid}")
    await_true("a daemon that hangs is ended and started again",
               lambda: takt.show("NRestarts") == "1" and takt.is_active and takt.pid != pid)
    takt.await_runs("its jobs run again", "tick")
    takt.check_ledger("over that")


def reload(machine, takt):
    pid = takt.pid
    more = JOBS + '  more: {every: 1s, first: now, run: "true"}\n'
    machine.write(FILE, more)
    machine.succeed("systemctl reload takt")
    await_true("`systemctl reload` adds a job", lambda: takt.status == "6 jobs")
    takt.await_runs("which runs", "more")
    machine.write(FILE, more + "  bad: {evry: 1s}\n")
    status, _ = machine.call("systemctl reload takt")
    words = machine.succeed("journalctl -u takt -n 50 --no-pager -o cat")
    check(status != 0 and "did you mean 'every'?" in words,
          "of a file with mistakes `systemctl reload` fails, and the journal names them")
    await_true("it changes nothing, and systemctl status says so",
               lambda: takt.status == "6 jobs; the last reload was refused, see the log")
    takt.await_runs("the jobs run on", "more")
    machine.write(FILE, JOBS)
    machine.succeed("systemctl reload takt")
    await_true("the next reload is accepted", lambda: takt.status == "5 jobs")
    check(takt.pid == pid, "all in one process")


def limits_of_the_unit(machine, takt):
    """The hardened drop-in, by the commands of docs/installing.md."""
    check(takt.output("write") == "written", "without the drop-in a job can write to /usr")
    machine.succeed("rm /usr/written && mkdir -p /root/packaging/systemd")
    drop_in = "packaging/systemd/hardened.conf"
    machine.write(f"root/{drop_in}", (ROOT / drop_in).read_text())
    for command in example("installing.md", "sudo install -D").splitlines():
        machine.succeed(command)
        print(f"  ok  {command}", flush=True)
    print("      " + machine.succeed("systemd-analyze security takt --no-pager | tail -1").strip())
    takt.await_runs("with the hardened drop-in jobs run", "tick")
    takt.await_runs("and jobs of another user", "other")
    check(takt.output("other") == "daemon", "as that user")
    await_true("a job cannot write to /usr",
               lambda: "Read-only file system" in takt.output("write"))
    check("/takt.service/" in takt.output("where"), "each attempt still has a control group")
    takt.check_ledger("over the restart")
    # Its last two lines are comments: the service as its own user.
    drop_in = "etc/systemd/system/takt.service.d/hardened.conf"
    machine.write(drop_in, re.sub(r"^#(User|Group)=", r"\1=", machine.read(drop_in), flags=re.M))
    machine.write(FILE, "".join(
        line for line in JOBS.splitlines(True) if not line.startswith("  other:")))
    machine.succeed("systemctl daemon-reload && systemctl restart takt")
    takt.await_runs("as the user takt jobs run, too", "tick")
    check(machine.succeed(f"stat -c %U /proc/{takt.pid}").strip() == "takt", "it is not root")
    check("/takt.service/" in takt.output("where"), "each attempt has a control group there, too")
    machine.write(FILE, JOBS)
    machine.succeed("rm -r /etc/systemd/system/takt.service.d && systemctl daemon-reload && "
                    "systemctl restart takt")
    takt.await_runs("without the drop-in jobs run as root again", "other")


def upgrade(machine, takt, newer):
    await_true("a job is running",
               lambda: "running" in machine.succeed(f"takt status long -f {FILE}"))
    pid, version = takt.pid, machine.succeed("dpkg-query -W -f '${Version}' takt")
    machine.succeed(f"dpkg -i {machine.add(newer)}")
    check(machine.succeed("dpkg-query -W -f '${Version}' takt") != version, "it is upgraded")
    check(takt.is_active and takt.pid != pid, "the upgrade restarts it while a job is running")
    takt.await_runs("jobs run again", "tick")
    check(machine.read(FILE) == JOBS, "the edited conffile is kept")
    takt.check_ledger("over the upgrade")
    machine.succeed("systemctl stop takt")
    values = takt.show("ActiveState", "Result", "ExecMainStatus")
    check(values == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"},
          "`systemctl stop` ends it with 0")
    machine.succeed("systemctl start takt")


def remove(machine, takt, before):
    machine.succeed("dpkg -r takt")
    check(not takt.is_active, "the removal stops it")
    check(machine.read(FILE) == JOBS and (machine.path / "var/lib/takt/ledger.sqlite").exists(),
          "and keeps the jobs file and the ledger")
    machine.succeed("dpkg -P takt")
    # Those of this test.
    machine.succeed("rm -f /usr/local/bin/editor /usr/written")
    left = sorted(machine.listing() - before)
    check(not left, f"the purge leaves nothing{': ' + ' '.join(left) if left else ''}")
    check(takt.show("LoadState") == "not-found", "systemd does not know the unit any more")
