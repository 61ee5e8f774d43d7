"""Compares what the commands did with what the engine says of the slots, and both with the oracle."""
import collections
import datetime
import json
import os
import re
import time

import scenes
from machine import LEASE, TAKEOVER

Run = collections.namedtuple("Run", "job slot token pid machine begin last how refused")
CRASH = re.compile(r"internal error|Fatal error|Precondition failed|Assertion failed|\*\*\* ", re.I)


def milliseconds(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def clock(slot):
    return datetime.datetime.fromtimestamp(slot / 1000, datetime.timezone.utc).strftime("%H:%M:%S")


def runs(path):
    """What the commands said, and the order in which the register took tokens."""
    found, offers = {}, collections.defaultdict(list)
    text = path.read_text() if path.exists() else ""
    for line in text.splitlines():
        what, job, slot, token, pid, machine, boot, _ = line.split()
        key = (job, milliseconds(slot), int(token), int(pid), machine)
        run = found.setdefault(key, {"begin": int(boot), "last": 0, "how": None, "refused": False})
        run["last"] = int(boot)
        if what in ("end", "term"):
            run["how"] = what
        if what == "refused":
            run["refused"] = True
        if what == "taken":
            offers[key[:2]].append(int(token))
    ordered = [Run(*key, run["begin"], run["last"], run["how"], run["refused"])
               for key, run in found.items()]
    return sorted(ordered, key=lambda run: run.begin), offers


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Checker:
    def __init__(self, world):
        self.world = world
        self.jobs = {job.name: job for job in world.jobs}
        self.findings = []
        self.counts = collections.Counter()
        # What a standby did not have: see `standby.Lost`.
        self.lost, self.lost_slots = {}, set()
        self.machines = {machine.name: machine for machine in world.machines}
        self.dropped = world.scene if isinstance(world.scene, scenes.Dropped) else None
        self.logs = {}

    def find(self, check, words):
        self.findings.append(f"[{check}] {words}")

    # MARK: Before the end

    def look_at_open(self, healed_at):
        """(5) After the quiet time, what is not decided is at work."""
        engine = self.world.engine
        # In this order, so that what is claimed meanwhile is in neither or in both.
        found = engine.rows()
        now = self.world.wall()
        since = engine.changed_at()
        alive = {run.token for run in runs(self.world.folder / "runs")[0]
                 if run.how is None and lives(run.pid)}
        for row in found:
            age = now - max(since.get((row.job, row.slot), 0), healed_at)
            if row.state == "decided" or row.token in alive or age < 2 * LEASE + (TAKEOVER - LEASE):
                continue
            if any(job == row.job and (end is None or now - end / 1000 < 4)
                   for job, _, end in self.world.suspensions):
                continue
            self.find("open", f"{row.job} {clock(row.slot)} is {row.state} by {row.machine} "
                      f"(token {row.token}) for {age:.1f} s of rest")

    # MARK: After the end

    def check(self):
        self.rows = self.world.engine.rows()
        self.series = self.world.engine.series()
        self.runs, self.offers = runs(self.world.folder / "runs")
        if self.world.standby:
            self.check_failover()
        self.check_verdicts()
        self.check_instants()
        self.check_begins()
        self.check_runs_of_slots()
        self.check_overlaps()
        self.check_register()
        self.check_outcomes()
        self.check_violations()
        self.check_life()
        self.check_kills()
        self.check_rests()
        if self.world.scene:
            self.world.scene.check(self)
        for row in self.rows:
            if row.state == "claimed":
                self.find("open", f"{row.job} {clock(row.slot)} is still claimed by {row.machine} "
                          "after all have stopped")

    def is_excused(self, job, slot):
        """A reason for which a slot may have no verdict."""
        for name, start, end in self.world.suspensions:
            # Machines hear of it with their next renewal. Slots that waited for the engine when the
            # job was suspended are decided by that too.
            if name == job and start - 12_000 <= slot <= (end or 2**62) + 4000:
                return "suspended"
        change = self.world.changes.get(job)
        if change and change[0] and change[0] - 1000 * 2 <= slot <= (change[1] or 2**62) + 5000:
            return "changed"
        return None

    def period(self, job, slot):
        change = self.world.changes.get(job)
        return self.world.new_period if change and change[0] and slot > change[0] else None

    def check_failover(self):
        """A standby that is synchronous has all claims that a machine relied on."""
        lost = self.world.engine.lost()
        for run in self.runs:
            key = (run.job, run.slot, run.token)
            if run.token and run.slot > self.world.warm_ms and key not in lost.known:
                self.find("forgotten", f"{run.job} {clock(run.slot)} ran on {run.machine} with token "
                          f"{run.token}, of which no server knows")
            if key in lost.claims and self.world.standby == "synchronous":
                self.find("forgotten", f"{run.job} {clock(run.slot)} ran on {run.machine} with token "
                          f"{run.token}, and the standby did not have that claim")
        if self.world.standby == "lagging":
            self.lost, self.lost_slots = dict(lost.claims), lost.slots
            self.counts["lost claims"] = len(lost.claims)
            self.counts["regained"] = sum(until < float("inf") for until in lost.claims.values())
            self.check_living()

    def check_living(self):
        """A machine that lives on, and reaches the new primary in time, keeps its runs, and no slot of
        them runs again."""
        pair = self.world.engine
        if pair.promoted_at is None or pair.promoted_at - pair.killed_at > LEASE - 0.5:
            return
        living = {machine.name for machine in self.world.three if self.is_calm(
            machine, pair.detached_at - 1, pair.promoted_at + LEASE + 3)}
        by_slot = collections.defaultdict(list)
        for run in self.runs:
            if run.token:
                by_slot[run.job, run.slot].append(run)
        for run in self.runs:
            if run.machine not in living or not run.token or not (
                    run.last / 1e9 > pair.detached_at and run.begin / 1e9 < pair.killed_at):
                continue
            self.counts["runs over a failover"] += 1
            # It tells the new primary of what that did not have.
            self.lost.pop((run.job, run.slot, run.token), None)
            was_stopped = run.how != "end" and pair.killed_at < run.last / 1e9 < (
                pair.promoted_at + LEASE + 1)
            if was_stopped and not self.jobs[run.job].has("overlap", "replace"):
                if self.said(self.machines[run.machine], "could not be renewed in time",
                             pair.killed_at, pair.promoted_at + LEASE + 1):
                    self.counts["stopped by a failover"] += 1
                else:
                    self.find("failover", f"{run.job} {clock(run.slot)} was stopped on {run.machine}, "
                              "whose lease held")
            again = [other for other in by_slot[run.job, run.slot] if other.token > run.token]
            if again and (run.how == "end" or not self.jobs[run.job].has(
                    "delivery", "at_least_once")):
                self.find("failover", f"{run.job} {clock(run.slot)} ran on {run.machine} (token "
                          f"{run.token}, {run.how}), which has lived on, and again on "
                          f"{again[0].machine} (token {again[0].token})")

    def is_calm(self, machine, start, end):
        """Whether nothing was wrong between a machine and the engine, but for the failover."""
        start, end = start - self.world.start_boot, end - self.world.start_boot
        others = [times for times in self.world.plan.busy.get("engine", [])
                  if times != self.world.failover]
        return all(end < first or start > last for first, last in [
            *self.world.plan.busy.get(("net", machine.name), []),
            *self.world.plan.busy.get(("takt", machine.name), []), *others])

    def was_forgotten(self, run, at=None):
        """Whether the engine has lost the run's claim: for good, or at an instant of the boot clock."""
        if self.dropped and self.dropped.has_forgotten(run, at):
            return True
        until = self.lost.get((run.job, run.slot, run.token), 0)
        ahead = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return until == float("inf") if at is None else until > at / 1e9 + ahead

    def check_verdicts(self):
        """(1) Each slot of the oracle has one verdict."""
        decided = collections.Counter((row.job, row.slot) for row in self.rows)
        for job in self.world.jobs:
            if job.rests:
                continue
            last = self.world.end_ms - 5000 - int(
                2000 * job.work * (0 if job.has("overlap", "allow") else 1)) - (
                    # The group may still be at work on what it has missed.
                    10_000 if "concurrency" in job.keys else 0)
            change = self.world.changes.get(job.name) or [None, None]
            grids = [(self.world.warm_ms, (change[0] or last), job.period)]
            if change[0]:
                grids.append((change[0] + 1, last, self.world.new_period))
            for first, until, period in grids:
                for slot in job.slots(first, min(until, last), period):
                    count = decided[job.name, slot] + sum(
                        name == job.name and begin <= slot <= end
                        for name, begin, end in self.series)
                    if count == 0 and self.is_excused(job.name, slot):
                        self.counts["excused"] += 1
                    elif count == 0 and (job.name, slot) in self.lost_slots:
                        self.counts["forgotten verdicts"] += 1
                    elif self.was_dropped(slot):
                        self.counts["dropped verdicts"] += 1
                    elif count != 1:
                        self.find("verdict", f"{job.name} {clock(slot)} has {count} verdicts")
                    else:
                        self.counts["slots"] += 1
        for row in self.rows:
            self.counts[row.detail or row.outcome or row.state if row.verdict == "ran" else
                        row.verdict or row.state] += 1

    def check_instants(self):
        """No verdict of what is no slot, is still to come, or was before the cluster."""
        for row in self.rows:
            job = self.jobs[row.job]
            if job.rests:
                continue
            change = self.world.changes.get(row.job) or [None, None]
            steps = {job.period} if not change[0] or row.slot <= change[0] else \
                {self.world.new_period} if change[1] and row.slot > change[1] + 8000 else \
                {job.period, self.world.new_period}
            # A machine that was away while the schedule changed accounts for the old one's slots.
            if row.verdict in ("missed", "coalesced"):
                steps.add(job.period)
            # Where older zone data are in force, their slots are slots.
            if not job.shift and all(row.slot % (step * 1000) for step in steps):
                self.find("instant", f"{row.job} {clock(row.slot)} is no slot of that job")
            if row.slot < self.world.first_ms - 60_000:
                self.find("instant", f"{row.job} {clock(row.slot)} was before the cluster: "
                          f"{row.verdict} {row.detail}{row.outcome} on {row.machine}")
            since = min((value for value in (row.claimed_at, row.ended_at) if value), default=None)
            if since is None:
                continue  # It waits for another run, and nobody has had it yet.
            # A machine whose clock is fast runs it so, if it may run it without a claim.
            if row.reason == "unclaimed" and since > (row.slot - 601_000) * 1_000_000:
                continue
            if since < (row.slot - 1) * 1_000_000 - 1_000_000:
                self.find("instant", f"{row.job} {clock(row.slot)} was {row.verdict or row.state} "
                          f"{row.detail} {row.slot / 1000 - since / 1e9:.1f} s before its time, "
                          f"by {row.machine}")

    def check_begins(self):
        """A run with a claim does not begin before its slot, whatever its machine's clock says."""
        ahead = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        for run in self.runs:
            early = run.slot / 1000 - (run.begin / 1e9 + ahead)
            if run.token and early > self.world.engine.early + 0.01:
                self.find("instant", f"{run.job} {clock(run.slot)} ran {early:.3f} s before its time "
                          f"on {run.machine}")

    def check_runs_of_slots(self):
        """(2) Tokens grow; (3) how often a slot runs."""
        by_slot = collections.defaultdict(list)
        for run in self.runs:
            self.counts["runs"] += 1
            by_slot[run.job, run.slot].append(run)
        for (name, slot), ran in by_slot.items():
            job = self.jobs[name]
            claimed = [run for run in ran if run.token]
            tokens = [run.token for run in claimed]
            if tokens != sorted(set(tokens)):
                self.find("token", f"{name} {clock(slot)} ran with tokens {tokens} in this order")
            if len(claimed) < len(ran) and not job.has("on_partition", "run"):
                self.find("token", f"{name} {clock(slot)} ran without a token on "
                          f"{[run.machine for run in ran if not run.token]}")
            self.counts["unclaimed"] += len(ran) - len(claimed)
            self.counts["again"] += max(0, len(claimed) - 1)
            kept = [run for run in claimed if not self.was_forgotten(run)]
            if len(claimed) > max(1, len(kept)):
                self.counts["forgotten"] += 1
            if len(kept) > 1 and not job.has("delivery", "at_least_once"):
                self.find("once", f"{name} {clock(slot)} ran {len(claimed)} times: " + ", ".join(
                    f"{run.machine} token {run.token}" for run in claimed))

    def was_frozen(self, run, until):
        return any(start <= until / 1e9 and end >= run.begin / 1e9
                   for machine in self.world.machines if machine.name == run.machine
                   for start, end in machine.frozen)

    def check_overlaps(self):
        """(3) No two runs of a slot at a time, nor of a job or group that forbids it."""
        scopes = collections.defaultdict(list)
        for run in self.runs:
            if not run.token:
                continue
            job = self.jobs[run.job]
            scopes["slot", run.job, run.slot].append(run)
            if not job.has("overlap", "allow"):
                scopes["job", run.job, 0].append(run)
            if "concurrency" in job.keys:
                scopes["group", job.keys["concurrency"], 0].append(run)
        for (kind, name, _), ran in scopes.items():
            for index, younger in enumerate(ran):
                for older in ran[:index]:
                    if older.last <= younger.begin or kind == "job" and older.slot == younger.slot:
                        continue
                    if self.jobs[older.job].has("on_lease_lost", "finish"):
                        continue
                    if self.was_forgotten(older, younger.begin):
                        self.counts["forgotten overlap"] += 1
                        continue
                    if self.was_frozen(older, older.last):
                        self.counts["frozen overlap"] += 1
                        continue
                    self.find("overlap", f"two runs of {kind} {name}: {older.job} "
                              f"{clock(older.slot)} on {older.machine} (token {older.token}) and "
                              f"{younger.job} {clock(younger.slot)} on {younger.machine} (token "
                              f"{younger.token}), {(older.last - younger.begin) / 1e6:.0f} ms")

    def check_register(self):
        """(4) The register's tokens grow."""
        for (name, slot), tokens in self.offers.items():
            if tokens != sorted(tokens):
                self.find("register", f"{name} {clock(slot)} took {tokens}")
        self.counts["refused"] = sum(run.refused for run in self.runs)

    def check_outcomes(self):
        """What the engine says of a slot is what its commands did."""
        by_token = {(run.job, run.slot, run.token): run for run in self.runs if run.token}
        tokens = collections.defaultdict(list)
        for run in self.runs:
            if run.token and not self.was_forgotten(run):
                tokens[run.job, run.slot].append(run.token)
        known = {(row.job, row.slot): row for row in self.rows}
        for key, ran in tokens.items():
            row = known.get(key)
            if row is None and self.was_dropped(key[1]):
                self.counts["dropped outcomes"] += 1
            elif row is None:
                self.find("outcome", f"{key[0]} {clock(key[1])} ran, and the engine knows nothing")
            elif row.state == "decided" and row.verdict != "ran":
                # A machine that was lost ran it; the one that had it next may have been refused it.
                if row.attempt == 1 and not (
                        row.verdict == "skipped" and row.detail == "suspended"):
                    self.find("outcome", f"{row.job} {clock(row.slot)} ran, but is {row.verdict} "
                              f"{row.detail}")
        for row in self.rows:
            run = by_token.get((row.job, row.slot, row.token))
            if row.outcome == "succeeded" and (run is None or run.how != "end"):
                self.find("outcome", f"{row.job} {clock(row.slot)} succeeded with token {row.token} "
                          f"on {row.machine}, but the command {run.how if run else 'never began'}")

    def check_violations(self):
        """(8) What the engine's changes say."""
        lost = self.world.engine.lost().claims if self.world.standby else {}
        for kind, job, slot, words in self.world.engine.violations():
            token = re.search(r"became token (\d+)", words)
            # What the standby had not heard of: the claim was open again before, and is told again.
            if kind == "taken from another" and (job, slot, int(token[1])) in lost:
                self.counts["taken back"] += 1
                continue
            self.find(kind, f"{job} {clock(slot)} {words}" if job else words)

    def check_life(self):
        """After healing, all jobs run again."""
        for job in self.world.jobs:
            since = self.world.heal_boot + TAKEOVER * 1e9
            # One that takes long may have begun a little before.
            if not any(run.job == job.name and run.last > since for run in self.runs) and not any(
                    name == job.name and end is None for name, _, end in self.world.suspensions):
                self.find("life", f"{job.name} did not run again after all was healed")

    def was_dropped(self, slot):
        """Whether what the engine knew of a slot may have been deleted."""
        return self.dropped is not None and self.dropped.at is not None and \
            slot <= self.dropped.at_ms + 1000

    def is_off(self, run):
        """Whether the job's schedule has no such slot."""
        job = self.jobs[run.job]
        return run.slot not in job.slots(run.slot, run.slot)

    def check_kills(self):
        """A takt that is killed leaves no run with a claim behind: its guard ends them, whatever
        `on_lease_lost` says."""
        for run in self.runs:
            machine = self.machines[run.machine]
            if not run.token or self.world.plant == "guard" or machine.program != self.world.takt:
                continue
            for at in machine.kills:
                # The guard may be as quick as the one who notes the time.
                if run.begin / 1e9 < at and run.how is None and abs(run.last / 1e9 - at) < 1:
                    self.counts["ended by the guard"] += 1
                if run.begin / 1e9 < at and run.last / 1e9 > at + 1 and not any(
                        at - 1 < other <= at for other in machine.guard_kills):
                    self.find("outlived", f"{run.job} {clock(run.slot)} on {run.machine} (token "
                              f"{run.token}) went on for {run.last / 1e9 - at:.1f} s after kill -9 of "
                              "its takt")

    def check_rests(self):
        """A slot of `from: end` begins no sooner than the interval after the end of the one before."""
        for job in self.world.jobs:
            if not job.rests:
                continue
            ran = [run for run in self.runs if run.job == job.name and run.token]
            for older, younger in zip(ran, ran[1:]):
                rest = (younger.begin - older.last) / 1e9
                if younger.slot != older.slot and rest < job.period - self.world.engine.early - 0.1 \
                        and not self.was_forgotten(older, younger.begin):
                    self.find("rest", f"{job.name} {clock(younger.slot)} on {younger.machine} began "
                              f"{rest:.2f} s after the end of {clock(older.slot)} on {older.machine}")

    # MARK: The programs

    def log(self, machine):
        """What a machine's daemons have said, warnings and the like."""
        if machine.name not in self.logs:
            self.logs[machine.name] = found = []
            for path in sorted(machine.folder.glob("log.*")):
                for line in path.read_text(errors="replace").splitlines():
                    if '"message"' not in line:
                        continue
                    try:
                        found.append(json.loads(line))
                    except ValueError:
                        continue
        return self.logs[machine.name]

    def said(self, machine, words, since=0, until=float("inf")):
        """What a log has with these words, between instants of the boot clock where its clock is right."""
        ahead = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return [entry for entry in self.log(machine) if words in entry.get("message", "")
                and since < milliseconds(entry["ts"]) / 1000 - ahead < until]

    def check_programs(self):
        """(6) takt never crashes, its ledgers are whole; (7) nothing is left."""
        for machine in self.world.machines:
            if not machine.started:
                continue
            for number, status, was_wanted in machine.exits:
                if not was_wanted:
                    self.find("crash", f"{machine.name}: takt {number} ended with {status}")
                elif status not in (0, -9):
                    self.find("exit", f"{machine.name}: takt {number} ended with {status}")
            for path in sorted(machine.folder.glob("log.*")):
                self.read_log(machine, path)
            result = machine.call("verify")
            if result is None or result.returncode != 0:
                words = "no answer" if result is None else " / ".join(
                    (result.stdout + result.stderr).strip().splitlines()[:6])
                self.find("verify", f"{machine.name}: {words}")
            if machine in self.world.three and machine.program == self.world.takt:
                self.check_cluster_ledger(machine)
            for pid in self.world.net.processes(machine.name):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as file:
                        command = file.read().replace(b"\0", b" ").decode(errors="replace")
                except OSError:
                    continue
                self.find("left", f"{machine.name}: process {pid}: {command}")

    def check_cluster_ledger(self, machine):
        """What a machine says of the slots of all machines. It does not know what was deleted."""
        since = []
        if self.dropped and self.dropped.at_ms:
            instant = datetime.datetime.fromtimestamp(
                self.dropped.at_ms / 1000 + 2, datetime.timezone.utc)
            since = ["--since", instant.strftime("%Y-%m-%dT%H:%M:%SZ")]
        result = machine.call("verify", "--cluster", "--json", *since)
        try:
            found = json.loads(result.stdout)["findings"]
        except (AttributeError, ValueError, KeyError):
            self.find("verify --cluster", f"{machine.name}: " + (
                "no answer" if result is None else (result.stdout + result.stderr).strip()[:300]))
            return
        for one in found:
            # A partition, and a failover that loses something, may lead to these: a machine that could
            # not tell of its run's end does so later, and another one has run the slot at least once.
            if one["kind"] in ("unrecorded", "doubled") and (
                    self.jobs[one["job"]].has("on_partition", "run")
                    or self.jobs[one["job"]].has("delivery", "at_least_once")
                    or self.world.standby == "lagging"):
                self.counts[one["kind"]] += 1
            # Given back when all machines stopped; look_at_open has found those that nobody took.
            elif one["kind"] == "stuck" and (one["job"], milliseconds(one["first"])) in {
                    (row.job, row.slot) for row in self.rows if row.state == "open"}:
                self.counts["left open"] += 1
            else:
                self.find("verify --cluster", f"{machine.name}: {one['job']} {one['kind']} "
                          f"{one['first']} to {one['last']} ({one['count']}) {one['detail']}")

    def read_log(self, machine, path):
        with open(path, errors="replace") as file:
            for line in file:
                if CRASH.search(line):
                    self.find("crash", f"{machine.name} {path.name}: {line.strip()[:200]}")
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if entry.get("level") == "error":
                    self.find("error", f"{machine.name} {path.name}: {line.strip()[:300]}")
