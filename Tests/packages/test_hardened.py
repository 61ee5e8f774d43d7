"""What scripts/release/hardened says of small programs that are built with and without each protection."""
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = r"""
#include <stdio.h>
#include <string.h>
int main(int count, char **values) {
  char text[64];
  memset(text, 0, sizeof text);
  snprintf(text, count > 9 ? 99 : sizeof text, "%s", values[0]);
  strcpy(text, values[count - 1]);
  return puts(text) < 0;
}
"""
CONTROL_FLOW = {"x86_64": "-fcf-protection=full", "aarch64": "-mbranch-protection=standard"}
GOOD = {"now": ["-Wl,-z,now", "-Wl,-z,relro"], "pie": ["-fPIE", "-pie"],
        "stack": ["-fstack-protector-strong"], "fortify": ["-D_FORTIFY_SOURCE=2"],
        "flow": [CONTROL_FLOW.get(platform.machine(), "-O2")]}
WITHOUT = {"now": ["-Wl,-z,lazy"], "pie": ["-fno-PIE", "-no-pie"],
           "stack": ["-fno-stack-protector"], "fortify": ["-U_FORTIFY_SOURCE"],
           "flow": ["-fcf-protection=none"] if platform.machine() == "x86_64"
           else ["-mbranch-protection=none"]}


@unittest.skipUnless(shutil.which("gcc") and shutil.which("readelf"), "needs gcc and readelf")
class Hardened(unittest.TestCase):
    def said(self, without=None, extra=()):
        flags = [flag for name, flags in GOOD.items()
                 for flag in (WITHOUT[name] if name == without else flags)]
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.c"
            source.write_text(SOURCE)
            common = ["gcc", "-w", "-O2", "-U_FORTIFY_SOURCE", *flags, *extra]
            subprocess.run([*common, "-c", "a.c", "-o", "a.o"], cwd=folder, check=True)
            subprocess.run([*common, "a.o", "-o", "a"], cwd=folder, check=True)
            done = subprocess.run(
                [ROOT / "scripts/release/hardened", "a", "a.o"], cwd=folder, capture_output=True, text=True)
            return done.returncode, done.stderr

    def test_a_program_with_all_of_it_passes(self):
        self.assertEqual(self.said(), (0, ""))

    def test_what_is_missing_is_named(self):
        for name, text in [("now", "full RELRO"), ("pie", "PIE"), ("stack", "stack protector"),
                           ("fortify", "FORTIFY"), ("flow", "control-flow")]:
            code, said = self.said(name)
            self.assertEqual(code, 1, name)
            self.assertIn(text, said)

    def test_a_stack_that_can_be_executed_is_named(self):
        code, said = self.said(extra=["-Wl,-z,execstack"])
        self.assertEqual((code, re.findall("stack can be executed", said)),
                         (1, ["stack can be executed"]))


if __name__ == "__main__":
    unittest.main()
