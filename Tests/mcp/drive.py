"""Talks to `takt mcp` as agents do: with the client of PyPI, and with plain lines.

    drive.py SCENARIO TAKT   in the folder of a jobs file whose daemon runs

`client` and `versions` need the package `mcp`; `make test-setup` installs it in .build/mcp-venv.
"""
import asyncio
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys

READING = ["status", "jobs", "job", "slots", "runs", "logs", "why", "plan"]
OPERATING = ["trigger", "suspend", "resume", "cancel"]


def check(holds, what):
    if not holds:
        sys.exit(f"wrong: {what}")


def api(path):
    """What the HTTP API answers on the socket."""
    connection = http.client.HTTPConnection("takt")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(".takt/control.sock")
    connection.request("GET", f"/api/v1/{path}")
    answer = json.load(connection.getresponse())
    connection.close()
    return answer


class Lines:
    """A `takt mcp` that is sent lines."""

    def __init__(self, takt, *arguments):
        self.process = subprocess.Popen(
            [takt, "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        check(line.endswith(b"\n"), f"no answer, but {line!r}")
        return json.loads(line)

    def ask(self, method, params=None):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if params is not None:
            request["params"] = params
        self.send(json.dumps(request))
        answer = self.answer()
        check(answer["jsonrpc"] == "2.0" and answer["id"] == self.number, answer)
        return answer

    def initialize(self, version):
        answer = self.ask("initialize", {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "drive", "version": "1"}})
        self.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def memory_peak(self):
        """In bytes."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmHWM:")[1].split()[0]) * 1024

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        check(rest == b"", f"more than answers: {rest!r}")
        check(self.process.wait() == 0, f"status {self.process.returncode}")


def scenario_long(takt):
    """A line that never seems to end costs no memory, and the next one is answered."""
    lines = Lines(takt)
    lines.ask("ping")
    before = lines.memory_peak()
    chunk = b"x" * (1 << 20)
    for _ in range(64):
        lines.process.stdin.write(chunk)
    lines.send(b"")
    refusal = lines.answer()
    check(refusal["error"]["code"] == -32600 and refusal["id"] is None, refusal)
    check(lines.ask("ping")["result"] == {}, "a ping after it")
    grown = lines.memory_peak() - before
    check(grown < 32 << 20, f"{grown} bytes more for a line of 64 MiB")
    lines.end()


def scenario_versions(takt):
    """Each version of the protocol is answered as its schema says."""
    from mcp_types import methods
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]:
        lines = Lines(takt, "--operate")
        answer = lines.initialize(version)
        check(answer["result"]["protocolVersion"] == version, answer)
        methods.validate_server_result("initialize", version, answer["result"])
        tools = lines.ask("tools/list")["result"]
        methods.validate_server_result("tools/list", version, tools)
        for name, arguments in [
                ("status", {}), ("jobs", {"limit": 1}), ("job", {"job": "greet"}),
                ("slots", {}), ("runs", {}), ("why", {"job": "greet"}), ("plan", {}),
                ("logs", {"run": 1}), ("job", {"job": "gret"}), ("job", {})]:
            result = lines.ask("tools/call", {"name": name, "arguments": arguments})["result"]
            methods.validate_server_result("tools/call", version, result)
            is_structured = "structuredContent" in result
            check(is_structured == (version >= "2025-06-18" and not result["isError"]),
                  (version, name, result))
        lines.end()
    lines = Lines(takt)
    check(lines.initialize("1999-12-31")["result"]["protocolVersion"] == "2025-11-25",
          "the newest version for one that nobody knows")
    lines.end()


async def scenario_client(takt):
    """The client of PyPI sees jobs, runs one, reads its output, and suspends it."""
    from jsonschema import Draft202012Validator
    from mcp import Client, StdioServerParameters

    def server(*arguments):
        return StdioServerParameters(
            command=takt, args=["mcp", *arguments], cwd=os.getcwd())

    async with Client(server()) as client:
        check(client.protocol_version == "2025-11-25", client.protocol_version)
        check(client.server_info.name == "takt", client.server_info)
        tools = (await client.list_tools()).tools
        check([tool.name for tool in tools] == READING, tools)
        for tool in tools:
            Draft202012Validator.check_schema(tool.input_schema)
            check(tool.annotations.read_only_hint is True, tool)
    async with Client(server("--operate")) as client:
        tools = (await client.list_tools()).tools
        check([tool.name for tool in tools] == READING + OPERATING, tools)
        schemas = {tool.name: Draft202012Validator(tool.input_schema) for tool in tools}
        for tool in tools[len(READING):]:
            check(tool.annotations.read_only_hint is False, tool)
            check(tool.annotations.destructive_hint is (tool.name != "resume"), tool)

        async def call(name, is_error=False, **arguments):
            if not is_error:
                schemas[name].validate(arguments)
            result = await client.call_tool(name, arguments)
            check(result.is_error is is_error, (name, arguments, result))
            return result.content[0].text if is_error else result.structured_content

        status = await call("status")
        check(status["jobs"] == 3 and status["pid"] == api("status")["pid"], status)
        names = [job["name"] for job in (await call("jobs"))["jobs"]]
        check(names == ["greet", "long", "talk"], names)
        check((await call("jobs", match="lon"))["total"] == 1, "match")
        check((await call("job", job="greet")) == api("jobs/greet"), "a job")
        run = await call("trigger", job="greet", parameters={"who": "world"})
        logs = await call("logs", run=run["run"], wait_seconds=60)
        check(logs["run"] == api(f"runs/{run['run']}"), logs)
        check(logs["run"]["outcome"] == "succeeded", logs)
        check(logs["text"] == "hello world \ufffd\n", logs)
        check((await call("logs", job="greet"))["run"]["run"] == run["run"], "the last run")
        check((await call("runs", job="greet")) == api("runs?job=greet&limit=50"), "runs")
        await check_parts(call)
        await call("suspend", job="greet", **{"for": "1h"}, reason="a test")
        check(api("jobs/greet")["suspension"]["reason"] == "a test", "it is suspended")
        await call("resume", job="greet")
        check("suspension" not in api("jobs/greet"), "it is resumed")
        long = await call("trigger", job="long")
        check((await call("cancel", run=long["run"]))["runs"] == [long["run"]], "cancelled")
        ended = await call("logs", run=long["run"], wait_seconds=60)
        check(ended["run"]["outcome"] == "cancelled", ended)
        check((await call("plan"))["steps"] == [], "nothing to reload")
        slots = (await call("slots", since="1d"))["slots"]
        check(isinstance(slots, list), slots)
        check("slots" in await call("why", job="greet"), "why")
        for name, arguments, words in [
                ("job", {"job": "gret"}, "Did you mean 'greet'?"),
                ("trigger", {"job": "gret"}, "Did you mean 'greet'?"),
                ("why", {"job": "gret"}, "did you mean 'greet'?"),
                ("logs", {"job": "gret"}, "Did you mean 'greet'?"),
                ("runs", {"job": "gret"}, "Did you mean 'greet'?"),
                ("job", {"job": "../status"}, "'jobs' lists the names"),
                ("job", {}, "'job' is missing"),
                ("job", {"jop": "greet"}, "did you mean 'job'?"),
                ("job", {"job": 1}, "'job' has the wrong type"),
                ("jobs", {"limit": 0}, "from 1 to 1000"),
                ("jobs", {"state": "runing"}, "Did you mean 'running'?"),
                ("slots", {"since": "--file=x"}, "since takes a duration"),
                ("why", {"job": "greet", "at": "no time"}, "at takes an instant"),
                ("logs", {"run": 999_999}, "there is no run 999999"),
                ("logs", {}, "name either a 'job' or a 'run'"),
                ("resume", {"job": "greet"}, "not suspended"),
        ]:
            text = await call(name, is_error=True, **arguments)
            check(words in text and not text.startswith("takt: "), (name, arguments, text))


async def check_parts(call):
    """A long output comes in parts that are whole characters."""
    run = await call("trigger", job="talk")
    last = await call("logs", run=run["run"], wait_seconds=60, max_bytes=1000)
    total = last["total_bytes"]
    check(total == 30_000 and last["offset"] >= total - 1000, last)
    text, offset = "", 0
    while offset < total:
        part = await call("logs", run=run["run"], offset=offset, max_bytes=1000)
        check(part["offset"] == offset and 0 < part["bytes"] <= 1000, part)
        text += part["text"]
        offset += part["bytes"]
    check(text == "…" * 10_000, f"{len(text)} characters")


def scenario_stopped(takt):
    """Without a daemon, tools say what to do, and the session goes on."""
    lines = Lines(takt, "--operate")
    lines.initialize("2025-06-18")
    for name in ["status", "jobs", "plan"]:
        result = lines.ask("tools/call", {"name": name})["result"]
        text = result["content"][0]["text"]
        check(result["isError"] and "no daemon is running here" in text, result)
        check("'takt run'" in text, result)
    check(lines.ask("ping")["result"] == {}, "a ping")
    lines.end()


if __name__ == "__main__":
    scenario, program = sys.argv[1:]
    done = globals()[f"scenario_{scenario}"](program)
    if asyncio.iscoroutine(done):
        asyncio.run(done)
