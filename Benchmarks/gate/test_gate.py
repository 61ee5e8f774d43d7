"""What the gate reads of the programs that it runs: `python3 -m unittest discover Benchmarks/gate`."""

import unittest

from gate import COUNTING, last_lines, total, workloads


class GateTests(unittest.TestCase):
    def test_the_list_says_which_threads_count(self):
        listing = "load\tone\tload of 1,000 jobs\nrun\tall\t200 runs\n"
        self.assertEqual(workloads(listing), {"load": "one", "run": "all"})
        self.assertEqual(set(COUNTING), {"one", "all"})

    def test_the_total_is_that_of_all_threads(self):
        self.assertEqual(total("summary: 0\nfn=(1)\n1 5\n\ntotals: 126633458\n"), 126_633_458)
        self.assertEqual(total("summary: 0\n"), 0)

    def test_a_failure_shows_the_end_of_what_was_printed(self):
        text = "\n".join(f"warning {number}" for number in range(1000)) + "\nno temporary folder\n"
        self.assertEqual(last_lines(text, 2), "warning 999\nno temporary folder")


if __name__ == "__main__":
    unittest.main()
