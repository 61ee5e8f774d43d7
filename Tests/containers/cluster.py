"""One job on two machines of a cluster, each with an engine of its own."""

import collections
import os
import pathlib
import pwd
import shutil
import subprocess

from machine import Machine, seconds
from podman import IMAGE, until

# The machines have one file; DOCKER_HOST names the engine of each.
JOBS = """
scheduler:
  state: STATE
  timezone: UTC
  shutdown_grace: 1s
  cluster: {{engine: postgres, url: "host={host} user=takt dbname=postgres", machine: NAME, lease: 3s}}
jobs:
  shared:
    every: 3s
    use: container
    with: {{image: {image}, command: ["true"], network: none, remove: never}}
  long:
    every: 15s
    delivery: at_least_once
    use: container
    with: {{image: {image}, shell: "sleep 600", network: none}}
    kill: {{grace: 1s}}
"""
PERIOD = 3


def missing():
    """The reason for which there can be no cluster here; None if there can be one."""
    if not programs() or not user() or not shutil.which("setpriv"):
        return "it needs PostgreSQL (postgresql-15)"
    return None


def programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def user():
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names.get("nobody")


class Database:
    """A server on a Unix socket in its folder, as a user other than root."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o755)
        os.chown(self.folder, user().pw_uid, user().pw_gid)
        self.run("initdb", "-D", "data", "-U", "takt", "-A", "trust", "--no-sync")
        self.server = subprocess.Popen(
            self.words("postgres", "-D", "data", "-k", self.folder, "-c", "listen_addresses=",
                       "-c", "fsync=off"),
            cwd=self.folder, stderr=subprocess.DEVNULL)
        until("the database answers", lambda: self.query("SELECT 1"))

    def words(self, program, *words):
        return ["setpriv", "--reuid", user().pw_name, "--regid", str(user().pw_gid),
                "--clear-groups", programs() / program, *words]

    def run(self, program, *words):
        subprocess.run(self.words(program, *words), cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)

    def query(self, text):
        done = subprocess.run(
            ["psql", "-h", self.folder, "-U", "takt", "-d", "postgres", "-qtAF", "|", "-c", text],
            capture_output=True, text=True)
        return [line.split("|") for line in done.stdout.splitlines()]

    def close(self):
        self.server.terminate()
        self.server.wait()


def drive(takt, folder, engines):
    folder = pathlib.Path(folder)
    folder.mkdir()
    folder.chmod(0o755)
    database = Database(folder / "database")
    machines = {}
    try:
        for name, engine in engines.items():
            text = JOBS.format(host=database.folder, image=IMAGE).replace("NAME", name)
            machines[name] = Machine(
                takt, folder / name, text, {"DOCKER_HOST": f"unix://{engine.socket}"})
            machines[name].start()
        take_over(machines, engines)
        compare(database, engines)
        for machine in machines.values():
            machine.stop()
            assert machine.is_in_order(), "the ledger is not in order"
        until("stopped machines leave no container of the long job", lambda: not any(
            engine.containers("long") for engine in engines.values()))
    finally:
        for machine in machines.values():
            if machine.daemon:
                machine.daemon.kill()
        database.close()


def take_over(machines, engines):
    """A machine is killed while it has a run."""
    def having():
        return [name for name, engine in engines.items() if engine.containers("long")]

    first = until("a machine has the long run", having)
    assert len(first) == 1, "two machines have one slot"
    first = first[0]
    second = next(name for name in engines if name != first)
    mark = engines[first].containers("long")[0]["Id"]
    machines[first].kill()
    until(f"{first} is killed, {second} takes the slot over",
          lambda: engines[second].containers("long"))
    # Nobody else can end it.
    assert engines[first].is_running(mark), "another machine ended the container"
    theirs = engines[second].containers("long")[0]["Id"]
    machines[first].start()
    until(f"{first} ends the container that it left", lambda: all(
        found["Id"] != mark for found in engines[first].containers("long")))
    until("it says so", lambda: machines[first].has_logged("Ended containers of the previous"))
    assert engines[second].is_running(theirs), f"{first} ended a container of {second}"


def enough(rows):
    """The rows up to the first slot that has not ended; none if they are too few."""
    ended = next((at for at, row in enumerate(rows) if not row[2] or row[2:] == ["ran", ""]), len(rows))
    return rows[:ended] if ended >= 20 else []


def compare(database, engines):
    """Each slot has one claim, and one container, which is on the engine of its machine."""
    claims = until("twenty slots have ended", lambda: enough(database.query(
        "SELECT slot, machine, verdict, outcome FROM takt.history WHERE job = 'shared' ORDER BY 1")))
    ran, slots = {}, []
    for text, machine, verdict, _ in claims:
        slots.append(round(seconds(text.replace(" ", "T"))))
        if verdict == "ran":
            ran[slots[-1]] = machine
    assert slots == list(range(slots[0], slots[-1] + 1, PERIOD)), f"not one row a slot: {claims}"
    held = collections.defaultdict(list)
    for name, engine in engines.items():
        for container in engine.containers("shared"):
            details = engine.ask("GET", f"/v1.41/containers/{container['Id']}/json")
            variables = dict(text.split("=", 1) for text in details["Config"]["Env"])
            held[round(seconds(variables["TAKT_SLOT"]))].append(name)
    for slot, machine in ran.items():
        assert held[slot] == [machine], f"{slot}: claimed by {machine}, containers on {held[slot]}"
    counts = collections.Counter(ran.values())
    print(f"ok: {len(ran)} slots have one claim and one container each, on the machine of the claim "
          f"({', '.join(f'{name}: {count}' for name, count in sorted(counts.items()))})")
