"""A slot as an engine has it."""
import collections

Row = collections.namedtuple(
    "Row", "job slot state attempt token member machine verdict detail outcome reason claimed_at "
    "ended_at")
NUMBERS = {"slot", "attempt", "token", "member", "claimed_at", "ended_at"}
