import ArgumentParser
import TaktCore

enum CommandSuggestion {
  /// Ends the program if a word in the place of a command is none.
  static func check(_ words: [String], of root: any ParsableCommand.Type) {
    var command = root
    var path = "takt"
    for word in words {
      let subcommands = command.configuration.subcommands
      // Options come after the commands, and a command without subcommands has arguments of its
      // own.
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

  /// Replacements for words of other programs.
  private static let instead = [
    "list": "'takt status' lists the jobs, 'takt runs' their runs",
    "ls": "'takt status' lists the jobs, 'takt runs' their runs",
    "jobs": "'takt status' lists the jobs",
    "ps": "'takt status --only running' lists the jobs that run",
    "start": "'takt trigger JOB' runs a job now, 'takt run' starts takt",
    "stop":
      "'takt cancel JOB' ends the runs of a job, 'takt suspend JOB' stops its schedule; a signal ends "
      + "takt, as Ctrl-C and 'systemctl stop takt' do",
    "restart": "'takt reload' applies the jobs file; 'systemctl restart takt' restarts takt",
    "disable":
      "'takt suspend JOB' stops a job's schedule; 'enabled: false' in the jobs file keeps it stopped",
    "enable": "'takt resume JOB' resumes a suspended job",
    "pause": "'takt suspend JOB' stops a job's schedule",
    "history": "'takt runs' lists runs, 'takt slots' what became of slots",
    "version": "'takt --version' prints it",
  ]

  static func sentence(
    of word: String, among commands: [any ParsableCommand.Type], _ path: String
  ) -> String {
    if path == "takt", let instead = instead[word] {
      return "takt: there is no command '\(word)'; \(instead)"
    }
    let names = commands.compactMap { $0.configuration.commandName }
    let hint =
      NearestName.of(word, among: names).map { "did you mean '\($0)'?" }
      ?? "see '\(path) --help'"
    return "\(path): there is no command '\(word.printable)'; \(hint)"
  }
}
