"""Tests of the program that runs the benchmarks."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import bench
from bench import Run
from common import descendants


class RunTests(unittest.TestCase):
    """One benchmark."""

    def test_no_process_outlives_a_benchmark_that_was_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            note = pathlib.Path(folder) / "pid"
            # The sleeping process has left the session and lost its parent.
            script = (
                "import os, signal, subprocess; "
                f"subprocess.run(['sh', '-c', 'setsid sleep 600 & echo $! > {note}']); "
                "os.kill(os.getpid(), signal.SIGKILL)")
            descendants.adopt_orphans()
            run = Run("killed", [sys.executable, "-c", script])
            run.measure(quick=True)
            self.assertEqual(run.problem, "exit status -9")
            self.assertFalse(pathlib.Path(f"/proc/{int(note.read_text())}").exists())
            self.assertEqual(descendants.living(), set())


class ArgumentsTests(unittest.TestCase):
    """What is no program is not measured."""

    def test_help_is_printed(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(bench.main(["--help"]), 0)
        self.assertIn("--only NAME", output.getvalue())

    def test_an_unknown_option_is_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as output:
            self.assertEqual(bench.main(["--fast"]), 64)
        self.assertIn("--only NAME", output.getvalue())


if __name__ == "__main__":
    unittest.main()
