"""The examples of docs/installing.md and docs/containers.md: each is run, or checked by a tool that
reads its format. An example that no test knows is a failure."""
import json
import os
import pathlib
import re
import shutil
import tempfile

import scratch
from scratch import ROOT, Failure, Scratch, await_true, call, check, succeed

VENV = scratch.CACHE / "examples-venv"
# By their first lines: those that other tests run.
ELSEWHERE = {
    "make release": "readme",
    "sudo dpkg -i .build/packages/takt_0.2.0_amd64.deb": "service",
    "gpg --armor --export-secret-keys KEY > key.asc": "repository",
    "sudo curl -fsSo /etc/apt/keyrings/takt.asc https://packages.example/apt/takt.asc": "repository",
    "sudo curl -fsSo /etc/yum.repos.d/takt.repo https://packages.example/rpm/takt.repo": "repository",
    "sudo install -D -m 644 packaging/systemd/hardened.conf "
    "/etc/systemd/system/takt.service.d/hardened.conf": "service",
    "takt init": "deb, rpm and dist",
}
ENGINE = """[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
cgroups = "disabled"
netns = "{network}"
[engine]
events_logger = "file"
"""


def examples(page):
    """(language, text) of each example of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.M | re.S)


def example(page, start):
    """The text of the example that begins so."""
    found = [text for _, text in examples(page) if text.startswith(start)]
    check(len(found) == 1, f"{page} has an example that begins with {start.strip()!r}")
    return found[0]


def tool(name):
    """A program of PyPI's packages that read the formats; nil where they cannot be had."""
    if not VENV.exists():
        status, output = call("scripts/venv", VENV, "examples")
        if status:
            shutil.rmtree(VENV, ignore_errors=True)
            print(f"  without checks of YAML: {output.strip().splitlines()[-1]}")
    program = VENV / "bin" / name
    return program if program.exists() else None


def check_kubernetes(text, name, folder):
    program = tool("kubernetes-validate")
    if program:
        (folder / "kubernetes.yaml").write_text(text)
        print("      " + succeed(program, "--strict", folder / "kubernetes.yaml").strip())
        check(True, f"Kubernetes' schema accepts {name}")


def check_compose(text, name, folder):
    program = tool("python3")
    if program:
        (folder / "compose.yaml").write_text(text)
        # PyYAML expands merge keys, which that package does not know.
        succeed(program, "-c", "import sys, json, yaml, compose_spec; compose_spec.PyCompose"
                ".from_json(json.dumps(yaml.safe_load(open(sys.argv[1])))).validate()",
                folder / "compose.yaml")
        check(True, f"the Compose specification accepts {name}")


def check_prometheus(text, folder):
    text = text.replace("/usr/share/takt/", f"{ROOT}/packaging/monitoring/prometheus/").replace(
        "/etc/prometheus/takt.token", str(folder / "token"))
    (folder / "token").write_text("x")
    (folder / "prometheus.yml").write_text(text)
    succeed("promtool", "check", "config", folder / "prometheus.yml")
    check(True, "promtool accepts the scrape configuration")


def check_ci(text, folder):
    """The job's commands, in a repository with a jobs file."""
    (folder / "packaging").symlink_to(ROOT / "packaging")
    (folder / "jobs.yaml").write_text("jobs: {a: {every: 1h, run: 'true'}}\n")
    path = f"{ROOT / '.build/release'}:{os.environ['PATH']}"
    for command in re.findall(r"^    - (.*)$", text, re.M):
        succeed("sh", "-c", command, cwd=folder, env=os.environ | {"PATH": path})
        print(f"  ok  {command}", flush=True)
    artifact = re.search(r"paths: \[(.*)\]", text)[1]
    check(any((folder / artifact).iterdir()), f"it leaves something in {artifact}")


def check_tarball(packed):
    with Scratch() as root:
        root.write("usr/local/bin/sudo", '#!/bin/sh\nexec "$@"\n')
        (root.path / "usr/local/bin/sudo").chmod(0o755)
        for file in packed.glob("takt-*-linux-*"):
            root.add(file)
        for command in example("installing.md", "sha256sum").splitlines():
            print(f"      {root.succeed(command).strip()}")
            print(f"  ok  {command}", flush=True)
        shown = json.loads(example("installing.md", '{"commit"'))
        real = json.loads(root.succeed("takt --version --json"))
        check(set(shown) == set(real) and set(real["libraries"]) <= set(shown["libraries"]),
              "takt --version --json has the members that are shown")


