"""What scripts/system-calls says of calls that only one room of the house makes."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/system-calls"


class SystemCalls(unittest.TestCase):
    def said(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
            done = subprocess.run([SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, done.stderr.replace(f"{folder}/", "")

    def test_a_call_elsewhere_is_named_with_its_place(self):
        for text, name, instead in [
                ("  let a = pthread_create(&t, nil, f, nil)\n", "pthread_create", "Thread"),
                ("  x = strerror(errno)\n", "strerror", "SystemError.text"),
                ("  strerror_r(1, b, 9);\n", "strerror_r", "SystemError.text"),
                ("  prctl(PR_SET_NAME, n);\n", "PR_SET_NAME", "Thread"),
                ("enum SystemError {}\n", "enum SystemError", "SystemError of TaktSystem"),
                ("  guard lstat(path, &s) == 0\n", "lstat", "FileStatus"),
                ("  x = fstatat(f, n, &s, 0);\n", "fstatat", "FileTrust"),
                ("  y = realpath(path, nil)\n", "realpath", "SmallFile.realPath"),
                ("  n = readlink(path, b, 9)\n", "readlink", "SmallFile.link"),
                ("  n = read(descriptor, &b, 9)\n", "read(descriptor,", "SmallFile"),
                ("  d = Data(contentsOf: url)\n", "Data(contentsOf:", "TrustedFile")]:
            for path in ["TaktControl/A.swift", "CTaktClaims/A.c"]:
                code, said = self.said(path, "\n" + text)
                self.assertEqual(code, 1, text)
                self.assertIn(f"{path}:2:{text.index(name) + 1}: '{name}' here", said)
                self.assertIn(instead, said)

    def test_the_room_itself_may_and_comments_count_for_nothing(self):
        for path, text in [
                ("TaktSystem/Threads/Thread.swift", "pthread_create(\n"),
                ("CTimerFD/CTimerFD.c", "pthread_create(\n"),
                ("TaktControl/A.swift", "let s = stat()\n file.stat(path)\n reader.read(descriptor, 1)\n"),
                ("Timers/TimerMachine/A.swift", "stat(path, &s)\n"),
                ("TaktControl/A.swift", "// strerror(1)\n/* pthread_create( */\n"),
                ("CTaktTransfer/A.c", "curl_easy_strerror(code);\n"),
                ("TaktControl/A.md", "strerror(1)\n")]:
            self.assertEqual(self.said(path, text), (0, ""), path)


if __name__ == "__main__":
    unittest.main()
