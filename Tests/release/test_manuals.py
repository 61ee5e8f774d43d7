"""What scripts/release/manuals writes of a program that describes itself, and of the table of keys."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATUS = {
    "commandName": "status", "abstract": "Show the state of the jobs.", "shouldDisplay": True,
    "discussion": "Exits with 69 if takt is not running.\n\nWith `--group`, one line.",
    "arguments": [
        {"kind": "positional", "valueName": "job", "isOptional": True, "isRepeating": False,
         "shouldDisplay": True, "abstract": "One job."},
        {"kind": "option", "valueName": "file", "isOptional": True, "isRepeating": False,
         "shouldDisplay": True, "abstract": "The file.", "preferredName": {"kind": "long", "name": "file"},
         "names": [{"kind": "short", "name": "f"}, {"kind": "long", "name": "file"}]},
        {"kind": "flag", "valueName": "help", "isOptional": True, "isRepeating": False, "shouldDisplay": True,
         "abstract": "Show help.", "names": [{"kind": "long", "name": "help"}],
         "preferredName": {"kind": "long", "name": "help"}},
    ],
}
TAKT = {
    "commandName": "takt", "abstract": "Run jobs.", "shouldDisplay": True, "arguments": [STATUS["arguments"][2]],
    "discussion": "Start here.\n\nEXIT CODES:\n0   success\n75  trigger: it runs; drain: it does not\n",
    "subcommands": [STATUS, {"commandName": "help", "abstract": "Help.", "shouldDisplay": True, "arguments": []}],
}


class Manuals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.place.name)
        program = folder / "takt"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'command': TAKT})}\nEND\n")
        program.chmod(0o755)
        subprocess.run([ROOT / "scripts/release/manuals", program, folder / "man", "2026-11-30"], check=True)
        cls.pages = {file.name: file.read_text() for file in (folder / "man").iterdir()}

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_there_is_a_page_for_each_command_and_for_the_file(self):
        self.assertEqual(sorted(self.pages), ["takt-status.1", "takt.1", "takt.yaml.5"])

    def test_the_synopsis_is_what_somebody_types(self):
        self.assertIn(".SH SYNOPSIS\n\\fBtakt status\\fR\n[\\fIJOB\\fR]\n[\\fB\\-\\-file\\fR \\fIfile\\fR]\n.SH DESC",
                      self.pages["takt-status.1"])

    def test_takt_lists_its_commands_a_line_each(self):
        self.assertIn(".SH COMMANDS\n.TP 24\n\\fBtakt\\-status\\fR(1)\nShow the state of the jobs.\n.SH OPTIONS",
                      self.pages["takt.1"])

    def test_exit_codes_are_a_list(self):
        self.assertIn("\n\\fB75\\fR\ntrigger: it runs\n.br\ndrain: it does not\n", self.pages["takt.1"])
        self.assertNotIn("EXIT CODES", self.pages["takt.1"])

    def test_the_page_of_the_file_has_every_key_of_the_table(self):
        generated = (ROOT / "docs/jobs-file.md").read_text().partition("<!-- keys: begin -->")[2]
        rows = [row for row in re.findall(r"^\| `([^`]+)`", generated, re.MULTILINE)]
        entries = re.findall(r"^\.TP \n(.+)$", self.pages["takt.yaml.5"].partition(".SH KEYS")[2], re.MULTILINE)
        self.assertGreater(len(rows), 150)
        self.assertEqual(len(entries), len(rows))

    def test_nothing_of_markdown_is_left(self):
        for name, text in self.pages.items():
            for line in text.splitlines():
                self.assertNotRegex(line, r"`|\*\*\w|\]\(|^\|", name)
                self.assertTrue(line.isascii(), line)


if __name__ == "__main__":
    unittest.main()
