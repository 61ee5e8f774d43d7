"""Clean-up of an interrupted benchmark."""

import signal
import sys


def stop_once():
    """Raises SystemExit on the first SIGINT or SIGTERM; later ones do not interrupt the clean-up."""
    def stop(number, _):
        for ignored in (signal.SIGINT, signal.SIGTERM):
            signal.signal(ignored, signal.SIG_IGN)
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
