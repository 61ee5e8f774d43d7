import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// What a daemon leaves beside a ledger that it cannot write: up to when nobody knows from the
/// ledger what became of slots and runs.
///
/// The file is always there, filled with zeros, so that its space is taken while there is some.
struct LossNote: Equatable {
  static let name = "unwritten"
  /// Written at once; a note is shorter.
  static let size = 512
  /// A block of most file systems.
  private static let reservedBytes = 4096

  /// How many entries waited to be written; nil where the note cannot be read.
  var entryCount: Int?
  /// What happened later is in no entry that waited.
  var until: WallInstant
  /// The same instant on the clock of this start of the machine; nil where that is not known.
  var monotonic: MonotonicInstant?
  var boot = ""
  /// The highest number of a run of which an entry waited.
  var lastRun: UInt64 = 0

  /// This note after one of which the ledger has not been told either.
  func added(to older: LossNote?) -> LossNote {
    guard let older else { return self }
    var both = self
    both.entryCount = older.entryCount.flatMap { count in entryCount.map { count + $0 } }
    both.lastRun = max(lastRun, older.lastRun)
    return both
  }
}

extension LossNote {
  /// The note in a state folder; nil where there is none. One that is empty or damaged tells no more
  /// than that something is lost, up to when the file was changed.
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

  /// Takes the space for a note where there is none to be kept; whether there is some now.
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

  /// Writes the note into the space that is reserved, or into what there is.
  func write(in directory: StateDirectory) { Self.put(text, in: directory, creating: true) }

  /// Leaves the space without a note.
  static func clear(in directory: StateDirectory) { put("", in: directory, creating: false) }

  private static func put(_ text: String, in directory: StateDirectory, creating: Bool) {
    let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0)
    let file = openat(directory.descriptor, name, flags, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var bytes = Array(text.utf8.prefix(size))
    bytes += [UInt8](repeating: 0, count: size - bytes.count)
    // Where it fails the file is empty or torn, which says that something is lost.
    _ = pwrite(file, bytes, bytes.count, 0)
  }
}

extension LossNote {
  /// `61 1790000000000`, as all versions write it, and a line with the rest and a sum of both.
  private var text: String {
    let text =
      "\(entryCount ?? 0) \(until.milliseconds)\nrun=\(lastRun) "
      + "clock=\(monotonic.map { "\($0.nanoseconds)" } ?? "") boot=\(boot) "
    return text + "sum=\(String(StableHash.of(text), radix: 16))\n"
  }

  /// Nil for a text that is not whole.
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
