import CTaktSystem
import Glibc
import Synchronization
import TaktSystem
import TaktTime

/// A control group (cgroup v2) that holds the processes of one command, and no others.
///
/// Its folder stays open, so that it is never looked up by a path that may have been changed. Safe
/// from any thread.
final class ControlGroup: Sendable {
  /// Starts at the root of the hierarchy, as in the ledger.
  let path: String
  /// For `clone3`.
  let folder: Int32

  private let isKilled = Atomic<Bool>(false)

  /// True once all in it were killed at once. Some kernels (6.18 among them) then kill each process
  /// that is started in it by `clone3`, so it is not used again.
  private var wasKilled: Bool { isKilled.load(ordering: .relaxed) }

  private let isReserved = Atomic<Bool>(false)

  /// True if it can serve another command after the present one. To be called only for an empty
  /// group.
  var isReusable: Bool {
    !wasKilled && !isReserved.load(ordering: .relaxed) && meter.isReusable
      && watch?.isChanged(watchNumber) == false
  }

  /// Reserves it for its command: the guard identifies groups by name, and must never end another
  /// command's.
  func reserve() { isReserved.store(true, ordering: .relaxed) }

  /// Stays open while the group is used, since it is read at the end of each command.
  private let events: Int32

  let meter: ControlGroupMeter

  /// Detects that a command has changed the group; nil for a group that serves none.
  private let watch: ControlGroupWatch?
  private let watchNumber: Int32

  /// Owns the folder's descriptor. Nil, with `errno`, if the group cannot be read.
  init?(path: String, folder: Int32, watch: ControlGroupWatch? = nil) {
    events = openat(folder, "cgroup.events", O_RDONLY | O_CLOEXEC)
    guard events >= 0 else {
      let number = errno
      close(folder)
      errno = number
      return nil
    }
    self.path = path
    self.folder = folder
    self.watch = watch
    watchNumber = watch?.add(folder) ?? -1
    meter = ControlGroupMeter(folder: folder)
  }

  deinit {
    close(events)
    close(folder)
  }

  var isGone: Bool { faccessat(folder, "cgroup.procs", F_OK, 0) != 0 }

  /// True if a process lives in it or in a group below it.
  var isPopulated: Bool { says("populated 1") }

  private func says(_ line: String) -> Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      let count = pread(events, buffer.baseAddress, buffer.count - 1, 0)
      guard count > 0, let text = buffer.baseAddress else { return false }
      buffer[count] = 0
      return strstr(text, line) != nil
    }
  }

  func kill() {
    isKilled.store(true, ordering: .relaxed)
    guard !write("1", to: "cgroup.kill") else { return }
    for pid in pids() { send(SIGKILL, to: pid) }
  }

  /// Sends all living processes a signal, each of them once, and thaws those that have been frozen.
  ///
  /// They are frozen meanwhile, so that no fork is missed: any later child descends from a process
  /// that has had the signal.
  ///
  /// - Parameters:
  ///   - isTold: True if `first` has already reached this process.
  ///   - first: Sends the signal to others, once all are frozen.
  func send(_ signal: Int32, butFor isTold: (pid_t) -> Bool, after first: () -> Void) {
    let isFrozen = freeze()
    first()
    var seen: Set<pid_t> = []
    for _ in 0..<Self.roundsMax {
      let new = pids().filter { seen.insert($0).inserted }
      for pid in new where !isTold(pid) { send(signal, to: pid) }
      // A process that the kernel has not frozen yet may still fork; it handles no signal before.
      if isFrozen != false || new.isEmpty { break }
    }
    visit { _ = ControlGroupFolder.write("0", to: Self.freezer, in: $0) }
  }

  /// Rounds of searching for processes born before all are frozen.
  private static let roundsMax = 8
  private static let freezer = "cgroup.freeze"
  /// Time to wait until all are frozen. It takes an instant unless one of them waits for a file
  /// system that does not answer.
  private static let freezeTime = Duration.milliseconds(10)

  /// Freezes all in it. False if some are not frozen yet, nil if the kernel cannot.
  private func freeze() -> Bool? {
    guard write("1", to: Self.freezer) else { return nil }
    let end = ContinuousClock.now + Self.freezeTime
    var entry = pollfd(fd: events, events: Int16(POLLPRI), revents: 0)
    while !says("frozen 1") {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else { return false }
      // Until the file changes.
      _ = poll(&entry, 1, Int32(left.milliseconds) + 1)
    }
    return true
  }

  private func send(_ signal: Int32, to pid: pid_t) {
    _ = ProcessHandle.send(signal, to: pid) {
      Self.group(of: pid).map { Self.isWithin($0, path) } ?? false
    }
  }

  /// The numbers of its processes, including zombies.
  func pids() -> [pid_t] {
    var found: [pid_t] = []
    visit { folder in
      // 0 means a process outside of takt's own PID namespace.
      found += ProcessFile.numbers(ControlGroupFolder.read("cgroup.procs", in: folder) ?? [])
        .filter { $0 > 0 }
    }
    return found
  }

  /// Calls `body` with its folder and those of all groups below it.
  private func visit(_ body: (Int32) -> Void) { Self.visit(folder, depth: 0, body) }

  private static func visit(_ folder: Int32, depth: Int, _ body: (Int32) -> Void) {
    body(folder)
    guard depth < depthMax else { return }
    for name in ControlGroupFolder.names(in: folder) {
      guard let below = ControlGroupFolder.open(name, in: folder) else { continue }
      visit(below, depth: depth + 1, body)
      close(below)
    }
  }

  private static let depthMax = 16

  /// Removes the groups that its processes have made below it. To be called when none lives.
  func removeSubgroups() {
    // Two links: its own name, and its own dot.
    guard let status = try? FileStatus(of: folder), status.linkCount > 2 else { return }
    ControlGroupFolder.removeAll(in: folder)
  }

  /// True if a group is the other one or below it.
  static func isWithin(_ group: String, _ other: String) -> Bool {
    group == other || group.hasPrefix(other + "/")
  }

  /// The group of a process, from the root of the hierarchy; nil if the system does not tell.
  static func group(of pid: pid_t) -> String? {
    guard let bytes = SmallFile.head("/proc/\(pid)/cgroup", bytesMax: 65_536) else {
      return nil
    }
    for line in bytes.split(separator: UInt8(ascii: "\n"))
    where line.starts(with: Array("0::".utf8)) {
      return String(decoding: line.dropFirst(3), as: UTF8.self)
    }
    return nil
  }

  private func write(_ text: String, to name: String) -> Bool {
    ControlGroupFolder.write(text, to: name, in: folder)
  }
}

enum ControlGroupFolder {
  static func open(_ name: String, in folder: Int32) -> Int32? {
    let result = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return result >= 0 ? result : nil
  }

  static func names(in folder: Int32) -> [String] {
    guard let status = try? FileStatus(of: folder), status.linkCount > 2 else { return [] }
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

  static func read(_ name: String, in folder: Int32) -> [UInt8]? {
    let file = openat(folder, name, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return SmallFile.head(file, bytesMax: listBytesMax)
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

  /// Removes a group with all below it; groups that are not empty stay.
  static func remove(_ name: String, in folder: Int32) {
    if let below = open(name, in: folder) {
      removeAll(in: below)
      close(below)
    }
    unlinkat(folder, name, AT_REMOVEDIR)
  }
}
