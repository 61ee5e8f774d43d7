"""Measures a cluster: lateness, claims per second, and how soon a killed machine is replaced.

    cluster_bench.py TAKT [--quick] [--json FILE]

All machines are daemons on this machine. They share a PostgreSQL server of the benchmark's own, on the
loopback interface and with default durability. Without PostgreSQL nothing is measured.
"""

import contextlib
import datetime
import math
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent / "peers")]

import postgres  # noqa: E402
import starts  # noqa: E402
from common import descendants  # noqa: E402
from common.figures import Figures, take_option  # noqa: E402
from common.stopping import stop_once  # noqa: E402
from daemon import NotReady  # noqa: E402
from machines import GRACE, LEASE, RANK_PACE_MS, RENEWAL, Machine, started  # noqa: E402
from measurements import Measurements  # noqa: E402
from percentile import percentile  # noqa: E402
from tools import compiled  # noqa: E402

JOBS = [f"job{number:02}" for number in range(20)]
LONG = "long"
MACHINES = ["a", "b", "c"]
WARM_UP = 2
# Seconds to start all machines and warm up.
LEAD = 5
# A machine is killed so long after a full second, when the commands of that second have ended.
KILL_AFTER = 0.85
# How much a start may be late, and still be waited for.
PATIENCE = 15
STORM_LEAD = 6
ROUND_TRIPS = 100
COMMITS = 50
# What claims may cost beyond a round trip.
CLAIM_MS = 5
TITLE = f"cluster: {len(JOBS)} jobs per second"
ALONE, CLUSTERED = "one daemon without a cluster", "three machines"


