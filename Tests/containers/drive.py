"""Runs jobs in containers of a real Podman, and kills and stops takt and the engine meanwhile.

    python3 -B Tests/containers/drive.py .build/debug/takt [life] [hanging] [cluster]

Needs what podman.py needs; `cluster` needs PostgreSQL as well. Without them it says so and ends
with 0.
"""

import argparse
import os
import shutil
import tempfile
import time

import cluster
import hanging
import podman
from machine import Machine
from podman import IMAGE, Podman, until

JOBS = """
scheduler: {{state: STATE}}
jobs:
  status:
    every: 8760h
    use: container
    with: {{image: {image}, shell: "echo out; exit 7", network: none, socket: {socket}}}
  long:
    every: 8760h
    use: container
    with: {{image: {image}, shell: "echo begun; sleep 600", network: none, socket: {socket}}}
    kill: {{signal: TERM, grace: 2s}}
  short:
    every: 8760h
    use: container
    with: {{image: {image}, shell: "trap '' TERM; sleep 600", network: none, socket: {socket}}}
    timeout: 2s
    kill: {{grace: 1s}}
  missing:
    every: 8760h
    use: container
    with: {{image: localhost/takt-none, pull: never, socket: {socket}}}
"""


def life(takt, folder, engine):
    """The life of a container, with an engine that goes and comes back, and takt killed."""
    machine = Machine(takt, folder, JOBS.format(socket=engine.socket, image=IMAGE))
    engine.run("stranger", {"dev.takt.state": "another", "dev.takt.daemon": "another"})
    try:
        machine.start()
        machine.call("trigger", "status")
        until("the exit status comes back", lambda: machine.outcome("status") == "failed exit(7)")
        machine.call("trigger", "missing")
        until("a missing image is named", lambda: machine.outcome("missing") == "failed image")
        machine.call("trigger", "short")
        until("a timeout starts a container", lambda: engine.containers("short"))
        until("a timeout removes it", lambda: not engine.containers("short"))
        machine.call("trigger", "long")
        until("a long run is on its way", lambda: engine.containers("long"))
        engine.stop()
        engine.start()
        machine.call("cancel", "long")
        until("a cancel reaches an engine that was away", lambda: not engine.containers("long"))
        machine.call("trigger", "long")
        until("another long run is on its way", lambda: engine.containers("long"))
        machine.kill()
        assert engine.containers("long"), "the container went with takt"
        machine.start()
        until("the next daemon ends what was left", lambda: not engine.containers("long"))
        assert engine.is_running("stranger"), "a stranger was ended"
        print("ok: no stranger was ended", flush=True)
        assert machine.is_in_order(), "the ledger is not in order"
    finally:
        machine.daemon.kill()
        engine.remove("stranger")


def drive(takt, scenes):
    folder = tempfile.mkdtemp(prefix="takt-containers-")
    os.chmod(folder, 0o755)
    engines = [Podman(f"{folder}/one"), Podman(f"{folder}/two")]
    try:
        for engine in engines:
            engine.make_image()
            engine.start()
        for scene in scenes:
            print(f"== {scene}", flush=True)
            start = time.monotonic()
            if scene == "life":
                life(takt, f"{folder}/life", engines[0])
            elif scene == "hanging":
                hanging.drive(takt, f"{folder}/hanging", *engines)
            elif reason := cluster.missing():
                print(f"skipped: {reason}")
            else:
                cluster.drive(takt, f"{folder}/cluster", dict(zip("ab", engines)))
            print(f"{scene}: {time.monotonic() - start:.0f} s", flush=True)
    finally:
        for engine in engines:
            engine.close()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("takt")
    scenes = ("life", "hanging", "cluster")
    parser.add_argument("scenes", nargs="*", metavar="scene", help=", ".join(scenes))
    given = parser.parse_args()
    if unknown := set(given.scenes) - set(scenes):
        parser.error(f"no such scene: {', '.join(unknown)}")
    if reason := podman.missing():
        return print(f"skipped: {reason}")
    drive(given.takt, given.scenes or scenes)


if __name__ == "__main__":
    main()
