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
    Console.print("mode      \(manifest.way)")
    if let request = manifest.request {
      let url = SensitiveText.masked(request.urlText)
      Console.print("request   \(request.method) \(url)".printable)
    } else {
      Console.print("program   \(manifest.command.joined(separator: " "))")
    }
    if let timeout = manifest.timeout {
      Console.print("timeout   \(DurationText.format(timeout))")
    }
    guard !manifest.parameters.isEmpty else { return }
    Console.print("")
    let width = manifest.parameters.map(\.schema.name.count).max() ?? 0
    for parameter in manifest.parameters {
      let name = parameter.schema.name
      let padded = name + String(repeating: " ", count: width - name.count)
      Console.print("\(padded)  \(parameter.sentence)".printable)
    }
  }
}

extension BoundedParameter {
  /// `duration, default 10s: how long to wait`
  fileprivate var sentence: String {
    var parts = [schema.kind.word]
    if schema.isRequired { parts.append("required") }
    if schema.isSecret { parts.append("secret") }
    if let reach = schema.effectiveReach, reach != .nothing {
      parts.append("reaches \(reach.phrase)")
    }
    if let value = schema.defaultValue, !schema.isSecret {
      parts.append("default \(value.shown(as: schema.kind))")
    }
    return parts.joined(separator: ", ") + (schema.summary.isEmpty ? "" : ": \(schema.summary)")
  }
}
