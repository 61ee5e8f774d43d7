import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

struct EnvironmentFileTests {
  private let folder = TemporaryFolder()

  private func load(_ keys: String, before: String = "") -> LoadedJobs {
    folder.write("\(before)\njobs:\n  a: {on: start, run: x, \(keys)}\n", to: "jobs.yaml")
    return loader.load(path: folder["jobs.yaml"])
  }

  private func environment(of loaded: LoadedJobs) throws -> [String: String] {
    #expect(loaded.diagnostics.map(\.headline) == [])
    return try #require(loaded.snapshot).jobs[0].execution.environment
  }

  @Test(
    arguments: [
      ("A=b", "b"), ("A=", ""), ("  export \t A=b  ", "b"), ("A=a b # c", "a b"), ("A=a#b", "a#b"),
      ("A=#b", "#b"), ("A= # c", ""), ("A='a \"\\n$x'", "a \"\\n$x"), ("A=\"\"", ""),
      ("A=\"a\\n\\t\\\\\\\"\\$'\" # c", "a\n\t\\\"$'"), ("A=${B}$(c)", "${B}$(c)"),
      ("A=a=b", "a=b"),
      ("\u{feff}A=é😀\r\n", "é😀"), ("# c\n\n \t\nA=b", "b"), ("export=c\nA=b", "b"),
    ] as [(String, String)])
  func `a line gives a variable`(text: String, value: String) throws {
    folder.write(text, to: "e")
    #expect(try environment(of: load("env_file: e"))["A"] == value)
  }

  @Test(arguments: [
    "syntax | A=b\n»B", "badName | »A-B=c", "badName | »=c", "badName | »A =c", "badName | »1=c",
    "syntax | A=» b", "syntax | export A=é»\"b\"", "syntax | A=b»'c", "syntax | A=b»\\n",
    "syntax | A=»\"b", "syntax syntax | A=»'b\n»'", "syntax | A=\"b»\\x\"", "syntax | A=\"b»\\",
    "syntax | A='b'»c", "syntax | A=\"b\"»#c", "duplicateKey | A=b\n»A=c", "badName | »TAKT_JOB=x",
    "notUTF8 | A=b\nB=»\u{1}",
    "syntax badName | »A\n»B-C=d",
  ])
  func `a mistake is reported with its place in the file`(row: String) {
    let parts = row.split(separator: " | ", maxSplits: 1)
    let marked = MarkedText(String(parts[1]))
    folder.write(marked.text, to: "e")
    let loaded = load("env_file: e")
    let codes = parts[0].split(separator: " ")
    #expect(rows(loaded.diagnostics) == zip(marked.places, codes).map { "\($0) \($1)" })
    #expect(loaded.diagnostics.allSatisfy { $0.location.file == folder["e"] })
    #expect(loaded.snapshot == nil)
  }

  @Test func `a mistake is reported once for many jobs, and shows nothing of its line`() {
    folder.write("A=1\nB hush\nhush =hush\n", to: "e")
    let loaded = load("env_file: e}\n  b: {on: start, run: x, env_file: [e, ./e]")
    #expect(rows(loaded.diagnostics) == ["2:1 syntax", "3:1 badName"])
    #expect(loaded.diagnostics.allSatisfy { !$0.text.contains("hush") })
    #expect(loaded.files == [folder["jobs.yaml"], folder["e"]])
  }

  @Test func `env stands over files, and a later file over an earlier`() throws {
    folder.write("A=1\nB=1\nC=1\nD=1\n", to: "e")
    folder.write("B=2\nC=2\n", to: "f")
    let loaded = load("env_file: [e, f], env: {C: 3, D: null}")
    #expect(try environment(of: loaded) == ["A": "1", "B": "2", "C": "3"])
  }

  @Test func `files of defaults hold for jobs without their own`() throws {
    folder.write("A=1\n", to: "e")
    folder.write("A=2\nB=2\n", to: "f")
    let before = "defaults: {env_file: e, env: {B: 0}}"
    #expect(try environment(of: load("qos: utility", before: before)) == ["A": "1", "B": "0"])
    #expect(try environment(of: load("env_file: f", before: before)) == ["A": "2", "B": "0"])
    #expect(try environment(of: load("env_file: null", before: before)) == ["B": "0"])
    #expect(try environment(of: load("env: {A: null}", before: before)) == ["B": "0"])
  }

  @Test func `a changed value is a changed job, and its file is watched`() throws {
    folder.write("A=1\n", to: "e")
    let before = load("env_file: e")
    #expect(before.files == [folder["jobs.yaml"], folder["e"]])
    folder.write("A=2\n", to: "e")
    let plan = ReloadPlan(
      from: try #require(before.snapshot), to: try #require(load("env_file: e").snapshot))
    #expect(plan.steps.map(\.change) == [.updated])
    #expect(plan.steps.flatMap(\.details).map(\.key) == ["env"])
  }

  @Test func `a file that cannot be read is reported at its name, and watched`() {
    folder.makeFolder("d")
    folder.writeSparse(2 << 20, to: "big")
    let loaded = load("env_file: [none, d, big]")
    #expect(rows(loaded.diagnostics) == ["3:37 unreadable", "3:43 unreadable", "3:46 tooLarge"])
    #expect(loaded.files.contains(folder["none"]))
    #expect(rows(load("env_file: []").diagnostics) == ["3:36 badValue"])
  }

  @Test(.enabled(if: geteuid() == 0, "the files of others are never taken for root's"))
  func `root takes no file that others may write`() {
    folder.write(Array("A=1\n".utf8), to: "e", mode: 0o666)
    folder.write("jobs: {a: {on: start, run: x, env_file: e}}\n", to: "jobs.yaml")
    let strict = JobsLoader(refusesWritableByOthers: true)
    #expect(rows(strict.load(path: folder["jobs.yaml"]).diagnostics) == ["1:41 unsafePermissions"])
  }

  @Test func `a secret and a variable of a file have different names`() {
    folder.write("A=1\n", to: "e")
    #expect(
      rows(load("env_file: e, secrets: {A: {env: B}}").diagnostics) == ["3:49 conflictingKeys"])
  }
}
