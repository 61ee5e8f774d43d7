/// What a client may do. Each right includes those before it.
enum Access: Int, Comparable, Sendable {
  /// What needs no login: the page, which has no data, and the probes.
  case none
  /// The calendar alone.
  case calendar
  /// See everything that the API shows.
  case read
  /// Trigger, suspend, resume and cancel what the jobs file declares.
  case operate
  /// All that the API offers over TCP.
  case full
  /// What only takt's own user and root may do, by the Unix socket.
  case socket

  static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

  /// The right as the jobs file and the docs name it.
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

  /// As the status calls it.
  var statusWord: String { self >= .full ? "full" : word }
}

extension ControlContext {
  /// - Throws: a refusal that names the right that is missing.
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
