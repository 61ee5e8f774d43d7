import Glibc

/// Opens the folder of a path, one name after the other, so that no link leads anywhere that takt
/// has not agreed to.
package enum FolderPath {
  /// The links on the way that are followed.
  package enum Links {
    case none
    /// Those that nobody but root can have made: root owns the link, and nobody else can write to
    /// the folder that it is in, unless that folder is sticky and root's.
    case ofRoot
    case all
  }

  package enum Failure: Error, Hashable, Sendable {
    case system(Int32)
    case link(String)

    package var number: Int32 {
      switch self {
      case .system(let number): number
      case .link: ELOOP
      }
    }
  }

  /// The kernel's own limit.
  private static let linksMax = 40

  /// A descriptor of the folder at an absolute path, for use with the `…at` calls alone.
  ///
  /// - Parameter flags: `O_PATH` by default; what is opened is a folder in any case.
  package static func open(
    _ path: String, following links: Links, flags: Int32 = SmallFile.pathOnly
  ) throws(Failure) -> Int32 {
    guard path.hasPrefix("/") else { throw .system(EINVAL) }
    if case .all = links {
      let descriptor = Glibc.open(path, flags | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system(errno) }
      return descriptor
    }
    var walk = try Walk(path, follows: links == .ofRoot)
    return try walk.run(lastFlags: flags)
  }

  /// The folder of the last name of an absolute path, as `open` opens it, and that name, after all
  /// links that are followed at the end of the path. The name may not exist; use it with the `…at`
  /// calls that follow no link.
  package static func parent(
    of path: String, following links: Links
  ) throws(Failure) -> (folder: Int32, name: String) {
    var path = path
    for _ in 0...linksMax {
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { throw .system(EINVAL) }
      let parent = String(path[..<slash])
      let name = String(path[path.utf8.index(after: slash)...])
      if name.isEmpty { throw .system(EISDIR) }
      let folder = try open(parent.isEmpty ? "/" : parent, following: links)
      do throws(Failure) {
        guard let target = try target(of: name, in: folder, following: links, path) else {
          return (folder, name)
        }
        path = target.hasPrefix("/") ? target : "\(parent)/\(target)"
      } catch {
        close(folder)
        throw error
      }
      close(folder)
    }
    throw .system(ELOOP)
  }

  /// Nil if the name is not a link.
  private static func target(
    of name: String, in folder: Int32, following links: Links, _ path: String
  ) throws(Failure) -> String? {
    guard let status = try? FileStatus(judging: name, in: folder), status.type == .link else {
      return nil
    }
    switch links {
    case .none: throw .link(path)
    case .ofRoot:
      guard let around = try? FileStatus(judging: folder), isRoots(status, in: around) else {
        throw .link(path)
      }
    case .all: break
    }
    do throws(SystemError) {
      return try SmallFile.link(name, in: folder)
    } catch {
      throw .system(error.number)
    }
  }

  private static func isRoots(_ link: FileStatus, in folder: FileStatus) -> Bool {
    FileTrust.isRoots(FileFact(link, path: ""), in: FileFact(folder, path: ""))
  }

  private struct Walk {
    private var folder: Int32
    /// The next one last.
    private var remainingNames: [String]
    private var links = 0
    private let follows: Bool
    /// The path walked so far, for messages.
    private var walked = ""

    init(_ path: String, follows: Bool) throws(Failure) {
      self.follows = follows
      remainingNames = Self.names(in: path)
      folder = Glibc.open("/", SmallFile.pathOnly | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { throw .system(errno) }
    }

    mutating func run(lastFlags: Int32) throws(Failure) -> Int32 {
      do throws(Failure) {
        while let name = remainingNames.popLast() { try step(name) }
      } catch {
        close(folder)
        throw error
      }
      if lastFlags == SmallFile.pathOnly { return folder }
      let opened = openat(folder, ".", lastFlags | O_DIRECTORY | O_CLOEXEC)
      let number = errno
      close(folder)
      guard opened >= 0 else { throw .system(number) }
      return opened
    }

    private mutating func step(_ name: String) throws(Failure) {
      // Opens a link itself, and touches nothing else.
      let next = openat(folder, name, SmallFile.pathOnly | O_NOFOLLOW | O_CLOEXEC)
      guard next >= 0 else { throw .system(errno) }
      do throws(Failure) {
        try enter(next, name)
      } catch {
        close(next)
        throw error
      }
    }

    /// Continues in a folder, whose descriptor it takes over, or at the target of a link.
    private mutating func enter(_ next: Int32, _ name: String) throws(Failure) {
      let status = try Self.status(of: next)
      switch status.type {
      case .link:
        try follow(next, status, named: name)
        close(next)
      case .folder:
        close(folder)
        folder = next
        walked += "/\(name)"
      default: throw .system(ENOTDIR)
      }
    }

    private mutating func follow(
      _ link: Int32, _ status: FileStatus, named name: String
    ) throws(Failure) {
      links += 1
      guard follows, links <= linksMax, isRoots(status, in: try Self.status(of: folder)) else {
        throw .link("\(walked)/\(name)")
      }
      let text: String
      do throws(SystemError) {
        text = try SmallFile.link("", in: link)
      } catch {
        throw .system(error.number)
      }
      if text.hasPrefix("/") {
        let root = Glibc.open("/", SmallFile.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw .system(errno) }
        close(folder)
        folder = root
        walked = ""
      }
      remainingNames += Self.names(in: text)
    }

    private static func status(of descriptor: Int32) throws(Failure) -> FileStatus {
      do throws(SystemError) {
        return try FileStatus(judging: descriptor)
      } catch {
        throw .system(error.number)
      }
    }

    private static func names(in path: String) -> [String] {
      path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        .filter { $0 != "." }.reversed()
    }
  }
}
