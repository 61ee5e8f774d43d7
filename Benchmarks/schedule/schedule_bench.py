"""Times the search for next times, of takt and of croniter if it is installed.

    python3 schedule_bench.py SCHEDULE_BENCH ORACLE [PYTHON] [--json FILE]
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from common.figures import Figures, take_option  # noqa: E402

# A bound of the mean over the rows of the oracle.
BOUND_NS = 2000
AVERAGE = "next time of a cron expression, mean"


def main(arguments):
    """Runs the program and reads its figures."""
    figures = Figures(take_option(arguments, "--json"))
    program, oracle, *python = arguments
    if python and subprocess.run([python[0], "-c", "import croniter"], capture_output=True).returncode:
        print("left out: croniter (not installed from PyPI)")
        python = []
    answer = subprocess.run([program, oracle, *python], stdout=subprocess.PIPE, text=True)
    print(answer.stdout, end="", flush=True)
    means = {title: float(mean) for title, mean in re.findall(
        r"^(.+): mean (\d+) ns", answer.stdout, re.MULTILINE)}
    # The line of croniter comes first, because its output is not buffered.
    own = [mean for title, mean in means.items() if title.endswith("rows of the oracle")]
    for title, mean in means.items():
        if title.startswith("croniter"):
            figures.add(AVERAGE, "ns", [mean], peer="croniter", ratios=[own[0] / mean] if own else ())
        elif title.endswith("rows of the oracle"):
            figures.add(AVERAGE, "ns", own, at_most=BOUND_NS)
        else:
            figures.add(f"next time: {title}", "ns", [mean])
    figures.write()
    return answer.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
