"""README's section "Install": each of its commands is run, in order, with a Debian root as the machine."""
import pathlib
import re

from scratch import ROOT, Scratch, check, succeed


def commands():
    """(command, comment) of each line of the section's examples."""
    section = re.search(r"^## Install\n(.*?)^## ", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    for block in re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S):
        for line in block.splitlines():
            command, _, comment = line.partition("#")
            yield command.strip(), comment.strip()


def test():
    packed = ROOT / ".build/packages"
    found = list(commands())
    check(len(found) == 7, "README's section Install has seven commands")
    with Scratch() as machine:
        before = machine.listing()
        for command, comment in found:
            if command == "sudo make install":
                succeed("make", "-C", ROOT, "install", f"DESTDIR={machine.path}")
            elif command.startswith("make "):
                succeed("sh", "-c", command, cwd=ROOT)
            else:
                print("      " + machine.succeed(command).strip())
            print(f"  ok  {command}", flush=True)
            # The command that installs the package is in the comment.
            install = re.search(r"sudo (dpkg|rpm) -i (\S+)$", comment)
            if install:
                with Scratch() as other:
                    file = next(iter(sorted(packed.glob(install[2]))))
                    if install[1] == "dpkg":
                        other.succeed(f"dpkg -i {other.add(file)}")
                    else:  # Debian's rpm knows nothing of the root's libraries.
                        succeed("rpm", "--root", other.path, "--nodeps", "--force-debian", "-i", file)
                    check(bool(other.succeed("takt --version")), install[0])
            elif re.search(r"sudo make uninstall", comment):
                removed = comment
        succeed("make", "-C", ROOT, "uninstall", f"DESTDIR={machine.path}")
        left = {name for name in machine.listing() - before
                if (machine.path / name).is_file()}
        check(not left, f"{removed.split(';')[-1].strip()}: no file of it is left")


if __name__ == "__main__":
    test()
