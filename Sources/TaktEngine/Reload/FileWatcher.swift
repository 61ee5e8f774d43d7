import Dispatch
import Glibc
import TaktCore
package import TimerMachine
import TaktTime

/// Tells when one of a set of files has changed, by inotify on their folders: so a file that an
/// editor replaces, or that is not there yet, is seen as well.
///
/// A change is told a moment after the first sign of it, and only if the files differ from what
/// they were: a job that writes beside the jobs file makes no reload.
///
/// `@unchecked Sendable`: all that changes is touched on `queue` alone; both ways in go there.
package final class FileWatcher: @unchecked Sendable {
  /// How long a change may settle before it is told, so that several make one.
  package static let settleTime = Duration.milliseconds(200)

  private let reactor: Reactor
  private let descriptor: Int32
  private let time: any TimeSource
  private let onChange: @Sendable () -> Void
  private let queue = DispatchQueue(label: "takt.watch", qos: .utility)
  private var timer: TimerMachine?
  private var fingerprints: [String: String] = [:]

  /// A watcher of nothing yet; `onChange` is called on a queue of the watcher's own.
  package init(
    reactor: Reactor, factory: any TimerFactory, onChange: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if descriptor < 0 { throw SystemError("inotify_init1") }
    self.reactor = reactor
    self.onChange = onChange
    time = factory.time
    timer = TimerMachine(name: "watch-timer", factory: factory, queue: queue) { [weak self] _ in
      self?.check()
    }
    reactor.perform { [self] loop in
      loop.watch(descriptor) { [self] _ in
        drain()
        queue.async { [self] in settle() }
      }
    }
  }

  /// Watches these files and folders, and no others from now on.
  package func watch(_ paths: [String]) {
    queue.async { [self] in
      // What was known of a path is kept: a change since then is still to be told.
      fingerprints = Dictionary(
        paths.map { ($0, fingerprints[$0] ?? Self.fingerprint($0)) }
      ) { first, _ in first }
      watchFolders(of: paths)
    }
  }

  private func watchFolders(of paths: [String]) {
    let wanted = Set(
      paths.flatMap { [Self.folder(of: $0), Self.folder(of: Self.resolved($0)), $0] })
    for folder in wanted {
      let events =
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB
        | IN_ONLYDIR
      // A folder that is watched already stays so; one that is not there, and a file, are passed
      // over: the next reload tries again.
      _ = inotify_add_watch(descriptor, folder, UInt32(events))
    }
  }

  /// The events themselves do not matter: the files are compared.
  private func drain() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
  }

  private func settle() {
    guard let schedule = try? TimerSchedule.once(at: time.monotonic + Self.settleTime) else {
      return
    }
    // Refused while it runs: the change will be seen when it fires.
    timer?.activate(schedule)
  }

  private func check() {
    let found = fingerprints.keys.map { ($0, Self.fingerprint($0)) }
    let changed = found.filter { fingerprints[$0.0] != $0.1 }
    guard !changed.isEmpty else { return }
    for (path, fingerprint) in changed { fingerprints[path] = fingerprint }
    onChange()
  }

  private static func fingerprint(_ path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "missing" }
    return """
      \(status.st_dev) \(status.st_ino) \(status.st_size) \
      \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)
      """
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func resolved(_ path: String) -> String {
    guard let target = realpath(path, nil) else { return path }
    defer { free(target) }
    return String(cString: target)
  }
}
