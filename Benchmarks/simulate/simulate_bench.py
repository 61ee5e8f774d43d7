"""Times `takt simulate` over a month of 1,000 jobs.

    python3 Benchmarks/simulate/simulate_bench.py .build/release/takt [--quick] [--json FILE]
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from common.figures import Figures, take_option  # noqa: E402

# So many jobs in a hundred come at this time; MINUTE and HOUR are drawn for each.
MIXES = {
    "daily, some hourly": [(80, "cron: 'MINUTE HOUR * * *'"), (20, "cron: 'MINUTE * * * *'")],
    "all hourly": [(100, "cron: 'MINUTE * * * *'")],
    "from five minutes to a day": [
        (10, "every: 5m, leeway: 30s"),
        (20, "cron: '*/15 * * * *'"),
        (40, "cron: 'MINUTE * * * *'"),
        (30, "cron: 'MINUTE HOUR * * *', timezone: Europe/Berlin"),
    ],
}


def jobs_file(mix, random):
    lines = ["scheduler: {state: none, timezone: UTC, max_running: 64}", "jobs:"]
    triggers = [text for share, text in mix for _ in range(share * 10)]
    for number, trigger in enumerate(triggers):
        trigger = trigger.replace("MINUTE", str(random.randrange(60)))
        trigger = trigger.replace("HOUR", str(random.randrange(24)))
        lines.append(f"  job{number}: {{{trigger}, run: x}}")
    return "\n".join(lines) + "\n"


def main():
    arguments = sys.argv[1:]
    figures = Figures(take_option(arguments, "--json"))
    repetitions = 1 if "--quick" in arguments else 5
    takt = arguments[0]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        for name, mix in MIXES.items():
            file.seek(0)
            file.truncate()
            file.write(jobs_file(mix, random.Random(7)))
            file.flush()
            times = []
            for _ in range(repetitions):
                began = time.perf_counter()
                answer = subprocess.run(
                    [takt, "simulate", file.name, "--from", "2026-11-01T00:00Z", "--for", "30d",
                     "--json"],
                    check=True, capture_output=True, text=True)
                times.append(time.perf_counter() - began)
            found = json.loads(answer.stdout)
            best = min(times)
            print(
                f"a month of 1,000 jobs, {name}: {found['slots']} slots in {best:.2f} s"
                f" ({best / found['slots'] * 1e6:.1f} us each), {found['wakes']} wakes", flush=True)
            figures.add(f"takt simulate, a month of 1,000 jobs, {name}", "s", times)
    figures.write()


main()
