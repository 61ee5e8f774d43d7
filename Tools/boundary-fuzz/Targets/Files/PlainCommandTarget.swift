import Glibc
import TaktCore

/// A command that takt would start without a shell, whose arguments real shells split too.
struct PlainCommandTarget: FuzzTarget {
  static let name = "plain-command"
  static let summary = "a command that needs no shell, which dash and bash split into words"

  private let folder: String
  private let shells = ["/bin/dash", "/bin/bash"].filter { (path: String) in
    access(path, X_OK) == 0
  }

  init() throws { folder = try ScratchFolder().folder("empty") }

  mutating func read(_ bytes: [UInt8]) {
    guard bytes.count < 256, let text = String(validating: bytes, as: UTF8.self),
      let words = PlainCommand.words(of: text)
    else { return }
    precondition(!words[0].isEmpty, "no program in \(text)")
    let quoted = words[0] + words.dropFirst().map { " " + $0.singleQuoted }.joined()
    precondition(PlainCommand.words(of: quoted) == words, "\(quoted) is not \(text)")
    // The program's name has no quotes, so that another command can replace it.
    let rest = text.drop { $0 == " " || $0 == "\t" }.dropFirst(words[0].count)
    let expected = [String(words.count - 1)] + words.dropFirst()
    for shell in shells {
      ShellProcess.run("set -- \(rest)\nprintf '%s\\0' $# \"$@\" >words", by: shell, in: folder)
      let split = Files.bytes(of: "\(folder)/words") ?? []
      precondition(
        split == Array(expected.map { $0 + "\0" }.joined().utf8),
        "\(shell) splits \(text) otherwise: \(String(decoding: split, as: UTF8.self))")
    }
    for name in Files.names(in: folder) { unlink("\(folder)/\(name)") }
  }
}
