import Dispatch
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The one thread that serves the connections of `http` and `mail`. It is made when first used, so
/// that a takt without them pays nothing, and sleeps while nothing is connected.
enum NetworkLoop {
  private static let made = Mutex<MultiThreadedEventLoopGroup?>(nil)

  /// The thread's loop; nil when the process has no descriptors left for it, for the library would
  /// end the process then.
  static func group() -> MultiThreadedEventLoopGroup? {
    made.withLock { made in
      if let made { return made }
      guard hasDescriptors(16) else { return nil }
      made = make()
      return made
    }
  }

  /// A thread begins with the nice value of the one that makes it, and this one serves all classes:
  /// it is made on a queue of the middle class, whoever asks first.
  private static func make() -> MultiThreadedEventLoopGroup? {
    let result = Mutex<MultiThreadedEventLoopGroup?>(nil)
    let isMade = DispatchGroup()
    DispatchQueue(label: "takt.network", qos: .default).async(group: isMade) {
      result.withLock { $0 = MultiThreadedEventLoopGroup(numberOfThreads: 1) }
    }
    isMade.wait()
    return result.withLock(\.self)
  }

  private static func hasDescriptors(_ count: Int) -> Bool {
    let probes = (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for probe in probes where probe >= 0 { close(probe) }
    return probes.allSatisfy { $0 >= 0 }
  }
}
