import Glibc
package import TaktTime

/// Reports takt's state to the service manager, by the protocol of systemd: readiness, reloads, the
/// stop, a line of status, and that the scheduler's queue is alive.
///
/// Safe from any thread: each message is one datagram, and one that cannot be sent is dropped.
package final class ServiceManager: Sendable {
  private let descriptor: Int32
  private let address: [UInt8]
  /// The interval at which the manager expects a sign of life; nil if it does not.
  package let watchdogInterval: Duration?

  /// The variables that a service manager sets for the process that it starts.
  private static let variables = [
    "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
    "LISTEN_FDNAMES",
  ]

  /// Removes the manager's variables from the environment, so that no child speaks for takt. To be
  /// called before anything is started.
  package static func forget() { for name in variables { unsetenv(name) } }

  /// Nil without a service manager. Removes its variables in any case.
  package init?() {
    defer { Self.forget() }
    guard let text = getenv("NOTIFY_SOCKET") else { return nil }
    var path = Array(String(cString: text).utf8)
    // An abstract name starts with a zero byte and has an explicit length.
    guard let first = path.first, path.count < 108 else { return nil }
    if first == UInt8(ascii: "@") { path[0] = 0 } else if first != UInt8(ascii: "/") { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    address = path
    let isOurs = getenv("WATCHDOG_PID").map { String(cString: $0) == String(getpid()) } ?? true
    let wanted = getenv("WATCHDOG_USEC").flatMap { Int64(String(cString: $0)) } ?? 0
    watchdogInterval = isOurs && wanted > 0 ? .microseconds(wanted) : nil
  }

  deinit { close(descriptor) }

  /// Sent when the jobs run.
  package func ready() { send("READY=1") }

  /// Sent at the start of a reload; `ready` ends it.
  package func reloading(at now: MonotonicInstant) {
    send("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)")
  }

  package func stopping() { send("STOPPING=1") }

  /// Sets the line that the manager shows as takt's status.
  package func status(_ text: String) { send("STATUS=\(text)") }

  /// Sent when the scheduler's queue has answered.
  package func alive() { send("WATCHDOG=1") }

  private func send(_ message: String) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
    _ = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { socket in
        message.withCString {
          sendto(
            descriptor, $0, strlen($0), Int32(MSG_DONTWAIT | MSG_NOSIGNAL),
            socket, length)
        }
      }
    }
  }
}
