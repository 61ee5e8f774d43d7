"""A PostgreSQL server with a standby that takes its place."""
import collections
import os
import pathlib
import random
import signal
import time

import engine

SPARE, FORMER = 5433, 5434
CHANGES = """
SELECT at, extract(epoch FROM at), job, slot, coalesce(state, ''), coalesce(token, 0)
FROM nemesis.slot_change
"""

# `claims`: those that the standby did not have, by job, slot and token; with the instant, in seconds
# since 1970, at which the new primary got it after all. `slots`: those of which it did not have some
# change, by job and slot. `known`: all claims that one of both servers had.
Lost = collections.namedtuple("Lost", "claims slots known")


def choice(kind, seed, plant):
    """Whether a seed has a standby: None, `synchronous` or `lagging`. With numbers of its own, so
    that all else in a seed is the same."""
    if kind != "postgres" or plant != "none":
        return None
    rng = random.Random(f"takt nemesis {seed} standby")
    return rng.choices([None, "synchronous", "lagging"], [6, 2, 2])[0]


def add(plan, kind, seed):
    """Adds the failover to the plan of a seed, where the engine has nothing else to bear."""
    plan.rng = random.Random(f"takt nemesis failover {seed}")
    lag = round(plan.rng.uniform(2, 4), 2) if kind == "lagging" else 0
    down = round(plan.rng.uniform(0.5, 4), 2)
    # A short one leaves the machines their leases, so that they keep their runs.
    if kind == "lagging" and random.Random(f"takt nemesis short failover {seed}").random() < 0.7:
        down = 0.3
    for pause in (4, 2, 1):
        if (start := plan.place("engine", lag + down, pause)) is not None:
            break
    else:
        return
    plan.world.failover = (start, start + (lag + down))
    pair = plan.world.engine
    if lag:
        plan.at(start, pair.detach)
    plan.at(start + lag, pair.kill_all)
    plan.at(start + lag + down, pair.promote)
    plan.note(f"failover{f' with {lag:.1f}s lost' if lag else ''}", start + lag, down)


def boot():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def children(parent):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(
                    (entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


class Pair(engine.Engine):
    """The engine is whichever is primary: `data`, `port` and `process` are its."""

    def __init__(self, folder, template, net):
        super().__init__(folder, template, net)
        self.spare_data, self.spare = folder / "standby", None
        self.former_data = None  # the old primary's files, after the failover
        # A cold copy of the same files is as good as a backup.
        engine.copy(template, self.spare_data)
        with open(self.data / "pg_hba.conf", "a") as file:
            file.write("local replication all trust\n")
        with open(self.data / "postgresql.auto.conf", "a") as file:
            file.write("synchronous_standby_names = '*'\nsynchronous_commit = on\n"
                       "wal_keep_size = 256MB\n")
        with open(self.spare_data / "postgresql.auto.conf", "a") as file:
            file.write(f"primary_conninfo = 'host={folder} port={self.port} user=takt'\n"
                       "wal_retrieve_retry_interval = 200ms\n")
        (self.spare_data / "standby.signal").touch()
        self.found = None
        # On the boot clock.
        self.detached_at = self.killed_at = self.promoted_at = None

    @property
    def ports(self):
        return [engine.DIRECT, SPARE]

    def start(self):
        super().start()
        if self.former_data is None and (self.spare is None or self.spare.poll() is not None):
            # At least as many as the server had that made these files.
            self.spare = self.launch(self.spare_data, SPARE, max_connections=100)

    # MARK: Failing over

    def detach(self):
        """From now on, commits wait for nobody, and the standby gets none of them."""
        self.detached_at = boot()
        for port, setting in [(self.port, "synchronous_standby_names"), (SPARE, "primary_conninfo")]:
            self.query(f"ALTER SYSTEM SET {setting} = ''; SELECT pg_reload_conf()", port=port)
        # Other clusters take tokens too. PostgreSQL writes a sequence down for 32 values at a time, so
        # that a few would hardly be missed.
        self.query("SELECT max(nextval('takt.token')) FROM generate_series(1, 100)", "takt")

    def kill_all(self):
        """The primary with all its processes, which do not end by themselves at once otherwise."""
        self.killed_at = boot()
        if not self.is_up():
            return
        self.process.send_signal(signal.SIGSTOP)
        for pid in [*children(self.process.pid), self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def promote(self):
        self.query("SELECT pg_promote()", port=SPARE, seconds=30)
        self.former_data, self.data = self.data, self.spare_data
        self.process, self.port = self.spare, SPARE
        self.promoted_at = boot()

    # MARK: What is lost

    def lost(self):
        """Compares what both servers know, when all is over."""
        if self.found is None:
            old = self.former_changes() if self.former_data else []
            new = self.query(CHANGES, "takt")
            gone = self.without(old, new)
            # A claim may have been replicated, and a later change of it not.
            kept = {(job, slot, token) for _, _, job, slot, _, token in self.without(
                new, self.without(new, old))}
            gained = {}
            for _, at, job, slot, state, token in new:
                if state == "claimed":
                    gained.setdefault((job, slot, token), float(at))
            claims = {
                (job, int(slot), int(token)): gained.get((job, slot, token), float("inf"))
                for _, _, job, slot, state, token in gone
                if state == "claimed" and (job, slot, token) not in kept}
            slots = {(job, int(slot)) for _, _, job, slot, _, _ in gone}
            known = {(job, int(slot), int(token)) for _, _, job, slot, _, token in [*old, *new]}
            self.found = Lost(claims, slots, known)
        return self.found

    @staticmethod
    def without(changes, others):
        """Those changes that are not among the others, by time, job and slot."""
        names = {(row[0], row[2], row[3]) for row in others}
        return [row for row in changes if (row[0], row[2], row[3]) not in names]

    def former_changes(self):
        server = self.launch(
            self.former_data, FORMER, listen_addresses="", synchronous_standby_names="")
        try:
            end = time.monotonic() + 20
            while self.query("SELECT 1", check=False, port=FORMER) is None:
                if time.monotonic() > end:
                    raise RuntimeError("the old primary does not start to be read")
                time.sleep(0.1)
            return self.query(CHANGES, "takt", port=FORMER)
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait()
