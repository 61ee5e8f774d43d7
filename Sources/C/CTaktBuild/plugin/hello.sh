#!/bin/sh
# Parameters are in the environment; what is printed is the run's output.
# Descriptor 3 takes messages; without any, the exit status is the result.
echo '{"type":"hello","protocol":1}' >&3
echo "hello $TAKT_PARAM_WHO"
echo '{"type":"result","status":"ok"}' >&3
