"""A Podman with storage of its own, which leaves nothing behind.

    python3 -B Tests/containers/podman.py COMMAND...

Runs a command with `TAKT_CONTAINER_SOCKET` and `TAKT_CONTAINER_IMAGE` set, as tests of a real
engine want it. Without root, podman, runc or busybox it says so and ends with 0.
"""

import http.client
import io
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.parse

IMAGE = "localhost/tiny"
# `tmp_dir` has the events, which two engines on one machine are not to share. The process with which
# Podman cleans up after a container is not told of `lock_type` and `static_dir`: it would fail. crun
# does not start where control groups are of both versions; without a network, no packet filter is
# needed.
CONFIGURATION = """[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "{folder}/tmp"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
netns = "none"
"""
STORAGE = """[storage]
driver = "vfs"
runroot = "{folder}/run"
graphroot = "{folder}/graph"
"""
PROGRAMS = "cat echo env false grep id kill ls ps sh sleep touch tr true".split()


def missing():
    """The reason for which there can be no engine here; None if there can be one."""
    if os.geteuid() != 0:
        return "it needs root"
    names = [name for name in ("podman", "runc", "busybox") if not shutil.which(name)]
    return f"it needs {', '.join(names)}" if names else None


def until(what, condition, seconds=120):
    """Waits for a condition, and returns the seconds that it took."""
    start = time.monotonic()
    while not (value := condition()):
        if time.monotonic() > start + seconds:
            sys.exit(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    print(f"ok: {what} ({time.monotonic() - start:.1f} s)", flush=True)
    return value


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


class Podman:
    """The engine's service and its requests. It is not started yet."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.socket = f"{self.folder}/e.sock"
        (self.folder / "containers.conf").write_text(CONFIGURATION.format(folder=folder))
        (self.folder / "storage.conf").write_text(STORAGE.format(folder=folder))
        self.environment = dict(
            os.environ, CONTAINERS_CONF=f"{folder}/containers.conf",
            CONTAINERS_STORAGE_CONF=f"{folder}/storage.conf")
        self.service = None

    def command(self, *words, **more):
        return subprocess.run(
            ["podman", *words], env=self.environment, check=True, capture_output=True, **more)

    def make_image(self):
        """Makes an image of busybox alone: no registry is needed."""
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            archive.add(os.path.realpath(shutil.which("busybox")), "bin/busybox")
            for name in PROGRAMS:
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                archive.addfile(link)
        self.command("import", "-", IMAGE, input=data.getvalue())

    def start(self):
        self.service = subprocess.Popen(
            ["podman", "system", "service", "--time=0", f"unix://{self.socket}"],
            env=self.environment)
        until("the engine answers", lambda: self.ask("GET", "/version"))

    def stop(self):
        self.service.kill()
        self.service.wait()

    def hang(self):
        self.service.send_signal(signal.SIGSTOP)

    def wake(self):
        self.service.send_signal(signal.SIGCONT)

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

    def run(self, name, labels, command=("sleep", "1000")):
        """Starts a container, and returns its id."""
        made = self.ask("POST", f"/v1.41/containers/create?name={name}", {
            "Image": IMAGE, "Cmd": command, "Labels": labels,
            "HostConfig": {"NetworkMode": "none"}})["Id"]
        self.ask("POST", f"/v1.41/containers/{made}/start")
        return made

    def remove(self, name):
        self.ask("DELETE", f"/v1.41/containers/{name}?force=1")

    def is_running(self, name):
        return self.ask("GET", f"/v1.41/containers/{name}/json")["State"]["Running"]

    def containers(self, job=None):
        """The containers that takt has made, for one job or for all."""
        query = urllib.parse.urlencode(
            {"all": 1, "filters": json.dumps({"label": ["dev.takt.state"]})})
        # It answers with an error if one of them is removed meanwhile.
        while not isinstance(found := self.ask("GET", f"/v1.41/containers/json?{query}"), list):
            time.sleep(0.1)
        return [c for c in found if job in (None, c["Labels"].get("dev.takt.job"))]

    def close(self):
        """Ends the service and all containers, and removes all files."""
        if self.service:
            self.wake()
            self.stop()
        subprocess.run(["podman", "rm", "--all", "--force", "--time", "0"], env=self.environment,
                       stdout=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if reason := missing():
        return print(f"skipped: {reason}")
    engine = Podman(tempfile.mkdtemp(prefix="takt-podman-"))
    try:
        engine.make_image()
        engine.start()
        environment = dict(
            os.environ, TAKT_CONTAINER_SOCKET=engine.socket, TAKT_CONTAINER_IMAGE=IMAGE)
        return subprocess.run(sys.argv[1:], env=environment).returncode
    finally:
        engine.close()


if __name__ == "__main__":
    sys.exit(main())
