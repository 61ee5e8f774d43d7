"""Tests of the program that runs the benchmarks."""

import pathlib
import sys
import tempfile
import unittest

import descendants
from bench import Run


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


if __name__ == "__main__":
    unittest.main()
