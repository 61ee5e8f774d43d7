import ArgumentParser
import TaktCore

/// What to say of a command that does not exist.
enum CommandSuggestion {
  /// Ends the program where a word stands for a command and is none.
  static func check(_ words: [String], of root: any ParsableCommand.Type) {
    var command = root
    var path = "takt"
    for word in words {
      let subcommands = command.configuration.subcommands
      // Options come behind the commands, and a command without others takes arguments of its own.
      guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
      if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
        command = next
        path += " \(word)"
        continue
      }
      Console.error(sentence(of: word, among: subcommands, path))
      root.exit(withError: ExitCode.usage)
    }
  }

  static func sentence(
    of word: String, among commands: [any ParsableCommand.Type], _ path: String
  ) -> String {
    let names = commands.compactMap { $0.configuration.commandName }
    let hint =
      NearestName.of(word, among: names).map { "did you mean '\($0)'?" }
      ?? "see '\(path) --help'"
    return "\(path): there is no command '\(word.printable)'; \(hint)"
  }
}
