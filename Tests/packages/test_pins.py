"""What scripts/release/pins says of packages that are not those that a release is made of."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

PLACE = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/release/pins"
LOADER = importlib.machinery.SourceFileLoader("pins", str(PLACE))
pins = importlib.util.module_from_spec(importlib.util.spec_from_loader("pins", LOADER))
LOADER.exec_module(pins)


def row(version="1.2.3", commit="c0ffee", digest="d1", home="https://example.com/a"):
    return {"version": version, "commit": commit, "digest": digest, "home": home}


class Differences(unittest.TestCase):
    def said(self, found, wanted, is_public=True):
        pins.is_public = lambda home: is_public
        return list(pins.differences(found, wanted))

    def test_what_is_listed_is_accepted(self):
        self.assertEqual(self.said({"a": row()}, {"a": row()}), [])

    def test_another_version_is_refused_everywhere(self):
        for is_public in (True, False):
            self.assertEqual(
                self.said({"a": row(version="1.2.4")}, {"a": row()}, is_public),
                ["a is 1.2.4, listed is 1.2.3"])

    def test_other_sources_are_refused_everywhere(self):
        for is_public in (True, False):
            self.assertEqual(
                self.said({"a": row(digest="d2")}, {"a": row()}, is_public),
                ["a 1.2.3 has other sources than listed"])

    def test_another_commit_is_refused_where_the_public_repository_is_used(self):
        found = {"a": row(commit="badbad")}
        self.assertEqual(self.said(found, {"a": row()}, is_public=False), [])
        self.assertEqual(
            self.said(found, {"a": row()}), ["a 1.2.3 is commit badbad, listed is c0ffee"])
        self.assertEqual(self.said(found, {"a": row(commit="-")}), [])

    def test_a_package_that_comes_or_goes_is_named(self):
        self.assertEqual(self.said({"a": row()}, {}), ["a is not listed"])
        self.assertEqual(self.said({}, {"a": row()}), ["a is listed, and not used any more"])


class Lists(unittest.TestCase):
    def test_the_list_has_each_package_once_with_version_and_digest(self):
        rows = pins.listed()
        self.assertEqual(len(rows), 26)
        for name, found in rows.items():
            self.assertRegex(found["version"], r"^\d+\.\d+\.\d+$", name)
            self.assertRegex(found["commit"], r"^([0-9a-f]{40}|-)$", name)
            self.assertRegex(found["digest"], r"^[0-9a-f]{64}$", name)

    def test_each_tool_of_PyPI_is_pinned_by_version_and_hash(self):
        files = sorted((pins.ROOT / "packaging/pypi").glob("*.txt"))
        self.assertGreaterEqual(len(files), 8)
        for file in files:
            requirements = file.read_text().replace("\\\n", "").splitlines()[1:]
            self.assertGreater(len(requirements), 0, file.name)
            for line in requirements:
                self.assertRegex(line, r"^[\w.-]+==[^ ]+( ; .*)? +--hash=sha256:", file.name)


if __name__ == "__main__":
    unittest.main()
