"""Validates the YAML files of a folder against a JSON Schema; see validate.sh."""

import json
import pathlib
import re
import sys

import yaml
from jsonschema import Draft202012Validator


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2's core schema, as editors read it: `yes` and `on` are texts, and so are dates."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("null", r"~|null|Null|NULL|", list("~nN") + [""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
     list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
]:
    CoreLoader.add_implicit_resolver(
        "tag:yaml.org,2002:" + tag, re.compile(f"^(?:{pattern})$"), first)


def integer(loader, node):
    text = loader.construct_scalar(node)
    return int(text, 0) if text[:2] in ("0o", "0x") else int(text)


CoreLoader.add_constructor("tag:yaml.org,2002:int", integer)


def with_text_keys(value):
    if isinstance(value, dict):
        return {k if isinstance(k, str) else str(k): with_text_keys(v) for k, v in value.items()}
    return [with_text_keys(v) for v in value] if isinstance(value, list) else value


def problem(validator, path):
    try:
        value = with_text_keys(yaml.load(path.read_text(encoding="utf-8"), CoreLoader))
    except Exception as error:
        return f"not YAML: {error}"
    error = next(iter(validator.iter_errors(value)), None)
    return error and f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    wrong = count = 0
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*.yaml")):
        count += 1
        found = problem(validator, path)
        if path.name.endswith(".good.yaml") and found:
            print(f"REFUSED {found}\n{path.read_text()}")
            wrong += 1
        if path.name.endswith(".bad.yaml") and not found:
            print(f"TAKEN\n{path.read_text()}")
            wrong += 1
    print(f"{count} files, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
