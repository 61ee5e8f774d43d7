import Dispatch
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The one thread that serves the connections of `http` and `mail`. It is made when first used, so
/// that a daemon without them pays nothing, and sleeps while nothing is connected.
///
/// The thread is takt's own: where the system gives none, the one run that asks fails. The
/// library's threads end the process then.
enum NetworkLoop {
  /// Why there is no loop.
  enum Failure: Error {
    case noDescriptors, noThread

    var reason: String {
      switch self {
      case .noDescriptors: "no_descriptors"
      case .noThread: "no_thread"
      }
    }

    var message: String {
      switch self {
      case .noDescriptors: "no descriptors are left: raise `ulimit -n`"
      case .noThread: "the system gives no thread: raise `ulimit -u`, or find what uses them up"
      }
    }
  }

  private static let made = Mutex<(any EventLoop)?>(nil)

  /// The thread's loop.
  static func loop() throws(Failure) -> any EventLoop {
    let result = made.withLock { made -> Result<any EventLoop, Failure> in
      if let made { return .success(made) }
      do throws(Failure) {
        let loop = try make()
        made = loop
        return .success(loop)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func make() throws(Failure) -> any EventLoop {
    // The library ends the process where it gets no descriptors.
    guard hasDescriptors(16) else { throw .noDescriptors }
    let result = Mutex<(any EventLoop)?>(nil)
    let isMade = DispatchSemaphore(value: 0)
    do throws(SystemError) {
      try Thread.start(name: "takt-network") {
        // A thread begins with the nice value of the one that makes it, and this one serves all.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 0)
        MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
          result.withLock { $0 = loop }
          isMade.signal()
        }
      }
    } catch {
      throw .noThread
    }
    isMade.wait()
    guard let loop = result.withLock(\.self) else { throw .noThread }
    return loop
  }

  private static func hasDescriptors(_ count: Int) -> Bool {
    let probes = (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for probe in probes where probe >= 0 { close(probe) }
    return probes.allSatisfy { $0 >= 0 }
  }
}
