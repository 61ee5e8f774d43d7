"""What the soak runs: a jobs file that never stays as it is, hostile plugins, and takt itself."""
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import time

HERE = pathlib.Path(__file__).parent
STATE_SIZE = 64 << 20
TICKS = os.sysconf("SC_CLK_TCK")
# What starts so shortly before a kill may not be in the ledger yet (docs/reference/ledger.md), in seconds.
UNRECORDED = 0.5

PLUGINS = {
    # Bytes that are no messages, for as long as somebody reads.
    "garbage": ("oneshot", "head -c 300000 /dev/urandom >&3; exit 0"),
    # One line without an end.
    "endless-line": ("oneshot", "tr '\\0' x </dev/zero | head -c 20000000 >&3; exit 0"),
    # A service that says nothing, hears nothing and does not go.
    "deaf": ("service", "trap '' TERM; while :; do sleep 1; done"),
    # A service that dies in each run.
    "mortal": ("service", """echo '{"type":"hello","protocol":1}' >&3; read -r line; read -r line; exit 9"""),
    # Leaves processes behind, in sessions of their own.
    "forker": ("oneshot", "for i in 1 2 3; do setsid sleep 20 & done; exit 0"),
    # Says that it is done, twice, and goes on.
    "twice": ("oneshot", """echo '{"type":"hello","protocol":1}' >&3
for i in 1 2 3; do echo '{"type":"result","status":"ok"}' >&3; done; sleep 30"""),
}


