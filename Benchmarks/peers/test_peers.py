"""Tests of what the comparison with other schedulers is built from."""

import pathlib
import shutil
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from common.figures import Figures, take_option  # noqa: E402
from daemon import Daemon, NotReady  # noqa: E402
from every_second import served  # noqa: E402
from job import EVERY_SECOND, at, idle_jobs  # noqa: E402
from measurements import Measurements  # noqa: E402
from percentile import percentile  # noqa: E402
from schedulers.scheduler import Scheduler  # noqa: E402
from tools import Stamps, Tools  # noqa: E402


class JobTests(unittest.TestCase):
    """The jobs that all schedulers are given."""

    def test_an_instant_is_written_in_the_order_of_cron(self):
        self.assertEqual(at(1_790_000_000).cron_fields, ["20", "13", "14", "21", "9", "*"])
        self.assertEqual(EVERY_SECOND.cron_fields, ["*"] * 6)

    def test_idle_jobs_differ_in_the_one_that_is_changed(self):
        pairs = list(zip(idle_jobs(100), idle_jobs(100, changed=50)))
        self.assertEqual([old.name for old, new in pairs if old != new], ["job050"])


class FigureTests(unittest.TestCase):
    """Percentiles, rows and ratios."""

    def test_a_percentile_is_one_of_the_values(self):
        values = list(range(1, 201))
        self.assertEqual((percentile(values, 50), percentile(values, 99)), (100, 198))

    def test_a_row_has_median_and_spread(self):
        figures = Figures()
        figures.add("x", "ms", [3, 1, 2], peer="p", ratios=[0.5], at_most=1)
        self.assertEqual(figures.rows, [
            {"name": "x", "unit": "ms", "value": 2, "low": 1, "high": 3, "samples": 3, "peer": "p",
             "ratio": 0.5, "at_most": 1}])

    def test_an_option_is_taken_from_the_arguments(self):
        arguments = ["a", "--json", "file", "b"]
        self.assertEqual(take_option(arguments, "--json"), "file")
        self.assertEqual(arguments, ["a", "b"])

    def test_a_ratio_is_that_of_the_same_round(self):
        found = Measurements()
        found.add("takt", 1, cpu=2)
        found.add("takt", 2, cpu=4)
        found.add("peer", 2, cpu=8)
        self.assertEqual(found.ratios("peer", "cpu"), [0.5])

    def test_a_peer_that_fails_is_named_and_takes_no_more_turns(self):
        def fail():
            raise NotReady("broken")

        peer = Scheduler()
        peer.name = "peer"
        found, figures = Measurements(), Figures()
        found.take_turn(peer, 1, fail)
        found.take_turn(peer, 2, lambda: {"cpu": 1})
        found.report_failures(figures, "storm")
        self.assertEqual(figures.rows, [{"left_out": "peer", "reason": "storm: broken"}])
        self.assertFalse(found.values["peer"])


class EverySecondTests(unittest.TestCase):
    """The lateness of starts, one of which is due each second."""

    def check(self, starts, delays, missed, turn=range(10, 15)):
        """Compares delays and missed starts."""
        found, errors = served(starts, turn)
        self.assertEqual([round(delay, 3) for delay in found], delays)
        self.assertEqual(errors, missed)

    def test_punctual_starts(self):
        self.check([9.01, 10.01, 11.02, 12.01, 13.01, 14.01, 15.01], [0.01, 0.02, 0.01, 0.01, 0.01], 0)

    def test_a_start_may_be_more_than_a_second_late(self):
        self.check([9.01, 10.01, 12.2, 12.21, 13.01, 14.01], [0.01, 1.2, 0.21, 0.01, 0.01], 0)

    def test_a_second_without_a_start_is_missed(self):
        self.check([9.01, 10.01, 12.01, 13.01, 14.01, 15.01], [0.01, 0.01, 0.01, 0.01], 1)

    def test_a_second_with_two_starts_is_wrong(self):
        self.check([9.01, 10.01, 11.01, 11.5, 12.01, 13.01, 14.01], [0.01] * 5, 1)

    def test_a_start_just_before_its_second_belongs_to_it(self):
        self.check([8.999, 9.999, 10.999, 12.001, 13, 14], [-0.001, -0.001, 0.001, 0, 0], 0)

    def test_a_scheduler_that_stops_has_missed_the_rest(self):
        self.check([9.01, 10.01, 11.01], [0.01, 0.01], 3)
        self.check([], [], 5)


@unittest.skipUnless(shutil.which("cc"), "cc is not installed")
class DaemonTests(unittest.TestCase):
    """The process of a scheduler."""

    def test_its_cpu_does_not_count_its_children(self):
        with Tools() as tools, tools.case() as folder:
            loop = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
            with Daemon(["sh", "-c", f"sh -c '{loop}'; echo done; sleep 60"], folder, ready=b"done") as one:
                one.wait_ready(30)
                self.assertLess(one.cpu(), 0.05)
                self.assertGreater(one.memory(), 0.1)

    def test_it_is_gone_after_the_with_statement(self):
        with Tools() as tools, tools.case() as folder:
            with Daemon(["sleep", "60"], folder) as one:
                pass
            self.assertEqual(one.process.poll(), -signal.SIGTERM)

    def test_a_command_notes_when_it_ran(self):
        with Tools() as tools, tools.case() as folder:
            stamps = Stamps(folder, tools)
            job = stamps.job("job07", EVERY_SECOND)
            before = time.time()
            for _ in range(2):
                with Daemon(["sh", "-c", job.command], folder) as one:
                    one.process.wait()
            self.assertEqual(stamps.count(), 2)
            self.assertEqual(list(stamps.by_job()), ["job07"])
            self.assertTrue(before <= stamps.seconds()[0] <= time.time())


if __name__ == "__main__":
    unittest.main()
