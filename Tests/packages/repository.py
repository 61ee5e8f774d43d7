"""The repositories of packages: what a machine installs from them, upgrades, and refuses."""
import contextlib
import functools
import http.server
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import urllib.parse
import urllib.request

from examples import example
from scratch import ROOT, Scratch, call, check, succeed

# Stand for programs that a root without other packages lacks; the helper comes with apt.
SUDO = '#!/bin/sh\nexec env DEBIAN_FRONTEND=noninteractive "$@"\n'
CURL = '#!/bin/sh\nexec /usr/lib/apt/apt-helper download-file "$3" "$2"\n'


class Server(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        # Two indexes of one second have one date: always the file that there is.
        del self.headers["If-Modified-Since"]
        super().do_GET()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a web server with the files of a folder."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Server, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def throw_away_key():
    """An armoured secret key that nothing else uses."""
    with tempfile.TemporaryDirectory(prefix="takt-key-") as home:
        environment = os.environ | {"GNUPGHOME": home}
        succeed("gpg", "--batch", "--passphrase", "", "--quick-generate-key",
                "Test of takt <test@takt.invalid>", "rsa3072", "sign", "1d", env=environment)
        key = subprocess.run(
            ["gpg", "--batch", "--armor", "--export-secret-keys"], check=True, capture_output=True,
            text=True, env=environment).stdout
        call("gpgconf", "--kill", "all", env=environment)
    return key


def publish(kind, folder, package, key, address):
    """Adds a package to the repository in a folder."""
    for earlier in [*folder.glob("takt_*.deb"), *folder.glob("takt-*.rpm")]:
        earlier.unlink()
    shutil.copy(package, folder)
    print("  " + succeed(
        ROOT / "packaging/publish" / kind, folder,
        env=os.environ | {"TAKT_SIGNING_KEY": key, "TAKT_REPOSITORY_URL": address}), end="")


def version_of(package):
    return succeed("dpkg-deb", "-f", package, "Version").strip()


def installed(root):
    return root.succeed("dpkg-query -W -f '${Version}' takt").strip()


def test_apt(package, newer):
    """A clean Debian root that knows the repository and no other."""
    key = throw_away_key()
    with tempfile.TemporaryDirectory(prefix="takt-apt-") as name, \
            Scratch(has_service_manager=True) as root:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        with served(folder) as address:
            status, said = call(ROOT / "packaging/publish/apt", folder,
                                env={k: v for k, v in os.environ.items() if k != "TAKT_SIGNING_KEY"})
            check(status != 0, f"without a package there is no repository: {said.strip()}")
            publish("apt", folder, package, key, address)
            root.succeed("rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*")
            for program, text in [("sudo", SUDO), ("curl", CURL)]:
                root.write(f"usr/local/bin/{program}", text)
                (root.path / "usr/local/bin" / program).chmod(0o755)
            for command in example("installing.md", "sudo curl -fsSo /etc/apt").splitlines():
                print(root.succeed(command.replace("https://packages.example", address)), end="")
            check(installed(root) == version_of(package), f"apt installs {installed(root)}")
            root.succeed("takt --version")
            check("takt.service" in root.read("systemctl.log"), "the service is started")
            pid = root.read("takt.pid")

            publish("apt", folder, newer, key, address)
            root.succeed("apt-get update && apt-get upgrade -qy")
            check(installed(root) == version_of(newer), f"apt upgrades to {installed(root)}")
            check(root.read("takt.pid") != pid, "the upgrade restarts the service")
            versions = root.succeed("apt-cache madison takt")
            check(version_of(package) in versions, "the version before is still there")
            root.succeed(f"apt-get install -qy --allow-downgrades takt={version_of(package)}")
            check(installed(root) == version_of(package), "apt goes back to it")

            forget = "rm -rf /var/lib/apt/lists/* && apt-get update 2>&1"
            publish("apt", folder, newer, throw_away_key(), address)
            status, said = root.call(forget)
            check(status != 0 and "NO_PUBKEY" in said, "an index signed by another key is refused")
            publish("apt", folder, newer, key, address)
            for index in folder.glob("apt/dists/*/*/*/**/*"):
                if index.is_file():
                    index.write_bytes(index.read_bytes()[:-1] + b"!")
            status, said = root.call(forget)
            check(status != 0 and "mismatch" in said, "a changed index is refused")


def test_rpm(package, newer):
    """What dnf reads and checks; rpm installs into a Debian root, whose libraries dnf does not know."""
    key = throw_away_key()
    with tempfile.TemporaryDirectory(prefix="takt-rpm-") as name, Scratch() as root:
        folder = pathlib.Path(name)
        with served(folder) as address:
            publish("rpm", folder, package, key, address)
            publish("rpm", folder, newer, key, address)
            home = folder / "machine"
            home.mkdir()

            def dnf(*words):
                return call(
                    "dnf", "-y", "--installroot", home, "--releasever=1", "--refresh",
                    "--setopt", "takt.skip_if_unavailable=0", "--setopt", f"reposdir={folder}/rpm",
                    "--setopt", f"cachedir={home}/cache", *words,
                    cwd=home)

            status, said = dnf("repoquery", "--qf", "%{version}", "takt")
            found = set(said.split())
            for file in (package, newer):
                version = succeed("rpm", "-qp", "--qf", "%{VERSION}", file)
                check(status == 0 and version in found, f"dnf finds {version} in a signed index")
            status, said = dnf("repoquery", "--latest-limit", "1", "--location", "takt")
            place = said.split()[-1]
            downloaded = home / pathlib.Path(newer).name
            check(urllib.parse.unquote(place).endswith(f"/{downloaded.name}"), f"the newest is at {place}")
            downloaded.write_bytes(urllib.request.urlopen(place).read())
            keys = ["--define", f"_dbpath {home}/keys"]
            check(call("rpmkeys", *keys, "-K", downloaded)[0] != 0, "rpm does not trust it yet")
            succeed("rpmkeys", *keys, "--import", folder / "rpm/takt.asc")
            succeed("rpmkeys", *keys, "-K", downloaded)
            check(True, "with the key of the repository it does")

            def rpm(*words):
                return succeed("rpm", "--root", root.path, "--force-debian", *words)

            first = next((folder / "rpm/packages").glob(pathlib.Path(package).name))
            rpm("-i", "--nodeps", first)
            rpm("-U", "--nodeps", downloaded)
            check(rpm("-q", "takt").strip() + ".rpm" == downloaded.name, "rpm upgrades to it")

            (folder / "rpm/repodata/repomd.xml").write_text("<repomd/>")
            status, said = dnf("repoquery", "takt")
            check(status != 0, "a changed index is refused")
