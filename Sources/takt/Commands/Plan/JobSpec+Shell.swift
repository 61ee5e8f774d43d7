import Glibc
import TaktCore
import TaktSystem

extension JobSpec {
  /// States that its command starts without a shell, or which of its commands do; nil if none does.
  var directWords: String? {
    let paths =
      StandardShell.installed.map { shell in directPaths { shell.foresees($0, $1) } } ?? []
    if paths.isEmpty { return nil }
    return paths == ["run"]
      ? "runs without a shell" : "runs without a shell: \(paths.joined(separator: ", "))"
  }
}

extension JobSpec {
  /// A note on a command that holds back its output; nil for any other. Only Python has a switch for it,
  /// and is looked for as the first word.
  var bufferingWords: String? {
    guard execution.terminal == nil, execution.environment[Self.unbuffered] == nil,
      getenv(Self.unbuffered) == nil
    else { return nil }
    let words: [Substring]
    switch action {
    case .shell(let text): words = text.split(whereSeparator: \.isWhitespace)
    case .argv(let list): words = list.map { $0[...] }
    case .use, .plugin, .steps: return nil
    }
    guard let program = words.first?.split(separator: "/").last, program.hasPrefix("python"),
      program.dropFirst(6).allSatisfy({ $0.isNumber || $0 == "." })
    else { return nil }
    var rest = words.dropFirst()
    while let option = rest.popFirst(), option.hasPrefix("-") {
      let letters = option.drop { $0 == "-" }.prefix { $0 != "c" && $0 != "m" }
      if letters.contains("u") { return nil }
      if option == "-W" || option == "-X" { rest = rest.dropFirst() }
      // After them come the program's own arguments.
      if option.hasSuffix("c") || option.hasSuffix("m") { break }
    }
    return "\(program) holds back what it prints until a few KB have gathered, or it ends; "
      + "'\(program) -u' shows each line at once"
  }

  private static let unbuffered = "PYTHONUNBUFFERED"
}
