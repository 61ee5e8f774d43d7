"""What scripts/type-names says of names that more than one type has."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/type-names"


class TypeNames(unittest.TestCase):
    def said(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "M").mkdir()
            (pathlib.Path(folder) / "M/own.swift").touch()
            for number, text in enumerate(texts):
                (pathlib.Path(folder) / f"{number}.swift").write_text(text)
            done = subprocess.run([SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, done.stderr.replace(f"{folder}/", "")

    def test_a_second_type_of_a_name_is_named_with_its_place(self):
        for second in ["enum A {\n", "package final class A: B {\n", "public typealias A = M.B\n",
                       "private typealias A = B.A\n", "@MainActor class A {\n", "private protocol A {}\n"]:
            code, said = self.said("struct A {}\n", "\n" + second)
            self.assertEqual(code, 1, second)
            self.assertIn("1.swift:2: 'A' is the name of a type at 0.swift:1, too", said)

    def test_types_within_others_and_aliases_of_the_same_type_may_have_it(self):
        for second in ["struct B {\n  struct A {}\n}\n", "extension A {}\n", "// enum A\n",
                       "public typealias A = M.A\n"]:
            self.assertEqual(self.said("struct A {}\n", second), (0, ""), second)


if __name__ == "__main__":
    unittest.main()
