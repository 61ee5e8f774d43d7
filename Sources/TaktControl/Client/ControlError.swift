import Glibc
import NIOCore
import NIOHTTP1
import TaktSystem

/// The reason why takt cannot listen, or has no answer.
package struct ControlError: Error, Hashable, Sendable {
  /// One sentence.
  package var message: String
  /// True if another user may do it.
  package var isForbidden = false

  package init(_ message: String) { self.message = message }
}

extension ControlError {
  /// The reason why a request to the daemon has no answer.
  init(_ error: any Error) {
    self =
      switch error {
      case let trouble as ControlError: trouble
      case let error as IOError: ControlError(errno: error.errnoCode)
      case HTTPParserError.invalidEOFState:
        ControlError("the connection ended in the middle of the answer")
      case is HTTPParserError: ControlError("the answer is not HTTP (\(error))")
      case SocketAddressError.unixDomainSocketPathTooLong:
        ControlError("the path is longer than the 107 bytes that a socket's path may have")
      case ChannelError.connectTimeout(let limit):
        ControlError("no connection within \(limit.nanoseconds / 1_000_000_000) s")
      default: ControlError("\(error)")
      }
  }

  private init(errno number: Int32) {
    let message =
      switch number {
      case ECONNREFUSED:
        "the daemon that created the socket was killed; start it with 'takt run'"
      case ENOENT: "there is no socket"
      case EACCES, EPERM:
        "permission denied; only the daemon's user and root may connect"
      case EAGAIN: "too many waiting connections; the daemon may hang"
      case ECONNRESET, EPIPE: "the connection ended in the middle of the answer"
      default: SystemError.text(number)
      }
    self.init(message)
    isForbidden = number == EACCES || number == EPERM
  }
}
