"""The processes below this one, whichever session they are in."""

import contextlib
import ctypes
import os
import pathlib
import signal
import time


def adopt_orphans():
    """Asks the kernel to make this process the parent of descendants whose own parents have ended."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def living():
    """The descendants that have not ended."""
    children, ended = {}, set()
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
            pid = int(path.parent.name)
            children.setdefault(int(parent), []).append(pid)
            if state in "ZX":
                ended.add(pid)
    found, waiting = set(), [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting += below
    return found - ended


def kill(seconds):
    """Kills all descendants, also those that are started meanwhile; gives up after some seconds."""
    end = time.monotonic() + seconds
    while (left := living()) and time.monotonic() < end:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
