import Glibc
import Synchronization
import TaktSystem

/// The credential of requests over TCP: the right to do what the jobs file declares.
struct Token: Equatable, Sendable {
  struct FileError: Error {
    var message: String
  }

  private static let bytes = 32
  private static let bytesMax = 1024
  private let digest: SHA256Digest

  /// Reads the token at `path`; if there is none, makes one that only its owner can read.
  ///
  /// A file that others may read is refused: they would have the token, too.
  init(path: String, as row: FileTrust = .token) throws(FileError) {
    let known = try Self.read(path, as: row)
    let text = if let known { known } else { try Self.make(path, as: row) }
    try Self.checkLength(text, path)
    self.init(text: text)
  }

  init(text: [UInt8]) { digest = SHA256.hash(text) }

  static func == (left: Token, right: Token) -> Bool { left.digest == right.digest }

  /// Takes the same time for all texts of one length.
  func matches(_ text: some Sequence<UInt8>) -> Bool {
    // Comparing digests does not reveal the place of a difference; their comparison is also
    // constant-time.
    SHA256.hash(Array(text)) == digest
  }

  static func checkLength(_ text: [UInt8], _ path: String) throws(FileError) {
    guard text.count >= 16 else {
      throw FileError(message: "\(path) has no token of at least 16 characters")
    }
  }

  /// The token's text; nil for none.
  static func read(_ path: String, as row: FileTrust = .token) throws(FileError) -> [UInt8]? {
    try contents(of: path, as: row)?.text
  }

  /// The text of a token that an operator gives to several machines, and true if other users may
  /// read it: it may be behind a link and owned by root, as container engines mount secrets.
  static func readShared(
    _ path: String
  ) throws(FileError) -> (text: [UInt8], isReadableByOthers: Bool)? {
    try contents(of: path, as: .clusterToken)
  }

  private static func contents(
    of path: String, as row: FileTrust
  ) throws(FileError) -> (text: [UInt8], isReadableByOthers: Bool)? {
    do throws(OpenFailure) {
      let (bytes, file) = try TrustedFile.read(
        path, bytesMax: bytesMax, as: row, for: FileParties(own: geteuid()))
      return (bytes.filter { $0 > 32 && $0 < 127 }, file.mode & 0o004 != 0)
    } catch {
      switch error {
      case .system(ENOENT): return nil
      case .system(EFBIG):
        throw FileError(message: "\(path) is larger than \(bytesMax) bytes")
      case .system(let number):
        throw FileError(message: "\(path): \(SystemError.text(number))")
      case .distrusted(let problem): throw FileError(message: "\(path): \(problem.advice)")
      }
    }
  }

  private static func make(_ path: String, as row: FileTrust) throws(FileError) -> [UInt8] {
    let parties = FileParties(own: geteuid())
    if let problem = TrustedFile.problem(making: path, as: row, for: parties) {
      throw FileError(message: "\(path): \(problem.advice)")
    }
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef".utf8)
    let text = (0..<bytes).flatMap { _ in
      let byte = UInt8.random(in: .min ... .max, using: &generator)
      return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    do throws(SystemError) {
      try SmallFile.create(path, text + [10], mode: 0o600)
    } catch {
      throw FileError(
        message: "cannot write the token to \(path): \(SystemError.text(error.number))")
    }
    return text
  }
}

extension Problem {
  /// takt does not listen on TCP.
  fileprivate static let noPage = Problem(
    .notFound, "the web page is off",
    detail: "Add 'http: {listen: 8080}' under 'scheduler' and restart takt.")
}

/// The address of the web page with its token: known when takt listens. Safe from any thread.
final class NetworkAddress: Sendable {
  private struct State {
    var address: String
    var tokenFile: String
    var row: FileTrust
  }

  private let state = Mutex<State?>(nil)
  private let refusal = Mutex<String?>(nil)

  /// Sets the reason why takt does not listen although the jobs file asks for it.
  func setRefusal(_ words: String) { refusal.withLock { $0 = words } }

  /// The reason why there is no address.
  var problem: Problem {
    guard let words = refusal.withLock({ $0 }) else { return .noPage }
    return Problem(.notFound, "takt does not listen for the web page", detail: words)
  }

  /// The address with the current token; nil for none.
  var address: String? {
    guard let state = state.withLock({ $0 }),
      let token = try? Token.read(state.tokenFile, as: state.row)
    else { return nil }
    return "\(state.address)/#token=\(String(decoding: token, as: UTF8.self))"
  }

  /// The address of the calendar with its token, which is made if there is none; nil if takt does
  /// not listen.
  func calendar(
    _ token: CalendarToken, isReplaced: Bool
  ) throws(Token.FileError) -> String? {
    guard let state = state.withLock({ $0 }) else { return nil }
    let text = try token.text(
      beside: state.tokenFile, as: state.row, isReplaced: isReplaced)
    return "\(state.address)\(CalendarToken.path)?\(CalendarToken.parameter)=\(text)"
  }

  func set(_ address: String, tokenFile: String, as row: FileTrust = .token) {
    state.withLock { $0 = State(address: address, tokenFile: tokenFile, row: row) }
  }
}
