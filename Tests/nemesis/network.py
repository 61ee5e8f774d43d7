"""Machines as network namespaces, joined by a bridge in the namespace of the engine."""
import os
import pathlib
import subprocess

ENGINE = "10.77.0.1"
# Nobody has it: frames to it get lost without a word.
NOWHERE = "02:00:00:00:00:99"


def ip(*words, check=True):
    return subprocess.run(
        ["ip", *words], check=check, capture_output=True, text=True, timeout=20)


class Network:
    def __init__(self, name, machines, engines=1):
        self.name = name
        self.machines = machines
        # The first one has the bridge.
        self.engines = ["engine", *(f"engine{number}" for number in range(2, engines + 1))]
        self.down_or_deaf = {}

    def namespace(self, who):
        return f"{self.name}-{who}"

    def namespaces(self):
        return [self.namespace(who) for who in [*self.engines, *self.machines]]

    def start(self):
        engine = self.namespace("engine")
        ip("netns", "add", engine)
        ip("-n", engine, "link", "set", "lo", "up")
        ip("-n", engine, "link", "add", "bridge0", "type", "bridge")
        ip("-n", engine, "address", "add", f"{ENGINE}/24", "dev", "bridge0")
        ip("-n", engine, "link", "set", "bridge0", "up")
        for machine in [*self.engines[1:], *self.machines]:
            own = self.namespace(machine)
            ip("netns", "add", own)
            ip("-n", own, "link", "set", "lo", "up")
            ip("-n", engine, "link", "add", machine, "type", "veth", "peer", "name", "eth0",
               "netns", own)
            ip("-n", engine, "link", "set", machine, "master", "bridge0", "up")
            ip("-n", own, "address", "add", f"{self.address(machine)}/24", "dev", "eth0")
            ip("-n", own, "link", "set", "eth0", "up")

    def address(self, who):
        if who in self.engines:
            return f"10.77.0.{1 + self.engines.index(who)}"
        return f"10.77.0.{11 + self.machines.index(who)}"

    def device(self, engine):
        return "bridge0" if engine == "engine" else "eth0"

    # MARK: Faults

    def cut(self, machine):
        """Both ways."""
        ip("-n", self.namespace("engine"), "link", "set", machine, "down")

    def cut_up(self, machine):
        """What the machine says gets lost; it hears the engine."""
        for engine in self.engines:
            ip("-n", self.namespace(machine), "neighbour", "replace", self.address(engine), "lladdr",
               NOWHERE, "dev", "eth0", "nud", "permanent")

    def cut_down(self, machine):
        """What the engine says to the machine gets lost."""
        for engine in self.engines:
            ip("-n", self.namespace(engine), "neighbour", "replace", self.address(machine),
               "lladdr", NOWHERE, "dev", self.device(engine), "nud", "permanent")

    def join(self, machine):
        """Ends all cuts of a machine, or of a member of the engine."""
        ip("-n", self.namespace("engine"), "link", "set", machine, "up")
        if machine in self.engines:
            return
        for engine in self.engines:
            ip("-n", self.namespace(machine), "neighbour", "del", self.address(engine), "dev", "eth0",
               check=False)
            ip("-n", self.namespace(engine), "neighbour", "del", self.address(machine), "dev",
               self.device(engine), check=False)

    # MARK: Processes

    def enter(self, who, keeps_system=True):
        """Words before a command that is to run there; without the system's folder of control groups
        where `keeps_system` is false."""
        name = self.namespace(who)
        return ["nsenter", f"--net=/run/netns/{name}"] if keeps_system else \
            ["ip", "netns", "exec", name]

    def processes(self, who):
        return processes(self.namespace(who))

    def stop(self):
        remove(self.namespaces())


def processes(namespace):
    """All processes in a network namespace."""
    found = []
    try:
        inode = os.stat(f"/run/netns/{namespace}").st_ino
    except OSError:
        return found
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if os.stat(entry / "ns/net").st_ino == inode:
                found.append(int(entry.name))
        except OSError:
            continue
    return sorted(found)


def remove(namespaces):
    """Removes namespaces with all that runs in them."""
    for namespace in namespaces:
        for _ in range(20):
            left = processes(namespace)
            for pid in left:
                try:
                    os.kill(pid, 9)
                except OSError:
                    pass
            if not left:
                break
    for namespace in namespaces:
        ip("netns", "del", namespace, check=False)


def all_of(prefix):
    """The namespaces whose names begin so."""
    return [line.split()[0] for line in ip("netns", "list", check=False).stdout.splitlines()
            if line.startswith(prefix)]
