#!/usr/bin/env python3
"""Runs every query of the Grafana dashboard, and every alert rule, against Prometheus and takt.

  Tests/packages/dashboard.py TAKT [PICTURE]

Prometheus (Debian's) scrapes a takt with jobs that succeed, fail, are late and are skipped. Only two of
them have series of their own: the one that fails is the last by name, and is among them. A query
that has no answer, or a rule that is not healthy, is a failure. PICTURE, docs/pictures/dashboard.png, shows
the answers in the dashboard's layout, drawn with matplotlib.
"""
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "packaging/monitoring/grafana/takt.json"
RULES = ROOT / "packaging/monitoring/prometheus/takt.rules.yaml"
PATIENCE = 120
SHOWN = 60
JOBS = """
scheduler:
  http: {{listen: {port}}}
  state: state
  metrics: {{jobs: 2}}
jobs:
  good: {{every: 1s, first: now, leeway: 200ms, run: "true"}}
  slow: {{every: 500ms, first: now, run: sleep 1.2}}
  wrong: {{every: 1s, first: now, run: exit 3, expect_success_within: 3s}}
"""
CONFIG = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: takt
    authorization: {{credentials_file: "{token}"}}
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(base, path, **parameters):
    url = f"{base}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)["data"]


def queries():
    """(panel, expression, name) with the dashboard's variables filled in."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            expression = (target["expr"].replace("$job", ".+").replace("$instance", ".+")
                          .replace("$__rate_interval", "10s"))
            yield panel, expression, target["legendFormat"]


def await_true(what, condition):
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        if time.monotonic() > deadline:
            sys.exit(f"never: {what}")
        time.sleep(0.2)


def check(base):
    failures = 0
    answered = set()

    def all_answer():
        for panel, expression, _ in queries():
            if expression not in answered:
                result = ask(base, "query", query=expression)["result"]
                # A quantile of nothing is NaN.
                if result and all(sample["value"][1] != "NaN" for sample in result):
                    answered.add(expression)
        return len(answered) == len({e for _, e, _ in queries()})

    deadline = time.monotonic() + PATIENCE
    while not all_answer() and time.monotonic() < deadline:
        time.sleep(1)
    for panel, expression, _ in queries():
        good = expression in answered
        failures += not good
        print(f"ok      {panel['title']}" if good else f"NO DATA {panel['title']}: {expression}")
    for group in ask(base, "rules")["groups"]:
        for rule in group["rules"]:
            good = rule["health"] == "ok"
            failures += not good
            print(f"{'ok' if good else 'FAILED':8}rule {rule['name']}: {rule['state']}"
                  + ("" if good else f", {rule.get('lastError')}"))
    for name in ["TaktJobFailing", "TaktJobStale"]:
        await_true(f"the alert {name}", lambda: any(
            alert["labels"]["alertname"] == name
            and alert["labels"]["exported_job"] == "wrong" for alert in ask(base, "alerts")["alerts"]))
        print(f"ok      the job that fails raises {name}")
    return failures


def draw(base, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    dashboard = json.loads(DASHBOARD.read_text())
    rows = max(p["gridPos"]["y"] + p["gridPos"]["h"] for p in dashboard["panels"])
    figure = plt.figure(figsize=(16, rows * 0.36), facecolor="#181b1f")
    now = time.time()
    axes = {}
    for panel, expression, name in queries():
        place = panel["gridPos"]
        if panel["id"] not in axes:
            box = figure.add_axes([
                place["x"] / 24 + 0.032, 1 - (place["y"] + place["h"]) / rows + 0.016,
                place["w"] / 24 - 0.044, place["h"] / rows - 0.04], facecolor="#181b1f")
            box.set_title(panel["title"], color="#ccc", fontsize=10, loc="left")
            box.tick_params(colors="#999", labelsize=7)
            axes[panel["id"]] = box
        box = axes[panel["id"]]
        if panel["type"] == "timeseries":
            series = ask(base, "query_range", query=expression, start=now - SHOWN, end=now, step=1)
            for item in series["result"]:
                label = re.sub(r"{{(\w+)}}", lambda m: item["metric"].get(m[1], ""), name).strip()
                points = [(t - now, float(v)) for t, v in item["values"]]
                if label.count(" ") and not any(v for _, v in points):
                    continue
                box.plot(*zip(*points), label=label, linewidth=1)
            box.legend(fontsize=7, facecolor="#181b1f", labelcolor="#ccc", frameon=False)
        else:
            box.axis("off")
            result = ask(base, "query", query=expression)["result"]
            for line, item in enumerate(result[:8]):
                value = float(item["value"][1])
                if panel["type"] == "stat":
                    shown = (f"{now - value / 1000:.0f} s" if value > 1e9 else f"{value:.0f}")
                    box.text(0.5, 0.4, shown, color="#73bf69", fontsize=24, ha="center")
                else:
                    box.text(0, 0.9 - line * 0.13, f"{item['metric']['exported_job']}: {value:.1f}",
                             color="#ccc", fontsize=9)
    figure.savefig(path, dpi=70, facecolor=figure.get_facecolor())
    print(f"wrote   {path}")


def main():
    takt = pathlib.Path(sys.argv[1]).resolve()
    started = []
    with tempfile.TemporaryDirectory(prefix="takt-dashboard-") as name:
        folder = pathlib.Path(name)
        port, own = free_port(), free_port()
        (folder / "jobs.yaml").write_text(JOBS.format(port=port))
        (folder / "prometheus.yml").write_text(CONFIG.format(
            rules=RULES, token=folder / "state/http.token", port=port))
        try:
            log = (folder / "log").open("w")
            started.append(subprocess.Popen([takt, "run"], cwd=folder, stdout=log, stderr=log))
            await_true("the token", lambda: any((folder / "state").glob("*token*")))
            token = next((folder / "state").glob("*token*"))
            (folder / "prometheus.yml").write_text(CONFIG.format(
                rules=RULES, token=token, port=port))
            started.append(subprocess.Popen([
                "prometheus", f"--config.file={folder}/prometheus.yml",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address=127.0.0.1:{own}"], stdout=log, stderr=log))
            base = f"http://127.0.0.1:{own}"
            await_true("Prometheus", lambda: ask(base, "query", query="up")["result"])
            failures = check(base)
            if len(sys.argv) > 2:
                time.sleep(SHOWN)  # For a picture of so many seconds.
                draw(base, sys.argv[2])
            if failures:
                sys.exit(f"{failures} without an answer\n" + (folder / "log").read_text()[-2000:])
        finally:
            for process in reversed(started):
                process.terminate()
            for process in started:
                process.wait(timeout=60)


if __name__ == "__main__":
    main()
