"""Percentiles."""

import math


def percentile(values, percent):
    """The smallest value that is not exceeded by `percent` of the values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
