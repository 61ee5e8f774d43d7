"""The end of a benchmark that is interrupted."""

import signal
import sys


def stop_once():
    """Ends the program on SIGINT and SIGTERM by SystemExit; more signals do not disturb the clean-up."""
    def stop(number, _):
        for ignored in (signal.SIGINT, signal.SIGTERM):
            signal.signal(ignored, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
