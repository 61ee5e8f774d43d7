"""A PostgreSQL server for one benchmark, and connections to it."""

import contextlib
import ctypes
import os
import pathlib
import pwd
import secrets
import signal
import socket
import subprocess
import time

from daemon import Daemon, NotReady

LIMIT = 60
# The users that may run the server instead of root, which it refuses.
USERS = ["postgres", "nobody"]
OLDEST = 12


def programs(root="/usr/lib/postgresql"):
    """The folder with the programs of the newest installed version, or None."""
    found = [path for path in pathlib.Path(root).glob("*/bin") if path.parent.name.isdigit()
             and int(path.parent.name) >= OLDEST and os.access(path / "initdb", os.X_OK)]
    return max(found, key=lambda path: int(path.parent.name), default=None)


def absent():
    """Why there can be no server on this machine, or None."""
    if not programs():
        return "PostgreSQL is not installed: apt-get install postgresql-15"
    try:
        ctypes.CDLL("libpq.so.5")
    except OSError:
        return "libpq is not installed: apt-get install libpq5"
    return None


def free_port():
    """A TCP port of the loopback interface that is not in use."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Server(Daemon):
    """A server on the loopback interface that writes every commit to the disk, as by default."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.password = secrets.token_hex(16)
        self.account = None
        if os.getuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.account = pwd.getpwnam(next(name for name in USERS if name in names))
        self.initialize()
        super().__init__(
            [programs() / "postgres", "-D", "data", "-p", self.port, "-c", "unix_socket_directories=",
             "-c", "listen_addresses=127.0.0.1"],
            self.folder, prepare=self.become_user)
        self.version = self.wait_for_answer()

    @property
    def url(self):
        """Where its database is."""
        return f"postgresql://takt:{self.password}@127.0.0.1:{self.port}/postgres"

    def initialize(self):
        """Creates the data folder."""
        self.folder.mkdir(mode=0o700)
        word = self.folder / "password"
        word.write_text(self.password)
        if self.account:
            for path in (self.folder, word):
                os.chown(path, self.account.pw_uid, self.account.pw_gid)
        answer = subprocess.run(
            [programs() / "initdb", "-D", "data", "-U", "takt", "-A", "scram-sha-256",
             "--pwfile", "password", "-E", "UTF8", "--locale", "C", "--no-sync"],
            cwd=self.folder, capture_output=True, text=True, preexec_fn=self.become_user)
        if answer.returncode:
            raise NotReady(f"initdb failed: {answer.stderr.strip()[-300:]}")

    def become_user(self):
        """Runs in the child: gives up root's rights, and ends with the parent.

        SIGQUIT, unlike SIGKILL, lets the server remove its shared memory. The change of user drops the
        request to end with the parent.
        """
        if self.account:
            os.setgroups([])
            os.setgid(self.account.pw_gid)
            os.setuid(self.account.pw_uid)
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGQUIT)

    def wait_for_answer(self):
        """Waits for the first answer, and returns the server's version."""
        end = time.monotonic() + LIMIT
        while True:
            self.check(end)
            with contextlib.suppress(DatabaseError), Connection(self.url) as connection:
                return connection.value("SHOW server_version").split()[0]
            time.sleep(0.05)

    def stop(self):
        """Stops it at once: its data are not needed any more."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        super().stop()


class DatabaseError(Exception):
    """A server refused a connection or a statement."""


class Connection:
    """A connection by libpq, closed at the end of a `with` statement."""

    def __init__(self, url):
        self.library = ctypes.CDLL("libpq.so.5")
        for name in ("PQconnectdb", "PQexec"):
            getattr(self.library, name).restype = ctypes.c_void_p
        for name in ("PQgetvalue", "PQerrorMessage"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p(self.library.PQconnectdb(f"{url}?connect_timeout=10".encode()))
        if self.library.PQstatus(self.handle):
            message = self.error()
            self.library.PQfinish(self.handle)
            raise DatabaseError(message)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.PQfinish(self.handle)

    def error(self):
        """The last error in words."""
        return self.library.PQerrorMessage(self.handle).decode(errors="replace").strip()

    def rows(self, statement):
        """The values that a statement returns, as text."""
        result = ctypes.c_void_p(self.library.PQexec(self.handle, statement.encode()))
        try:
            command_done, rows_returned = 1, 2
            if self.library.PQresultStatus(result) not in (command_done, rows_returned):
                raise DatabaseError(self.error())
            columns = range(self.library.PQnfields(result))
            return [[self.library.PQgetvalue(result, row, column).decode() for column in columns]
                    for row in range(self.library.PQntuples(result))]
        finally:
            self.library.PQclear(result)

    def value(self, statement):
        """The only value that a statement returns."""
        return self.rows(statement)[0][0]

    def times_ms(self, statement, count, pause=0.005):
        """How long a statement takes, again and again with pauses, in ms."""
        times = []
        for _ in range(count):
            time.sleep(pause)
            begin = time.perf_counter()
            self.rows(statement)
            times.append((time.perf_counter() - begin) * 1000)
        return times
