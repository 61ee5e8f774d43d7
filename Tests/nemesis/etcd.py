"""Three members of etcd in namespaces of their own, and what can happen to them."""
import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import network
from rows import Row

MEMBERS = 3
CLIENTS, PEERS, SLOW = 2379, 2380, 6432
PREFIX = "/takt/default/"


def what_is_missing():
    if shutil.which("etcd") is None or shutil.which("etcdctl") is None:
        return "it needs etcd (etcd-server and etcd-client)"
    return None


def make_template(folder):
    """New members make their files themselves."""


class Engine:
    # takt knows etcd's clock to the second at first.
    early = 1.0

    def __init__(self, folder, _, net):
        self.folder = folder
        self.net = net
        folder.mkdir()
        # Members write often, and disks differ: it is not the disk that is tested.
        memory = pathlib.Path("/dev/shm")
        self.data = (memory if memory.is_dir() else folder) / f"{net.name}-etcd"
        shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir(mode=0o700)
        self.log = open(folder / "log", "ab")
        self.processes = {}
        self.proxies = []

    @property
    def proxy(self):
        return self.proxies[0] if self.proxies else None

    def url(self, member, port=CLIENTS):
        return f"http://{self.net.address(member)}:{port}"

    # MARK: The members

    def start(self):
        """Starts the members that are not running; does not wait for them."""
        for member in self.net.engines:
            self.start_member(member)

    def start_member(self, member):
        if self.is_running(member):
            return
        cluster = ",".join(f"{name}={self.url(name, PEERS)}" for name in self.net.engines)
        self.processes[member] = subprocess.Popen(
            [*self.net.enter(member), "etcd", "--name", member, "--data-dir", self.data / member,
             "--listen-client-urls", f"{self.url(member)},http://127.0.0.1:{CLIENTS}",
             "--advertise-client-urls", self.url(member), "--listen-peer-urls",
             self.url(member, PEERS), "--initial-advertise-peer-urls", self.url(member, PEERS),
             "--initial-cluster", cluster, "--heartbeat-interval", "60", "--election-timeout", "600",
             "--logger", "zap", "--log-level", "warn"],
            stdout=self.log, stderr=self.log, cwd="/", start_new_session=True,
            env={key: value for key, value in os.environ.items() if not key.startswith("ETCD")})

    def is_running(self, member):
        process = self.processes.get(member)
        return process is not None and process.poll() is None

    def is_up(self):
        return all(self.is_running(member) for member in self.net.engines)

    def await_start(self, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.start()
            if self.call("get", PREFIX + "meta", check=False) is not None:
                return True
            time.sleep(0.1)
        return False

    def stop(self, how):
        """`fast` or `immediate`: all members."""
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM if how == "fast" else signal.SIGKILL)

    def kill(self):
        self.stop("kill")

    def freeze(self, frozen):
        for member in self.net.engines:
            self.freeze_member(member, frozen)

    def freeze_member(self, member, frozen):
        if self.is_running(member):
            self.processes[member].send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    def leader(self):
        """The leader's name; the first member's where nobody says."""
        text = self.call("endpoint", "status", "-w", "json", check=False, seconds=3)
        for status in json.loads(text or "[]"):
            if status["Status"]["leader"] == status["Status"]["header"]["member_id"]:
                return next(name for name in self.net.engines if self.url(name) == status["Endpoint"])
        return "engine"

    def kill_leader(self):
        member = self.leader()
        if self.is_running(member):
            self.processes[member].kill()
        return member

    # MARK: What delays bytes

    def start_proxy(self):
        for index, member in enumerate(self.net.engines):
            proxy = subprocess.Popen(
                [*self.net.enter("engine"), sys.executable, "-B",
                 pathlib.Path(__file__).parent / "slowproxy.py", f"{network.ENGINE}:{SLOW + index}",
                 f"{self.net.address(member)}:{CLIENTS}"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
                start_new_session=True)
            proxy.stdout.readline()
            self.proxies.append(proxy)

    def slow(self, up, down):
        for proxy in self.proxies:
            proxy.stdin.write(f"{up} {down}\n")
            proxy.stdin.flush()

    def keys(self):
        """What a jobs file says of it."""
        urls = [f"http://{network.ENGINE}:{SLOW + index}" for index in range(len(self.proxies))] or [
            self.url(member) for member in self.net.engines]
        return f"engine: etcd, endpoints: [{', '.join(urls)}]"

    def prepare(self):
        pass

    # MARK: What takt has written

    def call(self, *words, check=True, seconds=10):
        """etcdctl, in the namespace of the first member: no fault of a machine is in its way."""
        try:
            result = subprocess.run(
                [*self.net.enter("engine"), "etcdctl", "--endpoints",
                 ",".join(self.url(member) for member in self.net.engines), *words],
                capture_output=True, text=True, timeout=seconds,
                env={**os.environ, "ETCDCTL_API": "3"})
        except subprocess.TimeoutExpired:
            if check:
                raise
            return None
        if result.returncode != 0:
            if check:
                raise RuntimeError(f"etcdctl {words[:2]}: {result.stderr}")
            return None
        return result.stdout

    def watch(self):
        """etcd keeps all revisions by itself."""

    def drop(self):
        """Deletes all that takt has here."""
        self.call("del", "--prefix", PREFIX)

    def is_made_again(self):
        return self.member_count() > 0

    def member_count(self):
        text = self.call("get", PREFIX + "meta", "--print-value-only", check=False)
        return len(json.loads(text)["members"]) if text and text.strip() else 0

    def history(self):
        """All that was written, from the first revision on."""
        last = json.loads(self.call("get", PREFIX + "meta", "-w", "json"))["kvs"][0]["mod_revision"]
        changes = {}  # by revision: key to value; None for a deletion
        with subprocess.Popen(
                [*self.net.enter("engine"), "etcdctl", "--endpoints", self.url("engine"), "watch",
                 "--prefix", PREFIX, "--rev", "1", "-w", "json"], stdout=subprocess.PIPE,
                stderr=self.log, env={**os.environ, "ETCDCTL_API": "3"}) as watcher:
            timer = threading.Timer(20, watcher.kill)
            timer.start()
            for line in watcher.stdout:
                for event in json.loads(line).get("Events") or []:
                    pair = event["kv"]
                    key = base64.b64decode(pair["key"]).decode()[len(PREFIX):]
                    value = base64.b64decode(pair["value"]) if "value" in pair else None
                    changes.setdefault(pair["mod_revision"], {})[key] = \
                        json.loads(value) if value else None
                if changes and max(changes) >= last:
                    break
            timer.cancel()
            watcher.kill()
        if not changes or max(changes) < last:
            raise RuntimeError(f"the changes up to revision {last} do not come")
        return History(dict(sorted(changes.items())))

    def rows(self):
        return self.history().rows()

    def series(self):
        return self.history().series

    def changed_at(self):
        return self.history().changed_at

    def violations(self):
        return self.history().violations

    def keep(self, folder):
        """For those who look at a failure."""
        try:
            history = self.history()
        except (RuntimeError, subprocess.SubprocessError, ValueError, KeyError, OSError):
            history = None
        if history is not None:
            (folder / "slots.tsv").write_text(
                "".join("\t".join(map(str, row)) + "\n" for row in history.rows()))
            (folder / "changes.tsv").write_text(
                "".join("\t".join(map(str, words)) + "\n" for words in history.changes))
        self.stop("kill")
        shutil.rmtree(self.data, ignore_errors=True)

    def sow(self, plant):
        """`owner`: etcd forgets claims, so that other machines get the slots. `lease`: it forgets
        members that are alive."""
        if plant in ("owner", "lease"):
            subprocess.Popen(
                [*self.net.enter("engine"), sys.executable, "-B", __file__, plant, self.url("engine")],
                stdout=self.log, stderr=self.log, start_new_session=True)


class History:
    """Goes through all that was written, and looks for what must not be."""

    def __init__(self, changes):
        self.slots = {}  # (job, slot) to (record, claimed at)
        self.series, self.changed_at, self.violations, self.changes = [], {}, [], []
        self.members, self.names, self.past, self.forgotten = {}, set(), {}, set()
        for revision, pairs in changes.items():
            if "meta" in pairs and pairs["meta"] is None:
                # All was deleted: it begins anew.
                self.slots, self.members, self.names, self.past = {}, {}, set(), {}
                continue
            meta = pairs.get("meta")
            self.before = self.names
            if meta:
                self.names = set(meta["members"])
            for key, value in pairs.items():
                kind, _, name = key.partition("/")
                if kind == "past" and value:
                    self.past[name] = value
                elif kind == "member" and value:
                    self.renewed(int(name), value)
            for key, value in pairs.items():
                kind, _, name = key.partition("/")
                if kind == "job" and value:
                    self.changed(revision, name, value)
        for job, past in self.past.items():
            self.series += [(job, one["first"] // 10**6, one["last"] // 10**6)
                            for one in past["series"]]

    def find(self, kind, job, slot, words):
        self.violations.append((kind, job, slot // 10**6, words))

    def renewed(self, number, record):
        old = self.members.get(number)
        if old and record["renewal"] != old["renewal"]:
            if number not in self.before:
                self.find("late renewal", "", 0, f"member {number} renewed its lease after others "
                          "had decided for it")
            if record["instance"] != old["instance"]:
                self.find("late renewal", "", 0, f"member {number} is another process")
        self.members[number] = record

    def changed(self, revision, job, record):
        seen = set()
        for slot in record["slots"]:
            key = (job, slot["slot"])
            seen.add(key)
            old, claimed_at = self.slots.get(key, (None, 0))
            if old == slot:
                continue
            if slot["state"] == "claimed" and (not old or slot.get("token") != old.get("token")):
                claimed_at = slot["at"]
                if slot["member"] not in self.before | self.names:
                    self.find("claim without a lease", *key, f"member {slot['member']}")
            self.changes.append((revision, job, slot["slot"] // 10**6, json.dumps(slot)))
            if old:
                self.compare(key, old, slot)
            if slot["state"] == "decided":
                slot["member"] = (old or {}).get("member", slot.get("decidedFor", 0))
            self.slots[key] = (slot, claimed_at)
            self.changed_at[job, slot["slot"] // 10**6] = slot["at"] / 1e9
        for key, (slot, _) in self.slots.items():
            if key[0] == job and key not in seen | self.forgotten and not self.is_past(
                    key, record):
                self.find("forgotten", *key, slot["state"])
                self.forgotten.add(key)

    def is_past(self, key, record):
        """Whether a slot without a record is kept in short."""
        job, slot = key
        if slot < record["since"]:
            return True
        for one in self.past.get(job, {}).get("ranges", []):
            step = (one["last"] - one["first"]) // max(1, one["count"] - 1)
            if one["first"] <= slot <= one["last"] and (
                    slot == one["first"] or step and (slot - one["first"]) % step == 0):
                return True
        return False

    def compare(self, key, old, new):
        verdicts = [(one.get("verdict"), one.get("outcome"), one.get("reason", "")) for one in
                    (old, new)]
        # As audit.sql says.
        is_told = new["state"] == "decided" and [one[0] for one in verdicts] == ["ran", "ran"] and \
            [one[2] for one in verdicts] == ["lost", "unclaimed"]
        if old["state"] == "decided" and not is_told and (
                new["state"] != "decided" or verdicts[0] != verdicts[1]):
            self.find("second verdict", *key, f"{verdicts[0]} became {new['state']} {verdicts[1]}")
        if old["state"] == "claimed" and new["state"] == "claimed" and old["token"] != new["token"] \
                and old["machine"] != new["machine"]:
            self.find("taken from another", *key, f"token {old['token']} of {old['machine']} became "
                      f"token {new['token']} of {new['machine']}")
        # One that had gone before may have left.
        if old["state"] == "claimed" and new["state"] == "decided" and new.get("reason") == "lost" \
                and old["member"] in self.before:
            member = self.members[old["member"]]
            over = member["renewedAt"] + member["lease"] + member["grace"]
            # takt knows the time to a second at first.
            if new["at"] < over - 1.2e9:
                self.find("settled too early", *key, f"member {old['member']}, "
                          f"{(over - new['at']) / 1e6:.0f} ms")

    def rows(self):
        found = []
        for (job, slot), (record, claimed_at) in sorted(self.slots.items()):
            verdict, _, detail = record.get("verdict", "").partition(":")
            found.append(Row(
                job, slot // 10**6, record["state"], record.get("attempt", 1),
                record.get("token", 0), record.get("member", 0), record.get("machine", ""), verdict,
                detail, record.get("outcome", ""), record.get("reason", ""), claimed_at,
                record["at"] if record["state"] == "decided" else 0))
        return found


def forget(plant, url):
    """Takes claimed slots or members out of the records, as if they had never been written."""
    import random
    import urllib.request

    def post(path, body):
        request = urllib.request.Request(
            url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=2) as answer:
            return json.load(answer)

    def code(text):
        return base64.b64encode(text.encode()).decode()

    while True:
        time.sleep(random.uniform(0.2, 0.5) if plant == "owner" else random.uniform(4, 8))
        try:
            kept = {base64.b64decode(pair["key"]).decode(): pair for pair in post(
                "/v3/kv/range", {"key": code(PREFIX), "range_end": code(PREFIX[:-1] + "0")}).get(
                    "kvs", [])}
            meta = json.loads(base64.b64decode(kept[PREFIX + "meta"]["value"]))
            meta["stamp"] = random.getrandbits(60)
            if plant == "lease" and meta["members"]:
                meta["members"].remove(random.choice(meta["members"]))
            puts = [{"request_put": {
                "key": code(PREFIX + "meta"), "value": code(json.dumps(meta))}}]
            for key, pair in kept.items():
                if not key.startswith(PREFIX + "job/"):
                    continue
                job = json.loads(base64.b64decode(pair["value"]))
                slots = [slot for slot in job["slots"] if slot["state"] != "claimed"]
                if plant == "owner" and len(slots) != len(job["slots"]):
                    job["slots"] = slots
                    puts.append({"request_put": {
                        "key": code(key), "value": code(json.dumps(job))}})
            post("/v3/kv/txn", {
                "compare": [{"key": code(PREFIX + "meta"), "target": "VALUE", "result": "EQUAL",
                             "value": kept[PREFIX + "meta"]["value"]}], "success": puts})
        except (OSError, KeyError, ValueError) as error:
            print(f"plant: {error}", flush=True)


if __name__ == "__main__":
    forget(*sys.argv[1:])
