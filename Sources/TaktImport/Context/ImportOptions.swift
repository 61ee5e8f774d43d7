package import TaktCore

package struct ImportOptions {
  /// Nil to recognize it.
  package var kind: SourceKind?
  /// Nil to recognize it.
  package var dialect: CronDialect?
  /// True to read all sources of the machine.
  package var isSystem = false
  /// True to import timers that are not enabled, too.
  package var includesDisabled = false
  /// The owner of timers; nil to derive it from their places.
  package var user: String?
  /// True to turn a random sleep at the start of a command into `jitter`.
  package var turnsSleepsIntoJitter = false
  /// True to turn programs such as flock at the start of a command into keys.
  package var isIdiomatic = false
  package var isZone: (String) -> Bool
  package var readYAML: (_ file: String, _ bytes: [UInt8]) -> ForeignFile
  /// A comment line that names the writer of the file.
  package var header: String

  package init(
    header: String, isZone: @escaping (String) -> Bool,
    readYAML: @escaping (_ file: String, _ bytes: [UInt8]) -> ForeignFile
  ) {
    self.readYAML = readYAML
    self.isZone = isZone
    self.header = header
  }
}
