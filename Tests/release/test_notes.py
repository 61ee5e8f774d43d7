"""What scripts/release/notes cuts out of a changelog."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/release/notes"
CHANGELOG = """# Changelog

What changes.

## [Unreleased]

- Later.

## [0.2.0] - 2026-12-01

### Added

- New, see [installing](docs/installing.md#apt) and [a site](https://a.example).

## [0.1.0] - 2026-01-01

- First.

## [0.0.1] - 2025-12-31
"""


class Notes(unittest.TestCase):
    def said(self, version, **environment):
        with tempfile.TemporaryDirectory() as folder:
            changelog = pathlib.Path(folder) / "CHANGELOG.md"
            changelog.write_text(CHANGELOG)
            done = subprocess.run(
                [SCRIPT, version, changelog], capture_output=True, text=True,
                env=os.environ | environment)
            return done.returncode, done.stdout + done.stderr

    def test_a_section_ends_where_the_next_begins(self):
        for version in ["0.2.0", "v0.2.0"]:
            self.assertEqual(self.said(version), (
                0, "### Added\n\n- New, see [installing](docs/installing.md#apt) and "
                "[a site](https://a.example).\n"))
        self.assertEqual(self.said("0.1.0"), (0, "- First.\n"))

    def test_links_to_files_lead_to_those_of_the_version(self):
        code, said = self.said("0.2.0", TAKT_REPOSITORY="https://host.example/o/takt")
        self.assertEqual(code, 0)
        self.assertIn("](https://host.example/o/takt/blob/v0.2.0/docs/installing.md#apt)", said)
        self.assertIn("](https://a.example)", said)

    def test_a_version_without_a_line_is_refused(self):
        for version in ["0.0.1", "0.2", "0.3.0", "0.2.0.1", ""]:
            code, said = self.said(version)
            self.assertEqual(code, 1, version)
            self.assertIn(f"CHANGELOG.md says nothing of {version}", said)


if __name__ == "__main__":
    unittest.main()
