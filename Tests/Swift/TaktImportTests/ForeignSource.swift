import TaktConfig
import TaktCore

@testable import TaktImport

extension ImportFixture {
  /// The import of another program's file, which takt recognises by its content alone.
  ///
  /// - Parameter files: others beside it, by name.
  static func imported(
    _ text: String, as name: String, files: [String: String] = [:]
  ) throws -> Importer.Result {
    let fixture = try ImportFixture()
    for (name, text) in files { try fixture.write(text, to: name) }
    fixture.options.readYAML = ForeignFile.init(file:bytes:)
    return fixture.run(try fixture.write(text, to: name))
  }
}

extension Importer.Result {
  /// The words of a job's command.
  func words(_ number: Int = 0) -> [String] {
    guard jobs.indices.contains(number), case .list(let words)? = jobs[number][.run] else {
      return []
    }
    return words.flatMap(\.texts)
  }

  func value(_ key: JobKey, _ number: Int = 0) -> DraftValue? {
    jobs.indices.contains(number) ? jobs[number][key] : nil
  }

  var isDisabled: Bool { value(.enabled) == .word("false") }
}
