"""A namespace of processes for the soak: nothing that it starts outlives it, not even where it is killed."""
import os
import shutil
import signal
import subprocess
import sys

INSIDE = "TAKT_SOAK_APART"
ENTER = ["--fork", "--pid", "--mount-proc", "--kill-child=KILL"]


def enter():
    """Runs this program again in a namespace of its own, as root; False where there can be none."""
    if os.environ.pop(INSIDE, None):
        return _reap()
    unshare = shutil.which("unshare")
    if os.geteuid() != 0 or unshare is None or subprocess.run(
            [unshare, *ENTER, "true"], capture_output=True).returncode != 0:
        return False
    os.environ[INSIDE] = "1"
    sys.stdout.flush()
    os.execv(unshare, [unshare, *ENTER, sys.executable, "-B", *sys.argv])


def _reap():
    """Leaves the soak to a child: the first process of a namespace has to reap all that others leave."""
    child = os.fork()
    if child == 0:
        return True
    # Whoever interrupts the soak interrupts the child, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pid, status = os.wait()
        if pid == child:
            # With the first process the kernel ends all others.
            os._exit(min(255, abs(os.waitstatus_to_exitcode(status))))
