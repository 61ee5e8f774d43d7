package import TaktCore

extension KeyTable {
  /// The JSON Schema (draft 2020-12) of a jobs file that may use the actions of `catalogue`, with a
  /// line end after it.
  ///
  /// It says what one file may hold by itself. What needs more than the file (users, groups, zones,
  /// files that are named) or arithmetic (a leeway below its interval) only takt checks.
  package static func schema(catalogue: any ActionCatalogue) -> String {
    SchemaBuilder(catalogue: catalogue).schema.text + "\n"
  }
}
