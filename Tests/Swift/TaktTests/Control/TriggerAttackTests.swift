import Foundation
import Glibc
import Testing

/// Attacks of a client with a token: it starts the jobs of the file, and gets no other right of
/// takt.
@Suite(.ownThreads) struct TriggerAttackTests {
  private static let jobs = """
    jobs:
      m: {every: 9999h, first: 9999h, use: mail, with: {host: 127.0.0.1, from: a@b, to: a@b}}
      p: {every: 9999h, first: 9999h, use: prune, with: {root: own, older_than: 1000h},
          params: {older_than: {min: 1h}}}
      s: {every: 9999h, first: 9999h, use: signal, with: {pid_file: none}}
      t: {every: 9999h, first: 9999h, use: touch, with: {path: own/x}}
      h: {every: 9999h, first: 9999h, use: http, secrets: {A: {env: PATH}},
          with: {url: 'http://127.0.0.1:9/', body: '{{secret.A}}'}}
      c: {every: 9999h, first: 9999h, run: [sh, -c, 'echo "got $TAKT_PARAM_WORD"'],
          params: {word: {max_length: 30}}}
      st: {every: 9999h, first: 9999h, steps: [{run: 'true'}, {use: show}],
           on_success: {use: show}}

    """

  /// A plugin with an optional parameter.
  private static func addPlugin(to folder: TemporaryFolder) throws {
    let plugin = folder.url.appendingPathComponent("plugins/show")
    try FileManager.default.createDirectory(at: plugin, withIntermediateDirectories: true)
    try "#!/bin/sh\necho \"target [$TAKT_PARAM_TARGET]\"\n".write(
      to: plugin.appendingPathComponent("show"), atomically: true, encoding: .utf8)
    chmod(plugin.appendingPathComponent("show").path, 0o755)
    try
      "name: show\nversion: 1.0.0\nprotocol: 1\nexec: [./show]\nparameters: {target: {type: path}}\n"
      .write(to: plugin.appendingPathComponent("plugin.yaml"), atomically: true, encoding: .utf8)
  }

  /// The status and the body of a trigger over TCP.
  private func trigger(
    _ live: LiveTakt, _ job: String, _ parameters: [String: String]
  ) throws -> (status: Int, body: String) {
    let body = try JSONSerialization.data(withJSONObject: ["parameters": parameters])
    let connection = try RawConnection(port: live.port)
    connection.send(
      [
        "POST /api/v1/jobs/\(job)/trigger HTTP/1.1", "Host: 127.0.0.1:\(live.port)",
        "Authorization: Bearer \(live.token)", "Content-Length: \(body.count)", "", "",
      ].joined(separator: "\r\n"))
    connection.send(Array(body))
    let answer = connection.answer()
    let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return (status, answer)
  }

  @Test func `a token names no program, path, process or address`() throws {
    let live = try LiveTakt(Self.jobs, http: true, setUp: Self.addPlugin)
    let folder = live.folder.url.path
    let program = "\(folder)/prog"
    try live.folder.write("#!/bin/sh\ntouch '\(folder)/pwned'\n", to: "prog")
    chmod(program, 0o755)
    try live.folder.write("", to: "victim")
    for (job, parameters) in [
      ("m", ["sendmail": program]), ("p", ["root": folder]), ("p", ["recursive": "true"]),
      ("p", ["older_than": "1m"]), ("s", ["pid_file": "\(folder)/pid", "signal": "KILL"]),
      ("t", ["path": "\(folder)/touched"]), ("h", ["url": "http://127.0.0.1:1/"]),
      ("c", ["word": String(repeating: "x", count: 31)]),
    ] as [(String, [String: String])] {
      let (status, body) = try trigger(live, job, parameters)
      #expect(status == 400, "\(job) \(parameters) \(body)")
    }
    // Data is not interpreted.
    #expect(try trigger(live, "c", ["word": "$(touch touched); `x`"]).status == 202)
    try live.process.line("the word") { $0.line == "got $(touch touched); `x`" }
    for name in ["pwned", "touched"] {
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(name)"))
    }
    // Only declared parameters are open, and takt's own user has takt's rights.
    #expect(try trigger(live, "p", ["older_than": "2h"]).status == 202)
    let own = try live.takt("trigger", "t", "--with", "path=\(folder)/touched", "--wait")
    #expect(own.status == 0 && FileManager.default.fileExists(atPath: "\(folder)/touched"))
    #expect(live.process.lines.allSatisfy { $0.job != "m" || $0.run == nil })
  }

  @Test func `no trigger takes a secret elsewhere, not even on the socket`() throws {
    let live = try LiveTakt(Self.jobs, setUp: Self.addPlugin)
    let run = try live.takt("trigger", "h", "--with", "url=http://127.0.0.1:1/", "--wait")
    #expect(run.status == 1)
    #expect(run.errors.contains("failed, secret_diverted"), "\(run.errors)")
    #expect(run.output.hasPrefix("the trigger has set 'url', which decides"), "\(run.output)")
    let other = try live.takt("trigger", "h", "--with", "timeout=5s", "--wait")
    #expect(other.errors.contains("failed, refused"), "\(other.errors)")
  }

  @Test func `what a command is given is no parameter of a plugin in its steps and hooks`() throws {
    let live = try LiveTakt(Self.jobs, http: true, setUp: Self.addPlugin)
    #expect(try trigger(live, "st", ["TARGET": "/etc/shadow"]).status == 202)
    for _ in 0..<2 {
      let line = try live.process.line("the plugin") { $0.line?.hasPrefix("target") == true }
      #expect(line.line == "target []")
    }
  }

  @Test func `commands show what a trigger set`() throws {
    let live = try LiveTakt(Self.jobs, setUp: Self.addPlugin)
    #expect(try live.takt("trigger", "c", "--wait", "--with", "word=a b").status == 0)
    #expect(try live.takt("trigger", "c", "--wait", "--with", "API_TOKEN=pw").status == 0)
    let runs = try live.takt("runs", "--long").output
    #expect(runs.contains("PARAMETERS") && runs.contains("word=a b"))
    #expect(runs.contains("API_TOKEN=***") && !runs.contains("pw"))
    #expect(try live.takt("runs", "--json").output.contains(#""parameters":{"word":"a b"}"#))
    let status = try live.takt("status", "c").output
    #expect(status.contains("params.word") && status.contains("string, up to 30 characters"))
    #expect(status.contains("with API_TOKEN=***"))
  }

  @Test func `exec takes no parameters`() throws {
    let folder = try TemporaryFolder(Self.jobs)
    try Self.addPlugin(to: folder)
    let process = try folder.takt("exec", "h", "--with", "url=http://127.0.0.1:1/")
    #expect(process.status == 64)
  }
}
