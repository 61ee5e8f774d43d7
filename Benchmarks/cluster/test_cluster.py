"""Tests of what the figures of a cluster are computed from, and of its server."""

import contextlib
import io
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import cluster_bench
import postgres
import starts
from daemon import Daemon, NotReady
from starts import Start
from tools import compiled

JOBS = ["x", "y"]


def start(slot, late_ms=10, job="x", machine="a"):
    """A start of a slot, somewhat late."""
    return Start(slot + late_ms / 1000, job, slot, machine)


class StartTests(unittest.TestCase):
    """Figures from the starts of all machines."""

    def test_a_line_has_time_job_slot_and_machine(self):
        one = starts.parse("1790000000012500000 job07 2026-09-21T14:13:20.000Z b")
        self.assertEqual((one.job, one.slot, one.machine), ("job07", 1_790_000_000, "b"))
        self.assertAlmostEqual(one.late_ms, 12.5, places=3)

    def test_a_line_that_is_being_written_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "stamps"
            self.assertEqual(starts.read(path), [])
            path.write_text("1790000001000000000 x 2026-09-21T14:13:21.000Z a\n"
                            "1790000000000000000 y 2026-09-21T14:13:20.000Z b\n17900000020")
            self.assertEqual([one.job for one in starts.read(path)], ["y", "x"])

    def test_missed_and_doubled_starts_are_counted(self):
        found = [start(10), start(10, job="y"), start(11), start(11, 300, machine="b"), start(12, job="y"),
                 start(13)]
        # In 11 and 12 y and x are missing, and in 11 x started twice.
        self.assertEqual(starts.irregular(found, JOBS, range(10, 13)), 3)

    def test_a_late_start_belongs_to_its_slot(self):
        self.assertEqual(starts.irregular([start(10, 2500), start(11)], ["x"], range(10, 12)), 0)

    def test_lateness_is_that_of_the_slots_in_the_turn(self):
        found = [Start(slot + late / 1000, "job00", slot, "a")
                 for slot, late in [(9, 900), (10, 10), (11, 20), (12, 30), (13, 900)]]
        with mock.patch.object(cluster_bench, "JOBS", ["job00"]):
            values = cluster_bench.lateness(found, range(10, 13))
        self.assertEqual({name: round(value) for name, value in values.items()}, {"p50": 20, "p99": 30})

    def test_a_turn_with_few_starts_is_no_measurement(self):
        with self.assertRaisesRegex(NotReady, "1 commands of 40 started"):
            cluster_bench.lateness([start(10, job="job00")], range(10, 12))

    def test_slots_are_due_while_a_killed_machine_has_its_lease(self):
        self.assertEqual(list(starts.due_while_leased(100.85, 3)), [101, 102, 103])
        self.assertEqual(list(starts.due_while_leased(100, 3)), [101, 102])

    def test_a_restart_is_on_another_machine(self):
        found = [start(10, job="long"), start(10, 4000, job="long"), start(11, machine="b")]
        self.assertIsNone(starts.restart(found, "long", "a"))
        found.append(start(10, 6500, job="long", machine="c"))
        self.assertEqual(starts.restart(found, "long", "a"), 16.5)

    def test_one_daemon_and_a_round_trip_are_no_cost_of_claims(self):
        self.assertAlmostEqual(starts.beyond(21.5, 18, 0.5), 3)

    def test_grants_at_one_time_are_one_transaction(self):
        values = starts.granted([(10, 10.005), (10, 10.02), (10, 10.02), (11, 11.01)], range(10, 12))
        self.assertEqual({name: round(value, 3) for name, value in values.items()},
                         {"grant_p50": 10, "grant_p99": 20, "transactions": 1.5})

    def test_the_rate_of_claims_counts_from_the_due_time(self):
        self.assertEqual(starts.claims_per_second(100, [100.1, 100.5, 100.2, 100.5]), 8)


