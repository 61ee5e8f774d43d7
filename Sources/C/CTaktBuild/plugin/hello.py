#!/usr/bin/env python3
"""Greets. The host says hello and start, a line each; answers go to descriptor 3."""
import json
import os
import sys

channel = os.fdopen(3, "w", buffering=1)


def say(**message):
    channel.write(json.dumps(message) + "\n")


sys.stdin.readline()
start = json.loads(sys.stdin.readline())
run = start["run"]
say(type="hello", protocol=1)
print("hello", start["parameters"]["who"])
say(type="progress", run=run, percent=100)
say(type="result", run=run, status="ok")
