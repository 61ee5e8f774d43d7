/// The web server of the tests of `http`: the path selects its behaviour.
enum WebServer {
  static let script = """
    import email.utils, http.server, json, ssl, sys, threading, time
    seen = {}
    last = {}
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *a): pass
        def answer(self, status, body=b"fine", headers={}):
            self.send_response(status)
            for k, v in headers.items(): self.send_header(k, v)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD": self.wfile.write(body)
        def do(self):
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            seen[self.path] = seen.get(self.path, 0) + 1
            now = time.monotonic()
            waited = now - last.get(self.path, now)
            last[self.path] = now
            if len(sys.argv) > 1:
                with open(sys.argv[1], "a") as log:
                    log.write(json.dumps({"path": self.path, "method": self.command, "waited": waited,
                      "headers": {k.lower(): v for k, v in self.headers.items()},
                      "body": body.decode()}) + "\\n")
            p = self.path.split("?")[0]
            if p == "/fails": self.answer(500)
            elif p.startswith("/flaky"): self.answer(500 if seen[self.path] == 1 else 200)
            elif p.startswith("/busy/"):
                # `/busy/STATUS/RETRY-AFTER`: once.
                status, after = p.split("/")[2:4]
                if after == "date": after = email.utils.formatdate(time.time() + 3, usegmt=True)
                if seen[self.path] == 1: self.answer(int(status), headers={"retry-after": after})
                else: self.answer(200)
            elif p == "/silent":
                time.sleep(3600)
            elif p == "/drip":
                self.send_response(200); self.send_header("content-length", "100000"); self.end_headers()
                while True: self.wfile.write(b"x"); self.wfile.flush(); time.sleep(0.05)
            elif p.startswith("/hops/"):
                n = int(p.split("/")[2])
                self.answer(302, headers={"location": "/hops/%d" % (n - 1)} if n else {}) if n else self.answer(200)
            elif p == "/stranger": self.answer(302, headers={"location": "http://localhost:%d/here" % self.server.server_port})
            elif p == "/stranger-again": self.answer(307, headers={"location": "http://localhost:%d/here" % self.server.server_port})
            elif p == "/see-other": self.answer(303, headers={"location": "/here"})
            elif p == "/same-again": self.answer(307, headers={"location": "/here"})
            elif p == "/huge":
                n = 64 * 1024 * 1024
                self.send_response(200); self.send_header("content-length", str(n)); self.end_headers()
                try:
                    for _ in range(n // 65536): self.wfile.write(b"y" * 65536)
                except OSError: pass
            elif p == "/large": self.answer(200, b"z" * (3 * 1024 * 1024) + b"end")
            elif p == "/cut":
                self.send_response(200); self.send_header("content-length", "1000"); self.end_headers()
                self.wfile.write(b"short"); self.close_connection = True
            elif p == "/nonsense": self.wfile.write(b"what?\\r\\n\\r\\n"); self.close_connection = True
            elif p.startswith("/status/"): self.answer(int(p.split("/")[2]))
            else: self.answer(200)
        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = do_OPTIONS = do
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        def handle_error(self, *a): pass
    server = Server(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port)
    server.serve_forever()
    """
}
