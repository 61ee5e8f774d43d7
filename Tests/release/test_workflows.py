"""What the workflows in .github may do, and that what they call is there."""
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def jobs(text):
    """The text of each job of a workflow."""
    parts = re.split(r"^  ([\w-]+):$", text.partition("\njobs:\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Workflows(unittest.TestCase):
    def test_each_action_is_named_by_its_commit(self):
        for file in WORKFLOWS:
            used = re.findall(r"uses: (.*)", file.read_text())
            self.assertTrue(used, file.name)
            for action in used:
                self.assertRegex(action, r"^actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", file.name)

    def test_what_a_pull_request_starts_has_no_secret_and_only_reads(self):
        for file in WORKFLOWS:
            text = file.read_text()
            self.assertIn("\npermissions: {}\n", text, file.name)
            self.assertNotIn("pull_request_target", text, file.name)
            for name, job in jobs(text).items():
                is_guarded = re.search(r"^    if: github\.event_name == 'push'$", job, re.MULTILINE)
                if not is_guarded:
                    self.assertNotIn("secrets.", job, name)
                    self.assertNotIn(": write", job, name)

    def test_each_target_of_make_is_there(self):
        database = subprocess.run(
            ["make", "-C", ROOT, "-pnq", "help"], capture_output=True, text=True).stdout
        targets = set(re.findall(r"^([\w-]+):(?!=)", database, re.MULTILINE))
        for file in WORKFLOWS:
            called = re.findall(r"(?:run: |^ +)make ([^\n]*)", file.read_text(), re.MULTILINE)
            self.assertTrue(called, file.name)
            for words in called:
                for word in re.findall(r"^(?:[a-z-]+ ?)+", words)[0].split():
                    self.assertIn(word, targets, file.name)


if __name__ == "__main__":
    unittest.main()
