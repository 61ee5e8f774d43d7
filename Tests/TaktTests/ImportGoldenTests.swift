import Foundation
import Testing

/// Sources with the jobs file and the report that come of them: `Tests/import/*.txt`.
/// `TAKT_WRITE_GOLDEN=1` writes them anew.
@Suite struct ImportGoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../import").standardizedFileURL

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
        sections.append((String(part[..<end]), body))
      }
      // The last line end of a section stands before the next one.
      for index in sections.indices.dropLast() { sections[index].text += "\n" }
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
    #expect(Self.cases.count >= 40)
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
    let arguments = golden["arguments"].split(separator: "\n").flatMap { $0.split(separator: " ") }
    let process = try TaktProcess(
      ["import", "--root", "root"] + arguments.map(String.init), in: folder)
    let output = try process.text()
    let status = process.waitForExit()
    let report = process.errors + "status \(status)\n"
    if ProcessInfo.processInfo.environment["TAKT_WRITE_GOLDEN"] != nil {
      golden["jobs.yaml"] = output
      golden["report"] = report
      try golden.text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(output == golden["jobs.yaml"])
    #expect(report == golden["report"])
    // The file of variables is in the tree, and not on this machine.
    if output.contains("env_file") { return }
    // A name of a user that this machine does not have is no mistake of the import.
    try folder.write(output.replacing("user: anna", with: "user: nobody"))
    let check = try TaktProcess(["check"], in: folder)
    _ = try check.text()
    #expect(check.waitForExit() == 0 || geteuid() != 0, "\(check.errors)\n\(output)")
  }

  /// `path -> target` is a link, `path +x` a program.
  private static func write(_ text: String, to path: String, below root: URL) throws {
    let parts = path.components(separatedBy: " -> ")
    let isProgram = path.hasSuffix(" +x")
    let place = root.appending(path: isProgram ? String(path.dropLast(3)) : parts[0])
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
}
