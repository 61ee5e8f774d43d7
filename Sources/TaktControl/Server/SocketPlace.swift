import Glibc
package import TaktCore
import TaktSystem

/// The path of the daemon's Unix socket, for the daemon and for its clients.
package enum SocketPlace {
  private static let name = "control.sock"
  /// The most bytes in an address, without the final NUL.
  private static let lengthMax = 107

  /// The path of the socket: in the state folder; without one, or if the path would be too long, in
  /// the user's runtime folder. Nil if there is no such folder either, or another user could have
  /// made it.
  ///
  /// - Parameter file: the absolute path of the jobs file.
  package static func path(state: StateFolder, file: String) -> String? {
    let subject: String
    if case .folder(let folder) = state {
      let path = "\(folder)/\(name)"
      if path.utf8.count <= lengthMax { return path }
      subject = folder
    } else {
      subject = file
    }
    guard let folder = runtimeFolder else { return nil }
    let digest = SHA256.hash(subject.utf8).hexadecimal(first: 8)
    let path = "\(folder)/takt-\(digest).sock"
    return path.utf8.count <= lengthMax ? path : nil
  }

  /// The possible paths of the daemon's socket, the best first: if the state folder cannot hold a
  /// socket, the user's runtime folder is left.
  package static func paths(state: StateFolder, file: String) -> [String] {
    guard let first = path(state: state, file: file) else { return [] }
    guard let other = path(state: .none, file: file), other != first else { return [first] }
    return [first, other]
  }

  /// The caller's session may be another user's, as that of `sudo -E` is.
  private static var runtimeFolder: String? {
    guard let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }),
      folder.hasPrefix("/")
    else { return nil }
    // A missing folder has no owner.
    guard let trail = FileOpener.trail(of: folder) else { return folder }
    let problem = FileTrust.runtimeFolder.problem(in: trail, for: FileParties(own: geteuid()))
    return problem == nil ? folder : nil
  }

  /// Refuses a place in which another user could put a socket of the same name.
  static func checkFolder(of path: String) throws(ControlError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    guard let trail = FileOpener.trail(of: folder.isEmpty ? "/" : folder) else {
      throw ControlError("cannot open \(folder); create it")
    }
    if let problem = FileTrust.runtimeFolder.problem(in: trail, for: FileParties(own: geteuid())) {
      throw ControlError(problem.advice)
    }
  }

  package enum Finding: Hashable, Sendable {
    /// A socket, even if nothing answers.
    case socket
    case nothing
    /// This user may not look there.
    case forbidden
    /// A socket of a user who could answer anything in the daemon's place.
    case foreign(owner: UInt32)
    /// The state folder is a link, or behind one, of a user who does not own its target: root may
    /// mean another daemon.
    case led(by: String, owner: UInt32)
  }

  package static func isThere(_ path: String) -> Bool { finding(at: path) == .socket }

  /// - Parameter owner: the owner of the daemon's jobs file: root may connect to that user's
  ///   daemon.
  package static func finding(at path: String, jobsFileOf owner: UInt32? = nil) -> Finding {
    let status: FileStatus
    do throws(SystemError) {
      status = try FileStatus(judging: path, followsLink: false)
    } catch {
      return error.number == EACCES ? .forbidden : .nothing
    }
    let own = geteuid()
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    if own == 0, let link = FileOpener.strangeLink(to: folder) {
      return .led(by: link.path, owner: link.owner)
    }
    let problem = FileTrust.socket.problem(
      of: FileFact(status, path: path),
      for: FileParties(own: own, jobsFile: own == 0 ? owner : nil))
    switch problem?.reason {
    case nil: return .socket
    case .owner(let user, _): return .foreign(owner: user)
    default: return .nothing
    }
  }

  /// The identity of the file there; nil for none.
  static func identity(of path: String) -> FileStatus.Identity? {
    (try? FileStatus(at: path, followsLink: false))?.identity
  }

  /// Makes room for a socket: removes one that a killed daemon has left, and touches nothing else.
  static func clear(_ path: String) throws(ControlError) {
    guard let status = try? FileStatus(at: path, followsLink: false) else { return }
    guard status.type == .socket else {
      throw ControlError("\(path) is there and is no socket")
    }
    guard !answers(path) else {
      throw ControlError("another daemon is running (socket \(path))")
    }
    unlink(path)
  }

  private static func answers(_ path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { Glibc.close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix(lengthMax))
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
