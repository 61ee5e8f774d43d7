"""What the gate says of which figures: `python3 -m unittest discover Benchmarks/gate`."""

import unittest

from comparison import FACTS, Comparison, FileError, Figures

PATH = "instructions.tsv"
HERE = {
    "compiler": "Swift 6.3.1", "machine": "x86_64", "libc": "glibc 2.36", "sqlite": "3.40.1",
    "valgrind": "3.19.0",
}


def compared(recorded, counted, facts=HERE, partial=False):
    return Comparison(Figures(HERE, recorded), Figures(facts, counted), PATH, partial)


class ComparisonTests(unittest.TestCase):
    def test_growth_of_exactly_three_percent_passes(self):
        self.assertFalse(compared({"load": 1000}, {"load": 1030}).fails)

    def test_growth_above_three_percent_fails_and_says_what_to_do(self):
        result = compared({"load": 1000, "cron": 1000}, {"load": 1031, "cron": 1000})
        self.assertTrue(result.fails)
        self.assertEqual(result.grown, ["load"])
        text = "\n".join(result.sentences)
        self.assertIn("error: load: more than 3 % more instructions", text)
        self.assertIn("make bench-gate-write", text)
        self.assertIn("load.callgrind", text)
        self.assertIn("+3.10 %  grew", result.table)

    def test_a_gain_passes_and_asks_for_the_lower_number(self):
        result = compared({"load": 1000}, {"load": 960})
        self.assertFalse(result.fails)
        self.assertEqual(result.shrunk, ["load"])
        self.assertIn("so that the gain is kept", "\n".join(result.sentences))

    def test_a_gain_does_not_hide_a_growth(self):
        result = compared({"load": 1000, "cron": 1000}, {"load": 500, "cron": 1500})
        self.assertTrue(result.fails)

    def test_a_new_workload_must_be_recorded(self):
        result = compared({"load": 1000}, {"load": 1000, "cron": 5})
        self.assertTrue(result.fails)
        self.assertIn("error: cron: not in instructions.tsv.", result.sentences)

    def test_a_workload_that_is_gone_is_missed(self):
        result = compared({"load": 1000, "cron": 5}, {"load": 1000})
        self.assertTrue(result.fails)
        self.assertIn("no such workload", result.table)

    def test_workloads_that_nobody_asked_for_are_not_missed(self):
        self.assertFalse(compared({"load": 1000, "cron": 5}, {"load": 1000}, partial=True).fails)

    def test_figures_of_another_compiler_are_shown_and_not_judged(self):
        for fact in FACTS:
            result = compared({"load": 1000}, {"load": 2000}, {**HERE, fact: "other"})
            self.assertFalse(result.fails)
            text = "\n".join(result.sentences)
            self.assertIn("not comparable", text)
            self.assertIn(f"{fact}: {HERE[fact]} recorded, other here", text)
            self.assertIn("1,000", result.table)
            self.assertIn("2,000", result.table)


class FileTests(unittest.TestCase):
    def test_what_is_written_reads_back(self):
        figures = Figures(HERE, {"load": 123, "cron": 45})
        again = Figures.parse(figures.text, PATH)
        self.assertEqual((again.facts, again.counts), (figures.facts, figures.counts))
        self.assertEqual(list(again.counts), ["load", "cron"])

    def test_a_malformed_file_is_refused_with_its_line(self):
        good = Figures(HERE, {"load": 123}).text
        line = good.count("\n") + 1
        for bad, message in [
            ("cron", f"{PATH}:{line}: expected a name, one tab and a value"),
            ("cron 12", f"{PATH}:{line}: expected"),
            ("cron\t12\t13", f"{PATH}:{line}: expected"),
            ("cron\t ", f"{PATH}:{line}: expected"),
            ("<<<<<<< HEAD", f"{PATH}:{line}: expected"),
            ("cron\tmany", f"{PATH}:{line}: 'many' is not a number"),
            ("cron\t-5", f"{PATH}:{line}: '-5' is not a number"),
            ("cron\t0", f"{PATH}:{line}: '0' is not a number"),
            ("cron\t1,000", f"{PATH}:{line}: '1,000' is not a number"),
            ("load\t12", f"{PATH}:{line}: 'load' stands here a second time"),
        ]:
            with self.subTest(bad), self.assertRaises(FileError) as caught:
                Figures.parse(good + bad + "\n", PATH)
            self.assertIn(message, str(caught.exception))

    def test_a_file_without_its_facts_or_without_workloads_is_refused(self):
        for text, message in [
            ("", "no line for compiler, machine, libc, sqlite, valgrind"),
            ("load\t12\n", "no line for compiler"),
            (Figures(HERE, {}).text, "no workloads"),
        ]:
            with self.assertRaises(FileError) as caught:
                Figures.parse(text, PATH)
            self.assertIn(message, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