class Bench:
    """The server, the noting program, and all figures."""

    def __init__(self, takt, folder, server, note, figures):
        self.takt = takt
        self.folder = pathlib.Path(folder)
        self.server = server
        self.note = note
        self.figures = figures
        self.found = Measurements()
        self.cases = 0
        with postgres.Connection(server.url) as connection:
            connection.rows("CREATE TABLE written (number int)")

    def case(self):
        """A new folder, whose name is that of its cluster too: each case has its own."""
        self.cases += 1
        folder = self.folder / f"case{self.cases}"
        folder.mkdir(mode=0o700)
        return folder

    def punctual(self, stamps):
        """Jobs that are due each second."""
        return {job: f'cron: "* * * * * *", run: [{self.note}, {stamps}]' for job in JOBS}

    def measure_database(self, number):
        """Times a round trip and a commit, while nothing else happens."""
        with postgres.Connection(self.server.url) as connection:
            trips = connection.times_ms("SELECT 1", ROUND_TRIPS)
            commits = connection.times_ms("INSERT INTO written VALUES (1)", COMMITS)
        values = {name: percentile(trips, percent) for name, percent in starts.PERCENTILES.items()}
        values |= {
            f"commit_{name}": percentile(commits, percent)
            for name, percent in starts.PERCENTILES.items()}
        self.found.add("database", number, **values)
        return values

    def measure_alone(self, number, seconds):
        """Lateness on one daemon without a cluster."""
        folder = self.case()
        stamps = folder / "stamps"
        with started(Machine(self.takt, folder, name, self.punctual(stamps)) for name in ["alone"]) as (
                machine,):
            machine.wait_started(time.time() + PATIENCE)
            turn = range(begin := math.ceil(time.time()) + WARM_UP, begin + seconds)
            sleep_until(turn.stop + 0.5)
            machine.check(math.inf)
        values = lateness(starts.read(stamps), turn)
        self.found.add(ALONE, number, **values)
        return values

    def measure_cluster(self, number, seconds):
        """Lateness on three machines, and what follows when one of them is killed.

        The killed machine is the one that runs a long command, which must start again elsewhere.
        """
        folder = self.case()
        stamps = folder / "stamps"
        turn = range(begin := math.ceil(time.time()) + LEAD, begin + seconds)
        jobs = self.punctual(stamps)
        jobs[LONG] = (f"at: {instant(turn.stop)}, delivery: at_least_once, "
                      f"run: [{self.note}, {stamps}, '60']")
        with started(
                Machine(self.takt, folder, name, jobs, self.server.url, folder.name)
                for name in MACHINES) as machines:
            for machine in machines:
                machine.wait_started(turn.start - WARM_UP)
            sleep_until(turn.stop)
            victim = wait_for(
                lambda: next((one.machine for one in starts.read(stamps) if one.job == LONG), None),
                turn.stop + PATIENCE, "the long command did not start")
            sleep_until(math.floor(time.time()) + KILL_AFTER)
            killed_at = next(one for one in machines if one.name == victim).fail()
            again = wait_for(
                lambda: starts.restart(starts.read(stamps), LONG, victim),
                killed_at + LEASE + GRACE + RENEWAL + PATIENCE,
                "the long command did not start on another machine")
            # That may be sooner than the slots that are measured have come.
            sleep_until(killed_at + LEASE + 1.5)
            end = math.floor(time.time()) - 1
            for machine in machines:
                if machine.name != victim:
                    machine.check(math.inf)
        found = starts.read(stamps)
        values = lateness(found, turn)
        values |= starts.granted(self.grants(folder.name, turn), turn)
        values["irregular"] = starts.irregular(found, JOBS, range(turn.start, end))
        after = lateness(found, starts.due_while_leased(killed_at, LEASE))
        values["next"] = after["p99"]
        values["again"] = again - killed_at
        self.found.add(CLUSTERED, number, **values)
        return values

    def grants(self, cluster, turn):
        """Slots and times of grants, in seconds since the epoch, of slots in a range of seconds."""
        with postgres.Connection(self.server.url) as connection:
            return [(int(slot) / 1e3, int(time) / 1e9) for slot, time in connection.rows(
                "SELECT slot, claimed_at FROM takt.slot WHERE claimed_at IS NOT NULL "
                f"AND cluster = '{cluster}' AND job <> '{LONG}' "
                f"AND slot >= {turn.start * 1000} AND slot < {turn.stop * 1000}")]

    def measure_lateness(self, rounds, seconds):
        """Measures one daemon and three machines in turns."""
        print(f"\n## {len(JOBS)} jobs per second, {seconds} s per turn: lateness, ms; then one of three "
              "machines is killed\n", flush=True)
        rows = {name: [] for name in ("database", ALONE, CLUSTERED)}
        for number in range(1, rounds + 1):
            rows["database"].append(self.measure_database(number))
            turns = [(ALONE, self.measure_alone), (CLUSTERED, self.measure_cluster)]
            for name, measure in turns if number % 2 else reversed(turns):
                rows[name].append(measure(number, seconds))
        for word in starts.PERCENTILES:
            for name in (ALONE, CLUSTERED):
                self.add(f"{TITLE} on {name}, lateness {word}", "ms", rows[name], word)
            self.add(f"cluster: round trip of SELECT 1, {word}", "ms", rows["database"], word)
            self.add(f"cluster: durable commit, {word}", "ms", rows["database"], f"commit_{word}")
        for word in starts.PERCENTILES:
            self.add(f"{TITLE} on {CLUSTERED}, due to grant {word}", "ms", rows[CLUSTERED], f"grant_{word}")
        self.add(f"{TITLE} on {CLUSTERED}, transactions with grants per second", "1/s", rows[CLUSTERED],
                 "transactions")
        self.figures.add(
            f"{TITLE}, lateness p99 above that of one daemon plus a round trip", "ms",
            [starts.beyond(clustered["p99"], alone["p99"], trip["p99"]) for clustered, alone, trip
             in zip(rows[CLUSTERED], rows[ALONE], rows["database"])], at_most=CLAIM_MS)
        self.add(f"{TITLE} on {CLUSTERED}, starts missed or doubled", "starts", rows[CLUSTERED],
                 "irregular")
        self.figures.add(
            "cluster: machine killed, lateness p99 of the next slots above that before", "ms",
            [row["next"] - row["p99"] for row in rows[CLUSTERED]], at_most=RANK_PACE_MS)
        self.add("cluster: machine killed, until its active command starts elsewhere", "s",
                 rows[CLUSTERED], "again", at_most=LEASE + GRACE + RENEWAL)

    def add(self, title, unit, rows, name, **bounds):
        """Adds a figure with one value from each turn."""
        self.figures.add(title, unit, [row[name] for row in rows], **bounds)

    def measure_claims(self, rounds, count):
        """One machine of a cluster claims many slots that are due at one instant."""
        print(f"\n## {count:,} slots due at once, on one machine of a cluster\n", flush=True)
        rows = []
        for number in range(1, rounds + 1):
            rows.append(self.claim_storm(count))
            self.found.add("claims", number, **rows[-1])
        self.add("cluster: slots due at once, claims per second", "1/s", rows, "rate", size=count)
        self.add("cluster: slots due at once, due to last grant", "s", rows, "seconds", size=count)
        self.add("cluster: slots due at once, transactions with grants", "transactions", rows,
                 "transactions", size=count)

    def claim_storm(self, count):
        """The rate of claims, and the transactions used."""
        folder = self.case()
        due = math.ceil(time.time()) + STORM_LEAD
        jobs = {f"job{number:04}": f"at: {instant(due)}, run: ['true']" for number in range(count)}
        with started(
                Machine(self.takt, folder, name, jobs, self.server.url, folder.name, count)
                for name in ["a"]) as (machine,), postgres.Connection(self.server.url) as connection:
            machine.wait_started(due)

            def has(table, what):
                return lambda: int(connection.value(
                    f"SELECT count({what}) FROM takt.{table} WHERE cluster = '{folder.name}'")) == count

            wait_for(has("holder", "*"), due, "the jobs were not declared in time")
            sleep_until(due + 0.5)
            wait_for(has("slot", "claimed_at"), due + PATIENCE, "slots were not claimed in time")
        granted = [time for _, time in self.grants(folder.name, range(due, due + 1))]
        return {"rate": starts.claims_per_second(due, granted), "seconds": max(granted) - due,
                "transactions": len(set(granted))}


