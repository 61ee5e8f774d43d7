"""What the plugin sqlite-backup does as root with the files of a user who wants root's."""
import fcntl
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest

PLUGIN = pathlib.Path(__file__).resolve().parents[2] / "plugins/sqlite-backup/sqlite-backup"
USER, OTHER = 65534, 65533
SECRET = "of root alone"


def python_of(user):
    """A Python that is new enough for the plugin and that the user may run."""
    for path in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            test = "import sqlite3, sys; sys.exit(sys.version_info < (3, 11))"
            done = subprocess.run(
                [path, "-c", test], user=user, group=user, extra_groups=[], cwd="/")
        except OSError:
            continue
        if done.returncode == 0:
            return path
    raise unittest.SkipTest("no Python 3.11 that the user may run")


class Child:
    """A function in a process of the user's. It is killed at the end."""

    def __init__(self, function, *arguments):
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(read)
                os.setgroups([])
                os.setgid(USER)
                os.setuid(USER)
                os.umask(0)
                function(lambda: os.write(write, b"."), *arguments)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb", 0) as ready:
            if not ready.read(1):
                raise AssertionError("the child has failed")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0, "needs root")
@unittest.skipUnless(sys.version_info >= (3, 11), "needs Python 3.11")
class SQLiteBackup(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.top = pathlib.Path(made.name).resolve()
        self.top.chmod(0o755)
        self.plugin = self.top / "sqlite-backup"
        shutil.copy(PLUGIN, self.plugin)
        self.copies = self.folder("copies", 0)
        self.home = self.folder("home", USER)
        self.private = self.folder("private", 0, 0o700)

    def folder(self, name, owner, mode=0o755):
        path = self.top / name
        path.mkdir()
        os.chown(path, owner, owner)
        path.chmod(mode)
        return path

    def database(self, path, owner, text="row", mode=0o666, journal="delete"):
        base = sqlite3.connect(path, isolation_level=None)
        base.execute(f"pragma journal_mode={journal}")
        base.execute("create table t(x)")
        base.execute("insert into t values (?)", (text,))
        base.close()
        os.chown(path, owner, owner)
        path.chmod(mode)
        return path

    def start(self, database, folder, user=0, **parameters):
        python = sys.executable if user == 0 else python_of(user)
        plugin = subprocess.Popen(
            ["/bin/sh", "-c", 'exec "$0" "$1" 3>&1 1>&2', python, self.plugin],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, user=user, group=user,
            extra_groups=[], cwd="/")
        limit = threading.Timer(60, plugin.kill)
        limit.start()
        self.addCleanup(limit.cancel)
        self.addCleanup(plugin.wait)
        self.addCleanup(plugin.kill)
        self.addCleanup(plugin.stdout.close)
        self.addCleanup(plugin.stdin.close)
        for message in (
            {"type": "hello", "protocol": 1},
            {"type": "start", "run": "1.1.1", "job": "b", "slot": "2026-12-24T18:00:00.000Z",
             "attempt": 1, "deadline": None, "parameters": {
                 "database": str(database), "folder": str(folder), **parameters}},
        ):
            plugin.stdin.write(json.dumps(message) + "\n")
        plugin.stdin.flush()
        return plugin

    def end(self, plugin):
        """The result's reason, `ok` for success, and its message."""
        results = [message for message in map(json.loads, plugin.stdout)
                   if message["type"] == "result"]
        plugin.wait(60)
        self.assertEqual(len(results), 1)
        self.message = results[0]["message"]
        return results[0].get("reason", results[0]["status"])

    def run_plugin(self, *arguments, **options):
        return self.end(self.start(*arguments, **options))

    def texts(self, path):
        base = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        try:
            return [text for text, in base.execute("select distinct x from t")]
        finally:
            base.close()

    def names(self, folder):
        return sorted(path.name for path in folder.iterdir())

    def assert_copy(self, folder, owner, mode, text="row"):
        self.assertEqual(self.names(folder), ["app-20261224T180000.000Z.db"])
        path = folder / "app-20261224T180000.000Z.db"
        info = path.stat()
        self.assertEqual((info.st_uid, oct(stat.S_IMODE(info.st_mode))), (owner, oct(mode)))
        self.assertEqual(self.texts(path), [text])

    # What works

    def test_root_copies_its_own_database(self):
        app = self.database(self.private / "app.db", 0, mode=0o640)
        self.assertEqual(self.run_plugin(app, self.copies), "ok")
        self.assert_copy(self.copies, 0, 0o640)

    def test_root_copies_a_database_of_a_user(self):
        for journal in ("delete", "wal"):
            with self.subTest(journal=journal):
                app = self.database(self.home / "app.db", USER, journal=journal)
                self.assertEqual(self.run_plugin(app, self.copies), "ok")
                self.assert_copy(self.copies, 0, 0o644)
                self.assertEqual(self.names(self.home), ["app.db"])
                app.unlink()
                shutil.rmtree(self.copies)
                self.copies = self.folder("copies", 0)

    def test_root_copies_while_the_user_writes(self):
        for journal in ("delete", "wal"):
            with self.subTest(journal=journal):
                home, copies = self.folder(f"home/{journal}", USER), self.folder(journal, 0)
                app = self.database(home / "app.db", USER, mode=0o600, journal=journal)
                with Child(self.write, app):
                    self.assertEqual(self.run_plugin(app, copies), "ok")
                    self.assert_copy(copies, 0, 0o600, "row" + " " * 3000)
                # The writer is gone, so that no journal goes between the two looks at it.
                for path in home.iterdir():
                    self.assertEqual(path.stat().st_uid, USER, path)

    @staticmethod
    def write(ready, app):
        """Changes a large database so often that without a log the copy starts over."""
        base = sqlite3.connect(app, isolation_level=None, timeout=60)
        base.execute("begin")
        base.execute("delete from t")
        base.executemany("insert into t values (?)", [("row" + " " * 3000,)] * 5000)
        base.execute("commit")
        ready()
        while True:
            base.execute("insert into t values (?)", ("row" + " " * 3000,))
            time.sleep(0.002)

    def test_root_keeps_the_copies_in_the_folder_of_the_same_user_as_that_user(self):
        app = self.database(self.home / "app.db", USER, mode=0o640)
        folder = self.folder("home/copies", USER)
        self.assertEqual(self.run_plugin(app, folder), "ok")
        self.assert_copy(folder, USER, 0o640)

    def test_a_user_copies_a_database(self):
        app = self.database(self.home / "app.db", USER, mode=0o640)
        folder = self.folder("home/copies", USER)
        self.assertEqual(self.run_plugin(app, folder, user=USER), "ok")
        self.assert_copy(folder, USER, 0o640)
        self.assertEqual(self.run_plugin(app, self.copies, user=USER), "permission")

    def test_a_link_leads_to_the_database(self):
        self.database(self.home / "real.db", USER)
        (self.top / "app.db").symlink_to("home/../home/./real.db")
        self.assertEqual(self.run_plugin(self.top / "app.db", self.copies), "ok")
        self.assert_copy(self.copies, 0, 0o644)

    def test_what_is_not_there_is_said(self):
        app = self.database(self.home / "app.db", USER)
        self.assertEqual(self.run_plugin(self.home / "no.db", self.copies), "no_database")
        self.assertEqual(self.run_plugin(self.home, self.copies), "not_a_database")
        self.assertEqual(self.run_plugin(app, self.top / "no"), "no_folder")
        self.assertEqual(self.run_plugin(app, self.plugin), "no_folder")

    def test_a_killed_run_is_no_obstacle_and_an_active_one_is(self):
        app = self.database(self.home / "app.db", USER)
        partial = self.copies / ".app.db.partial"
        partial.write_text("left over")
        held = os.open(partial, os.O_RDONLY)
        self.addCleanup(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)
        self.assertEqual(self.run_plugin(app, self.copies), "busy")
        fcntl.flock(held, fcntl.LOCK_UN)
        self.assertEqual(self.run_plugin(app, self.copies), "ok")
        self.assert_copy(self.copies, 0, 0o644)
        self.assertEqual(os.pread(held, 100, 0), b"left over")

    def test_a_cancellation_removes_the_part_of_a_copy(self):
        app = self.database(self.home / "app.db", USER)

        def hold(ready):
            base = sqlite3.connect(app, isolation_level=None)
            base.execute("begin exclusive")
            ready()
            time.sleep(1000)

        with Child(hold):
            plugin = self.start(app, self.copies)
            while "waiting for a writer" not in plugin.stdout.readline():
                pass
            self.assertEqual(self.names(self.copies), [".app.db.partial"])
            plugin.stdin.write('{"type": "cancel", "run": "1.1.1", "grace_ms": 1000}\n')
            plugin.stdin.flush()
            self.assertEqual(self.end(plugin), "cancelled")
        self.assertEqual(self.names(self.copies), [])

    # a. Another database in the place of the user's

    def test_root_waits_for_no_fifo(self):
        os.mkfifo(self.home / "app.db", 0o666)
        os.chown(self.home / "app.db", USER, USER)
        self.assertEqual(self.run_plugin(self.home / "app.db", self.copies), "not_a_database")
        self.assertEqual(self.names(self.copies), [])

    def test_root_reads_nothing_of_its_own_for_a_user(self):
        private = self.database(self.private / "private.db", 0, SECRET, mode=0o600)
        app = self.home / "app.db"
        app.symlink_to(private)
        os.chown(app, USER, USER, follow_symlinks=False)
        self.assertEqual(self.run_plugin(app, self.copies), "permission")
        self.assertIn(f"'{private}'", self.message)
        self.assertEqual(self.names(self.copies), [])

    def test_a_swap_at_any_time_gives_nothing_away(self):
        private = self.database(self.private / "private.db", 0, SECRET, mode=0o600)
        app = self.home / "app.db"
        self.database(self.home / "real.db", USER)

        def swap(ready):
            ready()
            while True:
                for target in (self.home / "real.db", private):
                    (self.home / "new").symlink_to(target)
                    (self.home / "new").rename(app)

        with Child(swap):
            while not app.is_symlink():
                time.sleep(0.001)
            for _ in range(15):
                self.run_plugin(app, self.copies)
                for path in self.copies.iterdir():
                    self.assertEqual(self.texts(path), ["row"])
                    self.assertEqual(oct(stat.S_IMODE(path.stat().st_mode)), oct(0o644))

    # b. A journal that names a file for SQLite to remove

    def hot(self, app, owner, target):
        """A database with the journal of a writer that was killed, and with a name for that of a
        transaction over several databases."""
        work = self.private / f"{app.parent.name}.db"
        base = sqlite3.connect(work, isolation_level=None)
        base.execute("pragma journal_mode=delete")
        base.execute("pragma synchronous=off")
        base.execute("create table t(x)")
        base.executemany("insert into t values (?)", [("row" + " " * 3000,)] * 200)
        base.execute("pragma cache_size=5")
        base.execute("begin immediate")
        base.execute("update t set x = 'new' || substr(x, 4)")
        shutil.copy(work, app)
        shutil.copy(f"{work}-journal", f"{app}-journal")
        base.execute("rollback")
        base.close()
        name = os.fsencode(target)
        with open(f"{app}-journal", "ab") as journal:
            journal.write(struct.pack(">I", 0x40000000 // 4096 + 1) + name
                          + struct.pack(">II", len(name), sum(name))
                          + bytes.fromhex("d9d505f920a163d7"))
        for path in (app, f"{app}-journal"):
            os.chown(path, owner, owner)

    def test_a_journal_removes_nothing_of_root(self):
        roots = self.folder("roots", 0)
        for place, reason in (self.private, "ok"), (roots, "io"):
            with self.subTest(place=place.name):
                precious = place / "precious"
                precious.write_text("precious")
                app = self.folder(f"home/{place.name}", USER) / "app.db"
                self.hot(app, USER, precious)
                # Where the user sees the file, SQLite tries to remove it, and may not.
                self.assertEqual(self.run_plugin(app, self.copies), reason)
                self.assertEqual(precious.read_text(), "precious")
                self.assertNotIn(".app.db.partial", self.names(self.copies))

    def test_root_opens_no_database_beside_which_others_can_put_a_journal(self):
        precious = self.private / "precious"
        precious.write_text("precious")
        for mode in (0o1777, 0o777):
            with self.subTest(mode=oct(mode)):
                shared = self.folder(f"shared{mode}", 0, mode)
                app = shared / "app.db"
                self.hot(app, 0, precious)
                os.chown(f"{app}-journal", USER, USER)
                self.assertEqual(self.run_plugin(app, self.copies), "permission")
                self.assertIn(f"'{shared}'", self.message)
                self.assertEqual(precious.read_text(), "precious")

    # c. A file for the copy that somebody else has open

    def test_root_writes_no_copy_of_its_own_database_into_the_folder_of_a_user(self):
        app = self.database(self.private / "app.db", 0, SECRET)
        folder = self.folder("home/copies", USER)
        mine = self.folder("home/roots", 0)
        for place in (folder, mine):
            self.assertEqual(self.run_plugin(app, place), "permission")
            self.assertIn(f"'{self.home}'", self.message)
            self.assertEqual(self.names(place), [])

    def test_root_keeps_no_copy_in_a_folder_that_the_user_can_swap(self):
        app = self.database(self.home / "app.db", USER)
        folder = self.folder("home/roots", 0)
        self.assertEqual(self.run_plugin(app, folder), "permission")
        self.assertIn(f"'{self.home}'", self.message)

    def test_root_keeps_no_copy_of_one_user_in_the_folder_of_another(self):
        app = self.database(self.home / "app.db", USER)
        folder = self.folder("other", OTHER)
        self.assertEqual(self.run_plugin(app, folder), "permission")
        self.assertIn(f"'{folder}'", self.message)

    def test_root_writes_into_no_file_that_another_has_made(self):
        app = self.database(self.private / "app.db", 0, SECRET)
        folder = self.folder("shared", 0, 0o1777)
        partial = folder / ".app.db.partial"

        def wait(ready):
            partial.write_text("")
            ready()
            time.sleep(1000)

        with Child(wait):
            self.assertEqual(self.run_plugin(app, folder), "permission")
        self.assertIn(f"'{partial}'", self.message)
        self.assertEqual(partial.read_bytes(), b"")
        partial.unlink()
        target = self.private / "target"
        target.write_text("precious")
        partial.symlink_to(target)
        self.assertEqual(self.run_plugin(app, folder), "permission")
        self.assertEqual(target.read_text(), "precious")

    # d. Files that SQLite makes beside a path

    @unittest.skipUnless(hasattr(fcntl, "F_SETLEASE"), "needs leases")
    def test_sqlite_makes_no_file_in_a_folder_of_root(self):
        target = self.folder("target", 0)
        folder = self.folder("home/folder", USER)
        app = self.database(folder / "app.db", USER, journal="wal")
        (self.home / "app.db").symlink_to("folder/app.db")
        os.chown(self.home / "app.db", USER, USER, follow_symlinks=False)

        def swap(ready):
            log = f"{app}-wal"
            open(log, "ab").close()
            base, hit = os.open(app, os.O_RDWR), []
            signal.signal(signal.SIGIO, lambda *_: hit.append(1))
            lease = os.open(log, os.O_RDWR)
            fcntl.fcntl(lease, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            # Held, so that the plugin is not the last to close the database.
            fcntl.lockf(base, fcntl.LOCK_SH, 510, 0x40000002, 0)
            ready()
            while not hit:
                time.sleep(0.01)
            folder.rename(self.home / "away")
            folder.symlink_to(target)
            fcntl.fcntl(lease, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            time.sleep(1000)

        with Child(swap):
            self.assertEqual(self.run_plugin(self.home / "app.db", self.copies), "permission")
            self.assertTrue(folder.is_symlink())
        self.assertEqual(self.names(target), [])

    # Whose rights

    def test_two_users_on_the_way_are_refused(self):
        folder = self.folder("home/folder", OTHER)
        app = self.database(folder / "app.db", OTHER)
        self.assertEqual(self.run_plugin(app, self.copies), "permission")
        self.assertIn(f"'{self.home}'", self.message)
        self.assertIn(f"'{folder}'", self.message)
        self.assertIn("'user'", self.message)
        self.assertEqual(self.names(self.copies), [])


if __name__ == "__main__":
    unittest.main()
