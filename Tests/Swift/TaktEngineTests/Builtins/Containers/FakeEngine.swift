/// An engine of containers in a few lines, which misbehaves in one way. Each request is noted.
enum FakeEngine {
  static let script = #"""
    import json, os, socketserver, sys, threading, time
    from http.server import BaseHTTPRequestHandler
    from urllib.parse import urlsplit, parse_qs
    path, mode, seen = sys.argv[1:4]
    logs = {}
    ended = threading.Event()

    def frame(stream, text):
        return bytes([stream, 0, 0, 0]) + len(text).to_bytes(4, "big") + text

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def address_string(self): return "unix"
        def log_message(self, *args): pass

        def answer(self, status, value=None):
            body = b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def chunks(self, data, size, ends=True):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for start in range(0, len(data), size):
                part = data[start:start + size]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
            if ends: self.wfile.write(b"0\r\n\r\n")
            else: self.close_connection = True

        def handle_one(self, method):
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            parts = urlsplit(self.path)
            with open(seen, "a") as file:
                file.write(f"{method} {self.path} {body.decode()}\n")
            words = parts.path.strip("/").split("/")
            if words == ["version"]:
                if mode == "hangs": ended.wait()
                if mode == "old": return self.answer(200, {"ApiVersion": "1.30"})
                if mode == "stranger": return self.answer(200, ["hello"])
                if mode == "endless-head":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                    while True: self.wfile.write(b"X-A: " + b"a" * 1000 + b"\r\n")
                newest = "1.52" if mode == "new" else "1.41"
                return self.answer(200, {"ApiVersion": newest, "MinAPIVersion": "1.44" if mode == "new" else "1.24"})
            words = words[1:]
            if mode == "errors": return self.answer(500, {"message": "out of\x1b order"})
            if words == ["containers", "json"]:
                if mode == "leftovers":
                    filters = json.loads(parse_qs(parts.query)["filters"][0])
                    state = filters["label"][0].split("=")[1]
                    def one(id, state_label, daemon, **more):
                        return {"Id": id, "Names": ["/" + id], "State": "running",
                                "Labels": {"dev.takt.state": state_label, "dev.takt.daemon": daemon, **more}}
                    return self.answer(200, [
                        one("left", state, "before"), one("stranger", "other", "before"),
                        one("kept", state, "before", **{"dev.takt.remove": "never"}),
                        {"Id": "bare", "Labels": None}])
                return self.answer(200, [])
            if words[0] == "images" and method == "GET":
                return self.answer(404 if mode.startswith("pull") else 200, {})
            if words == ["images", "create"]:
                lines = b'{"status":"a"}\r\n' * 3
                if mode == "pull-fails": lines += b'{"error":"no such manifest"}\r\n'
                return self.chunks(lines, 5)
            if words == ["containers", "create"]:
                if mode == "no-image": return self.answer(404, {"message": "No such image: x"})
                return self.answer(201, {"Id": "c1"})
            if words[0] == "containers" and words[-1] == "kill":
                ended.set()
                return self.answer(204)
            if words[0] == "containers" and words[-1] == "exec":
                if mode == "exec-stopped": return self.answer(409, {"message": "is not running"})
                return self.answer(201, {"Id": "e1"})
            if words[0] == "exec" and words[-1] == "start":
                line = b"y" * 63 + b"\n"
                return self.chunks(frame(1, line * 256) * (48 if mode == "exec-flood" else 1), 16392)
            if words[0] == "exec":
                owner = "f" * 64 if mode == "exec-moved" else "e" * 64
                return self.answer(200, {"Running": False, "ExitCode": 3, "ContainerID": owner})
            if words[0] == "containers" and words[-1] == "json" and mode.startswith("exec"):
                if mode == "exec-gone": return self.answer(404, {"message": "No such container"})
                owner = "f" * 64 if mode == "exec-renamed" else "e" * 64
                return self.answer(200, {"Id": owner, "State": {"Status": "running", "Running": True}})
            if method == "DELETE" and mode == "keeps" and not ended.is_set():
                ended.set()
                return self.answer(500, {"message": "busy"})
            if words[-1] == "start" or method == "DELETE": return self.answer(204)
            if words[0] == "containers" and words[-1] == "logs":
                count = logs["n"] = logs.get("n", 0) + 1
                data = frame(1, b"one\ntw") + frame(2, b"oops\n") + frame(1, b"o\n")
                if mode == "cut" and count == 1: return self.chunks(data[:20], 3, ends=False)
                if mode == "wrong-frames": return self.chunks(b"no frames at all", 4)
                if mode == "waits":
                    self.chunks(data, 7, ends=False)
                    ended.wait()
                    return
                return self.chunks(data, 1)
            if words[0] == "containers" and words[-1] == "json":
                if mode == "removed": return self.answer(404, {"message": "gone"})
                code = 143 if mode == "waits" else 137 if mode == "memory" else 3
                return self.answer(200, {"Id": "c1", "State": {
                    "Status": "exited", "Running": False, "ExitCode": code,
                    "OOMKilled": mode == "memory"}})
            self.answer(404, {"message": "what?"})

        def do_GET(self): self.handle_one("GET")
        def do_POST(self): self.handle_one("POST")
        def do_DELETE(self): self.handle_one("DELETE")

    class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
        daemon_threads = True
        def handle_error(self, request, client): pass
        def finish_request(self, request, client): Handler(request, ("unix", 0), self)

    server = Server(path, Handler)
    print(1)
    server.serve_forever()
    """#
}
