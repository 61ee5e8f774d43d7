import ArgumentParser
import FoundationEssentials
import Glibc
import TaktCore
import TaktSystem

struct PluginNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Create a working plugin to start from.")

  enum Language: String, CaseIterable, ExpressibleByArgument {
    case sh, python, swift
  }

  @Argument(help: "The plugin's name: lower-case letters, digits and '-'.")
  var name: String

  @Option(help: "The plugin's language.")
  var lang = Language.sh

  @Option(help: "The folder to create it in.")
  var folder = "plugins"

  func validate() throws {
    let isName =
      (1...64).contains(name.utf8.count) && name.first?.isLetter == true
      && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    guard isName else {
      throw ValidationError(
        "'\(name)' is not a valid plugin name: use lower-case letters, digits and '-', with a letter first."
      )
    }
  }

  func run() throws {
    let place = "\(folder)/\(name)"
    let files = FileManager.default
    guard !files.fileExists(atPath: place) else {
      Console.error("takt: \(place) already exists")
      throw ExitCode.usage
    }
    do {
      for file in PluginTemplate.files(of: name, in: lang) {
        let path = "\(place)/\(file.path)"
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try file.text.write(toFile: path, atomically: true, encoding: .utf8)
        try files.setAttributes(
          [.posixPermissions: file.isProgram ? 0o755 : 0o644], ofItemAtPath: path)
        Console.print(path)
      }
    } catch {
      Console.error("takt: cannot create \(place): \(Self.reason(error))")
      throw ExitCode.system
    }
    Console.print("try it: takt plugins test \(name) --with who=me")
  }

  /// In the system's own words, if the system refused.
  private static func reason(_ error: any Error) -> String {
    guard let refusal = (error as? CocoaError)?.underlying as? POSIXError else { return "\(error)" }
    return SystemError.text(refusal.code.rawValue)
  }
}
