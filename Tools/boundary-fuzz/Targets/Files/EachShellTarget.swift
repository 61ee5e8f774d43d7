import Glibc
import TaktConfig
import TaktCore
import TaktEngine
import TaktTesting

/// A command with values of `for_each`, which real shells run in an empty folder, without programs.
///
/// Each byte is a token, so that no input is a text of its own. No command that takt accepts is
/// allowed to make the file `pwn`, which only a value names.
struct EachShellTarget: FuzzTarget {
  static let name = "each-shell"
  static let summary = "values of for_each in commands, which dash and bash run"

  private static let value = "{{each.v.x}}"
  private static let values = [
    "$(>pwn)", "`>pwn`", "'; >pwn; '", #"\'; >pwn; #"#, #""; >pwn; ""#, "; >pwn", "| >pwn", ">pwn",
    "& >pwn", "1+$(>pwn)1", "a[$(>pwn)]", "a[$(>pwn)]=1", "(>pwn)", "()>pwn", "x) >pwn;;",
    "}; >pwn",
    "]; >pwn", "]]; >pwn", "))>pwn", "${x:=$(>pwn)}", "<(>pwn)", "=(>pwn)", #"\$(>pwn)"#,
    #"\\$(>pwn)"#, #"\"$(>pwn)""#, "'$(>pwn)'", "'\u{301}; >pwn; '\u{301}", "é$(>pwn)",
  ]
  private static let tokens = [
    value, "echo ", "printf '%s' ", "printf %d ", "printf -v ", "eval ", "test ", "[ ", " ]", "[[ ",
    " ]]", "let ", "declare ", "declare -i n; ", "export ", "local ", "read ", "exec ", "command ",
    "builtin ", "trap ", "unset ", "wait -n -p ", "mapfile ", "set -- ", "case ", " in ", ";; ",
    "esac",
    "for x in ", "for ", "; do ", "; done", "while ", "if ", "; then ", "; fi", "((", "))", "$((",
    "$(",
    ")", "(", "${", "}", "$[", "]", "[", "$", "`", "\"", "'", "\\", "\\\n", "<<E\n", "E\n", "<<<",
    " > ",
    " < ", ">&", "&>", " 2>", "&", "|", "; ", "\n", " # ", "=", "x=", "n=", "a[", "~", "~/", "*",
    " ", "\t",
    "$x", "{ ", "{", "; }", "!", "! ", "time ", "time -p ", "sh -c ", "bash -c ", "$'", "$\"",
    "f() ",
    "SECONDS=", "PS4=", "set -x; ", "-v ", "-eq ", "-n ", "0", "1", "/", "-", ",", ":", "@(", "?",
    "function f ", "coproc ", "select x in ", "time", "--", "%", "+", "^", "\u{e9}", "$COMMAND ",
  ]

  private let folder: String
  private let loader = JobsLoader(
    catalogue: BuiltinRegistry.standard, zones: FixedZones(), accounts: FixedAccounts(),
    time: FixedTime(), userID: 1000, refusesWritableByOthers: false)
  private let shells = ["/bin/dash", "/bin/bash"].filter { (path: String) in
    access(path, X_OK) == 0
  }

  init() throws { folder = try ScratchFolder().folder("empty") }

  mutating func read(_ bytes: [UInt8]) {
    guard let first = bytes.first, bytes.count < 64 else { return }
    let value = Self.values[Int(first) % Self.values.count]
    let text = bytes.dropFirst().map { Self.tokens[Int($0) % Self.tokens.count] }.joined()
    guard text.contains(Self.value) else { return }
    let file =
      "jobs: {a: {for_each: {v: {b: {x: \(Self.quoted(value))}}}, on: start, "
      + "run: \(Self.quoted(text))}}\n"
    let loaded = loader.load(path: "/nowhere/jobs.yaml", text: Array(file.utf8))
    guard let job = loaded.snapshot?.jobs.first, case .shell(let command) = job.action else {
      return
    }
    for shell in shells {
      ShellProcess.run(command, by: shell, in: folder)
      precondition(
        unlink("\(folder)/pwn") != 0, "\(shell) runs the value \(value) in \(text): \(command)")
    }
    for name in Files.names(in: folder) { unlink("\(folder)/\(name)") }
  }

  /// The text in double quotes of YAML.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\"", "\\": quoted += "\\\(scalar)"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
