import Glibc
import TaktSystem

/// The files of a machine: this one, or a copy below a folder. Links never lead out of that folder,
/// and only regular files are opened.
package struct ImportTree: Sendable {
  /// Without a `/` at its end; empty for this machine.
  let root: String
  private let mark: ReadingMark?

  /// - Parameters:
  ///   - root: the folder in place of `/`; nil for this machine.
  ///   - mark: receives each path before the file system is accessed.
  package init(root: String?, mark: ReadingMark? = nil) {
    self.mark = mark
    var root = root ?? ""
    while root.hasSuffix("/") { root.removeLast() }
    self.root = root
  }

  static let fileBytesMax = 1 << 20
  static let namesMax = 10_000
  private static let linksMax = 40

  struct Problem: Error {
    var sentence: String

    init(sentence: String) { self.sentence = sentence }

    init(_ error: SystemError) {
      sentence =
        switch error.number {
        case EFBIG: "larger than 1 MB"
        case EINVAL, EISDIR: "not a regular file"
        default: SystemError.text(error.number)
        }
    }
  }

  struct Contents {
    var bytes: [UInt8]
    var owner: UInt32
    var mode: UInt32
  }

  enum Kind: Equatable {
    case none, file, folder, other
    case link(to: String)
  }

  /// The path on this machine of an absolute path in the tree; nil if it leads nowhere.
  ///
  /// - Parameter followsLast: true to follow a link at the end, too.
  func place(of path: String, followsLast: Bool = true) -> String? {
    mark?.set(root + path)
    var pending = path.split(separator: "/").map(String.init)[...]
    var done: [String] = []
    var links = 0
    while let part = pending.popFirst() {
      if part == "." { continue }
      if part == ".." {
        if !done.isEmpty { done.removeLast() }
        continue
      }
      let here = root + "/" + (done + [part]).joined(separator: "/")
      guard followsLast || !pending.isEmpty, let target = SmallFile.link(here) else {
        done.append(part)
        continue
      }
      links += 1
      guard links <= Self.linksMax else { return nil }
      if target.hasPrefix("/") { done = [] }
      pending = (target.split(separator: "/").map(String.init) + pending)[...]
      guard pending.count < 4096 else { return nil }
    }
    return root + "/" + done.joined(separator: "/")
  }

  func kind(of path: String, followsLast: Bool = true) -> Kind {
    defer { mark?.finish() }
    guard let place = place(of: path, followsLast: followsLast) else { return .none }
    switch (try? FileStatus(at: place, followsLink: false))?.type {
    case nil: return .none
    case .file: return .file
    case .folder: return .folder
    case .link: return .link(to: SmallFile.link(place) ?? "")
    default: return .other
    }
  }

  func isExecutable(_ path: String) -> Bool {
    defer { mark?.finish() }
    guard let place = place(of: path) else { return false }
    return (try? FileStatus(at: place)).map { $0.type == .file && $0.mode & 0o111 != 0 } ?? false
  }

  func read(_ path: String) throws(Problem) -> Contents {
    defer { mark?.finish() }
    guard !path.utf8.contains(0), let place = place(of: path) else {
      throw Problem(sentence: "too many links")
    }
    do throws(SystemError) {
      // Opening a device or a pipe can have side effects.
      guard try FileStatus(at: place, followsLink: false).type == .file else {
        throw SystemError("open", number: EINVAL)
      }
      let descriptor = open(place, SmallFile.readingFlags | O_NOFOLLOW)
      guard descriptor >= 0 else { throw SystemError("open") }
      defer { close(descriptor) }
      // Checked again on the open file: the path may lead elsewhere by now.
      let status = try FileStatus(of: descriptor)
      return Contents(
        bytes: try SmallFile.read(descriptor, bytesMax: Self.fileBytesMax), owner: status.owner,
        mode: status.mode)
    } catch {
      throw Problem(error)
    }
  }

  /// The names in a folder, sorted by their bytes; empty if it cannot be read. `isCut` is true for
  /// more than `namesMax`.
  func names(in folder: String) -> (names: [String], isCut: Bool) {
    defer { mark?.finish() }
    guard let place = place(of: folder), let handle = opendir(place) else { return ([], false) }
    defer { closedir(handle) }
    var names: [String] = []
    while names.count <= Self.namesMax, let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // The name ends with a NUL within the array.
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    let isCut = names.count > Self.namesMax
    if isCut { names.removeLast() }
    return (names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }, isCut)
  }

}

extension ImportTree {
  /// True if nothing can start in this folder.
  ///
  /// Only a whole machine, one with a shell, shows that a folder is missing. A folder without names
  /// may be the mount point of another disk.
  func lacks(_ folder: String) -> Bool {
    // Debian's name for no home at all.
    guard folder.hasPrefix("/"), folder != "/nonexistent" else { return true }
    if kind(of: folder) == .folder { return false }
    if root.isEmpty { return true }
    var parts = folder.split(separator: "/")
    while !parts.isEmpty, kind(of: "/" + parts.joined(separator: "/")) == .none {
      parts.removeLast()
    }
    return isExecutable("/bin/sh") && !names(in: "/" + parts.joined(separator: "/")).names.isEmpty
  }

  func canList(_ folder: String) -> Bool {
    defer { mark?.finish() }
    return place(of: folder).map { access($0, R_OK | X_OK) == 0 } ?? false
  }

  /// Resolves a relative path from the folder of this process.
  func absolute(_ path: String) -> String {
    if path.hasPrefix("/") || !root.isEmpty { return path.hasPrefix("/") ? path : "/" + path }
    guard let buffer = getcwd(nil, 0) else { return "/" + path }
    defer { free(buffer) }
    let folder = String(cString: buffer)
    return (folder == "/" ? "" : folder) + "/" + path
  }
}
