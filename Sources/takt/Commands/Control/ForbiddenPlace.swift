import Glibc
import TaktControl
import TaktSystem

/// Words about what belongs to another user.
enum ForbiddenPlace {
  /// Why a path cannot be used, from the folder or file on the way to it that refuses.
  static func words(_ path: String) -> String {
    var place = path
    var status = try? FileStatus(at: place, followsLink: false)
    // What cannot be entered can be seen from above.
    while status == nil, let cut = place.lastIndex(of: "/"), cut > place.startIndex {
      place = String(place[..<cut])
      status = try? FileStatus(at: place, followsLink: false)
    }
    let user = status?.owner ?? 0
    let owner = name(of: user)
    let allowed = user == 0 ? owner : "\(owner) or root"
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
    let isStopped = ProcessStatus.read(pid)?.isStopped ?? false
    return isStopped
      ? "takt (pid \(pid)) is stopped and does not answer; 'kill -CONT \(pid)' lets it continue. "
        + "Waiting up to \(limitSeconds) s."
      : "takt (pid \(pid)) has not answered for \(seconds) s; waiting up to \(limitSeconds) s. If it "
        + "hangs, end it with 'kill -9 \(pid)' and start it again: it continues from the ledger."
  }
}
