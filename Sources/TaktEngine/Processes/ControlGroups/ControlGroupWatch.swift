import Glibc
import Synchronization

/// Tells which control groups somebody else than takt has changed: written to one of their files, changed
/// its mode or its attributes, or made a group below.
///
/// A job may write to its own group where it runs as root, or as takt's own user. No list of files that
/// change what a group does is complete on every kernel, so every one counts.
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

  /// Watches a group until it is removed. Returns the number of the watch; a negative one where the
  /// system gives none.
  func add(_ folder: Int32) -> Int32 {
    guard descriptor >= 0 else { return -1 }
    let bits = UInt32(IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_ONLYDIR)
    let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(folder)", bits)
    if watch > 0 { state.withLock { $0.last = max($0.last, watch) } }
    return watch
  }

  /// Whether the group of this watch may differ from a new one. To be called when nobody lives in it.
  func isChanged(_ watch: Int32) -> Bool {
    // Without a watch it is not known.
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

  /// An event with the longest name that a file may have.
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

  /// Whether a write to this file outlives those who were in the group. The kernel itself tells of
  /// `cgroup.events` and its like by such an event.
  private static func changesGroup(_ name: [CChar]) -> Bool {
    // Asked at the end of each run, nearly always of `cgroup.events`: in a text it would take longer.
    if name.indices.contains(where: { name[$0...].starts(with: events) }) { return false }
    return switch String(decoding: name.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self) {
    case "cgroup.procs", "cgroup.threads", "memory.peak": false
    default: true
    }
  }

  private static let events = ".events".utf8.map { CChar($0) }
}
