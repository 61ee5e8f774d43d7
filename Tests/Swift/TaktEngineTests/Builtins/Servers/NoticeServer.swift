/// A server that follows the published protocols of monitors and chats: it refuses the same
/// requests, and records those that it accepts.
enum NoticeServer {
  static let script = #"""
    import http.server, json, re, sys, uuid
    from urllib.parse import urlsplit, parse_qs, parse_qsl, unquote
    tries = {}
    def units(text): return len(text.encode("utf-16-le")) // 2
    UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    KNOWN = "5f1c4a2e-8c0e-4d0b-9a53-0a6a1f1d2c3b"
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *a): pass
        def answer(self, status, body):
            body = body.encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def note(self, **facts):
            with open(sys.argv[1], "a") as log: log.write(json.dumps(facts) + "\n")
        def do_POST(self):
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = urlsplit(self.path)
            query = {k: v[0] for k, v in parse_qs(parts.query, keep_blank_values=True).items()}
            tries[self.path] = tries.get(self.path, 0) + 1
            if "flaky" in query and tries[self.path] == 1: return self.answer(503, "busy")
            path = parts.path
            if re.match("/api/[0-9]+/", path): return self.sentry(path, query)
            if path.startswith("/services/"): return self.slack(raw)
            if path == "/teams": return self.teams(raw)
            if path.startswith("/bot"): return self.telegram(path, raw)
            if path == "/": return self.ntfy(raw)
            if path.startswith("/api/webhooks/"): return self.discord(path, raw)
            if path == "/gotify/message": return self.gotify(raw)
            if path == "/1/messages.json": return self.pushover(raw)
            if path == "/v2/enqueue": return self.pagerduty(raw)
            self.check(path, query, raw)
        def do_PUT(self):
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            self.matrix(self.path, raw)
        # healthchecks.io, "Pinging API"
        def check(self, path, query, raw):
            m = re.fullmatch("/(%s|[A-Za-z0-9_-]{22}/[a-z0-9_-]+)(?:/(start|fail|log|[0-9]{1,3}))?" % UUID, path)
            if not m: return self.answer(400, "invalid url format")
            if "rid" in query and not re.fullmatch(UUID, query["rid"]): return self.answer(400, "invalid uuid format")
            kind = m.group(2) or "success"
            if kind.isdigit() and int(kind) > 255: return self.answer(400, "invalid url format")
            if "/" not in m.group(1) and m.group(1) != KNOWN: return self.answer(404, "not found")
            self.note(kind=kind, check=m.group(1), rid=query.get("rid"), create=query.get("create"), body=raw.decode())
            self.answer(200, "OK")
        # Sentry, "Crons: HTTP"
        def sentry(self, path, query):
            m = re.fullmatch("/api/([0-9]+)/cron/([a-z0-9_-]+)/([0-9a-z]+)/", path)
            if not m: return self.answer(404, "{}")
            if query.get("status") not in ("in_progress", "ok", "error"): return self.answer(400, "{}")
            if not re.fullmatch(UUID, query.get("check_in_id", "")): return self.answer(400, "{}")
            self.note(kind=query["status"], check="/".join(m.groups()), rid=query["check_in_id"], environment=query.get("environment"))
            self.answer(202, json.dumps({"id": query["check_in_id"]}))
        def json(self, raw):
            if not self.headers.get("content-type", "").startswith("application/json"): return None
            try: return json.loads(raw)
            except ValueError: return None
        # Slack, "Sending messages using incoming webhooks": a longer text is split
        def slack(self, raw):
            body = self.json(raw)
            if not body or not isinstance(body.get("text"), str): return self.answer(400, "invalid_payload")
            if not body["text"]: return self.answer(400, "no_text")
            if len(body["text"]) > 4000: return self.answer(400, "split")
            self.note(kind="slack", text=body["text"])
            self.answer(200, "ok")
        # Teams, "Post a workflow when a webhook request is received"
        def teams(self, raw):
            body = self.json(raw)
            try:
                card = body["attachments"][0]["content"]
                assert body["type"] == "message" and len(raw) <= 28 * 1024
                assert body["attachments"][0]["contentType"] == "application/vnd.microsoft.card.adaptive"
                assert card["type"] == "AdaptiveCard" and re.fullmatch("1[.][0-5]", card["version"])
                texts = []
                for block in card["body"]:
                    if block["type"] == "TextBlock": texts.append(block["text"])
                    elif block["type"] == "FactSet":
                        for fact in block["facts"]: texts.append(fact["title"] + "=" + fact["value"])
                    else: raise AssertionError(block)
                links = [a["url"] for a in card.get("actions", []) if a["type"] == "Action.OpenUrl"]
            except Exception as e: return self.answer(400, repr(e))
            self.note(kind="teams", text="\n".join(texts), links=links)
            self.answer(202, "")
        # Telegram, Bot API: sendMessage
        def telegram(self, path, raw):
            body = self.json(raw)
            def refuse(why): self.answer(400, json.dumps({"ok": False, "error_code": 400, "description": "Bad Request: " + why}))
            if path != "/bot123:abc/sendMessage": return self.answer(404, json.dumps({"ok": False, "error_code": 404}))
            if not body or not body.get("text"): return refuse("message text is empty")
            if body.get("chat_id") not in ("-1001", "@ops"): return refuse("chat not found")
            if len(body["text"].encode("utf-16-le")) > 2 * 4096: return refuse("message is too long")
            if "parse_mode" in body: return refuse("can't parse entities")
            self.note(kind="telegram", text=body["text"])
            self.answer(200, json.dumps({"ok": True, "result": {"message_id": 1}}))
        # ntfy, "Publish as JSON"
        def ntfy(self, raw):
            body = self.json(raw)
            if not body or not re.fullmatch("[-_A-Za-z0-9]{1,64}", body.get("topic", "")): return self.answer(400, "{}")
            if body["topic"] == "private" and self.headers.get("authorization") != "Bearer tk_1": return self.answer(403, "{}")
            if len(body.get("message", "").encode()) > 4096: return self.answer(400, "attachment")
            if body.get("priority", 3) not in (1, 2, 3, 4, 5): return self.answer(400, "{}")
            self.note(kind="ntfy", title=body.get("title"), text=body["message"], priority=body["priority"], tags=body.get("tags"), click=body.get("click"))
            self.answer(200, json.dumps({"id": "x", "event": "message"}))
        # Discord, "Execute Webhook": at most 2,000 characters, and who is called is said
        def discord(self, path, raw):
            body = self.json(raw)
            if path != "/api/webhooks/1/x": return self.answer(401, "{}")
            if not body or not isinstance(body.get("content"), str) or not body["content"].strip(): return self.answer(400, "empty")
            if units(body["content"]) > 2000: return self.answer(400, "long")
            if set(body) != {"content", "allowed_mentions", "flags"} or body["flags"] != 4: return self.answer(400, "fields")
            self.note(kind="discord", text=body["content"], mentions=body["allowed_mentions"])
            self.answer(204, "")
        # Matrix, "PUT /_matrix/client/v3/rooms/{roomId}/send/{eventType}/{txnId}": a second one with the
        # same transaction is the first one again
        def matrix(self, path, raw):
            m = re.fullmatch("/_matrix/client/v3/rooms/([^/]+)/send/m.room.message/([^/?]+)", path)
            body = self.json(raw)
            if self.headers.get("authorization") != "Bearer syt_1": return self.answer(401, "{}")
            if not m or unquote(m.group(1)) != "!a/b?c:example.org": return self.answer(403, "{}")
            tries[path] = tries.get(path, 0) + 1
            if tries[path] == 1 and "flaky" in json.dumps(body): return self.answer(502, "{}")
            if not body or body.get("msgtype") != "m.text" or not body.get("body"): return self.answer(400, "{}")
            if len(raw) > 60_000: return self.answer(413, "{}")
            if "formatted_body" in body and body.get("format") != "org.matrix.custom.html": return self.answer(400, "{}")
            self.note(kind="matrix", text=body["body"], mentions=body["m.mentions"], markup=body.get("formatted_body"), key=m.group(2))
            self.answer(200, json.dumps({"event_id": "$x"}))
        # Gotify, "POST /message"
        def gotify(self, raw):
            body = self.json(raw)
            if self.headers.get("x-gotify-key") != "A1": return self.answer(401, "{}")
            if not body or not body.get("message"): return self.answer(400, "{}")
            if type(body.get("priority")) is not int: return self.answer(400, "{}")
            self.note(kind="gotify", title=body["title"], text=body["message"], priority=body["priority"])
            self.answer(200, json.dumps({"id": 1}))
        # Pushover, "Message API": at most 1,024 characters and a title of 250
        def pushover(self, raw):
            if self.headers.get("content-type") != "application/x-www-form-urlencoded": return self.answer(400, "type")
            try: body = {k: v for k, v in parse_qsl(raw.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict")}
            except ValueError as e: return self.answer(400, repr(e))
            if body.get("token") != "azGD" or body.get("user") != "uQiR": return self.answer(400, json.dumps({"status": 0}))
            if not body.get("message") or len(body["message"]) > 1024 or len(body["title"]) > 250: return self.answer(400, json.dumps({"status": 0}))
            if body["priority"] == "2" and not (int(body["retry"]) >= 30 and int(body["expire"]) <= 10800): return self.answer(400, json.dumps({"status": 0}))
            self.note(kind="pushover", title=body["title"], text=body["message"], priority=int(body["priority"]))
            self.answer(200, json.dumps({"status": 1}))
        # PagerDuty, "Events API v2"
        def pagerduty(self, raw):
            body = self.json(raw)
            if not body or body.get("routing_key") != "R1": return self.answer(400, json.dumps({"status": "invalid event"}))
            if not 0 < len(body.get("dedup_key", "")) <= 255 or len(raw) > 512 * 1024: return self.answer(400, "{}")
            if body["event_action"] == "resolve":
                self.note(kind="pagerduty", text="resolve", key=body["dedup_key"])
                return self.answer(202, json.dumps({"status": "success"}))
            payload = body.get("payload", {})
            if body["event_action"] != "trigger" or payload.get("severity") not in ("critical", "error", "warning", "info"): return self.answer(400, "{}")
            if not payload.get("source") or not 0 < len(payload.get("summary", "")) <= 1024: return self.answer(400, "{}")
            details = "\n".join(k + "=" + v for k, v in payload["custom_details"].items())
            self.note(kind="pagerduty", title=payload["summary"], text=details, tags=[payload["severity"]], key=body["dedup_key"])
            self.answer(202, json.dumps({"status": "success", "dedup_key": body["dedup_key"]}))
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        def handle_error(self, *a): pass
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_port)
    server.serve_forever()
    """#
}
