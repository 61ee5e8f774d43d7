import Foundation
import Testing

/// The table of the page "Coming from other timers" counts these programs.
struct ProgramLinesTests {
  private static let programs = URL(filePath: #filePath).deletingLastPathComponent()

  private static func lines(of program: String) throws -> Int {
    let file = programs.appending(path: "\(program).swift")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .prefix { !($0.hasPrefix("struct") && $0.hasSuffix("Tests {")) }
    return lines.count { !$0.isEmpty && !$0.hasPrefix("//") && !$0.hasPrefix("import ") }
  }

  @Test func `the table names every program with its lines`() throws {
    let page = DocumentationTests.catalogue.appending(path: "ComingFrom.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == 4 && Int($0[2]) != nil }
    let named = Dictionary(uniqueKeysWithValues: rows.map { ($0[1].filter { $0 != "`" }, $0[2]) })
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.programs.path)
      .filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(6)) }
      .filter { $0 != "ProgramLinesTests" }
    #expect(Set(files) == Set(named.keys))
    for file in files { #expect(try "\(Self.lines(of: file))" == named[file], "\(file)") }
  }
}
