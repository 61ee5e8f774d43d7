"""A PostgreSQL server in the namespace of the engine, and what can happen to it."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import network

DIRECT, SLOW = 5432, 6432


def programs():
    """The folder with the newest server's programs; None without one."""
    root = pathlib.Path("/usr/lib/postgresql")
    versions = sorted(
        (int(path.name) for path in root.glob("*") if path.name.isdigit()), reverse=True)
    return next((root / str(version) / "bin" for version in versions
                 if version >= 12 and (root / str(version) / "bin/initdb").exists()), None)


def user():
    import pwd
    for name in ["postgres", "nobody"]:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def become():
    return ["setpriv", "--reuid", user().pw_name, "--regid", str(user().pw_gid), "--clear-groups"]


def make_template(folder):
    """A new cluster's files, to be copied for each seed."""
    folder.mkdir(mode=0o700)
    os.chown(folder, user().pw_uid, user().pw_gid)
    subprocess.run(
        [*become(), programs() / "initdb", "-D", folder, "-U", "takt", "-A", "trust", "-E", "UTF8",
         "--locale=C", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/")
    with open(folder / "pg_hba.conf", "w") as file:
        file.write("local all all trust\nhost all all 0.0.0.0/0 trust\n")


class Engine:
    def __init__(self, folder, template, net):
        self.folder = folder
        self.net = net
        self.data = folder / "data"
        folder.mkdir()
        os.chown(folder, user().pw_uid, user().pw_gid)
        shutil.copytree(template, self.data)
        for path in [self.data, *self.data.rglob("*")]:
            os.chown(path, user().pw_uid, user().pw_gid)
        self.log = open(folder / "log", "ab")
        self.process = None
        self.proxy = None

    def start(self):
        """Starts the server; does not wait for it."""
        if self.is_up():
            return
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*self.net.enter("engine"), *become(), programs() / "postgres", "-D", self.data,
             "-k", self.folder, "-c", f"listen_addresses={network.ENGINE},127.0.0.1",
             "-c", "fsync=off", "-c", "max_connections=60", "-c", "shared_buffers=16MB",
             "-c", "autovacuum=off", "-c", "log_min_duration_statement=500",
             "-c", "log_line_prefix=%m [%p] %h "],
            stdout=self.log, stderr=self.log, cwd="/", start_new_session=True)

    def await_start(self, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.query("SELECT 1", check=False) == [["1"]]:
                return True
            if self.process.poll() is not None:
                self.start()
            time.sleep(0.1)
        return False

    def is_up(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, how):
        """`fast` or `immediate`, by the signals that `pg_ctl stop` sends."""
        if self.is_up():
            self.process.send_signal(signal.SIGINT if how == "fast" else signal.SIGQUIT)

    def kill(self):
        """The server's first process; its children end by themselves."""
        if self.is_up():
            self.process.kill()

    def freeze(self, frozen):
        for pid in self.net.processes("engine"):
            if self.proxy is None or pid != self.proxy.pid:
                os.kill(pid, signal.SIGSTOP if frozen else signal.SIGCONT)

    def start_proxy(self):
        self.proxy = subprocess.Popen(
            [*self.net.enter("engine"), sys.executable, "-B",
             pathlib.Path(__file__).parent / "slowproxy.py", f"{network.ENGINE}:{SLOW}",
             f"127.0.0.1:{DIRECT}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            start_new_session=True)
        self.proxy.stdout.readline()

    def slow(self, up, down):
        self.proxy.stdin.write(f"{up} {down}\n")
        self.proxy.stdin.flush()

    def url(self):
        port = SLOW if self.proxy else DIRECT
        return f"postgresql://takt@{network.ENGINE}:{port}/takt"

    def query(self, statement, database="postgres", check=True, seconds=10):
        """Rows of texts, by the server's socket: no fault of the network is in its way."""
        try:
            result = subprocess.run(
                [programs() / "psql", "-XAtq", "-F", "\x1f", "-R", "\x1e", "-v", "ON_ERROR_STOP=1",
                 "-h", self.folder, "-U", "takt", "-d", database, "-f", "-"],
                input=statement, capture_output=True, text=True, timeout=seconds,
                env={**os.environ, "PGCONNECT_TIMEOUT": "5"})
        except subprocess.TimeoutExpired:
            if check:
                raise
            return None
        if result.returncode != 0:
            if check:
                raise RuntimeError(f"the engine refuses {statement[:80]!r}: {result.stderr}")
            return None
        text = result.stdout.rstrip("\n")
        return [row.split("\x1f") for row in text.split("\x1e")] if text else []
