/// The rights of a client. Each includes those before it.
enum Access: Int, Comparable, Sendable {
  /// Without a login: the page, which has no data, and the probes.
  case none
  /// Only the calendar.
  case calendar
  /// Read everything that the API shows.
  case read
  /// Trigger, suspend, resume and cancel what the jobs file declares.
  case operate
  /// Everything that the API offers over TCP.
  case full
  /// Reserved for takt's own user and root, on the Unix socket.
  case socket

  static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

  /// The name of the right in the jobs file and the docs.
  var word: String {
    switch self {
    case .none: "none"
    case .calendar: "calendar"
    case .read: "read"
    case .operate: "operate"
    case .full: "all"
    case .socket: "socket"
    }
  }

  /// The name in the status.
  var statusWord: String { self >= .full ? "full" : word }
}

extension ControlContext {
  /// - Throws: a refusal that names the missing right.
  func require(_ needed: Access) throws {
    guard access < needed else { return }
    if needed == .socket {
      throw Problem(.forbidden, "this is available only on the Unix socket")
    }
    let verb =
      switch access {
      case .none, .calendar: "do nothing here"
      case .read: "only read"
      case .operate, .full, .socket: "only read and operate"
      }
    let words = "This needs the right '\(needed.word)'"
    guard let user = login.user else {
      throw Problem(
        .forbidden, "this token may \(verb)",
        detail: words + "; 'takt open' prints a token that has it.")
    }
    throw Problem(
      .forbidden, "user '\(user)' may \(verb)",
      detail: words + "; scheduler.http.proxy.users gives it.")
  }
}
