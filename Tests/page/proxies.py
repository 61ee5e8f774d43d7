#!/usr/bin/env python3
"""Has a running takt behind a real proxy, with the proxy's example in docs/control.md:

    proxies.py PROXY removed|kept PORT TOKEN              asks through it for the page, the API, events and outputs
    proxies.py PROXY removed|kept PORT TOKEN COMMAND...   runs a command; BASE in its words is the page's address

PROXY is nginx, caddy or apache. takt listens on PORT, is called jobs.example.org, and has a job `quick`. With `kept`, the
proxy passes the path /takt on, as the comment in the example says. Programs that `make proxies` has unpacked are found,
too. It exits as the command does, with 0, or with 1 and a message on standard error.
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

from browser import PATIENCE, Failure, check, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs/control.md"
UNPACKED = ROOT / ".build/proxies"
HOST = "jobs.example.org"

# What the examples leave out: where the proxy listens, and where it keeps what it has to keep.
NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
{example}
  }}
}}
"""
CADDY = """
{{
  admin off
  auto_https off
  default_bind 127.0.0.1
}}
{example}
"""
APACHE = """
ServerRoot /usr/lib/apache2
ServerName {host}
DefaultRuntimeDir {folder}
PidFile {folder}/pid
ErrorLog /dev/stderr
Listen 127.0.0.1:{port}
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule alias_module modules/mod_alias.so
LoadModule proxy_module modules/mod_proxy.so
LoadModule proxy_http_module modules/mod_proxy_http.so
{user}
<VirtualHost *:{port}>
{example}
</VirtualHost>
"""


def example(language, keeps):
    """The proxy's example, or what its comment makes of it."""
    section = DOCS.read_text().split("\n### Behind a proxy\n")[1].split("\n## ")[0]
    found = re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)
    check(len(found) == 1, f"{DOCS.name} has {len(found)} examples for {language}")
    other = re.compile(r"^( *).*\n *# or, to keep the path: (.*)$", re.M)
    check(len(other.findall(found[0])) == 1, f"the example for {language} does not say how the path is kept")
    return other.sub(r"\1\2", found[0]) if keeps else found[0]


def program(name):
    folders = [os.environ.get("PATH", ""), "/usr/sbin", str(UNPACKED / "usr/sbin"), str(UNPACKED / "usr/bin")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    check(found, f"{name} is not installed")
    return found


def command(proxy, text, port, folder):
    """The words that start the proxy with an example."""
    if proxy == "nginx":
        config = NGINX.format(folder=folder, port=port, example=text)
        words = [program("nginx"), "-p", folder, "-e", "stderr", "-c"]
    elif proxy == "caddy":
        check(text.startswith(f"{HOST} {{\n"), "the example for Caddy is of another site")
        config = CADDY.format(example=text.replace(HOST, f"http://:{port}", 1))
        words = [program("caddy"), "run", "--adapter", "caddyfile", "--config"]
    else:
        # As root it serves as somebody else; anybody else is who serves.
        user = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
        config = APACHE.format(folder=folder, port=port, example=text, host=HOST, user=user)
        words = [program("apache2"), "-X", "-f"]
    file = pathlib.Path(folder, "config")
    file.write_text(config)
    return words + [str(file)]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE):
        return True
    return False


