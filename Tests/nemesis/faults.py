"""What goes wrong in a seed, and when: a list of things to do, in order."""
import signal

from machine import LEASE


class Plan:
    """Instants are seconds after the warm-up."""

    def __init__(self, rng, world, length):
        self.rng = rng
        self.world = world
        self.length = length
        self.steps = []  # (at, action)
        self.names = []
        self.busy = {}  # what is at work on something, until when

    def at(self, instant, action):
        self.steps.append((instant, len(self.steps), action))

    def sort(self):
        self.steps.sort(key=lambda step: step[:2])
        self.names.sort()

    def is_free(self, what, start, end):
        return all(end < first or start > last for first, last in self.busy.get(what, []))

    def take(self, what, start, end):
        self.busy.setdefault(what, []).append((start, end))

    def place(self, what, duration, pause=1.0):
        """A time for something that lasts so long, when nothing else is at work on the same."""
        for _ in range(30):
            start = round(self.rng.uniform(0, max(0.1, self.length - duration)), 2)
            if self.is_free(what, start - pause, start + duration + pause):
                self.take(what, start, start + duration)
                return start
        return None

    def lease(self, low=0.5, high=3.0):
        return round(self.rng.uniform(low, high) * LEASE, 2)

    def note(self, text, start, duration=None):
        self.names.append((start, text + (f" {start:.0f}+{duration:.1f}" if duration else f" {start:.0f}")))

    # MARK: Faults of the network

    def cut(self):
        self._cut("cut", self.world.net.cut)

    def cut_up(self):
        self._cut("deaf engine", self.world.net.cut_up)

    def cut_down(self):
        self._cut("deaf machine", self.world.net.cut_down)

    def _cut(self, name, cut):
        machine = self.rng.choice(self.world.three).name
        duration = self.lease(0.3, 4)
        if (start := self.place(("net", machine), duration)) is not None:
            self.at(start, lambda: cut(machine))
            self.at(start + duration, lambda: self.world.net.join(machine))
            self.note(f"{name} {machine}", start, duration)

    def flap(self):
        machine = self.rng.choice(self.world.three).name
        duration = self.lease(1, 4)
        if (start := self.place(("net", machine), duration)) is None:
            return
        way = self.rng.choice([self.world.net.cut, self.world.net.cut_up, self.world.net.cut_down])
        at = start
        while at < start + duration:
            self.at(at, lambda: way(machine))
            at += self.rng.uniform(0.1, 1.5)
            self.at(at, lambda: self.world.net.join(machine))
            at += self.rng.uniform(0.1, 1.0)
        self.note(f"flap {machine}", start, duration)

    # MARK: Faults of takt

    def kill(self):
        machine, duration = self.rng.choice(self.world.three), self.lease(0.1, 3)
        if (start := self.place(("takt", machine.name), duration, 3)) is not None:
            self.at(start, machine.kill)
            if self.world.plant == "guard":
                self.steps[-1] = (start, len(self.steps) - 1, lambda: self.kill_unguarded(machine))
            self.at(start + duration, machine.start)
            self.note(f"kill {machine.name}", start, duration)

    def kill_unguarded(self, machine):
        machine.signal(signal.SIGSTOP)
        machine.kill_guards()
        machine.kill()

    def stop(self):
        machine, duration = self.rng.choice(self.world.three), self.lease()
        if self.world.plant == "guard":
            duration = self.lease(2.5, 3.5)
        if (start := self.place(("takt", machine.name), duration, 2)) is None:
            return

        def begin():
            machine.halt()
            if self.world.plant == "guard":
                machine.kill_guards()

        self.at(start, begin)
        self.at(start + duration, machine.resume)
        self.note(f"stop {machine.name}", start, duration)

    def freeze(self):
        machine, duration = self.rng.choice(self.world.three), self.lease()
        if (start := self.place(("takt", machine.name), duration, 2)) is not None:
            self.at(start, machine.freeze)
            self.at(start + duration, machine.thaw)
            self.note(f"freeze {machine.name}", start, duration)

    def guard(self):
        """The guard alone is killed: takt replaces it."""
        if self.world.plant != "guard":
            machine = self.rng.choice(self.world.three)
            start = round(self.rng.uniform(0, self.length), 2)
            if not self.is_free(("takt", machine.name), start - 1, start + 1):
                return  # A takt that cannot replace it leaves nobody to end its runs.
            self.at(start, machine.kill_guards)
            self.note(f"guard {machine.name}", start)

    def leave(self):
        """An orderly stop and a start."""
        machine, duration = self.rng.choice(self.world.three), self.lease(0.1, 2)
        if (start := self.place(("takt", machine.name), duration + 4, 2)) is not None:
            self.at(start, machine.terminate)
            self.at(start + 4 + duration, machine.start)
            self.note(f"leave {machine.name}", start, duration)

    def clock(self):
        """A restart with a wall clock that is wrong, and one with the right one again."""
        # The first machine's clock is always right.
        machine = self.rng.choice(self.world.three[1:])
        shift = self.rng.choice([-600, -7, -2, 2, 7, 600])
        duration = self.rng.uniform(8, 20)
        if (start := self.place(("takt", machine.name), duration + 6, 2)) is None:
            return
        how = self.rng.choice([machine.kill, machine.terminate])
        self.at(start, how)
        self.at(start + 3, lambda: machine.start(shift))
        self.at(start + duration + 3, how)
        self.at(start + duration + 6, machine.start)
        self.note(f"clock {machine.name} {shift:+d}s", start, duration)

    def clock_step(self):
        """A wall clock that is set while takt runs, and set right again."""
        machine = self.rng.choice(self.world.three[1:])
        shift = self.rng.choice([-600, -7, -2, 2, 7, 600])
        duration = self.rng.uniform(3, 15)
        if (start := self.place(("takt", machine.name), duration, 2)) is None:
            return
        self.at(start, lambda: machine.set_clock(shift))
        self.at(start + duration, lambda: machine.set_clock(0))
        self.note(f"clock set {machine.name} {shift:+d}s", start, duration)

    def late_clock(self):
        """A new machine whose clock is wrong from its first start."""
        machine = self.world.three[2]
        if machine.first_shift or not self.is_free(("takt", machine.name), -10, 14):
            return
        machine.first_shift = self.rng.choice([-600, -7, 7, 600])
        self.take(("takt", machine.name), -10, 14)
        at = self.rng.uniform(6, 9)
        self.at(at, machine.terminate)
        self.at(at + 5, machine.start)
        self.note(f"clock at first {machine.name} {machine.first_shift:+d}s", 0, at)

    def clone(self):
        """A copy of the first machine, under its name."""
        machine = self.world.clone
        duration = self.rng.uniform(10, 25)
        if "clone" in self.busy or (start := self.place("clone", duration)) is None:
            return
        self.at(start, self.world.start_clone)
        self.at(start + duration, self.rng.choice([machine.kill, machine.terminate]))
        self.note("clone", start, duration)

    # MARK: Faults of the engine

    def engine_stop(self):
        how = self.rng.choice(["fast", "immediate", "kill"])
        duration = self.rng.uniform(0.2, 9)
        if (start := self.place("engine", duration, 4)) is None:
            return
        engine = self.world.engine
        self.at(start, engine.kill if how == "kill" else lambda: engine.stop(how))
        self.at(start + duration, engine.start)
        self.note(f"engine {how}", start, duration)

    def engine_freeze(self):
        duration = self.lease(0.2, 2.5)
        if (start := self.place("engine", duration, 4)) is not None:
            self.at(start, lambda: self.world.engine.freeze(True))
            self.at(start + duration, lambda: self.world.engine.freeze(False))
            self.note("engine frozen", start, duration)

    def engine_slow(self):
        engine = self.world.engine
        if engine.proxy is None:
            return
        duration = self.lease(1, 4)
        if (start := self.place("engine", duration, 4)) is None:
            return
        total = self.rng.choice([0.3, 0.8, 1.2, 2.0])
        up, down = self.rng.choice([(0, total), (total, 0), (total / 2, total / 2)])
        self.at(start, lambda: engine.slow(up, down))
        self.at(start + duration, lambda: engine.slow(0, 0))
        self.note(f"slow {up}/{down}", start, duration)

    def engine_late(self):
        """Some requests arrive long after their senders have given up, and after newer ones."""
        engine = self.world.engine
        if engine.proxy is None:
            return
        duration = self.lease(2, 5)
        if (start := self.place("engine", duration, 4)) is None:
            return
        at = start
        while at < start + duration:
            up = round(self.rng.uniform(1.2, 3), 2)
            self.at(at, lambda up=up: engine.slow(up, 0))
            at += self.rng.uniform(0.2, 0.9)
            self.at(at, lambda: engine.slow(0, 0))
            at += self.rng.uniform(0.3, 1.5)
        self.note("late requests", start, duration)

    # MARK: Faults of single members of an engine that has several

    def member_kill(self):
        """The leader, or any of the members."""
        duration = self.lease(0.2, 3)
        is_leader = self.rng.random() < 0.7
        member = self.rng.choice(self.world.net.engines)
        if (start := self.place("engine", duration, 4)) is None:
            return
        engine = self.world.engine
        self.at(start, engine.kill_leader if is_leader else lambda: engine.processes[member].kill())
        self.at(start + duration, engine.start)
        self.note(f"{'leader' if is_leader else member} killed", start, duration)

    def member_freeze(self):
        """A leader that stands still, and then takes itself for the leader for a while."""
        duration = self.lease(0.3, 3)
        if (start := self.place("engine", duration, 4)) is None:
            return
        engine, chosen = self.world.engine, []

        def freeze():
            chosen.append(engine.leader())
            engine.freeze_member(chosen[0], True)

        self.at(start, freeze)
        self.at(start + duration, lambda: [engine.freeze_member(one, False) for one in chosen])
        self.note("leader frozen", start, duration)

    def member_cut(self):
        """One member cannot reach the others, nor the machines."""
        member = self.rng.choice(self.world.net.engines[1:])
        duration = self.lease(0.3, 4)
        if (start := self.place("engine", duration, 4)) is not None:
            self.at(start, lambda: self.world.net.cut(member))
            self.at(start + duration, lambda: self.world.net.join(member))
            self.note(f"cut {member}", start, duration)

    # MARK: What people do

    def rolling(self):
        """A job's schedule changes, on one machine after the other."""
        job = self.world.rolling
        if job.name in self.world.changes or (start := self.place("file", 8)) is None:
            return
        self.world.changes[job.name] = [None, None]
        order = self.rng.sample(self.world.three, 3)
        at = start
        for index, machine in enumerate(order):
            self.at(at, lambda m=machine, i=index: self.world.roll(m, i == 0, i == 2))
            at += self.rng.uniform(0.2, 3)
        self.note("rolling change", start)

    def suspend(self):
        job = self.rng.choice(self.world.suspendable)
        duration = self.rng.uniform(3, 12)
        if (start := self.place(("suspend", job.name), duration, 8)) is None:
            return
        first, second = self.rng.choices(self.world.three, k=2)
        self.at(start, lambda: self.world.suspend(first, job))
        self.at(start + duration, lambda: self.world.resume(second, job))
        self.note(f"suspend {job.name}", start, duration)


