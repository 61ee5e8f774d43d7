import CTaktSystem
import Glibc
import TaktSystem

/// An inotify descriptor: the calls, without decisions. Closed only by its owner.
struct Inotify: Sendable {
  /// `inotify_add_watch`, or its replacement in a test.
  typealias Add = @Sendable (Int32, UnsafePointer<CChar>, UInt32) -> Int32

  /// The events of a folder on the way to a path: entries that come and go.
  static let onTheWay =
    IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
  /// The events of a watched folder or file that every key needs. A file that is removed but still
  /// open counts as gone.
  static let content =
    IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_EXCL_UNLINK

  /// Does not block.
  let descriptor: Int32
  private let call: Add

  init(add: @escaping Add) throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if descriptor < 0 { throw SystemError("inotify_init1") }
    call = add
  }

  /// Watches the inode at `path`, a symbolic link's own if it is one. An inode that is watched
  /// already is watched for these bits as well, and keeps its number.
  ///
  /// Numbers are not reused while a process lives, so a number also distinguishes living inodes,
  /// which an inode's own number does not.
  ///
  /// - Parameter isApart: true if the file system may not answer; see `csystem_apart_watch`.
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

  /// Calls `ready` on the reactor's thread once, when there are events to read; the kernel keeps
  /// later ones, within its own limit. Before that, `isAccepted` is called with true if the system
  /// has accepted the descriptor for waiting.
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

  /// Closes the descriptor, which the reactor may be waiting for.
  func close(on reactor: Reactor) {
    reactor.perform { [descriptor] loop in
      loop.unwatch(descriptor)
      Glibc.close(descriptor)
    }
  }

  /// Ends a watch; one that has ended is ignored.
  func remove(_ watch: Int32) {
    _ = inotify_rm_watch(descriptor, watch)
  }

  /// The next events, as many as fit in one buffer; empty if there are none.
  func read() -> [InotifyEvent] {
    withUnsafeTemporaryAllocation(byteCount: 32_768, alignment: 8) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return [] }
      return InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
