"""Which second each start of a job belongs to."""

import math

# A start this long before a second still belongs to it.
EARLY = 0.1


def served(starts, turn):
    """The delays, in seconds, of a job that is due each second, and its missed or doubled starts.

    `turn` is the range of seconds that count. The n-th start belongs to the n-th second, so a start may
    be more than a second late. A delay that never falls below a second again means that seconds were
    missed; a start before its second is one too many.
    """
    delays, doubled = {}, 0
    second = math.floor(starts[0] + EARLY) if starts else 0
    for place, start in enumerate(starts):
        if start < second - EARLY:
            doubled += math.floor(start + EARLY) in turn
            continue
        second += never_made_up(starts[place:], second)
        delays[second] = start - second
        second += 1
    inside = [delay for second, delay in delays.items() if second in turn]
    return inside, len(turn) - len(inside) + doubled


def never_made_up(starts, second):
    """The whole seconds by which these starts, of which the first should be at `second`, stay late."""
    least = min(start - (second + number) for number, start in enumerate(starts))
    return max(0, math.floor(least + EARLY))
