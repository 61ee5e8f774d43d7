#!/bin/sh
# Checks files against a JSON Schema with a validator that takt did not write:
#   validate.sh SCHEMA FOLDER VENV
# A file NAME.good.yaml must be taken, NAME.bad.yaml refused. Exits 77 where there is no Python, or
# its packages can neither be found nor be fetched into VENV.
here=$(dirname "$0")
packages='import yaml; from jsonschema import Draft202012Validator'
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
python=python3
if ! "$python" -c "$packages" 2>/dev/null; then
  python="$3/bin/python"
  if ! "$python" -c "$packages" 2>/dev/null; then
    "$here/../../scripts/venv" "$3" schema >/dev/null 2>&1 ||
      { echo 'skipped: PyYAML and jsonschema cannot be installed'; exit 77; }
  fi
fi
exec "$python" "$here/validate.py" "$1" "$2"
