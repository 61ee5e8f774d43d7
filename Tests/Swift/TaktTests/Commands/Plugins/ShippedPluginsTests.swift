import Foundation
import TestSupport
import Testing

/// The plugins that come with takt, run on real things.
@Suite(.ownThreads) struct ShippedPluginsTests {
  /// The repository's folder of plugins.
  static let plugins = Repository.url("plugins")

  /// Runs the job `job` once in the foreground.
  func exec(
    _ job: String, in folder: TemporaryFolder, slot: String? = nil
  ) throws -> TaktAnswer {
    try folder.write(
      "scheduler: {plugins: \"\(Self.plugins.path)\"}\njobs:\n  job: {every: 1h, \(job)}\n")
    return try folder.takt(["exec", "job"] + (slot.map { ["--slot", $0] } ?? []))
  }

  /// Expects success, or a failure with this reason.
  func expect(
    _ reason: String?, of end: TaktAnswer, _ row: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      end.status == (reason == nil ? 0 : 1), "\(row)\n\(end.text)", sourceLocation: sourceLocation)
    if let reason {
      #expect(
        end.text.contains("plugin(\(reason))"), "\(row)\n\(end.text)",
        sourceLocation: sourceLocation)
    }
  }

  private func requests(in folder: TemporaryFolder) throws -> [[String: String]] {
    try folder.read("requests").split(separator: "\n").map {
      try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
    }
  }

  func python(
    _ script: String, _ arguments: String..., in folder: TemporaryFolder
  ) throws -> String {
    try LocalServer.run("python3", ["-c", script] + arguments, in: folder)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: load and mains-power

  @Test(arguments: [
    ("0.40 2.00 9.00 1/1 1", "{per_cpu: false}", nil),
    ("1.00 2.00 9.00 1/1 1", "{per_cpu: false}", "busy"),
    ("1.00 2.00 9.00 1/1 1", "{per_cpu: false, minutes: 5, below: 2.01}", nil),
    ("1.00 2.00 9.00 1/1 1", "{per_cpu: false, minutes: '15', below: 8.5}", "busy"),
    ("0.00 0.00 0.00 1/1 1", "{below: 0.001}", nil),
    ("nonsense", "{}", "no_load"), ("", "{}", "no_load"),
  ])
  func `load succeeds while it is below the bound`(
    text: String, with: String, reason: String?
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write(text + "\n", to: "loadavg")
    let parameters = with == "{}" ? "{file: loadavg}" : "{file: loadavg, " + with.dropFirst()
    let end = try exec("use: load, with: \(parameters)", in: folder)
    expect(reason, of: end, "\(text) \(with)")
  }

  @Test(arguments: [
    ([], "{}", nil),
    (["AC Mains 1", "BAT Battery Charging 40"], "{}", nil),
    (["AC Mains 0", "BAT Battery Discharging 40"], "{}", "battery"),
    (["BAT Battery Discharging 40"], "{}", "battery"),
    (["BAT Battery Discharging 40"], "{enough: 40%}", nil),
    (["BAT Battery Discharging 39"], "{enough: 40%}", "battery"),
    (["A Battery Discharging 90", "B Battery Discharging 10"], "{enough: 50%}", "battery"),
    (["USB USB_C 1", "BAT Battery Discharging 40"], "{}", nil),
  ])
  func `mains-power fails on battery alone`(
    supplies: [String], with: String, reason: String?
  ) throws {
    let folder = try TemporaryFolder()
    for supply in supplies {
      let words = supply.split(separator: " ").map(String.init)
      let place = folder.url.appendingPathComponent("power/\(words[0])")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      func write(_ text: String, _ name: String) throws {
        try Data((text + "\n").utf8).write(to: place.appendingPathComponent(name))
      }
      try write(words[1], "type")
      try write(words[2], words[1] == "Battery" ? "status" : "online")
      if words.count > 3 { try write(words[3], "capacity") }
    }
    let parameters = with == "{}" ? "{folder: power}" : "{folder: power, " + with.dropFirst()
    let end = try exec("use: mains-power, with: \(parameters)", in: folder)
    expect(reason, of: end, "\(supplies) \(with)")
  }

  // MARK: disk-usage

  @Test(arguments: [
    ("{path: /, warning: 100%, critical: 100%}", nil),
    ("{path: /, warning: 0%, critical: 100%}", nil),
    ("{path: /, warning: 0%, critical: 100%, fail_on: warning}", "warning"),
    ("{path: /, warning: 0%, critical: 0%, inodes: true}", "critical"),
    ("{path: ., warning: 100%, critical: 100%}", nil),
    ("{path: /proc}", "no_size"),
    (#"{path: "no\n\"such\" place\\"}"#, "no_path"),
  ])
  func `a disk is as full as its thresholds say`(with: String, reason: String?) throws {
    let folder = try TemporaryFolder()
    expect(reason, of: try exec("use: disk-usage, with: \(with)", in: folder), with)
  }

  // MARK: http-check

  @Test(arguments: [
    ("{url: U/}", nil),
    ("{url: U/, body_contains: hell, max_latency: 30s}", nil),
    ("{url: U/500}", "status"),
    ("{url: U/404, expect: [200, 404]}", nil),
    ("{url: U/302, expect: 3xx, headers: {X-Key: abc}}", nil),
    ("{url: U/, body_contains: goodbye}", "body"),
    ("{url: U/late, max_latency: 100ms}", "latency"),
    ("{url: U/slow, timeout: 200ms}", "timeout"),
    ("{url: U/, expect: [okay]}", "parameters"),
    ("{url: 'http://127.0.0.1:1/'}", "refused"),
    ("{url: 'http://nowhere.invalid/'}", "dns"),
  ])
  func `a site is judged by its answer`(with: String, reason: String?) throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    let values = with.replacingOccurrences(of: "U/", with: "http://127.0.0.1:\(server.port)/")
    expect(reason, of: try exec("use: http-check, with: \(values)", in: folder), with)
  }

  @Test(arguments: [
    ("", "tls"),
    (", ca_file: cert.pem, certificate_days: 1", nil),
    (", ca_file: cert.pem, certificate_days: 3", "certificate"),
    (", ca_file: missing.pem", "ca_file"),
  ])
  func `a certificate must be trusted and last`(more: String, reason: String?) throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(
      in: folder, certificate: LocalServer.makeCertificate(in: folder))
    let with = "{url: 'https://localhost:\(server.port)/'\(more)}"
    expect(reason, of: try exec("use: http-check, with: \(with)", in: folder), with)
  }

  @Test func `a check that waits obeys a timeout at once`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    let end = try exec(
      """
      use: http-check, timeout: 500ms, kill: {grace: 50s},
          with: {url: 'http://127.0.0.1:\(server.port)/slow', timeout: 50s}
      """, in: folder)
    #expect(end.status == 124, "\(end.text)")
    #expect(!end.text.contains("killing"), "\(end.text)")
  }

  @Test func `the log says the reason, and a retry may help`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    try folder.write(
      """
      scheduler: {plugins: "\(Self.plugins.path)"}
      jobs:
        fails:
          on: start
          use: http-check
          with: {url: "http://127.0.0.1:\(server.port)/503"}
        recovers:
          on: start
          retry: {attempts: 3, delay: 10ms}
          use: http-check
          with: {url: "http://127.0.0.1:\(server.port)/busy"}
      """)
    let takt = try TaktProcess(["run"], in: folder)
    var ends: [String: TaktProcess.Line] = [:]
    while ends.count < 2 {
      let end = try takt.line("an end") { $0.to == "ended" && $0.outcome != nil }
      ends[end.job ?? ""] = end
    }
    #expect(ends["fails"]?.outcome == "failed")
    #expect(ends["fails"]?.reason == "plugin(status)")
    #expect(ends["recovers"]?.outcome == "succeeded")
    #expect(try requests(in: folder).filter { $0["path"] == "/busy" }.count == 2)
    #expect(try takt.stop() == 0)
  }

  // MARK: webhook

  @Test func `a failure is reported to Slack, and the address is shown nowhere`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    let token = try folder.write("http://127.0.0.1:\(server.port)/s3cret\n", to: "url")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
    let end = try exec(
      """
      run: 'echo "disk <full> & more"; exit 7', secrets: {HOOK: {file: url}},
          on_failure: {use: webhook, with: {url: "{{secret.HOOK}}"}}
      """, in: folder, slot: "2026-12-24T18:00:00Z")
    #expect(end.status == 7, "\(end.text)")
    #expect(!end.text.contains("s3cret"))
    let seen = try requests(in: folder)
    #expect(seen.map { $0["path"] } == ["/s3cret"])
    #expect(seen.first?["method"] == "POST")
    let message = try JSONDecoder().decode(
      [String: String].self, from: Data((seen.first?["body"] ?? "").utf8))
    let text = try #require(message["text"])
    #expect(text.hasPrefix("*job* failed: exit(7)\nslot 2026-12-24T18:00:00.000Z, "))
    #expect(text.hasSuffix("```\ndisk &lt;full&gt; &amp; more\n```"))
  }

  @Test func `a program gets the facts, and a busy server is asked again`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    let end = try exec(
      """
      run: 'exit 7', on_failure: {use: webhook, with: {
          url: 'http://127.0.0.1:\(server.port)/busy', format: json, text: '{job}: {reason}'}}
      """, in: folder)
    #expect(end.status == 7, "\(end.text)")
    struct Facts: Decodable {
      var job: String
      var hook: String
      var outcome: String
      var reason: String
      var attempts: Int
      var streak: Int
      var text: String
    }
    let seen = try requests(in: folder)
    #expect(seen.count == 2 && seen.first == seen.last)
    let facts = try JSONDecoder().decode(Facts.self, from: Data((seen.last?["body"] ?? "").utf8))
    #expect(facts.job == "job" && facts.hook == "on_failure" && facts.outcome == "failed")
    #expect(facts.reason == "exit(7)" && facts.attempts == 1 && facts.streak == 1)
    #expect(facts.text == "job: exit(7)")
  }

  @Test func `a hook that is refused does not change the run, and its reason is logged`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    let end = try exec(
      """
      run: 'true', on_success: {use: webhook, with: {
          url: 'http://127.0.0.1:\(server.port)/404/s3cret'}}
      """, in: folder)
    #expect(end.status == 0, "\(end.text)")
    #expect(end.text.contains("plugin(status)"))
    #expect(!end.text.contains("s3cret"))
    #expect(try requests(in: folder).count == 1)
  }

  @Test func `a notifier is for hooks alone`() throws {
    let folder = try TemporaryFolder()
    let end = try exec("use: webhook, with: {url: 'http://localhost/'}", in: folder)
    #expect(end.status == 78, "\(end.text)")
  }

  // MARK: google-chat

  @Test func `a request needs no program, and nobody sees where it goes`() throws {
    let folder = try TemporaryFolder()
    let server = try LocalServer.web(in: folder)
    let token = try folder.write("http://127.0.0.1:\(server.port)/s3cret\n", to: "url")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
    let end = try exec(
      """
      run: 'echo "a \\"quoted\\" end"; exit 7', secrets: {HOOK: {file: url}},
          on_failure: {use: google-chat, with: {url: "{{secret.HOOK}}"}}
      """, in: folder)
    #expect(end.status == 7, "\(end.text)")
    #expect(!end.text.contains("s3cret"))
    let seen = try requests(in: folder)
    #expect(seen.map { $0["path"] } == ["/s3cret"])
    let message = try JSONDecoder().decode(
      [String: String].self, from: Data((seen.first?["body"] ?? "").utf8))
    let text = try #require(message["text"])
    #expect(text.hasPrefix("*job failed on ") && text.hasSuffix("a \"quoted\" end"), "\(text)")
  }

  // MARK: all

  @Test func `the examples of the README are right`() throws {
    let folder = try TemporaryFolder()
    let readme = try String(
      contentsOf: Self.plugins.appendingPathComponent("README.md"), encoding: .utf8)
    let blocks = readme.components(separatedBy: "```yaml\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 7)
    for block in blocks {
      try folder.write("scheduler: {plugins: \"\(Self.plugins.path)\"}\n" + block)
      let takt = try folder.takt("check")
      #expect(takt.status == 0, "\(block)\n\(takt.output)\(takt.errors)")
    }
  }

  @Test(arguments: ["disk-usage", "http-check", "load", "mains-power", "sqlite-backup", "webhook"])
  func `by hand a plugin says what to do`(name: String) throws {
    let folder = try TemporaryFolder()
    let program = Self.plugins.appendingPathComponent("\(name)/\(name)").path
    let shell = try TaktProcess(["-c", "'\(program)' 3>&-"], program: "/bin/sh", in: folder)
    #expect(try shell.text().isEmpty)
    #expect(shell.waitForExit() == 64)
    #expect(shell.errors.contains("use: \(name)"))
  }

  // MARK: one from the protocol's document alone

  @Test func `a newcomer's service in Perl works`() throws {
    let folder = try TemporaryFolder()
    let repository = Self.plugins.deletingLastPathComponent()
    try folder.write(
      """
      scheduler: {plugins: \(repository.path)/Tests/Data/plugins}
      jobs:
        waits: {on: start, use: wait-for, with: {path: there, every: 20ms, remove: true}}
        gives-up: {on: start, timeout: 300ms, use: wait-for, with: {path: never, every: 20ms}}
        comes: {on: start, run: "sleep 0.5; : > there"}
      """)
    let takt = try TaktProcess(["run"], in: folder)
    var outcomes: [String: String] = [:]
    while outcomes.count < 3 {
      let end = try takt.line("the ends") { $0.to == "ended" }
      outcomes[end.job ?? ""] = end.outcome
    }
    #expect(outcomes == ["waits": "succeeded", "gives-up": "timed_out", "comes": "succeeded"])
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/there"))
    #expect(try takt.stop() == 0)
  }
}
