import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// The reader of a message may not be allowed to read a file that a jobs file names.
struct ListSecrecyTests {
  private let folder = TemporaryFolder()

  private func load(_ keys: String, list: String) -> LoadedJobs {
    folder.write(list, to: "list.txt")
    folder.write(
      "jobs:\n  b: {on: start, run: x}\n  a: {for_each: {v: {file: list.txt}}, \(keys)}\n",
      to: "jobs.yaml")
    return JobsLoader().load(path: folder["jobs.yaml"])
  }

  @Test(arguments: [
    "every: '{{each.v}}', run: x, name: 'a.x'", "on: start, run: x",
    "on: start, run: x, name: 'n-{{each.v}}'", "on: start, run: x, name: c, tags: ['{{each.v}}']",
    "cron: '{{each.v}}', run: x, name: c", "calendar: '{{each.v}}', run: x, name: c",
    "every: 1h, run: x, name: c, timezone: '{{each.v}}'",
    "every: 1h, run: x, name: c, user: '{{each.v}}'",
    "every: 1h, run: x, name: c, leeway: '{{each.v}}'",
    "on: start, run: x, name: c, env_file: '{{each.v}}'",
    "on: start, use: '{{each.v}}', name: c", "on: start, run: x, name: c, qos: '{{each.v}}'",
    "after: '{{each.v}}', run: x, name: c", "on: start, run: x, name: c, env: {'{{each.v}}': y}",
    "on: start, run: 'cat <<E {{each.v}}', name: c", "on: start, run: ['x', '{{each.v}}'], name: b",
    "on: start, run: x, name: c, umask: '{{each.v}}'", "at: '{{each.v}}', run: x, name: c",
  ])
  func `no message shows a line of a list, nor a job's name that one makes`(keys: String) {
    let line = "root:$6$aTopSecret:19000:0:99999:7:::"
    for diagnostic in load(keys, list: "\(line)\n").diagnostics {
      #expect(!diagnostic.text.contains("TopSecret"), "\(diagnostic.text)")
      #expect(!diagnostic.text.contains("19000"), "\(diagnostic.text)")
    }
  }

  @Test(arguments: [
    ("on: start, run: x, name: '{{each.v}}'", "b"),
    ("after: 'x{{each.v}}', run: x", "TopSecret"),
    ("after: 'a.{{each.v}}', run: x", "TopSecret"),
    ("on: start, run: x", "TopSecret\nTopSecret"), ("after: a.TopSecre, run: x", "TopSecret"),
  ])
  func `a line that makes a name of a job is not shown where the job is refused`(
    keys: String, list: String
  ) {
    let loaded = load(keys, list: list + "\n")
    #expect(loaded.snapshot == nil)
    for diagnostic in loaded.diagnostics {
      #expect(!diagnostic.text.contains("TopSecret,"), "\(diagnostic.text)")
      #expect(!diagnostic.text.contains("'TopSecret'"), "\(diagnostic.text)")
      #expect(!diagnostic.text.contains("a.TopSecret"), "\(diagnostic.text)")
    }
  }

  @Test func `a message says which line it is about`() {
    let loaded = load("every: '{{each.v}}', run: x", list: "1h\nnever\n")
    #expect(
      loaded.diagnostics.map(\.message) == [
        "line 2 of 'list.txt' makes a job that is not right here (badDuration)"
      ])
  }

  @Test func `names that lines have made are known as such`() {
    let loaded = load("every: 1h, run: x", list: "acme\nglobex\n")
    #expect(loaded.listedJobs.map(\.text).sorted() == ["a.acme", "a.globex"])
  }
}
