"""Runs the commands of a file with APScheduler: `apscheduler_program.py jobs.json`."""

import json
import logging
import subprocess
import sys

from apscheduler.events import EVENT_SCHEDULER_STARTED
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.blocking import BlockingScheduler
from apscheduler.triggers.cron import CronTrigger


def run(command):
    """Runs a command and keeps what it prints, as the other schedulers do."""
    subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True)


def main(path):
    with open(path) as file:
        content = json.load(file)
    logging.basicConfig(level=logging.INFO)
    # One line a run, but none for each job that is added.
    logging.getLogger("apscheduler.scheduler").setLevel(logging.WARNING)
    scheduler = BlockingScheduler(
        timezone="UTC", executors={"default": ThreadPoolExecutor(content["threads"])},
        job_defaults={"misfire_grace_time": None})
    for name, command, (second, minute, hour, day, month, _) in content["jobs"]:
        trigger = CronTrigger(
            second=second, minute=minute, hour=hour, day=day, month=month, timezone="UTC")
        scheduler.add_job(run, trigger, args=[command], id=name)
    scheduler.add_listener(lambda _: print("loaded", flush=True), EVENT_SCHEDULER_STARTED)
    scheduler.start()


main(sys.argv[1])
