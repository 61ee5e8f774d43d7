"""Lets libFuzzer look for inputs that break takt's readers.

    fuzz.py PROGRAM [--seconds N] [--at-once N] [--out FOLDER] [--merge] [TARGET...]

Each target starts with the inputs in corpus/TARGET beside this file, and runs for so long (default 600
seconds), as many at once as there are processors. What it finds on the way is kept in
FOLDER/TARGET/corpus, and an input that crashes, hangs or takes too much memory in FOLDER/TARGET. With
--merge, the inputs that reach something new are added to the corpus afterwards. Exits with 1 if anything
was found.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
# An input may not take longer, and the process not more memory.
SECONDS_MAX = 10
MEGABYTES_MAX = 2048
# A jobs file of this size has all that matters.
BYTES_MAX = 4096
# The kept inputs of a target have no more than this together.
KEPT_BYTES_MAX = 96 * 1024


def targets(program):
    """The names, in their order."""
    listed = subprocess.run([program, "list"], check=True, capture_output=True, text=True)
    return [line.split("\t")[0] for line in listed.stdout.splitlines()]


def environment():
    """Without a debugger that would wait for the process it looks at."""
    return os.environ | {"SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"}


def fuzz(program, target, seconds, out):
    """Runs one target, and prints what came of it. Returns the findings."""
    folder = out / target
    found = folder / "corpus"
    found.mkdir(parents=True, exist_ok=True)
    seeds = CORPUS / target
    seeds.mkdir(parents=True, exist_ok=True)
    dictionary = HERE / "dictionaries" / f"{target}.dict"
    with open(folder / "log", "w", encoding="utf-8") as log:
        status = subprocess.run(
            [program, target, f"-max_total_time={seconds}", f"-timeout={SECONDS_MAX}",
             f"-rss_limit_mb={MEGABYTES_MAX}", f"-max_len={BYTES_MAX}", "-print_final_stats=1",
             f"-artifact_prefix={folder}/", *([f"-dict={dictionary}"] if dictionary.exists() else []),
             str(found), str(seeds)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(), check=False).returncode
    text = (folder / "log").read_text(encoding="utf-8", errors="replace")
    findings = sorted(
        path for path in folder.iterdir() if path.name.split("-")[0] in ("crash", "timeout", "oom", "slow"))
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    pace = re.search(r"stat::average_exec_per_sec:\s*(\d+)", text)
    edges = re.findall(r"cov: (\d+)", text)
    print(f"{target}: {executed[1] if executed else '?'} inputs, {pace[1] if pace else '?'} a second, "
          f"{edges[-1] if edges else '?'} edges, exit {status}, findings {len(findings)}", flush=True)
    for path in findings:
        print(f"  {path}", flush=True)
    return findings or ([folder / "log"] if status else [])


def merge(program, target, out):
    """Adds the inputs that reach something new, the smallest first, to those that are kept."""
    seeds = CORPUS / target
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [program, target, "-merge=1", f"-max_len={BYTES_MAX}", folder, str(seeds),
             str(out / target / "corpus")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment(), check=True)
        size = sum(path.stat().st_size for path in seeds.iterdir())
        kept = {path.read_bytes() for path in seeds.iterdir()}
        for path in sorted(pathlib.Path(folder).iterdir(), key=lambda path: path.stat().st_size):
            size += path.stat().st_size
            if size > KEPT_BYTES_MAX:
                break
            if path.read_bytes() not in kept:
                shutil.copy(path, seeds / path.name[:12])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--at-once", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(".build-fuzz"))
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_intermixed_args()
    known = targets(options.program)
    unknown = [name for name in options.targets if name not in known]
    if unknown:
        sys.exit(f"there is no target {', '.join(unknown)}; there are {', '.join(known)}")
    out = options.out.absolute()

    def run(target):
        findings = fuzz(options.program, target, options.seconds, out)
        if options.merge:
            merge(options.program, target, out)
        return findings

    with concurrent.futures.ThreadPoolExecutor(max(1, options.at_once)) as pool:
        found = list(pool.map(run, options.targets or known))
    sys.exit(1 if any(found) else 0)


if __name__ == "__main__":
    main()
