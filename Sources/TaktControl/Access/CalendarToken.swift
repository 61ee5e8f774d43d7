import Glibc
import Synchronization
import TaktSystem

/// The token in the address of the calendar, for programs that send no headers: valid for nothing
/// else. Programs that log addresses, as proxies do, log it.
///
/// Safe from any thread.
final class CalendarToken: Sendable {
  /// The route, and the query parameter with the token.
  static let path = "/calendar.ics"
  static let parameter = "token"
  private static let fileName = "calendar-token"

  private struct State {
    var token: Token?
    /// Tokens from which it must differ.
    var others: [Token] = []
  }

  private let state = Mutex(State())

  /// Always false before somebody first requests the calendar's address.
  func matches(_ text: some Sequence<UInt8>) -> Bool {
    state.withLock { $0.token }?.matches(text) == true
  }

  /// Reads the token, if it exists.
  ///
  /// - Parameters:
  ///   - tokenFile: the file of the token with all rights; the calendar's is in the same folder.
  ///   - others: the tokens that must not be in an address.
  func read(
    beside tokenFile: String, as row: FileTrust, others: [Token]
  ) throws(Token.FileError) {
    let path = Self.file(beside: tokenFile)
    var token: Token?
    if let text = try Token.read(path, as: row) {
      try Token.checkLength(text, path)
      token = try Self.token(text, path, unlike: others)
    }
    state.withLock { state in
      state.token = token
      state.others = others
    }
  }

  /// The token's text; made if there is none.
  ///
  /// - Parameter isReplaced: true to invalidate the present one.
  func text(
    beside tokenFile: String, as row: FileTrust, isReplaced: Bool
  ) throws(Token.FileError) -> String {
    let path = Self.file(beside: tokenFile)
    if isReplaced {
      state.withLock { $0.token = nil }
      guard unlink(path) == 0 || errno == ENOENT else {
        throw Token.FileError(message: "cannot remove \(path): \(SystemError.text(errno))")
      }
    }
    _ = try Token(path: path, as: row)
    let text = try Token.read(path, as: row) ?? []
    let others = state.withLock { $0.others }
    let token = try Self.token(text, path, unlike: others)
    state.withLock { $0.token = token }
    return String(decoding: text, as: UTF8.self)
  }

  private static func token(
    _ text: [UInt8], _ path: String, unlike others: [Token]
  ) throws(Token.FileError) -> Token {
    let token = Token(text: text)
    guard !others.contains(token) else {
      throw Token.FileError(message: "\(path) has the same token as another file")
    }
    return token
  }

  private static func file(beside tokenFile: String) -> String {
    let folder = tokenFile.lastIndex(of: "/").map { tokenFile[...$0] } ?? ""
    return folder + fileName
  }
}
