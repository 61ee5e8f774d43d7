package import TaktCore

/// What is wanted of an import.
package struct ImportOptions {
  /// Nil where it is to be recognised.
  package var kind: SourceKind?
  /// Nil where it is to be recognised.
  package var dialect: CronDialect?
  /// Whether it reads everything that the machine has.
  package var isSystem = false
  /// Whether timers count that are not enabled.
  package var includesDisabled = false
  /// Whose timers they are; nil where their places say it.
  package var user: String?
  /// Whether a random sleep at the start of a command becomes `jitter`.
  package var turnsSleepsIntoJitter = false
  /// Whether programs such as flock at the start of a command become keys.
  package var isIdiomatic = false
  /// Whether there is such a time zone.
  package var isZone: (String) -> Bool
  /// Reads a YAML file of another program.
  package var readYAML: (_ file: String, _ bytes: [UInt8]) -> ForeignFile
  /// The line that says who wrote the file.
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
