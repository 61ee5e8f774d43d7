"""A C loop over a timerfd that starts the same commands and does nothing else."""

import json

from daemon import Daemon
from job import EVERY_SECOND
from schedulers.scheduler import Scheduler


class BareLoop(Scheduler):
    """The lower bound for any scheduler."""

    name = "bare C loop"
    workloads = frozenset({"lateness", "storm"})
    can_be_quiet = True

    def __init__(self, tools):
        self.tools = tools

    def absent(self):
        return None if self.tools.bare_loop else "cc does not work here"

    def write(self, folder, jobs, concurrency=None):
        first = jobs[0]
        beat = [1, 1] if first.when == EVERY_SECOND else [self.tools.due, 0]
        arguments = [*beat, concurrency or len(jobs), *(job.command for job in jobs)]
        (folder / "arguments").write_text(json.dumps(arguments))

    def launch(self, folder):
        return Daemon([self.tools.bare_loop, *json.loads((folder / "arguments").read_text())], folder)

    def launch_quietly(self, folder):
        return self.launch(folder)
