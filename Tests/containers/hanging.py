"""An engine that hangs: its process is stopped, so that it takes requests and answers none."""

import time

from machine import Machine, lateness, seconds
from podman import IMAGE, until

# No slot of `beat` may begin later than this, and no command take longer, whatever the engine does.
PROMPT = 5
# A stop sends TERM, KILL after the grace, then asks for the state and removes: all in vain.
STOPPED = 130

JOBS = """
scheduler: {{state: STATE, containers: {{labels: true, socket: {hung}}}, shutdown_grace: 1s}}
jobs:
  beat: {{every: 1s, run: "true"}}
  other:
    every: 4s
    use: container
    with: {{image: {image}, command: ["true"], network: none, socket: {well}}}
  long:
    on: manual
    use: container
    with: {{image: {image}, shell: "echo begun; sleep 600", network: none, socket: {hung}}}
    kill: {{grace: 1s}}
  timed:
    on: manual
    use: container
    with: {{image: {image}, shell: "sleep 600", network: none, socket: {hung}}}
    timeout: 3s
    kill: {{grace: 1s}}
    overlap: allow
"""


def drive(takt, folder, hung, well):
    machine = Machine(
        takt, folder, JOBS.format(hung=hung.socket, well=well.socket, image=IMAGE))
    try:
        machine.start()
        for scene in (during_a_run, before_a_run, with_labels, at_the_end):
            print(f"-- {scene.__name__.replace('_', ' ')}", flush=True)
            start = time.time()
            scene(machine, hung)
            hung.wake()
            expect_prompt(machine, start)
        assert machine.is_in_order(), "the ledger is not in order"
        assert not well.containers(), "a container is left on the other engine"
    finally:
        machine.daemon.kill()


def expect_prompt(machine, start):
    """Jobs that do not use the engine have run in time, and each of their slots."""
    for job in ("beat", "other"):
        ran = [run for run in machine.runs(job) if seconds(run["slot"]) > start]
        late = max(map(lateness, ran))
        assert late < PROMPT, f"{job} began {late:.1f} s late"
        # One may have been active when the scene stopped takt.
        failed = [run["reason"] for run in ran
                  if run.get("outcome", "succeeded") != "succeeded" and run["reason"] != "down"]
        assert not failed, f"{job}: {failed}"
        print(f"ok: {len(ran)} slots of {job}, the latest after {late:.2f} s", flush=True)


def expect_answers(machine):
    start = time.monotonic()
    assert machine.call("status").returncode == 0
    took = time.monotonic() - start
    assert took < PROMPT, f"takt status took {took:.1f} s"


def during_a_run(machine, engine):
    """A cancel, and a timeout, of runs whose engine hangs."""
    machine.call("trigger", "long")
    machine.call("trigger", "timed")
    until("two runs are active", lambda: engine.containers("long") and engine.containers("timed"))
    engine.hang()
    machine.call("cancel", "long")
    expect_answers(machine)
    until("a timeout ends a run", lambda: machine.outcome("timed"), STOPPED)
    until("a cancel ends a run", lambda: machine.outcome("long"), STOPPED)
    assert machine.outcome("timed").startswith("timed_out"), machine.outcome("timed")
    assert machine.outcome("long").startswith("cancelled"), machine.outcome("long")
    engine.wake()
    until("their containers are gone", lambda: not engine.containers())


def before_a_run(machine, engine):
    """Runs that begin while the engine hangs."""
    engine.hang()
    for _ in range(4):
        machine.call("trigger", "timed")
    machine.call("trigger", "long")
    time.sleep(2)
    machine.call("cancel", "long")
    expect_answers(machine)
    until("a cancel ends a run", lambda: machine.outcome("long"), PROMPT)
    until("timeouts end four runs", lambda: all(
        run.get("outcome") == "timed_out" for run in machine.runs("timed", 4)), 2 * PROMPT)
    engine.wake()
    machine.call("trigger", "long")
    until("a run starts again", lambda: engine.containers("long"))
    machine.call("cancel", "long")
    until("nothing is left", lambda: not engine.containers())


def with_labels(machine, engine):
    """Jobs of labels, whose runs hang too, and containers that come and go meanwhile."""
    labels = {"takt.jobs.x.every": "1s", "takt.jobs.x.run": "true"}
    engine.run("first", labels)
    until("a job of labels runs", lambda: machine.outcome("first.x") == "succeeded exit(0)")
    engine.hang()
    time.sleep(10)
    expect_answers(machine)
    engine.wake()
    engine.run("second", labels)
    until("the next job comes", lambda: machine.outcome("second.x") == "succeeded exit(0)")
    since = time.time()
    until("the first one runs again", lambda: any(
        run.get("outcome") == "succeeded" and seconds(run["began"]) > since
        for run in machine.runs("first.x", 5)))
    for name in ("first", "second"):
        engine.remove(name)
    until("the jobs go", lambda: "first.x" not in machine.call("status").stdout)


def at_the_end(machine, engine):
    """A daemon that stops, is killed, and starts while the engine hangs."""
    machine.call("trigger", "long")
    until("a run is active", lambda: engine.containers("long"))
    engine.hang()
    print(f"ok: it stops after {machine.stop():.1f} s", flush=True)
    machine.start()
    machine.kill()
    machine.start()
    start = time.time()
    until("a job of the other engine runs", lambda: any(
        seconds(run["began"]) > start and run.get("outcome") == "succeeded"
        for run in machine.runs("other", 5)), 3 * PROMPT)
    engine.wake()
    until("the next daemon ends what was left", lambda: not engine.containers())
