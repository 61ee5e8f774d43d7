import Dispatch
import Glibc
import Synchronization
import TaktTime

/// Walks along paths on a thread of its own, so that a file system that does not answer costs one
/// thread and no caller.
///
/// A thread that does not return in time is left where it hangs, and the next walk gets another.
/// Used on one queue; `onReturn` is called on the thread that returns late.
final class PathWalker {
  /// What came of a walk.
  enum Answer {
    case found(PathWalk)
    /// Nothing yet: the file system at this place does not answer.
    case hangs(at: [CChar])
    /// Nothing: there is no thread for it.
    case refused(SystemError)
  }

  /// One walk: whoever comes first, its result or the end of the patience, decides.
  private final class Attempt: Sendable {
    private let state = Mutex((result: PathWalk?.none, isLate: false))
    let ended = DispatchSemaphore(value: 0)

    /// Whether it is too late.
    func end(with walk: PathWalk) -> Bool {
      state.withLock { state in
        state.result = walk
        return state.isLate
      }
    }

    /// The result; nil when it will be late.
    func take() -> PathWalk? {
      state.withLock { state in
        state.isLate = state.result == nil
        return state.result
      }
    }
  }

  /// A thread that does one thing after the other until it is to end.
  private final class Worker: Sendable {
    private let work = Mutex<(@Sendable () -> Void)?>(nil)
    private let arrived = DispatchSemaphore(value: 0)

    func start() throws(SystemError) {
      try Thread.start(name: "takt-paths") { [self] in
        while true {
          arrived.wait()
          let next = work.withLock { work in
            defer { work = nil }
            return work
          }
          guard let next else { return }
          next()
        }
      }
    }

    /// Does it after what it does now; nil ends the thread.
    func perform(_ next: (@Sendable () -> Void)?) {
      work.withLock { $0 = next }
      arrived.signal()
    }
  }

  /// So many threads may hang; then nothing is walked until one returns.
  private static let hangingMax = 32

  private let patience: Duration
  private var worker: Worker
  private var hasWorker = true
  private var hanging = 0

  /// Starts the thread.
  init(patience: Duration) throws(SystemError) {
    self.patience = patience
    worker = Worker()
    try worker.start()
  }

  deinit { if hasWorker { worker.perform(nil) } }

  /// Walks along the path of `key`, and waits for it as long as the patience lasts.
  ///
  /// - Parameters:
  ///   - places: what hangs already: nothing there is touched.
  ///   - onReturn: gets a result that comes too late; to be followed by `returned` on the queue.
  func walk(
    along key: WatchKey, inotify: Inotify, avoiding places: Set<[CChar]>,
    onReturn: @escaping @Sendable (PathWalk) -> Void
  ) -> Answer {
    guard hanging < Self.hangingMax else { return .refused(SystemError("wait", number: EBUSY)) }
    if !hasWorker {
      let new = Worker()
      do throws(SystemError) { try new.start() } catch { return .refused(error) }
      worker = new
      hasWorker = true
    }
    let attempt = Attempt()
    let progress = WalkProgress()
    worker.perform {
      let walk = PathWalk(along: key, inotify: inotify, avoiding: places, progress: progress)
      if attempt.end(with: walk) { onReturn(walk) } else { attempt.ended.signal() }
    }
    _ = attempt.ended.wait(timeout: .now() + .nanoseconds(Int(patience.nanosecondsSaturated)))
    if let walk = attempt.take() { return .found(walk) }
    // It ends when it returns.
    worker.perform(nil)
    hasWorker = false
    hanging += 1
    let place = MountTable.place(around: progress.path)
    StuckWork.began(
      "a thread (takt-paths) waits for \(MountTable.text(place)), which does not answer")
    return .hangs(at: place)
  }

  /// A late walk has come to its end.
  func returned() {
    hanging -= 1
    StuckWork.ended()
  }
}

/// How far a walk has come.
final class WalkProgress: Sendable {
  private let current = Mutex<[CChar]>([])

  /// What it asks the system about.
  var path: [CChar] { current.withLock(\.self) }

  func reached(_ path: [CChar]) { current.withLock { $0 = path } }
}
