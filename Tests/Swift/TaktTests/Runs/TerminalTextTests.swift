import Foundation
import Testing

/// Texts of others in the output of every command, which must not control a terminal.
@Suite(.ownThreads) struct TerminalTextTests {
  /// ESC, C1, both directions of writing, separators of lines, and DEL.
  private static let hostile =
    "x\u{1b}[31m\u{9b}2J\u{85}\u{202e}\u{2066}\u{200f}\u{061c}\u{2028}\u{2029}\u{7f}\ry"

  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 9, 10: false
    case 0..<32, 127..<160, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Runs a command, and expects that neither of its outputs controls a terminal.
  @discardableResult
  private func expectPlain(
    _ words: [String], in folder: TemporaryFolder, _ comment: String
  ) throws -> String {
    let command = try folder.takt(words)
    _ = command.status
    // Lines of a calendar have this end.
    let shown = (command.output + command.errors).replacing("\r\n", with: "\n")
    let steering = shown.unicodeScalars.filter(Self.steers).map { String($0.value, radix: 16) }
    #expect(steering.isEmpty, "\(comment): \(words): \(steering) in \(shown.debugDescription)")
    return shown
  }

  @Test func `the name of a file does not control a terminal`() throws {
    let folder = try TemporaryFolder()
    let name = Self.hostile + ".yaml"
    try folder.write("jobs:\n  a: {every: 1h, run: 'true'}\n", to: name)
    let missing = Self.hostile + ".none"
    let wrong = Self.hostile + ".wrong"
    try folder.write(
      "jobs:\n  a: {evry: \"\(Self.hostile.dropLast(2))\", run: \"\u{202e}\"}\n", to: wrong)
    try folder.write("include: [\"\(wrong)\"]\njobs: {}\n", to: "including.yaml")
    let commands = [
      ["check"], ["plan"], ["next"], ["explain", "a"], ["simulate", "--for", "1h"], ["status"],
      ["trigger", "a"], ["suspend", "a"], ["resume", "a"], ["cancel", "a"], ["reload"], ["open"],
      ["runs"], ["why", "a"], ["logs", "a"], ["verify"], ["verify", "--json"], ["exec", "a"],
      ["export"], ["plugins"], ["backfill", "a", "--from", "1d"], ["cluster"],
      ["once", "--in", "1h", "--", "true"], ["next", "--json"], ["next", "--ics"],
    ]
    for words in commands {
      for file in [name, missing, wrong] {
        try expectPlain(words + ["-f", file], in: folder, "a file")
      }
    }
    let shown = try expectPlain(["check", wrong], in: folder, "a diagnostic")
    #expect(shown.contains("the control character U+001B is not allowed"), "\(shown)")
    #expect(shown.contains("evry: \"x\u{fffd}[31m"), "\(shown)")
    try folder.write("jobs:\n  a: {evry: \"\u{202e}\u{2066}x\"}\n", to: "turned.yaml")
    let turned = try expectPlain(["check", "turned.yaml"], in: folder, "a diagnostic")
    #expect(turned.contains("evry: \"\u{fffd}\u{fffd}x\""), "\(turned)")
    for words in [
      ["check", "including.yaml"], ["plan", name, wrong], ["import", missing], ["import", wrong],
      ["verify", "--state", missing], ["verify", "--log", missing], ["explain", Self.hostile],
      ["explain", "--cron", Self.hostile], ["runs", Self.hostile], ["logs", Self.hostile],
      ["why", Self.hostile], ["plugins", "show", Self.hostile], ["plugins", "check", Self.hostile],
      ["plugins", "new", Self.hostile], ["simulate", "--fault", Self.hostile], ["init", wrong],
      ["init", "--from", Self.hostile], [Self.hostile], ["runs", "--since", Self.hostile],
      ["run", "-f", missing], ["run", "-f", wrong],
    ] {
      try expectPlain(words, in: folder, "an argument")
    }
  }

  /// Answers every request with hostile texts, in the form of the file `answer`.
  private static let hostileServer =
    """
    import socket, socketserver, http.server
    hostile = open("hostile", newline="", encoding="utf-8").read()
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if open("answer").read() == "text":
                status, body, kind = 200, hostile + "\\n", "text/plain"
            elif open("answer").read() == "raw":
                status, body, kind = 200, '{"name": "' + hostile + '"}', "application/json"
            else:
                status, kind = 409, "application/problem+json"
                place = {"file": hostile, "line": 1, "column": 1}
                body = _json.dumps({
                    "title": hostile, "detail": hostile, "status": 409, "code": hostile,
                    "diagnostics": [{
                        "severity": "error", "code": "unreadable", "message": hostile, "hint": hostile,
                        "line": hostile, "source_line": hostile, "file": hostile, "column": 1, **place}]})
            data = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        do_POST = do_GET
        def address_string(self): return ""
        def log_message(self, *_): pass
    class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer): daemon_threads = True
    server = Server(".takt/control.sock", Handler)
    ready(1)
    server.serve_forever()

    """

  @Test func `a daemon's answer does not control a terminal`() throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 1h, run: 'true'}\n")
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent(".takt"), withIntermediateDirectories: true)
    try folder.write(Self.hostile, to: "hostile")
    let server = try LocalServer(Self.hostileServer, in: folder)
    for answer in ["problem", "text", "raw"] {
      try folder.write(answer, to: "answer")
      for words in [
        ["status"], ["status", "a"], ["status", "--json"], ["status", "--cluster"],
        ["trigger", "a"],
        ["trigger", "a", "--json"], ["trigger", "a", "--wait"], ["suspend", "a"],
        ["suspend", "a", "--json"], ["resume", "a"], ["cancel", "a"], ["reload"],
        ["reload", "--json"], ["plan"], ["plan", "--json"], ["open"], ["logs", "a", "--follow"],
        ["runs", "--cluster"], ["cluster"], ["cluster", "--json"],
        ["backfill", "a", "--from", "1d"],
        ["once", "--in", "1h", "--", "true"],
      ] {
        try expectPlain(words, in: folder, answer)
      }
    }
    try folder.write("text", to: "answer")
    #expect(
      try expectPlain(["status"], in: folder, "status")
        == "x\u{fffd}[31m\u{fffd}2J" + String(repeating: "\u{fffd}", count: 9) + "y\n")
    withExtendedLifetime(server) {}
  }

  @Test func `the text log shows what would steer a terminal`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.hostile, to: "hostile")
    try folder.write(
      """
      jobs:
        a: {on: start, run: [cat, hostile]}
        b: {on: start, run: 'true', cwd: "\\u202e"}
        c: {after: [{job: a, on: any}], run: touch ended}

      """)
    let takt = try TaktProcess(["run", "--log-format", "text"], in: folder)
    try folder.waitFor("ended")
    takt.signal(SIGTERM)
    let text = try takt.text()
    _ = takt.waitForExit()
    // The line after its carriage return, in the colour of before.
    #expect(text.contains("\u{fffd}[0;31my"))
    #expect(text.unicodeScalars.allSatisfy { !Self.steers($0) }, "\(text.debugDescription)")
  }
}
