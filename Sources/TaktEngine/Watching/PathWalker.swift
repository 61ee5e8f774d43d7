import Dispatch
import Glibc
import Synchronization
import TaktTime

/// Walks along paths on threads of their own, so that a file system that does not answer costs one
/// thread and no caller. A thread that does not return in time is left where it hangs.
///
/// Used on one queue; `onReturn` is called on the thread that returns late.
struct PathWalker {
  /// What came of a walk.
  enum Answer {
    case found(PathWalk)
    /// Nothing yet: the file system at this place does not answer.
    case hangs(at: [CChar])
    /// Nothing: there is no thread for it.
    case refused(SystemError)
  }

  /// One walk: whichever comes first, its result or the end of the patience, decides.
  private final class Attempt: Sendable {
    private let state = Mutex((result: PathWalk?.none, isLate: false))
    private let ended = DispatchSemaphore(value: 0)

    /// Whether it is too late.
    func end(with walk: PathWalk) -> Bool {
      defer { ended.signal() }
      return state.withLock { state in
        state.result = walk
        return state.isLate
      }
    }

    /// The result; nil when it will be late.
    func result(within patience: Duration) -> PathWalk? {
      _ = ended.wait(timeout: .now() + .nanoseconds(Int(patience.nanosecondsSaturated)))
      return state.withLock { state in
        state.isLate = state.result == nil
        return state.result
      }
    }
  }

  /// So many threads may hang; then nothing is walked until one returns.
  private static let hangingMax = 32

  let patience: Duration
  private var hanging = 0

  init(patience: Duration) { self.patience = patience }

  /// Walks along the path of `key`, and waits for it as long as the patience lasts.
  ///
  /// - Parameters:
  ///   - places: what hangs already: nothing there is touched.
  ///   - onReturn: gets a result that comes too late; to be followed by `returned` on the queue.
  mutating func walk(
    along key: WatchKey, inotify: Inotify, avoiding places: Set<[CChar]>,
    onReturn: @escaping @Sendable (PathWalk) -> Void
  ) -> Answer {
    guard hanging < Self.hangingMax else { return .refused(SystemError("wait", number: EBUSY)) }
    let (attempt, progress) = (Attempt(), WalkProgress())
    do throws(SystemError) {
      try Thread.start(name: "takt-paths") {
        let walk = PathWalk(along: key, inotify: inotify, avoiding: places, progress: progress)
        if attempt.end(with: walk) { onReturn(walk) }
      }
    } catch {
      return .refused(error)
    }
    if let walk = attempt.result(within: patience) { return .found(walk) }
    hanging += 1
    let place = MountTable.place(around: progress.path)
    StuckWork.began(
      "a thread (takt-paths) is waiting for \(MountTable.text(place)), which does not respond")
    return .hangs(at: place)
  }

  /// A late walk has come to its end.
  mutating func returned() {
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