def lateness(found, turn):
    """Percentiles of the lateness of slots in a range of seconds."""
    late = [one.late_ms for one in starts.within(found, turn) if one.job in JOBS]
    if len(late) < len(JOBS) * len(turn) / 2:
        raise NotReady(f"{len(late)} commands of {len(JOBS) * len(turn)} started")
    return {name: percentile(late, percent) for name, percent in starts.PERCENTILES.items()}


def sleep_until(second):
    """Sleeps until a wall-clock time."""
    time.sleep(max(0, second - time.time()))


def wait_for(condition, end, problem):
    """The first value of a condition that holds; raises NotReady at a wall-clock time."""
    while not (value := condition()):
        if time.time() > end:
            raise NotReady(problem)
        time.sleep(0.05)
    return value


def instant(second):
    """A whole second of the epoch in the form of a jobs file."""
    return datetime.datetime.fromtimestamp(second, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def print_table(rows):
    """Prints all figures, and whether those with a target reach it."""
    print("\n" + "\n".join(table_line(row) for row in rows if "value" in row), flush=True)


def table_line(row):
    """A figure with its lowest and highest value and its target."""
    spread = f" ({row['low']:.4g} to {row['high']:.4g})" if row["samples"] > 1 else ""
    target = ""
    if "at_most" in row:
        target = f", {'met' if row['value'] <= row['at_most'] else 'MISSED'}: at most {row['at_most']:g}"
    size = f" [{row['size']:,}]" if "size" in row else ""
    return f"{row['name'] + size:84} {row['value']:8.4g} {row['unit']}{spread}{target}"


def measure(takt, figures, quick):
    """Measures everything in a folder that is removed afterwards; returns the parts that failed."""
    failures = []
    with contextlib.ExitStack() as stack:
        # Programs that outlive their daemon end before the folder goes.
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="takt-cluster-", ignore_cleanup_errors=True))
        stack.callback(descendants.kill, 10)
        # The server has a user of its own, who must reach its folder in this one.
        os.chmod(folder, 0o711)
        note = compiled(HERE / "note_slot.c", folder)
        if not note:
            raise NotReady("cc is needed")
        server = stack.enter_context(postgres.Server(pathlib.Path(folder) / "postgres"))
        figures.rows.append({"scheduler": "PostgreSQL", "version": server.version})
        bench = Bench(takt, folder, server, note, figures)
        # The first one to join creates the tables.
        parts = {
            "claims": lambda: bench.measure_claims(1 if quick else 2, 200 if quick else 1000),
            "lateness": lambda: bench.measure_lateness(1 if quick else 2, 3 if quick else 6)}
        for name, part in parts.items():
            try:
                part()
            except (NotReady, OSError, postgres.DatabaseError) as error:
                print(f"FAILED: {name}: {error}", flush=True)
                failures.append(name)
                figures.rows.append({"failed": f"cluster, {name}", "reason": str(error)})
    return failures


def main(arguments):
    """Measures a cluster if there can be one."""
    figures = Figures(take_option(arguments, "--json"))
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 64
    if reason := postgres.absent():
        print(f"left out: the cluster ({reason})", flush=True)
        figures.rows.append({"left_out": "cluster", "reason": reason})
        figures.write()
        return 0
    descendants.adopt_orphans()
    stop_once()
    try:
        failures = measure(os.path.abspath(arguments[0]), figures, quick)
    except NotReady as error:
        print(f"FAILED: {error}", flush=True)
        failures = [str(error)]
    print_table(figures.rows)
    figures.write()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
