import ArgumentParser
import TaktConfig
import TaktEngine

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of the jobs file, for editors and validators.",
    discussion: """
      The schema is of draft 2020-12 and says what one file may hold by itself. `takt check` knows \
      more: users, groups, time zones, and files that others name.
      """)

  func run() throws {
    let schema = KeyTable.schema(catalogue: BuiltinRegistry.standard)
    Console.print(String(schema.dropLast()))
  }
}
