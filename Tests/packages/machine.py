"""A Debian machine with systemd as its first process, in namespaces of this one."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from scratch import DEPENDENCIES, Failure, Scratch, await_true, call, succeed, unpack

PACKAGES = f"{DEPENDENCIES},systemd,systemd-sysv,dbus"
# Mounts what a machine has, and starts systemd. Its kernel is this machine's: it may not set that
# up, which systemd does where it finds /proc/sys writable. Its devices are nodes of its own, since
# systemd changes the mode of the console.
BOOT = """set -e
echo $$ >{group}/cgroup.procs
exec unshare --mount --pid --fork --kill-child --uts --ipc --net --cgroup sh -ec '
cd {root}
mount --bind . . && cd {root}
mount -t proc proc proc
mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
mknod -m 666 dev/null c 1 3
mknod -m 600 dev/console c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
[ ! -e proc/sysrq-trigger ] || mount --bind dev/null proc/sysrq-trigger
ln -s /proc/self/fd dev/fd
mkdir dev/shm dev/pts && mount -t tmpfs tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts && ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
ip link set lo up 2>/dev/null || true
exec setpriv --bounding-set -sys_module,-sys_time,-sys_rawio,-syslog /usr/sbin/chroot . \\
  /usr/bin/env -i container=takt PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
  SYSTEMD_PROC_CMDLINE=systemd.unified_cgroup_hierarchy=1 /lib/systemd/systemd'
"""


class Machine(Scratch):
    """A fresh one; `boot` starts it. Nothing of it is left when it is released."""

    def __init__(self):
        self.path = unpack("machine", PACKAGES)
        self.process = None
        # Nobody is at the console.
        for unit in ["console-getty", "getty@", "systemd-logind"]:
            (self.path / f"etc/systemd/system/{unit}.service").symlink_to("/dev/null")
        (self.path / "etc/hostname").write_text("machine\n")
        (self.path / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
        program = self.path / "usr/local/bin/sudo"
        program.write_text('#!/bin/sh\nexec "$@"\n')
        program.chmod(0o755)
        self.groups, self.is_mounted = control_groups()
        self.group = self.groups / f"takt-machine-{os.getpid()}"

    def boot(self):
        """Starts systemd, and waits until it has started all services."""
        self.group.mkdir()
        self.log = (self.path / "boot.log").open("a")
        self.process = subprocess.Popen(
            ["sh", "-c", BOOT.format(group=self.group, root=self.path)],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        await_true("the machine has booted", self.has_booted)

    def has_booted(self):
        if self.process.poll() is not None:
            raise Failure(f"systemd does not start: {self.read('boot.log')}")
        return self.pid and self.call("systemctl is-system-running")[1].strip() in (
            "running", "degraded")

    @property
    def pid(self):
        """That of systemd, outside."""
        found = call("pgrep", "-P", str(self.process.pid), "systemd")[1].split()
        return found[0] if found else None

    def power_off(self):
        """Ends all of it at once, as a power cut does."""
        if not self.process:
            return
        self.process.kill()
        self.process.wait()
        self.process = None
        self.log.close()
        deadline = time.monotonic() + 30
        while self.group.exists():
            for folder, _, _ in os.walk(self.group, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.05)

    def call(self, command):
        return call(
            "nsenter", "--target", self.pid, "--mount", "--uts", "--ipc", "--net", "--pid",
            "--cgroup", f"--root=/proc/{self.pid}/root", "--wdns=/root",
            "/bin/bash", "-c", command,
            env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                 "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})

    def __exit__(self, kind, *_):
        if kind and self.process and self.pid:
            print(self.call("systemctl status takt -n 15 --no-pager")[1])
        self.power_off()
        if self.is_mounted:
            succeed("umount", self.groups)
            self.groups.rmdir()
        shutil.rmtree(self.path)


def control_groups():
    """Where control groups of version 2 are mounted, and whether by this."""
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind = line.split()[:3]
        if kind == "cgroup2":
            return pathlib.Path(place), False
    place = pathlib.Path(tempfile.mkdtemp(prefix="takt-groups-"))
    succeed("mount", "-t", "cgroup2", "cgroup2", place)
    return place, True
