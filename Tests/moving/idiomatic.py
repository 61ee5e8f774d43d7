#!/usr/bin/env python3
"""Runs crontab lines as they stand, as `takt import --idiomatic` writes them, and exported and imported again.

  idiomatic.py TAKT

Each line starts a program that writes down its arguments, folder, standard input, mask, nice value and
class of input and output. What it saw, what the line printed and wrote, its exit status and how often it
pinged must be equal, but for keys of which the export says that cron has nothing for them.
"""
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

PROBE = r"""#!/bin/sh
# probe NAME [ARGUMENT...]: writes down what a command sees.
name=$1; shift
{
  pwd; umask; echo "nice $(nice)"; ionice; for argument; do echo "argument $argument"; done; od -An -c
} > "$SEEN/$name"
echo "hello from $name"
"""
LINES = r"""
flock -n @/lock probe a --all 'b c'
flock -n @/lock -c 'probe a one; probe b two'
flock -n -E 0 @/lock probe a >> @/seen/log 2>&1
flock -n @/lock probe a >@/seen/log 2>&1
flock -n -o @/lock -c 'probe a && probe b'
flock -n @/lock false
timeout 5m probe a
timeout -s INT -k 10 1.5h probe a > @/seen/file
timeout 1 sh -c 'probe a; exec sleep 30'
timeout -k 1 1 sh -c 'trap "" TERM; probe a; sleep 30'
timeout 5 sh -c 'exit 7'
nice probe a
nice -n 19 ionice -c2 -n7 probe a
ionice -c 3 nice -5 probe a
nice no-such-program
cd /usr && probe a && probe b
cd /usr && false && probe a
cd /usr; probe a
cd /usr/../usr/./share && flock -n @/lock timeout 30 nice probe a "it's" 'a "b"' \$HOME
cd /no/such/folder && probe a
umask 077; nice probe a
A=1 nice probe a "$A"
probe a && curl -fsS -o /dev/null http://127.0.0.1:#/ok
false && curl -fsS -o /dev/null http://127.0.0.1:#/never
probe a; curl -fsS -o /dev/null http://127.0.0.1:#/always
probe a && curl -fsS --retry 3 -m 10 http://127.0.0.1:#/ok > /dev/null 2>&1
cd /usr && flock -n @/lock nice -n 3 probe a && curl -fsS -o /dev/null http://127.0.0.1:#/ok
nice probe a 100\% \%x%one%two
probe a | nice cat
(nice probe a)
probe a & wait
""".strip().split("\n")


class Pings(http.server.BaseHTTPRequestHandler):
    seen = []

    def do_GET(self):
        Pings.seen.append(self.path)
        self.send_response(200)
        self.end_headers()

    do_POST = do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Trial:
    """A folder, and the environment that cron would give."""

    def __init__(self, folder, takt, port):
        self.folder, self.takt, self.port = folder, takt, port
        (folder / "bin").mkdir()
        (folder / "bin/probe").write_text(PROBE)
        (folder / "bin/probe").chmod(0o755)
        self.variables = {"SHELL": "/bin/sh", "PATH": f"{folder}/bin:/usr/bin:/bin", "SEEN": f"{folder}/seen"}

    def observe(self, command, given=None):
        """What a command leaves behind."""
        seen = self.folder / "seen"
        subprocess.run(["rm", "-rf", str(seen), str(self.folder / "lock")], check=True)
        seen.mkdir()
        Pings.seen.clear()
        done = subprocess.run(command, input=given or b"", stdout=subprocess.PIPE, timeout=120, check=False,
                              stderr=subprocess.STDOUT if command[0] == "/bin/sh" else subprocess.PIPE,
                              cwd=os.path.expanduser("~"),
                              env={"HOME": os.path.expanduser("~"), "LOGNAME": "root", **self.variables})
        # A shell and nice have words of their own for what is missing, and a shell for what was killed.
        output = re.sub(rb".*(not found|No such file or directory)", b"missing", done.stdout)
        output = output.replace(b"Killed\n", b"")
        return {"status": done.returncode, "output": output, "pings": list(Pings.seen),
                "files": {file.name: file.read_text() for file in sorted(seen.iterdir())}}

    def line(self, text):
        """As cron starts it."""
        command, _, given = re.sub(r"\\%", "\0", text).partition("%")
        given = given.replace("%", "\n")
        return self.observe(["/bin/sh", "-c", command.replace("\0", "%")],
                            (given + "\n" if given else "").replace("\0", "%").encode())

    def imported(self, crontab, name):
        words = ["import", "--from", "crontab", "--dialect", "cronie", "--idiomatic", "-"]
        done = subprocess.run([self.takt, *words], input=crontab, capture_output=True, text=True, check=False)
        file = self.folder / name
        file.write_text(done.stdout)
        check = subprocess.run([self.takt, "check", str(file)], capture_output=True, text=True, check=False)
        job = re.search(r"^jobs:\n(?:  #.*\n)*  (\S+):$", done.stdout, re.M)
        if check.returncode or not job:
            return None, f"import ends with {done.returncode}: {done.stderr[-300:]}{check.stdout}{check.stderr}"
        return (file, job[1].strip("'\"")), None

    def run(self, job):
        return self.observe([self.takt, "exec", "--quiet", job[1], str(job[0])])

    def exported(self, job):
        done = subprocess.run([self.takt, "export", str(job[0]), "--to", "crontab", "--dialect", "cronie"],
                              capture_output=True, text=True, check=False)
        return done.stdout, set(re.findall(r"^  \S+: (\w+): ", done.stderr.partition("not kept:")[2], re.M))


def differences(left, right, without):
    for what in left:
        a, b = left[what], right[what]
        if what == "files" and "nice" in without | {"io"} & without:
            a, b = ({name: re.sub(r"(?m)^(nice .*|none.*|idle|best-effort.*)\n", "", text)
                     for name, text in files.items()} for files in (a, b))
        # What a timeout ends has the status 124, as the report says.
        if what == "status" and ("timeout" in without or (a, b) == (137, 124)):
            continue
        if a != b:
            yield f"{what}: {b!r}, not {a!r}"


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failures, keys = [], 0
    with tempfile.TemporaryDirectory(prefix="takt-idiomatic-") as folder:
        trial = Trial(pathlib.Path(folder), os.path.abspath(sys.argv[1]), server.server_port)
        for line in LINES:
            line = line.replace("@", folder).replace("#", str(server.server_port))
            crontab = "".join(f"{k}={v}\n" for k, v in trial.variables.items()) + f"0 3 * * * {line}\n"
            original = trial.line(line)
            job, problem = trial.imported(crontab, "idiomatic.yaml")
            if problem:
                failures.append(f"{line}: {problem}")
                continue
            keys += line not in job[0].read_text().partition("jobs:")[2].replace("# 0 3 * * * " + line, "")
            failures += [f"{line}: imported: {d}" for d in differences(original, trial.run(job), set())]
            again, without = trial.exported(job)
            back, problem = trial.imported(again, "again.yaml")
            if problem:
                failures.append(f"{line}: exported: {problem}")
                continue
            failures += [f"{line}: exported and imported: {d}"
                         for d in differences(original, trial.run(back), without)]
    print(f"{len(LINES)} crontab lines, {keys} with keys instead of programs: {len(failures)} differences")
    for failure in failures:
        print(f"  {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