class Engine:
    """Podman, with a store in a folder."""

    def __init__(self, folder, network="none"):
        self.folder = folder
        # The runtime refuses control groups of both versions side by side, and uses none here.
        succeed("mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup")
        (folder / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/store"\n')
        (folder / "containers.conf").write_text(ENGINE.format(network=network))
        self.environment = os.environ | {
            "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
            "CONTAINERS_CONF": str(folder / "containers.conf"), "XDG_RUNTIME_DIR": str(folder)}

    def call(self, *words):
        return call(*words, env=self.environment, cwd=self.folder)

    def succeed(self, *words):
        return succeed(*words, env=self.environment, cwd=self.folder)

    def close(self):
        self.call("podman", "rm", "--all", "--force", "--time", "5")
        succeed("umount", "/sys/fs/cgroup")
        call("umount", "-R", self.folder / "store")


def check_image(packed, folder):
    engine = Engine(folder)
    try:
        load = example("containers.md", "podman load").split("#")[0].replace(
            ".build/packages", str(packed))
        print("      " + engine.succeed("sh", "-c", load).strip().splitlines()[-1])
        print(f"  ok  {load.strip()}", flush=True)
        check_composition(engine, folder)
    finally:
        engine.close()


def check_composition(engine, folder):
    jobs = example("containers.md", "scheduler:\n")
    (folder / "jobs.yaml").write_text(jobs)
    succeed(ROOT / ".build/release/takt", "check", "--strict", folder / "jobs.yaml")
    check(True, "the jobs file is without mistakes")
    text = example("containers.md", "services:\n")
    check_compose(text, "the Compose file", folder)
    project = ["podman-compose", "-p", "docs", "-f", "compose.yaml"]
    engine.succeed(*project, "up", "-d")
    inside = ["podman", "exec", "docs_takt_1"]
    status = ["takt", "status", "-f", "/etc/takt/jobs.yaml"]

    def log():
        return engine.call("podman", "logs", "docs_takt_1")[1]

    try:
        await_true("it runs: `takt status` in the container answers",
                   lambda: engine.call(*inside, *status)[0] == 0)
        check("hello" in engine.call(*inside, *status)[1], "with the job of the file")
        engine.succeed("podman", "kill", "-s", "HUP", "docs_takt_1")
        await_true("SIGHUP reloads", lambda: '"reloaded"' in log())
        engine.succeed(*inside, "takt", "trigger", "hello", "-w", "-f", "/etc/takt/jobs.yaml")
        check(True, "a job runs, without rights, on a root that is read-only")
        count = "takt runs --state /var/lib/takt --json | grep -c succeeded"
        check(engine.succeed(*inside, "sh", "-c", count).strip() == "1", "the volume has the run")
        engine.succeed("podman", "stop", "--time", "60", "docs_takt_1")
        engine.succeed("podman", "start", "docs_takt_1")
        await_true("it is started again on its volume", lambda: engine.call(
            *inside, "sh", "-c", count)[1].strip() == "1")
        engine.succeed(*inside, "takt", "verify", "--state", "/var/lib/takt")
        check(True, "takt verify is clean")
    except Failure:
        print(log()[-2000:])
        raise
    finally:
        engine.call(*project, "down", "--volumes")


def check_dockerfile(packed, folder):
    """With the Debian root of these tests as the base, since no registry may be reached."""
    engine = Engine(folder, network="host")
    try:
        base = scratch.unpack("root", scratch.DEPENDENCIES)
        succeed("tar", "-C", base, "-cf", folder / "base.tar", ".")
        shutil.rmtree(base)
        engine.succeed("podman", "import", folder / "base.tar", "docker.io/library/debian:12-slim")
        (folder / "base.tar").unlink()
        text = example("containers.md", "FROM ")
        (folder / "Dockerfile").write_text(text)
        for file in packed.glob("*.deb"):
            shutil.copy(file, folder)
        engine.succeed("buildah", "bud", "--isolation", "chroot", "--network", "host",
                       "--pull-never", "-t", "own", ".")
        check(True, "the Dockerfile builds an image")
        (folder / "jobs.yaml").write_text(
            example("containers.md", "scheduler:\n").replace("echo hello", "psql --version"))
        engine.succeed("podman", "run", "-d", "--name", "own", "--network", "none", "-v",
                       f"{folder}/jobs.yaml:/etc/takt/jobs.yaml:ro", "own")
        inside = ["podman", "exec", "own", "takt"]
        file = ["-f", "/etc/takt/jobs.yaml"]
        await_true("it runs", lambda: engine.call(*inside, "status", *file)[0] == 0)
        print("      " + engine.succeed(*inside, "trigger", "hello", "-w", *file).strip())
        check(engine.succeed("podman", "exec", "own", "id", "-un").strip() == "takt",
              "a job uses the program that was added, and is not root")
    finally:
        engine.close()


def in_folder(body, *words):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="takt-examples-"))
    try:
        body(*words, folder)
    finally:
        shutil.rmtree(folder)


def test(packed):
    run_here = {"sha256sum", '{"commit"', "podman load", "scheduler:", "services:", "FROM ",
                "apiVersion:", "rule_files:", "check-jobs:"}
    for page in ["installing.md", "containers.md"]:
        for _, text in examples(page):
            first = text.splitlines()[0]
            known = re.sub(r" +#.*", "", first) in ELSEWHERE or any(
                first.startswith(start) for start in run_here)
            check(known, f"{page}: a test knows the example {first[:50]!r}")
    in_folder(check_prometheus, example("installing.md", "rule_files:"))
    in_folder(check_ci, example("installing.md", "check-jobs:"))
    check_tarball(packed)
    in_folder(check_kubernetes, example("containers.md", "apiVersion:"), "the StatefulSet")
    cluster = ROOT / "Examples/cluster"
    in_folder(check_kubernetes, (cluster / "statefulset.yaml").read_text(), "that of the cluster")
    for file in sorted(cluster.glob("compose*.yaml")):
        in_folder(check_compose, file.read_text(), f"{file.name} of the cluster")
    if shutil.which("podman-compose"):
        in_folder(check_image, packed)
        in_folder(check_dockerfile, packed)
    else:
        print("  without podman-compose: containers are not started")
