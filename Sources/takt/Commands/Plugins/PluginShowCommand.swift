import ArgumentParser
import TaktConfig
import TaktCore
import TaktTime

struct PluginShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a plugin and its parameters.")

  @Argument(help: "The plugin's name.")
  var name: String

  @OptionGroup var folders: PluginFolders

  func run() throws {
    let entry = try folders.entry(named: name)
    for diagnostic in entry.diagnostics { Console.error(diagnostic.text) }
    guard let manifest = entry.manifest else { throw ExitCode.configuration }
    Console.print("\(manifest.name) \(manifest.version)".printable)
    if let summary = manifest.summary { Console.print(summary.printable) }
    Console.print("")
    Console.print("kind      \(manifest.kind.rawValue)")
    Console.print("mode      \(manifest.mode.rawValue)")
    Console.print("program   \(manifest.command.joined(separator: " "))")
    if let timeout = manifest.timeout {
      Console.print("timeout   \(DurationText.format(timeout))")
    }
    guard !manifest.parameters.isEmpty else { return }
    Console.print("")
    let width = manifest.parameters.map(\.schema.name.count).max() ?? 0
    for parameter in manifest.parameters {
      let name = parameter.schema.name
      let padded = name + String(repeating: " ", count: width - name.count)
      Console.print("\(padded)  \(parameter.phrase)".printable)
    }
  }
}

extension PluginParameter {
  /// `duration, default 10s: how long to wait`
  fileprivate var phrase: String {
    var parts = [schema.kind.word]
    if schema.isRequired { parts.append("required") }
    if schema.isSecret { parts.append("secret") }
    if let value = schema.defaultValue, !schema.isSecret {
      parts.append("default \(value.shown(as: schema.kind))")
    }
    return parts.joined(separator: ", ") + (schema.summary.isEmpty ? "" : ": \(schema.summary)")
  }
}

extension ParameterSchema.Kind {
  fileprivate var word: String {
    switch self {
    case .string: "string"
    case .choice(let words): words.joined(separator: " | ")
    case .path: "path"
    case .integer: "integer"
    case .number: "number"
    case .boolean: "boolean"
    case .duration: "duration"
    case .size: "size"
    case .percent: "percent"
    case .list(let kind): "list of \(kind.word)"
    case .map(let kind): "map of \(kind.word)"
    }
  }
}

extension ParameterValue {
  fileprivate func shown(as kind: ParameterSchema.Kind) -> String {
    switch self {
    case .string(let text): text.isEmpty ? "''" : text
    case .integer(let number): if case .size = kind { "\(number)B" } else { "\(number)" }
    case .number(let number):
      (number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)")
        + (kind == .percent ? "%" : "")
    case .boolean(let flag): "\(flag)"
    case .duration(let duration): DurationText.format(duration)
    case .list(let items):
      "[" + items.map { $0.shown(as: .string) }.joined(separator: ", ") + "]"
    case .map(let entries):
      "{"
        + entries.sorted { $0.key < $1.key }
        .map { "\($0.key): \($0.value.shown(as: .string))" }.joined(separator: ", ") + "}"
    }
  }
}
