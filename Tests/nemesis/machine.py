"""A machine: a namespace, a state folder, a jobs file, and a takt that may be started several times."""
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import time

LEASE = 3.0
GRACE = 1.0
# The grace of the lease, as takt makes it: the longest `kill.grace` of a shared job and two seconds.
TAKEOVER = LEASE + GRACE + 2.0

class Job:
    """A job of the seed, and what the oracle has to know of it."""

    def __init__(self, name, period, work, keys, *, cron=False, deaf=False, rests=False, shift=0):
        self.name = name
        self.period = period
        self.work = work
        self.keys = keys
        self.cron = cron
        self.deaf = deaf
        # Its period counts from the end of a run: only the engine knows its slots.
        self.rests = rests
        # How far the clocks of its zone are ahead of UTC, in seconds.
        self.shift = shift

    def text(self, worker, folder, period):
        when = {True: "cron: " + ("'* * * * * *'" if period == 1 else f"'*/{period} * * * * *'"),
                False: f"every: {period}s" + ("\n    from: end" if self.rests else "")}[self.cron]
        words = [str(worker), str(folder), str(int(self.work * 1000)), *(["deaf"] if self.deaf else [])]
        keys = "".join(f"    {key}: {value}\n" for key, value in self.keys.items())
        return f"  {self.name}:\n    {when}\n{keys}    run: [{', '.join(words)}]\n"

    def slots(self, first, last, period=None):
        """The slots in [first, last], in milliseconds since 1970: all grids count from the epoch, as
        the periods of cron divide a minute."""
        step, shift = (period or self.period) * 1000, self.shift * 1000
        return range(-(-(first + shift) // step) * step - shift, last + 1, step)

    def has(self, key, value):
        return self.keys.get(key) == value


class Machine:
    def __init__(self, name, world, machine=None):
        self.name = name
        # What it calls itself in the cluster.
        self.machine = machine or name
        self.world = world
        self.folder = world.folder / name
        # One machine of three may be of an earlier version.
        self.program = world.before if world.before and name == "m2" else world.takt
        self.process = None
        self.started = 0
        self.exits = []
        self.frozen = []  # [from, to] in seconds of CLOCK_BOOTTIME
        self.kills, self.guard_kills = [], []  # the same clock
        # A folder in the place of the system's time zones.
        self.zones = None
        # Stopped or frozen: it answers no command now, but may act on it later.
        self.is_halted = False
        self.wants_up = False
        self.is_stopping = False
        self.shift = 0
        self.first_shift = 0

    def prepare(self):
        self.folder.mkdir()
        self.write_file({})

    def write_file(self, periods):
        world = self.world
        jobs = "".join(
            job.text(world.worker, world.folder, periods.get(job.name, job.period))
            for job in world.jobs)
        (self.folder / "jobs.yaml").write_text(f"""\
scheduler:
  state: state
  timezone: UTC
  shutdown_grace: 1s
  concurrency: {{pair: 1}}
  cluster: {{{world.engine.keys()}, machine: {self.machine}, lease: 3s}}
defaults:
  env: {{MACHINE: {self.name}}}
  kill: {{grace: 1s}}
  output: {{log: false}}
jobs:
{jobs}""")

    # MARK: The process

    def start(self, shift=0):
        """Starts takt, its clock shifted by some seconds."""
        if self.process is not None:
            return
        self.started += 1
        self.set_clock(shift)
        self.wants_up, self.is_stopping = True, False
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("MAKE", "TAKT", "PG"))}
        environment.update(LD_PRELOAD=str(self.world.clock), TAKT_TEST_CLOCK=str(self.folder / "clock"))
        with open(self.folder / f"log.{self.started}", "wb") as log:
            self.process = subprocess.Popen(
                [*self.world.net.enter(self.name, self.world.keeps_system), *self.own_zones(),
                 self.program, "run", self.folder / "jobs.yaml", "--log-format", "json"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env=environment, start_new_session=True)

    def own_zones(self):
        """Words before a command that is to see this machine's time zones. takt reads the system's
        folder, whatever TZDIR says."""
        return [] if self.zones is None else [
            "unshare", "--mount", "sh", "-c",
            'mount --bind "$0" /usr/share/zoneinfo && exec "$@"', self.zones]

    def set_clock(self, shift):
        """Sets takt's wall clock, while it runs."""
        self.shift = shift
        path = self.folder / "clock"
        with open(path, "r+b" if path.exists() else "wb", buffering=0) as clock:
            clock.write(struct.pack("q", shift))

    def note_end(self):
        """Whether takt has ended, and if so, how."""
        if self.process is None or self.process.poll() is None:
            return
        self.exits.append((self.started, self.process.returncode, self.is_stopping))
        self.process = None

    def kill(self):
        if self.process is None:
            return
        self.wants_up, self.is_stopping = False, True
        self.process.kill()
        self.process.wait()
        self.kills.append(time.clock_gettime(time.CLOCK_BOOTTIME))
        self.exits.append((self.started, -9, True))
        self.process = None
        self.is_halted = False

    def terminate(self):
        if self.process is None:
            return
        self.wants_up, self.is_stopping = False, True
        self.process.send_signal(signal.SIGTERM)

    def await_end(self, seconds):
        if self.process is not None:
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                return False
            self.note_end()
        return True

    def signal(self, number):
        if self.process is not None:
            self.process.send_signal(number)

    def halt(self):
        """Stops takt, and nothing else."""
        self.is_halted = self.process is not None
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.is_halted = False
        self.signal(signal.SIGCONT)

    def guards(self):
        found = []
        for pid in self.world.net.processes(self.name):
            try:
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "takt-guard":
                    found.append(pid)
            except OSError:
                pass
        return found

    def kill_guards(self):
        self.guard_kills.append(time.clock_gettime(time.CLOCK_BOOTTIME))
        for pid in self.guards():
            os.kill(pid, signal.SIGKILL)

    def freeze(self):
        """Stops the whole machine: takt, its guard, and what runs."""
        self.is_halted = True
        now = time.clock_gettime(time.CLOCK_BOOTTIME)
        self.frozen.append([now, float("inf")])
        stopped = set()
        while left := set(self.world.net.processes(self.name)) - stopped:
            for pid in left:
                try:
                    os.kill(pid, signal.SIGSTOP)
                except OSError:
                    pass
            stopped |= left

    def thaw(self):
        if not self.frozen or self.frozen[-1][1] != float("inf"):
            return
        for pid in self.world.net.processes(self.name):
            try:
                os.kill(pid, signal.SIGCONT)
            except OSError:
                pass
        self.frozen[-1][1] = time.clock_gettime(time.CLOCK_BOOTTIME)
        self.is_halted = False

    def call(self, *words):
        """A command of takt for this machine's daemon."""
        try:
            return subprocess.run(
                [*self.world.net.enter(self.name), *self.own_zones(), self.program, *words,
                 "--file", self.folder / "jobs.yaml"],
                capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return None

    def copy_state_of(self, other):
        """Becomes a clone: a copy of another machine's state folder, taken while it runs."""
        self.folder.mkdir(exist_ok=True)
        target = self.folder / "state"
        target.mkdir(mode=0o700)
        for path in (other.folder / "state").iterdir():
            if path.name == "lock" or not path.is_file():
                continue
            try:
                shutil.copy2(path, target / path.name)
            except FileNotFoundError:
                pass  # SQLite has removed it meanwhile.
