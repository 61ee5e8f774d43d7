import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// A daemon's note next to a ledger that it cannot write: until when the fate of slots and runs is
/// unknown to the ledger.
///
/// The file always exists, filled with zeros, so that its space is reserved while there is some.
struct LossNote: Equatable {
  static let name = "unwritten"
  /// Written at once; a note is shorter.
  static let size = 512
  /// A block of most file systems.
  private static let reservedBytes = 4096

  /// The number of entries that waited to be written; nil if the note cannot be read.
  var entryCount: Int?
  /// Later events are in no entry that waited.
  var until: WallInstant
  /// The same instant on the clock of this boot; nil if that is not known.
  var monotonic: MonotonicInstant?
  var boot = ""
  /// The highest number of a run in an entry that waited.
  var lastRun: UInt64 = 0

  /// Merges an older note that the ledger has not recorded either.
  func added(to older: LossNote?) -> LossNote {
    guard let older else { return self }
    var both = self
    both.entryCount = older.entryCount.flatMap { count in entryCount.map { count + $0 } }
    both.lastRun = max(lastRun, older.lastRun)
    return both
  }
}

extension LossNote {
  /// Nil without a note in the state folder. One that is empty or damaged tells only that something
  /// is lost, until the time at which the file was changed.
  init?(in directory: StateDirectory) throws(StateFolderProblem) {
    guard let found = directory.status(of: Self.name) else { return nil }
    guard found.type == .file else {
      throw StateFolderProblem(
        path: directory.path + "/" + Self.name, kind: found.type == .link ? .link : .wrongType)
    }
    let file = openat(directory.descriptor, Self.name, SmallFile.readingFlags | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard let status = try? FileStatus(of: file) else { return nil }
    let bytes = SmallFile.head(file, bytesMax: Self.size) ?? []
    if !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) { return nil }
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    if let note = Self(text) {
      self = note
    } else {
      until = WallInstant(milliseconds: status.modified.milliseconds)
    }
  }

  /// Reserves the space for a note unless there is one to be kept; true if the space is reserved
  /// now.
  static func reserve(in directory: StateDirectory) -> Bool {
    if let found = directory.status(of: name), found.sizeBytes >= reservedBytes { return true }
    // Under another name first: an empty file would be a note.
    let making = name + ".new"
    unlinkat(directory.descriptor, making, 0)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let file = openat(directory.descriptor, making, flags, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    // Synchronised, so that it is not empty after a power failure either.
    let isMade =
      posix_fallocate(file, 0, off_t(reservedBytes)) == 0 && fsync(file) == 0
      && renameat(directory.descriptor, making, directory.descriptor, name) == 0
    if !isMade { unlinkat(directory.descriptor, making, 0) }
    return isMade
  }

  /// Writes the note into the reserved space, or into any that there is.
  func write(in directory: StateDirectory) { Self.put(text, in: directory, creating: true) }

  /// Clears the note and keeps its space.
  static func clear(in directory: StateDirectory) { put("", in: directory, creating: false) }

  private static func put(_ text: String, in directory: StateDirectory, creating: Bool) {
    let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0)
    let file = openat(directory.descriptor, name, flags, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var bytes = Array(text.utf8.prefix(size))
    bytes += [UInt8](repeating: 0, count: size - bytes.count)
    // If it fails the file is empty or torn, which also says that something is lost.
    _ = pwrite(file, bytes, bytes.count, 0)
  }
}

extension LossNote {
  /// `61 1790000000000`, as all versions write it, and a line with the other fields and a checksum
  /// of both.
  private var text: String {
    let text =
      "\(entryCount ?? 0) \(until.milliseconds)\nrun=\(lastRun) "
      + "clock=\(monotonic.map { "\($0.nanoseconds)" } ?? "") boot=\(boot) "
    return text + "sum=\(String(StableHash.of(text), radix: 16))\n"
  }

  private init?(_ text: String) {
    guard text.last == "\n" else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let numbers = lines[0].split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 2, numbers[0] >= 0 else { return nil }
    (entryCount, until) = (Int(numbers[0]), WallInstant(milliseconds: numbers[1]))
    // An earlier version wrote one line.
    if lines.count == 2 { return }
    guard lines.count == 3, let cut = lines[1].lastIndex(of: " ") else { return nil }
    let (summed, sum) = (text[...cut], lines[1][cut...].dropFirst())
    guard sum.hasPrefix("sum="),
      UInt64(sum.dropFirst(4), radix: 16) == StableHash.of(String(summed))
    else { return nil }
    for word in lines[1].split(separator: " ") {
      guard let equals = word.firstIndex(of: "=") else { continue }
      let value = word[word.index(after: equals)...]
      switch word[..<equals] {
      case "run": lastRun = UInt64(value) ?? 0
      case "clock": monotonic = Int64(value).map { MonotonicInstant(nanoseconds: $0) }
      case "boot": boot = String(value)
      default: break
      }
    }
  }
}
