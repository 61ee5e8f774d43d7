import Glibc

/// A path that the system does not let be watched.
struct WatchRefusal: Hashable {
  /// The folder or file, without links.
  var path: [CChar]
  /// The system's error number.
  var number: Int32

  /// One sentence or two for people: what happened, and what to do.
  var sentence: String {
    let bytes = path.map { UInt8(truncatingIfNeeded: $0) }
    let name = path.isEmpty ? "/" : String(decoding: bytes, as: UTF8.self)
    return switch number {
    case ENOSPC:
      "\(name) cannot be watched, since the system's limit of inotify watches is reached: "
        + "raise fs.inotify.max_user_watches, for example with "
        + "`sysctl fs.inotify.max_user_watches=1048576`"
    case EACCES, EPERM:
      "\(name) cannot be watched, since takt may not read it: give takt's user the right to read "
        + "it, and if it is a folder also to enter it"
    case ENOMEM:
      "\(name) cannot be watched, since the system has no memory for it: free some"
    case ETIMEDOUT:
      "\(name) does not answer: what is watched there is not armed, and changes there are not seen. "
        + "takt tries again; see to the mount"
    default:
      "\(name) cannot be watched: \(String(cString: strerror(number))); takt tries again every "
        + "30 s, and when the jobs are loaded anew"
    }
  }
}

/// Which refusals stand, and for whom: so that each is told once, until it is over.
struct RefusalBook {
  private var usersByRefusal: [WatchRefusal: Set<UInt64>] = [:]
  private var refusalsByUser: [UInt64: Set<WatchRefusal>] = [:]

  /// The keys that are in trouble.
  var users: [UInt64] { refusalsByUser.keys.sorted() }

  var isEmpty: Bool { refusalsByUser.isEmpty }

  /// Enters what was refused to a key now, in place of what was before. Returns what is new.
  mutating func replace(_ refusals: Set<WatchRefusal>, of id: UInt64) -> [WatchRefusal] {
    let former = refusalsByUser[id] ?? []
    refusalsByUser[id] = refusals.isEmpty ? nil : refusals
    for refusal in former.subtracting(refusals) {
      usersByRefusal[refusal]?.remove(id)
      if usersByRefusal[refusal]?.isEmpty == true { usersByRefusal[refusal] = nil }
    }
    return refusals.subtracting(former).filter { refusal in
      defer { usersByRefusal[refusal, default: []].insert(id) }
      return usersByRefusal[refusal] == nil
    }
  }
}
