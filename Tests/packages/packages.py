#!/usr/bin/env python3
"""Installs, runs, upgrades and removes the packages in a folder, each in a Debian root of its own.

  Tests/packages/packages.py FOLDER [NAME...]

NAME is deb, service, rpm, repository, dist, image, examples, unit, hooks or readme; by default all.
Needs root, mmdebstrap, umoci and the packages of `make packages`.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import examples
import image
import readme
import repository
import scratch
import service
from scratch import ROOT, Scratch, await_true, check, succeed

JOBS = """jobs:
  tick: {every: 1s, first: now, run: "true"}
  long: {every: 2s, first: now, run: sleep 5}
  disk: {every: 2s, first: now, use: disk-usage, with: {critical: 100%}}
"""
STATE = "-f /etc/takt/jobs.yaml"


def one(folder, pattern):
    found = sorted(folder.glob(pattern))
    check(len(found) == 1, f"there is one {pattern}")
    return found[0]


def find_plugins(root):
    """Those of this checkout are found where the package puts them; the one in Swift is an example."""
    mine = {manifest.parent.name for manifest in (ROOT / "plugins").glob("*/plugin.yaml")} - {"swift-hello"}
    found = {line.split()[0] for line in root.succeed("takt plugins list").splitlines()}
    check(found == mine, f"{len(mine)} plugins are found: {' '.join(sorted(found))}")


def first_run(root, install):
    """From an empty root to the first run of a job: the commands, as somebody types them."""
    start = time.monotonic()
    for command in [*install, "takt init", "takt check", "takt next"]:
        output = root.succeed(command)
        print(f"  {time.monotonic() - start:5.1f} s  # {command}")
        for line in output.splitlines()[-4:]:
            print(f"           {line}")
    print(f"  {time.monotonic() - start:5.1f} s  # takt run")
    daemon = subprocess.Popen(
        ["chroot", root.path, "/bin/sh", "-c", "cd /root && exec takt run"],
        stdout=subprocess.PIPE, text=True)
    for line in daemon.stdout:
        if '"outcome":"succeeded"' in line:
            print(f"           {line.strip()}")
            break
    taken = time.monotonic() - start
    daemon.terminate()
    daemon.stdout.read()
    check(daemon.wait(timeout=60) == 0, "Ctrl-C stops it with 0")
    check(taken < 60, f"the first run of a job has succeeded after {taken:.1f} s, within a minute")


def runs(root, job):
    """How many runs of a job have ended; the ledger's text, one line a run."""
    return root.call(f"takt runs {job} {STATE} -n 500 --json")[1].count('"outcome"')


def test_deb(folder):
    package = one(folder, f"takt_{version()}_*.deb")
    print(succeed("dpkg-deb", "-c", package))
    report = scratch.call("lintian", "--allow-root", "--tag-display-limit", "0", package)[1]
    print(f"lintian: {report.strip() or 'nothing'}")
    check("E: " not in report, "lintian finds no errors")
    files = succeed("dpkg-deb", "-c", package)
    for name in ["usr/bin/takt", "lib/systemd/system/takt.service", "usr/share/man/man1/takt.1.gz",
                 "usr/share/man/man1/takt-run.1.gz", "usr/share/man/man5/takt.yaml.5.gz", "usr/share/doc/takt/copyright",
                 "usr/share/bash-completion/completions/takt",
                 "usr/share/zsh/vendor-completions/_takt",
                 "usr/share/fish/vendor_completions.d/takt.fish",
                 "usr/lib/takt/plugins/disk-usage/disk-usage", "usr/share/takt/jobs.schema.json"]:
        check(f" ./{name}\n" in files, f"{name} is in it")
    for name in ["index.html", "schemas/openapi.json"]:
        check(f" ./usr/share/doc/takt/html/{name}\n" in files, f"the page {name} is in it")

    with Scratch() as root:
        first_run(root, [f"dpkg -i {root.add(package)}"])
        find_plugins(root)

    newer = newer_deb()
    with Scratch(has_service_manager=True) as root:
        before = root.listing()
        root.succeed(f"dpkg -i {root.add(package)}")
        check("takt.service" in root.read("systemctl.log"), "the installation starts the service")
        await_true("it answers", lambda: root.call(f"takt status {STATE}")[0] == 0)
        root.succeed("getent passwd takt")
        root.write("etc/takt/jobs.yaml", root.read("etc/takt/jobs.yaml").replace("jobs:\n", JOBS))
        root.succeed("systemctl reload takt")
        await_true("its jobs run, one of them by a plugin of the package",
                   lambda: runs(root, "tick") >= 3 and runs(root, "disk") >= 1)
        await_true("one is active", lambda: "running" in root.succeed(f"takt status long {STATE}"))

        pid, count = root.read("takt.pid"), runs(root, "tick")
        print(root.succeed(f"dpkg -i {root.add(newer)}"), end="")
        check(root.read("takt.pid") != pid, "the upgrade restarts the service")
        await_true("jobs run again", lambda: runs(root, "tick") > count + 2)
        status, report = root.call(f"takt verify {STATE}")
        print(report, end="")
        check(status == 0, "takt verify is clean over the upgrade")
        check(root.read("etc/takt/jobs.yaml").count("use: disk-usage") == 1, "the edited conffile is kept")

        root.succeed("dpkg -r takt")
        check(not root.read("takt.pid"), "the removal stops the service")
        check(root.read("etc/takt/jobs.yaml") != "" and (root.path / "var/lib/takt").exists(),
              "the removal keeps the conffile and the ledger")
        root.succeed("dpkg -P takt")
        left = sorted(root.listing() - before)
        check(not left, f"the purge leaves nothing{': ' + ' '.join(left) if left else ''}")


