import Foundation
import TestSupport
import Testing

/// Sources with their jobs file and report: `Tests/Data/import/*.txt`, and the examples of
/// docs/moving.md. `TAKT_WRITE_GOLDEN=1` writes both again; read the changes.
@Suite(.ownThreads) struct ImportGoldenTests {
  private static let root = Repository.root
  private static let folder = root.appending(path: "Tests/Data/import")
  private static let writes = ProcessInfo.processInfo.environment["TAKT_WRITE_GOLDEN"] != nil

  private static let cases: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".txt") }.sorted()
  }()

  /// A file of sections, each under a line such as `=== etc/crontab`.
  private struct Case {
    var sections: [(name: String, text: String)]

    init(_ text: String) {
      sections = []
      for part in ("\n" + text).components(separatedBy: "\n=== ").dropFirst() {
        let end = part.firstIndex(of: "\n") ?? part.endIndex
        let body = end == part.endIndex ? "" : String(part[part.index(after: end)...])
        let name = String(part[..<end])
        sections.append((name, body.isEmpty || body.hasSuffix("\n") ? body : body + "\n"))
      }
    }

    var text: String { sections.map { "=== \($0.name)\n\($0.text)" }.joined() }

    subscript(name: String) -> String {
      get { sections.first { $0.name == name }?.text ?? "" }
      set {
        sections.removeAll { $0.name == name }
        sections.append((name, newValue))
      }
    }
  }

  @Test func `there is a case for each row of the tables`() {
    #expect(Self.cases.count >= 66)
  }

  @Test(arguments: cases) func `a source becomes this jobs file and this report`(name: String)
    throws
  {
    let file = Self.folder.appending(path: name)
    var golden = Case(try String(contentsOf: file, encoding: .utf8))
    let folder = try TemporaryFolder()
    for (path, text) in golden.sections where !["arguments", "jobs.yaml", "report"].contains(path) {
      try Self.write(text, to: path, below: folder.url.appending(path: "root"))
    }
    let result = try Self.importing(
      golden["arguments"].split(whereSeparator: \.isWhitespace).map(String.init), in: folder)
    let report = result.errors + "status \(result.status)\n"
    if Self.writes {
      golden["jobs.yaml"] = result.output
      golden["report"] = report
      try golden.text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(result.output == golden["jobs.yaml"])
    #expect(report == golden["report"])
    try check(result.output, in: folder)
  }

  /// Checks that takt accepts the jobs file without a warning, if its users exist.
  private func check(_ jobs: String, in folder: TemporaryFolder) throws {
    // The file of variables is in the tree, and not on this machine.
    if jobs.contains("env_file") { return }
    // A name of a user that this machine does not have is no mistake of the import; only root runs
    // jobs of others.
    let own = geteuid() == 0 ? jobs : jobs.replacing(#/\n *(user|group): \S+/#, with: "")
    try folder.write(
      own.replacing("user: anna", with: "user: nobody").replacing("/home/anna", with: "/"))
    let check = try folder.takt("check")
    #expect(check.status == 0, "\(check.errors)\n\(jobs)")
  }

  private static func importing(
    _ arguments: [String], in folder: TemporaryFolder
  ) throws -> TaktAnswer {
    var answer = try folder.takt(["import", "--root", "root"] + arguments)
    // The first line names the version.
    let lines = answer.output.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    #expect(lines.first?.hasPrefix("# Written by takt import, takt ") == true)
    // As on the machine itself.
    func placed(_ text: String) -> String {
      text.replacing("root/", with: "/")
        .replacing("systemctl --root=root disable", with: "systemctl disable --now")
    }
    answer.output = placed(lines.count > 1 ? String(lines[1]) : "")
    // The users of this machine do not matter.
    let said = answer.errors.components(separatedBy: "\n").filter {
      !$0.hasPrefix("takt: 'takt check' refuses the jobs file on this machine: there is no ")
    }
    answer.errors = placed(said.joined(separator: "\n"))
    return answer
  }

  /// `path -> target` is a link, `path +x` a program, `path -n` a file whose last line does not end.
  private static func write(_ text: String, to path: String, below root: URL) throws {
    var text = text
    let parts = path.components(separatedBy: " -> ")
    var name = parts[0]
    let isProgram = name.hasSuffix(" +x")
    if name.hasSuffix(" -n") { text = String(text.dropLast()) }
    if isProgram || name.hasSuffix(" -n") { name = String(name.dropLast(3)) }
    let place = root.appending(path: name)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    if parts.count == 2 {
      try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: parts[1])
      return
    }
    try text.write(to: place, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: isProgram ? 0o755 : 0o644], ofItemAtPath: place.path)
  }

  // MARK: The docs

  /// In docs/moving.md, a comment before a block of text names its contents: `file: PATH`, `takt
  /// import ARGUMENTS` for the jobs file made from the files before it, or `report`.
  @Test func `the examples of the docs are what takt import prints`() throws {
    let file = Self.root.appending(path: "docs/moving.md")
    var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    var folder = try TemporaryFolder()
    var errors = ""
    var number = 0
    var imports = 0
    while number < lines.count {
      let line = lines[number]
      number += 1
      guard line.hasPrefix("<!-- "), line.hasSuffix(" -->") else { continue }
      let words = line.dropFirst(5).dropLast(4).split(separator: " ").map(String.init)
      let start = number + 1
      let end = try #require(lines[start...].firstIndex(of: "```"), "\(line)")
      let block = lines[start..<end]
      var expected = Array(block)
      switch words.first {
      case "file:":
        try Self.write(
          block.map { $0 + "\n" }.joined(), to: words[1],
          below: folder.url.appending(path: "root"))
      case "takt":
        let result = try Self.importing(Array(words.dropFirst(2)), in: folder)
        errors = result.errors
        // Without the comment at its start.
        let body = result.output.components(separatedBy: "\n").drop {
          $0.hasPrefix("#") || $0.isEmpty
        }
        expected = Array(body.dropLast())
        imports += 1
        folder = try TemporaryFolder()
      case "report": expected = errors.split(separator: "\n").map(String.init)
      default: Issue.record("\(line)")
      }
      if Self.writes { lines.replaceSubrange(start..<end, with: expected) }
      #expect(Array(block) == expected, "\(line)")
      number = start + (Self.writes ? expected.count : block.count) + 1
    }
    if Self.writes {
      try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(imports == 6)
  }
}
