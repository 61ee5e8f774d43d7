import Foundation
import TaktSystem
import Testing

@testable import TaktControl

@Suite struct TokenTests {
  private let path = NSTemporaryDirectory() + "takt-token-\(UUID().uuidString)"

  private func write(_ text: String, mode: mode_t = 0o600) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
  }

  @Test(arguments: ["0123456789abcdef", "0123456789abcdef\n", " \t0123456789abcdef\r\n\n"])
  func `what stands around a token does not count`(text: String) throws {
    defer { unlink(path) }
    try write(text)
    let token = try Token(path: path)
    #expect(token.matches(Array("0123456789abcdef".utf8)))
    #expect(!token.matches(Array("0123456789abcdeF".utf8)))
    #expect(!token.matches(Array("0123456789abcdef0".utf8)))
  }

  @Test(
    arguments: [
      ("", 0o600), ("short\n", 0o600), ("0123456789abcdef\n", 0o604),
      ("0123456789abcdef\n", 0o660), (String(repeating: "a", count: 1025), 0o600),
    ] as [(String, mode_t)])
  func `a token that is short or long, or not its owner's alone, is refused`(
    text: String, mode: mode_t
  ) throws {
    defer { unlink(path) }
    try write(text, mode: mode)
    #expect(throws: Token.FileError.self) { try Token(path: path) }
  }

  @Test(
    arguments: [
      (0o600, ""), (0o640, ""), (0o444, "warning"), (0o604, "warning"), (0o620, "problem"),
      (0o602, "problem"),
    ] as [(mode_t, String)])
  func `a token that machines share may come by a link, and be readable by others`(
    mode: mode_t, consequence: String
  ) throws {
    let link = path + ".link"
    defer {
      unlink(path)
      unlink(link)
    }
    try write("0123456789abcdef\n", mode: mode)
    #expect(symlink(path, link) == 0)
    var (warnings, problems) = ([String](), [String]())
    let tokens = ClusterTokens(
      readingFile: link, writingFile: nil, onWarning: { warnings.append($0) },
      onProblem: { problems.append($0) })
    #expect((tokens.reading?.text == "0123456789abcdef") == (consequence != "problem"))
    let warning =
      "the token of 'api_token_file': \(link) can be read by other users; run `chmod o-r \(link)`"
    #expect(warnings == (consequence == "warning" ? [warning] : []))
    let octal = "0" + String(mode, radix: 8)
    let problem =
      "the token of 'api_token_file' cannot be used: \(link): group- or world-writable "
      + "(mode \(octal)), refused; run `chmod go-w "
    #expect(problems.allSatisfy { $0.hasPrefix(problem) })
    #expect(problems.count == (consequence == "problem" ? 1 : 0))
  }

  @Test func `a token that machines share is not made`() {
    var problems: [String] = []
    let tokens = ClusterTokens(
      readingFile: nil, writingFile: path, onWarning: { problems.append($0) },
      onProblem: { problems.append($0) })
    #expect(tokens.writing == nil && tokens.reading == nil)
    #expect(access(path, F_OK) != 0)
    #expect(
      problems == [
        "the token of 'api_write_token_file' cannot be used: \(path): No such file or directory"
      ])
  }

  @Test func `a folder or a pipe is no token`() throws {
    defer { rmdir(path) }
    #expect(mkdir(path, 0o700) == 0)
    let folder = try #require(throws: Token.FileError.self) { try Token(path: path) }
    #expect(folder.message == "\(path): this is a folder, not a file; name a file")
    let pipe = path + ".pipe"
    defer { unlink(pipe) }
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: Token.FileError.self) { try Token(path: pipe) }
  }

  @Test(.enabled(if: geteuid() == 0, "the folder of another user takes root"))
  func `root neither reads nor makes a token in a folder of another user`() throws {
    let folder = path + ".home"
    let file = folder + "/token"
    defer {
      unlink(file)
      rmdir(folder)
    }
    #expect(mkdir(folder, 0o755) == 0)
    _ = try Token(path: file)
    chown(folder, 47_321, 47_321)
    let trouble = try #require(throws: Token.FileError.self) { try Token(path: file) }
    #expect(trouble.message.contains("run `chown root "))
    unlink(file)
    #expect(throws: Token.FileError.self) { try Token(path: file) }
    #expect(access(file, F_OK) != 0)
  }

  @Test(.enabled(if: geteuid() == 0, "the folder of another user takes root"))
  func `root neither reads nor makes a token below a folder of another user`() throws {
    let (upper, folder) = (path + ".srv", path + ".srv/full")
    let file = folder + "/token"
    defer {
      unlink(file)
      rmdir(folder)
      rmdir(upper)
    }
    #expect(mkdir(upper, 0o755) == 0 && mkdir(folder, 0o755) == 0)
    _ = try Token(path: file)
    chown(upper, 47_321, 47_321)
    let words =
      "\(file): user 47321 owns the folder '\(upper)' and could put another file in its place, "
      + "refused; run `chown root \(upper)`"
    let reading = try #require(throws: Token.FileError.self) { try Token(path: file) }
    #expect(reading.message == words)
    // The state folder may be in a volume of another user.
    _ = try Token(path: file, as: .stateToken)
    unlink(file)
    let making = try #require(throws: Token.FileError.self) { try Token(path: file) }
    #expect(making.message == words)
    #expect(access(file, F_OK) != 0)
    _ = try Token(path: file, as: .stateToken)
  }

  @Test(.enabled(if: geteuid() == 0, "links matter to root alone"))
  func `root makes no token where a link of another user leads`() throws {
    let (real, evil) = (path + ".real", path + ".evil")
    let file = evil + "/link/token"
    defer {
      unlink(real + "/token")
      unlink(evil + "/link")
      rmdir(evil)
      rmdir(real)
    }
    #expect(mkdir(real, 0o700) == 0 && mkdir(evil, 0o755) == 0)
    #expect(symlink(real, evil + "/link") == 0)
    lchown(evil + "/link", 47_321, 47_321)
    chown(evil, 47_321, 47_321)
    let trouble = try #require(throws: Token.FileError.self) { try Token(path: file) }
    #expect(trouble.message.contains("reached by a link that another user may have made"))
    #expect(access(real + "/token", F_OK) != 0)
  }

  @Test func `a place that cannot be written is said`() throws {
    let trouble = try #require(throws: Token.FileError.self) { try Token(path: "/none/token") }
    #expect(trouble.message.hasPrefix("cannot write the token to /none/token: "))
  }

  @Test func `two tokens are not alike`() throws {
    let other = path + ".other"
    defer {
      unlink(path)
      unlink(other)
    }
    _ = (try Token(path: path), try Token(path: other))
    #expect(try Token.read(path) != Token.read(other))
  }
}
