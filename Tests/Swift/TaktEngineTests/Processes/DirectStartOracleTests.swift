import Foundation
import Glibc
import TaktCore
import TaktSystem
import TaktTesting
import Testing

/// Commands that takt starts without a shell, compared with the same ones by `sh -c`: by dash and
/// by bash, as takt's user and as another one. `TAKT_SHELL_TEXTS` sets the number of texts for each
/// of the four: 5,000 in `make check-slow`.
@Suite struct DirectStartOracleTests {
  private static let users = geteuid() == 0 ? [nil, "nobody"] : [nil]
  private static let world = Result { try ShellWorld() }

  @Test(arguments: ShellWorld.shells.map(\.0), users)
  func `a command is the same with a shell and without`(
    shell: StandardShell, user: String?
  ) throws {
    let world = try Self.world.get()
    let count = Int(ProcessInfo.processInfo.environment["TAKT_SHELL_TEXTS"] ?? "") ?? 300
    var generator = CommandGenerator(seed: user == nil ? 1 : 2, world: world)
    var directCount = 0
    for _ in 0..<count {
      let (text, change) = (generator.text(), generator.surroundings(user: user))
      guard PlainCommand.words(of: text) != nil else { continue }
      let usual = try world.run(text, by: shell, directly: false, change)
      let direct = try world.run(text, by: shell, directly: true, change)
      #expect(direct.outcome == usual.outcome, "\(text.debugDescription)")
      if direct.isDirect { directCount += 1 }
    }
    // If all texts went to the shell, nothing would be tested.
    #expect(directCount > count / 25)
  }

  @Test(arguments: ShellWorld.shells.map(\.0))
  func `what cannot be executed is the shell's to report`(shell: StandardShell) throws {
    let world = try Self.world.get()
    let change: (inout Execution) -> Void = {
      $0.directory = world["work"]
      $0.environment = ["PATH": "\(world["empty"]):\(world["bin"])"]
    }
    let missing = try world.run("no-such-program x", by: shell, directly: true, change)
    #expect(missing.outcome.status == 127 << 8 && missing.outcome.errors.contains("not found"))
    #expect(!missing.isDirect)
    for text in ["file", "./file", "folder", "./sub", "plain a b"] {
      let usual = try world.run(text, by: shell, directly: false, change)
      let direct = try world.run(text, by: shell, directly: true, change)
      #expect(direct.outcome == usual.outcome && !direct.isDirect, "\(text)")
    }
  }

  @Test(arguments: ShellWorld.shells.map(\.0), [9, 11, 2, 13, 15, 6, 34] as [Int32])
  func `a signal that ends a command ends the first process of the run`(
    shell: StandardShell, signal: Int32
  ) throws {
    let world = try Self.world.get()
    let text = "\(world["bin/show"]) --signal \(signal)"
    // bash has rules of its own for variables such as an `OLDPWD` that it may inherit here.
    let direct = try world.run(text, by: shell, directly: true) { $0.inheritance = .none }
    #expect(direct.isDirect && direct.outcome.status & 0x7f == signal)
  }
}

/// Texts that shells parse in many ways, with their surroundings.
private struct CommandGenerator {
  private var random: SplitMix64
  private let programs: [String]
  private let paths: [String]
  private let folders: [String]

  init(seed: UInt64, world: ShellWorld) {
    random = SplitMix64(seed: seed)
    programs =
      Self.programs + [world["bin/show"], world["bin//show"], world["script/show"], world["work"]]
    let bin = world["bin"]
    paths = [
      bin, "\(bin):/usr/bin", "\(world["empty"]):\(bin)", "\(world["wrong"]):\(bin)",
      "\(world["script"]):\(bin)", "/nonexistent:\(bin)/", "/root:\(bin)", "\(bin)//", ":\(bin)",
      "\(bin):", "sub:.", "", "~/bin:\(bin)", "\(bin)%func", "\(bin)/show:\(bin)",
    ]
    folders = [world["work"], world["link"], world["work/sub"], "/"]
  }

