"""The figures of a benchmark, as JSON rows for `make bench-report`."""

import json
import pathlib
import statistics


def take_option(arguments, name):
    """Removes `name VALUE` from the arguments and returns the value, or None."""
    if name not in arguments:
        return None
    place = arguments.index(name)
    _, value = arguments[place:place + 2]
    del arguments[place:place + 2]
    return value


class Figures:
    """Rows with median, lowest and highest value, and a target where there is one."""

    def __init__(self, path=None):
        self.path = path
        self.rows = []

    def add(self, name, unit, values, *, size=None, peer=None, ratios=(), at_most=None, at_least=None):
        """Adds a row of takt, or of a peer with takt's ratio to it.

        The bounds apply to the ratio if there is one, otherwise to the value.
        """
        row = {
            "name": name, "unit": unit, "value": statistics.median(values), "low": min(values),
            "high": max(values), "samples": len(values), "size": size, "peer": peer,
            "ratio": statistics.median(ratios) if ratios else None, "at_most": at_most,
            "at_least": at_least}
        self.rows.append({key: value for key, value in row.items() if value is not None})

    def write(self):
        """Writes all rows if a file was given."""
        if self.path:
            pathlib.Path(self.path).write_text(json.dumps(self.rows, indent=1, ensure_ascii=False) + "\n")
