"""Writes docs/internals/performance.md and its pictures from the file of `make bench`.

    report.py FIGURES_FILE DOCS_FOLDER

Without matplotlib the page is written without pictures, and says so.
"""

import json
import pathlib
import sys

from page import Page
from rows import Rows

try:
    from pictures import Pictures
except ImportError as error:
    if error.name != "matplotlib":
        raise
    Pictures = None


def main(arguments):
    """Writes the page and the pictures."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    figures, docs = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    if not figures.exists():
        print(f"{figures} is missing: run `make bench` first", file=sys.stderr)
        return 1
    content = json.loads(figures.read_text())
    rows = Rows(content["rows"])
    names = set()
    folder = docs / "performance"
    for old in folder.glob("*.svg"):
        old.unlink()
    if Pictures:
        names = Pictures(rows, folder).draw()
    else:
        print("without matplotlib: the page has no pictures", file=sys.stderr)
    page = docs / "performance.md"
    page.write_text(Page(content, rows, names).text(has_matplotlib=Pictures is not None))
    print(f"{page}: {len(names)} pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
