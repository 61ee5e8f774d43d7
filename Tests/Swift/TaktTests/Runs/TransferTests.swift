import Foundation
import Glibc
import Testing

/// `use: http` and `use: mail` with the machine's proxies and libraries.
@Suite(.ownThreads) struct TransferTests {
  /// Takes requests for any host, and tunnels: it answers itself, and records the requests.
  private static let proxy = """
    import base64, http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do(self):
            with open(sys.argv[1], "a") as f:
                f.write("%s %s %s\\n" % (self.command, self.path, self.headers.get("Proxy-Authorization", "-")))
            refused = self.command == "CONNECT" or "refused" in self.path
            self.send_response(403 if refused else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()
        do_GET = do_CONNECT = do
        def log_message(self, *a): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ready(server.server_port)
    server.serve_forever()
    """

  /// Runs one job in the foreground with these variables in its environment.
  private func exec(
    _ url: String, _ variables: [String], in folder: TemporaryFolder
  ) throws -> TaktAnswer {
    try folder.write("jobs:\n  job: {every: 1h, use: http, with: {url: '\(url)'}}\n")
    return try folder.takt(
      variables + [TaktProcess.executable.path, "exec", "job"], program: "/usr/bin/env")
  }

  @Test func `requests go through the proxy of the environment, as those of curl do`() throws {
    let folder = try TemporaryFolder()
    let asked = folder.url.appendingPathComponent("asked")
    let server = try LocalServer(Self.proxy, [asked.path], in: folder)
    let proxy = "http_proxy=http://u:p@127.0.0.1:\(server.port)"
    #expect(try exec("http://inside.example/x?y", [proxy], in: folder).status == 0)
    let lines = try String(contentsOf: asked, encoding: .utf8)
    #expect(lines == "GET http://inside.example/x?y Basic dTpw\n")
    // A client of a CGI program can set this one.
    let capital = "HTTP_PROXY=http://127.0.0.1:\(server.port)"
    let ignored = try exec("http://inside.invalid/", [capital], in: folder)
    #expect(ignored.status == 1 && ignored.errors.contains("dns"))
    let exempt = try exec(
      "http://inside.invalid/", [proxy, "no_proxy=.invalid,other.example"], in: folder)
    #expect(exempt.status == 1 && exempt.errors.contains("dns"))
    #expect(try String(contentsOf: asked, encoding: .utf8) == lines)
  }

  @Test func `a proxy that refuses a tunnel, or is none, is the reason`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer(
      Self.proxy, [folder.url.appendingPathComponent("asked").path], in: folder)
    for variable in [
      "https_proxy=http://127.0.0.1:\(server.port)", "https_proxy=gopher://127.0.0.1:1",
      "ALL_PROXY=http://no-such-host.invalid:1",
    ] {
      let end = try exec("https://inside.example/", [variable], in: folder)
      #expect(end.status == 1 && end.errors.contains("proxy"), "\(variable): \(end.errors)")
    }
  }

  @Test func `a proxy that cannot be reached is named, and its password is not`() throws {
    let folder = try TemporaryFolder()
    let dead = try exec("http://inside.example/", ["http_proxy=http://127.0.0.1:9"], in: folder)
    #expect(dead.status == 1 && dead.errors.contains("proxy"), "\(dead.errors)")
    for value in [
      "http://us:se#kritpw@127.0.0.1:9", "http://us:sekritpw@127.0.0.1:99999",
      "junk://us:sekritpw@x", "http://us:sekritpw@127.0.0.1:9", "http://us:se/kritpw@127.0.0.1:9",
    ] {
      let end = try exec("http://inside.example/", ["http_proxy=\(value)"], in: folder)
      #expect(end.status == 1 && !end.errors.contains("kritpw"), "\(value): \(end.errors)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "it takes root to hide a library"))
  func `without libcurl one run fails and names the package, and takt continues`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        alert: {on: start, use: http, with: {url: 'http://127.0.0.1:9/'}}
        beside: {every: 100ms, use: log, with: {message: x}}

      """)
    let takt = try TaktProcess(
      [
        "--mount", "sh", "-c",
        "for f in $(find /usr/lib /lib -name 'libcurl*.so*' -type f); do mount --bind /dev/null $f; done; exec \"$0\" run",
        TaktProcess.executable.path,
      ], program: "/usr/bin/unshare", in: folder)
    let line = try takt.line("the reason") { $0.line?.contains("libcurl") == true }
    #expect(line.line?.contains("apt-get install libcurl4") == true)
    let end = try takt.line("the end") { $0.job == "alert" && $0.to == "ended" }
    #expect(end.reason == "no_libcurl")
    for _ in 0..<3 { try takt.line("a slot") { $0.job == "beside" && $0.verdict == "ran" } }
    #expect(try takt.stop() == 0)
  }

  @Test func `without a transfer libcurl is not loaded`() throws {
    let takt = try TaktProcess.running(
      "jobs:\n  beside: {every: 50ms, use: log, with: {message: x}}\n"
    ).process
    try takt.line("a slot") { $0.verdict == "ran" }
    let file = try #require(FileHandle(forReadingAtPath: "/proc/\(takt.pid)/maps"))
    let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    #expect(maps.contains("libsqlite3"))
    #expect(!maps.contains("libcurl") && !maps.contains("libssl"))
    #expect(try takt.stop() == 0)
  }

  /// A network of its own, with a name server that never answers and a web server that does.
  private static let silentNames = #"""
    import fcntl, http.server, os, socket, struct, subprocess, sys, threading, time
    lo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(lo, 0x8914, struct.pack("16sh", b"lo", 1))
    with open("resolv.conf", "w") as f: f.write("nameserver 127.0.0.1\noptions timeout:30\n")
    subprocess.check_call(["mount", "--bind", "resolv.conf", os.path.realpath("/etc/resolv.conf")])
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); names.bind(("127.0.0.1", 53))
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
        def log_message(self, *a): pass
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
    parent = os.getpid()
    if os.fork() == 0:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        while os.getppid() == parent: time.sleep(0.5)
        os._exit(0)
    os.execv(sys.argv[1], [sys.argv[1], "run"])
    """#

  @Test(.enabled(if: geteuid() == 0, "it takes root to have a network of one's own"))
  func `a name server that never answers holds up no other transfer`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        lost:
          on: start
          use: http
          with: {url: 'http://takt.example/', timeout: 300ms}
        found:
          after: {job: lost, on: failure}
          use: http
          with: {url: 'http://127.0.0.1:8080/', timeout: 5s}

      """)
    let script = try folder.write(Self.silentNames, to: "network.py")
    let takt = try TaktProcess(
      ["--net", "--mount", "python3", script, TaktProcess.executable.path],
      program: "/usr/bin/unshare", in: folder)
    let lost = try takt.line("the end") { $0.job == "lost" && $0.to == "ended" }
    #expect(lost.reason == "timeout")
    let found = try takt.line("the end of the other") { $0.job == "found" && $0.to == "ended" }
    #expect(found.outcome == "succeeded")
    #expect(try takt.stop() == 0)
  }
}
