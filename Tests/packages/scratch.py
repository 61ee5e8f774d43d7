"""A Debian root in a folder, and what runs in it."""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / ".build/packages-test"
PATIENCE = 60
# What takt's package depends on, and nothing else.
DEPENDENCIES = "adduser,libmd0,libsqlite3-0,libyaml-0-2,tzdata"

# Stands for systemd's: starts and stops the one service of the package, as its unit says.
SYSTEMCTL = """#!/bin/sh
echo "$*" >>/systemctl.log
verb= ; for word; do case $word in -*) ;; *) verb=${verb:-$word} ;; esac; done
stop() {
  [ -f /takt.pid ] || return 0
  kill -TERM "$(cat /takt.pid)" 2>/dev/null
  while kill -0 "$(cat /takt.pid)" 2>/dev/null; do sleep 0.05; done
  rm /takt.pid
}
start() {
  unit=$(ls /lib/systemd/system/takt.service /usr/lib/systemd/system/takt.service 2>/dev/null | head -1)
  condition=$(sed -n 's/^ConditionPathExists=//p' "$unit")
  [ -e "$condition" ] || return 0
  cd "$(sed -n 's/^WorkingDirectory=//p' "$unit")"
  setsid $(sed -n 's/^ExecStart=//p' "$unit") >>/takt.log 2>&1 </dev/null &
  echo $! >/takt.pid
}
case $verb in
is-enabled) echo enabled ;;
is-active) [ -f /takt.pid ]; exit ;;
start) [ -f /takt.pid ] || start ;;
restart | try-restart) stop; start ;;
stop | disable) stop ;;
reload) kill -HUP "$(cat /takt.pid)" ;;
esac
exit 0
"""


class Failure(Exception):
    pass


def check(condition, sentence):
    """One line of the report; what is not so ends the test."""
    if not condition:
        raise Failure(sentence)
    print(f"  ok  {sentence}", flush=True)


def await_true(sentence, condition, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(f"never: {sentence}")
        time.sleep(0.05)
    print(f"  ok  {sentence}", flush=True)


def call(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout


def succeed(*command, **options):
    status, output = call(*command, **options)
    if status:
        raise Failure(f"{' '.join(map(str, command))}: exit {status}\n{output}")
    return output


def unpack(name, packages):
    """A new folder with a Debian root that has these packages; made once, and kept packed."""
    base = CACHE / f"{name}-{os.uname().machine}.tar"
    if not base.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        print("making a Debian root with mmdebstrap", flush=True)
        partial = base.with_suffix(".partial.tar")
        succeed(
            "mmdebstrap", "--quiet", "--variant=minbase", f"--include={packages}", "bookworm",
            partial, os.environ.get("MIRROR", "deb http://deb.debian.org/debian bookworm main"))
        partial.rename(base)
    path = pathlib.Path(tempfile.mkdtemp(prefix="takt-root-"))
    path.chmod(0o755)
    succeed("tar", "-C", path, "-xf", base, "--exclude=./dev/*")
    return path


class Scratch:
    """A fresh Debian root; mounts and processes in it go with this program's namespace."""

    def __init__(self, has_service_manager=False):
        self.path = unpack("root", DEPENDENCIES)
        succeed("mount", "-t", "proc", "proc", self.path / "proc")
        succeed("mount", "--rbind", "/dev", self.path / "dev")
        if has_service_manager:
            (self.path / "run/systemd/system").mkdir(parents=True)
            program = self.path / "usr/bin/systemctl"
            program.write_text(SYSTEMCTL)
            program.chmod(0o755)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self.read("systemctl.log")[-1000:] + self.read("takt.log")[-3000:], end="")
        pid = self.path / "takt.pid"
        if pid.exists():
            call("kill", "-KILL", pid.read_text().strip())
        succeed("umount", "-R", self.path / "dev", self.path / "proc")
        shutil.rmtree(self.path)

    def call(self, command):
        return call("chroot", self.path, "/bin/bash", "-c", f"cd /root && {command}",
                    env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                         "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})

    def succeed(self, command):
        status, output = self.call(command)
        if status:
            raise Failure(f"{command}: exit {status}\n{output}")
        return output

    def write(self, name, text):
        place = self.path / name.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def read(self, name):
        place = self.path / name.lstrip("/")
        return place.read_text() if place.exists() else ""

    def add(self, file):
        shutil.copy(file, self.path / "root")
        return pathlib.Path(file).name

    def listing(self):
        """All files but those of dpkg, rpm and caches, with the users."""
        left_out = ("var/lib/dpkg", "var/lib/rpm", "var/cache", "var/log", "proc", "dev", "run", "tmp",
                    "root", "takt.log", "systemctl.log", "etc/passwd-", "etc/group-", "etc/shadow-",
                    "etc/gshadow-", "etc/subuid", "etc/subgid")
        found = {line.split(":")[0] for line in self.read("etc/passwd").splitlines()}
        for folder, folders, files in os.walk(self.path):
            inner = pathlib.Path(folder).relative_to(self.path)
            names = [str(inner / name) for name in folders + files]
            folders[:] = [name for name in folders if not str(inner / name).startswith(left_out)]
            found |= {name for name in names if not name.startswith(left_out)}
        return found


def enter_namespace():
    """Mounts of this program are its own."""
    if os.geteuid() != 0:
        sys.exit("packages are tested as root, in roots of their own")
    if os.environ.get("TAKT_PACKAGES_NAMESPACE") != "1":
        os.environ["TAKT_PACKAGES_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, "-B",
                              *sys.argv])
    # A null device of its own, too: container engines change the owner of what they give a process.
    CACHE.mkdir(parents=True, exist_ok=True)
    null = CACHE / "null"
    null.unlink(missing_ok=True)
    os.mknod(null, stat.S_IFCHR, os.makedev(1, 3))
    null.chmod(0o666)
    succeed("mount", "--bind", null, "/dev/null")
