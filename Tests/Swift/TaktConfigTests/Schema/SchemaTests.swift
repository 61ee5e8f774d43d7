import Glibc
import TaktCore
import TaktSystem
import TaktTesting
import TestSupport
import Testing

@testable import TaktConfig

/// The JSON Schema and takt's own reader agree, according to an independent validator.
struct SchemaTests {
  private static let root = Repository.path()
  private let folder = TemporaryFolder()

  /// Rules that only takt can check: bytes, places, the machine, other files and arithmetic.
  private static let beyondSchema: Set<Diagnostic.Code> = [
    .unknownAction,
    .syntax, .notUTF8, .manyDocuments, .badTag, .badMerge, .unknownAlias, .duplicateKey, .empty,
    .unknownZone, .unknownGroup, .unknownAccount, .badPlaceholder, .badParameter, .includeMissing,
    .outOfRange, .conflictingKeys, .badPattern, .ambiguousTime,
  ]
  /// Values with a valid form, or that JSON cannot distinguish from valid ones: an empty value and
  /// `~` are null there, and digits a number.
  private static let rightInForm = [
    "2026-02-29", "T24:00", "18:00:60", "+24:00", "9999999999999999999w", "0.3B", "2000TB",
    "99999999999999999999KB", "1000001/s", "\\0", "run: [\"\", x]", "shell: [\"\", -c]",
    "env: {A: null}", "1.5ms", "env: {A: }", "cwd: ~}", "group: ~}", "timeout: }", "umask: 8",
    "machines: {}", "url: db.example.org", "url: mysql://", "api: '8080'", "api: a.example",
    "api: 'http", "api: 'ftp", "api_write_token_file: x}",
    "engine: etcd}", "endpoints: [h:", "ftp://h", "endpoints: http://", "endpoints: 'http://[::1'",
    "https://h, cert", "https://h, key", "https://h, username: x}", "https://h, password",
    "password: {}}",
  ]

  @Test func `what takt takes the schema takes, and what is wrong in form it refuses`() throws {
    var count = 0
    func add(_ text: String, isGood: Bool) {
      count += 1
      folder.write(text, to: "\(count).\(isGood ? "good" : "bad").yaml")
    }
    for text in try good() {
      // Plugins and calendar files are known only from their folder.
      #expect(load(text).snapshot != nil || ["plugins/", ".ics"].contains { text.contains($0) })
      add(text, isGood: true)
    }
    for text in bad() where isWrongInForm(text) { add(text, isGood: false) }
    let schema = folder.write(KeyTable.schema(catalogue: TestCatalogue()), to: "schema.json")
    let (status, output) = run(
      "sh '\(Self.root)/Tests/schema/validate.sh' '\(schema)' '\(folder.path)' "
        + "'\(Self.root)/.build/schema-venv' 2>&1")
    if status == 77 {
      print("the schema is not validated: \(output)")
    } else {
      #expect(status == 0, "\(output)")
    }
  }

  @Test(arguments: [Key.jobs, Key.scheduler, Key.defaults])
  func `a mistake in a section is not reported at the section as a whole`(section: String) throws {
    let schema = SchemaBuilder(catalogue: TestCatalogue()).schema
    let value = try #require(schema["properties"]?[section])
    // Validators do not search the choices of `anyOf` for a place.
    #expect(value["anyOf"] == nil)
    let reference = value["$ref"].map { _ in schema["$defs"]?[section] } ?? value
    #expect(reference?["type"] == ["object", "null"])
  }

  private func good() throws -> [String] {
    let reader = FileReader(bound: 1 << 20)
    let files = try ["jobs.yaml", "docs/jobs-file.md"].map { name in
      try reader.read("\(Self.root)/\(name)", as: .include).bytes.withBytes {
        String(decoding: $0, as: UTF8.self)
      }
    }
    let rows = KeyTableTests.accepting.sorted { $0.key < $1.key }.map(\.value).map { row in
      KeyTable.root.contains { row.hasPrefix($0.name + ":") } || row.hasPrefix("x-")
        ? row.hasPrefix("jobs") ? row : row + "\njobs: {}"
        : "\(KeyTableTests.groups)\njobs: {a: {\(row)}, other: {on: start, run: x}}"
    }
    return [files[0], FuzzTests.seed] + DocumentedExamplesTests.examples(in: files[1]) + rows
  }

  private func bad() -> [String] {
    BadFilesTests.badFiles.map { Self.text(of: $0) }
      + SpecBuilderTests.badValues.map { "jobs:\n  a: {\(Self.text(of: $0))}\n" }
      + SpecBuilderTests.badJobs.map { "jobs:\n  \(Self.text(of: $0))\n" }
      + ExecutionKeysTests.badValues.map {
        "jobs:\n  a: {on: start, run: x, \(Self.text(of: $0))}\n"
      } + ClusterTests.badClusters.map { "scheduler: {cluster: \(Self.text(of: $0))}\njobs: {}\n" }
      + ClusterTests.badJobs.map { "jobs:\n  a: {\(Self.text(of: $0))}\n" }
      + ExecutionKeysTests.badActions.map { "jobs:\n  a: {on: start, \(Self.text(of: $0))}\n" }
  }

  /// The text of a row `code | text` without its signs.
  private static func text(of row: String) -> String {
    let parts = row.split(separator: " | ", maxSplits: 1, omittingEmptySubsequences: false)
    return MarkedText(String(parts.last ?? "")).text
  }

  private func isWrongInForm(_ text: String) -> Bool {
    let codes = Set(load(text).diagnostics.filter { $0.severity == .error }.map(\.code))
    return !codes.isSubset(of: Self.beyondSchema)
      && !Self.rightInForm.contains { text.contains($0) }
  }

  private func run(_ command: String) -> (status: Int32, output: String) {
    guard let stream = popen(command, "r") else { return (77, "no shell") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
      bytes += buffer.prefix(count)
    }
    let status = pclose(stream)
    return (status & 0x7f == 0 ? status >> 8 & 0xff : -1, String(decoding: bytes, as: UTF8.self))
  }
}

extension JSONValue {
  fileprivate subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
}
