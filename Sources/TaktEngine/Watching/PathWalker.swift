import Glibc
import Synchronization
import TaktSystem

/// Walks along paths on threads of their own, so that a file system that does not answer costs one
/// thread and blocks no caller. A thread that does not return in time is abandoned.
///
/// Used on one queue; `onReturn` is called on the thread that returns late.
struct PathWalker {
  enum Answer {
    case found(PathWalk)
    /// No result yet: the file system at this place does not answer.
    case hangs(at: [CChar])
    /// No result: there is no thread for it.
    case refused(SystemError)
  }

  let limit: Duration
  /// Limits the threads that hang; at the limit, no path is walked.
  private let patience = Patience(thread: "takt-paths", stuckMax: 32, atPlace: 32)

  init(patience limit: Duration) { self.limit = limit }

  /// Walks along the path of `key`, and waits for it as long as the patience lasts.
  ///
  /// - Parameters:
  ///   - known: the folders whose entries are known.
  ///   - places: file systems that hang already: no path on them is touched.
  ///   - onReturn: gets a result that comes too late.
  func walk(
    along key: WatchKey, knowing known: [Int32: [CChar]]?, inotify: Inotify,
    avoiding places: Set<[CChar]>,
    onReturn: @escaping @Sendable (PathWalk) -> Void
  ) -> Answer {
    let progress = WalkProgress()
    do throws(NoAnswer) {
      let call = try patience.begin(onLateEnd: onReturn) {
        PathWalk(
          along: key, knowing: known, inotify: inotify, avoiding: places, progress: progress)
      }
      if let walk = call.value(within: key.reachesBelow ? limit * 10 : limit) {
        return .found(walk)
      }
    } catch {
      guard case .noThread(let error) = error else {
        return .refused(SystemError("wait", number: EBUSY))
      }
      return .refused(error)
    }
    let place = MountTable.place(around: progress.path)
    Notices.post(
      "a thread (takt-paths) is waiting for \(MountTable.text(place)), which does not respond")
    return .hangs(at: place)
  }
}

final class WalkProgress: Sendable {
  private let current = Mutex<[CChar]>([])

  /// The path of the present system call.
  var path: [CChar] { current.withLock(\.self) }

  func reached(_ path: [CChar]) { current.withLock { $0 = path } }
}
