"""Tries the API of a takt that runs with schemathesis, against the description that it serves.

    contract.py TAKT SCHEMATHESIS

A folder of its own is made for the takt, and removed. Exits as schemathesis does.
"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

JOBS = """\
scheduler: {http: {listen: 0}, shutdown_grace: 1s}
jobs:
  quick: {cron: '@yearly', run: echo hello}
  beat: {every: 1s, leeway: 200ms, run: 'true', tags: [steady]}
"""

CONFIGURATION = pathlib.Path(__file__).with_name("schemathesis.toml").resolve()

# The stream of events does not end, a drain ends the daemon, and a reload by chance is one like any other.
LEFT_OUT = ["/api/v1/events", "/api/v1/drain"]


def main(takt, schemathesis):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "jobs.yaml").write_text(JOBS)
        with open(path / "log", "w") as log:
            process = subprocess.Popen(
                [pathlib.Path(takt).resolve(), "run", "--log-format", "json"], cwd=folder,
                stdout=subprocess.PIPE, text=True)
            address = address_of(process)
            token = (path / ".takt/token").read_text().strip()
            drain = subprocess.Popen(["cat"], stdin=process.stdout, stdout=log)
            try:
                return subprocess.call([
                    pathlib.Path(schemathesis).absolute(), "--config-file", CONFIGURATION, "run", f"{address}/api/v1/openapi.json",
                    "--header", f"Authorization: Bearer {token}",
                    "--seed", "1", "--max-examples", "60", "--workers", "1",
                    "--exclude-path-regex", "|".join(map(re.escape, LEFT_OUT)),
                    "--generation-database", "none"], cwd=folder)
            finally:
                process.send_signal(signal.SIGTERM)
                status = process.wait(30)
                drain.wait(30)
                if status != 0:
                    print(f"takt ended with {status}", file=sys.stderr)


def address_of(process):
    """Where the page is, as the log says."""
    for line in process.stdout:
        message = json.loads(line).get("message", "")
        found = re.search(r"the web page is at (http://\S+)", message)
        if found:
            return found.group(1)
    raise SystemExit("takt does not listen")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
