import CTaktSystem
import Glibc
import Synchronization
import TaktCore
import TaktSystem
import TaktTime

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

  /// Whether it may serve another command when the one in it is over. To be asked when nobody lives in
  /// it.
  var isReusable: Bool {
    !wasKilled && !isReserved.load(ordering: .relaxed) && meter.isReusable
      && watch?.isChanged(watchNumber) == false
  }

  /// Keeps it for the command that is in it: the guard knows groups by their names, and must never
  /// end another command's.
  func reserve() { isReserved.store(true, ordering: .relaxed) }

  /// Open as long as the group is used, since it is read at the end of each command.
  private let events: Int32

  let meter: ControlGroupMeter

  /// Tells whether a command has changed the group; nil for a group that serves none.
  private let watch: ControlGroupWatch?
  private let watchNumber: Int32

  /// Owns the folder's descriptor. Nil, with `errno`, where the group cannot be read.
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

  /// Whether somebody has removed it.
  var isGone: Bool { faccessat(folder, "cgroup.procs", F_OK, 0) != 0 }

  /// Whether a process of it lives. Groups below it count.
  var isPopulated: Bool { says("populated 1") }

  /// Whether a line of its events says this.
  private func says(_ line: String) -> Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      let count = pread(events, buffer.baseAddress, buffer.count - 1, 0)
      guard count > 0, let text = buffer.baseAddress else { return false }
      buffer[count] = 0
      return strstr(text, line) != nil
    }
  }

  /// Kills all that live.
  func kill() {
    isKilled.store(true, ordering: .relaxed)
    guard !write("1", to: "cgroup.kill") else { return }
    for pid in pids() { send(SIGKILL, to: pid) }
  }

  /// Sends all that live a signal, each of them once, and lets go on who has been frozen.
  ///
  /// They stand still meanwhile, so that nobody is born unseen: who is born later descends from one who
  /// has had the signal.
  ///
  /// - Parameters:
  ///   - isTold: Whether `first` has reached this one already.
  ///   - first: Sends it to others, when all stand still.
  func send(_ signal: Int32, butFor isTold: (pid_t) -> Bool, after first: () -> Void) {
    let isFrozen = freeze()
    first()
    var seen: Set<pid_t> = []
    for _ in 0..<Self.roundsMax {
      let new = pids().filter { seen.insert($0).inserted }
      for pid in new where !isTold(pid) { send(signal, to: pid) }
      // One that the kernel does not let go yet may still fork; it handles no signal before.
      if isFrozen != false || new.isEmpty { break }
    }
    visit { _ = ControlGroupFolder.write("0", to: Self.freezer, in: $0) }
  }

  /// So often those are looked for who are born before all stand still.
  private static let roundsMax = 8
  private static let freezer = "cgroup.freeze"
  /// So long takt waits until all stand still. It takes a moment where none of them is in the hands of a
  /// file system that does not answer.
  private static let freezeTime = Duration.milliseconds(10)

  /// Lets all in it stand still. False when some do not yet, nil where the kernel cannot.
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

  /// The numbers of its processes, ended ones that are not reaped among them.
  func pids() -> [pid_t] {
    var found: [pid_t] = []
    visit { folder in
      // 0 stands for a process outside of takt's own name space of processes.
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

  /// How deep groups within groups are looked through.
  private static let depthMax = 16

  /// Removes the groups that processes of it have made below it. To be called when none lives.
  func removeSubgroups() {
    // Two links: its own name, and its own dot.
    guard let status = try? FileStatus(of: folder), status.linkCount > 2 else { return }
    ControlGroupFolder.removeAll(in: folder)
  }

  /// Whether a group is this one or below it.
  static func isWithin(_ group: String, _ other: String) -> Bool {
    group == other || group.hasPrefix(other + "/")
  }

  /// The group of a process, from the root of the hierarchy; nil where the system does not tell.
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
  /// Opens a folder below another; nil when it cannot be.
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

  /// Reads a file of a group; nil when it cannot be.
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

  /// Removes a group with all below it; what is not empty stays.
  static func remove(_ name: String, in folder: Int32) {
    if let below = open(name, in: folder) {
      removeAll(in: below)
      close(below)
    }
    unlinkat(folder, name, AT_REMOVEDIR)
  }
}
