import Foundation

/// A program in Python beside a test, such as a web server on a free port. It ends with this
/// object, and with this process at the latest.
final class LocalServer {
  /// The port, which it prints when it is ready.
  let port: Int
  private let process: TaktProcess

  /// The script calls `ready` with a number. It is started like takt, so that no two tests start
  /// programs at once and pass each other's pipes to them.
  init(_ script: String, _ arguments: [String] = [], in folder: TemporaryFolder) throws {
    let head = """
      import json as _json, os as _os, threading as _threading, time as _time
      def _guard(parent=_os.getppid()):
          while _os.getppid() == parent: _time.sleep(1)
          _os._exit(0)
      _threading.Thread(target=_guard, daemon=True).start()
      def ready(number):
          print(_json.dumps({"ts": "", "level": "", "event": "ready", "count": number}), flush=True)

      """
    let file = try folder.write(head + script, to: "server-\(UUID().uuidString).py")
    process = try TaktProcess([file] + arguments, program: "python3", in: folder)
    port = try process.line("the port") { $0.event == "ready" }.count ?? 0
  }

  /// Runs a program to its end and returns its output.
  @discardableResult
  static func run(
    _ program: String, _ arguments: [String], in folder: TemporaryFolder
  ) throws -> String {
    let process = try TaktProcess(arguments, program: program, in: folder)
    let text = try process.text()
    guard process.waitForExit() == 0 else {
      throw TaktProcess.Silence(description: "\(program) failed: \(process.errors)")
    }
    return text
  }

  /// A web server: `/500` answers with that status, `/late` after 200 ms, `/slow` after a minute,
  /// `/busy` the first time with 429 and then with 200. It records each request in the file
  /// `requests`, a line of JSON each.
  static func web(in folder: TemporaryFolder, certificate: [String] = []) throws -> LocalServer {
    try LocalServer(
      """
      import http.server, json, re, ssl, sys, time
      seen = []
      class Handler(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"
          def do_GET(self):
              body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
              seen.append(self.path)
              with open(sys.argv[1], "a") as file:
                  file.write(json.dumps({"method": self.command, "path": self.path, "body": body}) + "\\n")
              time.sleep({"/late": 0.2, "/slow": 60}.get(self.path, 0))
              match = re.match("/([0-9]{3})", self.path)
              status = int(match[1]) if match else 200
              if self.path.startswith("/busy") and seen.count(self.path) == 1: status = 429
              self.send_response(status)
              if status == 429: self.send_header("Retry-After", "0")
              self.send_header("Content-Length", "5")
              self.end_headers()
              self.wfile.write(b"hello")
          do_POST = do_GET
          def log_message(self, *_): pass
      class Server(http.server.ThreadingHTTPServer):
          daemon_threads = True
          def handle_error(self, *_): pass
      server = Server(("127.0.0.1", 0), Handler)
      if len(sys.argv) > 2:
          context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
          context.load_cert_chain(sys.argv[2], sys.argv[3])
          server.socket = context.wrap_socket(server.socket, server_side=True)
      ready(server.server_address[1])
      server.serve_forever()
      """, [folder.url.appendingPathComponent("requests").path] + certificate, in: folder)
  }

  /// A key and a self-signed certificate for `localhost`, valid for two days.
  static func makeCertificate(in folder: TemporaryFolder) throws -> [String] {
    let (certificate, key) = (folder.url.path + "/cert.pem", folder.url.path + "/key.pem")
    try run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out",
        certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
      ], in: folder)
    return [certificate, key]
  }
}
