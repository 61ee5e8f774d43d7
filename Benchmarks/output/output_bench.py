"""How fast a command prints whose output takt reads, beside the same command piped to `cat`.

    python3 Benchmarks/output/output_bench.py .build/release/takt [--quick] [--json FILE]
"""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from common.figures import Figures, take_option  # noqa: E402

# What the command prints, and by which policy takt takes it; the last is the ratio that it must reach.
CASES = {
    "zeros, no log": ("head -c BYTES /dev/zero", "{log: false}", 0.25),
    "lines, no log": ("yes 'a line of an ordinary program' | head -c BYTES", "{log: false}", 0.25),
    "lines, a file": ("yes 'a line of an ordinary program' | head -c BYTES",
                      "{log: false, file: {path: out.log}}", None),
}
JOB = """
jobs:
  print: {on: start, run: [bash, time.sh], output: POLICY}
  beat: {every: 100ms, use: log, with: {message: beat}}
"""


def script(command):
    """Prints, and says in the file `seconds` how long that took."""
    return f"began=$EPOCHREALTIME\n{command}\necho $began $EPOCHREALTIME > new\nmv new seconds\n"


def under_takt(takt, folder, policy):
    (folder / "jobs.yaml").write_text(JOB.replace("POLICY", policy))
    with subprocess.Popen([takt, "run"], cwd=folder, stdout=subprocess.DEVNULL) as daemon:
        while not (folder / "seconds").exists():
            if daemon.poll() is not None:
                raise SystemExit("takt has ended")
            time.sleep(0.01)
        daemon.send_signal(signal.SIGTERM)


def under_cat(folder):
    subprocess.run("bash time.sh | cat > /dev/null", shell=True, check=True, cwd=folder)


def seconds(command, run):
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        (folder / "time.sh").write_text(script(command))
        run(folder)
        began, ended = map(float, (folder / "seconds").read_text().split())
        return ended - began


def main():
    arguments = sys.argv[1:]
    figures = Figures(take_option(arguments, "--json"))
    quick = "--quick" in arguments
    takt = str(pathlib.Path(arguments[0]).resolve())
    count = 100_000_000 if quick else 1_000_000_000
    for name, (command, policy, least) in CASES.items():
        command = command.replace("BYTES", str(count))
        rates, others = [], []
        for _ in range(1 if quick else 5):
            alone = seconds(command, under_cat)
            took = seconds(command, lambda folder: under_takt(takt, folder, policy))
            rates.append(count / took / 1e6)
            others.append(count / alone / 1e6)
        ratios = [rate / other for rate, other in zip(rates, others)]
        print(f"{name}: {rates[0]:.0f} MB/s, {ratios[0]:.2f} of the rate with cat", flush=True)
        figures.add(f"output, {name}", "MB/s", rates)
        figures.add(f"output, {name}", "MB/s", others, peer="cat", ratios=ratios, at_least=least)
    figures.write()


main()
