"""A PostgreSQL server in the namespace of the engine, and what can happen to it."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import network
from rows import NUMBERS, Row

MEMBERS = 1
DIRECT, SLOW = 5432, 6432
ROWS = """
SELECT job, slot, state, attempt, coalesce(token, 0), coalesce(member, 0), coalesce(machine, ''),
  coalesce(verdict, ''), coalesce(detail, ''), coalesce(outcome, ''), coalesce(reason, ''),
  coalesce(claimed_at, 0), coalesce(ended_at, 0)
FROM takt.slot ORDER BY job, slot
"""


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


def copy(template, folder):
    shutil.copytree(template, folder)
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, user().pw_uid, user().pw_gid)


def make_template(folder):
    """A new cluster's files, to be copied for each seed."""
    folder.mkdir(mode=0o700)
    os.chown(folder, user().pw_uid, user().pw_gid)
    subprocess.run(
        [*become(), programs() / "initdb", "-D", folder, "-U", "takt", "-A", "trust", "-E", "UTF8",
         "--locale=C", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd="/")
    with open(folder / "pg_hba.conf", "w") as file:
        file.write("local all all trust\nhost all all 0.0.0.0/0 trust\n")


def what_is_missing():
    if programs() is None or user() is None or shutil.which("setpriv") is None:
        return "it needs PostgreSQL (postgresql-15)"
    return None


class Engine:
    """What `faults` and `checker` know of any engine."""
    # How much earlier a claim may be than its slot, in seconds.
    early = 0.001

    def __init__(self, folder, template, net):
        self.folder = folder
        self.net = net
        self.data = folder / "data"
        self.port = DIRECT
        folder.mkdir()
        os.chown(folder, user().pw_uid, user().pw_gid)
        copy(template, self.data)
        self.log = open(folder / "log", "ab")
        self.process = None
        self.proxies = []

    @property
    def proxy(self):
        return self.proxies[0] if self.proxies else None

    @property
    def ports(self):
        return [self.port]

    def start(self):
        """Starts the server; does not wait for it."""
        if self.is_up():
            return
        self.process = self.launch(self.data, self.port)

    def launch(self, data, port, **settings):
        """Starts a server with these files."""
        (data / "postmaster.pid").unlink(missing_ok=True)
        settings = {
            "listen_addresses": f"{network.ENGINE},127.0.0.1", "fsync": "off",
            "max_connections": 60, "shared_buffers": "16MB", "autovacuum": "off",
            "log_min_duration_statement": 500, "log_line_prefix": "%m [%p] %h ", **settings}
        return subprocess.Popen(
            [*self.net.enter("engine"), *become(), programs() / "postgres", "-D", data,
             "-k", self.folder, "-p", str(port), *(
                 word for name, value in settings.items() for word in ("-c", f"{name}={value}"))],
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
            if pid not in [proxy.pid for proxy in self.proxies]:
                # The server's own processes come and go.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP if frozen else signal.SIGCONT)

    def start_proxy(self):
        for index, port in enumerate(self.ports):
            proxy = subprocess.Popen(
                [*self.net.enter("engine"), sys.executable, "-B",
                 pathlib.Path(__file__).parent / "slowproxy.py", f"{network.ENGINE}:{SLOW + index}",
                 f"127.0.0.1:{port}"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
                start_new_session=True)
            proxy.stdout.readline()
            self.proxies.append(proxy)

    def slow(self, up, down):
        for proxy in self.proxies:
            proxy.stdin.write(f"{up} {down}\n")
            proxy.stdin.flush()

    def keys(self):
        """What a jobs file says of it."""
        ports = [SLOW + index for index in range(len(self.proxies))] or self.ports
        hosts = ",".join(f"{network.ENGINE}:{port}" for port in ports)
        options = "?target_session_attrs=read-write" if len(ports) > 1 else ""
        return f'engine: postgres, url: "postgresql://takt@{hosts}/takt{options}"'

    def prepare(self):
        self.query("CREATE DATABASE takt")

    # MARK: What takt has written

    def member_count(self):
        found = self.query("SELECT count(*) FROM takt.member", "takt", check=False)
        return int(found[0][0]) if found else 0

    def watch(self):
        """Records changes from now on."""
        self.query((pathlib.Path(__file__).parent / "audit.sql").read_text(), "takt")

    def drop(self):
        """Deletes all that takt has here."""
        self.query("DROP SCHEMA takt CASCADE", "takt")

    def is_made_again(self):
        return self.query("SELECT to_regclass('takt.slot') IS NOT NULL", "takt") == [["t"]]

    def rows(self):
        return [
            Row(*(int(value) if name in NUMBERS else value
                  for name, value in zip(Row._fields, values)))
            for values in self.query(ROWS, "takt")]

    def series(self):
        return [(job, int(first), int(last)) for job, first, last in
                self.query("SELECT job, first, last FROM takt.series", "takt")]

    def changed_at(self):
        """When a slot's row changed last, in seconds since 1970."""
        return {(row[0], int(row[1])): float(row[2]) for row in self.query(
            "SELECT job, slot, extract(epoch FROM max(at)) FROM nemesis.slot_change GROUP BY 1, 2",
            "takt")}

    def violations(self):
        """What the triggers saw, and what the engine notes itself, where its schema does."""
        found = [(kind, job, int(slot), words) for kind, job, slot, words in self.query(
            "SELECT kind, coalesce(job, ''), coalesce(slot, 0), words FROM nemesis.violation",
            "takt")]
        if self.query(
                "SELECT 1 FROM information_schema.columns WHERE table_schema = 'takt' AND "
                "table_name = 'slot' AND column_name = 'claim_lease_left'", "takt"):
            for job, slot, left in self.query(
                    "SELECT job, slot, claim_lease_left FROM takt.slot WHERE claim_lease_left < 0",
                    "takt"):
                found.append(
                    ("claim_lease_left", job, int(slot), f"{int(left) / 1e6:.0f} ms"))
        return found

    def keep(self, folder):
        """For those who look at a failure."""
        for name, statement in {
                "slots": ROWS, "changes": "SELECT * FROM nemesis.slot_change ORDER BY at",
                "members": "SELECT id, machine, joined_at, lease_until, lost_after FROM takt.member",
                "jobs": "SELECT * FROM takt.job"}.items():
            found = self.query(statement, "takt", check=False) or []
            (folder / f"{name}.tsv").write_text(
                "".join("\t".join(row) + "\n" for row in found))

    def sow(self, plant):
        """Puts a faulty function in the place of one of takt's."""
        changes = {
            "lease": ("takt.batch(text, jsonb)",
                      "v_member.lease_until <= v_now\n          AND (NOT v_has_facts OR "
                      "v_member.lost_after < v_now AND NOT v_is_quiet)", "false"),
            "owner": ("takt.claim(text, bigint, text, bigint, bigint, jsonb)",
                      "IF v_slot.member IS DISTINCT FROM v_former THEN RETURN takt.answer('taken'); "
                      "END IF;", "NULL;"),
        }
        if plant not in changes:
            return
        function, old, new = changes[plant]
        text = self.query(
            f"SELECT pg_get_functiondef('{function}'::regprocedure)", "takt")[0][0]
        if old not in text:
            raise RuntimeError(f"nothing to plant in {function}")
        self.query(text.replace(old, new), "takt")

    # MARK: SQL

    def query(self, statement, database="postgres", check=True, seconds=10, port=None):
        """Rows of texts, by the server's socket: no fault of the network is in its way."""
        try:
            result = subprocess.run(
                [programs() / "psql", "-XAtq", "-F", "\x1f", "-R", "\x1e", "-v", "ON_ERROR_STOP=1",
                 "-h", self.folder, "-p", str(port or self.port), "-U", "takt", "-d", database, "-f", "-"],
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
