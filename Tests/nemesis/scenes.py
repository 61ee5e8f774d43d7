"""Scenes: faults that are followed by a calm, so that takt can be held to what it must do then.

A seed has one or none. Its kind and its times come from numbers of its own, and it takes its time before
the faults of the seed take theirs.
"""
import datetime
import random
import shutil
import subprocess
import time

from machine import TAKEOVER, Job

# So many seconds after `kill -9` and a restart a job with `overlap: skip` runs again. Without the
# restart it would be the lease and the grace, less the age of the last renewal: 5 s at the least.
RESTART = 5.0
# How long a run may go on that the guard ends, in seconds: the guard is a process like others.
GUARD = 0.3


def boot():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def choice(seed, plant, standby):
    """The scene of a seed, or None. A failover is a scene of its own."""
    if plant != "none" or standby:
        return None
    rng = random.Random(f"takt nemesis {seed} scene")
    kind = rng.choices([None, Restart, Zones, Newcomer, Dropped, Silence], [3, 2, 2, 2, 2, 2])[0]
    return kind(rng) if kind else None


class Scene:
    name = "scene"

    def __init__(self, rng):
        self.rng = rng
        self.world = None

    def jobs(self):
        """What the seed has besides its other jobs."""
        return []

    def prepare(self, world):
        """Before the machines start."""
        self.world = world

    def add(self, plan):
        """Takes its time, and adds what it does to the plan."""

    def look(self, judge):
        """Before the daemons stop."""

    def check(self, judge):
        """After all is over."""

    def take(self, plan, start, end, machines=None, others=("engine", "clone")):
        """Nothing else happens meanwhile."""
        for machine in machines or self.world.three:
            plan.take(("net", machine.name), start, end)
            plan.take(("takt", machine.name), start, end)
        for what in others:
            plan.take(what, start, end)

    def await_run(self, job, age, seconds):
        """A run that is active, and no older than so many seconds; None where none comes."""
        from checker import lives, runs
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for run in reversed(runs(self.world.folder / "runs")[0]):
                if run.job == job and run.how is None and boot() - run.begin / 1e9 < age and lives(
                        run.pid):
                    return run
            self.world.watch(0.03)
        return None

    def machine(self, name):
        return next(machine for machine in self.world.machines if machine.name == name)


class Restart(Scene):
    """`kill -9`, and a start at once, while a run excludes the next ones."""
    name = "restart"

    def __init__(self, rng):
        super().__init__(rng)
        self.start = round(rng.uniform(8, 29), 2)
        self.killed = None

    def jobs(self):
        return [Job("single", 2, 1.4, {"overlap": "skip", "delivery": "at_most_once"}, cron=True)]

    def add(self, plan):
        # Also before: a machine that was lost then is still to be decided for.
        self.take(plan, self.start - TAKEOVER - 1, self.start + 4 + RESTART)
        plan.at(self.start, self.act)
        plan.note("restart", self.start)

    def act(self):
        run = self.await_run("single", 0.7, 4)
        if run is None:
            return
        machine = self.machine(run.machine)
        self.killed = boot()
        machine.kill()
        self.world.watch(0.2)
        machine.start()
        self.world.note(f"killed {machine.name}, which ran single, and started it again")

    def check(self, judge):
        if self.killed is None:
            judge.find("scene", "single was not active before the restart")
            return
        after = min((run.begin / 1e9 for run in judge.runs
                     if run.job == "single" and run.begin / 1e9 > self.killed), default=float("inf"))
        judge.counts["ms to the next run after a restart"] = round((after - self.killed) * 1000) \
            if after < float("inf") else 0
        if after - self.killed > RESTART:
            judge.find("restart", f"single ran again {after - self.killed:.1f} s after kill -9, with a "
                       f"restart at once, and not within {RESTART:.0f} s")


