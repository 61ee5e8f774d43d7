"""Tests of the report: what a reader of docs/internals/performance.md sees."""

import importlib.util
import pathlib
import tempfile
import unittest

import instructions
from page import Page
from rows import Rows, short

CPU = "20 commands per second: scheduler CPU per run"
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def row(name, value, **others):
    """A row with one sample."""
    return {"name": name, "unit": "ms", "value": value, "low": value, "high": value, "samples": 1,
            **others}


def text(rows, problem=None, has_matplotlib=True, pictures=()):
    """The page of some rows."""
    content = {
        "machine": {"processor": "P", "cores": 2}, "quick": False, "rows": rows,
        "benchmarks": [{"name": "storm", "seconds": 1, "problem": problem}]}
    return Page(content, Rows(rows), set(pictures)).text(has_matplotlib)


class PageTests(unittest.TestCase):
    """The text of the page."""

    def test_a_missed_target_is_called_missed(self):
        page = text([row("takt status", 50, size=10_000, at_most=40)])
        self.assertIn("| takt status, 10,000 jobs | 50 ms | | | ≤ 40 ms | missed by 25 % |", page)
        self.assertIn("0 of 1 targets are met.", page)

    def test_a_ratio_is_judged_and_not_the_value(self):
        page = text([row("x", 87.3), row("x", 90, peer="bare C loop", ratio=0.97, at_least=0.95)])
        self.assertIn("| x | 87.3 ms | bare C loop: 90 ms | 0.97 | ≥ 0.95 | met |", page)

    def test_one_of_the_targets_for_cpu_is_enough(self):
        page = text([row(CPU, 0.4), row(CPU, 0.9, peer="APScheduler", ratio=0.39, at_most=0.4),
                     row(CPU, 0.5, peer="supercronic", ratio=0.8, at_most=0.5)])
        self.assertIn("| supercronic: 0.5 ms | 0.8 | ≤ 0.5 | not needed |", page)
        self.assertIn("2 of 2 targets are met.", page)

    def test_a_failed_benchmark_is_named(self):
        self.assertIn("The benchmark `storm` failed: exit status 1.", text([], problem="exit status 1"))

    def test_a_peer_that_is_not_there_is_named(self):
        page = text([{"left_out": "supercronic", "reason": "not installed"}])
        self.assertIn("Not measured: supercronic (not installed).", page)

    def test_without_matplotlib_the_page_says_so(self):
        page = text([row(CPU, 0.4)], has_matplotlib=False)
        self.assertIn("so this page has no pictures", page)
        self.assertNotIn(".svg)", page)

    def test_a_table_shows_takt_first_and_the_spread(self):
        page = text([row(CPU, 0.9, peer="APScheduler"), {**row(CPU, 0.4), "low": 0.3, "samples": 5}])
        self.assertIn("| figure | unit | takt | APScheduler |", page)
        self.assertIn(f"| {CPU} | ms | 0.4 (0.3–0.4) | 0.9 |", page)

    def test_the_overview_has_the_figures_of_all_schedulers(self):
        name = "idle jobs: CPU to load"
        page = text([row(name, 0.2, size=10_000), row(name, 2.4, size=10_000, peer="APScheduler"),
                     row(name, 0.1, size=1_000)])
        overview = page[page.index("## Overview"):page.index("## Targets")]
        self.assertIn(f"| {name}, 10,000 jobs | ms | 0.2 | 2.4 |", overview)
        self.assertNotIn("1,000 jobs | ms | 0.1", overview)

    def test_a_section_names_its_command(self):
        page = text([row("context switches per second, 10 % leeway", 126, benchmark="leeway")])
        self.assertIn("\n\nCommand: `make bench ONLY=leeway`\n", page)

    def test_instructions_of_earlier_dates_are_beside_todays(self):
        facts = "compiler\tc\nmachine\tm\nlibc\tl\nsqlite\ts\nvalgrind\tv\n"
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "history").mkdir()
            (folder / "history/2026-01-02.tsv").write_text(f"# Before hooks.\n{facts}run\t2000000\n")
            (folder / "instructions.tsv").write_text(f"{facts}run\t2500000\nplan\t1000000\n")
            page = "\n".join(instructions.section(folder))
        self.assertIn("- 2026-01-02: Before hooks.", page)
        self.assertIn("| run | 2.00 | 2.50 | +25.0 % |", page)
        self.assertIn("| plan |  | 1.00 |  |", page)

    def test_the_figures_of_a_cluster_have_a_section_with_targets(self):
        name = "cluster: 20 jobs per second, lateness p99 above that of one daemon plus a round trip"
        storm = "cluster: slots due at once, claims per second"
        page = text([row(name, 6, at_most=5, benchmark="cluster"),
                     row(storm, 5432, size=1_000, benchmark="cluster")])
        self.assertIn(f"| {name} | 6 ms | | | ≤ 5 ms | missed by 20 % |", page)
        section = page[page.index("## Several machines"):]
        self.assertIn(f"| {storm}, 1,000 jobs | ms | 5,432 |", section)
        self.assertIn("\n\nCommand: `make bench ONLY=cluster`\n", section)
        self.assertNotIn("## Other figures", page)

    def test_without_postgresql_the_cluster_is_named(self):
        page = text([{"left_out": "cluster", "reason": "PostgreSQL is not installed"}])
        self.assertIn("Not measured: cluster (PostgreSQL is not installed).", page)
        self.assertNotIn("## Several machines", page)

    def test_numbers_have_three_digits(self):
        self.assertEqual([short(number) for number in (0, 0.012345, 12.345, 1234.5)],
                         ["0", "0.0123", "12.3", "1,234"])


@unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
class PictureTests(unittest.TestCase):
    """The pictures."""

    def draw(self):
        """The pictures of some figures, by name."""
        from pictures import Pictures
        rows = [row(f"20 commands per second: {name}", value, **peer)
                for value, peer in [(1, {}), (2, {"peer": "APScheduler"})]
                for name in ("lateness p50", "lateness p99", "scheduler CPU per run")]
        rows += [row("takt status", size / 1000, size=size) for size in (1_000, 10_000)]
        with tempfile.TemporaryDirectory() as folder:
            names = Pictures(Rows(rows), pathlib.Path(folder)).draw()
            return {name: (pathlib.Path(folder) / f"{name}.svg").read_text() for name in names}

    def test_the_same_figures_give_the_same_bytes(self):
        self.assertEqual(self.draw(), self.draw())

    def test_a_picture_has_a_title_and_its_text_is_text(self):
        pictures = self.draw()
        self.assertEqual(set(pictures), {"commands", "queries"})
        self.assertIn('<title id="title">Time of takt status', pictures["queries"])
        self.assertIn(">APScheduler</text>", pictures["commands"])


if __name__ == "__main__":
    unittest.main()
