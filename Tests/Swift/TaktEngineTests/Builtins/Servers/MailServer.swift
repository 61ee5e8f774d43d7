/// The mail server of the tests: it writes a line of JSON for each mail that it accepts.
enum MailServer {
  /// Arguments: the file for mails, the mode (`plain`, `starttls`, `tls`, `silent`, `inject`), and
  /// for TLS certificate and key.
  static let script = """
    import base64, email, email.policy, json, socket, ssl, sys, threading, time
    out, mode = sys.argv[1], sys.argv[2]
    context = None
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3], sys.argv[4])
    def serve(s):
        try: talk(s)
        except Exception: pass
        finally: s.close()
    def talk(s):
        if mode == "silent":
            with open(out, "a") as f: f.write(json.dumps({"connected": True}) + "\\n")
            time.sleep(3600)
        if mode == "tls": s = context.wrap_socket(s, server_side=True)
        f = s.makefile("rwb", buffering=0)
        def say(t): f.write((t + "\\r\\n").encode())
        say("220-welcome"); say("220 to the test")
        secure, sender, to, login = mode == "tls", None, [], None
        while True:
            line = f.readline()
            if not line: return
            words = line.decode().strip()
            verb = words.upper()
            if verb.startswith("EHLO"):
                say("250-test")
                if mode in ("starttls", "inject") and not secure: say("250-STARTTLS")
                if secure: say("250-AUTH PLAIN LOGIN")
                elif mode == "plain": say("250-AUTH LOGIN")
                say("250 8BITMIME")
            elif verb == "STARTTLS":
                if mode == "inject":
                    f.write(b"220 go\\r\\n250 you have been had\\r\\n")
                else: say("220 go")
                s = context.wrap_socket(s, server_side=True); secure = True
                f = s.makefile("rwb", buffering=0)
            elif verb.startswith("AUTH PLAIN"):
                login = base64.b64decode(words.split()[2]).decode().split("\\0")[1:]
                say("235 in" if login[1] == "geheim" else "535 no")
            elif verb == "AUTH LOGIN":
                say("334 VXNlcjo="); user = base64.b64decode(f.readline()).decode()
                say("334 UGFzcw=="); login = [user, base64.b64decode(f.readline()).decode()]
                say("235 in" if login[1] == "geheim" else "535 no")
            elif verb.startswith("MAIL FROM"): sender = words; say("250 ok")
            elif verb.startswith("RCPT TO"):
                if "nobody@" in words: say("550 no such user")
                else: to.append(words); say("250 ok")
            elif verb == "DATA":
                if not to: say("503 to whom?"); continue
                say("354 go on")
                data = b""
                while True:
                    l = f.readline()
                    if l == b".\\r\\n": break
                    if not l.endswith(b"\\r\\n"): say("500 bare line end"); return
                    data += l[1:] if l.startswith(b"..") else l
                m = email.message_from_bytes(data, policy=email.policy.default)
                body = m.get_body(preferencelist=("plain",))
                record = {"sender": sender, "to": to, "login": login, "secure": secure,
                  "subject": m["subject"], "from": m["from"], "toHeader": m["to"],
                  "date": m["date"], "id": m["message-id"], "keys": m.keys(),
                  "defects": [str(d) for p in m.walk() for d in p.defects],
                  "body": body.get_content().replace("\\r\\n", "\\n"), "longest": max(len(l) for l in data.split(b"\\r\\n")),
                  "attachments": [[a.get_filename(), a.get_content_type(), a.get_content()] for a in m.iter_attachments()]}
                with open(out, "a") as g: g.write(json.dumps(record) + "\\n")
                say("250 taken")
            elif verb == "QUIT": say("221 bye"); return
            else: say("502 what?")
    server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(16)
    print(server.getsockname()[1])
    while True:
        c, _ = server.accept()
        threading.Thread(target=serve, args=(c,), daemon=True).start()
    """
}
