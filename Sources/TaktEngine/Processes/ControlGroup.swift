import CTaktSystem
import Glibc
import Synchronization
import TaktCore

/// A control group (cgroup v2) that holds the processes of one command, and nobody else's.
///
/// Its folder stays open, so that it is never looked up by a path that somebody may have changed.
/// Safe from any thread.
final class ControlGroup: Sendable {
  /// From the root of the hierarchy, as the ledger has it.
  let path: String
  /// For `clone3`.
  let folder: Int32

  private let isKilled = Atomic<Bool>(false)

  /// Whether all in it were killed at once. Some kernels (6.18 among them) then kill each process
  /// that is started in it by `clone3`, so that it is not used again.
  private var wasKilled: Bool { isKilled.load(ordering: .relaxed) }

  private let isReserved = Atomic<Bool>(false)

  /// Whether it may serve another command when the one in it is over.
  var isReusable: Bool { !wasKilled && !isReserved.load(ordering: .relaxed) }

  /// Keeps it for the command that is in it: the guard knows groups by their names, and must never
  /// end another command's.
  func reserve() { isReserved.store(true, ordering: .relaxed) }

  /// Open as long as the group is used, since it is read at the end of each command.
  private let events: Int32

  let meter: ControlGroupMeter

  /// Owns the folder's descriptor.
  init(path: String, folder: Int32) {
    self.path = path
    self.folder = folder
    meter = ControlGroupMeter(folder: folder)
    events = openat(folder, "cgroup.events", O_RDONLY | O_CLOEXEC)
  }

  deinit {
    if events >= 0 { close(events) }
    close(folder)
  }

  /// Whether somebody has removed it.
  var isGone: Bool { faccessat(folder, "cgroup.procs", F_OK, 0) != 0 }

  /// Whether a process of it lives. Groups below it count.
  var isPopulated: Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      let count = pread(events, buffer.baseAddress, buffer.count - 1, 0)
      guard count > 0, let text = buffer.baseAddress else { return false }
      buffer[count] = 0
      return strstr(text, "populated 1") != nil
    }
  }

  /// Sends all that live a signal; those who have had one before only if `isNew` says so. Returns
  /// how many got it.
  func send(_ signal: Int32, if isNew: (pid_t) -> Bool = { _ in true }) -> Int {
    if signal == SIGKILL {
      isKilled.store(true, ordering: .relaxed)
      if write("1", to: "cgroup.kill") { return 0 }
    }
    var count = 0
    for pid in pids() where isNew(pid) {
      let result = ProcessHandle.send(signal, to: pid) {
        Self.group(of: pid).map { Self.isWithin($0, path) } ?? false
      }
      if result == 0 { count += 1 }
    }
    return count
  }

  /// The numbers of its processes, ended ones that are not reaped among them.
  func pids() -> [pid_t] { pids(in: folder, depth: 0) }

  /// Removes the groups that processes of it have made below it. To be called when none lives.
  func removeSubgroups() {
    var status = stat()
    // Two links: its own name, and its own dot.
    guard fstat(folder, &status) == 0, status.st_nlink > 2 else { return }
    ControlGroupFolder.removeAll(in: folder)
  }

  /// Whether a group is this one or below it.
  static func isWithin(_ group: String, _ other: String) -> Bool {
    group == other || group.hasPrefix(other + "/")
  }

  /// The group of a process, from the root of the hierarchy; nil where the system does not tell.
  static func group(of pid: pid_t) -> String? {
    guard let bytes = ProcessFile.read("/proc/\(pid)/cgroup", limitBytes: 65_536) else {
      return nil
    }
    for line in bytes.split(separator: UInt8(ascii: "\n"))
    where line.starts(with: Array("0::".utf8)) {
      return String(decoding: line.dropFirst(3), as: UTF8.self)
    }
    return nil
  }

  /// How deep groups within groups are looked through.
  private static let depthMax = 16

  private func pids(in folder: Int32, depth: Int) -> [pid_t] {
    // 0 stands for a process outside of takt's own name space of processes.
    var found = ProcessFile.numbers(ControlGroupFolder.read("cgroup.procs", in: folder) ?? [])
      .filter { $0 > 0 }
    guard depth < Self.depthMax else { return found }
    for name in ControlGroupFolder.names(in: folder) {
      guard let below = ControlGroupFolder.open(name, in: folder) else { continue }
      found += pids(in: below, depth: depth + 1)
      close(below)
    }
    return found
  }

  private func write(_ text: String, to name: String) -> Bool {
    ControlGroupFolder.write(text, to: name, in: folder)
  }
}

/// The folders of the hierarchy of control groups.
enum ControlGroupFolder {
  /// Opens a folder below another; nil when it cannot be.
  static func open(_ name: String, in folder: Int32) -> Int32? {
    let result = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return result >= 0 ? result : nil
  }

  /// The names of the groups in a folder.
  static func names(in folder: Int32) -> [String] {
    var status = stat()
    guard fstat(folder, &status) == 0, status.st_nlink > 2 else { return [] }
    let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return [] }
    guard let stream = fdopendir(copy) else {
      close(copy)
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static let listBytesMax = 8 * 1_048_576

  /// Reads a file of a group; nil when it cannot be.
  static func read(_ name: String, in folder: Int32) -> [UInt8]? {
    let file = openat(folder, name, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return ProcessFile.read(file, limitBytes: listBytesMax)
  }

  static func write(_ text: String, to name: String, in folder: Int32) -> Bool {
    let file = openat(folder, name, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return Glibc.write(file, text, text.utf8.count) == text.utf8.count
  }

  /// Removes all empty groups in a folder, the deepest first; others stay.
  static func removeAll(in folder: Int32) {
    for name in names(in: folder) { remove(name, in: folder) }
  }

  /// Removes a group with all below it; what is not empty stays.
  static func remove(_ name: String, in folder: Int32) {
    if let below = open(name, in: folder) {
      removeAll(in: below)
      close(below)
    }
    unlinkat(folder, name, AT_REMOVEDIR)
  }
}
