"""Runs jobs in containers of a real Podman, and kills takt and the engine meanwhile.

    python3 -B Tests/containers/drive.py .build/debug/takt [--image localhost/tiny]

Needs root, podman, runc and an image with a shell. Without them it says so and ends with 0.
"""

import argparse
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

CONFIGURATION = """[engine]
runtime = "runc"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
netns = "none"
"""

JOBS = """
scheduler: {{state: {folder}/state}}
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


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


class World:
    def __init__(self, takt, image):
        self.takt, self.image = os.path.abspath(takt), image
        self.folder = tempfile.mkdtemp(prefix="takt-containers-")
        self.socket = f"{self.folder}/e.sock"
        self.jobs = f"{self.folder}/jobs.yaml"
        with open(f"{self.folder}/containers.conf", "w") as file:
            file.write(CONFIGURATION)
        with open(self.jobs, "w") as file:
            file.write(JOBS.format(folder=self.folder, image=image, socket=self.socket))
        os.mkdir(f"{self.folder}/state", 0o700)
        self.engine = self.daemon = None

    def start_engine(self):
        environment = dict(os.environ, CONTAINERS_CONF=f"{self.folder}/containers.conf")
        self.engine = subprocess.Popen(
            ["podman", "system", "service", "--time=0", f"unix://{self.socket}"], env=environment)
        until("the engine answers", lambda: self.ask("GET", "/version"))

    def stop_engine(self):
        self.engine.kill()
        self.engine.wait()

    def ask(self, method, path, body=None):
        connection = Connection(self.socket)
        try:
            headers = {"Content-Type": "application/json"} if body else {}
            connection.request(method, path, json.dumps(body) if body else None, headers)
            return json.loads(connection.getresponse().read() or b"null")
        except OSError:
            return None
        finally:
            connection.close()

    def start_daemon(self):
        self.daemon = subprocess.Popen([self.takt, "run", self.jobs], cwd=self.folder)
        until("takt answers", lambda: self.call("status").returncode == 0)

    def call(self, *words):
        return subprocess.run(
            [self.takt, words[0], "-f", self.jobs, *words[1:]], cwd=self.folder,
            capture_output=True, text=True)

    def ended(self, job, reason):
        return f": failed, {reason}" in self.call("status", job).stdout

    def containers(self, label="dev.takt.state"):
        query = urllib.parse.urlencode({"all": 1, "filters": json.dumps({"label": [label]})})
        return self.ask("GET", f"/v1.41/containers/json?{query}") or []

    def runs(self, job):
        return [c for c in self.containers() if c["Labels"].get("dev.takt.job") == job]


def until(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    print("ok:", what, flush=True)


def drive(world):
    world.start_engine()
    stranger = world.ask("POST", "/v1.41/containers/create?name=takt-test-stranger", {
        "Image": world.image, "Cmd": ["sleep", "600"], "HostConfig": {"NetworkMode": "none"},
        "Labels": {"dev.takt.state": "another", "dev.takt.daemon": "another"}})["Id"]
    world.ask("POST", f"/v1.41/containers/{stranger}/start")
    try:
        world.start_daemon()
        world.call("trigger", "status")
        until("the exit status comes back", lambda: world.ended("status", "exit(7)"))
        world.call("trigger", "missing")
        until("a missing image is named", lambda: world.ended("missing", "image"))
        world.call("trigger", "short")
        until("a timeout starts a container", lambda: world.runs("short"))
        until("a timeout removes it", lambda: not world.runs("short"))
        world.call("trigger", "long")
        until("a long run is on its way", lambda: world.runs("long"))
        world.stop_engine()
        world.start_engine()
        world.call("cancel", "long")
        until("a cancel reaches an engine that was away", lambda: not world.runs("long"))
        world.call("trigger", "long")
        until("another long run is on its way", lambda: world.runs("long"))
        world.daemon.send_signal(signal.SIGKILL)
        world.daemon.wait()
        assert world.runs("long"), "the container went with takt"
        world.start_daemon()
        until("the next daemon ends what was left", lambda: not world.runs("long"))
        state = world.ask("GET", f"/v1.41/containers/{stranger}/json")["State"]
        assert state["Running"], "a stranger was ended"
        print("ok: no stranger was ended")
        assert world.call("verify").returncode == 0, "the ledger is not in order"
    finally:
        if world.daemon: world.daemon.kill()
        world.ask("DELETE", f"/v1.41/containers/{stranger}?force=1")
        world.stop_engine()
        shutil.rmtree(world.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("takt")
    parser.add_argument("--image", default="localhost/tiny")
    given = parser.parse_args()
    has_image = shutil.which("podman") and shutil.which("runc") and os.geteuid() == 0 and \
        subprocess.run(["podman", "image", "exists", given.image]).returncode == 0
    if not has_image:
        return print(f"skipped: needs root, podman, runc and the image {given.image}")
    drive(World(given.takt, given.image))


if __name__ == "__main__":
    main()
