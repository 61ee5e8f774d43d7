import Foundation
import Testing

/// A jobs file that a client sends over TCP: it opens only files that are open already, and shows
/// only itself.
@Suite(.ownThreads) struct SentTextTests {
  private static let own = "acmetenant"
  private static let foreign = "topsecretline"

  /// A daemon whose jobs file names a list, beside files that it does not name.
  private func live() throws -> LiveTakt {
    let live = try LiveTakt("jobs: {beat: {every: 1h, run: 'true'}}\n", http: true)
    for name in ["foreign.txt", "foreign.env", "conf/foreign.yaml", "foreign.ics"] {
      let path = live.folder.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("\(Self.foreign)\n".utf8).write(to: path)
    }
    try live.folder.write("\(Self.own)\n", to: "list.txt")
    let file = live.folder.read("jobs.yaml")
    try live.folder.write(
      file.replacingOccurrences(
        of: "jobs: {", with: "jobs: {t: {for_each: {v: {file: list.txt}}, every: 1h, run: 'true'}, "
      ))
    #expect(try live.ask("POST", "/api/v1/reload").status == 200)
    return live
  }

  private func plan(_ text: String, of live: LiveTakt) throws -> String {
    let connection = try RawConnection(port: live.port)
    connection.send(
      [
        "POST /api/v1/plan HTTP/1.1", "Host: 127.0.0.1:\(live.port)",
        "Authorization: Bearer \(live.token)", "Content-Length: \(text.utf8.count)", "", text,
      ].joined(separator: "\r\n"))
    return connection.answer()
  }

  @Test func `a text over TCP opens no file that the running jobs file does not name`() throws {
    let live = try live()
    let token = live.token
    let lists = [
      "foreign.txt", ".takt/token", "/etc/passwd",
      "../\(live.folder.url.lastPathComponent)/foreign.txt",
    ]
    let texts =
      lists.map { "jobs: {a: {for_each: {v: {file: \($0)}}, every: '{{each.v}}', run: x}}\n" }
      + lists.map { "jobs: {a: {for_each: {v: {file: \($0)}}, every: 1h, run: x}}\n" } + [
        "include: conf/foreign.yaml\njobs: {}\n",
        "jobs: {a: {every: 1h, run: x, env_file: foreign.env}}\n",
        "calendars: {c: {file: foreign.ics}}\njobs: {}\n",
      ]
    for text in texts {
      let answer = try plan(text, of: live)
      #expect(answer.hasPrefix("HTTP/1.1 422"), "\(text)\(answer)")
      #expect(answer.contains("not a file of the jobs file that is running"), "\(text)\(answer)")
      for secret in [Self.foreign, token, "root:"] { #expect(!answer.contains(secret), "\(text)") }
    }
    // A pattern finds only files that are known.
    let pattern = try plan("include: 'conf/*'\njobs: {}\n", of: live)
    #expect(!pattern.contains("foreign"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `a file opens over TCP only as what the running jobs file has it for`() throws {
    let live = try live()
    try live.folder.write("PIN=\(Self.foreign)\n", to: "own.env")
    try live.folder.write(
      live.folder.read("jobs.yaml").replacingOccurrences(
        of: "jobs: {", with: "jobs: {e: {every: 1h, run: 'true', env_file: own.env}, "))
    #expect(try live.ask("POST", "/api/v1/reload").status == 200)
    #expect(try plan(live.folder.read("jobs.yaml"), of: live).hasPrefix("HTTP/1.1 200"))
    for keys in [
      "for_each: {v: {file: own.env}}, run: x", "run: x, env_file: list.txt",
      "for_each: {v: {file: own.env}}, run: x, params: {p: {pattern: 'PIN=t.*', default: '{{each.v}}'}}",
    ] {
      let answer = try plan("jobs: {a: {every: 1h, \(keys)}}\n", of: live)
      #expect(answer.hasPrefix("HTTP/1.1 422"), "\(keys)\(answer)")
      #expect(answer.contains("not a file of the jobs file that is running"), "\(keys)\(answer)")
      #expect(!answer.contains(Self.foreign), "\(keys)")
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `what lines of a file make is hidden over TCP, names of jobs too`() throws {
    let live = try live()
    for keys in [
      "every: '{{each.v}}', run: x", "every: 1h, run: x", "every: 1h, run: x, name: 'x{{each.v}}'",
      "every: 1h, run: x, name: n, tags: ['{{each.v}}']",
      "every: 1h, run: x, timezone: '{{each.v}}'",
      "after: '{{each.v}}', run: x", "every: 1h, run: x, user: '{{each.v}}'",
    ] {
      let answer = try plan("jobs: {a: {for_each: {v: {file: list.txt}}, \(keys)}}\n", of: live)
      #expect(
        !answer.replacingOccurrences(of: "t.\(Self.own)", with: "").contains(Self.own),
        "\(keys): \(answer)")
    }
    // A job that is running is known by its name.
    let kept = try plan(live.folder.read("jobs.yaml"), of: live)
    #expect(kept.hasPrefix("HTTP/1.1 200") && kept.contains("\"kept\":2"), "\(kept)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `what a text makes of the lines of a file tells nothing of them over TCP`() throws {
    let live = try live()
    for keys in [
      "params: {p: {pattern: 'acme.*', default: '{{each.v}}'}}",
      "params: {p: {pattern: 'b.*', default: '{{each.v}}'}}",
      "params: {p: {choices: [acmetenant], default: '{{each.v}}'}}",
      "exclude: [{v: acmetenant}]", "exclude: [{v: other}]",
    ] {
      let text = "jobs: {t: {for_each: {v: {file: list.txt}}, every: 1h, run: 'true', \(keys)}}\n"
      let answer = try plan(text, of: live)
      #expect(answer.contains("'t' has values from a file"), "\(keys): \(answer)")
    }
    let late = try plan(
      live.folder.read("jobs.yaml").replacingOccurrences(
        of: "jobs:", with: "defaults: {tags: ['{{each.v}}']}\njobs:"), of: live)
    #expect(late.contains("'t' has values from a file"), "\(late)")
    // Other jobs of the file may change.
    let changed = try plan(
      live.folder.read("jobs.yaml").replacingOccurrences(
        of: "jobs: {", with: "jobs: {n: {every: 2h, run: x}, "), of: live)
    #expect(changed.hasPrefix("HTTP/1.1 200"), "\(changed)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `over the Unix socket a text opens what takt may read`() throws {
    let live = try live()
    let text = "jobs: {a: {for_each: {v: {file: foreign.txt}}, every: 1h, run: x}}\n"
    let answer = try live.ask("POST", "/api/v1/plan", text)
    #expect(answer.status == 200 && answer.text.contains("a.\(Self.foreign)"), "\(answer.text)")
    #expect(try live.process.stop() == 0)
  }
}
