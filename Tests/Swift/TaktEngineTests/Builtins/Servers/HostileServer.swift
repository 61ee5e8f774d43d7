/// A server that follows no protocol: its first argument selects its behaviour. It writes a line to
/// its second argument for each connection.
enum HostileServer {
  static let script = #"""
    import socket, struct, sys, threading, time
    mode, seen = sys.argv[1], sys.argv[2]
    def endless(s, head, part):
        s.sendall(head)
        while True: s.sendall(part)
    def reset(s):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    def web(s):
        if mode == "at-once": return s.sendall(bytes(range(256)) * 40)
        data = b""
        while b"\r\n\r\n" not in data:
            part = s.recv(65536)
            if not part: return
            data += part
        ok = b"HTTP/1.1 200 OK\r\n"
        if mode == "endless-headers": endless(s, ok, b"x-filler: " + b"y" * 1000 + b"\r\n")
        elif mode == "endless-header": endless(s, ok + b"x-filler: ", b"y" * 65536)
        elif mode == "endless-interim": endless(s, b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        elif mode == "endless-status": endless(s, b"", b"H" * 65536)
        elif mode == "endless-body": endless(s, ok + b"\r\n", b"z" * 65536)
        elif mode == "endless-chunks":
            endless(s, ok + b"transfer-encoding: chunked\r\n\r\n", b"10000\r\n" + b"z" * 65536 + b"\r\n")
        elif mode == "endless-chunk-size": endless(s, ok + b"transfer-encoding: chunked\r\n\r\n", b"1" * 65536)
        elif mode == "endless-trailers":
            endless(s, ok + b"transfer-encoding: chunked\r\n\r\n0\r\n", b"x-filler: " + b"y" * 1000 + b"\r\n")
        elif mode == "bad-chunk": s.sendall(ok + b"transfer-encoding: chunked\r\n\r\nzz\r\n")
        elif mode == "huge-length": s.sendall(ok + b"content-length: 99999999999999999999999\r\n\r\nx")
        elif mode == "negative-length": s.sendall(ok + b"content-length: -5\r\n\r\nx")
        elif mode == "two-lengths": s.sendall(ok + b"content-length: 1\r\ncontent-length: 20\r\n\r\nx")
        elif mode == "nul": s.sendall(ok + b"x: a\0b\r\ncontent-length: 0\r\n\r\n")
        elif mode == "cut-head": s.sendall(b"HTTP/1.1 200 OK\r\nconte")
        elif mode == "cut-status": s.sendall(b"HTTP/1.")
        elif mode == "cut-chunk": s.sendall(ok + b"transfer-encoding: chunked\r\n\r\n10\r\nabc")
        elif mode == "nothing": pass
        elif mode == "reset": reset(s)
        elif mode == "binary": s.sendall(bytes(range(256)) * 40)
        elif mode == "upgrade": s.sendall(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n" + b"\0" * 100)
        elif mode == "user-redirect": s.sendall(b"HTTP/1.1 302 F\r\nlocation: http://u:p@127.0.0.1/\r\ncontent-length: 0\r\n\r\n")
        elif mode == "file-redirect": s.sendall(b"HTTP/1.1 302 F\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n")
        elif mode == "second-closes":
            # The second request of a connection is read, and the connection closed without an answer.
            length = lambda d: int(d.lower().split(b"content-length: ")[1].split(b"\r\n")[0]) if b"content-length: " in d.lower() else 0
            first = True
            while True:
                body = data.split(b"\r\n\r\n", 1)[1]
                while len(body) < length(data): body += s.recv(65536)
                with open(seen, "a") as f: f.write(data.split(b" ")[0].decode() + "\n")
                if not first: return
                first = False
                s.sendall(ok + b"content-length: 0\r\n\r\n")
                data = b""
                while b"\r\n\r\n" not in data:
                    part = s.recv(65536)
                    if not part: return
                    data += part
        elif mode == "loop": s.sendall(b"HTTP/1.1 302 F\r\nlocation: /\r\ncontent-length: 0\r\n\r\n")
    def mail(s):
        f = s.makefile("rwb", buffering=0)
        say = lambda t: f.write(t.encode() + b"\r\n")
        what = mode[5:]
        if what == "endless-greeting": endless(s, b"", b"220-hello\r\n" * 100)
        if what == "endless-line": endless(s, b"220 ", b"x" * 65536)
        if what == "garbage": endless(s, b"", b"\0\xff\n" * 1000)
        say("220 hi")
        in_data = False
        while True:
            line = f.readline()
            if not line: return
            if in_data:
                if line != b".\r\n": continue
                in_data = False
                if what == "after-data": return
                if what == "big": say("552 too big"); continue
                say("250 taken"); continue
            verb = line.split()[0].upper() if line.split() else b""
            if verb == b"EHLO":
                if what == "endless-hello": endless(s, b"", b"250-x\r\n" * 100)
                if what == "ehlo-less": say("502 what?"); continue
                if what == "login-less": say("250 x"); continue
                say("250-x"); say("250 AUTH CRAM-MD5" if what == "strange-login" else "250 SIZE 100000000")
            elif verb == b"HELO": say("250 x")
            elif verb == b"MAIL": say("451 later" if what == "later" else "250 ok")
            elif verb == b"RCPT": say("452 full" if what == "full" else "250 ok")
            elif verb == b"DATA":
                if what == "cut-data": return
                if what == "dataless": say("554 no"); continue
                say("354 go"); in_data = True
            elif verb == b"QUIT":
                # It never answers; the connection lasts until the client has gone.
                if what == "quitless":
                    while s.recv(100): pass
                    return
                say("221 bye"); return
            else: say("502 what?")
    def serve(s):
        with open(seen, "a") as f: f.write("connected\n")
        try: mail(s) if mode.startswith("mail-") else web(s)
        except OSError: pass
        finally: s.close()
    server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(64)
    print(server.getsockname()[1])
    while True:
        c, _ = server.accept()
        threading.Thread(target=serve, args=(c,), daemon=True).start()
    """#
}