@contextlib.contextmanager
def running(proxy, keeps, backend):
    """The port of the proxy while it runs."""
    text = example({"caddy": "caddyfile"}.get(proxy, proxy), keeps)
    check("127.0.0.1:8080" in text, "the example has another address of takt")
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{backend}")
    with tempfile.TemporaryDirectory(prefix="takt-proxy-") as folder:
        said = pathlib.Path(folder, "said")
        # Another process may have taken the port by the time the proxy wants it.
        for _ in range(5):
            port = free_port()
            with said.open("wb") as output:
                process = subprocess.Popen(
                    command(proxy, text, port, folder), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    env={"PATH": os.environ.get("PATH", ""), "HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder})
            try:
                until(f"{proxy} listens or ends", lambda: process.poll() is not None or answers(port))
                if process.poll() is None:
                    yield port
                    return
            finally:
                process.terminate()
                process.wait(PATIENCE)
        raise Failure(f"{proxy} does not start:\n{said.read_text(errors='replace')}")


class Client:
    """What a client gets through the proxy."""

    def __init__(self, port, token):
        self.port = port
        self.bearer = {"Authorization": f"Bearer {token}"}

    def send(self, method, target, headers, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, target, body, {"Host": HOST, **headers})
        return connection.getresponse()

    def ask(self, method, target, headers=None, body=None):
        """The status, the answer's headers, and its text; with the token unless other headers are given."""
        answer = self.send(method, target, self.bearer if headers is None else headers, body)
        return answer.status, answer.headers, answer.read().decode()


def look(port, token):
    """All that people use, through the proxy; and what is refused."""
    client = Client(port, token)
    status, headers, page = client.ask("GET", "/takt/", {})
    check(status == 200 and "<title>takt</title>" in page, f"the page: {status} {page[:200]}")
    check("default-src 'none'" in headers["Content-Security-Policy"], "the page comes without its policy")
    check(headers["Set-Cookie"] is None, "there is a cookie")
    status, headers, _ = client.ask("GET", "/takt", {})
    place = urlsplit(headers["Location"] or "")
    check(300 < status < 309 and place.path == "/takt/" and place.hostname in (None, HOST),
          f"without the slash: {status} {headers['Location']}")
    status, _, text = client.ask("GET", "/takt/healthz", {})
    check((status, text) == (200, "ok\n"), f"the probe: {status} {text}")
    refusals(client)
    run = triggered(client)
    status, _, text = client.ask("GET", f"/takt/api/v1/runs/{run}?wait=30")
    check(status == 200 and json.loads(text)["outcome"] == "succeeded", f"the run: {status} {text}")
    status, _, text = client.ask("GET", f"/takt/api/v1/runs/{run}/output")
    check((status, text) == (200, "hello\ndone\n"), f"its output: {status} {text}")
    # More than proxies take unless they are told to.
    large = "jobs: {a: {every: 1h, run: 'true'}}\n" + ("# " + "x" * 97 + "\n") * 70_000
    status, _, text = client.ask("POST", "/takt/api/v1/plan", body=large)
    check(status == 200, f"the plan of a large text: {status} {text[:200]}")


def triggered(client):
    """The run that the page's button would start; an event about it comes while the stream goes on."""
    events = client.send("GET", "/takt/api/v1/events", client.bearer)
    check(events.status == 200, f"the events: {events.status}")
    status, _, text = client.ask(
        "POST", "/takt/api/v1/jobs/quick/trigger", {**client.bearer, "Origin": f"https://{HOST}"})
    check(200 <= status < 300, f"the trigger: {status} {text}")
    run = json.loads(text)["run"]
    for line in events:
        if line.startswith(b"data:") and json.loads(line[5:]).get("run") == run:
            events.close()
            return run
    raise Failure("the stream of events ends")


def refusals(client):
    bearer = client.bearer
    for method, target, headers, wanted in (
            ("GET", "/takt/api/v1/status", {}, {401}),
            ("GET", "/takt/api/v1/status", {**bearer, "Host": "evil.example"}, {403}),
            ("GET", "/takt/", {"Host": "evil.example"}, {403}),
            ("POST", "/takt/api/v1/jobs/quick/trigger", {**bearer, "Origin": "https://evil.example"}, {403}),
            ("GET", "/api/v1/status", bearer, {404}),
            ("GET", "/taktx/api/v1/status", bearer, {404}),
            ("GET", "/takt/../api/v1/status", bearer, {400, 404}),
            ("GET", "/takt/%2e%2e/api/v1/status", bearer, {400, 404})):
        status, _, text = client.ask(method, target, headers)
        # Caddy answers for a path that it does not know with nothing.
        isNothing = status == 200 and text == "" and 404 in wanted
        check(status in wanted or isNothing, f"{method} {target} {headers.get('Host', '')}: {status} {text[:200]}")


def main(arguments):
    if len(arguments) < 4 or arguments[0] not in ("nginx", "caddy", "apache") or arguments[1] not in ("removed", "kept"):
        print(__doc__, file=sys.stderr)
        return 1
    # So that the proxy ends, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    proxy, path, backend, token, *words = arguments
    try:
        with running(proxy, path == "kept", backend) as port:
            if words:
                base = f"http://127.0.0.1:{port}/takt"
                return subprocess.run([word.replace("BASE", base) for word in words], check=False).returncode
            look(port, token)
    except (Failure, OSError, http.client.HTTPException) as failure:
        print(f"{proxy}, path {path}: {failure!r}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
