import Glibc

/// The files of a machine: its own, or those of a copy below a folder. Links never lead out of that
/// folder, and nothing but regular files is opened.
package struct ImportTree: Sendable {
  /// Without a `/` at its end; empty for this machine.
  let root: String
  private let mark: ReadingMark?

  /// - Parameters:
  ///   - root: the folder that stands for `/`; nil for this machine.
  ///   - mark: is told of each path before the file system is asked.
  package init(root: String?, mark: ReadingMark? = nil) {
    self.mark = mark
    var root = root ?? ""
    while root.hasSuffix("/") { root.removeLast() }
    self.root = root
  }

  static let fileBytesMax = 1 << 20
  static let namesMax = 10_000
  private static let linksMax = 40

  /// The reason why a file was not read.
  struct Problem: Error {
    var sentence: String
    var isMissing = false
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

  /// The path on this machine of an absolute path in the tree; nil when it leads nowhere.
  ///
  /// - Parameter followsLast: whether a link at the end is followed, too.
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
      guard followsLast || !pending.isEmpty, let target = Self.target(of: here) else {
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

  private static func target(of path: String) -> String? {
    let size = 4096
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      // No more than `size` bytes are written, and `count` of them are read.
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink(path, base, size)
      guard count > 0, count < size else { return nil }
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  func kind(of path: String, followsLast: Bool = true) -> Kind {
    defer { mark?.finish() }
    guard let place = place(of: path, followsLast: followsLast) else { return .none }
    var status = stat()
    guard lstat(place, &status) == 0 else { return .none }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    case S_IFLNK: return .link(to: Self.target(of: place) ?? "")
    default: return .other
    }
  }

  func isExecutable(_ path: String) -> Bool {
    defer { mark?.finish() }
    guard let place = place(of: path) else { return false }
    var status = stat()
    return stat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_mode & 0o111 != 0
  }

  func read(_ path: String) throws(Problem) -> Contents {
    defer { mark?.finish() }
    guard !path.utf8.contains(0), let place = place(of: path) else {
      throw Problem(sentence: "too many links")
    }
    var status = stat()
    guard lstat(place, &status) == 0 else {
      throw Problem(sentence: Self.text(errno), isMissing: errno == ENOENT)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(sentence: "not a regular file") }
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Problem(sentence: Self.text(errno)) }
    defer { close(descriptor) }
    // Asked again of what was opened: the path may lead elsewhere by now.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Problem(sentence: "not a regular file")
    }
    return Contents(
      bytes: try Self.bytes(of: descriptor), owner: status.st_uid, mode: status.st_mode & 0o7777)
  }

  /// Reads to the end of a descriptor, within the bound for files.
  static func bytes(of descriptor: Int32) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw Problem(sentence: text(errno))
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= fileBytesMax else { throw Problem(sentence: "larger than 1 MB") }
    }
  }

  /// The names in a folder in the order of their bytes; none where it cannot be read. `isCut` says
  /// that it has more than `namesMax`.
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

  static func text(_ number: Int32) -> String {
    // The text is the thread's own or constant, and copied at once.
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }
}

extension ImportTree {
  /// Whether the names in a folder can be read.
  func canList(_ folder: String) -> Bool {
    defer { mark?.finish() }
    return place(of: folder).map { access($0, R_OK | X_OK) == 0 } ?? false
  }

  /// An absolute path of one that may be relative to the folder of this process.
  func absolute(_ path: String) -> String {
    if path.hasPrefix("/") || !root.isEmpty { return path.hasPrefix("/") ? path : "/" + path }
    guard let buffer = getcwd(nil, 0) else { return "/" + path }
    defer { free(buffer) }
    let folder = String(cString: buffer)
    return (folder == "/" ? "" : folder) + "/" + path
  }
}