def clock_library(folder):
    """Compiles what shifts the clock of a process."""
    path = pathlib.Path(folder) / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", path, HERE.parent / "faults/clock.c"], check=True)
    return path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Takt:
    """One daemon with its folder, whose state is on a small file system of its own."""

    def __init__(self, program, folder, seed, clock):
        self.program, self.folder, self.library = str(program), pathlib.Path(folder).resolve(), str(clock)
        self.random = random.Random(seed)
        self.process, self.starts, self.port, self.kills = None, 0, free_port(), []
        self.disk = self.folder / "disk"
        self.state = self.disk / "state"
        self.disk.mkdir(parents=True)
        self.has_own_disk = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={STATE_SIZE},mode=700", "takt-soak", self.disk],
            capture_output=True).returncode == 0
        self.clock = self.folder / "clock"
        self.shift(0)
        (self.folder / "watched").write_text("")
        for name, (mode, script) in PLUGINS.items():
            plugin = self.folder / "plugins" / name
            plugin.mkdir(parents=True)
            (plugin / "plugin.yaml").write_text(
                f"name: {name}\nversion: 1.0.0\nprotocol: 1\nmode: {mode}\nexec: [./{name}]\n"
                + ("ping: 2s\n" if mode == "service" else ""))
            (plugin / name).write_text(f"#!/bin/sh\n{script}\n")
            (plugin / name).chmod(0o755)
        self.edit()

    @property
    def file(self):
        return self.folder / "jobs.yaml"

    def edit(self, broken=False):
        """Writes the jobs file anew: some jobs stay, some change, come or go."""
        pick = self.random
        lines = [
            "scheduler:",
            f"  state: {self.state}",
            "  shutdown_grace: 3s",
            "  max_running: 40",
            "  history: {keep: 5m, max_runs: 5000, output: 2m, max_size: 8MB}",
            f"  http: {{listen: {self.port}}}",
            "  concurrency: {few: 2, none-left: {max: 1, when_full: skip}}",
            "jobs:",
            '  cron: {cron: "* * * * *", run: "true"}',
            '  calendar: {calendar: "*:*:0/7", run: "true"}',
            "  slow: {every: 3s, overlap: queue, timeout: 4s, run: sleep 5, concurrency: few}",
            "  skipped: {every: 2s, run: sleep 3, concurrency: none-left}",
            "  flood: {every: 15s, run: 'yes | head -c 5000000', output: {log: false}}",
            "  stubborn: {every: 20s, timeout: 2s, kill: {grace: 1s}, run: \"trap '' TERM; sleep 60\"}",
            "  leaver: {every: 15s, run: 'sleep 3 & exit 0'}",
            "  failing:",
            "    every: 5s",
            "    retry: {attempts: 3, delay: 500ms}",
            "    run: exit 3",
            "    on_failure: {use: log, with: {message: '{{job}} failed'}, when: 'streak >= 3', repeat: 1m}",
            "  stale: {every: 30s, expect_success_within: 1m, run: 'false'}",
            "  after: {after: {job: tick-0}, run: 'true'}",
            f"  watch: {{watch: {{path: {self.folder}/watched}}, run: 'true'}}",
            "  start: {on: start, run: 'true'}",
        ]
        lines += [
            f"  {name}: {{every: {pick.randint(5, 20)}s, use: {name}, timeout: 6s, kill: {{grace: 1s}}}}"
            for name in PLUGINS]
        lines += [f"  tick-{n}: {{every: {1 + n % 5}s, leeway: {n % 3 * 100}ms, run: 'true'}}" for n in range(8)]
        lines += [
            f"  some-{n}: {{every: {pick.randint(2, 9)}s, run: 'true', missed: {{policy: {pick.choice(['last', 'all', 'skip'])}, within: 1m}}}}"
            for n in pick.sample(range(100), pick.randint(0, 12))]
        if broken:
            lines.append(pick.choice(["  broken: [", "  tick-0: {every: 1s, run: x}", "  b: {evry: 1s, run: x}", "\t"]))
        partial = self.folder / "jobs.yaml.new"
        partial.write_text("\n".join(lines) + "\n")
        partial.rename(self.file)

    def start(self):
        environment = dict(
            PATH=os.environ["PATH"], HOME=str(self.folder), LANG="C.UTF-8", LD_PRELOAD=self.library,
            TAKT_TEST_CLOCK=str(self.clock))
        self.starts += 1
        with open(self.folder / "log", "ab") as log, open(self.folder / "errors", "ab") as errors:
            self.process = subprocess.Popen(
                [self.program, "run", str(self.file), "--log-format", "json"], env=environment,
                stdout=log, stderr=errors, cwd=self.folder)
        self.await_readiness()

    def await_readiness(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"takt ended with {self.process.returncode}: {self.last_errors()}")
            if self.command("status", "--json").returncode == 0:
                return
            time.sleep(0.2)
        raise RuntimeError("takt did not become ready")

    def last_errors(self):
        return (self.folder / "errors").read_text(errors="replace")[-2000:]

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def command(self, *arguments, timeout=60):
        """A control command."""
        try:
            return subprocess.run(
                [self.program, *arguments, "-f", str(self.file)], cwd=self.folder,
                capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired as expired:
            return subprocess.CompletedProcess(expired.cmd, 124, "", "no answer")

    def send(self, number):
        if self.is_running:
            self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """The exit status; a kill is no failure."""
        if number == signal.SIGKILL:
            self.kills.append(time.clock_gettime(time.CLOCK_BOOTTIME))
        self.send(number)
        try:
            return self.process.wait(timeout=90)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("takt did not stop within 90 s") from None

    def shift(self, seconds):
        """Sets the daemon's wall clock; the monotonic one goes on."""
        with open(self.clock, "r+b" if self.clock.exists() else "wb", buffering=0) as clock:
            clock.write(struct.pack("q", seconds))

    def fill_disk(self):
        """Leaves no room for the ledger; False where it has no file system of its own."""
        if not self.has_own_disk:
            return False
        with open(self.disk / "ballast", "wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(bytes(1 << 16))
            except OSError:
                pass
        return True

    def clear_disk(self):
        """Makes room again, and waits until the ledger has found it."""
        (self.disk / "ballast").unlink(missing_ok=True)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.is_running:
            answer = self.command("status", "--json")
            # `ledger: 0 entries wait, …; No space left on device`
            if answer.returncode == 0 and "; " not in (json.loads(answer.stdout).get("ledger") or ""):
                return
            time.sleep(0.5)

    def leftovers(self):
        """(number, name) of each process in the daemon's folder, for one that has stopped, but for those that the
        ledger may not have known when the daemon was killed."""
        found = {}
        for path in pathlib.Path("/proc").iterdir():
            try:
                if not path.name.isdigit() or not (path / "cwd").resolve().is_relative_to(self.folder):
                    continue
                name, rest = (path / "stat").read_text().removeprefix(f"{path.name} (").rsplit(") ", 1)
            except OSError:  # It has just ended, or is another user's.
                continue
            fields = rest.split()
            if fields[0] != "Z":
                found[int(path.name)] = (name, int(fields[3]), int(fields[19]) / TICKS)
        # A process is as old as the first one of its session.
        starts = {pid: found.get(session, (name, session, start))[2] for pid, (name, session, start) in found.items()}
        return [
            (pid, found[pid][0]) for pid, start in sorted(starts.items())
            if not any(0 <= kill - start < UNRECORDED for kill in self.kills)]

    def sweep(self):
        """Ends what is in the folder."""
        self.kills = []
        for pid, _ in self.leftovers():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def clean_up(self):
        if self.is_running:
            self.process.kill()
            self.process.wait()
        self.sweep()
        if self.has_own_disk:
            subprocess.run(["umount", "-l", self.disk], check=False)