class Zones(Scene):
    """The third machine has older data of the zone in which a job's schedule is."""
    name = "zones"
    ZONE, PERIOD, SHIFT = "Nemesis/City", 4, 2

    def jobs(self):
        # In the newer data the clocks have been put forward by 2 s already.
        return [Job("zoned", self.PERIOD, 0.3, {
            "overlap": "allow", "delivery": "at_most_once", "timezone": self.ZONE}, cron=True,
            shift=self.SHIFT)]

    def prepare(self, world):
        super().prepare(world)
        now = datetime.datetime.now(datetime.timezone.utc)
        for version, days in (("2025a", 2), ("2025b", -2)):
            folder = world.folder / f"zones-{version}"
            folder.mkdir()
            day = (now + datetime.timedelta(days=days)).strftime("%Y %b %d")
            text = folder / "source"
            text.write_text(f"Zone {self.ZONE} 0:00 - ONE {day}\n\t\t\t0:00:{self.SHIFT:02} - TWO\n")
            subprocess.run(["zic", "-d", folder, text], check=True)
            (folder / "+VERSION").write_text(f"{version}\n")
        for machine in world.machines:
            machine.zones = world.folder / (
                "zones-2025a" if machine is world.three[2] else "zones-2025b")

    def add(self, plan):
        plan.note("older zone data m3", 0)

    def look(self, judge):
        for machine in self.world.three:
            result = machine.call("cluster", "show")
            text = result.stdout if result else ""
            if "different time zone data" not in text:
                judge.find("zones", f"takt cluster on {machine.name} does not name the difference: "
                           + " / ".join(text.splitlines()[:4]))

    def check(self, judge):
        """While the others hold their leases, only the newer data count."""
        since = self.world.heal_boot / 1e9 + TAKEOVER
        for run in judge.runs:
            if run.job == "zoned" and run.begin / 1e9 > since and judge.is_off(run):
                judge.find("zones", f"zoned {run.slot / 1000:.0f} ran on {run.machine}, though the "
                           "newer zone data have no such slot")
        judge.counts["runs by the older zone data"] = sum(
            run.job == "zoned" and judge.is_off(run) for run in judge.runs)
        if not any(entry.get("job") == "zoned" for entry in judge.said(
                self.world.three[2], "another machine has a newer schedule")):
            judge.find("zones", "the log of m3 does not say that its schedule is the older one")


class Newcomer(Scene):
    """A machine joins with an empty state folder and a changed schedule, which is the newest."""
    name = "newcomer"
    ALONE = 9.0

    def __init__(self, rng):
        super().__init__(rng)
        self.start = round(rng.uniform(2, 22), 2)
        self.joined = self.rolled = None

    def add(self, plan):
        machine = self.world.three[2]
        self.take(plan, self.start - 1, self.start + self.ALONE + 6, [machine],
                  ("engine", "clone", "file"))
        self.world.changes[self.world.rolling.name] = [None, None]
        plan.at(self.start, machine.terminate)
        plan.at(self.start + 4, self.join)
        plan.at(self.start + 4 + self.ALONE, self.roll)
        plan.note("newcomer m3", self.start + 4)

    def join(self):
        world, machine = self.world, self.world.three[2]
        machine.await_end(3)
        shutil.rmtree(machine.folder / "state")
        world.changes[world.rolling.name][0] = int(world.wall() * 1000)
        world.periods[world.rolling.name] = world.new_period
        machine.write_file(world.periods)
        machine.start()
        self.joined = boot()

    def roll(self):
        self.rolled = boot()
        for index, machine in enumerate(self.world.three[:2]):
            self.world.roll(machine, False, index == 1)

    def check(self, judge):
        if self.joined is None:
            return
        name = self.world.rolling.name
        ran = [run for run in judge.runs if run.job == name
               and self.joined + 4 < run.begin / 1e9 < self.rolled and run.token]
        judge.counts["runs by the newcomer"] = len(ran)
        for run in ran:
            if run.machine != "m3" or run.slot % (self.world.new_period * 1000):
                judge.find("newcomer", f"{name} {run.slot / 1000:.0f} ran on {run.machine}, by the "
                           "schedule that m3 had replaced")
        if not ran:
            judge.find("newcomer", f"{name} did not run by the newcomer's schedule")


