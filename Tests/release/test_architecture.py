"""That docs/internals/architecture.md names code which is there."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/internals/architecture.md"


class Architecture(unittest.TestCase):
    def test_each_file_declares_what_the_page_says_of_it(self):
        named = re.findall(r"\[`[^`]*`\]\(([^)]+)\), `(\w+)`", PAGE.read_text())
        self.assertGreater(len(named), 20)
        for path, name in named:
            text = (PAGE.parent / path).read_text()
            self.assertRegex(text, rf"\b(func|struct|class|enum|let|var) {name}\b", path)

    def test_each_link_to_code_bears_the_name_of_its_file(self):
        for shown, path in re.findall(r"\[`([^`]*)`\]\(([^)]+)\)", PAGE.read_text()):
            self.assertEqual(shown, pathlib.Path(path).name)

    def test_each_module_is_in_the_table(self):
        modules = {folder.name for folder in (ROOT / "Sources").glob("*")} - {"C", "Timers"}
        modules |= {folder.name for kind in ("C", "Timers") for folder in (ROOT / "Sources" / kind).glob("*")}
        text = PAGE.read_text()
        table = text[text.index("\n## Modules\n"):]
        missing = sorted(name for name in modules if f"`{name}`" not in table)
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