def newer(script, pattern):
    """The same package under a later version."""
    folder = scratch.CACHE / "newer"
    shutil.rmtree(folder, ignore_errors=True)
    succeed(ROOT / "packaging" / script, folder,
            env=os.environ | {"TAKT_PACKAGE_VERSION": version() + "+newer"})
    return one(folder, pattern)


def newer_deb():
    return newer("deb", "*.deb")


def test_repository(folder):
    repository.test_apt(one(folder, f"takt_{version()}_*.deb"), newer_deb())
    repository.test_rpm(one(folder, f"takt-{version()}-*.rpm"), newer("rpm/build", "*.rpm"))


def test_service(folder):
    service.test(one(folder, f"takt_{version()}_*.deb"), newer_deb())


def test_rpm(folder):
    package = one(folder, f"takt-{version()}-*.rpm")
    print(succeed("rpm", "-qlp", package))
    with Scratch() as root:
        before = root.listing()

        def rpm(*words):
            return succeed("rpm", "--root", root.path, "--nodeps", "--force-debian", *words)

        rpm("-i", package)
        first_run(root, ["takt --version"])
        find_plugins(root)
        root.succeed("getent passwd takt")
        check((root.path / "var/lib/takt").stat().st_mode & 0o777 == 0o700, "the state is root's")
        rpm("-e", "takt")
        left = sorted(root.listing() - before - {"takt"})
        check(not left, f"the removal leaves nothing but the user{': ' + ' '.join(left) if left else ''}")


def test_dist(folder):
    archive = one(folder, f"takt-{version()}-linux-*.tar.gz")
    print(succeed("sha256sum", "-c", archive.name.replace(".tar.gz", ".sha256"), cwd=folder), end="")
    needed = succeed("bash", "-c", f"tar -xOf {archive} --wildcards '*/bin/takt' > /tmp/takt-dist && "
                     "readelf -dW /tmp/takt-dist | grep NEEDED; rm /tmp/takt-dist")
    print(needed, end="")
    check(not any(name in needed for name in ["sqlite", "yaml", "libmd", "curl", "libpq"]),
          "the program needs no library but glibc")
    with Scratch() as root:
        root.succeed("dpkg --purge --force-depends libyaml-0-2 libsqlite3-0 libmd0 2>&1 || true")
        first_run(root, [f"tar -C /usr/local --strip-components=1 -xzf {root.add(archive)}",
                         "takt --version --json"])
        find_plugins(root)
    venv = scratch.CACHE / "spdx-venv"
    if scratch.call("scripts/venv", venv, "spdx")[0]:
        print("  without a check of the SBOM: spdx-tools could not be installed")
        return
    succeed(venv / "bin/pyspdxtools", "-i", one(folder, "*.spdx.json"))
    check(True, "spdx-tools accepts the SBOM")


