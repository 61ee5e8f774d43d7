import CTaktSystem
import Glibc
import TaktSystem

/// An inotify descriptor: the calls, without decisions. Nobody closes it but its owner.
struct Inotify: Sendable {
  /// `inotify_add_watch`, or what a test puts in its place.
  typealias Add = @Sendable (Int32, UnsafePointer<CChar>, UInt32) -> Int32

  /// What is to be known of a folder on the way to a path: entries that come and go.
  static let onTheWay =
    IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
  /// What is to be known of a watched folder or file beside what its key asks for. A file that is
  /// removed and still open is none any more.
  static let content =
    IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_EXCL_UNLINK

  /// The number; it does not block.
  let descriptor: Int32
  private let call: Add

  /// Opens a descriptor that is closed on exec.
  init(add: @escaping Add) throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if descriptor < 0 { throw SystemError("inotify_init1") }
    call = add
  }

  /// Watches what stands at `path`, which is a symbolic link's own inode if it is one. An inode
  /// that is watched already is watched for these bits as well, and keeps its number.
  ///
  /// Numbers are not used again as long as a process lives, so a number also tells one living
  /// inode from another, which an inode's own number does not.
  ///
  /// - Parameter isApart: whether the file system may not answer; see `csystem_apart_watch`.
  func add(_ path: [CChar], for bits: Int32, isApart: Bool) -> Result<Int32, SystemError> {
    if isApart {
      let watch = csystem_apart_watch(
        descriptor, path + [0], UInt32(bitPattern: bits | IN_DONT_FOLLOW | IN_MASK_ADD))
      return watch < 0
        ? .failure(SystemError("inotify_add_watch", number: -watch)) : .success(watch)
    }
    let watch = call(
      descriptor, path + [0], UInt32(bitPattern: bits | IN_DONT_FOLLOW | IN_MASK_ADD))
    return watch < 0 ? .failure(SystemError("inotify_add_watch")) : .success(watch)
  }

  /// Calls `ready` on the reactor's thread once, when there is something to read; the kernel keeps
  /// what comes until then, within its own bound. Before that `isAccepted` is told whether the
  /// system has let the descriptor be waited for.
  func listen(
    on reactor: Reactor, isAccepted: @escaping @Sendable (Bool) -> Void,
    ready: @escaping @Sendable () -> Void
  ) {
    reactor.perform { [descriptor] loop in
      isAccepted(
        loop.watch(descriptor) { loop in
          loop.unwatch(descriptor)
          ready()
        })
    }
  }

  /// Closes the descriptor, which the reactor may wait for.
  func close(on reactor: Reactor) {
    reactor.perform { [descriptor] loop in
      loop.unwatch(descriptor)
      Glibc.close(descriptor)
    }
  }

  /// Ends a watch; one that has ended is passed over.
  func remove(_ watch: Int32) {
    _ = inotify_rm_watch(descriptor, watch)
  }

  /// The next events, as many as one buffer holds; empty when there are none.
  func read() -> [InotifyEvent] {
    withUnsafeTemporaryAllocation(byteCount: 32_768, alignment: 8) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return [] }
      return InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
