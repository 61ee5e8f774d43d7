"""Runs several machines against one engine while things go wrong, and checks what became of each slot.

    nemesis.py TAKT [--engine postgres|etcd] [--seeds 1-40] [--jobs 4] [--plant none|lease|owner|guard] [--folder FOLDER]

See README.md. Exits with 1 when a seed fails.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import checker
import engine
import etcd
import faults
import network
import scenes
import standby
from machine import GRACE, LEASE, TAKEOVER, Job, Machine

HERE = pathlib.Path(__file__).resolve().parent
ENGINES = {"postgres": engine, "etcd": etcd}
WARM_UP, FAULTS, QUIET = 4.0, 40.0, 2 * LEASE + (TAKEOVER - LEASE) + 5


def jobs(rng, plant):
    """The jobs of a seed. Periods divide a minute, so that cron and every have one grid."""
    pair = {"concurrency": "pair"} if rng.random() < 0.3 else {}
    return [
        Job("brief", 1, 0.2, {"overlap": "skip", **pair}, cron=True),
        Job("queued", 2, 0.8, {
            "overlap": rng.choice(["queue", "skip"]), "delivery": "at_least_once",
            "missed": "{policy: all, within: 20s}", **pair}),
        Job("once", 4, 4.5, {"overlap": "allow", "delivery": "at_most_once"}, cron=True),
        Job("long", 5, 15 if plant == "guard" else 9, {
            "overlap": "allow", "delivery": "at_least_once", "missed": "{within: 30s}"},
            deaf=rng.random() < 0.5),
        Job("stubborn", 5, 3.5, {
            "overlap": rng.choice(["allow", "replace", "skip"]), "delivery": "at_least_once",
            "on_lease_lost": "finish", "missed": "{policy: skip, within: 20s}"}, cron=True),
        Job("anyway", 3, 0.5, {"overlap": "skip", "on_partition": "run"}),
        Job("rest", 2, 0.3, {"delivery": "at_least_once"}, rests=True),
    ]


class World:
    """One seed."""
    new_period = 2

    def __init__(self, kind, takt, before, seed, plant, folder, name, worker, template):
        self.kind = kind
        self.takt, self.before = takt, before
        self.seed, self.plant, self.folder, self.worker = seed, plant, folder, worker
        self.rng = random.Random(f"takt nemesis {seed}")
        self.standby = standby.choice(kind, seed, plant)
        self.scene = scenes.choice(seed, plant, self.standby)
        self.jobs = jobs(self.rng, plant) + (self.scene.jobs() if self.scene else [])
        self.keeps_system = self.rng.random() < 0.7
        self.clock = pathlib.Path(worker).with_name("clock.so")
        self.machines = [Machine(f"m{number}", self) for number in (1, 2, 3)]
        self.three = list(self.machines)
        self.clone = Machine("m4", self, "m1")
        self.machines.append(self.clone)
        self.net = network.Network(name, [machine.name for machine in self.machines],
                                   ENGINES[kind].MEMBERS)
        self.rolling = self.jobs[0]
        self.suspendable = [job for job in self.jobs if job.name in ("queued", "once", "anyway")]
        self.suspensions, self.changes, self.periods = [], {}, {}
        self.failover = None  # its times in the plan
        self.unsure = set()
        self.engine = None
        self.template = template
        self.notes = open(folder / "notes", "w")
        self.errors = []

    def wall(self):
        return time.time()

    def note(self, words):
        print(f"{time.time():.3f} {words}", file=self.notes, flush=True)

    # MARK: The course of a seed

    def run(self):
        """Returns the plan, the findings and the counts."""
        os.makedirs(self.folder / "register")
        self.net.start()
        kind = standby.Pair if self.standby else ENGINES[self.kind].Engine
        self.engine = kind(self.folder / "engine", self.template, self.net)
        self.engine.start()
        assert self.engine.await_start(), "the engine does not start"
        self.engine.prepare()
        if self.rng.random() < 0.6:
            self.engine.start_proxy()
        if self.scene:
            self.scene.prepare(self)
        plan = self.plan = faults.make(self.rng, self, FAULTS)
        if self.standby:
            standby.add(plan, self.standby, self.seed)
        plan.sort()
        for machine in self.three:
            machine.prepare()
        self.first_ms = int(self.wall() * 1000)
        for machine in self.three:
            machine.start(machine.first_shift)
        self.await_members(3)
        self.engine.watch()
        self.engine.sow(self.plant)
        self.warm_ms = int(self.wall() * 1000) + 1500
        self.watch(WARM_UP)
        self.go_wrong(plan)
        self.heal()
        self.watch(QUIET)
        judge = checker.Checker(self)
        judge.look_at_open(self.healed_at)
        if self.scene:
            self.scene.look(judge)
        self.end_ms = int(self.wall() * 1000)
        self.finish(judge)
        judge.check()
        judge.check_programs()
        for error in self.errors:
            judge.find("harness", error)
        return plan, judge

    def await_members(self, count, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.engine.member_count() >= count:
                return
            self.watch(0.1)
        raise RuntimeError("the machines do not join")

    def watch(self, seconds):
        """Waits, and notes what ends."""
        end = time.monotonic() + seconds
        while True:
            for machine in self.machines:
                machine.note_end()
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.05))

    def go_wrong(self, plan):
        start = time.monotonic()
        self.start_boot = time.clock_gettime(time.CLOCK_BOOTTIME)
        for at, _, action in plan.steps:
            self.watch(max(0, start + at - time.monotonic()))
            self.note(f"{at:.2f} {getattr(action, '__name__', action)}")
            try:
                action()
            except (OSError, subprocess.SubprocessError) as error:
                self.note(f"failed: {error}")
                self.errors.append(f"{action}: {error}")
        self.watch(max(0, start + FAULTS - time.monotonic()))

    def heal(self):
        for member in self.net.engines[1:]:
            self.net.join(member)
        for machine in self.machines:
            self.net.join(machine.name)
            machine.thaw()
            machine.resume()
        self.engine.freeze(False)
        if self.engine.proxy:
            self.engine.slow(0, 0)
        if not self.engine.is_up():
            self.engine.start()
        if not self.engine.await_start():
            raise RuntimeError("the engine does not start again")
        for machine in self.three:
            if machine.process is None:
                machine.start()
            elif machine.shift or machine.is_stopping:
                machine.terminate()
                machine.await_end(15)
                machine.start()
        # A command without an answer may have been carried out later, and one that was carried out may be
        # among what a failover has lost.
        for name in {job for job, _, end in self.suspensions
                     if end is None or self.standby == "lagging"} | self.unsure:
            self.watch(0.5)
            self.resume(self.three[0], next(job for job in self.jobs if job.name == name), True)
        self.healed_at = self.wall()
        self.heal_boot = time.clock_gettime(time.CLOCK_BOOTTIME) * 1e9
        self.note("healed")

    def finish(self, judge):
        for machine in self.machines:
            machine.terminate()
        for machine in self.machines:
            if not machine.await_end(20):
                judge.find("exit", f"{machine.name}: takt does not stop within 20 s")
                machine.kill()
        # A guard is the last to go.
        end = time.monotonic() + 3
        while time.monotonic() < end and any(
                self.net.processes(machine.name) for machine in self.machines):
            time.sleep(0.05)

    def clean(self):
        self.net.stop()
        self.notes.close()

    # MARK: What people do

    def start_clone(self):
        self.clone.copy_state_of(self.three[0])
        self.clone.write_file(self.periods)
        self.clone.start()

    def roll(self, machine, is_first, is_last):
        """A machine gets the new file, and reads it when it next can."""
        now = int(self.wall() * 1000)
        change = self.changes[self.rolling.name]
        if is_first:
            change[0] = now
            self.periods[self.rolling.name] = self.new_period
        machine.write_file(self.periods)
        machine.signal(signal.SIGHUP)
        if machine is self.three[0] and self.clone.process is not None:
            self.clone.write_file(self.periods)
            self.clone.signal(signal.SIGHUP)
        if is_last:
            change[1] = now

    def suspend(self, machine, job):
        self.suspensions.append([job.name, int(self.wall() * 1000), None])
        self.steer("suspend", machine, job)

    def resume(self, machine, job, is_last=False):
        if not self.steer("resume", machine, job):
            return
        for suspension in self.suspensions:
            if suspension[0] == job.name and (is_last or suspension[2] is None):
                suspension[2] = int(self.wall() * 1000)

    def steer(self, verb, machine, job):
        """By this machine or, where it does not answer, another one."""
        others = [other for other in self.three if other is not machine]
        for one in [machine, *others]:
            if one.process is None or one.is_halted or one.is_stopping:
                continue
            try:
                result = subprocess.run(
                    [self.takt, verb, job.name, "--state", one.folder / "state"],
                    capture_output=True, text=True, timeout=3)
            except subprocess.TimeoutExpired:
                self.note(f"{verb} {job.name}: {one.name} does not answer")
                self.unsure.add(job.name)
                continue
            self.note(f"{verb} {job.name} {one.name}: {result.returncode} {result.stdout.strip()} "
                      f"{result.stderr.strip()}")
            if result.returncode == 0:
                return True
        self.unsure.add(job.name)
        return False


# MARK: One seed, and many


def run_seed(options):
    """In a process of its own."""
    def interrupt(number, _):
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
    folder = pathlib.Path(options.folder)
    world = World(options.engine, pathlib.Path(options.takt), options.before, options.seed, options.plant, folder, options.name,
                  pathlib.Path(options.worker), pathlib.Path(options.template))
    start = time.monotonic()
    try:
        plan, judge = world.run()
        summary = ", ".join(text for _, text in plan.names)
        counts = " ".join(f"{name} {count}" for name, count in sorted(judge.counts.items()) if count)
        print(f"seed {options.seed}: {'ok' if not judge.findings else 'FAILED'} in "
              f"{time.monotonic() - start:.0f} s; {counts}; {summary}")
        for finding in judge.findings[:12]:
            print(f"    {finding}")
        if len(judge.findings) > 12:
            kinds = collections.Counter(
                finding[1:].partition("]")[0] for finding in judge.findings)
            print(f"    and more: {', '.join(f'{kind} {n}' for kind, n in kinds.most_common())}")
        (folder / "findings").write_text("".join(f"{finding}\n" for finding in judge.findings))
        return 1 if judge.findings else 0
    except Exception:
        print(f"seed {options.seed}: FAILED, the harness could not go on\n" + "".join(
            f"    {line}\n" for line in traceback.format_exc().splitlines()[-8:]))
        return 2
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            if world.engine is not None:
                world.engine.keep(world.folder)
        finally:
            world.clean()


def what_is_missing(kind):
    if os.getuid() != 0:
        return "it needs root"
    if shutil.which("ip") is None or shutil.which("nsenter") is None:
        return "it needs iproute2 and util-linux"
    if missing := ENGINES[kind].what_is_missing():
        return missing
    if shutil.which("cc") is None or shutil.which("zic") is None:
        return "it needs a C compiler and zic"
    probe = f"takt{os.getpid()}-probe"
    if network.ip("netns", "add", probe, check=False).returncode != 0:
        return "this system has no network namespaces"
    works = (
        network.ip("-n", probe, "link", "add", "bridge0", "type", "bridge", check=False).returncode
        == 0 and network.ip("-n", probe, "link", "add", "one", "type", "veth", "peer", "name",
                            "two", check=False).returncode == 0)
    network.ip("netns", "del", probe, check=False)
    return None if works else "this system has no bridges or no veth"


def seeds(text):
    numbers = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("takt")
    parser.add_argument("--seeds", default="1-40")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--engine", default="postgres", choices=list(ENGINES))
    parser.add_argument("--plant", default="none", choices=["none", "lease", "owner", "guard"])
    parser.add_argument("--before", help="a program of an earlier version, which machine m2 runs")
    parser.add_argument("--folder", help="where logs of seeds that fail are kept")
    parser.add_argument("--keep", action="store_true", help="keeps the logs of all seeds")
    for name in ["seed", "name", "worker", "template"]:
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS, type=int if name == "seed" else str)
    options = parser.parse_args()
    if options.seed is not None:
        # A takt that crashes leaves its core in its machine's folder, which is kept then.
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        return run_seed(options)
    missing = what_is_missing(options.engine)
    if missing:
        print(f"nemesis: skipped: {missing}")
        return 0
    return run_all(options)


def run_all(options):
    root = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="takt-nemesis-"))
    root.mkdir(parents=True, exist_ok=True)
    root = root.resolve()
    root.chmod(0o755)
    prefix = f"takt{os.getpid()}"
    shared = pathlib.Path(tempfile.mkdtemp(prefix="shared-", dir=root))
    shared.chmod(0o755)
    worker, template = shared / "worker", shared / "template"
    running = {}
    is_stopping = False

    def run_one(seed):
        folder = root / f"seed-{seed}"
        if is_stopping:
            return None
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o755)
        process = running[seed] = subprocess.Popen(
            [sys.executable, "-B", __file__, pathlib.Path(options.takt).resolve(), "--engine",
             options.engine, "--seed", str(seed), "--plant", options.plant, "--folder", folder, "--name", f"{prefix}-{seed}",
             "--worker", worker, "--template", template,
             *(["--before", pathlib.Path(options.before).resolve()] if options.before else [])], stdout=subprocess.PIPE, text=True,
            start_new_session=True)
        text = process.communicate()[0]
        if is_stopping:
            return None
        if process.returncode == 0 and not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            for name in ("data", "standby"):
                shutil.rmtree(folder / "engine" / name, ignore_errors=True)
            if process.returncode:
                text += f"    see {folder}\n"
        print(text, end="", flush=True)
        return process.returncode

    def interrupt(number, _):
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
    failed = []
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        subprocess.run(["cc", "-O1", "-Wall", "-o", worker, HERE / "worker.c"], check=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", worker.with_name("clock.so"),
                        HERE.parent / "faults/clock.c"], check=True)
        ENGINES[options.engine].make_template(template)
        numbers = seeds(options.seeds)
        for seed, status in zip(numbers, pool.map(run_one, numbers)):
            if status:
                failed.append(seed)
    finally:
        is_stopping = True
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        for process in running.values():
            if process.poll() is None:
                process.terminate()
        pool.shutdown(cancel_futures=True)
        network.remove(network.all_of(prefix + "-"))
        shutil.rmtree(shared, ignore_errors=True)
        if not any(root.iterdir()):
            root.rmdir()
    print(f"nemesis: seeds {len(numbers)}, failed {len(failed)}"
          + (f": {' '.join(map(str, failed))}" if failed else "")
          + (f"; planted: {options.plant}" if options.plant != "none" else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
