import Glibc
import Synchronization
import TaktSystem

/// The token in the address of the calendar, for programs that send no headers: good for nothing else.
/// Programs that log addresses, as proxies do, log it.
///
/// Safe from any thread.
final class CalendarToken: Sendable {
  /// The route, and the part of its query that is the token.
  static let path = "/calendar.ics"
  static let parameter = "token"
  private static let fileName = "calendar-token"

  private struct State {
    var token: Token?
    /// What it must differ from.
    var others: [Token] = []
  }

  private let state = Mutex(State())

  /// Whether a text is it. There is none until somebody asks for the calendar's address.
  func matches(_ text: some Sequence<UInt8>) -> Bool {
    state.withLock { $0.token }?.matches(text) == true
  }

  /// Reads it, where it has been made.
  ///
  /// - Parameters:
  ///   - tokenFile: the file of the token that may do everything; it is in the same folder.
  ///   - others: the tokens that an address must not have.
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

  /// Its text; it is made where there is none.
  ///
  /// - Parameter isReplaced: whether the one that there is no longer counts.
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