def test_image(folder):
    image.test(one(folder, f"takt-{version()}-image.tar"))


def test_examples(folder):
    examples.test(folder)


def version():
    return succeed(ROOT / "scripts/version").strip()


def test_hooks(_):
    """The pre-commit hook and the script for CI, with the program of `make release`."""
    with tempfile.TemporaryDirectory(prefix="takt-hook-") as name:
        folder = pathlib.Path(name)
        environment = os.environ | {
            "PATH": f"{ROOT / '.build/release'}:{os.environ['PATH']}", "HOME": name,
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b"}

        def git(*words):
            return scratch.call("git", *words, cwd=folder, env=environment)

        git("init", "-q")
        (folder / ".git/hooks/pre-commit").write_text((ROOT / "packaging/checks/pre-commit").read_text())
        (folder / ".git/hooks/pre-commit").chmod(0o755)
        (folder / "jobs.yaml").write_text("jobs: {a: {evry: 5s, run: 'true'}}\n")
        git("add", ".")
        status, output = git("commit", "-qm", "bad")
        print(output, end="")
        check(status != 0 and "did you mean 'every'?" in output, "the hook refuses a bad jobs file")
        (folder / "jobs.yaml").write_text("jobs: {a: {every: 5s, run: 'true'}}\n")
        status, output = git("commit", "-qm", "staged")
        check(status != 0, "it checks what is staged, not what is in the folder")
        git("add", ".")
        status, output = git("commit", "-qm", "good")
        check(status == 0, f"it lets a good one pass: {output.strip()}")
        script = ROOT / "packaging/checks/check-jobs"
        output = succeed(script, cwd=folder, env=environment | {"TAKT_PICTURES": "pictures"})
        check("jobs.yaml: ok" in output and (folder / "pictures/jobs.svg").exists(),
              "check-jobs checks the file, simulates a week and draws it")
        (folder / "jobs.yaml").write_text("jobs: {a: {every: 5s, run: nowhere-to-be-found}}\n")
        check(scratch.call(script, cwd=folder, env=environment)[0] != 0,
              "it fails when the file has a warning")


def test_readme(_):
    readme.test()


def test_unit(_):
    """What systemd thinks of the unit with the hardened drop-in; without systemd, nothing."""
    if not shutil.which("systemd-analyze"):
        print("  without systemd-analyze")
        return
    with tempfile.TemporaryDirectory(prefix="takt-unit-") as name:
        folder = pathlib.Path(name)
        text = (ROOT / "packaging/systemd/takt.service").read_text()
        (folder / "takt.service").write_text(text.replace("/usr/local/bin/takt", "/bin/true"))
        drop_in = folder / "takt.service.d/hardened.conf"
        drop_in.parent.mkdir()
        drop_in.write_text((ROOT / "packaging/systemd/hardened.conf").read_text())
        environment = os.environ | {"SYSTEMD_UNIT_PATH": f"{folder}:"}
        status, output = scratch.call(
            "systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
            folder / "takt.service", env=environment)
        wrong = [line for line in output.splitlines() if "takt" in line or "hardened" in line]
        check(status == 0 and not wrong, f"systemd-analyze finds no mistake {wrong or ''}")


TESTS = {"deb": test_deb, "service": test_service, "rpm": test_rpm, "repository": test_repository,
         "dist": test_dist, "image": test_image, "examples": test_examples, "unit": test_unit,
         "hooks": test_hooks, "readme": test_readme}


def main():
    scratch.enter_namespace()
    folder = pathlib.Path(sys.argv[1]).resolve()
    results = []
    for name in sys.argv[2:] or TESTS:
        print(f"== {name}", flush=True)
        start = time.monotonic()
        try:
            TESTS[name](folder)
            results.append(f"{name:10} ok      {time.monotonic() - start:.0f} s")
        except Exception as error:
            if not isinstance(error, scratch.Failure):
                traceback.print_exc()
            print(f"FAILED: {error}", flush=True)
            results.append(f"{name:10} FAILED  {error}".splitlines()[0])
    print("\n" + "\n".join(results))
    failed = sum("FAILED" in line for line in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
