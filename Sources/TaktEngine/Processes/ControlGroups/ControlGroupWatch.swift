import Glibc
import Synchronization

/// Detects control groups that a process other than takt has changed: written to one of their
/// files, changed its mode or its attributes, or made a group below.
///
/// A job that runs as root or as takt's own user may write to its own group. No list of the files
/// that change a group's behaviour is complete on every kernel, so every one counts.
///
/// Safe from any thread.
final class ControlGroupWatch: Sendable {
  private struct State {
    var changed: Set<Int32> = []
    var last = Int32(0)
    /// All up to this one count as changed, since the kernel has dropped events.
    var lostUpTo = Int32(0)
  }

  private let descriptor: Int32
  private let state = Mutex(State())

  init() { descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Watches a group until it is removed. Returns the number of the watch, negative on failure.
  func add(_ folder: Int32) -> Int32 {
    guard descriptor >= 0 else { return -1 }
    let bits = UInt32(IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_ONLYDIR)
    let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(folder)", bits)
    if watch > 0 { state.withLock { $0.last = max($0.last, watch) } }
    return watch
  }

  /// True if the watched group may differ from a new one. To be called only for an empty group.
  func isChanged(_ watch: Int32) -> Bool {
    // Unknown without a watch.
    guard watch > 0 else { return true }
    return state.withLock { state in
      readAll(&state)
      return watch <= state.lostUpTo || state.changed.contains(watch)
    }
  }

  private func readAll(_ state: inout State) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        for event in InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
          note(event, &state)
        }
        // There was room for another one.
        if count + Self.eventBytesMax <= buffer.count { return }
      }
    }
  }

  /// The size of an event with the longest file name.
  private static let eventBytesMax = 16 + Int(NAME_MAX) + 1

  private func note(_ event: InotifyEvent, _ state: inout State) {
    if event.has(IN_Q_OVERFLOW) {
      state.lostUpTo = state.last
    } else if event.has(IN_IGNORED) {
      state.changed.remove(event.watch)
    } else if !event.has(IN_MODIFY) || Self.changesGroup(event.name) {
      state.changed.insert(event.watch)
    }
  }

  /// True if a write to this file outlives the processes in the group. The kernel reports its own
  /// changes of `cgroup.events` and the like as such events, too.
  private static func changesGroup(_ name: [CChar]) -> Bool {
    // Checked at the end of each run, nearly always for `cgroup.events`; a `String` would take
    // longer.
    if name.indices.contains(where: { name[$0...].starts(with: events) }) { return false }
    return switch String(decoding: name.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self) {
    case "cgroup.procs", "cgroup.threads", "memory.peak": false
    default: true
    }
  }

  private static let events = ".events".utf8.map { CChar($0) }
}
