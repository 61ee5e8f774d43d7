"""What docs/internals/testing.md says of the targets of `make fuzz`, and of targets of the Makefile."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/internals/testing.md").read_text()


class TestingPage(unittest.TestCase):
    def test_the_table_has_each_target_with_its_own_words(self):
        targets = {}
        for file in (ROOT / "Tools/boundary-fuzz/Targets").rglob("*.swift"):
            targets |= dict(re.findall(
                r'static let name = "([^"]+)"\s+static let summary =\s+"([^"]+)"', file.read_text()))
        self.assertGreater(len(targets), 20)
        self.assertEqual(dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|$", PAGE, re.MULTILINE)), targets)

    def test_each_target_of_make_is_there(self):
        files = [ROOT / "Makefile", ROOT / "packaging/packages.mk"]
        known = set(re.findall(r"^([a-z-]+):", "\n".join(file.read_text() for file in files), re.MULTILINE))
        self.assertEqual(set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)", PAGE)) - known, set())


if __name__ == "__main__":
    unittest.main()
