"""What .ci/commits says of the messages of commits."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / ".ci/commits"
OLD, NEW = "2026-11-30T12:00:00Z", "2026-12-02T12:00:00Z"
BODY = "\n\nIt was slow: 12 ms, now 3 ms."


class Commits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.git("init", "-q")

    def git(self, *words, date=NEW):
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b", "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        subprocess.run(["git", *words], cwd=self.folder, env=environment, check=True)

    def commit(self, message, date=NEW):
        self.git("commit", "-q", "--allow-empty", "-m", message, date=date)

    def said(self):
        done = subprocess.run([SCRIPT], cwd=self.folder, capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_a_good_message_is_accepted(self):
        for subject in ["Keep a job's output in a file", "Process one event at a time",
                        "Need no shell for a plain command", "Focus the search with a key"]:
            self.commit(subject + BODY)
        self.assertEqual(self.said(), (0, ""))

    def test_each_fault_is_named(self):
        for subject, fault in [
                ("Add " + "x" * 70, "74 characters"), ("Adds a key", "imperative"),
                ("Added a key", "imperative"), ("Fixing a bug", "imperative"),
                ("fixup! Add a key", "imperative"), ("amend from a", "imperative"),
                ("Add a key.", "full stop"), ("Add a key; remove another", "several thoughts"),
                ("Add one, two, three and four", "several thoughts")]:
            self.commit(subject + BODY)
            code, said = self.said()
            self.assertEqual(code, 1, subject)
            self.assertIn(fault, said.splitlines()[0], subject)

    def test_a_message_without_a_body_is_refused(self):
        self.commit("Add a key")
        code, said = self.said()
        self.assertEqual(code, 1)
        self.assertIn("no body says why: Add a key", said)

    def test_commits_of_before_the_rule_or_the_last_release_are_left_alone(self):
        self.commit("added", date=OLD)
        self.commit("Adds")
        self.git("tag", "v1.0.0")
        self.assertEqual(self.said(), (0, ""))
        self.commit("Add a key" + BODY)
        self.assertEqual(self.said(), (0, ""))
        self.git("update-ref", "-d", "refs/tags/v1.0.0")
        self.assertEqual(self.said()[0], 1)

    def test_a_folder_that_is_no_repository_has_no_commits(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([SCRIPT], cwd=empty, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