class OutputTests(unittest.TestCase):
    """What the program prints and writes."""

    def test_the_table_says_whether_a_target_is_met(self):
        row = {"name": "x", "unit": "ms", "value": 6, "low": 4, "high": 8, "samples": 3, "at_most": 5}
        self.assertRegex(cluster_bench.table_line(row), r"^x +6 ms \(4 to 8\), MISSED: at most 5$")
        self.assertRegex(cluster_bench.table_line({**row, "value": 5}), r", met: at most 5$")

    def test_an_instant_has_the_form_of_a_jobs_file(self):
        self.assertEqual(cluster_bench.instant(1_790_000_000), "2026-09-21T14:13:20Z")

    def test_without_postgresql_it_says_so_and_succeeds(self):
        with tempfile.TemporaryDirectory() as folder:
            path, printed = pathlib.Path(folder) / "rows.json", io.StringIO()
            with mock.patch.object(postgres, "programs", lambda: None), \
                    contextlib.redirect_stdout(printed):
                self.assertEqual(cluster_bench.main(["takt", "--json", str(path)]), 0)
            self.assertIn("left out: the cluster (PostgreSQL is not installed", printed.getvalue())
            self.assertEqual([row["left_out"] for row in json.loads(path.read_text())], ["cluster"])


@unittest.skipUnless(shutil.which("cc"), "cc is not installed")
class NoteTests(unittest.TestCase):
    """The program that the commands are."""

    def test_it_notes_job_slot_and_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            note = compiled(cluster_bench.HERE / "note_slot.c", folder)
            path = pathlib.Path(folder) / "stamps"
            environment = {"TAKT_JOB": "x", "TAKT_SLOT": "2026-09-21T14:13:20.000Z", "BENCH_MACHINE": "b"}
            subprocess.run([note, path], env=environment, check=True)
            one, = starts.read(path)
            self.assertEqual((one.job, one.slot, one.machine), ("x", 1_790_000_000, "b"))
            self.assertGreater(one.late_ms, 0)


class ProgramTests(unittest.TestCase):
    """The folder of the server's programs."""

    def test_the_newest_version_is_taken(self):
        with tempfile.TemporaryDirectory() as root:
            for name, can_run in [("9.6", True), ("11", True), ("13", True), ("15", True), ("16", False)]:
                path = pathlib.Path(root) / name / "bin" / "initdb"
                path.parent.mkdir(parents=True)
                path.touch(mode=0o755 if can_run else 0o644)
            self.assertEqual(postgres.programs(root).parent.name, "15")
            shutil.rmtree(root + "/15")
            shutil.rmtree(root + "/13")
            self.assertIsNone(postgres.programs(root))


@unittest.skipIf(postgres.absent(), str(postgres.absent()))
class ServerTests(unittest.TestCase):
    """The server."""

    def test_it_answers_durably_and_is_gone_after_the_with_statement(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o711)
            with postgres.Server(pathlib.Path(folder) / "postgres") as server:
                with postgres.Connection(server.url) as connection:
                    self.assertEqual(connection.rows("SELECT 1, 'x' UNION ALL SELECT 2, 'y' ORDER BY 1"),
                                     [["1", "x"], ["2", "y"]])
                    self.assertEqual([connection.value(f"SHOW {name}")
                                      for name in ("fsync", "synchronous_commit")], ["on", "on"])
                    self.assertEqual(len(connection.times_ms("SELECT 1", 3)), 3)
                    with self.assertRaisesRegex(postgres.DatabaseError, "nothing"):
                        connection.rows("SELECT * FROM nothing")
                with self.assertRaisesRegex(postgres.DatabaseError, "password"):
                    postgres.Connection(server.url.replace(server.password, "wrong"))
            self.assertIsNotNone(server.process.poll())
            with self.assertRaises(postgres.DatabaseError):
                postgres.Connection(server.url)

    def test_it_ends_with_the_benchmark(self):
        script = ("import pathlib, os, signal, sys; sys.path.insert(0, sys.argv[2]); import cluster_bench\n"
                  "import postgres; server = postgres.Server(pathlib.Path(sys.argv[1]) / 'postgres')\n"
                  "print(server.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o711)
            with Daemon([sys.executable, "-B", "-c", script, folder, cluster_bench.HERE], folder) as one:
                one.process.wait()
                pid = int(one.log.read_text())
            with contextlib.suppress(ProcessLookupError):
                descriptor = os.pidfd_open(pid)
                self.addCleanup(os.close, descriptor)
                self.assertTrue(select.select([descriptor], [], [], 60)[0])


if __name__ == "__main__":
    unittest.main()
