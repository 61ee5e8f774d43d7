import CTaktSystem
import Glibc

/// The signals that takt answers to.
package enum Signals {
  private static let handled = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGCHLD]

  /// Blocks them in this thread and in all that it starts, so that none is lost and none kills;
  /// SIGPIPE is ignored, and SIGXFSZ: a file that reaches takt's own limit of size is an error like
  /// a full disk. To be called before any thread is started.
  package static func block() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    csystem_block_signals(handled, Int32(handled.count))
  }

  /// Calls `handler` on the reactor's thread with the number of each signal that comes, also of one
  /// that came since `block`.
  package static func receive(
    on reactor: Reactor, _ handler: @escaping @Sendable (Int32) -> Void
  ) throws(SystemError) {
    let descriptor = csystem_signalfd(handled, Int32(handled.count))
    if descriptor < 0 { throw SystemError("signalfd") }
    reactor.perform { loop in
      loop.watch(descriptor) { _ in
        while case let number = csystem_read_signal(descriptor), number != 0 { handler(number) }
      }
    }
  }
}
