import Glibc
import TaktTesting
import Testing

@testable import TaktConfig

/// Values in the texts of real shells.
struct EachShellTests {
  private static let shells = ["/bin/dash", "/bin/bash"].filter { (path: String) in
    access(path, X_OK) == 0
  }

  /// Each makes the file `pwn` if a shell takes it for more than a text.
  static let values = [
    "$(>pwn)", "`>pwn`", "'; >pwn; '", #"\'; >pwn; #"#, #""; >pwn; ""#, "; >pwn", "| >pwn", ">pwn",
    "& >pwn", "1+$(>pwn)1", "a[$(>pwn)]", "a[$(>pwn)]=1", "(>pwn)", "()>pwn", "x) >pwn;;",
    "}; >pwn",
    "]; >pwn", "]]; >pwn", "))>pwn", "${x:=$(>pwn)}", "<(>pwn)", "=(>pwn)", #"\$(>pwn)"#,
    #"\\$(>pwn)"#, #"\"$(>pwn)""#, "'$(>pwn)'", "'\u{301}; >pwn; '\u{301}", "\"\u{301}$(>pwn)",
    "é$(>pwn)", "x$", "$", #"\"#, "'", "''", "\"", "#x", "~", "*", "{a,b}", "!x", "-v", "if", "2",
    " two  words ", "x=y", "%d", "[", "]", "a\u{2028}b",
  ]

  /// A text with `@` for a value, and the words that it prints, with `@` for the value in them.
  private static let templates: [(text: String, words: [String])] = [
    ("printf '<%s>' @", ["@"]), ("printf '<%s>' a@b", ["a@b"]), ("printf '<%s>' @@", ["@@"]),
    (#"printf '<%s>' "a @ b""#, ["a @ b"]), ("printf '<%s>' 'a @ b'", ["a @ b"]),
    (#"printf '<%s>' 'a@'"@"@"#, ["a@@@"]), ("printf '<%s>' --k=@,x", ["--k=@,x"]),
    (#"y=q; printf '<%s>' "$y@""#, ["q@"]), ("y=q; printf '<%s>' $y@", ["q@"]),
    (#"x=@; printf '<%s>' "$x""#, ["@"]), (#"export x=a@; printf '<%s>' "$x""#, ["a@"]),
    (#"for x in @ b@; do printf '<%s>' "$x"; done"#, ["@", "b@"]),
    (#"printf '<%s>' "$(printf '%s' "@")""#, ["@"]),
    (#"set -- @ @; printf '<%s>' "$2""#, ["@"]),
    ("[ @ = @ ] && printf '<%s>' yes", ["yes"]), ("test -n @ && printf '<%s>' yes", ["yes"]),
    (#"f() { printf '<%s>' "$1"; }; f @"#, ["@"]),
    ("if true; then ( printf '<%s>' @ ) | ( IFS= read -r x; printf '%s' \"$x\" ); fi", ["@"]),
    ("# it's\nprintf '<%s>' \\\n @", ["@"]), ("printf '<%s>' $((1+2))@", ["3@"]),
  ]

  /// The text with the value in each place; nil if it is refused.
  static func fill(_ template: String, _ value: String) -> String? {
    var pieces: [String?] = []
    for (number, part) in template.split(separator: "@", omittingEmptySubsequences: false)
      .enumerated()
    {
      if number > 0 { pieces.append(nil) }
      if !part.isEmpty { pieces.append(String(part)) }
    }
    var places = ShellScanner.places(in: pieces)[...]
    var whole = ""
    for piece in pieces {
      if let piece {
        whole += piece
      } else if let place = places.popFirst() {
        if case .refused = place { return nil }
        whole += place.text(of: value)
      }
    }
    return whole
  }

  /// The output of a shell for a text, in a folder of its own, without programs.
  private func output(of text: String, _ shell: String, in folder: TemporaryFolder) throws
    -> [UInt8]
  {
    let path = folder.write("", to: "out")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_TRUNC, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let start = "cd \"$1\" && exec \"$2\" -c \"$3\""
    var arguments = Self.copies(of: ["/bin/sh", "-c", start, "sh", folder.path, shell, text])
    var environment = Self.copies(of: ["PATH=/nonexistent", "LC_ALL=C.UTF-8"])
    defer { for pointer in arguments + environment { free(pointer) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, "/bin/sh", &actions, nil, &arguments, &environment)
    try #require(result == 0)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(0, count)))
  }

  /// The texts as a list for C; to be freed.
  private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { text in strdup(text) } + [nil]
  }

  private func hasMarker(_ folder: TemporaryFolder) -> Bool { unlink(folder["pwn"]) == 0 }

  @Test(arguments: shells) func `a shell sees each value as it is, in every allowed place`(
    shell: String
  ) throws {
    let folder = TemporaryFolder()
    for value in Self.values {
      var text = ""
      var expected = ""
      for template in Self.templates {
        text += try #require(Self.fill(template.text, value), "\(template.text)") + "\necho\n"
        expected +=
          template.words.map { "<\($0.replacing("@", with: value))>" }.joined() + "\n"
      }
      let found = String(decoding: try output(of: text, shell, in: folder), as: UTF8.self)
      #expect(found == expected, "\(value)")
      #expect(!hasMarker(folder), "\(value)")
    }
  }

  private static let tokens = [
    "echo ", "printf '%s' ", "printf %d ", "eval ", "test ", "[ ", " ]", "[[ ", " ]]", "let ",
    "declare ", "export ", "read ", "exec ", "command ", "case ", " in ", ";; ", "esac",
    "for x in ",
    "; do ", "; done", "if ", "; then ", "; fi", "((", "))", "$((", "$(", ")", "(", "${", "}", "$[",
    "]",
    "[", "$", "`", "\"", "'", "\\", "\\\n", "<<E\n", " > ", " < ", "&", "|", "; ", "\n", " # ", "=",
    "x=",
    "a[", "~", "*", " ", "$x", "{", "!", "time -p ", "sh -c ", "$'", "f() ", "SECONDS=", "-v ",
    "-eq ",
  ]

  @Test(arguments: shells) func `no text that is taken lets a shell run a value`(shell: String)
    throws
  {
    let folder = TemporaryFolder()
    var random = SplitMix64(seed: 45)
    var runs = 0
    while runs < 100 {
      var template = ""
      for _ in 0..<Int.random(in: 2...9, using: &random) {
        template +=
          Bool.random(using: &random) ? Self.tokens.randomElement(using: &random) ?? "" : "@"
      }
      let value = Self.values.randomElement(using: &random) ?? ""
      guard template.contains("@"), let text = Self.fill(template, value) else { continue }
      runs += 1
      _ = try output(of: text, shell, in: folder)
      #expect(!hasMarker(folder), "\(template) with \(value): \(text)")
    }
  }
}