WEIGHTS = {
    Plan.cut: 3, Plan.cut_up: 2, Plan.cut_down: 3, Plan.flap: 2, Plan.kill: 4, Plan.stop: 4,
    Plan.freeze: 1, Plan.guard: 1, Plan.leave: 2, Plan.clock: 2, Plan.clock_step: 2,
    Plan.late_clock: 1, Plan.clone: 1,
    Plan.engine_stop: 3, Plan.engine_freeze: 1, Plan.engine_slow: 3, Plan.engine_late: 2, Plan.rolling: 2,
    Plan.suspend: 2,
}


MEMBER_WEIGHTS = {Plan.member_kill: 5, Plan.member_freeze: 3, Plan.member_cut: 3}


def make(rng, world, length):
    plan = Plan(rng, world, length)
    if world.scene:
        world.scene.add(plan)
    if world.plant == "guard":
        for _ in range(3):
            plan.stop()
        plan.kill()
    elif world.plant == "lease":
        for _ in range(3):
            plan.stop()
    weights = {**WEIGHTS, **(MEMBER_WEIGHTS if len(world.net.engines) > 1 else {})}
    chosen = rng.choices(list(weights), list(weights.values()), k=rng.randint(5, 10))
    # It must know of the first start before others take their time.
    for kind in sorted(chosen, key=lambda kind: kind is not Plan.late_clock):
        kind(plan)
    return plan