  private static let programs = [
    "show", "./show", "../work/show", "file", "./file", "folder", "sub", "plain", "missing",
    "./missing", "echo", "printf", "test", "[", "true", "cd", "kill", "exec", ".", ":", "if", "for",
    "time", "{", "!", "[[", "X=1", "A=b show", "\"show\"", "'show'", "s\\how", "-show", "+show",
    "%1", "~/show", "123", "show:", "setsid show", "nice show", "env show",
  ]
  private static let plain = Array("abcXYZ019_-./:,+@%=^").map(String.init)
  private static let special = Array(" \t\\$`*?#;|&~!{}()[]<>").map(String.init)
  private static let whole = [
    "--x=", "-n", "a=b", "/usr", "--", "-", "+", "==", "\\\\", "in", "do", "if", "then", "0x", "ü",
    "日本", "e\u{301}", "'", "\"", "\\", "$x", "`x`", "*", "?", "~", "#", "&", ";", ">", "\n", "!",
  ]

  /// Words that a shell replaces, or does more with.
  private static let replaced = [
    "~", "~/x", "~root", "a=~", "a=~/x", "a:~", "*", "?ile", "s[a-z]*", "#", "#x", "{a,b}",
    "{1..3}",
    "!", "$PATH", "${PATH}x", "`x`", "&", "x;y", "a|b", ">x", "2>&1", "<file", "$((1+1))", "$'a'",
    "$\"a\"", "\\\nx", "a\\\nb",
  ]

  private mutating func some(_ parts: [String], upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in one(of: parts) }.joined()
  }

  private mutating func one(of parts: [String]) -> String {
    parts.randomElement(using: &random) ?? ""
  }

  private mutating func word() -> String {
    var word = ""
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: word += some(Self.plain, upTo: 5)
      case 4, 5: word += "'" + some(Self.plain + Self.special + ["\""], upTo: 6) + "'"
      case 6:
        let parts = ["'", " ", "\t", "*", "?", "#", ";", "|", "&", "~", "!", "{", "(", "[", "<"]
        let escapes = ["\\\\", "\\\"", "\\$", "\\`", "\\a", "\\ ", "\\'"]
        word += "\"" + some(Self.plain + parts + escapes, upTo: 6) + "\""
      case 7, 8: word += "\\" + one(of: Self.plain + Self.special + ["'", "\""])
      default: if random.oneIn(3) { word += one(of: Self.whole) }
      }
    }
    return word
  }

  mutating func text() -> String {
    var text = random.oneIn(2) ? "show" : one(of: programs)
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      text += one(of: [" ", " ", "  ", "\t", " \t "])
      text += random.oneIn(12) ? one(of: Self.replaced) : word()
    }
    if random.oneIn(20) { text = one(of: [" ", "\t", "\n"]) + text }
    if random.oneIn(10) {
      text += one(of: [" ", "\n", "\n\n", " \n", "\\", "&", "; show", " # x", " | cat"])
    }
    return text
  }

  private static let variables = [
    ("A", "b c"), ("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("LC_ALL", "xx"), ("LC_ALL", ""),
    ("LANG", "xx_YY"), ("HOME", "/nonexistent"), ("BASH_ENV", "/nonexistent"), ("ENV", "/x"),
    ("IFS", "x"), ("OPTIND", "3"), ("LINENO", "4"), ("PS1", "a"), ("PS4", "b"), ("OLDPWD", "/tmp"),
    ("OLDPWD", "/nonexistent"), ("SHLVL", "3"), ("SHLVL", "03"), ("SHLVL", "999"), ("SHLVL", "x"),
    ("SHLVL", ""), ("_", "/x"), ("PWD", "/"), ("PWD", "/tmp/"), ("PWD", "x"), ("PWD", ""),
    ("POSIXLY_CORRECT", "1"), ("SHELLOPTS", "xtrace"), ("BASHOPTS", "x"), ("RANDOM", "3"),
    ("CDPATH", "/tmp"), ("GLOBIGNORE", "*"), ("LINES", "24"), ("TMOUT", "1"), ("UID", "3"),
    ("PROMPT_COMMAND", "echo"), ("LONG", "a\nb"), ("EMPTY", ""), ("C.D", "3"), ("1B", "2"),
    ("BASH_FUNC_show%%", "() { echo function\n}"), ("BASH", "x"), ("FUNCNAME", "x"),
  ]

  mutating func surroundings(user: String?) -> (inout Execution) -> Void {
    var variables: [String: String] = [:]
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      if let (name, value) = Self.variables.randomElement(using: &random) {
        variables[name] = value
      }
    }
    let folder = one(of: folders)
    if random.oneIn(4) { variables["PWD"] = one(of: folders) }
    variables["PATH"] = random.oneIn(2) ? paths[0] : one(of: paths)
    return { [variables] execution in
      execution.inheritance = .none
      execution.environment = variables
      execution.directory = folder
      execution.identity.user = user
    }
  }
}
