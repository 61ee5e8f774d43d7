"""What goes wrong during a soak. Each trouble takes a daemon and a source of chance, and leaves the daemon
running."""
import http.client
import signal
import socket
import threading
import time


def reload(takt, pick):
    takt.edit()
    takt.command("reload")


def reload_storm(takt, pick):
    for _ in range(pick.randint(5, 30)):
        takt.edit()
        takt.send(signal.SIGHUP)
        time.sleep(pick.choice([0, 0.01, 0.1]))


def broken_file(takt, pick):
    takt.edit(broken=True)
    takt.send(signal.SIGHUP)
    time.sleep(1)
    takt.edit()
    takt.command("reload")


def clock_step(takt, pick):
    # One step after another, too: what has been named ahead must not be forgotten by the next.
    for _ in range(pick.choice([1, 1, 2, 3])):
        takt.shift(pick.choice([-3600, -600, -30, 30, 600, 3600, 86_400, 172_800]))
        time.sleep(pick.randint(3, 10))
    takt.shift(0)


def full_disk(takt, pick):
    if takt.fill_disk():
        time.sleep(pick.randint(3, 12))
        takt.clear_disk()


def suspension(takt, pick):
    takt.send(signal.SIGSTOP)
    time.sleep(pick.randint(2, 12))
    takt.send(signal.SIGCONT)


def touches(takt, pick):
    for number in range(pick.randint(1, 50)):
        (takt.folder / "watched").write_text(str(number))


def commands(takt, pick):
    job = f"tick-{pick.randrange(8)}"
    for words in (["trigger", job], ["suspend", job, "--for", "3s"], ["resume", job], ["cancel", "slow"],
                  ["status"], ["why", job], ["runs", "-n", "20"], ["plan"]):
        takt.command(*words)


def readers(takt, pick):
    """Those who look at the page: some read at once, some slowly, some never, and all go in the middle."""
    token = (takt.state / "token").read_text().strip()
    threads = [threading.Thread(target=_reader, args=(takt.port, token, pick.random())) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _reader(port, token, chance):
    routes = ["/", "/api/v1/jobs", "/api/v1/timeline", "/metrics", "/api/v1/runs", "/calendar.ics"]
    end = time.monotonic() + 5 + 10 * chance
    try:
        if chance < 0.3:  # Begins a request and does not end it.
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
                time.sleep(end - time.monotonic())
            return
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        headers = {"Authorization": f"Bearer {token}"}
        if chance < 0.7:
            connection.request("GET", "/api/v1/events", headers=headers)
            answer = connection.getresponse()
            while time.monotonic() < end:
                answer.read1(100 if chance < 0.5 else 1 << 16)
                if chance < 0.5:
                    time.sleep(0.5)
        else:
            for route in routes:
                connection.request("GET", route, headers=headers)
                connection.getresponse().read()
        connection.close()
    except OSError:  # The daemon is stopped or suspended meanwhile.
        pass
    except http.client.HTTPException:
        pass


def kill(takt, pick):
    takt.stop(signal.SIGKILL)
    time.sleep(pick.choice([0, 0, 1, 5]))
    takt.start()


def restart(takt, pick):
    takt.stop(signal.SIGTERM)
    takt.start()


LASTING = [reload, reload_storm, broken_file, clock_step, full_disk, suspension, touches, commands, readers]
"""Those that a daemon lives through."""
DEADLY = [*LASTING, kill, kill, kill, restart]