class Dropped(Scene):
    """All that the engine has is deleted under the running daemons."""
    name = "dropped"

    def __init__(self, rng):
        super().__init__(rng)
        self.start = round(rng.uniform(6, 28), 2)
        self.at = self.at_ms = None

    def add(self, plan):
        self.take(plan, self.start - 2, self.start + TAKEOVER + 2)
        plan.at(self.start, self.act)
        plan.note("all dropped", self.start)

    def act(self):
        engine = self.world.engine
        self.at, self.at_ms = boot(), int(self.world.wall() * 1000)
        engine.drop()
        end = time.monotonic() + 10
        while time.monotonic() < end and not engine.is_made_again():
            self.world.watch(0.05)
        self.world.note(f"made again after {boot() - self.at:.2f} s")
        engine.watch()

    def has_forgotten(self, run, at=None):
        """Whether the engine may have given the run's slot to another machine as well, or may still give
        slots that the run excludes. A machine tells it of its claims with its next renewal, and of
        older slots all machines know that another one had them."""
        begin = run.begin / 1e9 - (self.at or float("inf"))
        return -1.5 < begin < 0.2 if at is None else begin < 0.2 and at / 1e9 < self.at + 2

    def check(self, judge):
        if self.at is None:
            return
        before = [run.token for run in judge.runs if run.token and run.begin / 1e9 < self.at]
        # A command starts a moment after its claim.
        after = [run for run in judge.runs if run.token and run.begin / 1e9 > self.at + 0.5]
        for run in after:
            if before and run.token <= max(before):
                judge.find("fence", f"{run.job} {run.slot / 1000:.0f} ran on {run.machine} with token "
                           f"{run.token}, after one with {max(before)} before all was dropped")
        if not after:
            judge.find("fence", "nothing ran after all was dropped")
        for machine in self.world.three:
            # One whose lease is over by then cannot know more than that.
            if not any(judge.said(machine, words, self.at) for words in (
                    "what it knew was lost or set back", "has taken this machine for lost")):
                judge.find("dropped", f"the log of {machine.name} does not say what happened")


class Silence(Scene):
    """A machine is cut off and its takt stopped while a run excludes all later ones: only the guard
    is left to end it."""
    name = "silence"

    def __init__(self, rng):
        super().__init__(rng)
        self.start = round(rng.uniform(1, 20), 2)
        self.at = self.run = None

    def jobs(self):
        return [Job("alone", 2, 8, {
            "overlap": "skip", "delivery": "at_least_once", "missed": "{within: 30s}"}, cron=True)]

    def add(self, plan):
        self.take(plan, self.start - 1, self.start + 11 + TAKEOVER + 3)
        plan.at(self.start, self.begin)
        plan.note("silence", self.start)

    def begin(self):
        self.run = self.await_run("alone", 1, 11)
        if self.run is None:
            return
        machine = self.machine(self.run.machine)
        self.at = boot()
        self.world.net.cut(machine.name)
        machine.halt()
        self.world.note(f"{machine.name} is silent, which runs alone")
        self.world.watch(TAKEOVER + 2.5)
        self.world.net.join(machine.name)
        machine.resume()

    def check(self, judge):
        if self.run is None:
            judge.find("scene", "alone was not active before the silence")
            return
        run = next(run for run in judge.runs if run[:5] == self.run[:5])
        # The last renewal was before the silence. The guard acts half a second before others may
        # decide.
        over = (run.last / 1e9) - self.at
        judge.counts["ms to the guard's kill"] = round(over * 1000)
        if run.how is not None or over > TAKEOVER - 0.5 + GUARD:
            judge.find("guard", f"alone of the silent {run.machine} went on for {over:.2f} s and has "
                       f"{run.how or 'been killed'}; the guard was to kill it {TAKEOVER - 0.5} s after "
                       "the last renewal")
        after = [other for other in judge.runs if other.job == "alone" and other.begin > run.begin]
        if not after or after[0].begin / 1e9 > self.at + TAKEOVER + 2.5:
            judge.find("guard", f"nobody ran alone again while {run.machine} was silent")
        elif after[0].begin < run.last:
            judge.find("guard", f"alone began on {after[0].machine} before its run on the silent "
                       f"{run.machine} had ended")
