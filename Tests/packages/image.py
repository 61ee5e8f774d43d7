"""The OCI image as a container: PID 1, no rights, a root that is read-only."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from scratch import Failure, await_true, call, check, succeed

SIZE_MAX = 60e6
JOBS = """scheduler: {state: /var/lib/takt, timezone: Europe/Berlin, shutdown_grace: 5s}
jobs:
  tick: {every: 1s, first: now, run: "true"}
  whoami: {every: 1s, first: now, run: "id -u; touch /usr/x 2>&1 || true"}
"""


class Container:
    """The image's program in namespaces of its own, with one volume."""

    def __init__(self, bundle, config):
        self.bundle, self.config = bundle, config
        self.volume = bundle / "volume"
        user = int(config["User"].split(":")[0])
        if not self.volume.exists():
            self.volume.mkdir(mode=0o700)
            os.chown(self.volume, user, user)
        (bundle / "jobs.yaml").write_text(JOBS)
        self.process = None

    def start(self):
        rootfs = self.bundle / "rootfs"
        script = f"""set -e
mount --bind {rootfs} {rootfs}
mount --bind {self.bundle}/jobs.yaml {rootfs}/etc/takt/jobs.yaml
mount -t proc proc {rootfs}/proc
mount -t tmpfs tmpfs {rootfs}/tmp
mount --bind {self.volume} {rootfs}/var/lib/takt
mount -t tmpfs tmpfs {rootfs}/dev
for name in null zero random urandom; do
  touch {rootfs}/dev/$name && mount --bind /dev/$name {rootfs}/dev/$name; done
mount -o remount,bind,ro {rootfs}
cd {rootfs}
exec {self.command(self.config["Entrypoint"] + self.config["Cmd"])}"""
        # What takt says goes to a file: nobody reads a pipe while it runs.
        self.log = (self.bundle / "log").open("a")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--net", "sh",
             "-c", script], stdout=self.log, stderr=self.log)

    def command(self, words):
        """As the image's user, which loses all capabilities with root."""
        return (f"env -i {' '.join(self.config['Env'])} /usr/sbin/chroot --userspec={self.config['User']} "
                f"--groups= {self.bundle}/rootfs {' '.join(words)}")

    @property
    def pid(self):
        """That of the container's first process, outside."""
        found = call("pgrep", "-P", str(self.process.pid))[1].split()
        return found[0] if found else None

    def run(self, words):
        """As `docker exec` does."""
        if not self.pid:
            return 1, "there is no process"
        return call("nsenter", "--target", self.pid, "--mount", "--pid", "--net", "sh", "-c",
                    self.command(words))

    def signal(self, name):
        succeed("kill", f"-{name}", self.pid)

    def wait(self):
        return self.process.wait(timeout=60)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def test(archive):
    size = archive.stat().st_size
    check(size <= SIZE_MAX, f"it has {size / 1e6:.1f} MB compressed, at most {SIZE_MAX / 1e6:.0f}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="takt-image-"))
    container = None
    try:
        (folder / "oci").mkdir()
        succeed("tar", "-C", folder / "oci", "-xf", archive)
        tag = json.loads((folder / "oci/index.json").read_text())["manifests"][0]["annotations"][
            "org.opencontainers.image.ref.name"]
        succeed("umoci", "unpack", "--image", f"{folder}/oci:{tag}", folder / "bundle")
        layout = folder / "oci"
        manifest = json.loads(blob(layout, json.loads((layout / "index.json").read_text())["manifests"][0]))
        config = json.loads(blob(layout, manifest["config"]))["config"]
        print(json.dumps({key: config[key] for key in sorted(config) if key != "Labels"}, indent=2))
        check(config["User"].split(":")[0] != "0", "its user is not root")
        check("zoneinfo/Europe/Berlin" in call("find", folder / "bundle/rootfs/usr/share/zoneinfo/Europe",
                                               "-name", "Berlin")[1], "it has the time zones")
        health = config["Healthcheck"]["Test"][1:]
        container = Container(folder / "bundle", config)
        container.start()
        await_true("its health check succeeds", lambda: container.run(health)[0] == 0)
        runs = ["takt", "runs", "--state", "/var/lib/takt", "--json", "-n", "500"]
        await_true("jobs run", lambda: container.run(runs)[1].count('"tick"') >= 3)
        first = container.run(["cat", "/proc/1/comm"])[1].strip()
        check(first == "takt", "it is the first process")
        output = container.run(["takt", "logs", "whoami", "--state", "/var/lib/takt"])[1]
        check(config["User"].split(":")[0] in output, "jobs are not root")
        check("Read-only file system" in output or "Permission denied" in output,
              f"and cannot write outside the volume: {output.strip().splitlines()[-1]}")
        for plugin in ["http-check", "sqlite-backup", "webhook", "disk-usage"]:
            status, text = container.run(["takt", "plugins", "show", plugin])
            check(status == 0, f"it has the plugin {plugin}")
        check("python" in container.run(["python3", "-c", "'import http.client, sqlite3, ssl; "
                                         "print(\"python\")'"])[1], "and a Python for them")
        versions = container.run(["takt", "--version", "--json"])[1]
        print(f"  {versions.strip()}")
        check('"libcurl"' in versions and '"libpq"' in versions, "it has libcurl and libpq")
        count = container.run(runs)[1].count('"tick"')
        container.signal("TERM")
        check(container.wait() == 0, "SIGTERM stops it with 0")
        check(container.run(health)[0] != 0, "its health check fails then")
        container.start()
        await_true("its health check succeeds again", lambda: container.run(health)[0] == 0)
        await_true("jobs run again, with those of the volume before them",
                   lambda: container.run(runs)[1].count('"tick"') > count + 1)
        status, report = container.run(["takt", "verify", "--state", "/var/lib/takt"])
        print(report, end="")
        check(status == 0, "takt verify is clean over the restart")
        container.signal("TERM")
        check(container.wait() == 0, "SIGTERM stops it with 0")
    except Failure:
        print((folder / "bundle/log").read_text()[-2000:] if (folder / "bundle/log").exists() else "")
        raise
    finally:
        if container:
            container.kill()
        shutil.rmtree(folder)


def blob(layout, descriptor):
    return (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_text()
