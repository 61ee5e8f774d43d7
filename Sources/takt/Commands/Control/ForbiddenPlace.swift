import Glibc
import TaktControl

/// Words about what belongs to another user.
enum ForbiddenPlace {
  /// Why a path cannot be used, from the folder or file on the way to it that refuses.
  static func words(_ path: String) -> String {
    var place = path
    var status = stat()
    // What cannot be entered can be seen from above.
    while lstat(place, &status) != 0, let cut = place.lastIndex(of: "/"), cut > place.startIndex {
      place = String(place[..<cut])
    }
    let owner = name(of: status.st_uid)
    let allowed = status.st_uid == 0 ? owner : "\(owner) or root"
    return "no permission: \(place) belongs to user \(owner), and you are user "
      + "\(name(of: geteuid())). Run the command as \(allowed), or name another jobs file with -f."
  }

  /// The name of a user; the number of one without a name.
  static func name(of user: uid_t) -> String {
    // The command asks in one thread, and copies the name at once.
    guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return String(user) }
    return String(cString: name)
  }
}

extension ControlClient.Silence {
  /// What it looks like, and what to do.
  var words: String {
    guard let pid else {
      return "the daemon has not answered for \(seconds) s; waiting up to \(limitSeconds) s"
    }
    let isStopped = Self.state(of: pid).map { "Tt".contains($0) } ?? false
    return isStopped
      ? "takt (pid \(pid)) is stopped and does not answer; 'kill -CONT \(pid)' lets it continue. "
        + "Waiting up to \(limitSeconds) s."
      : "takt (pid \(pid)) has not answered for \(seconds) s; waiting up to \(limitSeconds) s. If it "
        + "hangs, end it with 'kill -9 \(pid)' and start it again: it continues from the ledger."
  }

  /// The letter that the system has for what a process does.
  private static func state(of pid: Int32) -> Character? {
    let file = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    // The name in parentheses may hold anything.
    return text.split(separator: ")").last?.first { $0 != " " }
  }
}
