"""The values of all turns, by scheduler and name."""

import collections
import statistics

from daemon import NotReady


class Measurements:
    """`values[scheduler][name]` has one value per turn."""

    def __init__(self):
        self.values = collections.defaultdict(lambda: collections.defaultdict(list))
        self.failed = {}
        self.rounds = collections.defaultdict(lambda: collections.defaultdict(dict))

    def add(self, scheduler, round_number, **values):
        """Keeps and prints the values of one turn."""
        for name, value in values.items():
            self.values[scheduler][name].append(value)
            self.rounds[scheduler][name][round_number] = value
        text = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in values.items())
        print(f"  {round_number}  {scheduler:14} {text}", flush=True)

    def take_turn(self, scheduler, round_number, measure):
        """Measures one turn; a peer that fails gets no more turns."""
        if scheduler.name in self.failed or round_number > scheduler.most_turns:
            return
        try:
            self.add(scheduler.name, round_number, **measure())
        except NotReady as error:
            if scheduler.name == "takt":
                raise
            self.failed[scheduler.name] = str(error)
            print(f"  {round_number}  {scheduler.name:14} left out: {error}", flush=True)

    def report_failures(self, figures, work):
        """Adds a row for each peer that failed."""
        for name, reason in self.failed.items():
            figures.rows.append({"left_out": name, "reason": f"{work}: {reason}"})

    def ratios(self, peer, name):
        """takt's value divided by the peer's, for each round with both."""
        own, other = self.rounds["takt"][name], self.rounds[peer][name]
        return [own[number] / other[number] for number in sorted(own.keys() & other.keys())
                if other[number] > 0]

    def report(self, figures, name, title, unit, *, size=None, bounds=None, least=None,
               own_bound=None, has_ratio=True):
        """Adds the rows of all schedulers for one name.

        `bounds` are upper and `least` lower bounds of takt's ratio to each peer, `own_bound` is an upper
        one of takt's value.
        """
        for scheduler, values in self.values.items():
            if name not in values:
                continue
            peer = None if scheduler == "takt" else scheduler
            bound = (bounds or {}).get(peer) if peer else own_bound
            floor = (least or {}).get(peer)
            ratios = self.ratios(peer, name) if peer and has_ratio else []
            figures.add(
                title, unit, values[name], size=size, peer=peer, ratios=ratios, at_most=bound,
                at_least=floor)
            print(f"{title}, {scheduler}: {statistics.median(values[name]):.4g} {unit}"
                  + (f"; takt ÷ it {statistics.median(ratios):.2f}" if ratios else "")
                  + (f" (bound {bound or floor})" if bound or floor else ""), flush=True)
