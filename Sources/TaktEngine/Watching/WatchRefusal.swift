import Glibc
import TaktSystem

struct WatchRefusal: Hashable {
  /// The folder or file, without links.
  var path: [CChar]
  var number: Int32

  var sentence: String {
    let bytes = path.map { UInt8(truncatingIfNeeded: $0) }
    let name = path.isEmpty ? "/" : String(decoding: bytes, as: UTF8.self)
    return switch number {
    case ENOSPC:
      "cannot watch \(name): the system's limit of inotify watches is reached; "
        + "raise fs.inotify.max_user_watches, for example with "
        + "`sysctl fs.inotify.max_user_watches=1048576`"
    case EACCES, EPERM:
      "cannot watch \(name): permission denied; give takt's user the right to read it, and to "
        + "enter it if it is a folder"
    case E2BIG:
      "cannot watch all folders below \(name): there are more than \(PathWalk.foldersMax), and "
        + "changes in the others are not seen; watch a folder further down"
    case EOPNOTSUPP:
      "cannot watch the folders below \(name): its file system may stop responding; watch them on "
        + "the machine that has the disk"
    case ENOMEM:
      "cannot watch \(name): out of memory"
    case ETIMEDOUT:
      "cannot watch \(name): its file system does not respond, so changes are not seen; takt keeps "
        + "trying; check the mount"
    default:
      "cannot watch \(name): \(SystemError.text(number)); takt tries again every 30 s, "
        + "and after each reload"
    }
  }
}

/// The present refusals and their keys: each is reported once, until it is over.
struct WatchRefusals {
  private var usersByRefusal: [WatchRefusal: Set<UInt64>] = [:]
  private var refusalsByUser: [UInt64: Set<WatchRefusal>] = [:]

  var users: [UInt64] { refusalsByUser.keys.sorted() }

  var isEmpty: Bool { refusalsByUser.isEmpty }

  /// Replaces the refusals of a key. Returns the new ones.
  mutating func replace(_ refusals: Set<WatchRefusal>, of id: UInt64) -> [WatchRefusal] {
    let previous = refusalsByUser[id] ?? []
    refusalsByUser[id] = refusals.isEmpty ? nil : refusals
    for refusal in previous.subtracting(refusals) {
      usersByRefusal[refusal]?.remove(id)
      if usersByRefusal[refusal]?.isEmpty == true { usersByRefusal[refusal] = nil }
    }
    return refusals.subtracting(previous).filter { refusal in
      defer { usersByRefusal[refusal, default: []].insert(id) }
      return usersByRefusal[refusal] == nil
    }
  }
}
