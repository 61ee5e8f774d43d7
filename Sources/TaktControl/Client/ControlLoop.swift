import Dispatch
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TaktSystem

/// The one thread that serves the connections of a command. It starts at the first request and
/// sleeps while nothing is connected.
///
/// It is not a thread of the library: if the system provides no thread or no descriptors, the
/// library ends the process. Here the command fails and reports the reason.
enum ControlLoop {
  /// The descriptors of an event loop and two connections.
  private static let descriptorsNeeded = 8

  private static let current = Mutex<(any EventLoop)?>(nil)
  private static let isStarting = Mutex(())
  private static let isStarted = DispatchSemaphore(value: 0)

  static func loop() throws(ControlError) -> any EventLoop {
    let trouble = isStarting.withLock { _ in
      current.withLock { $0 == nil } ? start() : nil
    }
    if let trouble { throw trouble }
    guard let loop = current.withLock({ $0 }) else {
      throw ControlError("the thread for connections did not start")
    }
    return loop
  }

  /// Returns the reason why it could not start; nil if it runs.
  private static func start() -> ControlError? {
    guard hasDescriptors else {
      return ControlError("no file descriptors are left; raise `ulimit -n`")
    }
    do throws(SystemError) {
      try Thread.start(name: "takt-control") { run() }
    } catch {
      return ControlError(
        "cannot start a thread (\(SystemError.text(error.number))); raise `ulimit -u`, "
          + "or end processes of this user")
    }
    isStarted.wait()
    return nil
  }

  private static func run() {
    MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
      current.withLock { $0 = loop }
      isStarted.signal()
    }
  }

  private static var hasDescriptors: Bool {
    let probes = (0..<descriptorsNeeded).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for probe in probes where probe >= 0 { close(probe) }
    return probes.allSatisfy { $0 >= 0 }
  }
}
